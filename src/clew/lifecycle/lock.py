"""The lock of a codebase: one writer at a time, across processes, gone with its holder.

Its holder leaves a heartbeat beside it: which run it is and how far it has come. A heartbeat counts only
while the lock is held; what a dead run left behind tells how far it got. Main call: `codebase_lock`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from clew.errors import Busy
from clew.lifecycle.clock import now
from clew.store.database import make_private, refused
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
            raise refused(self._path, error) from error

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
    try:
        is_ours = lock.acquire(timeout_s=wait_s)
    except OSError as error:
        raise refused(path, error) from error
    if not is_ours:
        raise Busy(
            f"{root} is being worked on by another run; `clew status` shows how far it is",
            root,
            heartbeat=heartbeat(store, root),
        )
    with lock:
        yield Pulse(path.with_suffix(".json"))


def is_held(store: Store, root: str) -> bool:
    """Whether a living run holds the codebase now."""
    path = _path(store, root)
    try:
        return FileLock(path).is_held()
    except OSError as error:
        raise refused(path, error) from error


def is_alive(store: Store, root: str, run: str) -> tuple[bool, Heartbeat | None]:
    """Whether this run holds the codebase now, and its last sign of life.

    A sign that cannot be read is no sign of death: then whoever holds the codebase is taken for the run."""
    is_held_now = is_held(store, root)
    left = heartbeat(store, root)
    sign = left if left is not None and left.run == run else None
    return is_held_now and (left is None or sign is not None), sign


def heartbeat(store: Store, root: str) -> Heartbeat | None:
    """The last sign of life of whoever held the codebase last; None when there is none that can be read."""
    try:
        return _sign(json.loads(_path(store, root).with_suffix(".json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _sign(found: dict[str, Any]) -> Heartbeat:
    """A heartbeat as it was written; what another version added is left out, what is unsound is an error."""
    sign = Heartbeat(**{item.name: found[item.name] for item in fields(Heartbeat) if item.name in found})
    counts = (sign.files_done, sign.files_total, sign.bytes_done, sign.bytes_total)
    moments = (datetime.fromisoformat(sign.started_at), datetime.fromisoformat(sign.updated_at))
    is_sound = (
        all(isinstance(text, str) for text in (sign.run, sign.action, sign.phase))
        and all(type(count) is int and count >= 0 for count in counts)
        and all(moment.tzinfo is not None for moment in moments)
    )
    if not is_sound:
        raise ValueError("not a heartbeat")
    return sign


def _path(store: Store, root: str) -> Path:
    return store.directory / "locks" / hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
