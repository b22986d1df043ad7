"""Work that makes very many objects and no circles among them, without looks for circles."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_inside = 0  # how many are at such work now
_was_enabled = False  # before the first of them began


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """No look for circles meanwhile: looking at millions of small tuples takes as long as making them. The first who
    comes turns it off, the last who goes turns it on again."""
    global _inside, _was_enabled
    with _lock:
        if not _inside:
            _was_enabled = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _was_enabled:
                gc.enable()
