"""Removes what no snapshot refers to, in two steps, so that nobody loses what he is looking at.

A flip tombstones what it replaces; a sweep tombstones whatever else is unreferenced, as a crash leaves it,
and removes what was tombstoned before and no lease protects. Segments are masked by whoever reads them, so
they lose nothing; they are made anew when much in them is dead. Main call: `sweep`.
"""

from __future__ import annotations

from typing import NamedTuple

import apsw

from clew.store import exact, leases, vectors
from clew.store.database import transaction
from clew.store.derive import tidy
from clew.store.facts import remove_facts
from clew.store.store import Store

_UNREFERENCED_FACTS = "NOT EXISTS (SELECT 1 FROM entry WHERE entry.facts = facts.id)"
_UNREFERENCED_BLOB = "NOT EXISTS (SELECT 1 FROM entry WHERE entry.blob = blob.id)"


class Swept(NamedTuple):
    marked: int
    removed: int


def sweep(store: Store) -> Swept:
    """One sweep."""
    with store.exclusive() as connection:
        with transaction(connection):
            connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'sweep'")
            now: int = connection.execute("SELECT value FROM counter WHERE name = 'sweep'").get
            for table, condition in (("facts", _UNREFERENCED_FACTS), ("blob", _UNREFERENCED_BLOB)):
                connection.execute(f"UPDATE {table} SET tombstone = ? WHERE tombstone IS NULL AND {condition}", (now,))
            marked = connection.changes()
        held = leases.oldest(store.leases)
        removed = _remove(connection, before=now if held is None else min(now, held))
        with transaction(connection):
            vectors.sweep(connection)
        tidy(store, connection, drop_files=held is None)
        exact.tidy(store, connection, drop_files=held is None)
    return Swept(marked, removed)


def is_due(connection: apsw.Connection, least: int) -> bool:
    """Whether enough was replaced since the last sweep to make one worth its while."""
    return any(
        connection.execute(f"SELECT count(*) FROM {table} WHERE tombstone IS NOT NULL").get >= least
        for table in ("facts", "blob")
    )


def unreferenced(connection: apsw.Connection) -> int:
    """Blobs and facts that nothing refers to and no sweep has seen yet: zero after recovery."""
    total = 0
    for table, condition in (("facts", _UNREFERENCED_FACTS), ("blob", _UNREFERENCED_BLOB)):
        total += connection.execute(f"SELECT count(*) FROM {table} WHERE tombstone IS NULL AND {condition}").get
    return total


def garbage(connection: apsw.Connection) -> int:
    """Blobs that are tombstoned and wait for a later sweep."""
    count: int = connection.execute("SELECT count(*) FROM blob WHERE tombstone IS NOT NULL").get
    return count


def _remove(connection: apsw.Connection, *, before: int) -> int:
    doomed = [row[0] for row in connection.execute("SELECT id FROM facts WHERE tombstone < ? ORDER BY id", (before,))]
    blobs: int = connection.execute("SELECT count(*) FROM blob WHERE tombstone < ?", (before,)).get
    if not doomed and not blobs:
        return 0
    with transaction(connection):
        remove_facts(connection, doomed)
        connection.execute(
            "DELETE FROM blob WHERE tombstone < ? AND NOT EXISTS (SELECT 1 FROM facts WHERE facts.blob = blob.id)",
            (before,),
        )
        return connection.changes()
