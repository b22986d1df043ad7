"""kill -9 at any moment: the next run goes on, nothing is lost, and after the sweep nothing is orphaned."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew import Engine
from tests import dump
from tests.conftest import make_engine, write_tree

FILES = 420


def source(number: int, edition: int = 0) -> str:
    """A module that takes a while to parse."""
    functions = [
        f"def function_{number}_{i}(value, other={edition}):\n"
        + "".join(f"    total_{j} = compute_{j}(value + {j}, other, alpha={i})\n" for j in range(12))
        + "    return total_3\n\n"
        for i in range(12)
    ]
    return "\n".join(functions)


def clew(home: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "CLEW_HOME": str(home), "CLEW_WORKERS": "2"}
    return subprocess.Popen(
        [sys.executable, "-m", "clew", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run_and_kill(home: Path, root: Path, after_s: float) -> bool:
    """Start an index run and kill it with its workers' parent; whether it was still running."""
    process = clew(home, "index", str(root))
    try:
        process.wait(timeout=after_s)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    process.communicate()
    return False


@pytest.mark.slow
def test_kill_during_a_cold_index_and_during_a_sync(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"p{i % 9}/m{i}.py": source(i) for i in range(FILES)})
    home = tmp_path / "home"
    chance = random.Random(20260101)
    killed = sum(run_and_kill(home, root, chance.uniform(0.3, 2.2)) for _ in range(5))
    assert killed, "no run was slow enough to be killed"
    engine = make_engine(home)
    stats = engine.index(str(root))
    assert stats.files == FILES
    _same_as_fresh(engine, root, tmp_path / "fresh1")

    for _ in range(4):
        for i in chance.sample(range(FILES), 120):
            write_tree(root, {f"p{i % 9}/m{i}.py": source(i, edition=chance.randint(1, 10**6))})
        (root / "p0" / f"m{9 * chance.randint(1, 30)}.py").unlink(missing_ok=True)
        run_and_kill(home, root, chance.uniform(0.3, 1.2))
        state = engine.status(str(root))
        assert state.proof == "valid", "a killed sync must leave the previous generation whole"
        assert all(check.ok for check in engine.doctor().checks)
    engine.sync(str(root))
    _same_as_fresh(engine, root, tmp_path / "fresh2")
    engine.close()


def _same_as_fresh(engine: object, root: Path, home: Path) -> None:
    fresh = make_engine(home)
    fresh.index(str(root))
    assert dump.state(engine, root)["tables"] == dump.state(fresh, root)["tables"]  # type: ignore[arg-type]
    assert fresh.doctor().orphans == 0
    fresh.close()


def _parsed_so_far(engine: Engine, process: subprocess.Popen[bytes], wanted: int) -> int:
    """Wait until a run has stored so many facts, or ended; how many it has."""
    deadline = time.monotonic() + 60
    done = 0
    while done < wanted and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
        roots = engine.catalog.registry.all()
        if roots and (store := next(iter(roots.values())) / "clew.db").exists():
            done = engine.catalog.store(store.parent).connection().execute("SELECT count(*) FROM facts").get
    return done


@pytest.mark.slow
def test_what_was_parsed_before_a_kill_is_not_parsed_again(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": source(i) for i in range(FILES)})
    home = tmp_path / "home"
    engine = make_engine(home)
    process = clew(home, "index", str(root))
    done = _parsed_so_far(engine, process, 50)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert 50 <= done < FILES
    assert engine.status(str(root)).verdict == "interrupted"
    stats = engine.index(str(root))
    assert stats.parsed <= FILES - done
    assert stats.files == FILES
    engine.close()


@pytest.mark.slow
def test_ctrl_c_exits_130_and_the_next_run_goes_on(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": source(i) for i in range(FILES)})
    engine = make_engine(tmp_path / "home")
    process = clew(tmp_path / "home", "index", str(root))
    assert _parsed_so_far(engine, process, 1), "an interrupt while Python still imports is not ours to handle"
    engine.close()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    done = clew(tmp_path / "home", "index", str(root), "--json")
    output, _ = done.communicate(timeout=120)
    assert done.returncode == 0
    assert json.loads(output)["stats"]["files"] == FILES


@pytest.mark.slow
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": source(i) for i in range(FILES)})
    process = clew(tmp_path / "home", "index", str(root))
    workers: list[int] = []
    deadline = time.monotonic() + 30
    while not workers and time.monotonic() < deadline:
        time.sleep(0.01)
        workers = _children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert workers
    deadline = time.monotonic() + 30
    while any(_is_running(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [pid for pid in workers if _is_running(pid)]


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
