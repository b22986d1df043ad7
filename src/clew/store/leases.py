"""Who still looks at an older state of the store: a locked file a holder, gone with its process.

A lease names the sweep count it was taken at; the sweep removes nothing that was unreferenced only since
then. Main calls: `hold`, `oldest`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from clew.store.database import refused
from clew.store.locks import FileLock

_serial = itertools.count()


@contextlib.contextmanager
def hold(directory: Path, sweep: int) -> Iterator[None]:
    """Keep what the store refers to at this sweep count until the block ends."""
    try:
        try:
            lock = _take(directory, sweep)
        except FileNotFoundError:
            directory.mkdir(parents=True, exist_ok=True)
            lock = _take(directory, sweep)
    except OSError as error:
        raise refused(directory, error) from error
    try:
        yield
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(lock.path)
        lock.release()


def _take(directory: Path, sweep: int) -> FileLock:
    """A locked lease file. A sweep that looks between its making and its locking may remove it: then another."""
    while True:
        lock = FileLock(f"{directory}{os.sep}{sweep}-{os.getpid()}-{threading.get_ident()}-{next(_serial)}")
        if lock.try_acquire():
            if lock.is_in_place():
                return lock
            lock.release()


def oldest(directory: Path) -> int | None:
    """The lowest sweep count held by a living process, or None; leases of the dead are removed."""
    held: int | None = None
    for path in directory.glob("*-*") if directory.is_dir() else ():
        lock = FileLock(path, create=False)
        if _is_dead(lock):
            path.unlink(missing_ok=True)
            lock.release()
        else:
            sweep = int(path.name.split("-", 1)[0])
            held = sweep if held is None else min(held, sweep)
    return held


def _is_dead(lock: FileLock) -> bool:
    try:
        return lock.try_acquire()
    except FileNotFoundError:
        return True  # its holder has just given it back
    except OSError:
        return False  # cannot tell: believe it alive
