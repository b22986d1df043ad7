"""A worker that one run leaves for the next: taken once, only if it lives, and gone when it is let go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clew.index import pool, spare, worker
from clew.processes import CAN_WAIT, own_command
from tests.conftest import make_engine, write_tree

pytestmark = pytest.mark.skipif(not CAN_WAIT, reason="a worker is kept only where it can wait for a while")
COMMAND = own_command(pool.WORKER)
LARGE = "def f():\n    return 1\n\n\n" * 3_000  # too large to be parsed in this process


def _begin(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.fixture(autouse=True)
def _none_is_left() -> object:
    spare.let_go()
    yield
    spare.let_go()


def test_the_next_run_takes_the_worker_that_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": LARGE})
    engine = make_engine(tmp_path)
    engine.index(str(root))
    (root / "a.py").write_text(LARGE + "def g(): pass\n")
    monkeypatch.setattr(pool, "_begin", lambda _: pytest.fail("another worker was begun"))
    engine.sync(str(root))
    assert [found.path for found in engine.symbol("g", str(root)).symbols] == ["a.py"]


def test_a_worker_that_ended_for_want_of_work_costs_no_symbols(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": LARGE})
    idle = _begin([sys.executable, "-c", "import sys; sys.stdin.buffer.read(1)"])  # ends as soon as it is asked
    idle.args = COMMAND
    assert spare.keep(idle)
    engine = make_engine(tmp_path)
    engine.index(str(root))
    assert idle.returncode == 0
    assert len(engine.outline(str(root / "a.py")).symbols) == 3_000


def test_one_is_kept_and_only_for_the_same_command() -> None:
    first, second = _begin(COMMAND), _begin(COMMAND)
    assert spare.keep(first) and not spare.keep(second)
    spare.end(second)
    assert spare.take([*COMMAND, "other"]) is None
    assert first.returncode == 0
    assert spare.take(COMMAND) is None


def test_a_dead_worker_is_not_taken() -> None:
    dead = _begin(COMMAND)
    dead.kill()
    dead.wait()
    assert spare.keep(dead)
    assert spare.take(COMMAND) is None


def test_it_ends_when_the_engine_closes(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": LARGE})
    engine = make_engine(tmp_path)
    engine.index(str(root))
    kept = spare.take(COMMAND)
    assert kept is not None and kept.poll() is None and spare.keep(kept)
    engine.close()
    assert kept.returncode == 0


def test_a_worker_that_nobody_asks_ends() -> None:
    code = f"from clew.index import worker; worker.IDLE_S = 0.01; assert {worker.IDLE_S} > 1; worker.main()"
    silent = _begin([sys.executable, "-c", code])
    assert silent.wait(timeout=60) == 0
    spare.end(silent)
