"""The lock of a codebase: one writer at a time, across processes, gone with its holder.

Its holder leaves a heartbeat beside it: which run it is and how far it has come. A heartbeat counts only
while the lock is held; what a dead run left behind tells how far it got. Main call: `codebase_lock`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from clew.errors import Busy, StoreError, StoreFull
from clew.lifecycle.clock import now
from clew.store.database import make_private
from clew.store.locks import FileLock
from clew.store.store import Store
from clew.types import Heartbeat, Progress

BEAT_EVERY_S = 0.2


class Pulse:
    """What the holder of a codebase's lock uses to show that it lives."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._run = self._action = self._phase = ""
        self._started = now()
        self._last = 0.0

    def begin(self, run: str, action: str) -> None:
        """The first sign: whoever meets the lock knows whose it is. It must succeed, later ones need not."""
        self._run, self._action = run, action
        try:
            self._write(Progress("begin", 0, 0, 0, 0))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise StoreFull(f"no room left on the disk for {self._path}; free some and try again") from error
            raise StoreError(f"cannot write {self._path}: {error.strerror}; check rights and space there") from error

    def beat(self, progress: Progress, *, run: str = "", action: str = "") -> None:
        """A sign of life; most calls do nothing, since runs call this for every file."""
        moment = time.monotonic()
        if progress.phase == self._phase and moment - self._last < BEAT_EVERY_S:
            return
        self._run, self._action = run or self._run, action or self._action
        self._phase, self._last = progress.phase, moment
        with contextlib.suppress(OSError):  # a full disk: the run itself will say so
            self._write(progress)

    def _write(self, progress: Progress) -> None:
        sign = Heartbeat(
            self._run, self._action, progress.phase, self._started, now(), progress.files_done, progress.files_total,
            progress.bytes_done, progress.bytes_total,
        )  # fmt: skip
        draft = self._path.with_suffix(".draft")  # only the holder of the lock writes
        draft.write_text(json.dumps(asdict(sign)), encoding="utf-8")
        os.replace(draft, self._path)


@contextlib.contextmanager
def codebase_lock(store: Store, root: str, *, wait_s: float = 0.0) -> Iterator[Pulse]:
    """Hold the codebase, or raise `Busy` when another run does for longer than `wait_s`."""
    path = _path(store, root)
    make_private(path.parent)
    lock = FileLock(path)
    if not lock.acquire(timeout_s=wait_s):
        raise Busy(
            f"{root} is being worked on by another run; `clew status` shows how far it is",
            root,
            heartbeat=heartbeat(store, root),
        )
    with lock:
        yield Pulse(path.with_suffix(".json"))


def is_held(store: Store, root: str) -> bool:
    """Whether a living run holds the codebase now."""
    return FileLock(_path(store, root)).is_held()


def heartbeat(store: Store, root: str) -> Heartbeat | None:
    """The last sign of life of whoever held the codebase last."""
    try:
        return Heartbeat(**json.loads(_path(store, root).with_suffix(".json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None  # never written, or by another version


def _path(store: Store, root: str) -> Path:
    return store.directory / "locks" / hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
