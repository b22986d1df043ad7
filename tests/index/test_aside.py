"""Segments that a process of their own makes while the graph is resolved: the same as if they were made here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.index import aside
from clew.store import derive, exact
from clew.store.store import Store
from tests.conftest import make_engine, write_tree
from tests.dump import tables


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", {f"m{i}.py": f"def valve_{i}(x):\n    return x + {i}\n" for i in range(700)})


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were started; any tree is large enough."""
    found: list[subprocess.Popen[bytes]] = []
    begin = aside._begin

    def noted(store: Store) -> subprocess.Popen[bytes]:
        process = begin(store)
        assert process is not None
        found.append(process)
        return process

    monkeypatch.setattr(aside, "_WORTH_CHUNKS", 1)
    monkeypatch.setattr(aside, "_begin", noted)
    return found


def contents(engine: Engine, tree: Path) -> tuple[Any, Any]:
    engine.index(str(tree))
    store = engine.resolve(str(tree)).store
    connection = store.connection()
    assert derive.tail_size(connection) == 0 or exact.tail_bytes(connection) <= exact.TAIL_BYTES
    return tables(store), [hit.path for hit in engine.search("valve 13", str(tree)).hits]


@pytest.mark.parametrize("embedding", ["none", "static"])
def test_the_segments_are_the_same(
    tmp_path: Path, tree: Path, begun: list[subprocess.Popen[bytes]], embedding: str
) -> None:
    beside = make_engine(tmp_path / "one", workers=2, embedding=embedding)
    here = make_engine(tmp_path / "two", workers=1, embedding=embedding)
    assert contents(beside, tree) == contents(here, tree)
    assert [process.returncode for process in begun] == [0]


def test_what_the_process_could_not_do_is_done_here(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(aside, "_WORTH_CHUNKS", 1)
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    monkeypatch.setattr(aside, "_begin", lambda _: subprocess.Popen(["false"], **pipes))
    beside = make_engine(tmp_path / "one", workers=2)
    here = make_engine(tmp_path / "two", workers=1)
    assert contents(beside, tree) == contents(here, tree)
    [told] = [record.getMessage() for record in caplog.records if "segments" in record.getMessage()]
    assert "ended with 1" in told and str(tmp_path / "one") in told  # which store it is about


def test_it_ends_with_a_run_that_fails(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, begun: list[subprocess.Popen[bytes]]
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no graph")

    monkeypatch.setattr("clew.index.sync.plan_graph", fails)
    with pytest.raises(RuntimeError, match="no graph"):
        make_engine(tmp_path / "one", workers=2).index(str(tree))
    assert len(begun) == 1 and begun[0].poll() is not None


def test_it_ends_when_its_parent_was_killed() -> None:
    waiting = (
        "import threading, time; from clew.index import aside\n"
        "threading.Thread(target=aside._end_with_parent, daemon=True).start(); print(); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(20) == 1


def test_where_there_is_no_room_for_a_process(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aside, "_WORTH_CHUNKS", 1)
    monkeypatch.setattr(aside, "own_command", lambda *_: [str(tmp_path / "nothing")])
    beside = make_engine(tmp_path / "one", workers=2)
    here = make_engine(tmp_path / "two", workers=1)
    assert contents(beside, tree) == contents(here, tree)


@pytest.mark.parametrize("late", [15.0, 0.0])
def test_a_process_that_needs_longer_than_the_flip_waits(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, begun: list[subprocess.Popen[bytes]], late: float
) -> None:
    monkeypatch.setattr(aside, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(aside, "_LATE_S", late)
    beside = make_engine(tmp_path / "one", workers=2)
    here = make_engine(tmp_path / "two", workers=1)
    assert contents(beside, tree) == contents(here, tree)
    assert ([process.returncode for process in begun] == [0]) == bool(late)


def test_an_index_is_whole_without_its_segments(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What fails after the flip made a failed run of one that had completed."""
    monkeypatch.setattr(aside, "_WORTH_CHUNKS", 1)
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    engine = make_engine(tmp_path / "one", workers=2)
    with monkeypatch.context() as patch:
        patch.setattr(aside, "_begin", lambda _: subprocess.Popen(["false"], **pipes))
        patch.setattr(derive, "write_segment", full)
        patch.setattr(exact, "write_segment", full)
        assert engine.index(str(tree)).files == 700
    assert any("No space left" in record.getMessage() for record in caplog.records)
    [job] = engine.jobs(str(tree))
    assert job.state == "completed" and engine.status(str(tree)).state == "indexed"
    assert engine.search("valve 13", str(tree)).hits[0].path == "m13.py"
    (tree / "more.py").write_text("def more(x):\n    return x\n", encoding="utf-8")
    engine.sync(str(tree))
    assert derive.tail_size(engine.resolve(str(tree)).store.connection()) == 0


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_files_that_a_sweep_took_for_nobodys(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, begun: list[subprocess.Popen[bytes]]
) -> None:
    """It had looked for leases before the run took its own: files that were gone were put into use."""
    note = aside._note

    def later(store: Store, connection: Any, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        for kind in ("lexical", "exact"):
            for path in (store.directory / kind).iterdir():
                path.unlink()
        note(store, connection, process)

    monkeypatch.setattr(aside, "_note", later)
    beside = make_engine(tmp_path / "one", workers=2)
    monkeypatch.setattr(exact, "TAIL_BYTES", 1)
    here = make_engine(tmp_path / "two", workers=1)
    assert contents(beside, tree) == contents(here, tree)
    assert len(begun) == 1 and [check.message for check in beside.doctor().checks if not check.ok] == []


def test_what_was_written_for_another_state_is_not_put_into_use(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch, begun: list[subprocess.Popen[bytes]]
) -> None:
    """Another run may have moved the same tail into files while the process wrote."""
    note = aside._note

    def faster(store: Store, connection: Any, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        for written in derive._write_after(store, connection, 0):
            derive._note(connection, written)
        exact._note(connection, list(exact._write_after(store, connection, 0)))
        note(store, connection, process)

    monkeypatch.setattr(aside, "_note", faster)
    engine = make_engine(tmp_path / "one", workers=2)
    engine.index(str(tree))
    store = engine.resolve(str(tree)).store
    assert len(derive.derived(store.connection()).segments) == len(exact.derived(store.connection()).segments) == 1
    assert len(begun) == 1 and [check.message for check in engine.doctor().checks if not check.ok] == []
    assert engine.search("valve 13", str(tree)).hits[0].path == "m13.py"
