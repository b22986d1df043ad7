"""Asks every question of every repository and adds up the scores. Main call: `evaluate`."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from benchmarks.retrieval.corpora import Repo
from benchmarks.retrieval.score import CUTOFF, HitLike, Score, score

DEEP = 100  # hits asked for where tokens are the budget; 8,000 tokens of snippets seldom hold more

Search = Callable[[Repo, str, int], Sequence[HitLike]]
Group = Literal["repo", "language", "category"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One question, how its hits scored and how long they took."""

    repo: str
    language: str
    category: str
    query: str
    score: Score
    wall_ms: float
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over questions, and percentiles of the time a search for ten hits takes."""

    questions: int
    ndcg_10: float
    recall_10: float
    recall_2000: float
    recall_8000: float
    p50_ms: float
    p95_ms: float
    cpu_p50_ms: float  # of all threads; unlike the others it does not grow when the machine is busy


@dataclass(frozen=True, slots=True)
class Report:
    """All that was measured, question by question, and its summaries."""

    measured: tuple[Measured, ...]

    @property
    def overall(self) -> Summary:
        return summarise(self.measured)

    @property
    def mean_of_repos(self) -> float:
        """NDCG@10 when every repository weighs alike, however many questions it has."""
        found = [summary.ndcg_10 for summary in self.by("repo").values()]
        return round(statistics.fmean(found), 4) if found else 0.0

    def by(self, group: Group) -> dict[str, Summary]:
        """A summary for each repository, language or category, by name."""
        groups: dict[str, list[Measured]] = {}
        for item in self.measured:
            groups.setdefault(getattr(item, group), []).append(item)
        return {name: summarise(groups[name]) for name in sorted(groups)}

    def as_json(self) -> dict[str, Any]:
        """The summaries, without the questions."""
        groups: tuple[Group, ...] = ("category", "language", "repo")
        tables = {f"by_{group}": {name: asdict(row) for name, row in self.by(group).items()} for group in groups}
        return {"overall": {**asdict(self.overall), "ndcg_10_mean_of_repos": self.mean_of_repos}, **tables}


def evaluate(search: Search, repos: Iterable[Repo]) -> Report:
    """Ask `search(repo, query, limit)` all questions; paths of hits are relative to `repo.path`.

    Each question is asked twice: for ten hits, which are scored and timed, and for many, of which only the
    snippets that a budget of tokens allows are read. The first search in a repository is not timed: it opens files.
    """
    measured = []
    for repo in repos:
        search(repo, repo.name, CUTOFF)
        for question in repo.questions:
            started, cpu = time.perf_counter(), time.process_time()
            hits = list(search(repo, question.text, CUTOFF))[:CUTOFF]
            wall_ms, cpu_ms = (time.perf_counter() - started) * 1e3, (time.process_time() - cpu) * 1e3
            deep = search(repo, question.text, DEEP)
            found = score(hits, question.targets, prefix=repo.prefix, deep=deep)
            about = (repo.name, repo.language, question.category, question.text)
            measured.append(Measured(*about, found, wall_ms, cpu_ms))
    return Report(tuple(measured))


def summarise(items: Sequence[Measured]) -> Summary:
    """Means over questions; all zero when there are none."""
    if not items:
        return Summary(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    walls = sorted(item.wall_ms for item in items)
    return Summary(
        questions=len(items),
        ndcg_10=_mean(item.score.ndcg_10 for item in items),
        recall_10=_mean(item.score.recall_10 for item in items),
        recall_2000=_mean(item.score.recall_2000 for item in items),
        recall_8000=_mean(item.score.recall_8000 for item in items),
        p50_ms=percentile(walls, 0.5),
        p95_ms=percentile(walls, 0.95),
        cpu_p50_ms=percentile(sorted(item.cpu_ms for item in items), 0.5),
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed."""
    return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 2)


def _mean(values: Iterable[float]) -> float:
    return round(statistics.fmean(values), 4)
