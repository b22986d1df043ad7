"""A snapshot laid out for scoring: its files, their chunks and the segments that index them, as arrays.

Made once for a generation and kept. What other snapshots of the store have is masked out here, so no score
depends on it. Main calls: `load_view`, `View.words`, `View.about`, `View.near`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from clew import tokens
from clew.search.best import groups_of
from clew.search.filters import Filter
from clew.search.paths import PathTable, idf
from clew.search.vectors import Rows, begin_nearness, cosines_with
from clew.search.words import K1, Part, Words, norms_of
from clew.store import derive, edges
from clew.store.postings import snapshot_files
from clew.store.segments import CHUNK_BITS, Segment, lengths_of, quantised, tag_of
from clew.store.snapshots import Snapshot
from clew.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAX_VIEWS = 8  # kept of one store
MAX_KEPT = 32  # filters and kinds of queries whose arrays are kept of one view
MAX_DEFINITIONS = 120  # of a file; more say nothing more
MANY_USERS = 10  # files that use one: half of what the number of them can say
MUCH_MORE = 2  # times the chunks of its source: a header that has them does things itself
PATH_SHARE = 0.6  # of a path beside the names that its file defines


class Near(NamedTuple):
    """How near things are to a vector."""

    chunks: Floats  # the cosine of each
    best: Floats  # of each file, that of its best chunks
    files: Floats  # of each, that of its path and the names it defines, by the bundled model


class View:
    """The arrays of one generation. A *document* is a content; a *file* is a path that has one."""

    def __init__(
        self, store: Store, connection: apsw.Connection, snapshot: Snapshot, before: View | None = None
    ) -> None:
        import numpy as np

        self.snapshot = snapshot
        self._kept: dict[Hashable, Any] = {}  # which files filters let pass and the like, for the last few
        self._encode = store.encode
        self._known_vectors = before.known_vectors() if before is not None else {}
        self.files = snapshot_files(connection, snapshot.id)
        facts = np.fromiter((file.facts for file in self.files), np.int64, len(self.files))
        self.facts, self.document = np.unique(facts, return_inverse=True)
        self.copies = np.bincount(self.document, minlength=len(self.facts)).astype(np.float32)
        self.paths = PathTable([file.path for file in self.files])
        self.used = self._used(edges.users(connection, snapshot.id))
        self._parts = self._mask(self._segments(store, connection))
        self._concatenate()

    def _used(self, users: Mapping[str, int]) -> Any:
        """How much each file is used, 0 for what none uses: half is its place among all, for most have few users;
        half is how many it has, which tells what everything rests on from what has two."""
        import numpy as np

        counts = np.fromiter((users.get(file.path, 0) for file in self.files), np.int64, len(self.files))
        shares = np.searchsorted(np.sort(counts), counts, side="right") / max(len(counts), 1)
        return np.where(counts > 0, (shares + counts / (counts + MANY_USERS)) / 2, 0).astype(np.float32)

    def allowed(self, where: Filter) -> Any:
        """For each file whether the filter lets it pass; a session asks with the same one again and again."""
        import numpy as np

        def passed() -> Any:
            found = np.zeros(len(self.files), bool)
            found[where.places(self.files)] = True
            return found

        return self.kept(where, passed)

    def kept(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made for the key, or is now: for what many queries have in common. Nobody changes it."""
        found = self._kept.get(key)
        if found is None:
            found = make()
            for old in list(self._kept)[: 1 - MAX_KEPT]:  # a list: other threads ask, too
                self._kept.pop(old, None)
            self._kept[key] = found
        return found

    def _segments(self, store: Store, connection: apsw.Connection) -> list[Segment]:
        """The files of this model, and the tail: whatever no such file has."""
        import numpy as np

        tag = tag_of(store.model)  # a worktree with another model may have made the files its own
        opened = [store.segments.open(name) for name in derive.derived(connection).segments]
        found = [segment for segment in opened if segment.model == tag]
        held = np.zeros(len(self.facts), bool)
        for segment in found:
            places = _places(self.facts, segment.facts)
            held[places[places >= 0]] = True
        tail = self.facts[~held].tolist()
        return [*found, derive.tail_segment(store, connection, tail)] if tail else found

    def _mask(self, segments: list[Segment]) -> list[Part]:
        import numpy as np

        parts, base = [], 0
        for segment in segments:
            document = _places(self.facts, segment.facts)
            at = _places(segment.facts, segment.chunks >> CHUNK_BITS)
            alive = document[at] >= 0
            place = np.where(alive, np.cumsum(alive) - 1 + base, -1)
            parts.append(Part(segment, place, document, base if alive.all() else None))
            base += int(alive.sum())
        return parts

    def _concatenate(self) -> None:
        import numpy as np

        def joined(name: str) -> Any:
            arrays = [getattr(part.segment, name)[part.place >= 0] for part in self._parts]
            return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)

        self.chunks = joined("chunks")
        self.owners = joined("owners")
        self.chunk_document = _places(self.facts, self.chunks >> CHUNK_BITS)
        lengths = joined("lengths").astype(np.float32)
        mean = self.snapshot.tokens / max(self.snapshot.chunks, 1)
        starts = np.flatnonzero(np.diff(self.chunk_document, prepend=-1))
        self.starts, self.started = starts, self.chunk_document[starts]  # chunks of a document stand together
        groups = np.full(len(self.facts), len(starts))
        groups[self.started] = np.arange(len(starts))
        self.group = groups[self.document]  # of each file, which of these its chunks are; as many where it has none
        self._bounds = np.append(starts, [len(self.chunks)] * 2)  # the second for files that have none
        copies = self.copies[self.chunk_document]  # of the files without a word, which are most, none counts
        copies = copies if len(copies) and copies.max() > 1 else None
        self.words = Words(self._parts, lengths, mean, copies, self.snapshot.chunks)
        self.terms = np.bincount(self.chunk_document, lengths, len(self.facts))  # of each document, how many
        self.symbols = self._of_documents("symbols")  # likewise
        extent = np.log1p(np.minimum(self.symbols, MAX_DEFINITIONS))
        self.extent = extent[self.document]  # of each file: what it defines
        chunks = np.bincount(self.chunk_document, minlength=len(self.facts))[self.document]
        self.has_chunks = chunks > 0  # of each file: an empty one has nothing to show
        self._settle_headers(chunks)
        about = self._of_documents("about_lengths").astype(np.float32)
        self._about_norm = norms_of(about, float(about.mean()) if len(about) else 1.0)

    def _settle_headers(self, chunks: Any) -> None:
        """Which headers only declare what their sources do: those that do not say much more than them."""
        headers, sources = self.paths.headers, self.paths.sources
        is_more = chunks[headers] > MUCH_MORE * chunks[sources]
        self.headers, self.sources = headers[~is_more], sources[~is_more]
        self.is_header = self.paths.is_header.copy()
        self.is_header[headers[is_more]] = False

    def _of_documents(self, name: str) -> Any:
        import numpy as np

        found = np.zeros(len(self.facts), np.float32)
        for part in self._parts:
            held = part.document >= 0
            found[part.document[held]] = getattr(part.segment, name)[held]
        return found

    def span(self, document: int) -> slice:
        """Where the chunks of a document stand."""
        at = int(self.started.searchsorted(document))
        if at == len(self.started) or self.started[at] != document:
            return slice(0, 0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]) if at + 1 < len(self.starts) else len(self.chunks))

    def spans(self, files: Sequence[int]) -> tuple[Any, Any]:
        """The same of some files by their places: where each starts, and how many chunks it has."""
        groups = self.group[files]
        starts = self._bounds[groups]
        return starts, self._bounds[groups + 1] - starts

    def facts_with(self, terms: Iterable[str], most: int) -> list[int]:
        """The facts that have any of these terms; none, where more chunks than `most` have one."""
        import numpy as np

        held = [self.words.places(tokens.term_number(term)) for term in terms]
        places = np.concatenate(held) if held else np.zeros(0, np.int64)
        found: list[int] = self.facts[np.unique(self.chunk_document[places])].tolist() if len(places) <= most else []
        return found

    def has(self, term: str) -> bool:
        """Whether any chunk has a term."""
        return len(self.words.places(tokens.term_number(term))) > 0

    def _in_documents(self, term: int) -> tuple[Any, Any]:
        """The documents whose head comment has a term in all segments together, and how often."""
        found = []
        for part in self._parts:
            documents, counts = part.segment.about.postings(term)
            found.append(_held(part.document[documents], counts))
        return _joined(found)

    def about(self, terms: Sequence[int]) -> Floats:
        """BM25 of every document's own head comment."""
        import numpy as np

        scores = np.zeros(len(self.facts), np.float32)
        for term in terms:
            places, counts = self._in_documents(term)
            if len(places):
                weight = idf(len(self.facts), len(places))
                scores[places] += weight * counts * (K1 + 1) / (counts + self._about_norm[places])
        return scores

    def near(self, vector: Floats, *, provided: bool = False, aside: bool = False) -> Callable[[], Near]:
        """How near everything is to a vector, by the bundled model or by a provider's: begun, and waited for when the
        result is called."""
        import numpy as np

        chunks, files = np.zeros(len(self.chunks), np.float32), np.zeros(len(self.files), np.float32)
        pieces = []
        for part in self._parts:
            rows = part.segment.provided if provided else part.segment.vectors
            lengths = part.segment.provided_lengths if provided else part.segment.vector_lengths
            if not rows.shape[1]:
                continue
            if part.first is not None:
                pieces.append(Rows(rows, lengths, chunks[part.first : part.first + len(rows)]))
            else:
                pieces.append(Rows(rows, lengths, chunks, part.place))
        if not provided and self._file_vectors.shape[1]:
            pieces.append(Rows(self._file_vectors, self._file_lengths, files))
        groups, sums = groups_of(self, chunks)
        wait = begin_nearness(vector, pieces, groups, aside=aside)

        def finish() -> Near:
            wait()
            return Near(chunks, sums[self.group], files)

        return finish

    def cosines_at(self, places: Any, vector: Floats) -> Floats:
        """The same by the bundled model for a few chunks."""
        import numpy as np

        found = np.zeros(len(places), np.float32)
        for part in self._parts:
            if not part.segment.vectors.shape[1]:
                continue
            if part.first is not None:
                rows = places - part.first
                held = np.flatnonzero((rows >= 0) & (rows < len(part.place)))
                rows = rows[held]
            else:
                at = self._rows(part)[places]
                held = np.flatnonzero(at >= 0)
                rows = at[held]
            found[held] = cosines_with(part.segment.vectors[rows], part.segment.vector_lengths[rows], vector)
        return found

    def _rows(self, part: Part) -> Any:
        """Of each chunk its row in a segment of which the snapshot has only some, -1 for those of others."""
        import numpy as np

        found = np.full(len(self.chunks), -1, np.int64)
        held = np.flatnonzero(part.place >= 0)
        found[part.place[held]] = held
        return found

    @cached_property
    def _file_lengths(self) -> Floats:
        return lengths_of(self._file_vectors)

    @cached_property
    def _file_vectors(self) -> Any:
        """One row a file; those of the view before this one are taken over where nothing changed."""
        import numpy as np

        rows = np.zeros((len(self.files), self._store_dimension()), np.int8)
        keys = [(file.path, file.facts) for file in self.files]
        known = self._known_vectors or {}
        fresh = [place for place, key in enumerate(keys) if key not in known]
        for place, key in enumerate(keys):
            if key in known:
                rows[place] = known[key]
        if fresh and self._encode is not None:
            packed = [tokens.pack_text(keys[place][0].encode()) for place in fresh]
            paths = self._encode([terms for terms, _ in packed], [freqs for _, freqs in packed])
            names = self._names()[self.document[fresh]]
            rows[fresh] = quantised(names + PATH_SHARE * paths)
        return rows

    def _names(self) -> Any:
        """The unit vector of the names that each document defines."""
        import numpy as np

        found = np.zeros((len(self.facts), self._store_dimension()), np.float32)
        for part in self._parts:
            held = part.document >= 0
            if part.segment.name_vectors.shape[1]:
                found[part.document[held]] = part.segment.name_vectors[held]
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    def _store_dimension(self) -> int:
        return max((part.segment.vectors.shape[1] for part in self._parts), default=0)

    def known_vectors(self) -> dict[tuple[str, int], Any]:
        """Vectors of files for the view that comes after this one, if they were ever needed."""
        if "_file_vectors" not in self.__dict__:
            return {}
        return {(file.path, file.facts): row for file, row in zip(self.files, self._file_vectors, strict=True)}


def load_view(store: Store, connection: apsw.Connection, snapshot: Snapshot) -> View:
    """The view of a snapshot in this read transaction: the one kept for its generation, or a new one."""
    where = derive.derived(connection)
    for name in where.segments:
        store.segments.open(name)  # a view maps them: one that was cut must not be touched
    key = (snapshot.id, snapshot.generation, where, tag_of(store.model))
    kept: dict[Any, View] = store.views
    found = kept.get(key)
    if found is None:
        before = None
        for old in [other for other in kept if other[0] == snapshot.id]:
            before = kept.pop(old, None)
        found = kept[key] = View(store, connection, snapshot, before)
        store.segments.forget_others(where.segments)
        for old in list(kept)[:-MAX_VIEWS]:  # of snapshots that are gone, or not asked about for long
            kept.pop(old, None)
    return found


def _held(places: Any, counts: Any) -> tuple[Any, Any]:
    """What is in the snapshot of these."""
    held = places >= 0
    return places[held], counts[held]


def _joined(found: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """The postings of some segments as one; rare is what is rare in all together."""
    import numpy as np

    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    if len(found) == 1:
        return found[0][0], found[0][1].astype(np.float32)
    places, counts = zip(*found, strict=True)
    return np.concatenate(places), np.concatenate(counts).astype(np.float32)


def _places(ordered: Any, wanted: Any) -> Any:
    """Where each wanted id stands among ascending ids, -1 where it does not."""
    import numpy as np

    if not len(ordered):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[at] == wanted, at, -1)
