"""Keeps the segments in step with the truth.

`derived.applied` says up to which facts the segments go. What is newer is the tail: readers make a small
segment of it in memory, so a save is searchable with its flip and the files may follow later. A crash at any
point leaves a longer tail, never a gap. Main calls: `catch_up`, `rebuild`, `tidy`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from clew.errors import StoreCorrupt
from clew.store import vectors
from clew.store.database import fetch_all, fetch_one, transaction
from clew.store.segments import (
    CHUNK_BITS,
    ChunkRow,
    FactsRow,
    Segment,
    make_arrays,
    merge_arrays,
    tag_of,
    write_segment,
)
from clew.store.store import Store
from clew.types import ModelName

TAIL_CHUNKS = 500  # making a segment of this many costs a first query about 5 ms; more go into a file
SEGMENT_CHUNKS = 60_000  # in one file at the most when it is made: bounds the memory of making it
MAX_SEGMENTS = 8  # every query looks into each
MAX_DEAD_SHARE = 0.3  # of the facts in segments, before they are made anew without them


class Derived(NamedTuple):
    applied: int
    segments: tuple[str, ...]


Written = tuple[int, int, str]  # the first and the last facts of a file, and its name


class Ahead(NamedTuple):
    """A file that was written before it can be put into use, and what it goes on from."""

    stand: Sequence[int]
    written: Any  # as `_note` takes it


def stand(connection: apsw.Connection, kind: str) -> tuple[int, int]:
    """How often what is derived was begun anew, and up to what it goes."""
    row = fetch_one(connection, "SELECT epoch, applied FROM derived WHERE kind = ?", (kind,))
    assert row is not None
    return row[0], row[1]


def derived(connection: apsw.Connection) -> Derived:
    """How far the segments go, and which files they are."""
    row = fetch_one(connection, "SELECT applied FROM derived WHERE kind = 'lexical'")
    assert row is not None
    names = fetch_all(connection, "SELECT name FROM segment ORDER BY first")
    return Derived(row[0], tuple(name for (name,) in names))


def tail_size(connection: apsw.Connection) -> int:
    """How many chunks only the database has."""
    applied = derived(connection).applied
    count: int = connection.execute("SELECT coalesce(sum(chunks), 0) FROM facts WHERE id > ?", (applied,)).get
    return count


def tail_segment(store: Store, connection: apsw.Connection, facts: Iterable[int]) -> Segment:
    """A segment in memory of facts that no file has yet, or whose vectors came after the file was made."""
    model = store.model
    arrays, bare = _arrays(store, connection, sorted(facts), model)
    if bare:
        raise StoreCorrupt(
            f"the index at {store.database} lacks vectors of {bare} files; `clew index --force` has them made"
        )
    return Segment(arrays, tag_of(model))


def is_due(connection: apsw.Connection) -> bool:
    """Whether the tail is too long, or the files are too many."""
    return tail_size(connection) > TAIL_CHUNKS or len(derived(connection).segments) > MAX_SEGMENTS


def catch_up(store: Store, connection: apsw.Connection) -> None:
    """Move the tail into files. Under `store.exclusive`, outside a transaction."""
    if _is_outdated(store, connection):
        _forget(connection)
    for written in _write_after(store, connection, derived(connection).applied):
        with transaction(connection):
            _note(connection, written)
    if len(derived(connection).segments) > MAX_SEGMENTS:
        _merge(store, connection)


def write_ahead(store: Store, connection: apsw.Connection) -> Iterator[Ahead]:
    """Write files of the tail that are not in use yet, with no right to write to the database: `note` takes them."""
    epoch, applied = stand(connection, "lexical")
    for written in _write_after(store, connection, applied) if not _is_outdated(store, connection) else ():
        yield Ahead((epoch, applied), written)
        applied = written[1]


def note(store: Store, connection: apsw.Connection, ahead: Ahead) -> None:
    """Put a file into use that was written ahead, in the caller's transaction; not if others were faster, or if a sweep
    that had seen no lease yet took it for a file of none."""
    first, last, name = ahead.written
    if store.segments.path(name).exists() and stand(connection, "lexical") == tuple(ahead.stand):
        _note(connection, (first, last, name))


def rebuild(store: Store) -> int:
    """Make the segments anew from the database alone; the number of facts in them."""
    with store.exclusive() as connection:
        _forget(connection)
        catch_up(store, connection)
        count: int = connection.execute("SELECT count(*) FROM facts").get
    return count


def _forget(connection: apsw.Connection) -> None:
    with transaction(connection):
        connection.execute("DELETE FROM segment")
        connection.execute("UPDATE derived SET applied = 0, epoch = epoch + 1 WHERE kind = 'lexical'")


def drop_damaged(store: Store) -> None:
    """Before an index is made: segments that cannot be read are not worth keeping, since they can be made again."""
    with store.exclusive() as connection:
        try:
            for name in derived(connection).segments:
                store.segments.open(name)
        except StoreCorrupt:
            _forget(connection)


def tidy(store: Store, connection: apsw.Connection, *, drop_files: bool) -> None:
    """After a sweep: segments that are mostly dead are made anew, and files of none are removed."""
    applied, names = derived(connection)
    alive: int = connection.execute("SELECT count(*) FROM facts WHERE id <= ?", (applied,)).get
    most: int = connection.execute("SELECT coalesce(sum(last - first + 1), 0) FROM segment").get
    if most and 1 - alive / most > MAX_DEAD_SHARE:  # else the files need not be opened
        try:
            held = sum(len(store.segments.open(name).facts) for name in names)
        except StoreCorrupt:
            return  # readers say so; `repair` makes them anew
        if held and 1 - alive / held > MAX_DEAD_SHARE:
            _merge(store, connection)
    if drop_files:  # not those just replaced: a reader may have come since the leases were looked at
        store.segments.drop_others((*names, *derived(connection).segments))


def _batches(pending: list[tuple[Any, ...]]) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for facts, chunks in pending:
        if batch and size + chunks > SEGMENT_CHUNKS:
            yield batch
            batch, size = [], 0
        batch.append(facts)
        size += chunks
    if batch:
        yield batch


def _is_outdated(store: Store, connection: apsw.Connection) -> bool:
    """Whether the files are of another model, for two are never mixed, or were written before many vectors came."""
    tag = tag_of(store.model)
    if any(store.segments.open(name).model != tag for name in derived(connection).segments):
        return True
    return bool(store.model.base) and _left_out(store, connection) > TAIL_CHUNKS


def _write_after(store: Store, connection: apsw.Connection, applied: int) -> Iterator[Written]:
    """Write files of the facts above `applied`, and tell of each when it is whole."""
    model = store.model
    pending = fetch_all(connection, "SELECT id, chunks FROM facts WHERE id > ? ORDER BY id", (applied,))
    for facts in _batches(pending):
        name = f"{facts[0]}-{facts[-1]}-{uuid.uuid4().hex[:8]}"
        write_segment(store.segments.path(name), _arrays(store, connection, facts, model)[0], tag_of(model))
        yield facts[0], facts[-1], name


def _note(connection: apsw.Connection, written: Written) -> None:
    connection.execute("INSERT INTO segment VALUES (?, ?, ?)", written)
    connection.execute("UPDATE derived SET applied = ? WHERE kind = 'lexical'", (written[1],))


def _merge(store: Store, connection: apsw.Connection) -> None:
    """One segment instead of the small ones, without what is dead. Two models are never mixed: each keeps its own."""
    import numpy as np

    opened = {name: store.segments.open(name) for name in derived(connection).segments}
    small = {name: segment for name, segment in opened.items() if len(segment.chunks) < SEGMENT_CHUNKS}
    merged = small if len(small) > 1 else opened
    keep = np.array([row[0] for row in connection.execute("SELECT id FROM facts ORDER BY id")], np.int64)
    bounds = {
        name: (first, last) for first, last, name in fetch_all(connection, "SELECT first, last, name FROM segment")
    }
    written: list[Written] = []
    for model in dict.fromkeys(segment.model for segment in merged.values()):
        names = [name for name, segment in merged.items() if segment.model == model]
        arrays = merge_arrays([merged[name] for name in names], keep)
        if len(arrays["facts"]):
            first, last = min(bounds[name][0] for name in names), max(bounds[name][1] for name in names)
            written.append((first, last, f"{first}-{last}-{uuid.uuid4().hex[:8]}"))
            write_segment(store.segments.path(written[-1][2]), arrays, model)
    with transaction(connection):
        connection.executemany("DELETE FROM segment WHERE name = ?", ((old,) for old in merged))
        connection.executemany("INSERT INTO segment VALUES (?, ?, ?)", written)


def _arrays(
    store: Store, connection: apsw.Connection, facts: list[int], model: ModelName
) -> tuple[dict[str, Any], int]:
    """The arrays of a segment of these facts, and how many were left out: a provider gave them no vectors yet.

    Those are of runs that did not end; where they are needed later, readers find them in no file and look here."""
    about, chunks = _rows(connection, facts)
    if not model.base:
        return make_arrays(about, chunks, store.encode), 0
    rows, held = vectors.matrix(connection, model, [row.id for row in chunks])
    bare = {row.id >> CHUNK_BITS for row, is_held in zip(chunks, held.tolist(), strict=True) if not is_held}
    if bare:
        kept = [place for place, row in enumerate(chunks) if row.id >> CHUNK_BITS not in bare]
        about, chunks, rows = [row for row in about if row.id not in bare], [chunks[i] for i in kept], rows[kept]
    return make_arrays(about, chunks, store.encode, rows), len(bare)


def _left_out(store: Store, connection: apsw.Connection) -> int:
    """How many chunks have got their vectors since the files were made."""
    applied, names = derived(connection)
    held: set[int] = set()
    for name in names:
        held.update(store.segments.open(name).facts.tolist())
    rows = fetch_all(connection, "SELECT id, chunks FROM facts WHERE id <= ? AND tombstone IS NULL", (applied,))
    late = {facts: chunks for facts, chunks in rows if facts not in held}
    number = vectors.find_model(connection, store.model)
    return sum(chunks for facts, chunks in late.items() if not vectors.lacking(connection, number, [facts]))


def _rows(connection: apsw.Connection, facts: list[int]) -> tuple[list[FactsRow], list[ChunkRow]]:
    """The rows that a segment of these facts is made of."""
    if not facts:
        return [], []
    wanted = set(facts)
    first, last = facts[0], facts[-1]
    about = fetch_all(
        connection,
        "SELECT id, symbols, names_terms, names_freqs, about_terms, about_freqs FROM facts WHERE id BETWEEN ? AND ?"
        " ORDER BY id",
        (first, last),
    )
    chunks: Iterable[tuple[Any, ...]] = connection.execute(
        "SELECT id, length, symbol, terms, freqs FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id",
        (first << CHUNK_BITS, (last + 1 << CHUNK_BITS) - 1),
    )
    return (
        [FactsRow(row[0], row[1], (row[2], row[3]), (row[4], row[5])) for row in about if row[0] in wanted],
        [ChunkRow(*row) for row in chunks if row[0] >> CHUNK_BITS in wanted],
    )
