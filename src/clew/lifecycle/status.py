"""What is known of a codebase, and with what proof; reads the store and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew import native
from clew.answers import Check, CodebaseState, Job
from clew.errors import ClewError, StoreCorrupt, StoreError, StoreTooNew
from clew.lifecycle import gate, lock
from clew.lifecycle.catalog import Catalog
from clew.store import codebases, integrity, jobs, snapshots
from clew.store.database import translated
from clew.store.store import Store

_SHOWN_JOBS = 5
_SHOWN_TRANSITIONS = 10
_WITHOUT_C = (
    "the inner loops run in Python, so searches and indexing take longer, with the same answers: no C compiler was"
    " there when Clew was installed, or its sources have changed since; install it again with one (`pip install"
    " --no-cache-dir`, since pip may have kept what it built)"
)


@dataclass(frozen=True, slots=True)
class Health:
    """What the doctor found."""

    checks: tuple[Check, ...]
    orphans: int


def describe(store: Store, root: str) -> CodebaseState:
    """The state of one codebase of a store."""
    standing = gate.settle(store, root)
    row, snapshot, found = standing.row, standing.snapshot, standing.proof
    if row is None:
        return CodebaseState(root, "not_found", "missing_marker_doc", message=gate.explain(standing))
    with translated(store.database):
        connection = store.connection()
        return CodebaseState(
            root,
            row.state,
            found.reason or found.outcome,
            verdict=standing.verdict,
            message=gate.explain(standing) if standing.verdict != "ok" else "",
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
            marker_present=found.marker_present,
            heartbeat=standing.heartbeat,
            jobs=tuple(recent_jobs(store, root, _SHOWN_JOBS)),
            transitions=tuple(codebases.transitions(connection, root, _SHOWN_TRANSITIONS)),
        )


def listed(catalog: Catalog) -> list[CodebaseState]:
    """Every codebase by root, in short. A store that cannot be read now changes nothing that is known of it."""
    found = []
    for root, known in catalog.registry.known().items():
        try:
            standing = gate.settle(catalog.store(known.store), root)
        except (StoreCorrupt, StoreTooNew):  # not for a while: nothing can be asked of it
            found.append(CodebaseState(root, "indexfailed", "probe_failed"))
        except StoreError:
            found.append(CodebaseState(root, known.state, "probe_failed", files=known.files, chunks=known.chunks))
        else:
            row, snapshot, proof = standing.row, standing.snapshot, standing.proof
            found.append(
                CodebaseState(
                    root,
                    row.state if row else "not_found",
                    proof.reason or proof.outcome,
                    verdict=standing.verdict,
                    files=snapshot.files if snapshot else 0,
                    chunks=snapshot.chunks if snapshot else 0,
                )
            )
    return found


def inspected(catalog: Catalog, others: tuple[Check, ...] = ()) -> Health:
    """Whether every store is sound, with what to do where it is not; `others` were made elsewhere."""
    checks: list[Check] = []
    orphans = 0
    for directory, shared_by in catalog.stores().items():
        subject = ", ".join(shared_by)
        try:
            found = integrity.inspect(catalog.store(directory))
        except ClewError as error:
            checks.append(Check(subject, False, str(error)))
            continue
        orphans += found.orphans
        checks.append(Check(subject, not found.problems, "; ".join(found.problems) or found.summary))
    if native.kernels is None:
        checks.append(Check("clew.native", True, _WITHOUT_C))
    return Health((*checks, *others), orphans)


def recent_jobs(store: Store, root: str, limit: int = jobs.KEPT) -> list[Job]:
    """The jobs of a codebase, newest first; one whose process died is interrupted, whatever its row says."""
    if not store.exists:
        return []
    with translated(store.database):
        return [_as_it_is(store, job) for job in jobs.recent(store.connection(), root, limit)]


def _as_it_is(store: Store, job: Job) -> Job:
    """A recorded job with what its lock says: at work with this progress, or dead after that."""
    if job.state != "running":
        return job
    is_alive, sign = lock.is_alive(store, job.root, job.id)
    if is_alive:
        return replace(job, heartbeat=sign)
    ended = jobs.find(store.connection(), job.id)  # it may have ended while its lock was looked at
    if ended is None or ended.state != "running":
        return ended or job
    return replace(job, state="interrupted", heartbeat=sign)
