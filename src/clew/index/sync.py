"""Brings a snapshot up to what a tree says, reading only what changed.

Stat first: an equal stat is an unchanged file, never opened. Then git's own index, whose hash may name a
content that the store has. Then the file itself. Main calls: `find_tree`, `plan_tree`, `apply_plan`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import apsw

from clew.answers import Diagnostic, RunStats
from clew.errors import BadPath
from clew.graph.build import Share, Update, plan_edges
from clew.index.aside import segments_aside
from clew.index.build import Embed, Report, Stored, store_contents
from clew.index.together import sharing
from clew.parse.languages import LANGUAGES, language_of
from clew.source.footprint import RACY_NS, look_again
from clew.source.git import git_blob_hash
from clew.source.reading import FileReader
from clew.source.trees import Tree, walk
from clew.store import facts, snapshots
from clew.store.snapshots import Entry, Snapshot
from clew.store.store import Store
from clew.types import FileContent, Stat
from clew.uncollected import uncollected

Finish = Callable[[apsw.Connection, Snapshot, RunStats], None]
_SHOWN_FAILURES = 20
_FAILURES = frozenset({"failed", "parser_failed", "unreadable"})


@dataclass(slots=True)
class Plan:
    """What a tree has that the snapshot has not, and the other way round."""

    tree: Tree
    head: str
    suspects: list[str]  # new, or with another stat
    outdated: list[str]  # parsed by an older extractor
    removed: list[str]
    old: frozenset[str] = frozenset()  # outdated or not, whatever has facts of an older extractor

    @property
    def is_empty(self) -> bool:
        return not (self.suspects or self.outdated or self.removed)


def find_tree(
    connection: apsw.Connection, snapshot: Snapshot, root: str, excluded: frozenset[str]
) -> tuple[Tree, dict[str, Stat]]:
    """The tree as it is and as the snapshot knows it; walked only if the footprint cannot prove the list of files."""
    known = snapshots.stats(connection, snapshot.id)
    record = snapshots.footprint(connection, snapshot.id)
    files = look_again(root, record, known, excluded) if record is not None else None
    if files is not None:
        return Tree(root, dict(files), [], None, [], is_whole=False), known
    return walk(root, excluded_roots=excluded), known


def plan_tree(
    connection: apsw.Connection,
    snapshot: Snapshot,
    tree: Tree,
    known: dict[str, Stat],
    head: str,
    *,
    max_file_bytes: int,
) -> Plan:
    """Compare a walked tree with the snapshot by stat alone; a changed limit makes suspects of what it concerns."""
    current = {(language.name, language.extractor) for language in LANGUAGES.values()}
    outdated = snapshots.paths_by_extractor(connection, snapshot.id, current)
    against = snapshots.paths_against_limit(connection, snapshot.id, max_file_bytes, known)
    removed = [path for path in against if path not in tree.files]
    for path in against:
        del known[path]
    suspects: list[str] = []
    still_outdated = outdated
    if known != tree.files or removed:  # a native comparison, and nearly every check finds them equal
        suspects = [path for path, stat in tree.files.items() if known.get(path) != stat]
        removed += [path for path in known if path not in tree.files]
        doubted = set(suspects) | set(removed)
        still_outdated = [path for path in outdated if path not in doubted]
    for path in (*suspects, *still_outdated):  # plain tuples where no walk was needed
        tree.files[path] = Stat(*tree.files[path])
    return Plan(tree, head, suspects, still_outdated, removed, frozenset(outdated))


def plan_files(connection: apsw.Connection, snapshot: Snapshot, tree: Tree, keys: Iterable[str], head: str) -> Plan:
    """Compare some files with the snapshot; `tree` holds those of `keys` that are there."""
    known = {key: entry for key in keys if (entry := snapshots.entry_at(connection, snapshot.id, key))}
    suspects = [key for key, stat in tree.files.items() if key not in known or known[key].stat != stat]
    return Plan(tree, head, suspects, [], [key for key in known if key not in tree.files])


def apply_plan(
    store: Store,
    snapshot: Snapshot,
    plan: Plan,
    *,
    processes: int,
    max_file_bytes: int,
    report: Report,
    embed: Embed,
    before_flip: Callable[[], None],
    finish: Finish,
) -> RunStats:
    """Store what changed and flip the snapshot; `finish` joins the flip's transaction."""
    stats = RunStats()
    connection = store.connection()
    known = (*plan.suspects, *plan.outdated, *plan.removed) if snapshot.files else ()
    before = {path: entry for path in known if (entry := snapshots.entry_at(connection, snapshot.id, path))}
    reader = _Reader(store, plan, before, max_file_bytes, stats)
    stored = store_contents(
        store,
        reader.files(),
        generations={path: entry.generation for path, entry in before.items()},
        processes=processes,
        stats=stats,
        report=report,
        embed=embed,
    )
    removed = [*plan.removed, *(path for path in reader.vanished if path in before)]
    _count_changes(stats, before, stored, removed)
    _count_diagnostics(stats, [*plan.tree.diagnostics, *stored.diagnostics])
    before_flip()
    with uncollected(), segments_aside(store, processes=processes, is_late=stored.is_late) as note_segments:
        graph = plan_graph(store, snapshot, stored.entries, removed, sharing(store, processes=processes))
        is_flipped = bool(stored.entries or removed or plan.head != snapshot.head or not snapshot.generation)
        with store.write() as connection:
            revive_entries(connection, stored.entries)
            snapshots.refresh_stats(connection, snapshot.id, reader.unchanged)
            if is_flipped:
                walked = Counter(diagnostic.reason for diagnostic in plan.tree.diagnostics)
                left_out = walked if plan.tree.is_whole else snapshot.diagnostics
                snapshot = snapshots.flip(
                    connection, snapshot, stored.entries, removed, head=plan.head, diagnostics=left_out
                )
                graph.apply(connection, snapshot.id)
            if plan.tree.is_whole:
                snapshots.save_footprint(connection, snapshot.id, plan.tree.footprint())
            stats.files, stats.chunks, stats.symbols = snapshot.files, snapshot.chunks, snapshot.symbols
            note_segments(connection)
            finish(connection, snapshot, stats)
    if is_flipped:
        graph.keep(store, snapshot)
    return stats


def plan_graph(
    store: Store, snapshot: Snapshot, entries: Iterable[Entry], removed: Iterable[str], share: Share | None = None
) -> Update:
    """What the flip of these entries changes in the graph."""
    changes: dict[str, tuple[int, str] | None] = dict.fromkeys(removed)
    for entry in entries:
        changes[entry.path] = (entry.facts, entry.language) if entry.facts is not None else None
    return plan_edges(store, snapshot, changes, share)


def revive_entries(connection: apsw.Connection, entries: Iterable[Entry]) -> None:
    """What these entries refer to is in use again, whatever a sweep has marked meanwhile."""
    facts.revive(connection, {e.blob for e in entries if e.blob}, {e.facts for e in entries if e.facts})


class _Reader:
    """Turns suspects into contents, by hash where the store has it, else by reading the file."""

    def __init__(
        self, store: Store, plan: Plan, before: Mapping[str, Entry], max_file_bytes: int, stats: RunStats
    ) -> None:
        self._connection = store.connection()
        self._plan, self._before, self._limit, self._stats = plan, before, max_file_bytes, stats
        self.unchanged: dict[str, Stat] = {}
        self.vanished: list[str] = []

    def files(self) -> Iterator[FileContent]:
        with FileReader(self._plan.tree.root) as disk:
            for path in self._plan.suspects:
                file = self._suspect(disk, path, Stat(*self._plan.tree.files[path]))
                if file is not None:
                    yield file
        for path in self._plan.outdated:
            entry = self._before[path]
            assert entry.blob is not None
            yield FileContent(path, facts.content(self._connection, entry.blob), stat=entry.stat)

    def _suspect(self, disk: FileReader, path: str, stat: Stat) -> FileContent | None:
        if stat.size > self._limit:
            return FileContent(path, None, stat=stat, skip="huge")
        blob_hash = self._hash_from_git(path, stat)
        if blob_hash is not None:
            return None if self._is_same(path, blob_hash, stat) else FileContent(path, None, blob_hash, stat)
        moment = time.time_ns()  # before the read, however long it takes: what changes after it is younger
        try:
            content, read_stat = disk.read(path, limit=self._limit)
        except FileNotFoundError:
            self.vanished.append(path)
            return None
        except (OSError, BadPath):
            stat, entry = _settled(stat, moment), self._before.get(path)
            if entry is not None and entry.skip == "unreadable":  # as before
                self.unchanged[path] = stat
                return None
            return FileContent(path, None, stat=stat, skip="unreadable")
        self._stats.read += 1
        if len(content) > self._limit:
            return FileContent(path, None, stat=read_stat, skip="huge")
        blob_hash = git_blob_hash(content)
        read_stat = _settled(read_stat, moment)
        if self._is_same(path, blob_hash, read_stat):
            return None
        return FileContent(path, content, blob_hash, read_stat)

    def _hash_from_git(self, path: str, stat: Stat) -> bytes | None:
        """Git's hash for this file, if git vouches for it and the store has that content's facts."""
        language = LANGUAGES[language_of(path)]
        trusted = self._plan.tree.trusted_hash(path) if language.name != "other" else None
        blob = facts.find_blob(self._connection, trusted.hash) if trusted is not None else None
        if trusted is None or blob is None or blob.size != stat.size:
            return None
        known = facts.find_facts(self._connection, blob.id, language.name, language.extractor)
        return trusted.hash if known is not None else None

    def _is_same(self, path: str, blob_hash: bytes, stat: Stat) -> bool:
        """Whether the entry has this very content already: then only its stat is noted."""
        entry = self._before.get(path)
        if entry is None or entry.blob is None or path in self._plan.old:
            return False
        blob = facts.find_blob(self._connection, blob_hash)
        if blob is None or blob.id != entry.blob:
            return False
        self.unchanged[path] = stat
        return True


def _settled(stat: Stat, moment: int) -> Stat:
    """A stat that can be believed later; one of a file changed just before this moment cannot, and equals none."""
    if moment - max(stat.mtime_ns, stat.ctime_ns) < RACY_NS:
        return stat._replace(ctime_ns=-1)
    return stat


def _count_changes(stats: RunStats, before: Mapping[str, Entry], stored: Stored, removed: list[str]) -> None:
    gone = Counter(before[path].blob for path in removed if path in before)
    for entry in stored.entries:
        if entry.path in before:
            stats.modified += 1
        elif entry.blob is not None and gone[entry.blob] > 0:
            gone[entry.blob] -= 1
            stats.moved += 1
        else:
            stats.added += 1
    stats.removed = len(removed) - stats.moved


def _count_diagnostics(stats: RunStats, diagnostics: list[Diagnostic]) -> None:
    stats.skipped = dict(Counter(diagnostic.reason for diagnostic in diagnostics))
    stats.failures = [diagnostic for diagnostic in diagnostics if diagnostic.reason in _FAILURES][:_SHOWN_FAILURES]
