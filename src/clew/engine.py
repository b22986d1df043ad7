"""Engine: one short method for each thing a user can do. Interfaces call this and nothing below it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from clew.answers import CodebaseState, Job, Managed, RunStats
from clew.config import Config, load_config
from clew.embed.choose import Encoders
from clew.errors import BadInput, StoreError
from clew.index import contents, runs, spare
from clew.index.runs import Run, Target, Watch
from clew.lifecycle import freshness, gate, removal, status
from clew.lifecycle.catalog import Catalog, Codebase, Place
from clew.lifecycle.freshness import Freshener
from clew.lifecycle.jobs import Jobs
from clew.lifecycle.log import log
from clew.lifecycle.status import Health
from clew.relations import Relations
from clew.search.reading import Reader
from clew.source import roots
from clew.store.registry import Registry
from clew.types import PROJECT, FileContent, Progress

MANAGED_ACTIONS = ("create", "reindex", "sync", "repair", "clear")
_COALESCE_WAIT_S = 0.5  # for another process's sync; then the state before it is read


def no_watch(_: Progress) -> None:
    """For runs that nobody looks at."""


class Engine(Relations):
    """All of Clew for one `CLEW_HOME`. Safe to share between threads.

    A server sets `watching`: codebases that are asked about are then watched, and checks cost next to nothing.
    `watch` is shown the progress of the checks before answers."""

    def __init__(self, config: Config | None = None, *, watching: bool = False, watch: Watch = no_watch) -> None:
        config = config or load_config()
        registry = Registry(config.home)
        encoders = Encoders(config, registry.dimension, registry.note_dimension)
        catalog = Catalog(registry, encoders.name, encoders.encode)
        self._watch = watch
        self._jobs = Jobs(config.max_jobs, catalog.close)
        self._freshener = Freshener(
            self._sync_quickly,
            catalog.nested,
            recent_s=config.recheck_ms / 1000,
            is_watching=watching,
            release=catalog.close,
        )
        super().__init__(config, catalog, encoders, Reader(self._freshener, config.max_file_bytes))

    def close(self) -> None:
        """Stop background work and watching, and close this thread's connections."""
        self._jobs.close()
        self._freshener.close()
        spare.let_go()
        self.catalog.close()

    # -- the index ---------------------------------------------------------------------------------

    def root_for_index(self, path: Place | None = None, *, force: bool = False) -> str:
        """The root that `index` would work on: the codebase around the path, else the path itself."""
        return self.catalog.root_for_index(path, force=force)

    def root_for_question(self, path: Place | None = None) -> str:
        """The root to index when a question is asked of a path in none: its repository, else the path itself."""
        return self.catalog.root_for_question(path)

    def index(self, path: Place | None = None, *, force: bool = False, watch: Watch = no_watch) -> RunStats:
        """Create the index of a tree, or bring it up to date; `force` rebuilds it."""
        run = self._begin_create(path, force=force, wait_s=runs.SYNC_WAIT_S)
        return self._work(run or runs.begin_sync(self._target(self.resolve(path))), watch)

    def sync(
        self, path: Place | None = None, *, files: Iterable[str] | None = None, watch: Watch = no_watch
    ) -> RunStats:
        """Bring an index up to date; it must exist. With `files` (keys), only those are looked at."""
        target = self._target(self.resolve(path))
        if files is not None:
            return runs.sync(target, watch=watch, keys=[roots.file_key(key) for key in files])
        return self._work(runs.begin_sync(target), watch)

    def repair(self, path: Place | None = None, *, watch: Watch = no_watch) -> RunStats:
        """Rebuild the search index from the database; nothing is parsed. `files` is the number of blobs in it."""
        return self._work(runs.begin_repair(self._target(self.resolve(path))), watch)

    def clear(self, path: Place | None = None) -> str:
        """Remove the index of a codebase; the tree is not touched."""
        codebase = self.resolve(path)
        self._freshener.forget(codebase.root)
        removal.clear(self.catalog, codebase)
        return codebase.root

    def manage(self, action: str, path: Place | None = None, *, force: bool = False) -> Managed:
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
                run = runs.begin_create(self._registered(target.root), force=True, wait_s=runs.LOCK_WAIT_S)
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

    def jobs(self, path: Place | None = None) -> list[Job]:
        """What was asked of a codebase's index, newest first."""
        codebase = self.resolve(path)
        return status.recent_jobs(codebase.store, codebase.root)

    def wait_for_jobs(self) -> None:
        """Until no background work is left in this process."""
        self._jobs.wait()

    # -- state -------------------------------------------------------------------------------------

    def status(self, path: Place | None = None) -> CodebaseState:
        """What is known of a codebase, and with what proof."""
        codebase = self.resolve(path)
        return status.describe(codebase.store, codebase.root)

    def list(self) -> list[CodebaseState]:
        """Every codebase, by root."""
        return status.listed(self.catalog)

    def doctor(self) -> Health:
        """Whether everything that Clew stands on is sound, with what to do where it is not."""
        return status.inspected(self.catalog, self._encoders.checks())

    def ensure_freshness(self, path: Place | None = None) -> freshness.Checked:
        """Make the index what the tree is now, if that may be done, and say what was decided."""
        codebase = self.resolve(path)
        return freshness.Checked("fresh") if codebase.is_project else self._freshener.ensure(codebase)

    def is_watched(self, path: Place | None = None) -> bool:
        """Whether a watcher vouches for a codebase now."""
        return self._freshener.is_vouched(self.resolve(path).root)

    # -- helpers -----------------------------------------------------------------------------------

    def _target(self, codebase: Codebase) -> Target:
        nested = self.catalog.nested(codebase.root)
        return Target(codebase.store, codebase.root, self.config, nested, self._encoders.provider)

    def _registered(self, root: str) -> Target:
        """The target of a root that is noted in the registry; a store that cannot be used is not."""
        store = self.catalog.store_for(root)
        store.create()
        store.connection()
        if root not in self.catalog.registry.all():
            self.catalog.registry.add(root, store.directory)
        return self._target(Codebase(root, store))

    def _begin_create(self, path: Place | None, *, force: bool, wait_s: float) -> Run | None:
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
