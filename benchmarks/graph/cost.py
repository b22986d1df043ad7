"""`python -m benchmarks.graph.cost`: what the graph costs on Django, beside the rest of the index.

What it adds is measured by first indexes with and without it, in turns, as users have them: with parsing processes,
whose time is counted too.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.corpora import django
from benchmarks.graph import saves
from clew import Engine, load_config
from clew.graph import build
from clew.graph.calls import call_graph
from clew.graph.nodes import Nodes
from clew.index import pool, sync
from clew.lifecycle import gate
from clew.relations import Wanted
from clew.store import edges

RESULTS = Path(__file__).resolve().parents[1] / "results" / "graph_cost.json"
DEFINITIONS, ROUNDS = 60, 6


def main() -> int:
    """Measure, print, keep."""
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder).resolve() / "tree"
        shutil.copytree(django(), tree)
        time.sleep(0.1)  # so that no file is too young to be believed
        report = {**added_cost(tree, Path(folder).resolve()), **index_cost(tree, Path(folder).resolve() / "home")}
    report["load_average"] = {"before": before, "after": os.getloadavg()[0]}
    print(json.dumps(report, indent=1))
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def added_cost(tree: Path, folder: Path) -> dict[str, Any]:
    """First indexes with and without the graph, in turns: the best of each by the clock and by the processors."""
    spent: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
    for number in range(ROUNDS):
        for name, runs in spent.items():
            with contextlib.nullcontext() if name == "with" else _no_graph():
                engine = Engine(load_config({"home": str(folder / f"{name}{number}")}))
                started, cpu = time.perf_counter(), _cpu()
                engine.index(str(tree))
                wall = time.perf_counter() - started
                engine.close()  # with it the worker that is kept ends, whose time counts then
                runs.append((wall, _cpu() - cpu))
    report: dict[str, Any] = {}
    for place, kind in enumerate(("wall", "cpu")):
        best = {name: min(run[place] for run in runs) for name, runs in spent.items()}
        report[f"first_index_{kind}_s"] = {name: round(seconds, 1) for name, seconds in best.items()}
        report[f"adds_{kind}"] = round(best["with"] / best["without"] - 1, 2)
    return report


@contextlib.contextmanager
def _no_graph() -> Iterator[None]:
    """Nothing is resolved, and parsers read nothing of what names mean."""
    with (
        mock.patch.object(sync, "plan_graph", lambda *_: build.Update()),
        mock.patch.object(pool, "WORKER", "benchmarks.graph.plain_worker"),
    ):
        yield


def index_cost(tree: Path, home: Path) -> dict[str, Any]:
    """A cold index, saves of one file, and questions."""
    timed = saves.Timed()
    engine = Engine(load_config({"home": str(home), "recheck_ms": 3_600_000}))
    engine.index(str(tree))
    report: dict[str, Any] = {"edges": {"cpu_s": round(timed.taken()[0] / 1e3, 2)}}
    report["one_changed_file_cpu_ms"] = saves.on_django(engine, tree, timed)
    report |= _questions(engine, str(tree))
    engine.close()
    report["one_changed_file_cpu_ms"] |= saves.in_other_languages(timed)
    return report


def _questions(engine: Engine, tree: str) -> dict[str, Any]:
    codebase = engine.resolve(tree)
    chance = random.Random(1)
    with codebase.store.read() as connection:
        snapshot = gate.require(gate.judge(codebase.store, connection, codebase.root))
        targets = sorted({target for _, target in edges.pairs(connection, snapshot.id)})
        chosen = chance.sample(targets, DEFINITIONS)
    walls = []
    for node in chosen:
        with codebase.store.read() as connection:
            started = time.perf_counter()
            nodes = Nodes(connection, snapshot.id)
            root = nodes.node(node)
            if root is not None:
                call_graph(nodes, [root], "both", 3, 20)
            walls.append((time.perf_counter() - started) * 1e3)
    walls.sort()
    maps = []
    for _ in range(3):
        started = time.perf_counter()
        engine.map(tree)
        maps.append((time.perf_counter() - started) * 1e3)
    started = time.perf_counter()
    found = engine.references(Wanted("QuerySet.filter"), tree)
    references = {"total": found.total, "first_ms": round((time.perf_counter() - started) * 1e3, 1)}
    return {
        "call_graph_depth_3": {
            "p50_ms": round(walls[len(walls) // 2], 1),
            "p95_ms": round(walls[int(len(walls) * 0.95)], 1),
        },
        "repo_map": {"first_ms": round(maps[0], 1), "again_ms": round(min(maps[1:]), 1)},
        "references_of_QuerySet_filter": references,
    }


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


if __name__ == "__main__":
    raise SystemExit(main())
