"""Cosines of one vector with many rows of bytes: in C where it is built, by numpy otherwise. Main calls:
`begin_nearness`, `cosines_with`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from clew import native
from clew.search.best import Groups, sum_best

_BLOCK = 2_048  # rows that numpy widens at once: they stay near the processor


class Rows(NamedTuple):
    """Rows of int8, and where their cosines go: one after the other, or each to its place, if it has one."""

    rows: Any
    lengths: Any
    found: Any
    places: Any = b""  # int64; below 0 for a row that counts for nothing


def cosines_with(rows: Any, lengths: Any, vector: Any) -> Any:
    """The cosine of each int8 row, whose `lengths` are known, with a float vector; a zero row has none with any."""
    import numpy as np

    found = np.zeros(len(rows), np.float32)
    begin_nearness(vector, [Rows(rows, lengths, found)])()
    return found


def begin_nearness(
    vector: Any, pieces: Sequence[Rows], best: Groups | None = None, *, aside: bool = False
) -> Callable[[], None]:
    """The same into arrays of zeros, then the best of some groups of them: begun aside, and waited for when the result
    is called. The thread that does it needs nothing of Python."""
    import numpy as np

    largest = float(np.abs(vector).max()) if len(vector) else 0.0
    if not largest:
        return lambda: None
    wanted = np.rint(vector * (127.0 / largest)).astype(np.int8)
    length = float(np.linalg.norm(wanted.astype(np.float32)))
    if native.kernels is not None:
        given = [(np.ascontiguousarray(rows), lengths, places, found) for rows, lengths, found, places in pieces]
        wait: Callable[[], None] = native.kernels.Nearness(wanted, length, tuple(given), tuple(best or ()), aside).wait
        return wait
    for piece in pieces:
        _divide_products(piece, wanted, length)
    if best is not None:
        sum_best(best)
    return lambda: None


def _divide_products(piece: Rows, wanted: Any, length: float) -> None:
    """The product of each row with bytes, over the length of both."""
    import numpy as np

    rows, query = piece.rows, wanted.astype(np.float32)
    found = np.empty(len(rows), np.float32)
    for first in range(0, len(rows), _BLOCK):
        found[first : first + _BLOCK] = rows[first : first + _BLOCK].astype(np.float32) @ query
    np.divide(found, piece.lengths, out=found)
    np.divide(found, np.float32(length), out=found)
    if len(piece.places):
        held = piece.places >= 0
        piece.found[piece.places[held]] = found[held]
    else:
        piece.found[:] = found
