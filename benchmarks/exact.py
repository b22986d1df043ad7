"""Exact search beside ripgrep, the same hits proven: `python -m benchmarks.exact [--django | --linux]`.

ripgrep has no pages, so its time is always that of the complete answer; Clew's is measured for the first 50 matches
and for all of them, by an engine that is open, and for the first 50 once more by one that has not seen the pattern
yet, as ripgrep never has. On Linux only the contents are kept, without symbols: the exact part
is what a full index has. Times are the best of a few runs taken in turns, in milliseconds.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpora import django, linux
from benchmarks.grep_read import require_ripgrep
from clew import Engine, load_config
from clew.index import classify
from clew.search.exact import Page
from clew.search.pattern import TextQuery, compile_pattern
from clew.store import exact

RESULTS = Path(__file__).parent / "results" / "exact.json"
PAGE = 50
ALL = 10_000_000
RUNS = 5


class Ask(NamedTuple):
    text: str
    flags: str = ""  # ripgrep's: F, i, w
    selective: bool = False  # few files have it


DJANGO = [
    Ask("get_queryset"), Ask("select_related", "F"), Ask("ValidationError", "w"), Ask("import"), Ask("self", "w"),
    Ask("_get_FIELD_display", "F", True), Ask("BoundFieldWithTwoRowsHtml", "F", True),
    Ask("nothing_has_this_name", "", True), Ask("csrf_exempt = True", "F", True),
    Ask("sql_flush_sequences|sequence_reset_sql", "", True),
    Ask("XFRAMEOPTIONSMIDDLEWARE", "i", True), Ask(r"def get_\w+_sql\("), Ask(r"class \w+Error"),
    Ask(r"^from django\.db"),
    Ask(r"raise \w+\("), Ask("todo", "i"), Ask(r"[0-9]{9}"), Ask(r"\bu\d{4}\b"), Ask(r"(?:GET|POST)\[.\w+.\]"),
    Ask(r"lambda \w+: \w+\.\w+$"), Ask("größe", "i", True), Ask(r"assert(?:Raises|Warns)Message\("),
]  # fmt: skip
LINUX = [
    Ask("EXPORT_SYMBOL_GPL"), Ask("mutex_lock_interruptible", "F"), Ask("return"), Ask("struct", "w"),
    Ask("spin_lock_irqsave_nested", "F", True), Ask("nothing_has_this_name", "", True),
    Ask("blk_mq_sched_bypass_insert", "", True),
    Ask("__ext4_handle_dirty_metadata", "w", True), Ask("rcu_torture_fwd_prog_init", "F", True),
    Ask("tcp_cong_avoid_ai|tcp_slow_start_after_idle_check", "", True), Ask("PAGE_ALLOC_COSTLY_ORDER", "i", True),
    Ask("Torvalds <torvalds@", "F", True), Ask(r"EXPORT_SYMBOL_GPL\(\w+_init\)"), Ask(r"static int __init \w+_init\("),
    Ask(r"kmalloc\(sizeof\(\*\w+\)"), Ask("todo", "i"), Ask(r"[0-9]{9}"), Ask(r"0x[0-9a-f]{16}ull", "i"),
    Ask(r"#define\s+\w+_MAGIC\b"), Ask(r"[A-Z]{3}\d{4}x"), Ask(r"->ops->(?:open|release)\("),
    Ask(r"mutex_(?:un)?lock\(&\w+->lock\);"),
]  # fmt: skip


def main() -> None:
    require_ripgrep()
    chosen = sys.argv[1:] or ["--django", "--linux"]
    report: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, tree, asks in (("django", django, DJANGO), ("linux", linux, LINUX)):
        if f"--{name}" in chosen:
            report[name] = measure(tree(), asks, is_whole=name == "django")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")


def measure(tree: Path, asks: list[Ask], *, is_whole: bool) -> dict[str, Any]:
    """Index a copy of the tree, ask everything of both, compare."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve() / "tree"
        shutil.copytree(tree, work, symlinks=True)
        time.sleep(0.1)  # so that no file is too young to be believed
        engine = Engine(load_config({"home": str(Path(folder) / "home"), "recheck_ms": 3_600_000}))
        wants_facts = classify.wants_facts
        if not is_whole:
            classify.wants_facts = lambda language: False  # noqa: ARG005
        try:
            engine.index(str(work))
        finally:
            classify.wants_facts = wants_facts
        report = {"machine": {"cores": os.cpu_count(), "load_average": os.getloadavg()[0]}, **size(engine, work)}
        kept = {
            item.path
            for item in engine.paths(str(work), limit=ALL).items
            if item.skip not in ("binary", "huge", "unreadable")
        }
        rows = [row(engine, work, ask, kept) for ask in asks]
        report |= {"summary": summary(rows), "queries": rows}
        print(json.dumps(report["summary"], indent=1))
        engine.close()
        return report


def size(engine: Engine, tree: Path) -> dict[str, Any]:
    """How large the trigrams are beside what they are of, and what they cost to make."""
    store = engine.resolve(str(tree)).store
    connection = store.connection()
    source: int = connection.execute("SELECT sum(size) FROM blob").get
    started = time.process_time()
    exact.rebuild(store)
    spent = time.process_time() - started
    names = exact.derived(connection).segments
    room = sum(store.grams.path(name).stat().st_size for name in names)
    return {"source_mb": round(source / 1e6, 1), "index_share": round(room / source, 3), "build_cpu_s": round(spent, 2)}


def row(engine: Engine, tree: Path, ask: Ask, kept: set[str]) -> dict[str, Any]:
    """One query: both answers compared, both timed."""
    query = TextQuery(ask.text, "F" not in ask.flags, "i" not in ask.flags, "w" in ask.flags)
    lines = {(match.path, match.line) for match in engine.grep(query, str(tree), page=Page(ALL)).matches}
    theirs = {place for place in ripgrep(tree, ask)[0] if place[0] in kept}
    if lines != theirs:
        raise SystemExit(f"{ask}: {len(lines)} and {len(theirs)} lines, such as {sorted(lines ^ theirs)[:3]}")
    first, page, complete, rival, rival_cpu = [], [], [], [], []
    for _ in range(RUNS):
        compile_pattern.cache_clear()
        first.append(timed(engine, tree, query, PAGE))
        page += [timed(engine, tree, query, PAGE) for _ in range(3)]
        complete.append(timed(engine, tree, query, ALL))
        _, wall, cpu = ripgrep(tree, ask)
        rival.append(wall)
        rival_cpu.append(cpu)
    took = {"first": min(first), "page": min(page), "complete": min(complete)}
    found = {
        "query": ask.text, "flags": ask.flags, "selective": ask.selective, "lines": len(lines),
        **{f"{name}_ms": ms for name, ms in took.items()}, "ripgrep_ms": min(rival), "ripgrep_cpu_ms": min(rival_cpu),
        **{f"{name}_ratio": min(rival) / ms for name, ms in took.items()},
    }  # fmt: skip
    found = {key: round(value, 2) if isinstance(value, float) else value for key, value in found.items()}
    print(found, flush=True)
    return found


def timed(engine: Engine, tree: Path, query: TextQuery, limit: int) -> float:
    started = time.perf_counter()
    engine.grep(query, str(tree), page=Page(limit))
    return (time.perf_counter() - started) * 1000


def ripgrep(tree: Path, ask: Ask) -> tuple[set[tuple[str, int]], float, float]:
    """Its lines, and its wall and CPU time."""
    flags = [f"-{flag}" for flag in ask.flags]
    command = ["rg", "--no-require-git", "--hidden", "--text", "--line-number", "--no-heading", "--null", *flags]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*command, "-e", ask.text, "."], cwd=tree, capture_output=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = set()
    for line in done.stdout.split(b"\n"):
        path, nul, rest = line.partition(b"\0")
        if nul:
            found.add((os.fsdecode(path).removeprefix("./"), int(rest.partition(b":")[0])))
    return found, wall * 1000, cpu * 1000


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The ratios that the goals are about."""
    first, page, complete = ([row[f"{name}_ratio"] for row in rows] for name in ("first", "page", "complete"))
    selective = [row["page_ratio"] for row in rows if row["selective"]]
    selective_first = [row["first_ratio"] for row in rows if row["selective"]]
    return {
        "queries": len(rows),
        "page_median": round(statistics.median(page), 1),
        "page_selective_median": round(statistics.median(selective), 1),
        "page_selective_least": round(min(selective), 1),
        "page_least": round(min(page), 2),
        "first_median": round(statistics.median(first), 1),
        "first_selective_median": round(statistics.median(selective_first), 1),
        "complete_median": round(statistics.median(complete), 1),
        "complete_least": round(min(complete), 2),
        "page_ms_median": round(statistics.median(row["page_ms"] for row in rows), 2),
    }


if __name__ == "__main__":
    main()
