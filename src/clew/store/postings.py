"""What scoring needs from the truth: statistics of a snapshot, and the terms of candidate chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from clew.store.database import fetch_all, fetch_one
from clew.store.derive import derived
from clew.store.facts import id_range
from clew.store.lexical import CHUNK_BITS
from clew.store.snapshots import Snapshot
from clew.store.store import Store
from clew.types import Stat, Symbol

FEW_FACTS = 2_000  # up to this many allowed facts are handed to the candidate index as a set
_IN_SNAPSHOT = f"EXISTS (SELECT 1 FROM entry WHERE entry.facts = symbol.id >> {CHUNK_BITS} AND entry.snapshot = ?)"


class Posting(NamedTuple):
    chunk: int
    length: int
    terms: bytes
    freqs: bytes


class Candidates(NamedTuple):
    """Chunks to score; `is_complete` when no other chunk of the snapshot holds a term."""

    chunks: list[int]
    is_complete: bool


class FileOf(NamedTuple):
    """A file of a snapshot that has certain facts."""

    path: str
    language: str
    blob: int
    facts: int
    stat: Stat


class ChunkPlace(NamedTuple):
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    symbol: int


def document_frequencies(connection: apsw.Connection, snapshot: int, hashes: Iterable[bytes]) -> dict[bytes, int]:
    """In how many chunks of the snapshot each term occurs."""
    found = {}
    for term in hashes:
        row = fetch_one(
            connection,
            "SELECT df FROM snapshot_term WHERE snapshot = ? AND term = ?",
            (snapshot, int.from_bytes(term, "little")),
        )
        found[term] = row[0] if row else 0
    return found


def candidates(
    store: Store,
    connection: apsw.Connection,
    snapshot: Snapshot,
    terms: Sequence[str],
    *,
    depth: int,
    allowed: frozenset[int] | None,
) -> Candidates:
    """Chunks of the snapshot that hold any term: the best `depth` the candidate index has, and the whole tail."""
    if not terms:
        return Candidates([], True)
    epoch, applied = derived(connection)
    found = [
        chunk
        for facts in _tail(connection, snapshot.id, applied)
        if allowed is None or facts in allowed
        for chunk in _chunk_ids(connection, facts)
    ]
    if not applied:
        return Candidates(found, True)
    if allowed is not None and len(allowed) <= FEW_FACTS:
        few = sorted(facts for facts in allowed if facts <= applied)
        best = store.lexical.candidates(epoch, terms, depth + 1, facts=few) if few else []
        return Candidates(found + best[:depth], len(best) <= depth)
    limit = depth + depth // 4
    while True:
        proposed = store.lexical.candidates(epoch, terms, limit)
        members = _members(connection, snapshot.id, {chunk >> CHUNK_BITS for chunk in proposed})
        kept = [
            chunk
            for chunk in proposed
            if (facts := chunk >> CHUNK_BITS) in members and facts <= applied and (allowed is None or facts in allowed)
        ]
        if len(kept) >= depth or len(proposed) < limit:
            return Candidates(found + kept[:depth], len(kept) <= depth and len(proposed) < limit)
        limit *= 8


def postings(connection: apsw.Connection, chunks: Iterable[int]) -> list[Posting]:
    """Lengths and term frequencies of chunks."""
    rows = fetch_all(
        connection,
        "SELECT id, length, terms, freqs FROM chunk WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(chunks)),),
    )
    return [Posting(*row) for row in rows]


def files_of(connection: apsw.Connection, snapshot: int, facts: Iterable[int]) -> Mapping[int, list[FileOf]]:
    """The files of the snapshot that have each of these facts."""
    rows = fetch_all(
        connection,
        "SELECT facts, path, language, blob, size, mtime_ns, ctime_ns, inode FROM entry"
        " WHERE snapshot = ? AND facts IN (SELECT value FROM json_each(?)) ORDER BY path",
        (snapshot, json.dumps(sorted(facts))),
    )
    found: dict[int, list[FileOf]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(FileOf(row[1], row[2], row[3], row[0], Stat(*row[4:])))
    return found


def chunk_place(connection: apsw.Connection, chunk: int) -> ChunkPlace:
    """Where a chunk stands in its blob."""
    row = fetch_one(
        connection, "SELECT start_byte, end_byte, start_line, end_line, symbol FROM chunk WHERE id = ?", (chunk,)
    )
    assert row is not None
    return ChunkPlace(*row)


def owners(connection: apsw.Connection, chunks: Iterable[int]) -> dict[int, int]:
    """The ordinal of the definition that owns each chunk, -1 for none; chunks that do not exist are absent."""
    return dict(
        fetch_all(
            connection,
            "SELECT id, symbol FROM chunk WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(chunks)),),
        )
    )


def chunk_at(connection: apsw.Connection, facts: int, byte: int) -> int | None:
    """The chunk of a blob that holds a byte."""
    row = fetch_one(
        connection,
        "SELECT id FROM chunk WHERE id BETWEEN ? AND ? AND start_byte <= ? ORDER BY start_byte DESC LIMIT 1",
        (*id_range(facts), byte),
    )
    return row[0] if row else None


def all_facts(connection: apsw.Connection, snapshot: int) -> list[tuple[str, str, int]]:
    """(path, language, facts) of every file of the snapshot that has facts."""
    return fetch_all(
        connection, "SELECT path, language, facts FROM entry WHERE snapshot = ? AND facts IS NOT NULL", (snapshot,)
    )


def paths_like(connection: apsw.Connection, snapshot: int, word: str, limit: int) -> list[tuple[str, int]]:
    """(path, facts) of files whose path holds `word` in any case, shortest first."""
    pattern = "%" + word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return fetch_all(
        connection,
        "SELECT path, facts FROM entry WHERE snapshot = ? AND facts IS NOT NULL AND path LIKE ? ESCAPE '\\'"
        " ORDER BY length(path), path LIMIT ?",
        (snapshot, pattern, limit),
    )


def definitions(connection: apsw.Connection, snapshot: int, name: str, limit: int) -> list[tuple[int, str, str, int]]:
    """(id, kind, qualified name, first byte) of the snapshot's symbols with this name."""
    return fetch_all(
        connection,
        "SELECT symbol.id, kind, qualified, start_byte FROM symbol JOIN entry ON entry.facts = symbol.id >> ?"
        " WHERE name = ? AND snapshot = ? ORDER BY path, symbol.id LIMIT ?",  # by path: the same whatever came first
        (CHUNK_BITS, name, snapshot, limit),
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


def _members(connection: apsw.Connection, snapshot: int, facts: Iterable[int]) -> set[int]:
    """Which of these facts the snapshot has."""
    rows = fetch_all(
        connection,
        "SELECT facts FROM entry WHERE snapshot = ? AND facts IN (SELECT value FROM json_each(?))",
        (snapshot, json.dumps(sorted(facts))),
    )
    return {row[0] for row in rows}


def _tail(connection: apsw.Connection, snapshot: int, applied: int) -> list[int]:
    rows = fetch_all(
        connection, "SELECT DISTINCT facts FROM entry WHERE facts > ? AND snapshot = ?", (applied, snapshot)
    )
    return [row[0] for row in rows]


def _chunk_ids(connection: apsw.Connection, facts: int) -> list[int]:
    return [row[0] for row in fetch_all(connection, "SELECT id FROM chunk WHERE id BETWEEN ? AND ?", id_range(facts))]
