"""Keeps the candidate index in step with the truth.

`derived.applied` says up to which facts the index is complete. What is newer is the tail: searches scan
it, so a save is searchable with its flip and the index may follow later. A crash at any point leaves a
longer tail, never a gap. Main calls: `catch_up`, `rebuild`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from clew.store.database import fetch_all, fetch_one
from clew.store.facts import document_texts
from clew.store.store import Store

TAIL_CHUNKS = 500  # scanning this many costs a query about 2 ms; more are moved into the index


class Derived(NamedTuple):
    epoch: int
    applied: int


def derived(connection: apsw.Connection) -> Derived:
    """Which candidate index is in use, and how far it goes."""
    row = fetch_one(connection, "SELECT epoch, applied FROM derived WHERE kind = 'lexical'")
    assert row is not None
    return Derived(*row)


def tail_size(connection: apsw.Connection) -> int:
    """How many chunks only the database has."""
    applied = derived(connection).applied
    count: int = connection.execute("SELECT coalesce(sum(chunks), 0) FROM facts WHERE id > ?", (applied,)).get
    return count


def catch_up(store: Store, connection: apsw.Connection, fresh: Mapping[int, list[str]]) -> None:
    """Move the tail into the index. Under `store.exclusive`, outside a transaction.

    `fresh` has the documents of facts that this process has just added; others may be leftovers of a
    crash, so they are removed before they are added."""
    epoch, applied = derived(connection)
    pending = [row[0] for row in fetch_all(connection, "SELECT id FROM facts WHERE id > ? ORDER BY id", (applied,))]
    if not pending:
        return
    with store.lexical.writer(epoch, create=applied == 0, large=len(pending) > 100) as writer:
        for facts in pending:
            if facts not in fresh:
                writer.remove(facts)
            writer.add(facts, fresh[facts] if facts in fresh else document_texts(connection, facts))
    connection.execute("UPDATE derived SET applied = ? WHERE kind = 'lexical'", (pending[-1],))


def rebuild(store: Store) -> int:
    """Make the candidate index anew, in a new epoch, from the database alone; the number of facts in it."""
    with store.exclusive() as connection:
        epoch = derived(connection).epoch + 1
        everything = [row[0] for row in fetch_all(connection, "SELECT id FROM facts ORDER BY id")]
        if everything:
            with store.lexical.writer(epoch, create=True, large=True) as writer:
                for facts in everything:
                    writer.add(facts, document_texts(connection, facts))
        applied = everything[-1] if everything else 0
        connection.execute("UPDATE derived SET epoch = ?, applied = ? WHERE kind = 'lexical'", (epoch, applied))
        connection.execute("DELETE FROM doomed")  # the new index never had them
    return len(everything)
