"""Calls behind an event loop: a question that takes too long is given up, said so, and its thread is free again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.config import load_config
from clew.search import bulk, phrases, scan
from clew.serve.workers import THREADS, Workers
from tests.conftest import make_engine, write_tree

FILES = {f"d{number}/f{number}.py": f"def needle_{number}(): pass\n" for number in range(400)}


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(write_tree(tmp_path / "tree", FILES))


@pytest.fixture
def workers(tmp_path: Path, root: str) -> Iterator[Workers]:
    engine = make_engine(tmp_path / "home")
    engine.index(root)
    engine.close()
    made = Workers(load_config({"home": str(tmp_path / "home"), "workers": 1, "query_timeout_s": 1}))
    made._service()
    yield made
    made.close()


class Slow:
    """Looks at contents, each for a twentieth of a second: all take twenty seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looked = 0
        self.begun = threading.Event()
        self._never = threading.Event()
        for module in (scan, phrases):
            monkeypatch.setattr(module, "find_spots", self.find)
        monkeypatch.setattr(bulk, "find_in_one", lambda *_: None)  # C is not asked

    def find(self, *_: Any) -> Iterator[Any]:
        self.looked += 1
        self.begun.set()
        self._never.wait(0.05)
        return iter(())

    def is_over(self) -> bool:
        """Whether nobody looks at anything any more, soon."""
        for _ in range(100):
            before = self.looked
            self._never.wait(0.2)
            if self.looked == before:
                return True
        return False


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("search_text", {"query": "needle"}), ("search_codebase", {"query": "pass must:needle"})],
    ids=["search_text", "search_codebase"],
)
@pytest.mark.slow
def test_work_that_takes_too_long_ends_and_frees_its_thread(
    workers: Workers, root: str, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any]
) -> None:
    slow = Slow(monkeypatch)

    async def ask() -> tuple[list[Any], Any]:
        asked = (workers.call(tool, {**arguments, "path": root}) for _ in range(THREADS))
        late = await asyncio.gather(*asked)
        return late, await workers.call("get_symbol", {"name": "needle_7", "path": root})

    late, after = asyncio.run(ask())
    for envelope in late:
        assert (envelope["status"], envelope["reason"]) == ("error", "timed_out")
        assert envelope["problem"]["status"] == 504
        assert "within 1 s" in envelope["message"] and "query_timeout_s" in envelope["message"]
    assert after["status"] == "ok", "every thread was busy, and one is free in time"
    assert slow.is_over() and slow.looked < THREADS * len(FILES) // 2


@pytest.mark.slow
def test_work_that_nobody_waits_for_ends(workers: Workers, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    monkeypatch.setattr(workers, "config", load_config({"query_timeout_s": 60}))

    async def give_up() -> None:
        asked = asyncio.create_task(workers.call("search_text", {"query": "needle", "path": root}))
        while not slow.begun.is_set():
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(give_up())
    assert slow.is_over() and slow.looked < len(FILES) // 2


@pytest.mark.slow
def test_one_who_waits_for_anothers_check_gives_up_in_time(
    workers: Workers, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check itself goes on, since what it brings in is kept."""
    held, begun = threading.Event(), threading.Event()
    freshener = workers._service().engine._reader.freshener
    sync = freshener._sync

    def wait(*arguments: Any) -> Any:
        begun.set()
        held.wait(30)
        return sync(*arguments)

    monkeypatch.setattr(freshener, "_sync", wait)
    monkeypatch.setattr(freshener, "_is_watching", False)
    (Path(root) / "new.py").write_text("def brand_new(): pass\n")

    async def ask() -> tuple[Any, Any, Any]:
        question = {"name": "brand_new", "path": root}
        first, second = await asyncio.gather(*(workers.call("get_symbol", question) for _ in range(2)))
        held.set()
        return first, second, await workers.call("get_symbol", question)

    first, second, third = asyncio.run(ask())
    assert begun.is_set() and first["reason"] == second["reason"] == "timed_out"
    assert third["status"] == "ok" and third["symbols"], "what the check brought in is there"


def test_the_sessions_that_are_counted_are_those_that_are_used(workers: Workers) -> None:
    asyncio.run(workers.call("set_scope", {"scope": {"languages": ["python"]}}, header="mine"))
    assert len(workers.sessions) == 1 and workers._service().sessions is workers.sessions
