"""A graph that several processes resolve: the same as that of one, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.graph import build
from clew.index import spare, together
from tests.conftest import make_engine, note_resolved, write_tree

SAMPLES = Path(__file__).parent.parent / "parse" / "samples"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files that use each other, and some of nearly every language."""
    files: dict[str, str | bytes] = {
        f"pkg/m{i}.py": f"from pkg.m{(i * 7) % 90} import f{(i * 7) % 90}\nimport json\n\n\nclass C{i}:\n"
        f"    def close(self): return self.close()\n\n\ndef f{i}(x):\n    x.close()\n"
        f"    return f{(i * 7) % 90}(json.dumps(x))\n"
        for i in range(90)
    }
    # Processes parse Kotlin even in a small tree, and then numbers are given in the order in which these answer.
    samples = [path for path in sorted(SAMPLES.iterdir()) if path.is_file() and path.suffix != ".kt"]
    files |= {f"samples/{path.name}": path.read_bytes() for path in samples}
    return write_tree(tmp_path / "tree", files)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were started; any tree is large enough."""
    found: list[subprocess.Popen[bytes]] = []
    begin = together._begin

    def noted() -> subprocess.Popen[bytes]:
        found.append(begin())
        return found[-1]

    monkeypatch.setattr(together, "_WORTH_FILES", 1)
    monkeypatch.setattr(together, "_AT_ONCE", 5)
    monkeypatch.setattr(together, "_begin", noted)
    return found


def graph(engine: Engine, tree: Path) -> dict[str, Any]:
    engine.index(str(tree))
    connection = engine.resolve(str(tree)).store.connection()
    tables = ("graph_file", "packed_edge", "used_by", "loose_name", "file_edge", "external")
    return {name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall()) for name in tables}


def slow_here(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Leave time to the other processes."""
    add_all = build._Graph.add_all

    def slowly(graph: build._Graph, paths: Sequence[str], found: build.Edges) -> None:
        time.sleep(seconds)
        add_all(graph, paths, found)

    monkeypatch.setattr(build._Graph, "add_all", slowly)


@pytest.mark.parametrize("workers", [2, 3])
def test_the_edges_are_the_same(
    tmp_path: Path, tree: Path, workers: int, begun: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = graph(make_engine(tmp_path / "one", workers=1), tree)
    assert not begun
    slow_here(monkeypatch, 0.1)
    shared = graph(make_engine(tmp_path / "two", workers=workers), tree)
    assert shared == alone and len(alone["used_by"]) > 200
    assert len(begun) == workers - 1 and all(process.poll() is not None for process in begun)


def test_they_take_their_part(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_WORTH_FILES", 1)
    monkeypatch.setattr(together, "_AT_ONCE", 2)
    resolved = note_resolved(monkeypatch)
    slow_here(monkeypatch, 0.1)
    found = graph(make_engine(tmp_path / "one", workers=2), tree)
    assert 0 < len(resolved) < len(found["graph_file"])


@pytest.mark.parametrize("how", ["at once", "later", "nonsense"])
def test_what_one_of_them_could_not_do_is_done_here(
    tmp_path: Path, tree: Path, how: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(together, "_WORTH_FILES", 1)
    monkeypatch.setattr(together, "_AT_ONCE", 5)
    alone = graph(make_engine(tmp_path / "one", workers=1), tree)
    dies = (
        "import sys; from clew.index import together as t; from clew.index.pipes import receive, send\n"
        "asks, tells = sys.stdin.buffer, sys.stdout.buffer\n"
        + {
            "at once": "",
            "later": "receive(asks); send(tells, t.Edges([], [], [])); receive(asks)",
            "nonsense": "receive(asks); send(tells, 'what?')",
        }[how]
    )
    broken: list[subprocess.Popen[bytes]] = []

    def begin_broken() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", dies]
        broken.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return broken[0]

    monkeypatch.setattr(together, "_begin", begin_broken)
    add_all = build._Graph.add_all

    def after_it(graph: build._Graph, paths: Sequence[str], found: build.Edges) -> None:
        broken[0].wait(30)
        add_all(graph, paths, found)

    monkeypatch.setattr(build._Graph, "add_all", after_it)
    assert graph(make_engine(tmp_path / "two", workers=2), tree) == alone
    [told] = [record.getMessage() for record in caplog.records if "resolve names" in record.getMessage()]
    assert " 1 of the processes" in told


def test_one_that_never_began_leaves_nothing_for_others_to_stumble_over() -> None:
    """A defect once: what it gave back was empty, and whoever took that thought that all was done."""
    turns: deque[Sequence[str]] = deque([["a"], ["b"]])
    helpers = together._Helpers(2, ("", 0, {}, 1), turns)
    command = [sys.executable, "-c", ""]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    helpers._drive(process, ("", 0, {}, 1))
    spare.end(process)
    assert helpers.failures == 1 and [helpers._take() for _ in range(3)] == [["b"], ["a"], None]


def test_much_is_taken_while_much_is_left() -> None:
    turns: deque[Sequence[str]] = deque([str(number)] for number in range(100))
    helpers = together._Helpers(1, ("", 0, {}, 1), turns)
    sizes = []
    while (taken := helpers._take()) is not None:
        sizes.append(len(taken))
    assert sizes[0] == together._MOST_TURNS and sizes[-4:] == [1] * 4 and sum(sizes) == 100
    assert sizes == sorted(sizes, reverse=True)


def test_without_room_for_another_process_all_is_done_here(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = graph(make_engine(tmp_path / "one", workers=1), tree)
    monkeypatch.setattr(together, "_WORTH_FILES", 1)

    def no_room() -> None:
        raise BlockingIOError("no")

    monkeypatch.setattr(together, "_begin", no_room)
    assert graph(make_engine(tmp_path / "two", workers=3), tree) == alone


def test_one_that_hangs_is_not_waited_for(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = graph(make_engine(tmp_path / "one", workers=1), tree)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]

    def begin_idle() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(together, "_WORTH_FILES", 1)
    monkeypatch.setattr(together, "_begin", begin_idle)
    monkeypatch.setattr(together, "LIMIT_S", 0.3)
    assert graph(make_engine(tmp_path / "two", workers=2), tree) == alone


def test_they_end_where_a_run_is_interrupted_as_they_begin(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, begun: list[subprocess.Popen[bytes]]
) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if thread.name == "clew-resolve" and len(begun) == 2:
            raise KeyboardInterrupt
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_engine(tmp_path / "one", workers=3).index(str(tree))
    assert len(begun) == 2 and all(process.poll() is not None for process in begun)
    assert not [thread for thread in threading.enumerate() if thread.name == "clew-resolve"]


def test_they_end_with_a_run_that_fails(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, begun: list[subprocess.Popen[bytes]]
) -> None:
    def fails(*_: object) -> None:
        time.sleep(0.5)
        raise RuntimeError("no graph")

    monkeypatch.setattr(build._Graph, "add_edges", fails)
    engine = make_engine(tmp_path / "one", workers=3)
    with pytest.raises(RuntimeError, match="no graph"):
        engine.index(str(tree))
    assert len(begun) == 2 and all(process.poll() is not None for process in begun)
    monkeypatch.undo()
    assert graph(engine, tree) == graph(make_engine(tmp_path / "two", workers=1), tree)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_one_ends_when_its_parent_was_killed() -> None:
    waiting = "import time; from clew.index import together; print(together._begin().pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", waiting], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        state = Path(f"/proc/{child}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":  # nobody here is its parent
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("it went on")
