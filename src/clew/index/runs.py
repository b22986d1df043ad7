"""Runs: what is done to a codebase, from its lock to its sweep.

A run begins quickly (lock, state, job) and works later, in any thread: `begin_create`, `begin_sync`,
`begin_repair`, then `Run.work`. A create makes the state `indexing` first and `indexed` with the flip; a
sync changes nothing but the flip. What dies in between is taken over by the next create. `sync` is the
quick one that freshness uses: it leaves no job behind.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import apsw

from clew.answers import Job, RunStats
from clew.config import Config
from clew.embed.provider import Provider
from clew.errors import BadInput, Busy, ClewError, OtherDimension, Stopped
from clew.index.build import Embed
from clew.index.embedding import embed_facts
from clew.index.sync import apply_plan, find_tree, plan_files, plan_tree
from clew.lifecycle import gate, proof, states
from clew.lifecycle.clock import now
from clew.lifecycle.lock import Pulse, codebase_lock
from clew.lifecycle.log import log
from clew.source import git
from clew.source.trees import Tree, look_at
from clew.store import codebases, derive, exact, jobs, snapshots
from clew.store.snapshots import Snapshot
from clew.store.store import Store
from clew.store.sweep import is_due
from clew.store.sweep import sweep as sweep_store
from clew.types import Progress, State

Watch = Callable[[Progress], None]
LOCK_WAIT_S = 0.03  # a look at the lock takes it for a moment
SYNC_WAIT_S = 5.0  # for another process's sync of the same codebase
SWEEP_BATCH = 64  # replaced files before a sync is followed by a sweep


@dataclass(frozen=True, slots=True)
class Target:
    """The codebase that a run is about, and how it is to be read."""

    store: Store
    root: str
    config: Config
    excluded: frozenset[str] = frozenset()
    provider: Provider | None = None  # that has a vector for every chunk


class Run:
    """A run that has begun: its lock is held and its job recorded. `work` must be called, once, in any thread."""

    def __init__(self, target: Target, job: Job, held: contextlib.ExitStack, pulse: Pulse) -> None:
        self.target, self.job = target, job
        self.notes: tuple[str, ...] = ()
        self.snapshot: Snapshot | None = None
        self.is_first = False
        self.must_clear = False
        self.needs_sweep = False
        self.held, self._pulse = held, pulse
        self._log = log(target.root, job.id)

    def work(self, watch: Watch, act: Callable[[Watch], RunStats] | None = None) -> RunStats:
        """Do it, or `act` instead. Whatever happens, the lock is free afterwards and the job tells the truth."""

        def seen(progress: Progress) -> None:
            self._pulse.beat(progress)
            watch(progress)

        with self.held:
            try:
                stats = (act or self._act)(seen)
            except Stopped:
                self._log.info("%s stopped; the next run goes on from here", self.job.action)
                raise
            except ClewError as error:
                self._fail(str(error))
                raise
            except Exception as error:
                self._fail(repr(error))
                raise
        stats.job = self.job.id
        self._log.info("%s completed: %s", self.job.action, _brief(stats))
        if self.needs_sweep:
            sweep(self.target, self.job.id)
        return stats

    def complete(self, connection: apsw.Connection, stats: RunStats) -> None:
        """Record the end of the job, in the transaction that makes its work visible."""
        counts = {key: value for key, value in asdict(stats).items() if key not in ("failures", "job")}
        failures = [failure._asdict() for failure in stats.failures]
        jobs.end(connection, self.job.id, "completed", now(), stats=counts, failures=failures)

    def _act(self, seen: Watch) -> RunStats:
        if self.job.action == "repair":
            return self._repair(seen)
        if self.must_clear:
            self.clear(seen)
        if self.is_first:
            derive.drop_damaged(self.target.store)
        assert self.snapshot is not None
        with self.target.store.lease():
            stats = bring_up(self.target, self.snapshot, seen, run=self, is_first=self.is_first)
        self.needs_sweep = self.is_first or bool(stats.modified or stats.removed)
        return stats

    def _repair(self, seen: Watch) -> RunStats:
        seen(Progress("repair", 0, 0, 0, 0))
        stats = RunStats(parsed=0)
        stats.files = derive.rebuild(self.target.store)
        exact.rebuild(self.target.store)
        with self.target.store.write() as connection:
            self.complete(connection, stats)
        return stats

    def clear(self, seen: Watch) -> None:
        """Drop what was there; before the run's own lease, so that the second sweep removes what the first marked."""
        seen(Progress("clear", 0, 0, 0, 0))
        with self.target.store.write() as connection:
            row = codebases.find_codebase(connection, self.target.root)
            assert row is not None
            snapshots.delete_snapshots(connection, row.id)
            self.snapshot = snapshots.ensure_snapshot(connection, row.id)
            jobs.mark_cleared(connection, self.job.id)
        for _ in range(2):
            sweep(self.target, self.job.id)

    def _fail(self, cause: str) -> None:
        """Say that it failed. Where even that cannot be written, the run counts as interrupted, which is true."""
        self._log.info("%s failed: %s", self.job.action, cause)
        try:
            if not self.target.store.exists:
                return  # removed under it: there is nothing left to say it in
            with self.target.store.write() as connection:
                if self.is_first:
                    _move(connection, self.target, "indexfailed", self.job.id, cause)
                jobs.end(connection, self.job.id, "failed", now(), error=cause)
        except (ClewError, OSError) as error:
            self._log.error("the failure could not be recorded: %s", error)


def begin_create(target: Target, *, force: bool = False, wait_s: float = SYNC_WAIT_S) -> Run:
    """Begin to index a tree, or take over an interrupted run; `force` starts from nothing."""
    store, root, action = target.store, target.root, "reindex" if force else "create"
    if target.provider is not None:
        target.provider.ready()  # the fingerprint that is recorded here names a dimension
    with _begun(target, action, wait_s) as run, store.write() as connection:
        before = gate.judge(store, connection, root)
        built = jobs.last_build(connection, root)
        left = jobs.interrupt_unfinished(connection, root, run.job.started_at)
        if not force and before.verdict == "ok" and before.proof.outcome == "valid":
            run.snapshot = before.snapshot  # made since this run was asked for: there is only a sync left to do
            jobs.add(connection, run.job, cleared=False)
            return run
        takes_over = before.row is not None and before.row.state == "indexing"
        is_foreign = before.verdict == "requires_reindex" or (
            before.row is not None and before.row.fingerprint != proof.fingerprint(store.model)
        )  # what another version made must not count as made by this one
        is_owed = (  # a reindex that died, or failed before it dropped anything, is still to be done
            built is not None
            and built.action == "reindex"
            and built.state != "completed"
            and (takes_over or not built.cleared)
        )
        wants_nothing_old = force or is_foreign or is_owed
        was_cleared = takes_over and is_owed and built is not None and built.cleared and not is_foreign
        action = "reindex" if wants_nothing_old else "create"
        run.must_clear = wants_nothing_old and not was_cleared
        resumes = left.id if takes_over and left is not None else None
        cause = f"{action}, taking over {resumes}" if resumes else action
        if before.claims_index and before.verdict == "not_indexed":
            run.notes = (
                "Local snapshot claims indexed, but completion proof is missing/invalid; "
                "treating as not_indexed for create.",
            )
            cause += f" (proof: {before.proof.reason})"
        run.job = Job(run.job.id, root, action, "running", run.job.started_at, resumes=resumes)
        _move(connection, target, "indexing", run.job.id, cause)
        row = codebases.find_codebase(connection, root)
        assert row is not None
        codebases.clear_marker(connection, row.id)
        jobs.add(connection, run.job, cleared=was_cleared)
        run.snapshot, run.is_first = snapshots.ensure_snapshot(connection, row.id), True
    return run


def begin_sync(target: Target, *, wait_s: float = SYNC_WAIT_S) -> Run:
    """Begin to bring a believed index up to date; one that another version made is marked as such."""
    store, root = target.store, target.root
    standing = gate.settle(store, root)
    if standing.verdict == "requires_reindex" and standing.claims_index:
        with contextlib.suppress(Busy), codebase_lock(store, root, wait_s=LOCK_WAIT_S), store.write() as connection:
            now_standing = gate.judge(store, connection, root)  # where it is busy, the verdict stands all the same
            if now_standing.verdict == "requires_reindex" and now_standing.claims_index:
                _move(connection, target, "requires_reindex", str(uuid.uuid4()), "sync met another fingerprint")
    gate.require(standing)
    with _begun(target, "sync", wait_s) as run, store.write() as connection:
        run.snapshot = gate.require(gate.judge(store, connection, root))
        jobs.interrupt_unfinished(connection, root, run.job.started_at)
        jobs.add(connection, run.job, cleared=False)
    return run


def begin_repair(target: Target, *, wait_s: float = SYNC_WAIT_S) -> Run:
    """Begin to rebuild the search index from the database; nothing is parsed."""
    store, root = target.store, target.root
    standing = gate.settle(store, root)
    if standing.verdict == "not_ready" or standing.row is None:
        raise gate.refusal(standing)
    with _begun(target, "repair", wait_s) as run, store.write() as connection:
        if standing.verdict != "interrupted":  # else its unfinished job is for the create that takes it over
            jobs.interrupt_unfinished(connection, root, run.job.started_at)
        jobs.add(connection, run.job, cleared=False)
    return run


def sync(target: Target, *, watch: Watch, keys: Sequence[str] | None = None, wait_s: float = SYNC_WAIT_S) -> RunStats:
    """Bring a believed index up to what the tree says now; nothing is written when nothing changed.

    With `keys` only those files are looked at: for callers that know what changed."""
    store, root, run = target.store, target.root, str(uuid.uuid4())
    gate.require(gate.settle(store, root))  # before the lock: an interrupted run is not to look alive
    with codebase_lock(store, root, wait_s=wait_s) as pulse, store.lease():
        snapshot = gate.require(gate.judge(store, store.connection(), root))

        def seen(progress: Progress) -> None:
            if progress.phase != "walk":  # a check that finds nothing leaves no trace
                pulse.beat(progress, run=run, action="sync")
            watch(progress)

        stats = bring_up(target, snapshot, seen, keys=keys, run_id=run)
    if stats.changes:
        log(root, run).info("synced: %s", _brief(stats))
    if stats.modified or stats.removed:
        sweep_if_due(target, run)
    return stats


def sweep_if_due(target: Target, run: str) -> None:
    """After a save: a sweep looks at everything, so it waits until there is something to remove."""
    if is_due(target.store.connection(), SWEEP_BATCH):
        sweep(target, run)


def sweep(target: Target, run: str) -> None:
    """Tidy up after a run; trouble with it is no trouble of the run, whose work is done."""
    try:
        swept = sweep_store(target.store)
    except (ClewError, OSError) as error:
        log(target.root, run).warning("the sweep failed and is left to the next run: %s", error)
    else:
        log(target.root, run).debug("swept: %d marked, %d removed", swept.marked, swept.removed)


def bring_up(
    target: Target,
    snapshot: Snapshot,
    watch: Watch,
    *,
    run: Run | None = None,
    run_id: str = "",
    is_first: bool = False,
    keys: Sequence[str] | None = None,
) -> RunStats:
    """Make the snapshot what the tree is now, and say so in the same transaction."""
    store, root, config = target.store, target.root, target.config
    watch(Progress("walk", 0, 0, 0, 0))
    connection, head = store.connection(), git.head(root)
    tree = look_at(root, keys, excluded_roots=target.excluded) if keys is not None else None
    if tree is not None and keys is not None:
        plan = plan_files(connection, snapshot, tree, keys, head)
    else:
        tree, known = find_tree(connection, snapshot, root, target.excluded)
        plan = plan_tree(connection, snapshot, tree, known, head, max_file_bytes=config.max_file_bytes)
    if len(tree.files) > config.max_files:
        raise BadInput(
            f"{root} has {len(tree.files)} files, more than max_files ({config.max_files}); ignore some in"
            " .clewignore, or raise CLEW_MAX_FILES"
        )
    if plan.is_empty and not is_first and plan.head == snapshot.head:
        stats = RunStats(files=snapshot.files, chunks=snapshot.chunks, symbols=snapshot.symbols)
        _note_unchanged(store, snapshot, tree, run, stats)
        return stats
    total = len(plan.suspects) + len(plan.outdated)
    size = sum(tree.files[path][0] for path in (*plan.suspects, *plan.outdated))
    generation = snapshot.generation

    def finish(connection: apsw.Connection, snapshot: Snapshot, stats: RunStats) -> None:
        if is_first or snapshot.generation != generation:
            state: State = "indexed" if is_first else "sync_completed"
            complete(connection, target, snapshot, run.job.id if run else run_id, state)
        if run is not None:
            run.complete(connection, stats)

    watch(Progress("parse", 0, total, 0, size))  # the first files are done with the first batch
    return apply_plan(
        store,
        snapshot,
        plan,
        processes=config.parsing_processes,
        max_file_bytes=config.max_file_bytes,
        report=lambda done, done_bytes: watch(Progress("parse", done, total, done_bytes, size)),
        embed=embedder(target, snapshot, watch, run=run),
        before_flip=lambda: watch(Progress("flip", total, total, size, size)),
        finish=finish,
    )


def embedder(target: Target, snapshot: Snapshot, watch: Watch, *, run: Run | None) -> Embed:
    """What gives facts their vectors before the flip. A run that makes an index looks at all that will be in it."""

    def embed(facts: set[int], stats: RunStats) -> bool:
        if target.provider is None:
            return False
        if run is not None and run.is_first:
            known = snapshots.entries(target.store.connection(), snapshot.id).values()
            facts = facts | {entry.facts for entry in known if entry.facts is not None}
        try:
            return embed_facts(target.store, target.provider, facts, stats=stats, watch=watch, in_hurry=run is None)
        except OtherDimension:  # it is learned by now; what begins from nothing takes it as it is
            if run is None or not run.is_first:
                raise
            with target.store.write() as connection:
                _move(connection, target, "indexing", run.job.id, "the provider's vectors have another dimension")
            return embed_facts(target.store, target.provider, facts, stats=stats, watch=watch)

    return embed


def complete(connection: apsw.Connection, target: Target, snapshot: Snapshot, run: str, state: State) -> None:
    """Marker and state, in the flip's transaction: the index is whole from here on."""
    payload = proof.marker_payload(
        target.root,
        files=snapshot.files,
        chunks=snapshot.chunks,
        run=run,
        completed_at=now(),
        model=target.store.model,
    )
    codebases.write_marker(connection, snapshot.codebase, payload)
    _move(connection, target, state, run, "completed")


@contextlib.contextmanager
def _begun(target: Target, action: str, wait_s: float) -> Iterator[Run]:
    """A run whose lock is held; given back if its beginning fails. It waits for a sync, but for no create."""
    deadline = time.monotonic() + wait_s
    with contextlib.ExitStack() as held:
        while True:
            try:
                pulse = held.enter_context(codebase_lock(target.store, target.root, wait_s=min(wait_s, LOCK_WAIT_S)))
                break
            except Busy:
                standing = gate.settle(target.store, target.root)
                if standing.verdict == "not_ready":
                    raise gate.refusal(standing) from None
                if time.monotonic() >= deadline:
                    raise
        job = Job(str(uuid.uuid4()), target.root, action, "running", now())
        pulse.begin(job.id, action)
        run = Run(target, job, held, pulse)
        yield run
        run.held = held.pop_all()


def _move(connection: apsw.Connection, target: Target, state: State, run: str, cause: str) -> None:
    fingerprint = proof.fingerprint(target.store.model)
    states.move(connection, target.root, state, run=run, cause=cause, fingerprint=fingerprint)


def _note_unchanged(store: Store, snapshot: Snapshot, tree: Tree, run: Run | None, stats: RunStats) -> None:
    """A walk that found nothing new may still have found other time stamps: the next check knows them."""
    record = tree.footprint() if tree.is_whole else None
    is_news = record is not None and record != snapshots.footprint(store.connection(), snapshot.id)
    if is_news or run is not None:
        with store.write() as connection:
            if is_news:
                snapshots.save_footprint(connection, snapshot.id, record)
            if run is not None:
                run.complete(connection, stats)


def _brief(stats: RunStats) -> str:
    return (
        f"{stats.files} files; {stats.added} added, {stats.modified} modified, {stats.removed} removed,"
        f" {stats.moved} moved, {stats.failed} failed; {stats.parsed} parsed"
    )
