"""The indexing lock: what it blocks, what it says, and that only a marker ends it. Numbered as its contract is.

Number 6, the notes of the call graph, comes with the call graph.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew import Engine
from clew.answers import RunStats
from clew.errors import Busy, StoreError
from clew.index import runs
from clew.lifecycle import proof, states
from clew.serve import tools
from clew.store import codebases
from clew.types import Progress, State
from tests.conftest import git, make_engine, write_tree
from tests.lifecycle import situations
from tests.lifecycle.situations import FILE, FILES, GATED, READS, ask, indexing, manage
from tests.serve.command import clew

GATES = {"not_ready": "indexing", "requires_reindex": "requires_reindex", "not_indexed": "not_indexed"}


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    return situations.make_root(engine, tmp_path / "tree")


@pytest.fixture
def home_engine() -> Iterator[Engine]:
    """An engine on the home that the command line uses."""
    made = make_engine(Path(os.environ["CLEW_HOME"]))
    yield made
    made.close()


def status_hint(root: str) -> dict[str, Any]:
    return {"tool": "manage_index", "args": {"action": "status", "path": root}}


# -- 1: no promotion without a marker ----------------------------------------------------------------


def test_lock_1_no_promotion_to_indexed_without_a_marker(engine: Engine, root: str) -> None:
    """The chunks of the index before are all there: that they exist proves nothing."""
    with indexing(engine, root):
        before = situations.steps(engine, root)
        for tool in READS:
            ask(engine, tool, root)
        assert ask(engine, "manage_index", root)["state"] == "indexing"
    for tool in READS:
        ask(engine, tool, root)
    dead = ask(engine, "manage_index", root)
    assert (dead["status"], dead["reason"], dead["state"]) == ("error", "interrupted", "indexing")
    assert engine.resolve(root).store.connection().execute("SELECT count(*) FROM chunk WHERE id > 0").get > 0
    assert situations.read_marker(engine, root) is None
    assert situations.steps(engine, root) == before and before[-1][1] == "indexing"


def test_lock_1_a_marker_that_is_there_during_a_run_counts_as_absent(engine: Engine, root: str) -> None:
    marker = situations.read_marker(engine, root)
    with indexing(engine, root):
        assert situations.read_marker(engine, root) is None, "a run clears the marker before it works"
        situations.put_marker(engine, root, marker)
        assert ask(engine, "search_codebase", root)["status"] == "not_ready"
        assert ask(engine, "manage_index", root)["proof"] == "missing_marker_doc"
    assert ask(engine, "search_codebase", root)["reason"] == "interrupted"
    assert ask(engine, "manage_index", root)["proof"] == "missing_marker_doc"
    assert ask(engine, "list_codebases", root)["codebases"][0]["bucket"] == "Failed"
    assert situations.steps(engine, root)[-1][1] == "indexing"


def test_lock_1_every_promotion_finds_its_marker_written(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    promoted: list[str] = []
    move = states.move

    def watched(connection: apsw.Connection, moved: str, new: State, *, run: str, **more: Any) -> None:
        move(connection, moved, new, run=run, **more)
        if new in states.SEARCHABLE:
            row = codebases.find_codebase(connection, moved)
            assert row is not None
            found = proof.validate(connection, row)
            assert found.outcome == "valid" and found.marker is not None and found.marker["runId"] == run
            promoted.append(new)

    monkeypatch.setattr(states, "move", watched)
    engine.index(root, force=True)
    write_tree(Path(root), {"c.py": "gamma = 1\n"})
    engine.sync(root)
    assert promoted == ["indexed", "sync_completed"]


def test_lock_1_a_run_that_fails_leaves_no_marker(engine: Engine, root: str) -> None:
    situations.fail(engine, root)
    assert situations.read_marker(engine, root) is None
    assert ask(engine, "manage_index", root)["state"] == "indexfailed"
    assert ask(engine, "search_codebase", root)["status"] == "not_indexed"
    assert situations.steps(engine, root)[-1] == ("indexing", "indexfailed")


def test_lock_1_a_run_that_fails_at_its_last_step_is_not_promoted(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marker and state are one step: where one cannot be written, neither is."""

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("played")

    monkeypatch.setattr(codebases, "write_marker", refuse)
    with pytest.raises(StoreError, match="played"):
        engine.index(root, force=True)
    assert situations.read_marker(engine, root) is None
    assert ask(engine, "manage_index", root)["state"] == "indexfailed"


# -- 2: blocked tools --------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", GATED)
def test_lock_2_blocked_tools_are_not_ready_because_of_indexing(engine: Engine, root: str, tool: str) -> None:
    with indexing(engine, root):
        envelope = ask(engine, tool, root)
        assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
        assert root in envelope["message"]
        assert envelope["hints"] == {"status": status_hint(root)}
        assert set(envelope["indexing"]) == {"progressPct", "lastUpdated", "phase"}
        assert datetime.fromisoformat(envelope["indexing"]["lastUpdated"]).tzinfo is not None
        assert type(envelope["retryAfterMs"]) is int and envelope["retryAfterMs"] > 0
        assert ask(engine, "list_paths", root)["status"] == "ok", "a list of files needs no index"
    manage(engine, "create", root)
    assert ask(engine, tool, root)["status"] == "ok"


def test_lock_2_a_blocked_envelope_tells_how_far_the_run_is(engine: Engine, root: str) -> None:
    seen: list[dict[str, Any]] = []

    def act(beat: runs.Watch) -> RunStats:
        for phase, done, total in (("walk", 0, 0), ("parse", 50, 200), ("flip", 200, 200)):
            beat(Progress(phase, 1, 2, done, total))
            seen.append(ask(engine, "search_codebase", root))
        return RunStats()

    with indexing(engine, root) as run:
        run.work(lambda _: None, act)
    assert [(e["indexing"]["phase"], e["indexing"]["progressPct"]) for e in seen] == [
        ("walk", None),
        ("parse", 25),
        ("flip", 99),
    ]
    assert all(e["status"] == "not_ready" and 0 < e["retryAfterMs"] <= 30_000 for e in seen)


# -- 3: stable reasons -------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", GATED)
def test_lock_3_requires_reindex_and_not_indexed_have_stable_reasons(
    engine: Engine, root: str, tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = str(write_tree(tmp_path / "never", FILES))
    assert ask(engine, tool, never)["status"] == ask(engine, tool, never)["reason"] == "not_indexed"
    with monkeypatch.context() as patch:
        situations.another_version(patch)
        envelope = ask(engine, tool, root)
        assert envelope["status"] == envelope["reason"] == "requires_reindex"
    situations.put_marker(engine, root, None)
    assert ask(engine, tool, root)["status"] == ask(engine, tool, root)["reason"] == "not_indexed"


def test_lock_3_no_other_status_uses_the_reasons_of_the_gates(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(Path(root), {"two.py": "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\n"})
    envelopes = [
        tools.call(engine, "read_file", {"path": f"{root}/nothing.py"}),
        tools.call(engine, "read_file", {"path": f"{root}/two.py", "symbol": "f"}),
        tools.call(engine, "read_file", {"path": "relative.py"}),
        tools.call(engine, "search_codebase", {"query": "", "path": root}),
        tools.call(engine, "manage_index", {"action": "destroy", "path": root}),
        tools.call(engine, "nonsense", {}),
    ]
    with monkeypatch.context() as patch:
        situations.failing_store(patch)
        envelopes.append(ask(engine, "search_codebase", root))
    situations.interrupt(engine, root)
    envelopes.append(ask(engine, "search_codebase", root))
    assert [e["status"] for e in envelopes] == ["not_found", "ambiguous", *["error"] * 6]
    assert {e.get("reason") for e in envelopes}.isdisjoint(GATES.values())


# -- 4: freshness ------------------------------------------------------------------------------------


def test_lock_4_ensure_freshness_skips_while_indexing_and_changes_nothing(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def count(target: runs.Target, **_: Any) -> RunStats:
        synced.append(target.root)
        return RunStats()

    with indexing(engine, root):
        write_tree(Path(root), {"new.py": "def newcomer(): pass\n"})
        before = situations.remembered(engine)
        with monkeypatch.context() as patch:
            patch.setattr(runs, "sync", count)
            assert engine.ensure_freshness(root).decision == "skipped_indexing"
            assert engine.ensure_freshness(f"{root}/sub").decision == "skipped_indexing"
        assert ask(engine, "list_paths", root)["freshness"]["decision"] == "skipped_indexing"
        assert situations.remembered(engine) == before
        assert manage(engine, "sync", root)["status"] == "not_ready"
        assert situations.remembered(engine) == before
    assert synced == []
    manage(engine, "create", root)
    assert engine.ensure_freshness(root).decision == "fresh"


def test_lock_4_a_sync_that_meets_a_run_is_refused_before_it_changes_anything(engine: Engine, root: str) -> None:
    with indexing(engine, root):
        before = situations.remembered(engine)
        with pytest.raises(Busy):
            engine.sync(root, files=["b.py"])
        with pytest.raises(Busy):
            engine.sync(root)
        assert situations.remembered(engine) == before


# -- 5: reading a file -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [{}, {"start_line": 1}, {"start_line": 1, "end_line": 2}, {"symbol": "alpha"}])
def test_lock_5_read_file_gives_a_structured_envelope_while_indexing(
    engine: Engine, root: str, mode: dict[str, Any]
) -> None:
    asked = {"path": f"{root}/{FILE}", **mode}
    assert "alpha" in tools.call(engine, "read_file", asked)["content"]
    with indexing(engine, root):
        envelope = tools.call(engine, "read_file", asked)
        assert envelope.pop("message")
        assert envelope.pop("retryAfterMs") > 0
        assert envelope.pop("indexing")["phase"] == "begin"
        assert envelope == {
            "status": "not_ready",
            "reason": "indexing",
            "path": f"{root}/{FILE}",
            "codebaseRoot": root,
            "hints": {"status": status_hint(root)},
        }


def test_lock_5_read_file_is_blocked_for_files_that_are_not_there_too(engine: Engine, root: str) -> None:
    with indexing(engine, root):
        assert tools.call(engine, "read_file", {"path": f"{root}/nothing.py"})["status"] == "not_ready"


def test_lock_5_the_command_line_prints_the_same_envelope(home_engine: Engine, tmp_path: Path) -> None:
    root = situations.make_root(home_engine, tmp_path / "tree")
    with indexing(home_engine, root):
        ran = clew("read", f"{root}/{FILE}", "--json")
        assert (ran.code, ran.err) == (3, "")
        assert ran.envelope == ask(home_engine, "read_file", root)


# -- 7: several codebases ----------------------------------------------------------------------------


def test_lock_7_only_the_codebase_that_is_indexing_is_blocked(engine: Engine, root: str, tmp_path: Path) -> None:
    other = situations.make_root(engine, tmp_path / "tree-other")
    with indexing(engine, root):
        for tool in GATED:
            assert ask(engine, tool, root)["status"] == "not_ready"
            assert ask(engine, tool, other)["status"] == "ok"
        assert engine.ensure_freshness(other).decision == "fresh"
        assert manage(engine, "sync", other)["status"] == "ok"
        listed = {row["root"]: row["bucket"] for row in ask(engine, "list_codebases", root)["codebases"]}
        assert listed == {root: "Indexing", other: "Ready"}


def test_lock_7_also_where_two_worktrees_share_a_store(engine: Engine, tmp_path: Path) -> None:
    main = write_tree(tmp_path / "main", FILES)
    git(main, "init", "-q")
    git(main, "add", "-A")
    git(main, "commit", "-qm", "one")
    git(main, "worktree", "add", "-q", str(tmp_path / "second"))
    first, second = str(main), str(tmp_path / "second")
    engine.index(first)
    engine.index(second)
    assert engine.resolve(first).store is engine.resolve(second).store
    with indexing(engine, first):
        for tool in GATED:
            assert ask(engine, tool, first)["status"] == "not_ready"
            assert ask(engine, tool, second)["status"] == "ok"
        assert manage(engine, "reindex", second)["status"] == "ok"
        assert ask(engine, "search_codebase", first)["status"] == "not_ready"
        assert ask(engine, "search_codebase", second)["results"]


def test_lock_7_a_codebase_inside_the_blocked_one_answers(engine: Engine, root: str) -> None:
    inner = write_tree(Path(root) / "vendor", FILES)
    git(inner, "init", "-q")
    engine.index(str(inner))
    with indexing(engine, root):
        for tool in GATED:
            assert ask(engine, tool, root)["status"] == "not_ready"
            assert ask(engine, tool, str(inner))["status"] == "ok"


# -- 8: precedence -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", GATED)
def test_lock_8_requires_reindex_wins_over_the_indexing_lock(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexing(engine, root):
        assert ask(engine, tool, root)["status"] == "not_ready"
        with monkeypatch.context() as patch:
            situations.another_version(patch)
            assert ask(engine, tool, root)["status"] == "requires_reindex"
            assert ask(engine, "list_codebases", root)["codebases"][0]["bucket"] == "Requires Reindex"
            assert engine.ensure_freshness(root).decision == "skipped_requires_reindex"
        assert ask(engine, tool, root)["status"] == "not_ready"


@pytest.mark.parametrize("tool", GATED)
def test_lock_8_the_run_that_cures_a_mismatch_is_not_ready(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    situations.another_version(monkeypatch)
    assert ask(engine, tool, root)["status"] == "requires_reindex"
    with indexing(engine, root) as run:
        assert ask(engine, tool, root)["status"] == "not_ready"
        run.work(lambda _: None)
    assert ask(engine, tool, root)["status"] == "ok"


@pytest.mark.parametrize("tool", GATED)
def test_lock_8_then_the_lock_wins_over_not_indexed(engine: Engine, tmp_path: Path, tool: str) -> None:
    root = str(write_tree(tmp_path / "first", FILES))
    assert ask(engine, tool, root)["status"] == "not_indexed"
    with indexing(engine, root):
        assert ask(engine, tool, root)["status"] == "not_ready"


@pytest.mark.parametrize("tool", GATED)
def test_lock_8_requires_reindex_wins_over_a_missing_marker(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        situations.another_version(patch)
        assert manage(engine, "sync", root)["status"] == "requires_reindex"
    assert situations.steps(engine, root)[-1] == ("indexed", "requires_reindex")
    situations.put_marker(engine, root, None)
    assert ask(engine, tool, root)["status"] == "requires_reindex"


# -- 9: the effective root ---------------------------------------------------------------------------


@pytest.mark.parametrize("tool", GATED)
def test_lock_9_hints_for_a_subdirectory_name_the_parent_root(
    engine: Engine, root: str, tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(root)
    for place, file in (("tree/sub", "a.py"), ("tree/sub/", "a.py"), ("link", FILE), ("link/sub", "a.py")):
        asked = situations.arguments(tool, root, f"{tmp_path}/{place}")
        if tool == "read_file":
            asked = {"path": f"{tmp_path}/{place}/{file}"}
        with indexing(engine, root):
            blocked = tools.call(engine, tool, asked)
        with monkeypatch.context() as patch:
            situations.another_version(patch)
            mismatched = tools.call(engine, tool, asked)
        manage(engine, "create", root)
        situations.put_marker(engine, root, None)
        stale = tools.call(engine, tool, asked)
        manage(engine, "create", root)
        for envelope, status, hints in (
            (blocked, "not_ready", {"status"}),
            (mismatched, "requires_reindex", {"status", "reindex"}),
            (stale, "not_indexed", {"status", "create", "staleLocal"}),
        ):
            assert (envelope["status"], envelope["codebaseRoot"]) == (status, root)
            assert envelope["path"] == asked["path"]
            assert set(envelope["hints"]) == hints
            for name in hints - {"staleLocal"}:
                assert envelope["hints"][name]["args"] == {"action": name, "path": root}


@pytest.mark.parametrize("action", ["create", "reindex", "sync", "repair", "clear"])
def test_lock_9_a_blocked_action_names_the_parent_root_and_when_to_try_again(
    engine: Engine, root: str, action: str
) -> None:
    with indexing(engine, root):
        before = situations.remembered(engine)
        for place in (root, f"{root}/sub"):
            envelope = manage(engine, action, place)
            assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
            assert (envelope["path"], envelope["codebaseRoot"]) == (place, root)
            assert envelope["hints"] == {"status": status_hint(root)}
            assert envelope["retryAfterMs"] > 0
        assert situations.remembered(engine) == before
