"""Search in a store of a million chunks: `python -m benchmarks.scale [--chunks N]`.

The store is made once, through `Engine.index_content` from generated modules, and kept in `.cache/scale-home`. Then a
process of its own opens it as any other, asks and measures. Beside it stands the bare scan of the vectors in the same
process: no exact search by meaning can do with less.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any

from benchmarks.corpora import CACHE, django
from benchmarks.retrieval.evaluation import percentile
from benchmarks.scale_tree import FUNCTIONS, Words, modules, words_of
from clew import Engine, load_config
from clew.search.vectors import cosines_with
from clew.store import derive, exact

RESULTS = Path(__file__).parent / "results" / "scale.json"
HOME = CACHE.parent / "scale-home"
PROJECT, ROOT = "scale", "project:scale"
SEED, QUESTION_SEED = 20, 21
MORE_FILES = 1.02  # than chunks let expect: a million is the least
ROUNDS = 2
GOAL_MS = 150

REAL = (
    "how are migrations executed", "csrf token middleware", "where is the session saved to the database",
    "render a template with a context", "QuerySet.filter", "get_or_create", "validate email address",
    "parse multipart form data upload", "translate a lookup into sql", "cache key prefix", "password reset token",
    "what closes old connections after a request",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--chunks", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--step", choices=("build", "ask"), help="one step alone, in this process, as JSON")
    options = parser.parse_args(arguments)
    home = HOME / str(options.chunks)
    if options.step:
        print(json.dumps(build(home, options.chunks) if options.step == "build" else ask(home)))
        return 0
    note = home.with_suffix(".json")
    if not note.exists() or not is_ready(home):
        made = step("build", options.chunks)
        if made.pop("parsed") or not note.exists():  # else only the segments were made anew, say for another model
            note.write_text(json.dumps(made) + "\n")
    load = os.getloadavg()[0]
    report = {
        "machine": {"cores": os.cpu_count(), "load_average": {"before": load}},
        "build": json.loads(note.read_text()),
        **step("ask", options.chunks),
    }
    report["machine"]["load_average"]["after"] = os.getloadavg()[0]
    print(json.dumps(report, indent=1))
    if options.chunks == parser.get_default("chunks"):
        RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def step(name: str, chunks: int) -> dict[str, Any]:
    """One step in a process of its own, so that its memory is its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--chunks", str(chunks), "--step", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def is_ready(home: Path) -> bool:
    """Whether this version of Clew answers from the store as it is."""
    engine = Engine(load_config({"home": str(home)}))
    try:
        return engine.status(ROOT).verdict == "ok"
    finally:
        engine.close()


def build(home: Path, chunks: int) -> dict[str, Any]:
    """Make the store; what it cost, the parsing processes included."""
    files = int(chunks / (FUNCTIONS + 1) * MORE_FILES)
    engine = Engine(load_config({"home": str(home)}))
    made = itertools.islice(modules(Words(words_of(django()), SEED)), files)
    wall, cpu = time.monotonic(), cpu_s()
    stats = engine.index_content(PROJECT, made)
    wall, cpu = time.monotonic() - wall, cpu_s() - cpu
    engine.close()
    return {
        "parsed": stats.parsed, "files": stats.files, "chunks": stats.chunks, "symbols": stats.symbols,
        "wall_s": round(wall), "cpu_s": round(cpu), "load_average": os.getloadavg()[0],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip


def ask(home: Path) -> dict[str, Any]:
    """Open the store and ask: the first question, then all of them, in each way to search."""
    engine = Engine(load_config({"home": str(home)}))
    root = ROOT
    memory = {"before": memory_mb()}
    first = timed(lambda: engine.search(REAL[0], root))
    memory["after_first"] = memory_mb()
    asked = questions()
    report: dict[str, Any] = {"questions": len(asked), "first_query": {"wall_ms": first[0], "cpu_ms": first[1]}}
    report["second_query"] = dict(zip(("wall_ms", "cpu_ms"), timed(lambda: engine.search(REAL[0], root)), strict=True))
    scans = bare_scan(engine, root)
    for name, named in (
        ("hybrid", {}),
        ("lexical", {"mode": "lexical"}),
        ("functions", {"view": "functions"}),
    ):
        report[name] = summary([timed(lambda t=t, n=named: engine.search(t, root, **n)) for t in asked * ROUNDS])  # type: ignore[misc]
    report["bare_scan_ms"] = round(statistics.median([*scans, *bare_scan(engine, root)]), 1)
    report["hybrid_cpu_to_bare_scan"] = round(report["hybrid"]["cpu_p50_ms"] / report["bare_scan_ms"], 2)
    report["goal_ms"] = GOAL_MS
    memory["after_all"] = memory_mb()
    report |= {"memory_mb": memory, "index_mb": sizes(home, live_segments(engine, root))}
    engine.close()
    return report


def questions() -> list[str]:
    """What is asked: real questions, words at random, identifiers, and single words that are everywhere."""
    words = Words(words_of(django()), QUESTION_SEED)
    asked = list(REAL)
    asked += [" ".join([*words.often(3), *words.evenly(2)]) for _ in range(14)]
    names = (file.content or b"" for file in itertools.islice(modules(Words(words_of(django()), SEED)), 8))
    asked += [content.decode().partition("\ndef ")[2].partition("(")[0] for content in names]
    return [*asked, "self", "name", "value", "field"]


def bare_scan(engine: Engine, root: str) -> list[float]:
    """CPU time of the cosines of every chunk with one vector, and nothing else."""
    import numpy as np

    codebase = engine.resolve(root)
    with codebase.store.read() as connection:
        parts = [codebase.store.segments.open(name) for name in derive.derived(connection).segments]
        vector = np.asarray(engine.asked(REAL[0]).vector)
        rows = [(part.vectors, part.vector_lengths) for part in parts]
        return [timed(lambda: [cosines_with(*part, vector) for part in rows])[1] for _ in range(5)]


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU time in milliseconds, of all threads."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return round((time.perf_counter() - wall) * 1e3, 1), round((time.process_time() - cpu) * 1e3, 1)


def summary(times: Sequence[tuple[float, float]]) -> dict[str, float]:
    walls, cpus = (sorted(column) for column in zip(*times, strict=True))
    return {
        "p50_ms": percentile(walls, 0.5), "p95_ms": percentile(walls, 0.95),
        "cpu_p50_ms": percentile(cpus, 0.5), "cpu_p95_ms": percentile(cpus, 0.95),
    }  # fmt: skip


def live_segments(engine: Engine, root: str) -> set[str]:
    """The names of the segments in use, of words and vectors and of trigrams."""
    with engine.resolve(root).store.read() as connection:
        return {*derive.derived(connection).segments, *exact.derived(connection).segments}


def sizes(home: Path, live: Set[str]) -> dict[str, float]:
    """How large the files of the store are: the database, `lexical` (words and vectors) and `exact` (trigrams).

    `replaced` are segments that were merged into others and wait for a sweep."""
    found: dict[str, float] = {}
    for path in home.rglob("*"):
        if path.is_file():
            kind = "database" if path.suffix != ".seg" else path.parent.name if path.stem in live else "replaced"
            found[kind] = found.get(kind, 0.0) + path.stat().st_size / 1e6
    return {kind: round(size, 1) for kind, size in sorted(found.items())}


def memory_mb() -> dict[str, int]:
    """What this process holds: all, its own, mapped files that others share and the system may drop, and the peak."""
    names = {"VmRSS": "resident", "RssAnon": "own", "RssFile": "mapped", "VmHWM": "peak"}
    lines = Path("/proc/self/status").read_text().splitlines()
    rows = (line.partition(":") for line in lines)
    return {names[key]: int(rest.split()[0]) // 1024 for key, _, rest in rows if key in names}


def cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    raise SystemExit(main())
