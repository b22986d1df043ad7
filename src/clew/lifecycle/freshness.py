"""How an answer stands to the disk: the check before it, and a second look at every file it names.

A check brings in what changed and never rebuilds. Checks of one codebase that are asked for at once are
done once: each caller gets one that began after it asked. Main calls: `Freshener.ensure`, `verify`, `unchanged`.
"""

from __future__ import annotations

import os
import stat as modes
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from clew import deadline, native
from clew.answers import RunStats
from clew.errors import BadPath, Busy, ClewError, Gated
from clew.lifecycle import gate
from clew.lifecycle.catalog import Codebase
from clew.lifecycle.clock import now
from clew.lifecycle.gate import Standing
from clew.lifecycle.log import log
from clew.lifecycle.watcher import Watcher
from clew.source import git
from clew.source.git import git_blob_hash
from clew.source.reading import read_file
from clew.store import snapshots
from clew.store.database import translated
from clew.types import Decision, Stat

PATIENCE_S = 2.0  # for other writers; then the answer is given from the state before
MAX_KEYS = 500  # touched files brought in one by one; more are found by a look at everything
MAX_WATCHED = 16  # codebases; the one asked least recently is let go

Sync = Callable[[Codebase, Sequence[str] | None], RunStats]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check decided; `trouble` says why one failed."""

    decision: Decision
    trouble: str = ""
    at: str | None = field(default=None, compare=False)  # when the tree was looked at
    standing: Standing | None = field(default=None, compare=False)  # of the codebase, where nothing was brought in


@dataclass(slots=True)
class _Turn:
    """Checks of one codebase in this process: numbered, one at a time."""

    condition: threading.Condition = field(default_factory=threading.Condition)
    started: int = 0
    finished: int = 0
    is_running: bool = False
    last: float = float("-inf")  # when the last good check began
    last_at: str | None = None  # the same, for people


class Freshener:
    """The checks of one engine."""

    def __init__(
        self,
        sync: Sync,
        excluded: Callable[[str], frozenset[str]],
        *,
        recent_s: float,
        is_watching: bool,
        release: Callable[[], None],
    ) -> None:
        self._sync, self._excluded, self._release = sync, excluded, release
        self._recent_s, self._is_watching = recent_s, is_watching
        self._turns: dict[str, _Turn] = {}
        self._watchers: dict[str, Watcher] = {}
        self._lock = threading.Lock()

    def ensure(self, codebase: Codebase, *, doubt: bool = False) -> Checked:
        """Make the index what the tree is now. With `doubt`, what was checked a moment ago is checked again."""
        proven = codebase.store.proven
        standing = proven[codebase.root] = gate.settle(codebase.store, codebase.root, proven.get(codebase.root))
        if standing.verdict == "requires_reindex":
            return Checked("skipped_requires_reindex", at=self._turn(codebase.root).last_at)
        if standing.verdict == "not_ready":
            return Checked("skipped_indexing", at=self._turn(codebase.root).last_at)
        if standing.verdict != "ok" or standing.snapshot is None:
            return Checked("failed", gate.explain(standing))
        watcher = self._watcher(codebase) if self._is_watching else None
        touched = watcher.ask(self._excluded(codebase.root)) if watcher is not None else None
        if watcher is None or touched is None or doubt:  # a doubt beats the watcher: it missed something
            turn = self._turn(codebase.root)
            if not doubt and watcher is None and time.monotonic() - turn.last < self._recent_s:
                return Checked("skipped_recent", at=turn.last_at, standing=standing)
            return self._take_turn(codebase, turn)
        if not touched and git.head(codebase.root) == standing.snapshot.head:
            return Checked("fresh", at=now(), standing=standing)
        checked = self._check(codebase, list(touched) if len(touched) <= MAX_KEYS else None)
        if checked.decision in ("fresh", "synced"):
            watcher.settled(touched)
        return checked

    def is_vouched(self, root: str) -> bool:
        """Whether a watcher vouches for this codebase now."""
        watcher = self._watchers.get(root)
        return watcher is not None and watcher.vouches

    def forget(self, root: str) -> None:
        """Stop watching a codebase."""
        with self._lock:
            watcher = self._watchers.pop(root, None)
            self._turns.pop(root, None)
        if watcher is not None:
            watcher.close()

    def close(self) -> None:
        """Stop watching altogether."""
        for root in list(self._watchers):
            self.forget(root)

    def _take_turn(self, codebase: Codebase, turn: _Turn) -> Checked:
        with turn.condition:
            wanted = turn.started + 1  # the next to begin: one under way may have passed a file already
            while turn.finished < wanted:
                if not turn.is_running:
                    turn.is_running = True
                    turn.started += 1
                    break
                deadline.check()
                turn.condition.wait(deadline.left_s())
            else:
                return Checked("coalesced", at=turn.last_at)
        number, began, began_at = turn.started, time.monotonic(), now()
        is_good = False
        try:
            checked = self._check(codebase, None)
            is_good = checked.decision in ("fresh", "synced")
            return checked
        finally:
            with turn.condition:
                turn.is_running = False
                if is_good:
                    turn.finished, turn.last, turn.last_at = number, began, began_at
                turn.condition.notify_all()

    def _check(self, codebase: Codebase, keys: Sequence[str] | None) -> Checked:
        """One sync, and what its outcome means for an answer. Only a tree that is gone is an error."""
        began, before = now(), self._turn(codebase.root).last_at
        try:
            with codebase.store.patience(PATIENCE_S):
                done = self._sync(codebase, keys)
        except Busy:  # another run is at it: the state before its flip is whole, if there still is a tree
            if _is_gone(codebase.root):
                raise BadPath(f"{codebase.root} is gone, or no directory any more; `clew clear` forgets it") from None
            is_created = gate.settle(codebase.store, codebase.root).verdict == "not_ready"
            return Checked("skipped_indexing" if is_created else "coalesced", at=before)
        except Gated as error:
            return Checked("failed", str(error), before)
        except (ClewError, OSError) as error:
            if isinstance(error, BadPath) and _is_gone(codebase.root):
                raise
            log(codebase.root).info("the check failed, answers are from the last good state: %s", error)
            return Checked("failed", str(error), before)
        return Checked("synced" if done.changes else "fresh", at=began)

    def _turn(self, root: str) -> _Turn:
        with self._lock:
            return self._turns.setdefault(root, _Turn())

    def _watcher(self, codebase: Codebase) -> Watcher:
        with self._lock:
            found = self._watchers.pop(codebase.root, None)
            if found is None:
                found = self._start(codebase)
            self._watchers[codebase.root] = found  # the last is the one asked most recently
            least = next(iter(self._watchers)) if len(self._watchers) > MAX_WATCHED else None
            dropped = self._watchers.pop(least) if least is not None else None
        if dropped is not None:
            dropped.close()
        return found

    def _start(self, codebase: Codebase) -> Watcher:
        def check(keys: Sequence[str] | None) -> None:
            self._sync(codebase, keys if keys is None or len(keys) <= MAX_KEYS else None)

        def record() -> str | None:
            with translated(codebase.store.database):
                standing = gate.settle(codebase.store, codebase.root)
                return snapshots.footprint(codebase.store.connection(), gate.require(standing).id)

        return Watcher(codebase.root, check=check, record=record, close=self._release)


def _is_gone(root: str) -> bool:
    """Whether there is no directory any more. One that cannot be looked at may well be there."""
    try:
        return not modes.S_ISDIR(os.stat(root).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def verify(root: str, path: str, stat: Stat, indexed: Callable[[], str], *, limit: int) -> bool | None:
    """Whether a file still has the content that was indexed; None when it is gone or cannot be read.

    An equal stat is believed; any other stat means reading the file and comparing its hash with the `indexed` one."""
    if _is_same(root, path, stat):
        return True
    try:
        content, _ = read_file(root, path, limit=limit)
    except (OSError, BadPath):
        return None
    return git_blob_hash(content).hex() == indexed()


def unchanged(root: str, paths: Sequence[str], stats: Sequence[Stat]) -> Sequence[int]:
    """Which of some files still have these stats; of the others `verify` can tell more."""
    if native.kernels is None:
        return [*map(partial(_is_same, root), paths, stats)]
    named = b"".join(os.fsencode(f"{root}/{path}") + b"\0" for path in paths)
    flags: bytes = native.kernels.unchanged(named, array("q", chain.from_iterable(stats)))
    return flags


def _is_same(root: str, path: str, stat: Stat) -> bool:
    try:
        found = os.lstat(f"{root}/{path}")
    except OSError:
        return False
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino) == stat
