"""Cosines of one vector with many rows of bytes: in C where it is built, by numpy otherwise."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import lru_cache
from queue import SimpleQueue
from typing import Any

from clew import native

SIDE_THREADS = 4  # for several questions at once
_BLOCK = 2_048  # rows that numpy widens at once: they stay near the processor

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
    time.sleep(0)  # the thread takes Python's lock to begin, and would wait until this one reads from the disk
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
    """The same into an array, begun; native code needs Python's lock for none of it."""
    import numpy as np

    largest = float(np.abs(vector).max()) if len(vector) else 0.0
    if not largest or not len(rows):
        found[:] = 0
        return lambda: found
    wanted = np.rint(vector * (127.0 / largest)).astype(np.int8)
    length = np.linalg.norm(wanted.astype(np.float32))
    if native.kernels is None:
        done = begin(_divide_products, rows, wanted, lengths, length, found)
    else:
        done = begin(native.kernels.cosines, np.ascontiguousarray(rows), len(wanted), wanted, lengths, length, found)

    def finish() -> Any:
        done()
        return found

    return finish


def _divide_products(rows: Any, wanted: Any, lengths: Any, length: Any, found: Any) -> None:
    """The product of each row with bytes, over the length of both."""
    import numpy as np

    query = wanted.astype(np.float32)
    for first in range(0, len(rows), _BLOCK):
        found[first : first + _BLOCK] = rows[first : first + _BLOCK].astype(np.float32) @ query
    np.divide(found, lengths, out=found)
    np.divide(found, length, out=found)
