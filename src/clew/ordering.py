"""Many numbers in order, and where each of them was. Main call: `in_order`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def in_order(numbers: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The numbers, fewer than 2³², in order, and the place of each before that, ascending among equals.

    Numbers and places are sorted as one: plain numbers of 64 bits take a third of the time of `argsort`."""
    import numpy as np

    both = numbers.astype(np.uint64)
    both <<= np.uint64(32)
    both |= np.arange(len(numbers), dtype=np.uint64)
    both.sort()
    return (both >> np.uint64(32)).astype(np.uint32), (both & np.uint64(0xFFFFFFFF)).astype(np.int64)
