"""The best of many scores: of the chunks of each file, and of all, without sorting what nobody looks at."""

from __future__ import annotations

from array import array
from typing import Any

from clew import native
from clew.search.view import View

TOP_CHUNKS = (1.0, 0.7, 0.5)  # a file that says it in three places beats one that says it once
FEW_CHUNKS = 0.25  # of all: so many are picked out before the best are looked for
_TOP_CHUNKS = array("f", TOP_CHUNKS)


def best_chunks(view: View, scores: Any) -> Any:
    """For each file its best chunks' scores that are above 0, weighed by TOP_CHUNKS."""
    import numpy as np

    sums = np.zeros(len(view.starts) + 1, np.float32)  # of each group of chunks; the last is of files that have none
    if native.kernels is not None:
        native.kernels.best_three(scores, view.starts, _TOP_CHUNKS, sums[:-1])
        return sums[view.group]
    values, starts = np.fmax(scores, np.float32(0)), view.starts
    groups: Any = slice(0, len(starts))
    is_held = values > 0
    if np.count_nonzero(is_held) < FEW_CHUNKS * len(values):  # as it is for most words: only these are looked at
        held = np.flatnonzero(is_held)
        of = view.starts.searchsorted(held, side="right") - 1
        starts = np.flatnonzero(np.append(True, of[1:] != of[:-1])[: len(of)])
        values, groups = values[held], of[starts]
    if not len(starts):
        return sums[view.group]
    keys = values.view(np.uint32).astype(np.int64)  # bits of such numbers order as they do
    keys <<= 32
    keys |= view.ordinals[: len(keys)]  # score and place: one pass finds both
    total = np.zeros(len(starts), np.float32)
    for weight in TOP_CHUNKS:
        best = np.maximum.reduceat(keys, starts)
        total += weight * (best >> 32).astype(np.uint32).view(np.float32)
        places = best & 0xFFFFFFFF
        keys[places] = places
    sums[groups] = total
    return sums[view.group]


def greatest(values: Any, most: int) -> Any:
    """Where the greatest values stand, the greatest first, ties in order of place: at least `most` of them, and all as
    great as the last. The many that nobody looks at are not sorted."""
    import numpy as np

    places = np.arange(len(values))
    if len(values) > most:
        places = np.flatnonzero(values >= np.partition(values, len(values) - most)[len(values) - most])
    return places[np.argsort(-values[places], kind="stable")]
