"""Snapshots: maps from path to blob, with their totals.

The flip changes a snapshot in one transaction: entries, totals, generation. Totals are kept by difference
(minus the old blob's, plus the new one's), so that a save costs what the file costs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import apsw

from clew.store import edges
from clew.store.database import decoded, fetch_all, fetch_one
from clew.store.facts import bury
from clew.types import Stat

WORKTREE = "worktree"


class Entry(NamedTuple):
    """One file of a snapshot."""

    path: str
    blob: int | None
    facts: int | None
    language: str
    skip: str | None
    stat: Stat
    generation: int


class TextFile(NamedTuple):
    """A file of a snapshot whose bytes are kept."""

    path: str
    language: str
    blob: int
    stat: Stat


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot's own row: identity, version and totals."""

    id: int
    codebase: int
    ref: str
    generation: int
    head: str
    files: int
    chunks: int
    symbols: int
    tokens: int
    diagnostics: Mapping[str, int]


def find_snapshot(connection: apsw.Connection, codebase: int, ref: str = WORKTREE) -> Snapshot | None:
    """A codebase's snapshot by its ref."""
    row = fetch_one(
        connection,
        "SELECT id, codebase, ref, generation, head, files, chunks, symbols, tokens, diagnostics"
        " FROM snapshot WHERE codebase = ? AND ref = ?",
        (codebase, ref),
    )
    values: list[Any] = [*row[:9], decoded(row[9])] if row else []
    return Snapshot(*values) if values else None


def ensure_snapshot(connection: apsw.Connection, codebase: int, ref: str = WORKTREE) -> Snapshot:
    """The snapshot, made empty at generation 0 if there is none."""
    connection.execute(
        "INSERT OR IGNORE INTO snapshot (codebase, ref, generation, head, files, chunks, symbols, tokens, diagnostics)"
        " VALUES (?, ?, 0, '', 0, 0, 0, 0, '{}')",
        (codebase, ref),
    )
    found = find_snapshot(connection, codebase, ref)
    assert found is not None
    return found


def entries(connection: apsw.Connection, snapshot: int) -> dict[str, Entry]:
    """Every file of a snapshot by path, in order of path."""
    rows = fetch_all(
        connection,
        "SELECT path, blob, facts, language, skip, size, mtime_ns, ctime_ns, inode, generation"
        " FROM entry WHERE snapshot = ? ORDER BY path",
        (snapshot,),
    )
    return {row[0]: Entry._make([*row[:5], Stat(*row[5:9]), row[9]]) for row in rows}


def text_files(
    connection: apsw.Connection, snapshot: int, subtree: str = "", blobs: Container[int] | None = None
) -> Iterator[TextFile]:
    """Every file whose bytes are kept, or only those of some blobs, in order of path, as it is asked for; `subtree`
    ends with a slash."""
    below, bounds = (" AND path >= ? AND path < ?", (subtree, subtree[:-1] + "0")) if subtree else ("", ())
    rows: Iterable[Any] = connection.execute(
        "SELECT path, language, blob, size, mtime_ns, ctime_ns, inode FROM entry"
        f" WHERE snapshot = ?{below} AND blob IS NOT NULL ORDER BY path",
        (snapshot, *bounds),
    )
    rows = rows if blobs is None else (row for row in rows if row[2] in blobs)
    return map(_text_file, rows)


def text_files_of(connection: apsw.Connection, snapshot: int, blobs: Sequence[int]) -> Iterator[TextFile]:
    """The files that have one of these blobs, likewise."""
    rows: Iterable[Any] = connection.execute(
        "SELECT path, language, blob, size, mtime_ns, ctime_ns, inode FROM entry"
        " WHERE blob IN (SELECT value FROM json_each(?)) AND +snapshot = ? ORDER BY path",  # `+`: not all its files
        (json.dumps(list(blobs)), snapshot),
    )
    return map(_text_file, rows)


def _text_file(row: Any) -> TextFile:
    return TextFile(row[0], row[1], row[2], row[3:])  # a plain tuple will do for its stat


def stats(connection: apsw.Connection, snapshot: int) -> dict[str, Stat]:
    """The stat of every file by path: plain tuples, since a check of a large tree is made of this."""
    rows: Iterable[Any] = connection.execute(
        "SELECT path, size, mtime_ns, ctime_ns, inode FROM entry WHERE snapshot = ?", (snapshot,)
    )
    return {path: cast(Stat, (size, mtime, ctime, inode)) for path, size, mtime, ctime, inode in rows}


def paths_by_extractor(connection: apsw.Connection, snapshot: int, current: Set[tuple[str, int]]) -> list[str]:
    """Files whose facts were made by an extractor that is not `current` (language, version)."""
    kinds = fetch_all(connection, "SELECT DISTINCT language, extractor FROM facts")
    old = [kind for kind in kinds if kind not in current]
    return [
        row[0]
        for language, extractor in old
        for row in fetch_all(
            connection,
            "SELECT path FROM facts JOIN entry ON entry.facts = facts.id"
            " WHERE facts.language = ? AND facts.extractor = ? AND snapshot = ? ORDER BY path",
            (language, extractor, snapshot),
        )
    ]


def paths_against_limit(
    connection: apsw.Connection, snapshot: int, max_file_bytes: int, known: Mapping[str, Stat]
) -> list[str]:
    """Files that were left out as too large, or were not, under another limit than this."""
    count = "SELECT count(*) FROM entry WHERE skip = 'huge' AND snapshot = ? AND size > ?"
    too_large = sum([stat[0] > max_file_bytes for stat in known.values()])
    if all(connection.execute(count, (snapshot, least)).get == too_large for least in (max_file_bytes, -1)):
        return []
    sql = "SELECT path FROM entry WHERE snapshot = ? AND (coalesce(skip, '') = 'huge') <> (size > ?)"
    return [row[0] for row in fetch_all(connection, sql, (snapshot, max_file_bytes))]


def entry_at(connection: apsw.Connection, snapshot: int, path: str) -> Entry | None:
    """One file of a snapshot."""
    row = fetch_one(
        connection,
        "SELECT path, blob, facts, language, skip, size, mtime_ns, ctime_ns, inode, generation"
        " FROM entry WHERE snapshot = ? AND path = ?",
        (snapshot, path),
    )
    return Entry._make([*row[:5], Stat(*row[5:9]), row[9]]) if row else None


def files_with_facts(connection: apsw.Connection, snapshot: int) -> dict[str, tuple[int, str]]:
    """Facts and language of each file of a snapshot that has any."""
    sql = "SELECT path, facts, language FROM entry WHERE snapshot = ? AND facts IS NOT NULL"
    return {path: (facts, language) for path, facts, language in connection.execute(sql, (snapshot,))}


def footprint(connection: apsw.Connection, snapshot: int) -> str | None:
    """What the last walk depended on, if that is known."""
    row = fetch_one(connection, "SELECT record FROM footprint WHERE snapshot = ?", (snapshot,))
    return row[0] if row else None


def save_footprint(connection: apsw.Connection, snapshot: int, record: str | None) -> None:
    """Note what a walk depended on, or that it is not known."""
    connection.execute("DELETE FROM footprint WHERE snapshot = ?", (snapshot,))
    if record is not None:
        connection.execute("INSERT INTO footprint VALUES (?, ?)", (snapshot, record))


def has_files_below(connection: apsw.Connection, snapshot: int, directory: str) -> bool:
    """Whether the snapshot has any file in a directory, or a file of that name."""
    sql = "SELECT 1 FROM entry WHERE snapshot = ?1 AND (path = ?2 OR (path >= ?2 || '/' AND path < ?2 || '0')) LIMIT 1"
    return fetch_one(connection, sql, (snapshot, directory)) is not None


def paths_without_facts(connection: apsw.Connection, snapshot: int) -> Iterator[str]:
    """The files of the snapshot that are listed and not ranked: binary, huge, minified ones."""
    rows = connection.execute("SELECT path FROM entry WHERE snapshot = ? AND facts IS NULL", (snapshot,))
    return (path for (path,) in rows)


def refresh_stats(connection: apsw.Connection, snapshot: int, stats: Mapping[str, Stat]) -> None:
    """Note new stats of files whose content did not change; no new generation."""
    connection.executemany(
        "UPDATE entry SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? WHERE snapshot = ? AND path = ?",
        ((*stat, snapshot, path) for path, stat in stats.items()),
    )


def flip(
    connection: apsw.Connection,
    snapshot: Snapshot,
    changed: Sequence[Entry],
    removed: Iterable[str],
    *,
    head: str,
    diagnostics: Mapping[str, int],
) -> Snapshot:
    """Make `changed` and `removed` what the snapshot says, in the caller's transaction."""
    old_facts: Counter[int] = Counter()
    new_facts: Counter[int] = Counter(entry.facts for entry in changed if entry.facts is not None)
    old_blobs: set[int] = set()
    gone = [*removed, *(entry.path for entry in changed)]
    if snapshot.files:
        for path in gone:
            sql = "SELECT facts, blob FROM entry WHERE snapshot = ? AND path = ?"
            row = fetch_one(connection, sql, (snapshot.id, path))
            if row and row[0] is not None:
                old_facts[row[0]] += 1
            if row and row[1] is not None:
                old_blobs.add(row[1])
        connection.executemany(
            "DELETE FROM entry WHERE snapshot = ? AND path = ?", ((snapshot.id, path) for path in gone)
        )
    connection.executemany(
        "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (snapshot.id, e.path, e.blob, e.facts, e.language, e.skip, *e.stat, e.generation)
            for e in sorted(changed, key=lambda e: e.path)
        ),
    )
    bury(connection, old_blobs, old_facts)
    added, dropped = new_facts - old_facts, old_facts - new_facts
    files: int = connection.execute("SELECT count(*) FROM entry WHERE snapshot = ?", (snapshot.id,)).get
    plus, minus = _totals(connection, added), _totals(connection, dropped)
    connection.execute(
        "UPDATE snapshot SET generation = generation + 1, head = ?, diagnostics = ?, files = ?,"
        " chunks = chunks + ?, symbols = symbols + ?, tokens = tokens + ? WHERE id = ?",
        (
            head,
            json.dumps(diagnostics, sort_keys=True),
            files,
            *(up - down for up, down in zip(plus, minus, strict=True)),
            snapshot.id,
        ),
    )
    found = find_snapshot(connection, snapshot.codebase, snapshot.ref)
    assert found is not None
    return found


def blob_hash(connection: apsw.Connection, blob: int) -> str:
    """The hash of a blob as it is written on the wire."""
    value: bytes = connection.execute("SELECT hash FROM blob WHERE id = ?", (blob,)).get
    return value.hex()


def languages(connection: apsw.Connection, snapshot: int) -> dict[str, int]:
    """How many files there are of each language, the most first."""
    return dict(
        fetch_all(
            connection,
            "SELECT language, count(*) FROM entry WHERE snapshot = ? AND facts IS NOT NULL"
            " GROUP BY language ORDER BY count(*) DESC, language",
            (snapshot,),
        )
    )


def skipped(connection: apsw.Connection, snapshot: Snapshot) -> dict[str, int]:
    """How many files were left out, only kept for exact search, or read with a reservation, by reason."""
    counts = Counter(snapshot.diagnostics)
    rows = fetch_all(
        connection,
        "SELECT coalesce(skip, 'data'), count(*) FROM entry WHERE snapshot = ? AND facts IS NULL GROUP BY 1",
        (snapshot.id,),
    )
    counts.update(dict(rows))
    noted = fetch_all(
        connection,
        "SELECT diagnostics, count(*) FROM entry JOIN facts ON facts.id = entry.facts"
        " WHERE snapshot = ? AND diagnostics <> '' GROUP BY diagnostics",
        (snapshot.id,),
    )
    for reasons, files in noted:
        counts.update(dict.fromkeys(reasons.split(), files))
    return dict(sorted(counts.items()))


def delete_snapshots(connection: apsw.Connection, codebase: int) -> None:
    """Drop every snapshot of a codebase; the blobs are left to the sweep."""
    of_codebase = "SELECT id FROM snapshot WHERE codebase = ?"
    edges.forget(connection, [row[0] for row in fetch_all(connection, of_codebase, (codebase,))])
    for table in ("entry", "footprint"):
        connection.execute(f"DELETE FROM {table} WHERE snapshot IN ({of_codebase})", (codebase,))
    connection.execute("DELETE FROM snapshot WHERE codebase = ?", (codebase,))


def _totals(connection: apsw.Connection, facts: Counter[int]) -> tuple[int, int, int]:
    """Chunks, symbols and tokens of these facts, each as often as it counts."""
    chunks = symbols = tokens = 0
    for facts_id, times in facts.items():
        row = fetch_one(connection, "SELECT chunks, symbols, tokens FROM facts WHERE id = ?", (facts_id,))
        assert row is not None
        chunks, symbols, tokens = chunks + times * row[0], symbols + times * row[1], tokens + times * row[2]
    return chunks, symbols, tokens
