"""How much each definition matters: what is used by much that matters, seen from where one stands.

PageRank over the edges of a snapshot, which are laid out once for its generation. Main call: `load_ranks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from clew.store import edges
from clew.store.packs import NODE_BITS, WHOLE_FILE
from clew.store.store import Store

DAMPING = 0.85
ROUNDS = 30
MAX_KEPT = 4
ASIDE_SHARE = 0.1  # of what a use in a test or in vendored code counts


class Ranks:
    """The edges of a snapshot as arrays."""

    def __init__(self, connection: apsw.Connection, snapshot: int, is_aside: Mapping[int, bool]) -> None:
        import numpy as np

        found = np.array(edges.pairs(connection, snapshot), np.int64).reshape(-1, 2)
        self.nodes, inverse = np.unique(found, return_inverse=True)
        inverse = inverse.reshape(-1, 2)
        self._sources, self._targets = inverse[:, 0], inverse[:, 1]
        self.files = self.nodes >> NODE_BITS
        aside = np.fromiter((is_aside.get(number, False) for number in self.files.tolist()), bool, len(self.nodes))
        weight = np.where(aside[self._sources], ASIDE_SHARE, 1.0) if len(found) else np.zeros(0)
        given = np.bincount(self._sources, weight, minlength=len(self.nodes))
        self._shares = weight / np.maximum(given[self._sources], 1e-12) if len(found) else weight
        self._is_end = given == 0
        self._start = np.where(aside, ASIDE_SHARE, 1.0)

    def scores(self, focus: Mapping[int, float]) -> Any:
        """The rank of each node when one starts from some files (number: weight), or from everywhere."""
        import numpy as np

        if not len(self.nodes):
            return np.zeros(0)
        start = self._start.copy()
        if focus:
            weights = np.fromiter((focus.get(number, 0.0) for number in self.files.tolist()), float, len(self.nodes))
            start = start * weights if (start * weights).sum() > 0 else start
        start /= start.sum()
        rank = start.copy()
        for _ in range(ROUNDS):
            moved = np.bincount(self._targets, rank[self._sources] * self._shares, minlength=len(self.nodes))
            rank = DAMPING * (moved + rank[self._is_end].sum() * start) + (1 - DAMPING) * start
        return np.where(self.nodes & WHOLE_FILE == WHOLE_FILE, 0.0, rank)


def load_ranks(
    store: Store, connection: apsw.Connection, snapshot: int, generation: int, is_aside: Mapping[int, bool]
) -> Ranks:
    """The ranks of a snapshot in this read transaction: those kept for its generation, or new ones."""
    kept: dict[Any, Ranks] = store.ranks
    key = (snapshot, generation)
    if key not in kept:
        for old in [other for other in kept if other[0] == snapshot] + list(kept)[: 1 - MAX_KEPT]:
            kept.pop(old, None)
        kept[key] = Ranks(connection, snapshot, is_aside)
    return kept[key]
