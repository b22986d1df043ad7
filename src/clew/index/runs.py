"""Runs: create and sync of a codebase, from its lock to its sweep.

A create makes the state `indexing` first and `indexed` with the flip; a sync changes nothing but the flip.
What dies in between is taken over by the next create. Main calls: `create`, `sync`, `index_content`.
"""

from __future__ import annotations

import contextlib
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import apsw

from clew.config import Config
from clew.errors import BadInput, Busy, NotIndexed, RequiresReindex
from clew.index.build import store_contents
from clew.index.sync import apply_plan, find_tree, plan_files, plan_tree, revive_entries
from clew.lifecycle import proof, states
from clew.lifecycle.lock import codebase_lock, is_held
from clew.source import git
from clew.source.trees import Tree, look_at
from clew.store import codebases, snapshots
from clew.store.database import translated
from clew.store.snapshots import Snapshot
from clew.store.store import Store
from clew.store.sweep import sweep
from clew.types import FileContent, Progress, RunStats, Stat, State

Watch = Callable[[Progress], None]
_STATUS_WAIT_S = 0.05  # a look at the lock takes it for a moment
_SYNC_WAIT_S = 5.0  # for another process's sync of the same codebase
_SWEEP_BATCH = 64  # replaced files before a sync removes them from the candidate index


def create(
    store: Store,
    root: str,
    *,
    config: Config,
    watch: Watch,
    force: bool = False,
    excluded: frozenset[str] = frozenset(),
) -> RunStats:
    """Index a tree, or take over an interrupted run; `force` starts from nothing."""
    with codebase_lock(store, root, wait_s=_STATUS_WAIT_S), contextlib.ExitStack() as held:
        run = str(uuid.uuid4())
        snapshot = _begin(store, root, run, cause="reindex" if force else "create", afresh=force)
        if force:  # before this run's own lease: the second sweep removes what the first one marked
            sweep(store)
            sweep(store)
        held.enter_context(store.lease())
        try:
            stats = _bring_up(store, root, snapshot, run, config, watch, excluded, first=True)
        except Exception as error:
            _fail(store, root, run, error)
            raise
    sweep(store)
    return stats


def sync(
    store: Store,
    root: str,
    *,
    config: Config,
    watch: Watch,
    excluded: frozenset[str] = frozenset(),
    keys: Sequence[str] | None = None,
    wait_s: float = _SYNC_WAIT_S,
) -> RunStats:
    """Bring a believed index up to what the tree says now; nothing is written when nothing changed.

    With `keys` only those files are looked at: for callers that know what changed."""
    with translated(store.database):
        busy = is_being_created(store, root)
    if busy:
        raise Busy(f"{root} is being indexed; `clew status` shows how far it is", root)
    with codebase_lock(store, root, wait_s=wait_s), store.lease():
        snapshot = believed(store.connection(), root)
        stats = _bring_up(store, root, snapshot, str(uuid.uuid4()), config, watch, excluded, keys=keys)
    if stats.modified or stats.removed:
        sweep(store, least=_SWEEP_BATCH)
    return stats


def index_content(
    store: Store, root: str, files: Iterable[FileContent], *, removed: Iterable[str] = (), config: Config, watch: Watch
) -> RunStats:
    """Index contents that came from anywhere: the snapshot gains `files` and loses `removed`."""
    with codebase_lock(store, root, wait_s=_STATUS_WAIT_S), store.lease():
        run = str(uuid.uuid4())
        row = codebases.find_codebase(store.connection(), root)
        fresh = row is None or proof.validate(store.connection(), row).outcome != "valid"
        if not fresh:
            snapshot = believed(store.connection(), root)
            stats = _take_contents(store, root, snapshot, run, files, removed, config, watch)
        else:
            snapshot = _begin(store, root, run, cause="index_content", afresh=False)
            try:
                stats = _take_contents(store, root, snapshot, run, files, removed, config, watch, first=True)
            except Exception as error:
                _fail(store, root, run, error)
                raise
    if stats.modified or stats.removed:
        sweep(store, least=_SWEEP_BATCH)
    return stats


def _take_contents(
    store: Store,
    root: str,
    snapshot: Snapshot,
    run: str,
    files: Iterable[FileContent],
    removed: Iterable[str],
    config: Config,
    watch: Watch,
    *,
    first: bool = False,
) -> RunStats:
    stats = RunStats()
    known = snapshots.entries(store.connection(), snapshot.id)
    stored = store_contents(
        store,
        (_within(file, config.max_file_bytes) for file in files),
        generations={path: entry.generation for path, entry in known.items()},
        processes=config.parsing_processes,
        stats=stats,
        report=lambda done, size: watch(Progress("parse", done, 0, size, 0)),
    )
    changed = [entry for entry in stored.entries if entry.path not in known or _differs(known[entry.path], entry)]
    given = {entry.path for entry in stored.entries}
    gone = [path for path in dict.fromkeys(removed) if path in known and path not in given]
    if len(known) + len(changed) > config.max_files:
        raise BadInput(f"{root} would have more files than max_files ({config.max_files}); raise CLEW_MAX_FILES")
    if changed or gone or first:
        with store.write() as connection:
            revive_entries(connection, stored.entries)
            snapshot = snapshots.flip(connection, snapshot, changed, gone, head="no-head", diagnostics={})
            _complete(connection, root, snapshot, run, "indexed" if first else "sync_completed")
    stats.added = sum(entry.path not in known for entry in changed)
    stats.modified, stats.removed = len(changed) - stats.added, len(gone)
    stats.files, stats.chunks, stats.symbols = snapshot.files, snapshot.chunks, snapshot.symbols
    stats.skipped = dict(Counter(diagnostic.reason for diagnostic in stored.diagnostics))
    return stats


def _within(file: FileContent, limit_bytes: int) -> FileContent:
    """A file as it is taken: one that is too large is listed without its content."""
    if file.content is None or len(file.content) <= limit_bytes:
        return file
    stat = Stat(len(file.content), 0, 0, 0)
    return FileContent(file.path, None, stat=stat, skip="huge", language=file.language)


def is_being_created(store: Store, root: str) -> bool:
    """Whether a living process is at work on a create or reindex."""
    row = codebases.find_codebase(store.connection(), root)
    return row is not None and row.state == "indexing" and is_held(store, root)


def believed(connection: apsw.Connection, root: str) -> Snapshot:
    """The working snapshot of a codebase whose proof is valid; else the error that says what to do."""
    row = codebases.find_codebase(connection, root)
    if row is None:
        raise NotIndexed(f"{root} is not indexed; run `clew index {root}`", root)
    found = proof.validate(connection, row)
    if found.outcome == "fingerprint_mismatch":
        raise RequiresReindex(f"the index of {root} was made by another version; run `clew index --force {root}`", root)
    snapshot = snapshots.find_snapshot(connection, row.id)
    if row.state not in states.SEARCHABLE or found.outcome == "stale_local" or snapshot is None:
        message = f"{root} has no complete index (state {row.state}, proof: {found.reason}); run `clew index {root}`"
        raise NotIndexed(message, root, proof=found.reason)
    return snapshot


def _note_footprint(store: Store, snapshot: Snapshot, tree: Tree) -> None:
    """A walk that found nothing new may still have found other time stamps: the next check knows them."""
    if tree.is_whole and (record := tree.footprint()) != snapshots.footprint(store.connection(), snapshot.id):
        with store.write() as connection:
            snapshots.save_footprint(connection, snapshot.id, record)


def _fail(store: Store, root: str, run: str, error: Exception) -> None:
    with store.write() as connection:
        states.move(connection, root, "indexfailed", run=run, cause=repr(error), fingerprint=proof.fingerprint())


def _begin(store: Store, root: str, run: str, *, cause: str, afresh: bool) -> Snapshot:
    with store.write() as connection:
        states.move(connection, root, "indexing", run=run, cause=cause, fingerprint=proof.fingerprint())
        row = codebases.find_codebase(connection, root)
        assert row is not None
        codebases.clear_marker(connection, row.id)
        if afresh:
            snapshots.delete_snapshots(connection, row.id)
        return snapshots.ensure_snapshot(connection, row.id)


def _bring_up(
    store: Store,
    root: str,
    snapshot: Snapshot,
    run: str,
    config: Config,
    watch: Watch,
    excluded: frozenset[str],
    *,
    first: bool = False,
    keys: Sequence[str] | None = None,
) -> RunStats:
    watch(Progress("walk", 0, 0, 0, 0))
    connection, head = store.connection(), git.head(root)
    tree = look_at(root, keys, excluded_roots=excluded) if keys is not None else None
    if tree is not None and keys is not None:
        plan = plan_files(connection, snapshot, tree, keys, head)
    else:
        tree, known = find_tree(connection, snapshot, root, excluded)
        plan = plan_tree(connection, snapshot, tree, known, head, max_file_bytes=config.max_file_bytes)
    if len(tree.files) > config.max_files:
        raise BadInput(
            f"{root} has {len(tree.files)} files, more than max_files ({config.max_files}); ignore some in"
            " .clewignore, or raise CLEW_MAX_FILES"
        )
    if plan.is_empty and not first and plan.head == snapshot.head:
        _note_footprint(store, snapshot, tree)
        return RunStats(files=snapshot.files, chunks=snapshot.chunks, symbols=snapshot.symbols)
    total = len(plan.suspects) + len(plan.outdated)
    size = sum(tree.files[path].size for path in (*plan.suspects, *plan.outdated))
    generation = snapshot.generation

    def finish(connection: apsw.Connection, snapshot: Snapshot) -> None:
        if first or snapshot.generation != generation:
            _complete(connection, root, snapshot, run, "indexed" if first else "sync_completed")

    return apply_plan(
        store,
        snapshot,
        plan,
        processes=config.parsing_processes,
        max_file_bytes=config.max_file_bytes,
        report=lambda done, done_bytes: watch(Progress("parse", done, total, done_bytes, size)),
        finish=finish,
    )


def _complete(connection: apsw.Connection, root: str, snapshot: Snapshot, run: str, state: State) -> None:
    """Marker and state, in the flip's transaction: the index is whole from here on."""
    payload = proof.marker_payload(
        root, files=snapshot.files, chunks=snapshot.chunks, run=run, completed_at=states.now()
    )
    codebases.write_marker(connection, snapshot.codebase, payload)
    states.move(connection, root, state, run=run, cause="completed", fingerprint=proof.fingerprint())


def _differs(old: snapshots.Entry, new: snapshots.Entry) -> bool:
    return (old.blob, old.facts, old.skip) != (new.blob, new.facts, new.skip)
