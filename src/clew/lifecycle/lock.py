"""The lock of a codebase: one writer at a time, across processes, gone with its holder.

A run that holds it leaves a heartbeat beside it, which says how far it has come, and holds a second lock,
which says that it lives: a check that takes the codebase for a moment makes no dead run look alive. What a
dead run left behind tells how far it got. Main call: `codebase_lock`.
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

from clew.answers import Heartbeat
from clew.errors import Busy, StoreError
from clew.lifecycle.clock import now
from clew.store.database import make_private, refused
from clew.store.locks import FileLock
from clew.store.store import Store
from clew.types import Progress

BEAT_EVERY_S = 0.2
_LOOK_S = 5.0  # whoever looks at a lock takes it for a moment


class Pulse:
    """What the holder of a codebase's lock uses to show that it lives."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._life = FileLock(path.with_suffix(".run"))
        self._run = self._action = self._phase = ""
        self._started = now()
        self._last = 0.0

    def begin(self, run: str, action: str) -> None:
        """The first sign: whoever meets the lock knows whose it is. It must succeed, later ones need not."""
        self._run, self._action = run, action
        try:
            self._write(Progress("begin", 0, 0, 0, 0))
            is_shown = self._life.acquire(timeout_s=_LOOK_S)  # last: who finds it held finds that sign
        except OSError as error:
            raise refused(self._path, error) from error
        if not is_shown:
            raise StoreError(f"{self._life.path} is held by somebody else; try again")

    def close(self) -> None:
        """It does not live any more; its last sign stays."""
        self._life.release()

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
        )
    with lock, contextlib.closing(Pulse(path.with_suffix(".json"))) as pulse:
        yield pulse


def is_held(store: Store, root: str) -> bool:
    """Whether anybody holds the codebase now."""
    return _is_held(_path(store, root))


def is_alive(store: Store, root: str, run: str) -> tuple[bool, Heartbeat | None]:
    """Whether this run is at work on the codebase now, and its last sign of life.

    A sign that cannot be read is no sign of death: then whichever run is at work is taken for this one."""
    is_any = _is_held(_path(store, root).with_suffix(".run"))  # first: its sign was there before
    left = heartbeat(store, root)
    sign = left if left is not None and left.run == run else None
    return is_any and (left is None or sign is not None), sign


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


def _is_held(path: Path) -> bool:
    try:
        return FileLock(path).is_held()
    except OSError as error:
        raise refused(path, error) from error


def _path(store: Store, root: str) -> Path:
    return store.directory / "locks" / hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16]
