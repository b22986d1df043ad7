"""Look-ups in the truth that answers are made of: files, places of chunks, definitions by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from clew.store.database import fetch_all, fetch_one
from clew.store.facts import id_range
from clew.store.segments import CHUNK_BITS
from clew.types import Stat, Symbol

_IN_SNAPSHOT = f"EXISTS (SELECT 1 FROM entry WHERE entry.facts = symbol.id >> {CHUNK_BITS} AND entry.snapshot = ?)"

_FILE = (  # a subquery: three of them took a quarter of the time of joins
    "language, blob, facts, (SELECT lower(hex(hash)) FROM blob WHERE blob.id = entry.blob),"
    " size, mtime_ns, ctime_ns, inode FROM entry"
)


class Named(NamedTuple):
    """A definition by what is known of it without reading it."""

    symbol: int
    name: str
    kind: str
    lines: int


class FileOf(NamedTuple):
    """A file of a snapshot that has certain facts."""

    path: str
    language: str
    blob: int
    facts: int
    stat: Stat
    blob_hash: str


class SnapshotFile(NamedTuple):
    """A file of a snapshot that can be ranked."""

    path: str
    language: str
    blob: int
    facts: int


class ChunkPlace(NamedTuple):
    """Where a chunk stands in its blob, and the definition it belongs to, if any."""

    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    owner: Owner | None


class Owner(NamedTuple):
    kind: str
    qualified: str
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int


def snapshot_files(connection: apsw.Connection, snapshot: int) -> list[SnapshotFile]:
    """Every file of the snapshot that has facts, in order of path."""
    rows = connection.execute(
        "SELECT path, language, blob, facts FROM entry WHERE snapshot = ? AND facts IS NOT NULL ORDER BY path",
        (snapshot,),
    )
    return [SnapshotFile._make(row) for row in rows]


def files_of(connection: apsw.Connection, snapshot: int, facts: Iterable[int]) -> Mapping[int, list[FileOf]]:
    """The files of the snapshot that have each of these facts."""
    rows = fetch_all(
        connection,
        f"SELECT facts, path, {_FILE} WHERE +snapshot = ?"  # `+`: not all its files
        " AND facts IN (SELECT value FROM json_each(?)) ORDER BY path",
        (snapshot, json.dumps(sorted(facts))),
    )
    found: dict[int, list[FileOf]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(_file(row[1], row[2:]))
    return found


def files_at(connection: apsw.Connection, snapshot: int, paths: Sequence[str]) -> list[FileOf]:
    """Those of these paths that are files of the snapshot and have facts."""
    rows = fetch_all(
        connection,
        f"SELECT path, {_FILE} WHERE snapshot = ? AND path IN (SELECT value FROM json_each(?)) AND facts IS NOT NULL",
        (snapshot, json.dumps(list(paths))),
    )
    return [_file(row[0], row[1:]) for row in rows]


def _file(path: str, row: tuple[Any, ...]) -> FileOf:
    return FileOf(path, row[0], row[1], row[2], Stat(*row[4:]), row[3])


def file_terms(connection: apsw.Connection, facts: int) -> bytes:
    """The term hashes of all chunks of a blob, one after the other."""
    rows = fetch_all(connection, "SELECT terms FROM chunk WHERE id BETWEEN ? AND ?", id_range(facts))
    return b"".join(terms for (terms,) in rows)


def owners(connection: apsw.Connection, chunks: Sequence[int]) -> dict[int, Named]:
    """The definition that each chunk belongs to, for those that belong to one."""
    rows = fetch_all(
        connection,
        "SELECT chunk.id, symbol.id, symbol.name, kind, symbol.end_line - symbol.start_line + 1"
        " FROM chunk JOIN symbol ON symbol.id = (chunk.id >> ?1 << ?1) + chunk.symbol"
        " WHERE chunk.symbol >= 0 AND chunk.id IN (SELECT value FROM json_each(?2))",
        (CHUNK_BITS, json.dumps(list(chunks))),
    )
    return {chunk: Named(*named) for chunk, *named in rows}


def named(connection: apsw.Connection, symbols: Sequence[int]) -> dict[int, Named]:
    """Definitions by their ids."""
    rows = fetch_all(
        connection,
        "SELECT id, name, kind, end_line - start_line + 1 FROM symbol WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(symbols)),),
    )
    return {row[0]: Named(*row) for row in rows}


def functions_in(connection: apsw.Connection, chunks: Sequence[int], kinds: Iterable[str]) -> Mapping[int, list[Named]]:
    """The definitions of some kinds that stand whole in each of these chunks."""
    rows = fetch_all(
        connection,
        "SELECT chunk.id, symbol.id, symbol.name, kind, symbol.end_line - symbol.start_line + 1 FROM chunk JOIN symbol"
        " ON symbol.id BETWEEN chunk.id >> ?1 << ?1 AND ((chunk.id >> ?1) + 1 << ?1) - 1"
        " AND symbol.start_byte >= chunk.start_byte AND symbol.end_byte <= chunk.end_byte"
        " WHERE chunk.id IN (SELECT value FROM json_each(?2)) AND symbol.kind IN (SELECT value FROM json_each(?3))"
        " ORDER BY symbol.id",
        (CHUNK_BITS, json.dumps(list(chunks)), json.dumps(sorted(kinds))),
    )
    found: dict[int, list[Named]] = {}
    for chunk, *named in rows:
        found.setdefault(chunk, []).append(Named(*named))
    return found


def symbol_place(connection: apsw.Connection, symbol: int) -> Owner:
    """Where a definition stands."""
    sql = "SELECT kind, qualified, start_byte, end_byte, start_line, end_line FROM symbol WHERE id = ?"
    return Owner._make(fetch_all(connection, sql, (symbol,))[0])


def chunk_places(connection: apsw.Connection, chunks: Sequence[int]) -> dict[int, ChunkPlace]:
    """Where chunks stand."""
    rows = fetch_all(
        connection,
        "SELECT chunk.id, chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line, kind, qualified,"
        " symbol.start_byte, symbol.end_byte, symbol.start_line, symbol.end_line FROM chunk LEFT JOIN symbol"
        f" ON chunk.symbol >= 0 AND symbol.id = (chunk.id >> {CHUNK_BITS} << {CHUNK_BITS}) + chunk.symbol"
        " WHERE chunk.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(chunks)),),
    )
    return {
        row[0]: ChunkPlace(row[1], row[2], row[3], row[4], None if row[5] is None else Owner(*row[5:])) for row in rows
    }


def chunk_at(connection: apsw.Connection, facts: int, byte: int) -> int | None:
    """The chunk of a blob that holds a byte."""
    row = fetch_one(
        connection,
        "SELECT id FROM chunk WHERE id BETWEEN ? AND ? AND start_byte <= ? ORDER BY start_byte DESC LIMIT 1",
        (*id_range(facts), byte),
    )
    return row[0] if row else None


def chunk_on(connection: apsw.Connection, facts: int, line: int) -> int | None:
    """The chunk of a blob that holds a line; None for one that is blank or behind the end."""
    row = fetch_one(
        connection,
        "SELECT id FROM chunk WHERE id BETWEEN ? AND ? AND ? BETWEEN start_line AND end_line LIMIT 1",
        (*id_range(facts), line),
    )
    return row[0] if row else None


def definitions(
    connection: apsw.Connection, snapshot: int, name: str, limit: int
) -> list[tuple[int, str, str, str, int, int]]:
    """(id, kind, name, qualified name, first byte, end) of the snapshot's symbols with this name."""
    return fetch_all(
        connection,
        f"SELECT id, kind, name, qualified, start_byte, end_byte FROM symbol WHERE name = ? AND {_IN_SNAPSHOT} LIMIT ?",
        (name, snapshot, limit),
    )


def definitions_in(
    connection: apsw.Connection, name: str, facts: Sequence[int], limit: int
) -> list[tuple[int, str, str, str, int, int]]:
    """The same of the symbols of some facts, in any case of ASCII letters."""
    return fetch_all(
        connection,
        "SELECT symbol.id, kind, name, qualified, start_byte, end_byte FROM json_each(?) JOIN symbol"
        f" ON symbol.id BETWEEN value << {CHUNK_BITS} AND (value + 1 << {CHUNK_BITS}) - 1"
        " WHERE name = ? COLLATE NOCASE LIMIT ?",
        (json.dumps(list(facts)), name, limit),
    )


def imports_named(connection: apsw.Connection, snapshot: int, name: str, limit: int) -> list[tuple[int, int, str]]:
    """(id, first byte, path) of the snapshot's imports of this name. A scan: for names that nothing defines."""
    return fetch_all(
        connection,
        "SELECT import.id, start_byte, path FROM import JOIN entry ON entry.snapshot = ?"
        f" AND entry.facts = import.id >> {CHUNK_BITS} WHERE name = ? LIMIT ?",
        (snapshot, name, limit),
    )


def symbols_by_name(connection: apsw.Connection, snapshot: int, name: str, *, exact: bool) -> list[tuple[int, Symbol]]:
    """(id, symbol) of the snapshot's symbols with this name; without `exact`, in any case."""
    rows = fetch_all(
        connection,
        "SELECT id, kind, name, qualified, start_byte, end_byte, name_byte, start_line, end_line, signature, doc,"
        f" parent FROM symbol WHERE name = ?{'' if exact else ' COLLATE NOCASE'} AND {_IN_SNAPSHOT}"
        " ORDER BY id",
        (name, snapshot),
    )
    return [(row[0], Symbol(*row[1:])) for row in rows]
