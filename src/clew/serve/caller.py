"""Who asks, from where, and where the answer goes: this process itself, or one that asks through the daemon.

Whatever depends on the asker's directory, terminal or streams asks here and not the process. Main calls: `now`,
`serving`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from clew.engine import Engine


@dataclass(frozen=True, slots=True)
class Caller:
    """Another process that asks; the engine is warm and shared, so nobody who is asked closes it."""

    cwd: str
    out: TextIO
    err: TextIO
    has_colours: bool
    shared_engine: Engine


class Declined(Exception):
    """No answer, but a signal: the asking process must do this itself."""


_now: ContextVar[Caller | None] = ContextVar("clew_caller", default=None)


def now() -> Caller | None:
    """Who is served at this moment; None for this process itself."""
    return _now.get()


@contextmanager
def serving(caller: Caller) -> Iterator[None]:
    """Answer another process."""
    token = _now.set(caller)
    try:
        yield
    finally:
        _now.reset(token)


def out() -> TextIO:
    """Where answers go."""
    caller = _now.get()
    return sys.stdout if caller is None else caller.out


def err() -> TextIO:
    """Where all else goes."""
    caller = _now.get()
    return sys.stderr if caller is None else caller.err


def cwd() -> str:
    """Where the asker is."""
    caller = _now.get()
    return os.getcwd() if caller is None else caller.cwd


def reached(path: str) -> str:
    """A path as the asker wrote it, so that it can be opened from here."""
    caller = _now.get()
    return path if caller is None else os.path.join(caller.cwd, path)


def absolute(path: str) -> str:
    """The same, absolute and normalised."""
    return os.path.abspath(reached(path))
