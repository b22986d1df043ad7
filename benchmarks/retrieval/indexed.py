"""The engine as a search function over the corpora, each with an index of its own that later runs only sync.

Every corpus gets a `CLEW_HOME` to itself, so that no corpus's words count in another's statistics, and the size
of its index can be told. Main call: `IndexedCorpora`.
"""

from __future__ import annotations

import inspect
import json
import resource
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.corpora import CACHE
from benchmarks.retrieval.corpora import Repo
from clew import Engine, load_config
from clew.answers import Hit

HOME = CACHE.parent / "retrieval-home"


@dataclass(frozen=True, slots=True)
class IndexCost:
    """What an index is, and what it cost when it was last built; the CPU time includes that of parsing processes."""

    files: int
    chunks: int
    size_mb: float
    wall_s: float
    cpu_s: float


class IndexedCorpora:
    """Searches with the engine; keeps one corpus open at a time."""

    def __init__(self, home: Path = HOME, *, mode: str | None = None) -> None:
        if mode is not None and not offers_modes():
            raise ValueError(f"the engine has one way to search, so there is no mode {mode!r} to choose")
        self._home = home
        self._named: dict[str, Any] = {} if mode is None else {"mode": mode}
        self._open: tuple[Repo, Engine] | None = None

    def __enter__(self) -> IndexedCorpora:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the corpus that is open."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def prepare(self, repo: Repo) -> IndexCost:
        """Index a corpus, or bring its index up to date."""
        engine, note = self.engine(repo), self._home_of(repo).with_suffix(".json")
        wall, cpu = time.monotonic(), _cpu_s()
        stats = engine.index(str(repo.path))
        wall, cpu = time.monotonic() - wall, _cpu_s() - cpu
        files = (path for path in self._home_of(repo).rglob("*") if path.is_file())
        size_mb = round(sum(path.stat().st_size for path in files) / 1e6, 2)
        if stats.parsed < stats.files / 2 and note.is_file():  # a sync: what building cost was noted then
            known = json.loads(note.read_text("utf-8"))
            return IndexCost(stats.files, stats.chunks, size_mb, known["wall_s"], known["cpu_s"])
        cost = IndexCost(stats.files, stats.chunks, size_mb, round(wall, 2), round(cpu, 2))
        note.write_text(json.dumps(asdict(cost)) + "\n", "utf-8")
        return cost

    def search(self, repo: Repo, query: str, limit: int) -> Sequence[Hit]:
        """Hits in a corpus that was prepared."""
        return self.engine(repo).search(query, str(repo.path), limit=limit, **self._named).hits

    def engine(self, repo: Repo) -> Engine:
        if self._open is not None and self._open[0] is repo:
            return self._open[1]
        self.close()
        home = self._home_of(repo)
        home.mkdir(parents=True, exist_ok=True)
        engine = Engine(load_config({"home": str(home)}))
        self._open = (repo, engine)
        return engine

    def _home_of(self, repo: Repo) -> Path:
        return self._home / ("whole" if repo.is_whole else "root") / f"{repo.name}.home"


def offers_modes() -> bool:
    """Whether the engine can be told how to search."""
    return "mode" in inspect.signature(Engine.search).parameters


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
