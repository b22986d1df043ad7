"""`python -m benchmarks.retrieval.ablation`: what each weight of the ranking brings, and whether it holds elsewhere.

Every question is measured once; then features are left out, halved and doubled without asking again. The
weights are also fitted on some repositories and judged on the others: a weight that helps only where it was
fitted does not belong into `search/rank.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.retrieval.corpora import ANNOTATIONS, CORPORA, Repo, load_repos
from benchmarks.retrieval.indexed import HOME, IndexedCorpora
from benchmarks.retrieval.score import CUTOFF, matches
from clew.embed.encoder import Asked
from clew.lifecycle import gate
from clew.search import find
from clew.search.filters import Filter
from clew.search.query import parse_query

RESULTS = Path(__file__).resolve().parents[1] / "results"
STEPS = (0.0, 0.5, 0.7, 0.85, 1.15, 1.4, 2.0)
FOLDS = 4
ROUNDS = 2

Weights = dict[str, float]


@dataclass(frozen=True, slots=True)
class Case:
    """One question: what each feature says of each file, and which files are wanted."""

    repo: str
    category: str
    features: Mapping[str, Any]
    targets: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class WholeFile:
    path: str
    start_line: int = 1
    end_line: int = 1 << 30
    snippet: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval.ablation", description=__doc__)
    parser.add_argument("--annotations", type=Path, default=ANNOTATIONS, metavar="DIR")
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--home", type=Path, default=HOME, metavar="DIR")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--lexical", action="store_true", help="without the model")
    options = parser.parse_args(arguments)
    loaded = load_repos(options.annotations, options.corpora, whole=options.whole, only=())
    with IndexedCorpora(options.home) as corpora:
        cases = [case for repo in loaded.repos for case in _cases(corpora, repo, lexical=options.lexical)]
    names = list(cases[0].features)
    whole = mean(cases, {})
    print(f"{len(cases)} questions, NDCG@{CUTOFF} {whole:.4f}")
    table = {name: {str(step): round(mean(cases, {name: step}), 4) for step in STEPS} for name in names}
    for name, row in table.items():
        print(f"{name:<14}" + "".join(f"  ×{step}: {value:.4f}" for step, value in row.items()))
    fitted, held_out = cross_validated(cases, names)
    print(f"weights fitted on the rest: {fitted:.4f} where fitted, {held_out:.4f} on what was held out")
    suffix = ("-whole" if options.whole else "") + ("-lexical" if options.lexical else "")
    (RESULTS / f"ablation{suffix}.json").write_text(
        json.dumps(
            {
                "ndcg_10": round(whole, 4),
                "times": table,
                "cross_validated": {"fitted": round(fitted, 4), "held_out": round(held_out, 4)},
            },
            indent=1,
        )
        + "\n"
    )
    return 0


def _cases(corpora: IndexedCorpora, repo: Repo, *, lexical: bool) -> list[Case]:
    corpora.prepare(repo)
    engine = corpora.engine(repo)
    codebase = engine.resolve(str(repo.path))
    found = []
    with codebase.store.read() as connection:
        snapshot = gate.require(gate.judge(codebase.store, connection, codebase.root))
        source = find.Source(codebase.store, connection, snapshot, Filter())
        for question in repo.questions:
            query = parse_query(question.text, root=codebase.root)
            asked = Asked() if lexical else engine.asked(query.told, query.weights)
            search = find.Search([source], query, asked)
            files = [WholeFile(file.path) for file in search.measured[0].view.files]
            wanted = [[i for i, file in enumerate(files) if matches(file, t, repo.prefix)] for t in question.targets]
            found.append(Case(repo.name, question.category, search.rankings[0].features, wanted))
    return found


def ndcg(case: Case, weights: Weights) -> float:
    """NDCG@10 of one question when features are weighed anew."""
    total = np.sum([values * weights.get(name, 1.0) for name, values in case.features.items()], axis=0)
    places = np.empty(len(total), np.int64)
    places[np.argsort(-total, kind="stable")] = np.arange(len(total))
    ranks = [min(int(places[file]) for file in files) for files in case.targets if files]
    gain = sum(1 / float(np.log2(rank_ + 2)) for rank_ in ranks if rank_ < CUTOFF)
    ideal = sum(1 / float(np.log2(place + 2)) for place in range(min(len(case.targets), CUTOFF)))
    return min(gain / ideal, 1.0) if ideal else 0.0


def mean(cases: Sequence[Case], weights: Weights) -> float:
    return float(np.mean([ndcg(case, weights) for case in cases]))


def fit(cases: Sequence[Case], names: Sequence[str], rounds: int = ROUNDS) -> Weights:
    """Multipliers of the weights that do best on these questions, one feature at a time."""
    weights: Weights = {}
    best = mean(cases, weights)
    for _ in range(rounds):
        for name in names:
            for step in STEPS:
                tried = {**weights, name: weights.get(name, 1.0) * step}
                value = mean(cases, tried)
                if value > best + 1e-6:
                    best, chosen = value, tried
                    weights = chosen
    return weights


def cross_validated(cases: Sequence[Case], names: Sequence[str]) -> tuple[float, float]:
    """Mean NDCG where weights were fitted, and on repositories that were left out of the fitting."""
    repos = sorted({case.repo for case in cases})
    inside, outside = [], []
    for fold in range(FOLDS):
        left_out = set(repos[fold::FOLDS])
        rest = [case for case in cases if case.repo not in left_out]
        weights = fit(rest, names)
        inside += [ndcg(case, weights) for case in rest]
        outside += [ndcg(case, weights) for case in cases if case.repo in left_out]
    return float(np.mean(inside)), float(np.mean(outside))


if __name__ == "__main__":
    raise SystemExit(main())


__all__ = ["Case", "cross_validated", "fit", "main", "mean", "ndcg"]
