"""Cosines of one vector with many rows of bytes: native code where it is installed, numpy otherwise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from queue import SimpleQueue
from typing import Any

SIDE_THREADS = 4  # for several questions at once
_BLOCK = 16_384  # rows that numpy widens at once

Waiting = Callable[[], Any]  # waits for what was begun
Begin = Callable[..., Waiting]  # begins a piece of native work, given as a function and its arguments


def at_once(work: Callable[..., Any], *arguments: Any) -> Waiting:
    """Begins nothing: it is done already."""
    found = work(*arguments)
    return lambda: found


def aside(work: Callable[..., Any], *arguments: Any) -> Waiting:
    """Begins it in a thread, beside which the words are counted."""
    piece = _Piece(work, arguments)
    _pieces().put(piece)
    return piece.wait


class _Piece:
    """A piece of work and what came of it. A future does more, and takes as long as a tenth of the work."""

    __slots__ = ("_arguments", "_done", "_error", "_found", "_work")

    def __init__(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._work, self._arguments = work, arguments
        self._found: Any = None
        self._error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    def do(self) -> None:
        try:
            self._found = self._work(*self._arguments)
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._error = error
        self._done.release()

    def wait(self) -> Any:
        with self._done:
            if self._error is not None:
                raise self._error
            return self._found


@lru_cache(maxsize=1)
def _pieces() -> SimpleQueue[_Piece]:
    """Where threads take pieces from, as long as the process lives."""
    found: SimpleQueue[_Piece] = SimpleQueue()

    def serve() -> None:
        while True:
            found.get().do()

    for number in range(SIDE_THREADS):
        threading.Thread(target=serve, name=f"clew-meaning_{number}", daemon=True).start()
    return found


def cosines_with(rows: Any, lengths: Any, vector: Any) -> Any:
    """The cosine of each int8 row, whose `lengths` are known, with a float vector; a zero row has none with any."""
    import numpy as np

    return begin_cosines(rows, lengths, vector, at_once, np.empty(len(rows), np.float32))()


def begin_cosines(rows: Any, lengths: Any, vector: Any, begin: Begin, found: Any) -> Waiting:
    """The same into an array, begun. Only the products are: beside other work, whatever needs Python's lock gains
    nothing."""
    import numpy as np

    largest = float(np.abs(vector).max()) if len(vector) else 0.0
    if not largest or not len(rows):
        found[:] = 0
        return lambda: found
    wanted = np.rint(vector * (127.0 / largest)).astype(np.int8)
    length = np.float32(np.linalg.norm(wanted.astype(np.float32)))
    products = begin(_multiply, rows, wanted, found)

    @lru_cache(maxsize=1)
    def finish() -> Any:
        products()
        np.divide(found, lengths, out=found)
        return np.divide(found, length, out=found)

    return finish


def _multiply(rows: Any, wanted: Any, found: Any) -> None:
    """The product of each row with bytes into an array."""
    import numpy as np

    try:
        import simsimd
    except ImportError:
        query = wanted.astype(np.float32)
        for first in range(0, len(rows), _BLOCK):
            found[first : first + _BLOCK] = rows[first : first + _BLOCK].astype(np.float32) @ query
        return
    simsimd.cdist(wanted.reshape(1, -1), np.ascontiguousarray(rows), metric="dot", out=found.reshape(1, -1))
