"""`python -m benchmarks.retrieval`: index the corpora, ask all questions, print and keep the scores."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.retrieval.corpora import ANNOTATIONS, CORPORA, Loaded, NoData, Repo, load_repos
from benchmarks.retrieval.evaluation import DEEP, Group, Measured, Report, Summary, evaluate
from benchmarks.retrieval.indexed import HOME, IndexCost, IndexedCorpora, offers_modes
from clew import load_config

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.limit_mode and not offers_modes():
        print(f"the engine has one way to search: --limit-mode {options.limit_mode} cannot be chosen", file=sys.stderr)
        return 2
    try:
        loaded = load_repos(options.annotations, options.corpora, whole=options.whole, only=options.only)
    except NoData as error:
        print(error, file=sys.stderr)
        return 2
    for sentence in loaded.absent:
        print(sentence, file=sys.stderr)
    if not loaded.repos:
        print("no corpus to ask questions of", file=sys.stderr)
        return 2
    load_before = os.getloadavg()[0]
    with IndexedCorpora(options.home, mode=options.limit_mode) as corpora:
        costs = {repo.name: _prepare(corpora, repo) for repo in loaded.repos}
        report = evaluate(corpora.search, loaded.repos)
    _print(report, costs)
    _keep(options, loaded, report, costs, load_before)
    return 1 if loaded.absent else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument(
        "--annotations", type=Path, default=ANNOTATIONS, metavar="DIR",
        help="the folder with repos.json and annotations/NAME.json; .cache/bench/retrieval unless given",
    )  # fmt: skip
    parser.add_argument(
        "--corpora", type=Path, default=CORPORA, metavar="DIR",
        help="the folder with a checkout for each repository, called NAME; .cache/corpora/retrieval unless given",
    )  # fmt: skip
    parser.add_argument(
        "--whole", action="store_true", help="index whole repositories, not the folders repos.json names"
    )
    parser.add_argument(
        "--only",
        type=lambda text: text.split(","),
        default=[],
        metavar="NAMES",
        help="these alone, with commas between",
    )
    parser.add_argument(
        "--limit-mode", choices=("lexical", "hybrid"), help="how the engine searches, if it has a choice"
    )
    parser.add_argument(
        "--home", type=Path, default=HOME, metavar="DIR", help="where the indexes are kept between runs"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the scores are written, as JSON")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write each question's ranks, one JSON line each")
    return parser


def _prepare(corpora: IndexedCorpora, repo: Repo) -> IndexCost:
    cost = corpora.prepare(repo)
    shape = f"{cost.files} files, {cost.chunks} chunks, {cost.size_mb} MB, {cost.wall_s} s"
    print(f"indexed {repo.name}: {shape}", file=sys.stderr, flush=True)
    return cost


def _print(report: Report, costs: Mapping[str, IndexCost]) -> None:
    scores = f"{'NDCG@10':>9}{'R@10':>8}{'R@2k':>8}{'R@8k':>8}"
    header = f"{'':<18}{'questions':>9}{scores}{'p50 ms':>9}{'p95 ms':>9}{'CPU p50':>9}"
    groups: tuple[Group, ...] = ("repo", "language", "category")
    for group in groups:
        print(f"\nby {group}\n{header}")
        for name, summary in report.by(group).items():
            print(_row(name, summary))
    print(f"\n{header}\n{_row('overall', report.overall)}")
    total = _total(costs)
    print(f"\nNDCG@10, every repository alike: {report.mean_of_repos:.4f}")
    print(f"indexes: {total['files']} files, {total['chunks']} chunks, {total['size_mb']} MB", end="")
    print(f", built in {total['wall_s']} s ({total['cpu_s']} s of CPU)")


def _row(name: str, row: Summary) -> str:
    scores = f"{row.ndcg_10:>9.4f}{row.recall_10:>8.3f}{row.recall_2000:>8.3f}{row.recall_8000:>8.3f}"
    return f"{name:<18}{row.questions:>9}{scores}{row.p50_ms:>9.1f}{row.p95_ms:>9.1f}{row.cpu_p50_ms:>9.1f}"


def _total(costs: Mapping[str, IndexCost]) -> dict[str, float]:
    rows = [asdict(cost) for cost in costs.values()]
    return {key: round(sum(row[key] for row in rows), 2) for key in rows[0]}


def _keep(
    options: argparse.Namespace, loaded: Loaded, report: Report, costs: Mapping[str, IndexCost], load_before: float
) -> None:
    """Write the scores where they were asked for; a run of everything there is has a place of its own."""
    if options.details:
        lines = [json.dumps(_detail(item)) for item in report.measured]
        options.details.write_text("\n".join(lines) + "\n", "utf-8")
    is_full = options.annotations == ANNOTATIONS and not (options.only or options.limit_mode or loaded.absent)
    out = options.out or (RESULTS / f"retrieval{'-whole' * options.whole}.json" if is_full else None)
    if out is None:
        return
    config = load_config()
    found = {
        "commit": _git("rev-parse", "HEAD"),
        "is_clean": not _git("status", "--porcelain", "--", "src", "benchmarks/retrieval"),
        "load_average": {"before": round(load_before, 2), "after": round(os.getloadavg()[0], 2)},
        "cores": os.cpu_count(),
        "settings": {
            "whole": options.whole,
            "mode": options.limit_mode,
            "only": options.only,
            "deep": DEEP,
            "parsing_processes": config.parsing_processes,
            "recheck_ms": config.recheck_ms,
            "max_file_bytes": config.max_file_bytes,
        },
        **report.as_json(),
        "index_total": _total(costs),
        "corpora": {repo.name: {**_corpus(repo), "index": asdict(costs[repo.name])} for repo in loaded.repos},
        "absent": [sentence.partition(":")[0] for sentence in loaded.absent],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def _corpus(repo: Repo) -> dict[str, Any]:
    targets, present = repo.targets(), repo.present()
    return {
        "repository": repo.repository,
        "revision": repo.revision,
        "is_exact": repo.is_exact,
        "targets": len(targets),
        "targets_present": len(present),
    }


def _detail(item: Measured) -> dict[str, Any]:
    return {**asdict(item), "wall_ms": round(item.wall_ms, 2), "cpu_ms": round(item.cpu_ms, 2)}


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
