"""Keeps an eye on one tree for as long as a server lives, so that a check costs next to nothing.

It vouches for the index only after a whole check that began when every directory was watched already, and
stops vouching at the first doubt: a directory came or went, a rule changed, events were lost, or the time
was up. A thread of its own brings changes in before anybody asks. Main calls: `ask`, `settled`.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clew.errors import ClewError, Gated
from clew.lifecycle.log import log
from clew.source import footprint
from clew.source.watch import Watch, open_watch

VOUCH_S = 60.0  # what the kernel does not report (writes through mapped memory) is found after this
QUIET_S = 0.05  # a burst is over when nothing came for this long
MAX_BURST_S = 2.0
_RETRY_S, _MAX_RETRY_S = 5.0, 600.0
_ROUNDS = 4

Check = Callable[[Sequence[str] | None], None]  # brings these files in, or whatever changed
Touched = dict[str, int]


class Watcher:
    """The watch on one codebase."""

    def __init__(self, root: str, *, check: Check, record: Callable[[], str | None], close: Callable[[], None]) -> None:
        self._root, self._check, self._record, self._close = root, check, record, close
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._rules: Mapping[str, Any] = {}
        self._directory: tuple[int, int] | None = None  # that is watched: the root may lead elsewhere by now
        self._until = 0.0  # until when it vouches; 0: it does not
        self._touched: Touched = {}
        self._serial = 0
        self._asked, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"clew-watch {root}", daemon=True)
        self._thread.start()

    def ask(self, excluded: frozenset[str]) -> Touched | None:
        """What was touched since it was last brought in; None when only a check can tell."""
        with self._lock:
            self._asked.set()
            touched = self._look()
            if touched is None:
                return None
            if self._directory == _directory_at(self._root) and footprint.rules_hold(self._root, self._rules, excluded):
                return touched
            self._doubt()
            return None

    def settled(self, touched: Touched) -> None:
        """These were brought in; what was touched again meanwhile stays."""
        with self._lock:
            for key, serial in touched.items():
                if self._touched.get(key) == serial:
                    del self._touched[key]

    @property
    def vouches(self) -> bool:
        return time.monotonic() < self._until

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        self._asked.set()
        with self._lock:
            if self._watch is not None:
                self._watch.wake()
        self._thread.join()

    def _look(self) -> Touched | None:
        if self._watch is None or not self.vouches:
            return None
        found = self._watch.drain()
        self._serial += 1
        self._touched |= dict.fromkeys(found.keys, self._serial)
        if found.whole:
            self._doubt()
            return None
        return dict(self._touched)

    def _doubt(self) -> None:
        self._until = 0.0
        if self._watch is not None:
            self._watch.wake()

    def _run(self) -> None:
        tags, pause_s = log(self._root), _RETRY_S
        try:
            while not self._stop.is_set():
                try:
                    self._establish()
                    pause_s = _RETRY_S
                    self._follow()
                except Gated as error:
                    tags.debug("the watch waits: %s", error)
                    self._wait_to_be_asked()
                except (ClewError, OSError) as error:
                    tags.warning("the tree is not watched, checks look at every file: %s", error)
                    self._stop.wait(pause_s)
                    pause_s = min(2 * pause_s, _MAX_RETRY_S)
        finally:
            self._drop()
            self._close()

    def _establish(self) -> None:
        """Watch every directory, then check everything: what changed before is found, what comes is reported."""
        self._drop()
        directory = _directory_at(self._root)
        watch = open_watch(self._root)
        try:
            for _ in range(_ROUNDS):
                self._check(None)
                record = self._record()
                if record is None:
                    raise OSError("the last walk left no record of its directories")
                rules = json.loads(record)
                if not watch.add(rules.pop("directories")):
                    break
            else:
                raise OSError("directories come faster than they can be watched")
            if directory is None or directory != _directory_at(self._root):
                raise OSError("the tree was moved, or another was put in its place")
        except BaseException:
            watch.close()
            raise
        with self._lock:
            self._watch, self._rules, self._directory = watch, rules, directory
            self._touched.clear()
            self._until = time.monotonic() + VOUCH_S if watch.proves else 0.0
        log(self._root).debug("the tree is watched")

    def _follow(self) -> None:
        """Bring changes in as they come, until the watch must be set up anew."""
        watch = self._watch
        assert watch is not None
        while not self._stop.is_set():
            self._asked.clear()
            is_ready = watch.wait(self._until - time.monotonic() if watch.proves else VOUCH_S)
            if not watch.proves:
                self._check(None)
                continue
            if is_ready:
                self._let_burst_end(watch)
            with self._lock:
                touched = self._look()
            if touched is None:
                break
            if touched:
                self._check(list(touched))
                self.settled(touched)
        if not self.vouches:
            self._wait_to_be_asked()

    def _wait_to_be_asked(self) -> None:
        """Nobody asks: nobody needs to be vouched to."""
        if not self._stop.is_set():
            self._asked.wait()
            self._asked.clear()  # one try for each question: a codebase may be gated for long

    def _let_burst_end(self, watch: Watch) -> None:
        deadline = time.monotonic() + MAX_BURST_S
        while time.monotonic() < deadline and not self._stop.is_set():
            self._stop.wait(QUIET_S)
            with self._lock:
                found = watch.drain()
                self._serial += 1
                self._touched |= dict.fromkeys(found.keys, self._serial)
                if found.whole:
                    self._until = 0.0
            if not found.keys and not found.whole:
                return

    def _drop(self) -> None:
        with self._lock:
            watch, self._watch, self._until = self._watch, None, 0.0
        if watch is not None:
            with contextlib.suppress(OSError):
                watch.close()


def _directory_at(root: str) -> tuple[int, int] | None:
    """Which directory a root leads to. A watch goes along with its own: it hears nothing of a parent that is moved."""
    try:
        found = os.stat(root)
    except OSError:
        return None
    return found.st_dev, found.st_ino
