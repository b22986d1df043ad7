"""Indexes contents that came from anywhere: no file system is read. Main call: `index_content`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from clew.answers import RunStats
from clew.errors import BadInput
from clew.index.aside import catch_up, segments_aside
from clew.index.build import store_contents
from clew.index.runs import LOCK_WAIT_S, Run, Target, Watch, begin_create, complete, embedder, sweep_if_due
from clew.index.sync import plan_graph, revive_entries
from clew.lifecycle import gate
from clew.lifecycle.lock import codebase_lock
from clew.parse.languages import resolve_language
from clew.source.roots import file_key
from clew.store import snapshots
from clew.store.snapshots import Entry, Snapshot
from clew.types import FileContent, Progress, Stat
from clew.uncollected import uncollected


def index_content(
    target: Target, run_id: str, files: Iterable[FileContent], *, removed: Iterable[str] = (), watch: Watch
) -> RunStats:
    """The snapshot of a project gains `files` and loses `removed`; a first call makes the index."""
    store, root = target.store, target.root
    standing = gate.settle(store, root)
    if standing.verdict == "not_ready":
        raise gate.refusal(standing)
    if standing.verdict != "ok":
        run = begin_create(target)

        def act(seen: Watch) -> RunStats:
            if run.must_clear:
                run.clear(seen)
            assert run.snapshot is not None
            with store.lease():
                return _take(target, run.snapshot, run.job.id, files, removed, seen, run=run)

        return run.work(watch, act)
    with codebase_lock(store, root, wait_s=LOCK_WAIT_S), store.lease():
        snapshot = gate.require(gate.judge(store, store.connection(), root))
        stats = _take(target, snapshot, run_id, files, removed, watch)
    if stats.modified or stats.removed:
        sweep_if_due(target, run_id)
    return stats


def checked(files: Iterable[FileContent]) -> Iterator[FileContent]:
    """Files with their keys and languages spelled in the one way; one that comes twice is refused."""
    seen: set[str] = set()
    for file in files:
        key = file_key(file.path)
        language = file.language and resolve_language(file.language)
        if key in seen or file.content is None or (file.language and not language):
            raise BadInput(f"{file.path} comes twice, has no content or an unknown language ({file.language})")
        seen.add(key)
        yield FileContent(key, file.content, language=language, stat=file.stat)


def _take(
    target: Target,
    snapshot: Snapshot,
    run_id: str,
    files: Iterable[FileContent],
    removed: Iterable[str],
    watch: Watch,
    *,
    run: Run | None = None,
) -> RunStats:
    stats, store, config = RunStats(), target.store, target.config
    known = snapshots.entries(store.connection(), snapshot.id)
    stored = store_contents(
        store,
        (_within(file, config.max_file_bytes) for file in files),
        generations={path: entry.generation for path, entry in known.items()},
        processes=config.parsing_processes,
        stats=stats,
        report=lambda done, size: watch(Progress("parse", done, 0, size, 0)),
        embed=embedder(target, snapshot, watch, run=run),
    )
    changed = [entry for entry in stored.entries if entry.path not in known or _differs(known[entry.path], entry)]
    given = {entry.path for entry in stored.entries}
    gone = [path for path in dict.fromkeys(removed) if path in known and path not in given]
    if len(known) + len(changed) > config.max_files:
        raise BadInput(f"{target.root} would have more files than max_files ({config.max_files}); raise CLEW_MAX_FILES")
    stats.added = sum(entry.path not in known for entry in changed)
    stats.modified, stats.removed = len(changed) - stats.added, len(gone)
    stats.skipped = dict(Counter(diagnostic.reason for diagnostic in stored.diagnostics))
    if changed or gone or run is not None:
        processes, is_late = config.parsing_processes, stored.is_late
        with uncollected(), segments_aside(store, processes=processes, is_late=is_late) as note_segments:
            graph = plan_graph(store, snapshot, changed, gone)
            with store.write() as connection:
                revive_entries(connection, stored.entries)
                snapshot = snapshots.flip(connection, snapshot, changed, gone, head="no-head", diagnostics={})
                graph.apply(connection, snapshot.id)
                is_first = run is not None and run.is_first
                complete(connection, target, snapshot, run_id, "indexed" if is_first else "sync_completed")
                stats.files, stats.chunks, stats.symbols = snapshot.files, snapshot.chunks, snapshot.symbols
                note_segments(connection)
                if run is not None:
                    run.complete(connection, stats)
        graph.keep(store, snapshot)
    else:
        catch_up(store, is_late=stored.is_late)
    stats.files, stats.chunks, stats.symbols = snapshot.files, snapshot.chunks, snapshot.symbols
    return stats


def _within(file: FileContent, limit_bytes: int) -> FileContent:
    """A file as it is taken: one that is too large is listed without its content."""
    if file.content is None or len(file.content) <= limit_bytes:
        return file
    stat = Stat(len(file.content), 0, 0, 0)
    return FileContent(file.path, None, stat=stat, skip="huge", language=file.language)


def _differs(old: Entry, new: Entry) -> bool:
    return (old.blob, old.facts, old.skip) != (new.blob, new.facts, new.skip)
