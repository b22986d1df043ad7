"""What the graph costs when a file is saved, and how long all of it takes: on Django, and in other languages on the
repositories of `benchmarks.retrieval` that are there. `benchmarks.graph.cost` runs it."""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.retrieval.corpora import CORPORA
from clew import Engine, load_config
from clew.graph import build
from clew.index import sync
from clew.lifecycle import gate
from clew.store import edges

CHANGED = "django/db/models/query.py"
SAVES, USED, OTHERS, AGAIN = 40, 20, 20, 3  # the last: how often each file is saved, one after the other
MIN_BYTES = 500
LANGUAGES = {  # a repository, the files that are saved, and a function that they gain
    "gin": (".go", "\nfunc Added{}() int {{ return 1 }}\n"),
    "axum": (".rs", "\npub fn added_{}() -> i32 {{ 1 }}\n"),
    "curl": (".h", "\nint added_{}(void);\n"),
    "ktor": (".kt", "\nfun added{}() = 1\n"),
    "alamofire": (".swift", "\nfunc added{}() -> Int {{ 1 }}\n"),
    "rails": (".rb", "\ndef added_{}\n  1\nend\n"),
    "monolog": (".php", "\nfunction added{}() {{ return 1; }}\n"),
    "trpc": (".ts", "\nexport function added{}() {{ return 1; }}\n"),
}

Change = Callable[[bytes, int], bytes]  # what a file becomes when it is saved for the so manyth time


class Timed:
    """Adds up the processor time of what makes edges, and counts the files that were resolved, until it is asked."""

    def __init__(self) -> None:
        self._cpu_s, self._files = 0.0, 0
        sync.plan_edges = self._timed(build.plan_edges)  # type: ignore[attr-defined]
        build.Update.apply = self._timed(build.Update.apply)  # type: ignore[method-assign]

    def taken(self) -> tuple[float, int]:
        """Milliseconds and files since this was last asked."""
        found = self._cpu_s * 1e3, self._files
        self._cpu_s, self._files = 0.0, 0
        return found

    def _timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            started = time.process_time()
            found = work(*arguments)
            self._cpu_s += time.process_time() - started
            self._files += len(found.edges.files) if isinstance(found, build.Update) else 0
            return found

        return timed


def on_django(engine: Engine, tree: Path, timed: Timed) -> dict[str, dict[str, Any]]:
    """Random files with a comment or a function more, and those that most files use with one before all others."""
    files = _some(tree, ".py", SAVES)
    function = "\n\ndef added_{}():\n    return 1\n"
    used = [tree / path for path in _most_used(engine, tree)]
    return {
        CHANGED: _saved(engine, tree, timed, [tree / CHANGED], _with("\n# {}\n")),
        "comment": _saved(engine, tree, timed, files, _with("\n# {}\n")),
        "function": _saved(engine, tree, timed, files, _with(function)),
        "function_in_most_used": _saved(
            engine, tree, timed, used, lambda content, number: function.format(number).encode() + content
        ),
    }


def in_other_languages(timed: Timed) -> dict[str, dict[str, Any]]:
    """Random files of each repository that is there, with a function more at their end."""
    report = {}
    for name, (suffix, function) in LANGUAGES.items():
        if not (CORPORA / name).is_dir():
            print(f"{name} is not in {CORPORA}: left out")
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder).resolve() / "tree"
            shutil.copytree(CORPORA / name, tree, symlinks=True)
            time.sleep(0.1)  # so that no file is too young to be believed
            engine = Engine(load_config({"home": str(Path(folder) / "home"), "recheck_ms": 3_600_000}))
            engine.index(str(tree))
            timed.taken()
            report[f"{name} ({suffix})"] = _saved(engine, tree, timed, _some(tree, suffix, OTHERS), _with(function))
            engine.close()
    return report


def _saved(engine: Engine, tree: Path, timed: Timed, files: Iterable[Path], change: Change) -> dict[str, Any]:
    taken: list[float] = []
    resolved, walls, usual = [], [], []
    for path in files:
        for _ in range(AGAIN):
            path.write_bytes(change(path.read_bytes(), len(taken)))
            time.sleep(0.03)
            started = time.perf_counter()
            engine.sync(str(tree), files=[path.relative_to(tree).as_posix()])
            walls.append((time.perf_counter() - started) * 1e3)
            cpu_ms, count = timed.taken()
            taken.append(cpu_ms)
            resolved.append(count)
        usual.append(statistics.median(taken[-AGAIN:]))
    return {
        "p50": round(statistics.median(taken), 1),
        "p90": round(_at_90(taken), 1),
        "most": round(max(taken), 1),
        "sync_wall_p50": round(statistics.median(walls), 1),
        "sync_wall_p90": round(_at_90(walls), 1),
        "saves_within_50_ms": f"{sum(one <= 50 for one in taken)} of {len(taken)}",
        "files_within_50_ms": f"{sum(one <= 50 for one in usual)} of {len(usual)}",  # by the median of their saves
        "files_resolved_most": max(resolved),
    }


def _with(more: str) -> Change:
    return lambda content, number: content + more.format(number).encode()


def _some(tree: Path, suffix: str, count: int) -> list[Path]:
    files = sorted(path for path in tree.rglob(f"*{suffix}") if path.is_file() and path.stat().st_size > MIN_BYTES)
    return random.Random(3).sample(files, min(count, len(files)))


def _most_used(engine: Engine, tree: Path) -> list[str]:
    """The files that most others use."""
    codebase = engine.resolve(str(tree))
    with codebase.store.read() as connection:
        users = edges.users(connection, gate.require(gate.judge(codebase.store, connection, codebase.root)).id)
    return sorted(users, key=lambda path: (-users[path], path))[:USED]


def _at_90(found: list[float]) -> float:
    return sorted(found)[int(len(found) * 0.9)]
