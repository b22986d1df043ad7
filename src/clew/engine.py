"""Engine: one short method for each thing a user can do. Interfaces call this and nothing below it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from clew.config import Config, load_config
from clew.embed.choose import Encoders
from clew.embed.encoder import Asked
from clew.errors import BadInput, ClewError, Gated, NotFound, StoreError
from clew.index import contents, runs
from clew.index.runs import Run, Target, Watch
from clew.lifecycle import freshness, gate, removal, status
from clew.lifecycle.catalog import Catalog, Codebase
from clew.lifecycle.clock import now
from clew.lifecycle.freshness import Freshener
from clew.lifecycle.jobs import Jobs
from clew.lifecycle.log import log
from clew.search import exact, find, navigate
from clew.search.exact import Page
from clew.search.filters import Filter, Scope, make_filter, narrowed
from clew.search.hits import overlaps, shown
from clew.search.pattern import TextQuery, compile_pattern
from clew.search.query import Mode, View, like_code, parse_query
from clew.search.reading import Reader, Reading, probe_of
from clew.source import git, roots
from clew.source.git import git_blob_hash
from clew.store import snapshots
from clew.store.registry import Registry
from clew.types import (
    PROJECT,
    CodebaseState,
    Content,
    FileContent,
    FileItem,
    Found,
    Freshness,
    Health,
    Job,
    Managed,
    NamedSymbol,
    Outline,
    Paths,
    Progress,
    RunStats,
    SymbolsFound,
    TextFound,
)

MANAGED_ACTIONS = ("create", "reindex", "sync", "repair", "clear")
_COALESCE_WAIT_S = 0.5  # for another process's sync; then the state before it is read


def no_watch(_: Progress) -> None:
    """For runs that nobody looks at."""


class Engine:
    """All of Clew for one `CLEW_HOME`. Safe to share between threads.

    A server sets `watching`: codebases that are asked about are then watched, and checks cost next to nothing.
    `watch` is shown the progress of the checks before answers."""

    def __init__(self, config: Config | None = None, *, watching: bool = False, watch: Watch = no_watch) -> None:
        self.config = config or load_config()
        registry = Registry(self.config.home)
        self._encoders = Encoders(self.config, registry.dimension, registry.note_dimension)
        self.catalog = Catalog(registry, self._encoders.name, self._encoders.encode)
        self._watch = watch
        self._jobs = Jobs(self.config.max_jobs, self.catalog.close)
        self._freshener = Freshener(
            self._sync_quickly,
            self.catalog.nested,
            recent_s=self.config.recheck_ms / 1000,
            is_watching=watching,
            release=self.catalog.close,
        )
        self._reader = Reader(self._freshener, self.config.max_file_bytes)

    def close(self) -> None:
        """Stop background work and watching, and close this thread's connections."""
        self._jobs.close()
        self._freshener.close()
        self.catalog.close()

    # -- the index ---------------------------------------------------------------------------------

    def root_for_index(self, path: str | None = None, *, force: bool = False) -> str:
        """The root that `index` would work on: the codebase around the path, else the path itself."""
        return self.catalog.root_for_index(path, force=force)

    def index(self, path: str | None = None, *, force: bool = False, watch: Watch = no_watch) -> RunStats:
        """Create the index of a tree, or bring it up to date; `force` rebuilds it."""
        run = self._begin_create(path, force=force, wait_s=runs.SYNC_WAIT_S)
        return self._work(run or runs.begin_sync(self._target(self.resolve(path))), watch)

    def sync(self, path: str | None = None, *, files: Iterable[str] | None = None, watch: Watch = no_watch) -> RunStats:
        """Bring an index up to date; it must exist. With `files` (keys), only those are looked at."""
        target = self._target(self.resolve(path))
        if files is not None:
            return runs.sync(target, watch=watch, keys=[roots.file_key(key) for key in files])
        return self._work(runs.begin_sync(target), watch)

    def repair(self, path: str | None = None, *, watch: Watch = no_watch) -> RunStats:
        """Rebuild the search index from the database; nothing is parsed. `files` is the number of blobs in it."""
        return self._work(runs.begin_repair(self._target(self.resolve(path))), watch)

    def clear(self, path: str | None = None) -> str:
        """Remove the index of a codebase; the tree is not touched."""
        codebase = self.resolve(path)
        self._freshener.forget(codebase.root)
        removal.clear(self.catalog, codebase)
        return codebase.root

    def manage(self, action: str, path: str | None = None, *, force: bool = False) -> Managed:
        """Begin an action and return at once; a job does the rest in the background."""
        if action not in MANAGED_ACTIONS:
            raise BadInput(f"unknown action {action!r}; known: {', '.join((*MANAGED_ACTIONS, 'status'))}")
        if action == "clear":
            return Managed(self.clear(path), action)
        self._jobs.require_room()
        run: Run | None
        if action == "create":
            run = self._begin_create(path, force=force, wait_s=runs.LOCK_WAIT_S)
            if run is None:
                return Managed(self.resolve(path).root, action, already_indexed=True)
        else:
            target = self._target(self.resolve(path))
            if action == "reindex":
                run = runs.begin_create(target, force=True, wait_s=runs.LOCK_WAIT_S)
            else:
                begin = runs.begin_sync if action == "sync" else runs.begin_repair
                run = begin(target, wait_s=runs.LOCK_WAIT_S)
        begun = run
        try:
            self._jobs.start(lambda seen: self._work(begun, seen))
        except BaseException:
            begun.held.close()
            raise
        return Managed(run.job.root, action, run.job, notes=run.notes)

    def index_content(
        self, project: str, files: Iterable[FileContent], *, removed: Iterable[str] = (), watch: Watch = no_watch
    ) -> RunStats:
        """Index contents under a project's name; no file system is read."""
        if not project or "\0" in project or not roots.is_text(project):
            raise BadInput("a project needs a name")
        target = self._registered(PROJECT + project)
        gone = [roots.file_key(path) for path in removed]
        try:
            return contents.index_content(target, str(uuid.uuid4()), contents.checked(files), removed=gone, watch=watch)
        finally:
            self._note(target)

    def jobs(self, path: str | None = None) -> list[Job]:
        """What was asked of a codebase's index, newest first."""
        codebase = self.resolve(path)
        return status.recent_jobs(codebase.store, codebase.root)

    def wait_for_jobs(self) -> None:
        """Until no background work is left in this process."""
        self._jobs.wait()

    # -- questions ---------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        path: str | None = None,
        *,
        limit: int | None = None,
        scope: Scope | None = None,
        view: View = "files",
        mode: Mode = "hybrid",
        explain: bool = False,
    ) -> Found:
        """Hits for a question, best first, each checked against the disk."""
        limit = _positive(self.config.result_limit if limit is None else limit)
        if explain and view == "functions":
            raise BadInput("only files are explained; ask without `explain`, or for the files view")
        codebase, where = self._question(path, scope)
        query = parse_query(text, root=codebase.root)
        told = text if view == "functions" else query.told
        asked = Asked() if mode == "lexical" else self._asked(codebase, told, text)

        def ask(reading: Reading) -> Found:
            reading.require_files()
            source = find.Source(codebase.store, reading.connection, reading.snapshot, narrowed(where, query.asked))
            search = find.Search([source], query, asked.vector, words=mode != "semantic", provided=asked.provided)
            ranked = search.functions() if view == "functions" else search.files(explain=explain)
            hits, is_cut = shown(reading, ranked, limit)
            total = max(search.count(view) - reading.fresh.dropped, len(hits))
            return Found(codebase.root, reading.fresh, tuple(hits), total, is_cut, query.terms, asked.trouble)

        return self._reader.ask(codebase, ask)

    def grep(
        self, query: TextQuery, path: str | None = None, *, page: Page | None = None, scope: Scope | None = None
    ) -> TextFound:
        """Every line that has a text or matches an expression, in order of path and line."""
        pattern = compile_pattern(query)
        codebase, where = self._question(path, scope)

        def ask(reading: Reading) -> TextFound:
            reading.require_files()
            return exact.search(reading, pattern, where, page or Page())

        return self._reader.ask(codebase, ask)

    def similar(self, file: str, lines: tuple[int, int], *, limit: int | None = None) -> Found:
        """Functions like these lines of a file, the lines themselves left out."""
        limit = _positive(self.config.result_limit if limit is None else limit)
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> Found:
            entry = navigate.file_entry(reading.connection, reading.snapshot, key)
            text, first, last, *_ = navigate.cut_lines(key, reading.content(key, entry.blob), lines)
            asked = self._encoders.code(text, lambda: probe_of(codebase))
            source = find.Source(codebase.store, reading.connection, reading.snapshot, Filter())
            search = find.Search([source], like_code(text), asked.vector, provided=asked.provided)
            others = (hit for hit in search.functions() if not overlaps(reading.connection, hit, key, first, last))
            hits, is_cut = shown(reading, others, limit)
            return Found(codebase.root, reading.fresh, tuple(hits), len(hits), is_cut, (), asked.trouble)

        return self._reader.ask(codebase, ask)

    def symbol(
        self, name: str, path: str | None = None, *, kind: str | None = None, scope: Scope | None = None
    ) -> SymbolsFound:
        """Where a name is defined."""
        codebase, where = self._question(path, scope)

        def ask(reading: Reading) -> SymbolsFound:
            reading.require_files()
            found = navigate.symbols_named(reading.connection, reading.snapshot, name, where, kind=kind)
            files = {item.file.path: item.file for item in found}
            checks = {path: reading.check(path, file.stat, file.blob) for path, file in files.items()}
            named = tuple(
                NamedSymbol(item.file.path, item.file.language, item.symbol, is_fresh)
                for item in found
                if (is_fresh := checks[item.file.path]) is not None
            )
            return SymbolsFound(codebase.root, reading.fresh, named)

        return self._reader.ask(codebase, ask)

    def outline(self, file: str) -> Outline:
        """The definitions of a file."""
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> Outline:
            entry = navigate.file_entry(reading.connection, reading.snapshot, key)
            if not codebase.is_project and not os.path.lexists(os.path.join(codebase.root, key)):
                raise NotFound(f"{key} is in the index, but is gone from the disk; `clew sync` takes it out")
            is_fresh = entry.blob is None or bool(reading.check(key, entry.stat, entry.blob))
            symbols = tuple(navigate.outline(reading.connection, entry))
            return Outline(codebase.root, reading.fresh, key, entry.language, entry.skip, symbols, is_fresh)

        return self._reader.ask(codebase, ask)

    def paths(self, path: str | None = None, *, limit: int = 1_000, scope: Scope | None = None) -> Paths:
        """The files of a codebase."""
        _positive(limit)
        codebase, where = self._question(path, scope)

        def ask(reading: Reading) -> Paths:
            reading.require_files()
            entries = navigate.list_entries(reading.connection, reading.snapshot, where)
            items = tuple(FileItem(e.path, e.stat.size, e.stat.mtime_ns, e.language, e.skip) for e in entries[:limit])
            return Paths(codebase.root, reading.fresh, items, len(entries), len(entries) > limit)

        try:
            return self._reader.ask(codebase, ask)
        except Gated:  # a list of files needs no index, only the tree
            if codebase.is_project:
                raise
            found = navigate.list_tree(codebase.root, self.catalog.nested(codebase.root), where)
            checked = self._freshener.ensure(codebase)
            fresh = Freshness(checked.decision, snapshots.WORKTREE, git.head(codebase.root), 0, now())
            return Paths(codebase.root, fresh, tuple(found[:limit]), len(found), len(found) > limit)

    def read(self, file: str, *, lines: tuple[int, int] | None = None, symbol: str | None = None) -> Content:
        """A file's text as it is on disk now, or the part of it that a symbol or a range of lines names."""
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> Content:
            entry = navigate.file_entry(reading.connection, reading.snapshot, key)
            if entry.skip in ("binary", "huge", "unreadable"):
                raise BadInput(f"{key} is {entry.skip}; it is listed but not read")
            content = reading.content(key, entry.blob)
            wanted = lines
            if symbol is not None:
                found = navigate.symbol_in(reading.connection, entry, symbol)
                wanted = (found.start_line, found.end_line)
            indexed = snapshots.blob_hash(reading.connection, entry.blob) if entry.blob is not None else ""
            is_same = git_blob_hash(content).hex() == indexed
            reading.fresh.verified += is_same
            reading.fresh.changed += not is_same
            cut = navigate.cut_lines(key, content, wanted)
            return Content(codebase.root, reading.fresh, key, *cut, entry.language)

        answer = self._reader.ask(codebase, ask)
        if symbol is not None and answer.freshness.changed:
            raise ClewError(f"{key} changed while it was read; ask again")
        return answer

    def query_vector(self, text: str) -> Any:
        """A query as the bundled model sees it; None without a model."""
        return self._encoders.query(text).vector

    # -- state -------------------------------------------------------------------------------------

    def status(self, path: str | None = None) -> CodebaseState:
        """What is known of a codebase, and with what proof."""
        codebase = self.resolve(path)
        return status.describe(codebase.store, codebase.root)

    def list(self) -> list[CodebaseState]:
        """Every codebase, by root."""
        return status.listed(self.catalog)

    def doctor(self) -> Health:
        """Whether everything that Clew stands on is sound, with what to do where it is not."""
        return status.inspected(self.catalog, self._encoders.checks())

    def resolve(self, path: str | None = None) -> Codebase:
        """The codebase that a path belongs to, or `NotIndexed`."""
        return self.catalog.resolve(path)

    def ensure_freshness(self, path: str | None = None) -> freshness.Checked:
        """Make the index what the tree is now, if that may be done, and say what was decided."""
        codebase = self.resolve(path)
        return freshness.Checked("fresh") if codebase.is_project else self._freshener.ensure(codebase)

    def is_watched(self, path: str | None = None) -> bool:
        """Whether a watcher vouches for a codebase now."""
        return self._freshener.is_vouched(self.resolve(path).root)

    # -- helpers -----------------------------------------------------------------------------------

    def _target(self, codebase: Codebase) -> Target:
        nested = self.catalog.nested(codebase.root)
        return Target(codebase.store, codebase.root, self.config, nested, self._encoders.provider)

    def _registered(self, root: str) -> Target:
        """The target of a root that is noted in the registry; a store that cannot be used is not."""
        store = self.catalog.store_for(root)
        store.connection()
        if root not in self.catalog.registry.all():
            self.catalog.registry.add(root, store.directory)
        return self._target(Codebase(root, store))

    def _begin_create(self, path: str | None, *, force: bool, wait_s: float) -> Run | None:
        """A begun create, or None when the index is proven already and nobody wants it made anew."""
        target = self._registered(self.root_for_index(path, force=force))
        standing = gate.settle(target.store, target.root)
        if not force and standing.verdict == "ok" and standing.proof.outcome == "valid":
            return None
        return runs.begin_create(target, force=force, wait_s=wait_s)

    def _work(self, run: Run, watch: Watch) -> RunStats:
        try:
            return run.work(watch)
        finally:
            self._note(run.target)

    def _note(self, target: Target) -> None:
        """Keep the state where a list finds it when the store cannot be read; what fails here hides no other error."""
        try:
            standing = gate.settle(target.store, target.root)
            found = standing.snapshot
            state = standing.row.state if standing.row else "not_found"
            self.catalog.registry.note(target.root, state, found.files if found else 0, found.chunks if found else 0)
        except StoreError as error:
            log(target.root).info("its state could not be noted: %s", error)

    def _sync_quickly(self, codebase: Codebase, keys: Sequence[str] | None) -> RunStats:
        return runs.sync(self._target(codebase), watch=self._watch, keys=keys, wait_s=_COALESCE_WAIT_S)

    def _asked(self, codebase: Codebase, words: str, text: str) -> Asked:
        """A question as the models see it; a provider is asked before the gate, which compares its dimension."""
        return self._encoders.query(words, text, lambda: probe_of(codebase))

    def _question(self, path: str | None, scope: Scope | None) -> tuple[Codebase, Filter]:
        codebase = self.resolve(path)
        scope = scope or Scope()
        where = make_filter(
            include=scope.include, exclude=scope.exclude, languages=scope.languages, subtree=codebase.subtree
        )
        return codebase, where


def _positive(limit: int) -> int:
    if limit < 1:
        raise BadInput("the limit must be at least 1")
    return limit
