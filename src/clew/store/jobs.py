"""Jobs as rows: what was asked of a codebase, how it ended. What is running is known from its lock."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from clew.answers import Job
from clew.store.database import fetch_all, fetch_one

KEPT = 50  # jobs of a codebase; older ones are forgotten
_COLUMNS = "id, root, action, state, started_at, ended_at, resumes, error, stats, failures"


class Unfinished(NamedTuple):
    """A job that never ended: its process died, or is at work now."""

    id: str
    action: str
    cleared: bool


class Build(NamedTuple):
    """A create or reindex as it was recorded."""

    id: str
    action: str
    state: str
    cleared: bool


def add(connection: apsw.Connection, job: Job, *, cleared: bool) -> None:
    """Note that a job begins; the oldest of the codebase's jobs are forgotten."""
    connection.execute(
        "INSERT INTO job (id, root, action, state, started_at, resumes, cleared, stats, failures)"
        " VALUES (?, ?, ?, 'running', ?, ?, ?, '{}', '[]')",
        (job.id, job.root, job.action, job.started_at, job.resumes, cleared),
    )
    connection.execute(
        "DELETE FROM job WHERE root = ?1 AND serial <="
        " (SELECT serial FROM job WHERE root = ?1 ORDER BY serial DESC LIMIT 1 OFFSET ?2)",
        (job.root, KEPT),
    )


def end(
    connection: apsw.Connection,
    job: str,
    state: str,
    at: str,
    *,
    stats: Mapping[str, Any] | None = None,
    failures: Sequence[Mapping[str, str]] = (),
    error: str | None = None,
) -> None:
    """Note how a job ended."""
    connection.execute(
        "UPDATE job SET state = ?, ended_at = ?, stats = ?, failures = ?, error = ? WHERE id = ?",
        (state, at, json.dumps(stats or {}), json.dumps(list(failures)), error, job),
    )


def mark_cleared(connection: apsw.Connection, job: str) -> None:
    """Note that a reindex has dropped what was there before it."""
    connection.execute("UPDATE job SET cleared = 1 WHERE id = ?", (job,))


def interrupt_unfinished(connection: apsw.Connection, root: str, at: str) -> Unfinished | None:
    """Call the unfinished jobs of a codebase interrupted, and return the newest that was making its index.

    Only under its lock."""
    row = fetch_one(
        connection,
        "SELECT id, action, cleared FROM job WHERE root = ? AND state = 'running' AND action IN ('create', 'reindex')"
        " ORDER BY serial DESC LIMIT 1",
        (root,),
    )
    connection.execute(
        "UPDATE job SET state = 'interrupted', ended_at = ? WHERE root = ? AND state = 'running'", (at, root)
    )
    return Unfinished(row[0], row[1], bool(row[2])) if row else None


def last_build(connection: apsw.Connection, root: str) -> Build | None:
    """The newest create or reindex of a codebase, however it ended."""
    row = fetch_one(
        connection,
        "SELECT id, action, state, cleared FROM job WHERE root = ? AND action IN ('create', 'reindex')"
        " ORDER BY serial DESC LIMIT 1",
        (root,),
    )
    return Build(row[0], row[1], row[2], bool(row[3])) if row else None


def recent(connection: apsw.Connection, root: str, limit: int = KEPT) -> list[Job]:
    """The jobs of a codebase, newest first, as they were recorded."""
    rows = fetch_all(
        connection, f"SELECT {_COLUMNS} FROM job WHERE root = ? ORDER BY serial DESC LIMIT ?", (root, limit)
    )
    return [_job(row) for row in rows]


def find(connection: apsw.Connection, job: str) -> Job | None:
    """A job by its id."""
    row = fetch_one(connection, f"SELECT {_COLUMNS} FROM job WHERE id = ?", (job,))
    return _job(row) if row else None


def forget(connection: apsw.Connection, root: str) -> None:
    """Remove the jobs of a codebase."""
    connection.execute("DELETE FROM job WHERE root = ?", (root,))


def _job(row: tuple[Any, ...]) -> Job:
    values: list[Any] = [*row[:8], json.loads(row[8]), tuple(json.loads(row[9]))]
    return Job(*values)
