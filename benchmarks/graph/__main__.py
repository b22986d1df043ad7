"""How right the graph is: `python -m benchmarks.graph [--project NAME]` prints a table and keeps the figures.

The truth is made first where it is missing, which needs the checkers (see README.md) and takes minutes.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.graph import truth as truths
from benchmarks.graph.edges import SOURCE, Edge, clew_edges, name_edges
from benchmarks.graph.facts import CACHE, read_truth, truth_path, write_truth
from benchmarks.graph.judged import read_judgements, source_line
from benchmarks.graph.projects import Project, projects
from benchmarks.graph.score import Disagreement, Report, Scorer, sort_of

RESULTS = Path(__file__).resolve().parent.parent / "results" / "graph.json"
SAMPLE = 60  # disagreements of each sort and project that are written out to be read
KEPT = 200_000  # that the sample is drawn from; name matching alone has millions
_RATIOS = (("precision", 10), ("recall", 8))


def main() -> None:
    """Measure the named projects, or all."""
    known = projects()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph", description=__doc__)
    parser.add_argument("--project", choices=sorted(known), action="append")
    parser.add_argument("--baseline", action="store_true", help="name matching alone, whatever Clew has")
    parser.add_argument("--home", type=Path, help="keeps the index there; a fresh one is made unless given")
    parser.add_argument("--seed", type=int, default=6, help="of the sample of disagreements")
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    edges = name_edges if asked.baseline else clew_edges
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.project or known:
            project = known[name]
            figures = measure(project, edges(project.root, asked.home or Path(folder)), seed=asked.seed)
            found[name] = {"edges_from": SOURCE, **figures}
            show(name, found[name])
    if not asked.baseline:
        kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**kept, **found}, indent=2) + "\n", encoding="utf-8")


def measure(project: Project, edges: Iterable[Edge], *, seed: int) -> dict[str, Any]:
    """All figures of a project: with all checkers, with each alone, and with judged disagreements corrected."""
    path = truth_path(project.name)
    if not path.exists():
        write_truth(truths.make(project), path)
    truth = read_truth(path)
    judgements = read_judgements({project.name: project.root})
    whole, judged = Scorer(truth, keep=KEPT), Scorer(truth, judgements=judgements)
    single = {f"{checker} {version}": Scorer(truth, checkers=[checker]) for checker, version in truth.checkers.items()}
    scorers = (whole, judged, *single.values())
    for edge in edges:
        for scorer in scorers:
            scorer.see(edge)
    report = whole.report()
    _write_sample(project, report, seed)
    return {
        **report.as_json(),
        "judged": {**_brief(judged.report()), "judgements": len(judgements)},
        "checkers": {name: _brief(scorer.report()) for name, scorer in single.items()},
    }


def _brief(report: Report) -> dict[str, Any]:
    figures = report.as_json()
    return {name: figures[name] for name in ("precision", "recall", "edges", "wanted", "calls")}


def show(name: str, figures: dict[str, Any]) -> None:
    """One line a group of edges."""
    print(f"\n{name:<28}{'precision':>10}{'recall':>8}{'edges':>10}{'phantom':>9}{'wanted':>8}")
    rows = {"references": figures, **figures["tiers"], "calls": figures["calls"], "imports": figures["imports"]}
    rows |= {"with judgements": figures["judged"], **figures["checkers"]}
    for title, row in rows.items():
        ratios = "".join(f"{'-' if row[key] is None else format(row[key], '.3f'):>{width}}" for key, width in _RATIOS)
        print(f"  {title:<26}{ratios}{row['edges']:>10}{row.get('phantom', ''):>9}{row['wanted']:>8}")
    recalls = ", ".join(f"{kind} {row['recall']:.3f}" for kind, row in figures["recall_by_kind"].items())
    print(f"  recall by kind: {recalls}")
    print(f"  opinion of one alone: Clew at {figures['only_clew']} places, checkers at {figures['only_checker']}")
    print(f"  disagreements: {', '.join(f'{sort} {count}' for sort, count in figures['disagreements'].items())}")


def _write_sample(project: Project, report: Report, seed: int) -> None:
    """Some disagreements of each sort with their source lines, to be read and judged."""
    by_sort: dict[str, list[Disagreement]] = defaultdict(list)
    for item in report.disagreements:
        by_sort[sort_of(item.edge, item.site)].append(item)
    chosen = random.Random(seed)
    rows = [
        _described(project, sort, item)
        for sort, items in sorted(by_sort.items())
        for item in chosen.sample(items, min(SAMPLE, len(items)))
    ]
    out = CACHE / "disagreements" / f"{project.name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _described(project: Project, sort: str, item: Disagreement) -> dict[str, Any]:
    """As a judgement that waits for its last two fields."""
    (path, line, column), edge = item.key, item.edge
    facts = item.site.facts
    target = (edge.target_path, edge.target_name) if edge else (facts[0].target_path, facts[0].name)
    target_line = edge.target_line if edge else facts[0].target_line
    said = [f"{fact.target_path}:{fact.target_line} {fact.name} ({', '.join(fact.by)})" for fact in facts]
    return {
        "project": project.name,
        "path": path,
        "line": line,
        "column": column,
        "text": source_line(project.root, path, line),
        "target_path": target[0],
        "target_name": target[1],
        "is_missing": edge is None,
        "right": "",
        "why": "",
        "_sort": sort,
        "_tier": edge.tier if edge else "",
        "_target_text": source_line(project.root, target[0], target_line),
        "_checkers": [*said, *sorted(item.site.elsewhere)],
    }


if __name__ == "__main__":
    main()
