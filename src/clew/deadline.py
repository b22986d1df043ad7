"""When a question must be given up: loops that can be long call `check`, which ends them.

Work that is kept does not ask, so that what it brought in is there for the next question: a sync, the arrays of a
snapshot. Main calls: `within`, `check`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from clew.errors import TimedOut


class Deadline:
    """A moment by which an answer is wanted; nobody wants it any more after `expire`."""

    __slots__ = ("_at", "_limit_s")

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._at = time.monotonic() + limit_s

    @property
    def left_s(self) -> float:
        """How long there still is; at the end 0."""
        return max(0.0, self._at - time.monotonic())

    def expire(self) -> None:
        """End the work, from another thread."""
        self._at = 0.0

    def error(self) -> TimedOut:
        """What is said instead of an answer."""
        return TimedOut(
            f"no answer within {self._limit_s} s, so it was given up (setting: query_timeout_s); narrow the question, "
            "or ask again: changes of the tree that were brought in meanwhile are kept"
        )


_now: ContextVar[Deadline | None] = ContextVar("clew_deadline", default=None)


@contextmanager
def within(deadline: Deadline | None) -> Iterator[None]:
    """Answer a question by this moment."""
    token = _now.set(deadline)
    try:
        yield
    finally:
        _now.reset(token)


def check() -> None:
    """Raise `TimedOut` if the time of the question that is being answered is over."""
    deadline = _now.get()
    if deadline is not None and not deadline.left_s:
        raise deadline.error()


def left_s() -> float | None:
    """How long a question that is being answered may still take; None: as long as it likes."""
    deadline = _now.get()
    return None if deadline is None else deadline.left_s
