"""Locks between processes and threads that die with their holder: the kernel's, on an open file.

The file itself means nothing and may stay behind. Main call: `FileLock`.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType

_POLL_S = 0.005
_PROBES = 5  # where a look at a lock must take it, others may be looking too

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _is_free(descriptor: int) -> bool:
        for _ in range(_PROBES):
            if _try_lock(descriptor):
                return True
            time.sleep(_POLL_S)
        return False
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _is_free(descriptor: int) -> bool:
        try:  # shared, so that two who look do not take each other for the holder
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class FileLock:
    """An exclusive lock on `path`; every instance is a holder of its own, also within one process."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = path
        self._flags = os.O_RDWR | (os.O_CREAT if create else 0) | getattr(os, "O_CLOEXEC", 0)
        self._descriptor: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if it is free now."""
        descriptor = os.open(self.path, self._flags, 0o600)
        if not _try_lock(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def acquire(self, *, timeout_s: float) -> bool:
        """Take the lock, waiting at most `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while True:
            if self.try_acquire():
                if self.is_in_place():
                    return True
                self.release()  # its file was removed before it was locked: that keeps nobody out
            elif time.monotonic() >= deadline:
                return False
            else:
                time.sleep(_POLL_S)

    def is_held(self) -> bool:
        """Whether anybody holds the lock now; makes no file."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        except FileNotFoundError:
            return False
        try:
            return not _is_free(descriptor)
        finally:
            os.close(descriptor)

    def is_in_place(self) -> bool:
        """Whether the file that is locked is still the one at `path`."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back; closing the file is what frees it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
