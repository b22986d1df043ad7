"""Codebases as rows: state, transitions and the completion marker.

The marker is a reserved row of the chunk table with a negative id; it is in no snapshot and no derived
index, so that no search can meet it. What states mean is lifecycle's business.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import apsw

from clew.store import jobs
from clew.store.database import decoded, fetch_all, fetch_one
from clew.store.snapshots import delete_snapshots
from clew.types import Transition

KEPT_TRANSITIONS = 500  # of a codebase; every save is one


@dataclass(frozen=True, slots=True)
class CodebaseRow:
    id: int
    root: str
    state: str
    run: str
    fingerprint: dict[str, Any]
    updated_at: str


def find_codebase(connection: apsw.Connection, root: str) -> CodebaseRow | None:
    """A codebase by its canonical root."""
    row = fetch_one(
        connection, "SELECT id, root, state, run, fingerprint, updated_at FROM codebase WHERE root = ?", (root,)
    )
    values: list[Any] = [*row[:4], decoded(row[4]), row[5]] if row else []
    return CodebaseRow(*values) if values else None


def put_state(
    connection: apsw.Connection,
    root: str,
    *,
    old: str,
    new: str,
    run: str,
    cause: str,
    at: str,
    fingerprint: dict[str, Any],
) -> None:
    """Persist a transition that lifecycle has allowed."""
    connection.execute(
        "INSERT INTO codebase (root, state, run, fingerprint, updated_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (root) DO UPDATE SET state = excluded.state, run = excluded.run,"
        " fingerprint = excluded.fingerprint, updated_at = excluded.updated_at",
        (root, new, run, json.dumps(fingerprint, sort_keys=True), at),
    )
    add_transition(connection, root, Transition(run, at, old, new, cause))


def add_transition(connection: apsw.Connection, root: str, step: Transition) -> None:
    """Keep a step as history; the oldest are forgotten."""
    connection.execute(
        "INSERT INTO transition (root, run, at, old, new, cause) VALUES (?, ?, ?, ?, ?, ?)", (root, *step)
    )
    connection.execute(
        "DELETE FROM transition WHERE root = ?1 AND id <="
        " (SELECT id FROM transition WHERE root = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        (root, KEPT_TRANSITIONS),
    )


def transitions(connection: apsw.Connection, root: str, limit: int) -> list[Transition]:
    """The last steps of a codebase's state, newest first."""
    rows = fetch_all(
        connection,
        "SELECT run, at, old, new, cause FROM transition WHERE root = ? ORDER BY id DESC LIMIT ?",
        (root, limit),
    )
    return [Transition(*row) for row in rows]


def read_marker(connection: apsw.Connection, codebase: int) -> str | None:
    """The text of the completion marker, unjudged."""
    row = fetch_one(connection, "SELECT marker FROM chunk WHERE id = ?", (-codebase,))
    return row[0] if row else None


def write_marker(connection: apsw.Connection, codebase: int, payload: dict[str, Any]) -> None:
    """Set the completion marker."""
    connection.execute(
        "INSERT OR REPLACE INTO chunk VALUES (?, 0, 0, 0, 0, -1, 0, x'', x'', ?)",
        (-codebase, json.dumps(payload, sort_keys=True)),
    )


def clear_marker(connection: apsw.Connection, codebase: int) -> None:
    """Remove the completion marker."""
    connection.execute("DELETE FROM chunk WHERE id = ?", (-codebase,))


def delete_codebase(connection: apsw.Connection, codebase: int) -> None:
    """Remove a codebase with its marker, jobs and snapshots; transitions stay as history."""
    row = fetch_one(connection, "SELECT root FROM codebase WHERE id = ?", (codebase,))
    if row is not None:
        jobs.forget(connection, row[0])
    delete_snapshots(connection, codebase)
    clear_marker(connection, codebase)
    connection.execute("DELETE FROM codebase WHERE id = ?", (codebase,))
