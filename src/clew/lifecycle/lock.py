"""The lock of a codebase: one writer at a time, across processes, gone with its holder."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

from clew.errors import Busy
from clew.store.database import make_private
from clew.store.locks import FileLock
from clew.store.store import Store


@contextlib.contextmanager
def codebase_lock(store: Store, root: str, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the codebase, or raise `Busy` when another process does for longer than `wait_s`."""
    lock = _lock(store, root)
    if not lock.acquire(timeout_s=wait_s):
        raise Busy(f"{root} is being indexed by another process; `clew status` shows how far it is", root)
    with lock:
        yield


def is_held(store: Store, root: str) -> bool:
    """Whether a living process holds the codebase now."""
    lock = _lock(store, root)
    with lock:
        return not lock.try_acquire()


def _lock(store: Store, root: str) -> FileLock:
    directory = store.directory / "locks"
    make_private(directory)
    return FileLock(directory / hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:16])
