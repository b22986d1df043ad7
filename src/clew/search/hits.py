"""From ranked places to hits as they are shown: checked against the disk, with their lines, copies put together.

Main call: `shown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from clew.answers import Function, Hit
from clew.search.find import Ranked
from clew.search.reading import Reading
from clew.store import facts, postings, snapshots
from clew.store.postings import ChunkPlace, FileOf

WHOLE_SYMBOL_LINES = 60  # a hit shows its whole definition up to this, else the chunk
ALIKE = 0.9  # of the terms of two files together, in both: they are nearly the same
MIN_ALIKE_TERMS = 30  # fewer terms say too little
ALIKE_AMONG = 50  # of the first files others are looked for: all with all would take seconds for thousands


class Shown(NamedTuple):
    """Hits, and where in the order the next one stands, if there are more."""

    hits: list[Hit]
    following: int | None


def shown(readings: Sequence[Reading], ranked: Iterable[Ranked], limit: int) -> Shown:
    """The first hits whose files are still there, each with the copies that still are.

    A file that is nearly the same as one before it is named there, and takes no place of its own."""
    chosen: list[tuple[Reading, Ranked, bool]] = []
    near: list[list[str]] = []
    files = _Alike()
    following = None
    for hit in ranked:
        reading = readings[hit.source]
        is_fresh = reading.check(hit.file.path, hit.file.stat, hit.file.blob)
        before = files.place(reading, hit) if hit.is_file and is_fresh is not None else None
        if before is not None:
            near[before].append(hit.file.path)
        elif is_fresh is not None:
            if len(chosen) == limit:
                following = hit.at
                break
            chosen.append((reading, hit, is_fresh))
            near.append([])
            files.add(reading, hit)
    hits = [hit._replace(near=tuple(alike)) if alike else hit for hit, alike in zip(show(chosen), near, strict=True)]
    return Shown(hits, following)


class _Alike:
    """The first files shown, to tell whether another is nearly one of them."""

    def __init__(self) -> None:
        self._files: list[tuple[Reading, Ranked]] = []
        self._terms: dict[tuple[str, int], Any] = {}

    def add(self, reading: Reading, hit: Ranked) -> None:
        if len(self._files) < ALIKE_AMONG:
            self._files.append((reading, hit))

    def place(self, reading: Reading, hit: Ranked) -> int | None:
        """Which of the files this one is nearly the same as; sizes tell for most that it is none."""
        for place, (its, other) in enumerate(self._files):
            if its is not reading or not _is_as_large(hit.size, other.size):
                continue  # what two codebases share is worth seeing in both
            mine, theirs = self._of(reading, hit.file), self._of(its, other.file)
            common = len(_intersection(mine, theirs))
            if common >= ALIKE * (len(mine) + len(theirs) - common) and len(mine) >= MIN_ALIKE_TERMS:
                return place
        return None

    def _of(self, reading: Reading, file: FileOf) -> Any:
        import numpy as np

        key = (reading.codebase.root, file.facts)
        if key not in self._terms:
            terms = np.sort(np.frombuffer(postings.file_terms(reading.connection, file.facts), "<u4"))
            self._terms[key] = terms[np.diff(terms, prepend=~terms[:1]) != 0]  # np.unique takes three times as long
        return self._terms[key]


def _is_as_large(size: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two files have about as many terms, and about as many definitions."""
    ours, theirs = size[0], other[0]
    if (ours if ours < theirs else theirs) < ALIKE * (theirs if ours < theirs else ours):
        return False  # nearly always, and for each pair of a page
    few, many = sorted((size[1], other[1]))
    return max(ours, theirs) >= MIN_ALIKE_TERMS and few >= ALIKE * many - 1


def _intersection(mine: Any, theirs: Any) -> Any:
    import numpy as np

    return np.intersect1d(mine, theirs, assume_unique=True)


def _is_copy(reading: Reading, path: str, blob: int) -> bool:
    """Whether another file still has the content of a hit."""
    entry = snapshots.entry_at(reading.connection, reading.snapshot.id, path)
    return entry is not None and entry.blob == blob and reading.check(path, entry.stat, blob) is True


def overlaps(connection: apsw.Connection, hit: Ranked, path: str, first: int, last: int) -> bool:
    """Whether a hit is about these lines of this file."""
    place = _place(connection, hit, postings.chunk_places(connection, [hit.chunk]))
    return hit.file.path == path and place.start_line <= last and first <= place.end_line


def show(chosen: Sequence[tuple[Reading, Ranked, bool]]) -> Iterator[Hit]:
    """Hits with their lines; all that is needed of one codebase is read at once."""
    wanted: dict[str, list[int]] = {}
    for reading, hit, _ in chosen:
        wanted.setdefault(reading.codebase.root, []).extend((hit.chunk, *hit.others))
    connections = {reading.codebase.root: reading.connection for reading, _, _ in chosen}
    places = {root: postings.chunk_places(connections[root], chunks) for root, chunks in wanted.items()}
    for reading, hit, is_fresh in chosen:
        root = reading.codebase.root
        also = tuple(path for path in hit.also if _is_copy(reading, path, hit.file.blob))
        hit = hit._replace(also=also) if hit.also else hit
        others = [places[root][chunk] for chunk in hit.others]
        place = _place(reading.connection, hit, places[root])
        kept = reading.codebase.store.contents
        content = facts.kept_content(reading.connection, hit.file.blob, hit.file.blob_hash, kept)
        yield _show(root, hit, is_fresh, place, others, content)


def _place(connection: apsw.Connection, hit: Ranked, places: Mapping[int, ChunkPlace]) -> ChunkPlace:
    """Where a hit stands: its chunk, or the one definition in it that is meant."""
    if hit.symbol is None:
        return places[hit.chunk]
    meant = postings.symbol_place(connection, hit.symbol)
    return ChunkPlace(meant.start_byte, meant.end_byte, meant.start_line, meant.end_line, meant)


def _show(
    root: str, hit: Ranked, is_fresh: bool, place: ChunkPlace, others: Sequence[ChunkPlace], source: bytes
) -> Hit:
    """A hit with its lines, widened to the definition around it when that is short."""
    first, last, start, end = place.start_line, place.end_line, place.start_byte, place.end_byte
    owner = place.owner
    if owner is not None and owner.end_line - owner.start_line < WHOLE_SYMBOL_LINES:
        if first >= owner.start_line:
            first, start = owner.start_line, owner.start_byte
        if last <= owner.end_line:
            last, end = owner.end_line, owner.end_byte
    if owner is not None:  # with what else stands on its first and last line: an indentation, a `;`
        start = source.rfind(b"\n", 0, start) + 1 if start == owner.start_byte else start
        end = source.find(b"\n", end) if end == owner.end_byte else end
        end = len(source) if end < 0 else end
    is_whole = owner is not None and first <= owner.start_line and last >= owner.end_line
    name, kind = (owner.qualified, owner.kind) if owner is not None else ("", "")
    nested = [
        Function(other.owner.qualified, other.owner.kind, other.owner.start_line, other.owner.end_line)
        for other in others
        if other.owner is not None and other.owner.qualified != name
    ]
    return Hit(
        root, hit.file.path, first, last, name, kind, hit.file.language, round(hit.score, 4),
        source[start:end].decode("utf-8", "replace").rstrip("\r\n"), hit.file.blob_hash,
        is_fresh, tuple(nested), hit.also, why=hit.why, is_whole=is_whole,
    )  # fmt: skip
