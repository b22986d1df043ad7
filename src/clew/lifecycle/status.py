"""What is known of a codebase, and with what proof; reads the store and nothing else."""

from __future__ import annotations

from clew.lifecycle import lock, proof
from clew.store import codebases, snapshots
from clew.store.database import translated
from clew.store.store import Store
from clew.types import CodebaseState


def describe(store: Store, root: str) -> CodebaseState:
    """The state of one codebase of a store."""
    if not store.exists:
        return CodebaseState(root, "not_found", "missing_marker_doc")
    with translated(store.database):
        return _read(store, root)


def _read(store: Store, root: str) -> CodebaseState:
    connection = store.connection()
    row = codebases.find_codebase(connection, root)
    if row is None:
        return CodebaseState(root, "not_found", "missing_marker_doc")
    found = proof.validate(connection, row)
    snapshot = snapshots.find_snapshot(connection, row.id)
    interrupted = row.state == "indexing" and not lock.is_held(store, root)
    return CodebaseState(
        root,
        row.state,
        found.reason or found.outcome,
        interrupted=interrupted,
        generation=snapshot.generation if snapshot else 0,
        head=snapshot.head if snapshot else "",
        files=snapshot.files if snapshot else 0,
        chunks=snapshot.chunks if snapshot else 0,
        symbols=snapshot.symbols if snapshot else 0,
        languages=snapshots.languages(connection, snapshot.id) if snapshot else {},
        skipped=snapshots.skipped(connection, snapshot) if snapshot else {},
        updated_at=row.updated_at,
        run=row.run,
        fingerprint=row.fingerprint,
        store=str(store.directory),
        size_bytes=store.size_bytes(),
    )
