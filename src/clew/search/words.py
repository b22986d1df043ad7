"""The words of a view's chunks: which chunks have a term, and how well each fits some terms (BM25). Main call:
`Words.scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clew import native
from clew.search.paths import idf
from clew.store.segments import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

K1 = 1.2  # how soon a repeated term stops counting
B = 0.75  # how much a long chunk is discounted

Synonyms = Callable[[int], Sequence[tuple[int, float]]]


class Part(NamedTuple):
    """One segment as a snapshot sees it."""

    segment: Segment
    place: Any  # of each of its chunks among the view's, -1 for what is not in the snapshot
    document: Any  # of each of its facts, likewise
    first: int | None  # place of its first chunk when all are in the snapshot: the others follow


class Held(NamedTuple):
    """The chunks of one part that have a term."""

    first: int  # to be added to the places
    places: Any  # uint32
    counts: Any  # uint8: how often each has it


class Words:
    """All terms of all chunks of a view."""

    def __init__(self, parts: Sequence[Part], lengths: Floats, mean: float, copies: Floats | None, total: int) -> None:
        """`lengths` of all chunks with their `mean`; how many files have each, where some have more than one; and how
        many chunks those are together."""
        self._parts, self._copies, self._total = parts, copies, total
        self._norms: Floats = norms_of(lengths, mean)

    def scores(self, terms: Sequence[int], synonyms: Synonyms = lambda _: ()) -> Floats:
        """BM25 of every chunk for these term hashes. Where a chunk does not have a term, its synonyms stand in for it,
        as far as they mean the same and no more telling than it is."""
        import numpy as np

        scores = np.zeros(len(self._norms), np.float32)
        for term in terms:
            found = self._having(term)
            weight = self._weight(found)
            self._add(scores, found, weight)
            bare = None
            for other, near in synonyms(term):
                others = self._having(other)
                if not others or other in terms:
                    continue  # most are in no chunk
                if bare is None:
                    bare = np.ones(len(scores), np.uint8)
                    take_out = _taken_out if native.kernels is None else native.kernels.take_out
                    for held in found:
                        take_out(bare, held.first, held.places)
                self._add(scores, others, near * min(weight, self._weight(others)), bare)
        return scores

    def places(self, term: int) -> Any:
        """The chunks that have a term."""
        import numpy as np

        found = [held.places.astype(np.int64) + held.first for held in self._having(term)]
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def _having(self, term: int) -> list[Held]:
        """The same, part by part."""
        import numpy as np

        found = []
        for part in self._parts:
            chunks, counts = part.segment.body.postings(term)
            if not len(chunks):
                continue
            if part.first is not None:
                found.append(Held(part.first, chunks, counts))
                continue
            places = part.place[chunks]
            is_held = places >= 0
            if is_held.any():
                found.append(Held(0, places[is_held].astype(np.uint32), counts[is_held]))
        return found

    def _weight(self, found: Sequence[Held]) -> float:
        """How telling a term is that these chunks have."""
        if self._copies is None:
            return idf(self._total, sum(len(held.places) for held in found))
        add_up = _added_up if native.kernels is None else native.kernels.add_up
        return idf(self._total, sum(add_up(self._copies, held.first, held.places) for held in found))

    def _add(self, scores: Floats, found: Sequence[Held], weight: float, bare: Any = b"") -> None:
        """Add what a term of this weight is worth in the chunks that have it, of which only the `bare` ones count."""
        add = _added if native.kernels is None else native.kernels.add_term
        for first, places, counts in found:
            add(scores, first, places, counts, self._norms, weight * (K1 + 1), bare)


def norms_of(lengths: Any, mean: float) -> Any:
    """How much the terms of texts of these lengths are discounted."""
    import numpy as np

    return (K1 * (1 - B + B * lengths / max(mean, 1.0))).astype(np.float32)


def _taken_out(mask: Any, first: int, places: Any) -> None:
    import numpy as np

    mask[places.astype(np.int64) + first] = 0


def _added_up(values: Any, first: int, places: Any) -> float:
    import numpy as np

    return float(values[places.astype(np.int64) + first].sum())


def _added(scores: Any, first: int, places: Any, counts: Any, norms: Any, weight: float, bare: Any) -> None:
    import numpy as np

    at, often = places.astype(np.int64) + first, counts.astype(np.float32)
    worth = often * weight / (often + norms[at])
    scores[at] += worth * bare[at] if len(bare) else worth
