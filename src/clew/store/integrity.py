"""Checks of a store that only read: what is damaged, missing or orphaned, and what to do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import apsw

from clew.errors import StoreCorrupt
from clew.store import exact, vectors
from clew.store.derive import derived
from clew.store.segments import CHUNK_BITS
from clew.store.store import Store
from clew.store.sweep import garbage, unreferenced


@dataclass(frozen=True, slots=True)
class Inspection:
    """What an inspection found; `orphans` is zero after recovery."""

    problems: tuple[str, ...]
    orphans: int
    summary: str


def inspect(store: Store) -> Inspection:
    """Look at everything once; slow on large stores."""
    if not store.exists:
        return Inspection((f"its store {store.directory} is gone: run `clew index` on it again",), 0, "")
    with store.read() as connection:
        problems = [
            f"the database is damaged ({row[0]}): run `clew clear` and index again"
            for row in connection.execute("PRAGMA quick_check(3)")
            if row[0] != "ok"
        ]
        problems += _missing(connection)
        problems += _derived_problems(store, connection)
        problems += _exact_problems(store, connection)
        problems += _vector_problems(store, connection)
        strays = _strays(connection)
        orphans = unreferenced(connection) + strays
        blobs = connection.execute("SELECT count(*) FROM blob").get
        waiting = garbage(connection)
        kept = vectors.count(connection)
    summary = f"{blobs} blobs, {waiting} waiting for removal, {orphans} orphans"
    summary += f", {kept} vectors of a provider" if kept else ""
    return Inspection(tuple(problems), orphans, summary)


def _missing(connection: apsw.Connection) -> list[str]:
    """Entries that refer to what is not there."""
    count = connection.execute(
        "SELECT count(*) FROM entry WHERE (blob IS NOT NULL AND NOT EXISTS (SELECT 1 FROM blob WHERE id = entry.blob))"
        " OR (facts IS NOT NULL AND NOT EXISTS (SELECT 1 FROM facts WHERE id = entry.facts))"
    ).get
    return [f"{count} files refer to content that is missing: run `clew index --force`"] if count else []


def _strays(connection: apsw.Connection) -> int:
    """Chunks, symbols and imports whose facts are gone."""
    total = 0
    for table in ("chunk", "symbol", "import"):
        total += connection.execute(
            f"SELECT count(*) FROM {table} WHERE id > 0"
            f" AND NOT EXISTS (SELECT 1 FROM facts WHERE facts.id = {table}.id >> {CHUNK_BITS})"
        ).get
    return total


def _derived_problems(store: Store, connection: apsw.Connection) -> list[str]:
    """Facts that the segments should have and have not."""
    applied, names = derived(connection)
    if not applied:
        return []
    held: Counter[int] = Counter()
    try:
        for name in names:
            held.update((store.segments.open(name).chunks >> CHUNK_BITS).tolist())
    except StoreCorrupt as error:
        return [str(error)]
    rows = connection.execute("SELECT id, chunks FROM facts WHERE id <= ? AND tombstone IS NULL", (applied,))
    is_provided = bool(store.model.base)  # then a file lacks what had no vectors when it was made; readers look further
    wrong = sum(held[facts] != chunks and not (is_provided and facts not in held) for facts, chunks in rows)
    return [f"the search index lacks {wrong} blobs: run `clew repair`"] if wrong else []


def _vector_problems(store: Store, connection: apsw.Connection) -> list[str]:
    """Chunks that should have a provider's vector and have none."""
    lost = vectors.missing(connection, store.model) if store.model.base else 0
    return [f"{lost} chunks have no vector of {store.model.model}: run `clew index --force`"] if lost else []


def _exact_problems(store: Store, connection: apsw.Connection) -> list[str]:
    """Blobs that the trigrams should have and have not."""
    try:
        lacking = len(exact.missing(store, connection))
    except StoreCorrupt as error:
        return [str(error)]
    return [f"the exact index lacks {lacking} blobs: run `clew repair`"] if lacking else []
