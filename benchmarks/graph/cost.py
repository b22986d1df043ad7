"""`python -m benchmarks.graph.cost`: what the graph costs on Django, beside the rest of the index.

CPU time wherever it can be had; the files of the tree are parsed once with and once without the graph in one process,
since indexing parses in processes of its own.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.corpora import django
from clew import Engine, load_config
from clew.graph import build
from clew.graph.calls import call_graph
from clew.graph.nodes import Nodes
from clew.index import sync
from clew.lifecycle import gate
from clew.parse import extract as extraction
from clew.parse.links import no_links
from clew.relations import Wanted
from clew.store import edges

RESULTS = Path(__file__).resolve().parents[1] / "results" / "graph_cost.json"
CHANGED = "django/db/models/query.py"
DEFINITIONS, SAVES = 60, 7


def main() -> int:
    """Measure, print, keep."""
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder).resolve() / "tree"
        shutil.copytree(django(), tree)
        time.sleep(0.1)  # so that no file is too young to be believed
        report = {"parse": parse_cost(tree), **index_cost(tree, Path(folder).resolve() / "home")}
    base = report["index"]["cpu_s"] - report["edges"]["cpu_s"] - report["parse"]["links_cpu_s"]
    added = report["edges"]["cpu_s"] + report["parse"]["links_cpu_s"]
    report["share_of_the_rest"] = round(added / base, 2)
    report["load_average"] = {"before": before, "after": os.getloadavg()[0]}
    print(json.dumps(report, indent=1))
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def parse_cost(tree: Path) -> dict[str, float]:
    """CPU seconds of reading what names mean in their files: parsing with it less parsing without."""
    files = [path.read_bytes() for path in sorted(tree.rglob("*.py"))]
    real = extraction.collect_links  # type: ignore[attr-defined]

    def parse() -> float:
        started = time.process_time()
        for content in files:
            extraction.extract(content, "python")
        return time.process_time() - started

    parse()  # memos of words, imports of grammars
    whole = parse()
    extraction.collect_links = lambda *_: no_links()  # type: ignore[attr-defined]
    try:
        without = parse()
    finally:
        extraction.collect_links = real  # type: ignore[attr-defined]
    return {"files": len(files), "cpu_s": round(whole, 2), "links_cpu_s": round(whole - without, 2)}


def index_cost(tree: Path, home: Path) -> dict[str, Any]:
    """A cold index, saves of one file, and questions."""
    spent: list[float] = []
    sync.plan_edges = _timed(build.plan_edges, spent)  # type: ignore[attr-defined]
    build.Update.apply = _timed(build.Update.apply, spent)  # type: ignore[method-assign]
    engine = Engine(load_config({"home": str(home), "recheck_ms": 3_600_000}))
    started, cpu = time.perf_counter(), _cpu()
    engine.index(str(tree))
    index = {"wall_s": round(time.perf_counter() - started, 1), "cpu_s": round(_cpu() - cpu, 1)}
    cold = round(sum(spent), 2)
    saves = []
    for number in range(SAVES):
        path = tree / CHANGED
        path.write_bytes(path.read_bytes() + f"\n# {number}\n".encode())
        time.sleep(0.05)
        spent.clear()
        engine.sync(str(tree))
        saves.append(sum(spent) * 1e3)
    report = {"index": index, "edges": {"cpu_s": cold}, "one_changed_file_cpu_ms": round(statistics.median(saves), 1)}
    report |= _questions(engine, str(tree))
    engine.close()
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


def _timed(work: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    def timed(*arguments: Any) -> Any:
        started = time.process_time()
        try:
            return work(*arguments)
        finally:
            spent.append(time.process_time() - started)

    return timed


def _cpu() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


if __name__ == "__main__":
    raise SystemExit(main())
