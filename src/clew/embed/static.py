"""The bundled model: a vector for each term, learned from documented code; a text is their weighted sum.

Terms are addressed by the hashes that a chunk stores anyway (`Chunk.terms`, `Chunk.freqs`), so a chunk's vector needs
neither its text nor another pass of the tokeniser. Nothing is read before the first vector is asked for. The model is
made in `training/`. Main calls: `StaticEncoder.encode_packed` for chunks, `StaticEncoder.encode_query` and
`StaticEncoder.synonyms` for a question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clew import native, tokens
from clew.ordering import in_order

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clew.embed.encoder import Vectors

MODEL = Path(__file__).with_name("model")
MAX_FOUND = 4_096  # terms whose synonyms are kept: a question asks for each of its own twice
_MANY_TERMS = 10_000  # are put in order before they are looked up
BATCH_TERMS = 2_000_000  # looked up at once: bounds the memory of one call at about 60 MB beside its result


class _Weights(NamedTuple):
    """The model as it lies on disk."""

    hashes: NDArray[np.uint32]  # of the known terms, ascending
    rows: NDArray[np.int8]  # of the known terms, then of the buckets that unknown terms share
    query: NDArray[np.float32]  # what a row counts in a question, times the scale of its bytes
    document: NDArray[np.float32]  # the same in code


class _Synonyms(NamedTuple):
    """Which terms mean about the same, as it lies on disk."""

    starts: NDArray[np.int64]  # of each known term, and one more
    places: NDArray[np.uint16]  # of the known terms that stand in for it
    cosines: NDArray[np.uint8]  # how close they are; 255 would be the same


class StaticEncoder:
    """The bundled model, or another of its kind in `folder`."""

    def __init__(self, folder: Path = MODEL) -> None:
        self._folder = folder
        self._found: dict[int, Sequence[tuple[int, float]]] = {}  # synonyms of terms that were asked for

    @property
    def provider(self) -> str:
        return "clew"

    @property
    def model(self) -> str:
        return f"{self._card['name']}-{self._card['version']}"

    @property
    def dimension(self) -> int:
        return int(self._card["dimension"])

    def encode_query(self, text: str) -> Vectors:
        """The vector of a question; zero when no term of it is known."""
        packed, freqs = tokens.pack_text(text.encode("utf-8", "replace"))
        row: Vectors = self._encode([packed], [freqs], self._weights.query)[0]
        return row if self._knows_any(packed) else row * 0

    def encode_weighted(self, text: str, weights: Sequence[float]) -> tuple[Vectors, Vectors]:
        """The vector of a question whose words count as much as `weights` says, and the one where all count alike."""
        packed, freqs = tokens.pack_text(text.encode("utf-8", "replace"))
        counts: dict[bytes, float] = {}  # of each term where it comes first, in the order of `packed`
        for word, weight in zip(tokens.words(text), weights, strict=True):
            for term in tokens.terms_of(word):
                counts.setdefault(tokens.term_hash(term), weight)
        each = [*counts.values(), *(1.0 for _ in counts)]
        weighted, alike = self._encode([packed] * 2, [freqs] * 2, self._weights.query, each)
        return (weighted, alike) if self._knows_any(packed) else (weighted * 0, alike * 0)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """The vectors of pieces of code, one row each."""
        pairs = [tokens.pack_text(text.encode("utf-8", "replace")) for text in texts]
        return self.encode_packed([terms for terms, _ in pairs], [freqs for _, freqs in pairs])

    def encode_packed(self, terms: Sequence[bytes], freqs: Sequence[bytes]) -> Vectors:
        """The vectors of chunks, one row each, from their stored terms and frequencies."""
        import numpy as np

        vectors = np.zeros((len(freqs), self.dimension), np.float32)
        first = size = 0
        for i, counts in enumerate(freqs):
            size += len(counts)
            if size >= BATCH_TERMS or i + 1 == len(freqs):
                vectors[first : i + 1] = self._encode(
                    terms[first : i + 1], freqs[first : i + 1], self._weights.document
                )
                first, size = i + 1, 0
        return vectors

    def synonyms(self, term: int) -> Sequence[tuple[int, float]]:
        """The hashes of terms that mean about what this one means, and how close they are."""
        found = self._found.get(term)
        if found is None:
            if len(self._found) >= MAX_FOUND:
                self._found.clear()
            found = self._found[term] = self._find_synonyms(term)
        return found

    def _find_synonyms(self, term: int) -> list[tuple[int, float]]:
        known = self._weights.hashes
        place = int(known.searchsorted(known.dtype.type(term)))
        if place == len(known) or int(known[place]) != term:
            return []
        starts, places, cosines = self._synonyms
        span = slice(int(starts[place]), int(starts[place + 1]))
        return [
            (int(known[at]), near / 255) for at, near in zip(places[span].tolist(), cosines[span].tolist(), strict=True)
        ]

    def _encode(
        self, terms: Sequence[bytes], freqs: Sequence[bytes], weight: NDArray[np.float32], each: Sequence[float] = ()
    ) -> Vectors:
        """The weighted sums of terms; `each` has what every single one counts beside that, if not the same."""
        import numpy as np

        hashes = np.frombuffer(b"".join(terms), "<u4")
        counts = np.frombuffer(b"".join(freqs), np.uint8)
        rows, factors = self._look_up(hashes), _often()[counts]
        factors *= np.where(rows >= 0, weight[rows], 0)
        if len(each):
            factors *= np.asarray(each, np.float32)
        vectors = _sums(self._weights.rows, rows, factors, [*map(len, freqs)])
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(norms > 0, norms, 1)
        return vectors

    def _knows_any(self, packed: bytes) -> bool:
        """Whether the model has learned any of these terms. Those that share rows mean something beside others only."""
        import numpy as np

        rows = self._rows_of(np.frombuffer(packed, "<u4"))
        return bool(((rows >= 0) & (rows < len(self._weights.hashes))).any())

    def _look_up(self, hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
        """The row of each term; unknown ones share buckets, or have row -1 when the model has none."""
        import numpy as np

        if len(hashes) < _MANY_TERMS:
            return self._rows_of(hashes)
        ordered, places = in_order(hashes)  # many are the same, and a search for the next ends near the last
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        rows = np.empty(len(hashes), np.intp)
        rows[places] = np.repeat(self._rows_of(ordered[starts]), np.diff(starts, append=len(hashes)))
        return rows

    def _rows_of(self, hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
        import numpy as np

        known = self._weights.hashes
        found = np.searchsorted(known, hashes).clip(max=len(known) - 1)
        buckets = len(self._weights.rows) - len(known)
        other = len(known) + hashes % np.uint32(buckets) if buckets else -1
        rows: NDArray[np.intp] = np.where(known[found] == hashes, found, other).astype(np.intp)
        return rows

    @cached_property
    def _card(self) -> dict[str, Any]:
        card: dict[str, Any] = json.loads((self._folder / "model.json").read_text("utf-8"))
        return card

    @cached_property
    def _weights(self) -> _Weights:
        import numpy as np

        hashes = self._load("hashes")
        # The plain class: a slice of a memmap costs microseconds.
        rows = np.asarray(np.load(self._folder / "rows.npy", mmap_mode="r", allow_pickle=False))
        return _Weights(hashes, rows, self._load("query"), self._load("document"))

    @cached_property
    def _synonyms(self) -> _Synonyms:
        import numpy as np

        counts = self._load("synonym_counts").astype(np.int64)
        return _Synonyms(
            np.concatenate([[0], np.cumsum(counts)]), self._load("synonyms"), self._load("synonym_cosines")
        )

    def _load(self, name: str) -> Any:
        import numpy as np

        return np.load(self._folder / f"{name}.npy", allow_pickle=False)


@lru_cache(maxsize=1)
def _often() -> NDArray[np.float32]:
    """What a term counts that stands there so often."""
    import numpy as np

    counts: NDArray[np.float32] = (1 + np.log(np.arange(256).clip(1))).astype(np.float32)
    return counts


def _sums(
    table: NDArray[np.int8], places: NDArray[np.intp], factors: NDArray[np.float32], counts: list[int]
) -> Vectors:
    """For each count the sum of so many rows of a table, each times its factor."""
    import numpy as np

    sums = np.zeros((len(counts), table.shape[1]), np.float32)
    if native.kernels is not None:
        native.kernels.sum_rows(table, table.shape[1], places, factors, np.array(counts, np.int64), sums)
        return sums
    start = 0
    for group, count in enumerate(counts):
        if count:
            span = slice(start, start + count)
            np.dot(factors[span], table[places[span]].astype(np.float32), out=sums[group])
        start += count
    return sums
