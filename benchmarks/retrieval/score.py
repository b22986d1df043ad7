"""The measure: where the files that a question is about stand in a list of hits. Main call: `score`.

NDCG@10 at file level: a target's rank is that of the first hit that matches it, every target weighs alike and
counts once, and the ideal list has all targets (at most ten) at the top. Several hits in one file take several
places. Recall by tokens asks what a reader has seen who reads the snippets from the top and stops at a budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

CUTOFF = 10
CHARACTERS_PER_TOKEN = 4
BUDGETS = (2_000, 8_000)  # tokens: a glance, and a long look


class HitLike(Protocol):
    """What is asked of a hit; `path` is relative to the indexed folder, lines are 1-based and inclusive."""

    @property
    def path(self) -> str: ...
    @property
    def start_line(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def snippet(self) -> str: ...


class Target(NamedTuple):
    """A file that answers a question, or the lines of it that do; without lines any part of it will do."""

    path: str
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """How one list of hits did; `ranks` has an entry for each target, None when no hit matches it."""

    ndcg_10: float
    recall_10: float
    recall_2000: float
    recall_8000: float
    ranks: tuple[int | None, ...]


def score(
    hits: Sequence[HitLike], targets: Sequence[Target], *, prefix: str = "", deep: Sequence[HitLike] | None = None
) -> Score:
    """Measure `hits`, best first; `prefix` is the indexed folder's place in its repository.

    `deep` is the same list further down, where a budget of tokens reaches beyond `hits`."""
    ranks = ranks_of(hits, targets, prefix)
    further = hits if deep is None else deep
    deep_ranks = ranks if deep is None else ranks_of(further, targets, prefix)
    glance, look = (recall(deep_ranks, hits_within(further, budget)) for budget in BUDGETS)
    return Score(ndcg(ranks), recall(ranks, CUTOFF), glance, look, tuple(ranks))


def matches(hit: HitLike, target: Target, prefix: str = "") -> bool:
    """Whether a hit shows a target: the path ends with the target's, and the lines overlap if it names any."""
    path = _plain(hit.path)
    if not f"/{prefix}/{path}".endswith(f"/{_plain(target.path)}"):
        return False
    if not target.start_line:
        return True
    return hit.start_line <= target.end_line and target.start_line <= hit.end_line


def ranks_of(hits: Sequence[HitLike], targets: Sequence[Target], prefix: str = "") -> list[int | None]:
    """For each target the 1-based place of the first hit that matches it."""
    return [
        next((place for place, hit in enumerate(hits, 1) if matches(hit, target, prefix)), None) for target in targets
    ]


def ndcg(ranks: Sequence[int | None], cutoff: int = CUTOFF) -> float:
    """The discounted gain of the targets found, as a share of the best that could be."""
    ideal = sum(_gain(place) for place in range(1, min(len(ranks), cutoff) + 1))
    found = sum(_gain(rank) for rank in ranks if rank is not None and rank <= cutoff)
    # One hit can match two targets (two spans of a file); it does not make a list better than the best.
    return min(1.0, found / ideal) if ideal else 0.0


def recall(ranks: Sequence[int | None], cutoff: int) -> float:
    """The share of the targets that are among the first hits."""
    return sum(rank is not None and rank <= cutoff for rank in ranks) / len(ranks) if ranks else 0.0


def hits_within(hits: Sequence[HitLike], budget_tokens: int) -> int:
    """How many hits can be read to their end, from the top, before the budget is spent."""
    characters = 0
    for count, hit in enumerate(hits):
        characters += len(hit.snippet)
        if characters > budget_tokens * CHARACTERS_PER_TOKEN:
            return count
    return len(hits)


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")
