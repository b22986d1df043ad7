"""How fast a tree becomes searchable and stays so: `python -m benchmarks.index [TREE]`.

Every number is CPU time or a count, and stands beside the limit it is measured against in the same run:
a cold index beside parsing and querying the same files and doing nothing else, a check beside the bare
system calls it cannot do without.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.corpora import django
from clew import Engine, load_config, tokens
from clew.index import classify
from clew.index.build import NO_STAT
from clew.packing import pack
from clew.parse import grammars
from clew.parse.extract import extract
from clew.parse.languages import LANGUAGES, language_of
from clew.source.git import git_blob_hash
from clew.source.reading import read_file
from clew.source.trees import walk
from clew.store import derive, facts, snapshots
from clew.store.facts import FactsKey
from clew.store.snapshots import Entry
from clew.store.store import Store
from clew.types import Facts

RESULTS = Path(__file__).parent / "results" / "index.json"


def main() -> None:
    tree = Path(sys.argv[1]) if len(sys.argv) > 1 else django()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve() / "tree"
        shutil.copytree(tree, work)
        time.sleep(0.1)  # so that no file is too young to be believed
        report = {"tree": tree.name, **measure(work, Path(folder) / "home")}
    print(json.dumps(report, indent=2))
    if len(sys.argv) == 1:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(report, indent=2) + "\n")


def measure(tree: Path, home: Path) -> dict[str, Any]:
    report: dict[str, Any] = {"load_average": os.getloadavg()[0], "cores": os.cpu_count()}
    contents = _contents(tree)
    pure = _pure_parse(contents)
    report["pure"] = pure
    report["cpu_shares"] = _shares(contents, home.with_name("shares"))
    report["cold"] = cold = _cold(tree, home)
    report["cold"]["cpu_ratio_to_parse_and_query"] = round(cold["cpu_s"] / pure["cpu_s"], 2)
    pure_again = _pure_parse(contents)
    report["cold"]["cpu_ratio_to_second_measurement"] = round(cold["cpu_s"] / pure_again["cpu_s"], 2)
    del contents
    engine = Engine(load_config({"home": str(home)}))
    report["no_change_check"] = _no_change(engine, tree)
    report["one_changed_file"] = _one_change(engine, tree)
    report["watched"] = _watched(home, tree)
    report["begin_ms"] = _begin(engine, tree)
    report["renamed_directory"] = _rename(engine, tree)
    report["branch_switch_1_percent"] = _switch(engine, tree, cold["cpu_s"])
    report["query"] = _queries(engine, tree)
    report["help"] = _help()
    engine.close()
    return report


def _contents(tree: Path) -> list[tuple[str, bytes]]:
    """The files that get facts, with their languages."""
    found = []
    for key in walk(str(tree)).files:
        content, _ = read_file(str(tree), key, limit=1_048_576)
        language = language_of(key, content)
        if (
            len(content) <= 1_048_576
            and not classify.skip_reason(key, content, language)
            and classify.wants_facts(language)
        ):
            found.append((language, content))
    return found


def _pure_parse(contents: list[tuple[str, bytes]]) -> dict[str, Any]:
    """tree-sitter parse and query of the same contents, and nothing else."""
    started, files, size = time.process_time(), 0, 0
    for language, content in contents:
        grammar = grammars.load(LANGUAGES[language])
        if grammar is not None:
            root = grammar.parse(content)
            grammar.captures(root)
            files, size = files + 1, size + len(content)
    cpu = time.process_time() - started
    return {"cpu_s": round(cpu, 2), "files": files, "mb": round(size / 1e6, 1), "files_per_cpu_s": round(files / cpu)}


def _shares(contents: list[tuple[str, bytes]], folder: Path) -> dict[str, float]:
    """Where the CPU time of a cold index goes, on a quarter of the files, in one process."""
    sample = contents[::4]
    clock = _Clock()
    with (
        clock.watching(grammars.Grammar, "parse"),
        clock.watching(grammars.Grammar, "captures", "query"),
        clock.watching(tokens, "pack_document", "tokenise"),
    ):
        started = time.process_time()
        found = [(language, content, extract(content, language)) for language, content in sample]
        total = time.process_time() - started
    clock.spent["symbols, uses, chunks"] = total - sum(clock.spent.values())
    store = Store(folder)
    store.create()
    clock.spent["write"] = _write(found, store)
    whole = sum(clock.spent.values())
    return {name: round(value / whole, 2) for name, value in clock.spent.items()}


class _Clock:
    """Adds up the CPU time spent in functions, by name."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    @contextlib.contextmanager
    def watching(self, owner: Any, function: str, name: str | None = None) -> Iterator[None]:
        original = getattr(owner, function)

        def timed(*args: Any, **named: Any) -> Any:
            started = time.process_time()
            try:
                return original(*args, **named)
            finally:
                key = name or function
                self.spent[key] = self.spent.get(key, 0.0) + time.process_time() - started

        setattr(owner, function, timed)
        try:
            yield
        finally:
            setattr(owner, function, original)


def _write(found: list[tuple[str, bytes, Facts]], store: Store) -> float:
    """Compress, store, derive and flip what was extracted."""
    started = time.process_time()
    entries: list[Entry] = []
    with store.write() as connection:
        for number, (language, content, extracted) in enumerate(found):
            key = FactsKey(git_blob_hash(content), language, LANGUAGES[language].extractor)
            blob = facts.add_blob(connection, key.blob_hash, len(content), pack(content))
            facts_id = facts.add_facts(connection, blob, key, extracted)
            entries.append(Entry(f"{number}", blob, facts_id, language, None, NO_STAT, 1))
    with store.exclusive() as connection:
        derive.catch_up(store, connection)
    with store.write() as connection:
        snapshot = snapshots.ensure_snapshot(connection, 1)
        snapshots.flip(connection, snapshot, entries, [], head="", diagnostics={})
    spent = time.process_time() - started
    store.close()
    return spent


def _cold(tree: Path, home: Path) -> dict[str, Any]:
    """`clew index` in a process of its own, with all its workers: CPU, wall, and peak memory of all."""
    code = "import sys; from clew.serve.cli import main; sys.argv = ['clew', 'index', sys.argv[1], '--json']; main()"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tree)],
        env={**os.environ, "CLEW_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    peak = _PeakMemory(process.pid)
    output, _ = process.communicate()
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    stats = json.loads(output)["stats"]
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    source = sum(stat.size for stat in walk(str(tree)).files.values())
    return {
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "files": stats["files"],
        "files_per_cpu_s": round(stats["files"] / cpu),
        "source_mb": round(source / 1e6, 1),
        "mb_per_cpu_s": round(source / 1e6 / cpu, 1),
        "chunks": stats["chunks"],
        "symbols": stats["symbols"],
        "peak_mb_all_processes": peak.stop(),
        "store_mb": round(size / 1e6, 1),
    }


class _PeakMemory:
    """Watches the proportional memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        self._pid, self._peak, self._stop = pid, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> int:
        self._stop.set()
        self._thread.join()
        return self._peak // 1024

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self._peak = max(self._peak, sum(_pss_kb(pid) for pid in (self._pid, *_children(self._pid))))


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


def _pss_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _no_change(engine: Engine, tree: Path) -> dict[str, Any]:
    """A sync that finds nothing, beside the bare scandir and stat calls of the same tree."""
    engine.sync(str(tree))
    sync = [_cpu_ms(lambda: engine.sync(str(tree))) for _ in range(9)]
    bare = [_cpu_ms(lambda: _bare_walk(str(tree))) for _ in range(9)]
    read = engine.sync(str(tree)).read
    ratio = statistics.median(sync) / statistics.median(bare)
    return {
        "cpu_ms": round(statistics.median(sync), 1),
        "cpu_ms_best": round(min(sync), 1),
        "bare_system_calls_cpu_ms": round(statistics.median(bare), 1),
        "ratio": round(ratio, 2),
        "files_read": read,
    }


def _bare_walk(root: str) -> None:
    stack = [root]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)


def _one_change(engine: Engine, tree: Path) -> dict[str, Any]:
    """From the call that brings one changed file in until a search finds it."""
    target = tree / "django" / "utils" / "text.py"
    original = target.read_text()
    report: dict[str, Any] = {}
    for label, files in (("known", ["django/utils/text.py"]), ("found", None)):
        walls = []
        for i in range(15):
            target.write_text(f"{original}\n\ndef freshly_added_{label}_{i}():\n    return {i}\n")
            started = time.perf_counter()
            assert engine.sync(str(tree), files=files).parsed == 1
            walls.append((time.perf_counter() - started) * 1e3)
            assert engine.search(f"freshly_added_{label}_{i}", str(tree)).hits[0].path.endswith("text.py")
        walls.sort()
        report[f"{label}_wall_ms_p50"], report[f"{label}_wall_ms_p95"] = round(walls[7], 1), round(walls[-1], 1)
    return report


def _rename(engine: Engine, tree: Path) -> dict[str, Any]:
    directory = next(d for d in sorted(tree.rglob("*")) if d.is_dir() and len(list(d.rglob("*.py"))) >= 500)
    cpu = _cpu_ms(lambda: directory.rename(directory.with_name(directory.name + "_renamed")))
    started = time.process_time()
    stats = engine.sync(str(tree))
    cpu = (time.process_time() - started) * 1e3
    return {"files_moved": stats.moved, "files_parsed": stats.parsed, "cpu_ms": round(cpu)}


def _switch(engine: Engine, tree: Path, cold_cpu_s: float) -> dict[str, Any]:
    """Change one file in a hundred, sync; change them back, sync again."""
    files = sorted(tree.rglob("*.py"))[::100]
    originals = {path: path.read_bytes() for path in files}
    for path, content in originals.items():
        path.write_bytes(content + b"\n# another branch\n")
    away = _cpu_ms(lambda: engine.sync(str(tree)))
    for path, content in originals.items():
        path.write_bytes(content)
    back = engine.sync
    stats: list[int] = []
    home = _cpu_ms(lambda: stats.append(back(str(tree)).parsed))
    return {
        "files_changed": len(files),
        "cpu_ms_away": round(away),
        "share_of_cold": round(away / 1e3 / cold_cpu_s, 4),
        "cpu_ms_back": round(home),
        "files_parsed_back": stats[0],
    }


def _watched(home: Path, tree: Path) -> dict[str, Any]:
    """What the check and the gate add to a question while a watcher runs, and a save until it is searchable."""
    engine = Engine(load_config({"home": str(home)}), watching=True)
    root, deadline = str(tree), time.monotonic() + 60
    engine.ensure_freshness(root)
    while not engine.is_watched(root) and time.monotonic() < deadline:
        time.sleep(0.05)
    checks = sorted(_wall_ms(lambda: engine.ensure_freshness(root)) for _ in range(200))
    file = next(path for path in sorted(tree.rglob("*.py")) if 4_000 < path.stat().st_size < 20_000)
    saves = []
    for number in range(40):
        time.sleep(0.05)
        with open(file, "a", encoding="utf-8") as opened:
            opened.write(f"\n\ndef watched_{number}():\n    return {number}\n")
        saves.append(_wall_ms(lambda: engine.ensure_freshness(root)))
        assert engine.symbol(f"watched_{number}", root).symbols
    saves.sort()
    is_watched = engine.is_watched(root)
    engine.close()
    return {
        "is_watched": is_watched,
        "check_ms_p50": round(checks[len(checks) // 2], 2),
        "check_ms_p95": round(checks[int(len(checks) * 0.95)], 2),
        "save_ms_p50": round(saves[len(saves) // 2], 1),
        "save_ms_p95": round(saves[int(len(saves) * 0.95)], 1),
    }


def _begin(engine: Engine, tree: Path) -> dict[str, float]:
    """How long `manage_index` takes to return, work left to the background."""
    from clew.serve import tools

    found = {}
    for action in ("create", "sync", "repair"):
        arguments = {"action": action, "path": str(tree)}
        found[action] = round(_wall_ms(lambda arguments=arguments: tools.call(engine, "manage_index", arguments)), 1)  # type: ignore[misc]
        engine.wait_for_jobs()
        time.sleep(0.2)
    return found


def _wall_ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def _queries(engine: Engine, tree: Path) -> dict[str, Any]:
    """The search itself, in a warm process, without the check of the tree before it."""
    from clew.answers import Freshness
    from clew.lifecycle import gate
    from clew.search import find
    from clew.search.filters import Filter
    from clew.search.hits import show
    from clew.search.query import parse_query
    from clew.search.reading import Reading

    codebase = engine.resolve(str(tree))
    walls = []
    for text in ("how are migrations executed", "QuerySet.filter", "csrf token middleware", "get_or_create") * 6:
        started = time.perf_counter()
        with codebase.store.read() as connection:
            snapshot = gate.require(gate.judge(codebase.store, connection, codebase.root))
            source = find.Source(codebase.store, connection, snapshot, Filter())
            reading = Reading(codebase, connection, snapshot, Freshness("fresh", "", "", 0, None), 1 << 20)
            hits = itertools.islice(find.Search([source], parse_query(text), engine.asked(text)).files(), 10)
            list(show([(reading, hit, True) for hit in hits]))
        walls.append((time.perf_counter() - started) * 1e3)
    walls.sort()
    return {"wall_ms_p50": round(walls[len(walls) // 2], 1), "wall_ms_p95": round(walls[int(len(walls) * 0.95)], 1)}


def _help() -> dict[str, Any]:
    """`clew --help` beside an interpreter that does nothing, and what it loaded."""
    code = "import sys; sys.argv = ['clew', '--help']\nfrom clew.serve.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    show = "print([m for m in ('numpy', 'tree_sitter', 'apsw', 'rich') if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + show], capture_output=True, text=True, check=True)
    ours = [_child_cpu_ms([sys.executable, "-c", code]) for _ in range(7)]
    bare = [_child_cpu_ms([sys.executable, "-c", "pass"]) for _ in range(7)]
    return {
        "cpu_ms": round(statistics.median(ours)),
        "interpreter_cpu_ms": round(statistics.median(bare)),
        "heavy_modules_loaded": done.stderr.strip(),
    }


def _child_cpu_ms(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def _cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1e3


if __name__ == "__main__":
    main()
