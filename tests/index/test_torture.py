"""A short torture, and proof that its judges would notice."""

from __future__ import annotations

import math
import os
import random
import time
from pathlib import Path

import pytest
from benchmarks.torture import FAILURES, Counts, Judge, Unproven, torture
from benchmarks.torture_reader import TICK_S, Answer, Reader
from benchmarks.torture_tree import Tree

from clew import Engine
from clew.serve import tools
from clew.serve.gates import Envelope
from tests.conftest import write_tree

ALPHA = "def alpha():\n    return 1\n"


@pytest.mark.slow
def test_a_few_rounds(tmp_path: Path) -> None:
    report = torture(tmp_path, rounds=3, seed=3, files=40)
    assert {name: report[name] for name in FAILURES} == dict.fromkeys(FAILURES, 0), report["details"]
    assert report["rounds"] == 3 and report["compared_with_fresh"] == 1
    assert report["hits_checked"] > 50 and report["answers"]["total"] > 20


def test_the_tree_changes_and_git_knows_its_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "tree", random.Random(1), 30)
    before = tree.manifest()
    for _ in range(5):
        tree.change()
    after = tree.manifest()
    assert before["hashes"].keys() != after["hashes"].keys()
    assert after["hashes"].keys() == tree.files()
    assert {path for paths in after["stamps"].values() for path in paths} <= after["hashes"].keys()


# -- the reader -------------------------------------------------------------------------------------


class Liar:
    """Tools that answer what they are told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.change: dict[str, object] = {}
        self.truth = tools.call
        monkeypatch.setattr(tools, "call", self.call)

    def call(self, engine: Engine, tool: str, arguments: dict[str, object]) -> Envelope:
        envelope = self.truth(engine, tool, arguments)
        for hit in (*envelope.get("results", ()), *envelope.get("symbols", ())):
            hit.update(self.change)
        return envelope


@pytest.fixture
def reader(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA, "b.py": "def stamp_7():\n    return 1\n"})
    control = tmp_path / "control"
    control.mkdir()
    engine.index(str(root))
    monkeypatch.setattr("benchmarks.torture_reader.TICK_S", 0.0)  # its files are older than any question
    return Reader(root, control, engine, random.Random(1))


def answers(reader: Reader, tool: str, monkeypatch: pytest.MonkeyPatch, query: str = "alpha") -> Answer:
    monkeypatch.setattr("benchmarks.torture_reader._TOOLS", (tool,))
    monkeypatch.setattr("benchmarks.torture_reader._QUERIES", (query,) * 1_000)
    return reader.ask()


def test_a_truthful_answer_is_believed(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = answers(reader, "search_codebase", monkeypatch)
    assert (answer.status, answer.checked, answer.raced, answer.wrong) == ("ok", 1, 0, [])


@pytest.mark.parametrize(
    "lie",
    [
        {"content_hash": "0" * 40},
        {"snippet": "def alpha():\n    return 2"},
        {"start_line": 2},
        {"path": "b.py"},
        {"path": "gone.py"},
    ],
)
def test_a_hit_that_is_not_what_its_file_says_is_a_lie(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, lie: dict[str, object]
) -> None:
    liar = Liar(monkeypatch)
    liar.change = lie
    answer = answers(reader, "search_codebase", monkeypatch)
    assert len(answer.wrong) == 1 and "is called fresh" in answer.wrong[0]
    liar.change = {**lie, "fresh": False}
    answer = answers(reader, "search_codebase", monkeypatch)
    assert (answer.flagged, answer.wrong) == (1, [])


def test_a_file_that_changed_after_the_question_began_is_no_lie(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    truth = tools.call

    def late(engine: Engine, tool: str, arguments: dict[str, object]) -> Envelope:
        envelope = truth(engine, tool, arguments)
        write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n"})
        return envelope

    monkeypatch.setattr(tools, "call", late)
    monkeypatch.setattr("benchmarks.torture_reader.TICK_S", TICK_S)
    answer = answers(reader, "search_codebase", monkeypatch)
    assert (answer.raced, answer.wrong) == (1, [])


def test_a_missing_file_and_a_traceback_are_noticed(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    manifest = tmp_path / "control" / "manifest.json"
    manifest.write_text('{"hashes": {"a.py": "", "b.py": "", "c.py": ""}, "stamps": {"stamp_7": ["a.py", "b.py"]}}')
    os.utime(manifest, (time.time() - 60, time.time() - 60))
    answer = answers(reader, "list_paths", monkeypatch)
    assert len(answer.wrong) == 1 and "c.py" in answer.wrong[0]
    monkeypatch.setattr(random.Random, "choice", lambda _, found: next(iter(found)))
    answer = answers(reader, "get_symbol", monkeypatch)
    assert len(answer.wrong) == 1 and "stamp_7" in answer.wrong[0]
    monkeypatch.setattr(random.Random, "choice", lambda _, found: list(found)[-1])
    answer = answers(reader, "file_outline", monkeypatch)
    assert answer.status == "not_found" and "c.py was not found" in answer.wrong[0]

    def fail(*_: object) -> Envelope:
        raise KeyError("played")

    monkeypatch.setattr(tools, "call", fail)
    answer = answers(reader, "search_codebase", monkeypatch)
    assert answer.status == "traceback" and "played" in answer.wrong[0]


# -- the judge --------------------------------------------------------------------------------------


def judged(answer: Answer) -> tuple[int, int]:
    """Wrong and flaps: the codebase was being made from 10 to 20, killed at 20, taken over from 30 to 40."""
    counts = Counts()
    judge = Judge(counts)
    judge._times = [Unproven("x", 10, 10.5, killed=20, gone=20.1, ended=30), Unproven("y", 30, 30, ended=40)]
    judge.judge("reader", answer)
    return counts.wrong, counts.flaps


@pytest.mark.parametrize(
    ("status", "reason", "allowed"),
    [("not_ready", "indexing", (12, 32)), ("error", "interrupted", (22, 28)), ("ok", "", (5, 45))],
)
def test_each_answer_has_its_time(status: str, reason: str, allowed: tuple[int, ...]) -> None:
    for began in (5, 12, 22, 28, 32, 45):
        answer = Answer("search_codebase", began, began + 0.1, status, reason)
        expected = (0, 0) if began in allowed else (1, 0) if status == "ok" else (0, 1)
        assert judged(answer) == expected, (status, began)


@pytest.mark.parametrize("status", ["not_indexed", "requires_reindex", "error"])
def test_other_gates_are_never_explained(status: str) -> None:
    for began in (5, 12, 22, 32, 45):
        assert judged(Answer("search_codebase", began, began + 0.1, status, "store_error")) == (0, 1)


def test_what_needs_no_proof_may_answer_at_any_time() -> None:
    for tool in ("list_codebases", "list_paths", "manage_index"):
        assert judged(Answer(tool, 12, 12.1, "ok")) == (0, 0)
    assert judged(Answer("search_codebase", 9, 10.2, "ok")) == (0, 0), "it began before"
    assert math.isinf(Unproven("z", 1, 1).ended)
