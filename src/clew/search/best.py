"""The best of many scores: of the chunks of each file, and of all, without sorting what nobody looks at."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from clew import native

if TYPE_CHECKING:
    from clew.search.view import View

TOP_CHUNKS = (1.0, 0.7, 0.5)  # a file that says it in three places beats one that says it once
FEW_CHUNKS = 0.25  # of all: so many are picked out before the best are looked for
_TOP_CHUNKS = array("f", TOP_CHUNKS)


class Groups(NamedTuple):
    """Scores that stand in groups, one after the other, and where the sum of the best of each goes."""

    scores: Any
    starts: Any  # of the groups, int64
    weights: Any
    sums: Any


def groups_of(view: View, scores: Any) -> tuple[Groups, Any]:
    """The chunks of files as groups of their scores; and room for a sum a group, with a last one for what has none."""
    import numpy as np

    sums = np.zeros(len(view.starts) + 1, np.float32)
    return Groups(scores, view.starts, _TOP_CHUNKS, sums[:-1]), sums


def best_chunks(view: View, scores: Any) -> Any:
    """For each file its best chunks' scores that are above 0, weighed by TOP_CHUNKS."""
    groups, sums = groups_of(view, scores)
    sum_best(groups)
    return sums[view.group]


def sum_best(groups: Groups) -> None:
    """The same for each group."""
    import numpy as np

    scores, starts, weights, sums = groups
    if native.kernels is not None:
        native.kernels.best_three(*groups)
        return
    values, held_by = np.fmax(scores, np.float32(0)), np.arange(len(starts))
    is_held = values > 0
    if np.count_nonzero(is_held) < FEW_CHUNKS * len(values):  # as it is for most words: only these are looked at
        held = np.flatnonzero(is_held)
        of = starts.searchsorted(held, side="right") - 1
        starts = np.flatnonzero(np.append(True, of[1:] != of[:-1])[: len(of)])
        values, held_by = values[held], of[starts]
    if not len(starts):
        return
    keys = values.view(np.uint32).astype(np.int64)  # bits of such numbers order as they do
    keys <<= 32
    keys |= np.arange(len(keys))  # score and place: one pass finds both
    total = np.zeros(len(starts), np.float32)
    for weight in weights:
        best = np.maximum.reduceat(keys, starts)
        total += np.float32(weight) * (best >> 32).astype(np.uint32).view(np.float32)
        places = best & 0xFFFFFFFF
        keys[places] = places
    sums[held_by] = total


def greatest(values: Any, most: int) -> Any:
    """Where the greatest values stand, the greatest first, ties in order of place: at least `most` of them, and all as
    great as the last. The many that nobody looks at are not sorted."""
    import numpy as np

    places = np.arange(len(values))
    if len(values) > most:
        places = np.flatnonzero(values >= np.partition(values, len(values) - most)[len(values) - most])
    return places[np.argsort(-values[places], kind="stable")]
