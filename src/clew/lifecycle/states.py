"""The states of a codebase and the only ways between them; each step is recorded with its cause."""

from __future__ import annotations

from typing import Any

import apsw

from clew.errors import ClewError
from clew.lifecycle.clock import now
from clew.lifecycle.log import log
from clew.store.codebases import add_transition, delete_codebase, find_codebase, put_state
from clew.types import State, Transition

ALLOWED: frozenset[tuple[State, State]] = frozenset(
    {
        ("not_found", "indexing"),
        ("indexing", "indexed"),
        ("indexing", "indexfailed"),
        ("indexing", "indexing"),  # takeover of an interrupted run
        ("indexed", "requires_reindex"),
        ("sync_completed", "requires_reindex"),
        ("indexed", "indexing"),
        ("sync_completed", "indexing"),
        ("indexed", "sync_completed"),
        ("sync_completed", "sync_completed"),
        ("indexfailed", "indexing"),
        ("requires_reindex", "indexing"),
        ("indexing", "not_found"),  # clear
        ("indexed", "not_found"),
        ("sync_completed", "not_found"),
        ("indexfailed", "not_found"),
        ("requires_reindex", "not_found"),
    }
)
SEARCHABLE: frozenset[State] = frozenset({"indexed", "sync_completed"})


class ForbiddenTransition(ClewError):
    """A step that the state machine does not have: a defect of the caller, never of the user."""


def move(
    connection: apsw.Connection, root: str, new: State, *, run: str, cause: str, fingerprint: dict[str, Any]
) -> None:
    """Take a codebase to `new` within the caller's transaction, or raise and change nothing."""
    row = find_codebase(connection, root)
    old: State = row.state if row else "not_found"  # type: ignore[assignment]
    if (old, new) not in ALLOWED:
        raise ForbiddenTransition(f"{root}: {old} → {new} is not a transition ({cause})")
    if row is not None and new == "not_found":
        delete_codebase(connection, row.id)
        add_transition(connection, root, Transition(run, now(), old, new, cause))
    else:
        put_state(connection, root, old=old, new=new, run=run, cause=cause, at=now(), fingerprint=fingerprint)
    log(root, run).info("%s → %s (%s)", old, new, cause)
