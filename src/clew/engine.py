"""Engine: one short method for each thing a user can do. Interfaces call this and nothing below it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw

from clew.config import Config, load_config
from clew.errors import BadInput, BadPath, Busy, ClewError, NotFound, StoreCorrupt, StoreError
from clew.index import runs
from clew.index.runs import Watch
from clew.lifecycle import freshness, lock, proof, states, status
from clew.lifecycle.catalog import Catalog, Codebase
from clew.parse.languages import resolve_language
from clew.search import find, navigate
from clew.search.filters import Filter, make_filter
from clew.search.query import parse_query
from clew.source import roots
from clew.source.git import git_blob_hash
from clew.source.reading import read_file
from clew.store import codebases, derive, facts, integrity, snapshots
from clew.store.database import translated
from clew.store.postings import FileOf
from clew.store.snapshots import Snapshot
from clew.store.store import Store
from clew.store.sweep import sweep
from clew.types import (
    PROJECT,
    Check,
    CodebaseState,
    Content,
    FileContent,
    FileItem,
    Found,
    Freshness,
    Health,
    Hit,
    NamedSymbol,
    Outline,
    Paths,
    Progress,
    RunStats,
    Stat,
    SymbolsFound,
)

MAX_READ_LINES = 2_000
_COALESCE_WAIT_S = 0.5  # for another process's sync; then the state before it is read


@dataclass(frozen=True, slots=True)
class Scope:
    """Which files a question is about, as the user wrote it."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


def no_watch(_: Progress) -> None:
    """For runs that nobody looks at."""


class Engine:
    """All of Clew for one `CLEW_HOME`. Safe to share between threads."""

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or load_config()
        self.catalog = Catalog(self.config.home)

    def close(self) -> None:
        """Close this thread's connections."""
        self.catalog.close()

    # -- the index ---------------------------------------------------------------------------------

    def root_for_index(self, path: str | None = None, *, force: bool = False) -> str:
        """The root that `index` would work on: the codebase around the path, else the path itself."""
        return self.catalog.root_for_index(path, force=force)

    def index(self, path: str | None = None, *, force: bool = False, watch: Watch = no_watch) -> RunStats:
        """Create the index of a tree, or bring it up to date; `force` rebuilds it."""
        root = self.root_for_index(path, force=force)
        store = self.catalog.store_for(root)
        excluded = self.catalog.nested(root)
        store.connection()  # a store that cannot be used is not registered
        if root not in self.catalog.registry.all():
            self.catalog.registry.add(root, store.directory)
        if not force and self._is_believed(store, root):
            return runs.sync(store, root, config=self.config, watch=watch, excluded=excluded)
        return runs.create(store, root, config=self.config, watch=watch, force=force, excluded=excluded)

    def sync(self, path: str | None = None, *, files: Iterable[str] | None = None, watch: Watch = no_watch) -> RunStats:
        """Bring an index up to date; it must exist. With `files` (keys), only those are looked at."""
        codebase = self.resolve(path)
        return runs.sync(
            codebase.store,
            codebase.root,
            config=self.config,
            watch=watch,
            excluded=self.catalog.nested(codebase.root),
            keys=None if files is None else [roots.file_key(key) for key in files],
        )

    def index_content(
        self, project: str, files: Iterable[FileContent], *, removed: Iterable[str] = (), watch: Watch = no_watch
    ) -> RunStats:
        """Index contents under a project's name; no file system is read."""
        if not project or "\0" in project or not roots.is_text(project):
            raise BadInput("a project needs a name")
        root = PROJECT + project
        store = self.catalog.store_for(root)
        store.connection()
        self.catalog.registry.add(root, store.directory)
        return runs.index_content(
            store, root, _checked(files), removed=[roots.file_key(p) for p in removed], config=self.config, watch=watch
        )

    def clear(self, path: str | None = None) -> str:
        """Remove the index of a codebase; the tree is not touched."""
        codebase = self.resolve(path)
        root, store, directory = codebase.root, codebase.store, codebase.store.directory
        with contextlib.ExitStack() as held:
            if directory.exists():
                held.enter_context(lock.codebase_lock(store, root))
            others = [r for r, d in self.catalog.registry.all().items() if d == directory and r != root]
            if others:
                try:
                    _forget(store, root)
                except StoreCorrupt:
                    others = []  # nothing in it can be saved for them either
            self.catalog.registry.remove(root)
            if not others:
                self.catalog.drop_store(directory)
                shutil.rmtree(directory, ignore_errors=True)
        return root

    def repair(self, path: str | None = None) -> int:
        """Rebuild the candidate index from the database; nothing is parsed. The number of blobs in it."""
        codebase = self.resolve(path)
        with lock.codebase_lock(codebase.store, codebase.root):
            return derive.rebuild(codebase.store)

    # -- questions ---------------------------------------------------------------------------------

    def search(
        self, text: str, path: str | None = None, *, limit: int | None = None, scope: Scope | None = None
    ) -> Found:
        """Hits for a question, best first, each checked against the disk."""
        limit = self.config.result_limit if limit is None else limit
        if limit < 1:
            raise BadInput("the limit must be at least 1")
        query = parse_query(text)
        codebase, where = self._question(path, scope)
        with self._reading(codebase) as (connection, snapshot, fresh):
            _require_files(connection, snapshot, codebase)
            ranking = find.find(codebase.store, connection, snapshot, query, where)
            ranked = ranking.hits
            hits: list[Hit] = []
            taken = 0
            for hit in ranked:
                if len(hits) == limit:
                    break
                taken += 1
                is_fresh = self._check(codebase, connection, hit.file, fresh)
                if is_fresh is None:
                    continue
                shown = find.show(connection, hit)
                hits.append(
                    Hit(
                        hit.file.path,
                        shown.start_line,
                        shown.end_line,
                        shown.symbol,
                        shown.kind,
                        hit.file.language,
                        round(hit.score, 4),
                        shown.snippet,
                        snapshots.blob_hash(connection, hit.file.blob),
                        is_fresh,
                    )
                )
            total = len(ranked) - fresh.dropped
            return Found(
                codebase.root, fresh, tuple(hits), total, taken < len(ranked) or not ranking.is_complete, query.terms
            )

    def symbol(
        self, name: str, path: str | None = None, *, kind: str | None = None, scope: Scope | None = None
    ) -> SymbolsFound:
        """Where a name is defined."""
        codebase, where = self._question(path, scope)
        with self._reading(codebase) as (connection, snapshot, fresh):
            _require_files(connection, snapshot, codebase)
            found = navigate.symbols_named(connection, snapshot, name, where, kind=kind)
            checks = {item.file.path: self._check(codebase, connection, item.file, fresh) for item in found}
            named = tuple(
                NamedSymbol(item.file.path, item.file.language, item.symbol, is_fresh)
                for item in found
                if (is_fresh := checks[item.file.path]) is not None
            )
            return SymbolsFound(codebase.root, fresh, named)

    def outline(self, file: str) -> Outline:
        """The definitions of a file."""
        codebase, key = self.catalog.resolve_file(file)
        with self._reading(codebase) as (connection, snapshot, fresh):
            entry = navigate.file_entry(connection, snapshot, key)
            if not codebase.is_project and not os.path.lexists(os.path.join(codebase.root, key)):
                raise NotFound(f"{key} is in the index, but is gone from the disk; `clew sync` takes it out")
            return Outline(
                codebase.root, fresh, key, entry.language, entry.skip, tuple(navigate.outline(connection, entry))
            )

    def paths(self, path: str | None = None, *, limit: int = 1_000, scope: Scope | None = None) -> Paths:
        """The files of a codebase."""
        if limit < 1:
            raise BadInput("the limit must be at least 1")
        codebase, where = self._question(path, scope)
        with self._reading(codebase) as (connection, snapshot, fresh):
            _require_files(connection, snapshot, codebase)
            entries = navigate.list_entries(connection, snapshot, where)
            items = tuple(FileItem(e.path, e.stat.size, e.stat.mtime_ns, e.language, e.skip) for e in entries[:limit])
            return Paths(codebase.root, fresh, items, len(entries), len(entries) > limit)

    def read(self, file: str, *, lines: tuple[int, int] | None = None, symbol: str | None = None) -> Content:
        """A file's text as it is on disk now, or the part of it that a symbol or a range of lines names."""
        codebase, key = self.catalog.resolve_file(file)
        with self._reading(codebase) as (connection, snapshot, fresh):
            entry = navigate.file_entry(connection, snapshot, key)
            if symbol is not None:
                found = navigate.symbol_in(connection, entry, symbol)
                lines = (found.start_line, found.end_line)
            if entry.skip in ("binary", "huge", "unreadable"):
                raise BadInput(f"{key} is {entry.skip}; it is listed but not read")
            content, _ = self._content(codebase, connection, key, entry.blob)
            if symbol is not None and git_blob_hash(content).hex() != snapshots.blob_hash(connection, entry.blob or 0):
                raise ClewError(f"{key} changed while it was read; ask again")
        text = [line.removesuffix("\r") for line in content.decode("utf-8", "replace").split("\n")]
        if not text[-1]:  # not splitlines: a form feed ends no line
            text.pop()
        first, last = lines or (1, max(len(text), 1))
        if first < 1 or last < first:
            raise BadInput(f"lines {first}:{last} are not a range; write A:B with 1 ≤ A ≤ B")
        if first > max(len(text), 1):
            raise BadInput(f"{key} has {len(text)} lines; there is no line {first}")
        last = min(last, len(text))
        shown_last = min(last, first + MAX_READ_LINES - 1)
        return Content(
            codebase.root, fresh, key, "\n".join(text[first - 1 : shown_last]), first, shown_last, len(text),
            shown_last < last, entry.language,
        )  # fmt: skip

    # -- state -------------------------------------------------------------------------------------

    def status(self, path: str | None = None) -> CodebaseState:
        """What is known of a codebase, and with what proof."""
        codebase = self.resolve(path)
        return status.describe(codebase.store, codebase.root)

    def list(self) -> list[CodebaseState]:
        """Every codebase, by root; one whose store cannot be read is listed as failed."""
        found = []
        for root, directory in self.catalog.registry.all().items():
            try:
                found.append(status.describe(self.catalog.store(directory), root))
            except StoreError:
                found.append(CodebaseState(root, "indexfailed", "probe_failed", store=str(directory)))
        return found

    def doctor(self) -> Health:
        """Whether everything that Clew stands on is sound, with what to do where it is not."""
        checks: list[Check] = []
        orphans = 0
        stores: dict[Path, list[str]] = {}
        for root, directory in self.catalog.registry.all().items():
            stores.setdefault(directory, []).append(root)
        for directory, shared_by in stores.items():
            subject = ", ".join(shared_by)
            try:
                found = integrity.inspect(self.catalog.store(directory))
            except ClewError as error:
                checks.append(Check(subject, False, str(error)))
                continue
            orphans += found.orphans
            checks.append(Check(subject, not found.problems, "; ".join(found.problems) or found.summary))
        return Health(tuple(checks), orphans)

    def resolve(self, path: str | None = None) -> Codebase:
        """The codebase that a path belongs to, or `NotIndexed`."""
        return self.catalog.resolve(path)

    # -- helpers -----------------------------------------------------------------------------------

    def _is_believed(self, store: Store, root: str) -> bool:
        with translated(store.database):
            row = codebases.find_codebase(store.connection(), root) if store.exists else None
            return (
                row is not None
                and row.state in states.SEARCHABLE
                and proof.validate(store.connection(), row).outcome == "valid"
            )

    def _question(self, path: str | None, scope: Scope | None) -> tuple[Codebase, Filter]:
        codebase = self.resolve(path)
        scope = scope or Scope()
        where = make_filter(
            include=scope.include, exclude=scope.exclude, languages=scope.languages, subtree=codebase.subtree
        )
        return codebase, where

    @contextlib.contextmanager
    def _reading(self, codebase: Codebase) -> Iterator[tuple[apsw.Connection, Snapshot, Freshness]]:
        """A pinned, believed state of the codebase, synced with the disk first."""
        decision = "fresh"
        if not codebase.is_project:
            decision = self._freshen(codebase)
        with codebase.store.read() as connection:
            snapshot = runs.believed(connection, codebase.root)
            yield (
                connection,
                snapshot,
                Freshness(decision, snapshot.ref, snapshot.head, snapshot.generation, states.now()),
            )

    def _freshen(self, codebase: Codebase) -> str:
        """Sync before an answer; when another process is at it, the state before its flip is good enough."""
        excluded = self.catalog.nested(codebase.root)
        try:
            done = runs.sync(
                codebase.store,
                codebase.root,
                config=self.config,
                watch=no_watch,
                excluded=excluded,
                wait_s=_COALESCE_WAIT_S,
            )
        except Busy:
            if runs.is_being_created(codebase.store, codebase.root):
                raise
            return "coalesced"
        return "synced" if done.added or done.modified or done.removed or done.moved else "fresh"

    def _check(self, codebase: Codebase, connection: apsw.Connection, file: FileOf, fresh: Freshness) -> bool | None:
        """Whether a file still has the indexed content, None when it is gone; counted in `fresh`."""
        found: bool | None = True
        if not codebase.is_project:
            blob_hash = snapshots.blob_hash(connection, file.blob)
            found = freshness.verify(codebase.root, file.path, file.stat, blob_hash, limit=self.config.max_file_bytes)
        fresh.dropped += found is None
        fresh.verified += found is True
        return found

    def _content(
        self, codebase: Codebase, connection: apsw.Connection, key: str, blob: int | None
    ) -> tuple[bytes, Stat | None]:
        if codebase.is_project and blob is not None:
            return facts.content(connection, blob), None
        try:
            return read_file(codebase.root, key, limit=self.config.max_file_bytes)
        except OSError as error:
            raise BadPath(f"cannot read {key}: {error.strerror}") from error


def _forget(store: Store, root: str) -> None:
    """Take one codebase out of a store that others share."""
    with store.write() as connection:
        row = codebases.find_codebase(connection, root)
        if row is not None:
            codebases.delete_codebase(connection, row.id)
    sweep(store)


def _checked(files: Iterable[FileContent]) -> Iterator[FileContent]:
    """Files with their keys and languages spelled in the one way; one that comes twice is refused."""
    seen: set[str] = set()
    for file in files:
        key = roots.file_key(file.path)
        language = file.language and resolve_language(file.language)
        if key in seen or file.content is None or (file.language and not language):
            raise BadInput(f"{file.path} comes twice, has no content or an unknown language ({file.language})")
        seen.add(key)
        yield FileContent(key, file.content, language=language, stat=file.stat)


def _require_files(connection: apsw.Connection, snapshot: Snapshot, codebase: Codebase) -> None:
    """An ignored or empty directory is not an empty answer: say so."""
    if codebase.subtree and not snapshots.has_files_below(connection, snapshot.id, codebase.subtree):
        raise NotFound(
            f"{codebase.subtree} has no file in the index of {codebase.root}: it is empty or ignored;"
            " `clew index` on it gives an ignored directory an index of its own"
        )
