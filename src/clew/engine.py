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
from clew.errors import BadInput, BadPath, ClewError, NotIndexed, StoreCorrupt, StoreError
from clew.index import runs
from clew.index.build import git_blob_hash
from clew.index.runs import Watch
from clew.lifecycle import freshness, lock, proof, states
from clew.parse.languages import resolve_language
from clew.search import find, navigate
from clew.search.filters import Filter, make_filter
from clew.search.query import parse_query
from clew.source import git, roots
from clew.source.reading import read_file
from clew.store import codebases, derive, facts, integrity, snapshots
from clew.store.database import translated
from clew.store.registry import Registry
from clew.store.snapshots import Snapshot
from clew.store.store import Store
from clew.store.sweep import sweep
from clew.types import (
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

PROJECT = "project:"  # the root of a codebase that came as content has this prefix
MAX_READ_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Codebase:
    """A codebase that a request resolved to, and the part of it that the request is about."""

    root: str
    store: Store
    subtree: str = ""


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
        self.registry = Registry(self.config.home)
        self._stores: dict[Path, Store] = {}

    def close(self) -> None:
        """Close this thread's connections."""
        for store in self._stores.values():
            store.close()
        self.registry.close()

    # -- the index ---------------------------------------------------------------------------------

    def root_for_index(self, path: str | None, *, force: bool = False) -> str:
        """The root that `index` would work on: the codebase around the path, else the path itself."""
        asked = roots.canonical_root(path if path is not None else roots.default_root(os.getcwd()))
        known = self.registry.containing(asked)
        if known is not None and (known == asked or git.find_top_level(asked) != asked):
            return known
        roots.guard_root(asked, force=force)
        return asked

    def index(self, path: str | None = None, *, force: bool = False, watch: Watch = no_watch) -> RunStats:
        """Create the index of a tree, or bring it up to date; `force` rebuilds it."""
        root = self.root_for_index(path, force=force)
        store = self._store(self.registry.store_directory(roots.family_of(root)))
        excluded = self._nested(root)
        store.connection()  # a store that cannot be used is not registered
        if root not in self.registry.all():
            self.registry.add(root, store.directory)
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
            excluded=self._nested(codebase.root),
            keys=None if files is None else [roots.file_key(key) for key in files],
        )

    def index_content(
        self, project: str, files: Iterable[FileContent], *, removed: Iterable[str] = (), watch: Watch = no_watch
    ) -> RunStats:
        """Index contents under a project's name; no file system is read."""
        if not project or "\0" in project:
            raise BadInput("a project needs a name")
        root = PROJECT + project
        store = self._store(self.registry.store_directory(root))
        store.connection()
        self.registry.add(root, store.directory)
        return runs.index_content(
            store, root, _checked(files), removed=[roots.file_key(p) for p in removed], config=self.config, watch=watch
        )

    def clear(self, path: str | None = None) -> str:
        """Remove the index of a codebase; the tree is not touched."""
        root = self._registered(path)
        directory = self.registry.all()[root]
        others = [r for r, d in self.registry.all().items() if d == directory and r != root]
        store = self._store(directory)
        with contextlib.ExitStack() as held:
            if directory.exists():
                held.enter_context(lock.codebase_lock(store, root))
            if others:
                try:
                    _forget(store, root)
                except StoreCorrupt:
                    others = []  # nothing in it can be saved for them either
            self.registry.remove(root)
            if not others:
                store.close()
                del self._stores[directory]
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
            ranked = find.find(codebase.store, connection, snapshot, query, where)
            hits: list[Hit] = []
            taken = 0
            for hit in ranked:
                if len(hits) == limit:
                    break
                taken += 1
                is_fresh = self._verify(codebase, connection, hit.file.path, hit.file.stat, hit.file.blob)
                if is_fresh is None:
                    fresh.dropped += 1
                    continue
                fresh.verified += is_fresh
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
            return Found(codebase.root, fresh, tuple(hits), total, taken < len(ranked), query.terms)

    def symbol(
        self, name: str, path: str | None = None, *, kind: str | None = None, scope: Scope | None = None
    ) -> SymbolsFound:
        """Where a name is defined."""
        codebase, where = self._question(path, scope)
        with self._reading(codebase) as (connection, snapshot, fresh):
            found = navigate.symbols_named(connection, snapshot, name, where, kind=kind)
            named = tuple(NamedSymbol(item.path, item.language, item.symbol) for item in found)
            return SymbolsFound(codebase.root, fresh, named)

    def outline(self, file: str) -> Outline:
        """The definitions of a file."""
        codebase, key = self._file(file)
        with self._reading(codebase) as (connection, snapshot, fresh):
            entry = navigate.file_entry(connection, snapshot, key)
            return Outline(
                codebase.root, fresh, key, entry.language, entry.skip, tuple(navigate.outline(connection, entry))
            )

    def paths(self, path: str | None = None, *, limit: int = 1_000, scope: Scope | None = None) -> Paths:
        """The files of a codebase."""
        if limit < 1:
            raise BadInput("the limit must be at least 1")
        codebase, where = self._question(path, scope)
        with self._reading(codebase) as (connection, snapshot, fresh):
            entries = navigate.list_entries(connection, snapshot, where)
            items = tuple(FileItem(e.path, e.stat.size, e.stat.mtime_ns, e.language, e.skip) for e in entries[:limit])
            return Paths(codebase.root, fresh, items, len(entries), len(entries) > limit)

    def read(self, file: str, *, lines: tuple[int, int] | None = None, symbol: str | None = None) -> Content:
        """A file's text as it is on disk now, or the part of it that a symbol or a range of lines names."""
        codebase, key = self._file(file)
        with self._reading(codebase) as (connection, snapshot, fresh):
            entry = navigate.file_entry(connection, snapshot, key)
            if symbol is not None:
                found = navigate.symbol_in(connection, entry, symbol)
                lines = (found.start_line, found.end_line)
            if entry.skip in ("binary", "huge", "unreadable"):
                raise BadInput(f"{key} is {entry.skip}; it is listed but not read")
            content, _ = self._content(codebase, connection, key, entry.blob)
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
        root = self._registered(path)
        return self._state(root, self.registry.all()[root])

    def list(self) -> list[CodebaseState]:
        """Every codebase, by root; one whose store cannot be read is listed as failed."""
        found = []
        for root, directory in self.registry.all().items():
            try:
                found.append(self._state(root, directory))
            except StoreError:
                found.append(CodebaseState(root, "indexfailed", "probe_failed", store=str(directory)))
        return found

    def doctor(self) -> Health:
        """Whether everything that Clew stands on is sound, with what to do where it is not."""
        checks: list[Check] = []
        orphans = 0
        for root, directory in self.registry.all().items():
            try:
                found = integrity.inspect(self._store(directory))
            except ClewError as error:
                checks.append(Check(root, False, str(error)))
                continue
            orphans += found.orphans
            checks.append(Check(root, not found.problems, "; ".join(found.problems) or found.summary))
        return Health(tuple(checks), orphans)

    def resolve(self, path: str | None = None) -> Codebase:
        """The codebase that a path belongs to, or `NotIndexed`."""
        asked = _asked(path)
        root = self.registry.containing(asked)
        if root is None:
            raise NotIndexed(f"{asked} is not indexed; run `clew index {asked}`", asked)
        subtree = "" if root == asked else os.path.relpath(asked, root).replace(os.sep, "/")
        return Codebase(root, self._store(self.registry.all()[root]), subtree)

    # -- helpers -----------------------------------------------------------------------------------

    def _store(self, directory: Path) -> Store:
        return self._stores.setdefault(directory, Store(directory))

    def _registered(self, path: str | None) -> str:
        asked = _asked(path)
        root = self.registry.containing(asked)
        if root is None:
            raise NotIndexed(f"{asked} is not indexed; run `clew index {asked}`", asked)
        return root

    def _nested(self, root: str) -> frozenset[str]:
        """Repositories inside this tree that are indexed on their own, and so are no part of it."""
        inside = (other for other in self.registry.all() if other != root and roots.contains(root, other))
        return frozenset(other for other in inside if git.find_top_level(other) == other)

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

    def _file(self, file: str) -> tuple[Codebase, str]:
        if file.startswith(PROJECT):
            raise BadInput("files of a project are named by project and path")
        absolute = os.path.abspath(file)
        directory = os.path.realpath(os.path.dirname(absolute))
        if os.path.isdir(absolute):
            raise BadPath(f"{file} is a directory; name a file")
        codebase = self.resolve(directory)
        return codebase, roots.file_key(
            os.path.relpath(os.path.join(directory, os.path.basename(absolute)), codebase.root)
        )

    @contextlib.contextmanager
    def _reading(self, codebase: Codebase) -> Iterator[tuple[apsw.Connection, Snapshot, Freshness]]:
        """A pinned, believed state of the codebase, synced with the disk first."""
        decision = "fresh"
        if not codebase.root.startswith(PROJECT):
            excluded = self._nested(codebase.root)
            done = runs.sync(codebase.store, codebase.root, config=self.config, watch=no_watch, excluded=excluded)
            decision = "synced" if done.added or done.modified or done.removed or done.moved else "fresh"
        with codebase.store.read() as connection:
            snapshot = runs.believed(connection, codebase.root)
            yield (
                connection,
                snapshot,
                Freshness(decision, snapshot.ref, snapshot.head, snapshot.generation, states.now()),
            )

    def _verify(self, codebase: Codebase, connection: apsw.Connection, key: str, stat: Stat, blob: int) -> bool | None:
        """Whether a file still has the indexed content; None when it is gone."""
        if codebase.root.startswith(PROJECT):
            return True
        verdict = freshness.look(codebase.root, key, stat)
        if verdict == "same":
            return True
        if verdict == "gone":
            return None
        try:
            content, _ = read_file(codebase.root, key, limit=self.config.max_file_bytes)
        except (OSError, BadPath):
            return None
        return git_blob_hash(content).hex() == snapshots.blob_hash(connection, blob)

    def _content(
        self, codebase: Codebase, connection: apsw.Connection, key: str, blob: int | None
    ) -> tuple[bytes, Stat | None]:
        if codebase.root.startswith(PROJECT) and blob is not None:
            return facts.content(connection, blob), None
        try:
            return read_file(codebase.root, key, limit=self.config.max_file_bytes)
        except OSError as error:
            raise BadPath(f"cannot read {key}: {error.strerror}") from error

    def _state(self, root: str, directory: Path) -> CodebaseState:
        store = self._store(directory)
        if not store.exists:
            return CodebaseState(root, "not_found", "missing_marker_doc")
        with translated(store.database):
            return self._read_state(store, root)

    def _read_state(self, store: Store, root: str) -> CodebaseState:
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


def _asked(path: str | None) -> str:
    if path is not None and path.startswith(PROJECT):
        return path
    return os.path.realpath(path if path is not None else os.getcwd())
