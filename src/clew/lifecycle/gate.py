"""The gate: may this codebase be asked, and if not, why not. Every reader and every action passes it.

Precedence: requires_reindex, then not_ready, then (interrupted and) not_indexed. It changes nothing.
Main calls: `judge`, `require`, `settle`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import apsw

from clew.answers import Heartbeat
from clew.errors import Busy, Gated, Interrupted, NotIndexed, RequiresReindex, StoreGone
from clew.lifecycle import lock, proof, states
from clew.lifecycle.proof import Proof
from clew.store import codebases, jobs, snapshots
from clew.store.codebases import CodebaseRow
from clew.store.database import state_seen, translated
from clew.store.snapshots import Snapshot
from clew.store.store import Store

Verdict = Literal["ok", "requires_reindex", "not_ready", "interrupted", "not_indexed"]
_ATTEMPTS = 5  # a state may change while it is judged


@dataclass(frozen=True, slots=True)
class Standing:
    """How a codebase stands: what is recorded of it, with what proof, and what follows."""

    root: str
    verdict: Verdict
    proof: Proof
    row: CodebaseRow | None = None
    snapshot: Snapshot | None = None
    heartbeat: Heartbeat | None = None
    build: str | None = None  # which making of the index this is: ids of another one mean nothing in it
    seen: Any = field(default=None, compare=False, repr=False)  # the state of the database, and for which model

    @property
    def claims_index(self) -> bool:
        """Whether it is recorded as indexed, proven or not."""
        return self.row is not None and self.row.state in states.SEARCHABLE


def judge(store: Store, connection: apsw.Connection, root: str, known: Standing | None = None) -> Standing:
    """The standing of a codebase as this connection sees it; `known`, if that was proven of the very same state."""
    state = state_seen(connection)
    seen = (state, store.model) if state is not None else None
    if known is not None and known.proof.outcome == "valid" and known.seen == seen is not None:
        return known
    row = codebases.find_codebase(connection, root)
    if row is None:
        return Standing(root, "not_indexed", Proof("stale_local", "missing_marker_doc"))
    found = proof.validate(connection, row, store.model)
    snapshot = snapshots.find_snapshot(connection, row.id)
    is_running = row.state == "indexing"
    is_alive, sign = lock.is_alive(store, root, row.run) if is_running else (False, None)
    verdict: Verdict
    if (
        row.state == "requires_reindex"
        or found.outcome == "fingerprint_mismatch"
        or (is_running and row.fingerprint != proof.fingerprint(store.model))
    ):
        verdict = "requires_reindex"
    elif is_running:
        verdict = "not_ready" if is_alive else "interrupted"
    elif row.state not in states.SEARCHABLE or found.outcome == "stale_local" or snapshot is None:
        verdict = "not_indexed"
    else:
        verdict = "ok"
    made = jobs.last_build(connection, root) if verdict == "ok" else None
    return Standing(root, verdict, found, row, snapshot, sign, made.id if made is not None else None, seen)


def settle(store: Store, root: str, known: Standing | None = None) -> Standing:
    """The standing now, `known` as above. A run that ends between a look at its state and a look at its lock is not
    taken for dead."""
    for is_last in (False, True):  # it may be removed, and made again, while it is opened
        try:
            with translated(store.database):
                connection = store.connection()
                for _ in range(_ATTEMPTS):
                    standing = judge(store, connection, root, known)
                    if standing.verdict != "interrupted" or codebases.find_codebase(connection, root) == standing.row:
                        break
                return standing
        except StoreGone:
            if not store.exists:
                break
            if is_last:
                raise
    return Standing(root, "not_indexed", Proof("stale_local", "missing_marker_doc"))


def require(standing: Standing) -> Snapshot:
    """The snapshot of a codebase that may be asked; else the error that says what to do."""
    if standing.verdict == "ok":
        assert standing.snapshot is not None
        return standing.snapshot
    raise refusal(standing)


def refusal(standing: Standing) -> Gated:
    """Why a codebase cannot be asked, and what to do."""
    kinds: dict[str, type[Gated]] = {
        "requires_reindex": RequiresReindex,
        "not_ready": Busy,
        "interrupted": Interrupted,
        "not_indexed": NotIndexed,
    }
    return kinds[standing.verdict](
        explain(standing),
        standing.root,
        proof=standing.proof.reason if standing.claims_index else None,
        marker_present=standing.proof.marker_present,
        probe_failed=standing.proof.outcome == "probe_failed",
        heartbeat=standing.heartbeat,
    )


def explain(standing: Standing) -> str:
    """One sentence for people: what is the matter, what to do."""
    root, row = standing.root, standing.row
    if standing.verdict == "requires_reindex":
        return f"the index of {root} was made by another version or setting; run `clew index --force {root}`"
    if standing.verdict == "not_ready":
        return f"{root} is being indexed; `clew status {root}` shows how far it is"
    if standing.verdict == "interrupted":
        return f"the last run on {root} was interrupted; `clew index {root}` goes on where it stopped"
    if row is not None and row.state == "indexfailed":
        return f"the last run on {root} failed; `clew status {root}` shows why, `clew index {root}` tries again"
    if standing.claims_index:
        return (
            f"the local snapshot of {root} claims to be indexed, but its completion proof is missing or invalid"
            f" ({standing.proof.reason}); run `clew index {root}`"
        )
    return f"{root} is not indexed; run `clew index {root}`"
