"""Orders of hits kept for a while, so that the next page goes on where the last one ended, whatever happens meanwhile.

Main calls: `Pages.keep`, `Pages.find`.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from clew.errors import NotFound
from clew.lifecycle.catalog import Codebase
from clew.search.filters import Filter, Scope
from clew.search.find import Search
from clew.search.query import View

MAX_AGE_S = 600.0
MAX_KEPT = 64
MAX_BYTES = 64_000_000  # of all together: each holds some numbers for every chunk of its codebases


@dataclass(frozen=True, slots=True)
class Frozen:
    """An order of hits, and how far it has been shown."""

    search: Search
    asked_of: tuple[tuple[Codebase, Filter], ...]
    view: View
    explain: bool
    scope: Scope
    built: tuple[str | None, ...]  # which making of each index it is an order of
    start: int  # where the next page begins
    terms: tuple[str, ...]
    trouble: str


class Pages:
    """The orders of one process; safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, tuple[float, int, Frozen]] = {}  # since when, how large
        self._held = 0
        self._lock = threading.Lock()

    def keep(self, frozen: Frozen) -> str:
        """Keep an order for the next page; the handle that finds it."""
        handle = str(uuid.uuid4())
        with self._lock:
            self._kept[handle] = (self._clock(), frozen.search.nbytes, frozen)
            self._held += self._kept[handle][1]
            self._forget()
        return handle

    def find(self, handle: str) -> Frozen:
        """The order of a handle, which stays good until it expires."""
        with self._lock:
            self._forget()
            found = self._kept.get(handle)
        if found is None:
            raise NotFound(f"the continuation {handle[:40]!r} is unknown or has expired; ask the question again")
        return found[2]

    def _forget(self) -> None:
        oldest = self._clock() - MAX_AGE_S
        while self._kept:
            handle, (since, size, _) = next(iter(self._kept.items()))  # the oldest is the first
            if since >= oldest and len(self._kept) <= MAX_KEPT and (self._held <= MAX_BYTES or len(self._kept) == 1):
                break
            del self._kept[handle]
            self._held -= size
