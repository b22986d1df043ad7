"""Parsing processes that die: over one file they cost its symbols; before any file, the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Engine
from clew.errors import ClewError
from clew.index import pool, spare
from tests.conftest import make_engine, write_tree

LARGE = "def total(prices):\n    return sum(prices)\n" * 2_000  # too large to be parsed in the process that asks


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    spare.let_go()
    return write_tree(tmp_path / "tree", {"a.py": LARGE, "b.py": f"X = 1\n{LARGE}", "c.py": "def small(): pass\n"})


@pytest.fixture
def two(tmp_path: Path) -> Engine:
    return make_engine(tmp_path / "home", workers=2)


def test_a_process_that_cannot_begin_fails_the_run_and_blames_no_file(
    tree: Path, two: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "WORKER", "clew.index.nowhere")
    with pytest.raises(ClewError, match="no parsing process can be started"):
        two.index(str(tree))
    assert two.status(str(tree)).state == "indexfailed"
    monkeypatch.undo()
    stats = two.index(str(tree))
    assert stats.files == 3 and "parser_failed" not in stats.skipped
    assert len(two.symbol("total", str(tree)).symbols) > 2
    two.close()


def test_a_process_that_dies_over_a_file_costs_that_file_its_symbols(
    tree: Path, two: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = pool._answer_of

    def dies_over_b(worker: object, tasks: list[tuple[str, bytes]]) -> object:
        if any(content.startswith(b"X") for _, content in tasks):
            worker.kill()  # type: ignore[attr-defined]
            return None
        return ask(worker, tasks)  # type: ignore[arg-type]

    monkeypatch.setattr(pool, "_answer_of", dies_over_b)
    stats = two.index(str(tree))
    assert stats.files == 3 and stats.skipped == {"parser_failed": 1}
    assert {named.path for named in two.symbol("total", str(tree)).symbols} == {"a.py"}
    two.close()
