"""The tools as every interface gets them: each gate to the field, each action, and what is refused."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.answers import Diagnostic, Heartbeat, RunStats
from clew.index import runs
from clew.serve import envelopes, gates, tools
from tests.conftest import make_engine, write_tree
from tests.lifecycle import situations
from tests.lifecycle.situations import FILE, FILES, GATED, READS, STALE, Envelope, ask, manage
from tests.serve.command import clew

ACTIONS = ("create", "reindex", "sync", "repair", "clear")
EMPTY: dict[str, Envelope] = {
    "search_codebase": {"results": [], "total": 0, "truncated": False, "continuation": None},
    "get_symbol": {"symbols": []},
    "file_outline": {"symbols": []},
    "read_file": {"content": "", "start_line": 0, "end_line": 0, "total_lines": 0, "truncated": False},
    "list_paths": {"items": [], "total": 0, "truncated": False},
}
Gate = Callable[[Engine, str, pytest.MonkeyPatch, contextlib.ExitStack], None]


def begin(engine: Engine, root: str, _: pytest.MonkeyPatch, held: contextlib.ExitStack) -> None:
    """A run is at work until the end of the test."""
    held.enter_context(situations.indexing(engine, root))


def reindex_wanted(engine: Engine, root: str, patch: pytest.MonkeyPatch, _: contextlib.ExitStack) -> None:
    """A sync has met another fingerprint, and that is recorded."""
    with patch.context() as another:
        situations.another_version(another)
        assert manage(engine, "sync", root)["status"] == "requires_reindex"


def stale(reason: str) -> Gate:
    """An index that is claimed, with a marker that proves nothing, for this reason."""

    def arrange(engine: Engine, root: str, *_: object) -> None:
        situations.change_marker(engine, root, STALE[reason])

    return arrange


SITUATIONS: dict[str, Gate] = {
    "not_ready": begin,
    "mismatch": lambda _engine, _root, patch, _held: situations.another_version(patch),
    "requires_reindex": reindex_wanted,
    "interrupted": lambda engine, root, _patch, _held: situations.interrupt(engine, root),
    "failed": lambda engine, root, _patch, _held: situations.fail(engine, root),
    **{reason: stale(reason) for reason in STALE},
}


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    return situations.make_root(engine, tmp_path / "tree")


@pytest.fixture
def held() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Runs wait for this before they do their work."""
    event, bring_up = threading.Event(), runs.bring_up

    def wait(*arguments: Any, **more: Any) -> RunStats:
        assert event.wait(30)
        return bring_up(*arguments, **more)

    monkeypatch.setattr(runs, "bring_up", wait)
    yield event
    event.set()


def hint(action: str, root: str) -> Envelope:
    return {"tool": "manage_index", "args": {"action": action, "path": root}}


def expected(situation: str, tool: str, root: str) -> Envelope:
    """What the gate says, but for message, path and the times of a run."""
    hints = {"status": hint("status", root)}
    if situation == "not_ready":
        return {"status": "not_ready", "reason": "indexing", "codebaseRoot": root, "hints": hints}
    if situation in ("mismatch", "requires_reindex"):
        hints["reindex"] = hint("reindex", root)
        return {"status": "requires_reindex", "reason": "requires_reindex", "codebaseRoot": root, "hints": hints}
    hints["create"] = hint("create", root)
    if situation in STALE:
        hints["staleLocal"] = {"completionProof": situation, "recommendedAction": hint("create", root)}
    if situation == "interrupted":
        own = EMPTY[tool]
        return {"status": "error", "reason": "interrupted", "codebaseRoot": root, "hints": hints, **own}
    return {"status": "not_indexed", "reason": "not_indexed", "codebaseRoot": root, "hints": hints}


# -- gates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", GATED)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_gate_of_every_tool(
    engine: Engine,
    root: str,
    tool: str,
    situation: str,
    monkeypatch: pytest.MonkeyPatch,
    held: contextlib.ExitStack,
) -> None:
    SITUATIONS[situation](engine, root, monkeypatch, held)
    debugging = make_engine(engine.config.home, debug=1)
    for place in (root, f"{root}/sub"):
        for asked in (engine, debugging):
            envelope = ask(asked, tool, root, place)
            assert json.loads(json.dumps(envelope)) == envelope
            message = envelope.pop("message")
            assert root in message and "`clew " in message
            assert envelope.pop("path") == situations.arguments(tool, root, place)["path"]
            if situation == "not_ready":
                assert envelope.pop("retryAfterMs") == gates.RETRY_AFTER_MS
                run = envelope.pop("indexing")
                assert run.pop("lastUpdated").endswith("Z") and run == {"progressPct": None, "phase": "begin"}
            if situation == "interrupted":
                problem = envelope.pop("problem")
                assert (problem["type"], problem["status"]) == ("urn:clew:problem:interrupted", 409)
                assert problem["detail"] == message
            wanted = expected(situation, tool, root)
            if asked is debugging:
                is_there = situation in ("mismatch", "requires_reindex", *set(STALE) - {"missing_marker_doc"})
                wanted["hints"]["debugIndexing"] = {"completionProof": "marker_doc", "markerPresent": is_there}
            assert envelope == wanted
    debugging.close()


@pytest.mark.parametrize("tool", [*GATED, "list_paths", "manage_index"])
def test_a_tree_that_was_never_indexed(engine: Engine, tmp_path: Path, tool: str) -> None:
    never = str(write_tree(tmp_path / "never", FILES))
    debugging = make_engine(engine.config.home, debug=1)
    for place in (never, f"{never}/sub"):
        asked = situations.arguments(tool, never, place)["path"]
        target = os.path.dirname(asked) if tool == "read_file" else place
        envelope = ask(engine, tool, never, place)
        assert f"{target} is not indexed" in envelope.pop("message")
        assert envelope == {
            "status": "not_indexed",
            "reason": "not_indexed",
            "path": asked,
            "codebaseRoot": target,
            "hints": {"status": hint("status", target), "create": hint("create", target)},
        }
        shown = ask(debugging, tool, never, place)["hints"]["debugIndexing"]
        assert shown == {"completionProof": "marker_doc", "markerPresent": False}
    debugging.close()


@pytest.mark.parametrize("standing", ["interrupted", "failed", "requires_reindex", "not_ready"])
def test_a_gate_says_to_those_who_debug_that_the_probe_failed(
    engine: Engine, root: str, standing: str, monkeypatch: pytest.MonkeyPatch, held: contextlib.ExitStack
) -> None:
    SITUATIONS[standing](engine, root, monkeypatch, held)
    situations.failing_probe(monkeypatch)
    debugging = make_engine(engine.config.home, debug=1)
    for tool in (*GATED, "manage_index"):
        hints = ask(debugging, tool, root)["hints"]
        assert hints["debugProofCheck"] == {"ok": False, "reason": "probe_failed"}
        assert hints["debugIndexing"] == {"completionProof": "marker_doc", "markerPresent": False}
        assert not {"debugProofCheck", "debugIndexing"} & ask(engine, tool, root)["hints"].keys()
    debugging.close()


def test_the_environment_turns_debugging_on(tmp_path: Path) -> None:
    root = str(write_tree(tmp_path / "tree", FILES))
    assert "debugIndexing" not in clew("search", "alpha", root, "--no-index", "--json").envelope["hints"]
    shown = clew("search", "alpha", root, "--no-index", "--json", CLEW_DEBUG="1").envelope["hints"]["debugIndexing"]
    assert shown == {"completionProof": "marker_doc", "markerPresent": False}


@pytest.mark.parametrize("situation", [s for s in SITUATIONS if s != "interrupted"])
def test_a_gate_has_no_fields_of_an_answer(
    engine: Engine, root: str, situation: str, monkeypatch: pytest.MonkeyPatch, held: contextlib.ExitStack
) -> None:
    SITUATIONS[situation](engine, root, monkeypatch, held)
    for tool in GATED:
        assert not EMPTY[tool].keys() & ask(engine, tool, root).keys()


@pytest.mark.parametrize(
    ("done", "seconds", "wanted"),
    [(0, 9, 2_000), (50, 4, 4_000), (25, 2, 6_000), (99, 1, 500), (1, 59, 30_000)],
)
def test_when_to_ask_again_is_what_the_run_should_still_need(done: int, seconds: int, wanted: int) -> None:
    started, updated = "2026-01-01T00:00:00.000Z", f"2026-01-01T00:00:{seconds:02}.000Z"
    sign = Heartbeat("run", "create", "parse", started, updated, bytes_done=done, bytes_total=100)
    assert gates.retry_after_ms(sign) == wanted
    assert gates.retry_after_ms(None) == 2_000


# -- what is not gated -------------------------------------------------------------------------------


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_list_of_files_is_given_whatever_the_index_is(
    engine: Engine, root: str, situation: str, monkeypatch: pytest.MonkeyPatch, held: contextlib.ExitStack
) -> None:
    SITUATIONS[situation](engine, root, monkeypatch, held)
    write_tree(Path(root), {"new.py": "x = 1\n", "ignored.o": "x", ".gitignore": "*.o\n"})
    envelope = ask(engine, "list_paths", root)
    assert envelope["status"] == "ok" and (envelope["path"], envelope["codebaseRoot"]) == (root, root)
    assert [item["path"] for item in envelope["items"]] == sorted([*FILES, "new.py", ".gitignore"])
    assert envelope["freshness"]["generation"] == 0, "it speaks of the tree, of no snapshot"
    decision = envelope["freshness"]["decision"]
    assert (decision == "skipped_indexing") == (situation == "not_ready")
    assert (decision == "skipped_requires_reindex") == (situation in ("mismatch", "requires_reindex"))
    assert decision not in ("fresh", "synced")
    inside = tools.call(engine, "list_paths", {"path": f"{root}/sub", "max_results": 1})
    assert ([item["path"] for item in inside["items"]], inside["truncated"]) == ([FILE], False)
    cut = tools.call(engine, "list_paths", {"path": root, "max_results": 1})
    assert (len(cut["items"]), cut["total"], cut["truncated"]) == (1, 4, True)


@pytest.mark.parametrize(
    ("situation", "bucket"),
    [
        ("not_ready", "Indexing"),
        ("mismatch", "Requires Reindex"),
        ("requires_reindex", "Requires Reindex"),
        ("interrupted", "Failed"),
        ("failed", "Failed"),
        *[(reason, "Failed") for reason in STALE],
    ],
)
def test_the_list_of_codebases_has_every_one_in_its_bucket(
    engine: Engine,
    root: str,
    tmp_path: Path,
    situation: str,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    held: contextlib.ExitStack,
) -> None:
    if situation != "mismatch":
        situations.make_root(engine, tmp_path / "well")
    SITUATIONS[situation](engine, root, monkeypatch, held)
    envelope = tools.call(engine, "list_codebases", {})
    assert set(envelope) == {"status", "codebases"} and envelope["status"] == "ok"
    rows = {row["root"]: row for row in envelope["codebases"]}
    assert rows.pop(root)["bucket"] == bucket
    assert [row["bucket"] for row in rows.values()] == ([] if situation == "mismatch" else ["Ready"])
    assert all(set(row) == {"root", "state", "bucket", "files", "chunks", "proof"} for row in envelope["codebases"])
    assert json.dumps(tools.call(engine, "list_codebases", {})) == json.dumps(envelope)


@pytest.mark.parametrize(
    ("situation", "state", "warned"),
    [
        ("not_ready", "indexing", None),
        ("mismatch", "indexed", "REQUIRES_REINDEX"),
        ("requires_reindex", "requires_reindex", "REQUIRES_REINDEX"),
        ("failed", "indexfailed", "NOT_INDEXED"),
        *[(reason, "indexed", "STALE_LOCAL") for reason in STALE],
    ],
)
def test_status_is_told_whatever_the_index_is(
    engine: Engine,
    root: str,
    situation: str,
    state: str,
    warned: str | None,
    monkeypatch: pytest.MonkeyPatch,
    held: contextlib.ExitStack,
) -> None:
    SITUATIONS[situation](engine, root, monkeypatch, held)
    envelope = ask(engine, "manage_index", root, f"{root}/sub")
    assert (envelope["status"], envelope["operation"], envelope["state"]) == ("ok", "status", state)
    assert (envelope["path"], envelope["codebaseRoot"]) == (f"{root}/sub", root)
    assert [warning["code"] for warning in envelope["warnings"]] == ([warned] if warned else [])
    assert envelope["hints"] == expected(situation, "search_codebase", root)["hints"]
    assert ("indexing" in envelope) == ("retryAfterMs" in envelope) == (situation == "not_ready")
    assert {"proof", "counts", "fingerprint", "contexts", "jobs", "progress"} <= envelope.keys()


def test_status_of_an_interrupted_run_is_an_error_that_still_tells_all(engine: Engine, root: str) -> None:
    situations.interrupt(engine, root)
    envelope = ask(engine, "manage_index", root)
    assert (envelope["status"], envelope["reason"], envelope["state"]) == ("error", "interrupted", "indexing")
    assert envelope["problem"]["status"] == 409 and envelope["message"] == envelope["problem"]["detail"]
    assert envelope["hints"] == {"status": hint("status", root), "create": hint("create", root)}
    assert envelope["jobs"][0]["state"] == "interrupted"


@pytest.mark.parametrize("tool", [*GATED, "list_paths"])
def test_an_answer_has_what_every_answer_has(engine: Engine, root: str, tool: str) -> None:
    envelope = ask(engine, tool, root, f"{root}/sub")
    assert {"status", "path", "codebaseRoot", "session_id", "scope", "freshness", "warnings"} <= envelope.keys()
    assert EMPTY[tool].keys() <= envelope.keys()
    assert (envelope["status"], envelope["codebaseRoot"], envelope["warnings"]) == ("ok", root, [])
    assert "reason" not in envelope and "hints" not in envelope


# -- actions -----------------------------------------------------------------------------------------


def test_create_on_a_healthy_index_does_nothing(engine: Engine, root: str) -> None:
    kept = situations.remembered(engine)
    for place in (root, f"{root}/sub"):
        envelope = manage(engine, "create", place)
        assert "indexed already" in envelope.pop("message")
        assert envelope == {
            "status": "ok",
            "path": place,
            "codebaseRoot": root,
            "operation": "create",
            "job_id": None,
            "already_indexed": True,
            "progress": 100,
            "hints": {"status": hint("status", root)},
            "warnings": [],
        }
    assert situations.remembered(engine) == kept


def test_create_returns_a_job_before_the_work_is_done(engine: Engine, tmp_path: Path, waiting: threading.Event) -> None:
    root = str(write_tree(tmp_path / "tree", FILES))
    envelope = tools.call(engine, "manage_index", {"action": "create", "path": root})
    job = envelope.pop("job_id")
    assert envelope.pop("message")
    assert envelope == {
        "status": "ok",
        "path": root,
        "codebaseRoot": root,
        "operation": "create",
        "already_indexed": False,
        "progress": 0,
        "hints": {"status": hint("status", root)},
        "warnings": [],
    }
    assert ask(engine, "search_codebase", root)["status"] == "not_ready"
    during = ask(engine, "manage_index", root)["jobs"][0]
    assert (during["job_id"], during["operation"], during["state"]) == (job, "create", "running")
    waiting.set()
    engine.wait_for_jobs()
    after = ask(engine, "manage_index", root)
    assert (after["state"], after["proof"], after["run"]) == ("indexed", "valid", job)
    assert (after["jobs"][0]["state"], after["jobs"][0]["progress"]) == ("completed", 100)
    assert after["jobs"][0]["stats"]["files"] == len(FILES)


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_on_a_codebase_that_is_indexing_is_not_ready(engine: Engine, root: str, action: str) -> None:
    with situations.indexing(engine, root):
        for force in (False, True):
            envelope = manage(engine, action, f"{root}/sub", force=force)
            assert root in envelope.pop("message")
            assert set(envelope.pop("indexing")) == {"progressPct", "lastUpdated", "phase"}
            assert envelope == {
                "status": "not_ready",
                "reason": "indexing",
                "path": f"{root}/sub",
                "codebaseRoot": root,
                "hints": {"status": hint("status", root)},
                "retryAfterMs": gates.RETRY_AFTER_MS,
            }
    assert manage(engine, action, root, force=True)["status"] == ("error" if action == "sync" else "ok")


def test_reindex_sync_repair_and_clear(engine: Engine, root: str) -> None:
    write_tree(Path(root), {"c.py": "def gamma(): pass\n"})
    ids = []
    for action in ("sync", "repair", "reindex"):
        envelope = manage(engine, action, root)
        assert (envelope["status"], envelope["operation"], envelope["already_indexed"]) == ("ok", action, False)
        ids.append(envelope["job_id"])
    listed = ask(engine, "manage_index", root)["jobs"]
    assert [(job["job_id"], job["operation"], job["state"]) for job in listed[:3]] == [
        (ids[2], "reindex", "completed"),
        (ids[1], "repair", "completed"),
        (ids[0], "sync", "completed"),
    ]
    assert tools.call(engine, "get_symbol", {"name": "gamma", "path": root})["symbols"]
    cleared = manage(engine, "clear", root)
    assert (cleared["status"], cleared["job_id"], cleared["progress"]) == ("ok", None, 100)
    assert tools.call(engine, "list_codebases", {}) == {"status": "ok", "codebases": []}
    assert ask(engine, "search_codebase", root)["status"] == "not_indexed"
    assert sorted(os.listdir(root)) == ["b.py", "c.py", "sub"]


@pytest.mark.parametrize("action", [*ACTIONS[1:], "status"])
def test_an_action_on_a_tree_that_was_never_indexed(engine: Engine, tmp_path: Path, action: str) -> None:
    never = str(write_tree(tmp_path / "never", FILES))
    envelope = manage(engine, action, never)
    assert envelope["status"] == envelope["reason"] == "not_indexed"
    assert envelope["hints"]["create"] == hint("create", never)
    assert not engine.config.home.exists()


@pytest.mark.parametrize("situation", [s for s in SITUATIONS if s != "not_ready"])
def test_a_sync_needs_an_index_that_is_believed(
    engine: Engine, root: str, situation: str, monkeypatch: pytest.MonkeyPatch, held: contextlib.ExitStack
) -> None:
    SITUATIONS[situation](engine, root, monkeypatch, held)
    before, state = ask(engine, "search_codebase", root), ask(engine, "manage_index", root)["state"]
    envelope = manage(engine, "sync", root)
    assert (envelope["status"], envelope["reason"]) == (before["status"], before["reason"])
    assert envelope["hints"] == before["hints"]
    after = ask(engine, "manage_index", root)["state"]
    assert after == ("requires_reindex" if situation == "mismatch" else state), "only a mismatch is recorded"


@pytest.mark.parametrize("action", ["create", "reindex"])
@pytest.mark.parametrize("situation", [s for s in SITUATIONS if s != "not_ready"])
def test_create_and_reindex_cure_everything(
    engine: Engine,
    root: str,
    situation: str,
    action: str,
    monkeypatch: pytest.MonkeyPatch,
    held: contextlib.ExitStack,
) -> None:
    SITUATIONS[situation](engine, root, monkeypatch, held)
    envelope = manage(engine, action, root)
    assert (envelope["status"], envelope["already_indexed"]) == ("ok", False)
    assert [warning["code"] for warning in envelope["warnings"]] == (["STALE_LOCAL"] if situation in STALE else [])
    assert {ask(engine, tool, root)["status"] for tool in READS} == {"ok"}


def test_more_work_than_the_limit_is_refused_before_it_begins(tmp_path: Path, waiting: threading.Event) -> None:
    engine = make_engine(tmp_path / "home", max_jobs=1)
    first, second = (str(write_tree(tmp_path / name, FILES)) for name in ("first", "second"))
    assert tools.call(engine, "manage_index", {"action": "create", "path": first})["status"] == "ok"
    refused = tools.call(engine, "manage_index", {"action": "create", "path": second})
    assert (refused["status"], refused["reason"], refused["problem"]["status"]) == ("error", "too_many_jobs", 429)
    assert [row["root"] for row in tools.call(engine, "list_codebases", {})["codebases"]] == [first]
    waiting.set()
    engine.wait_for_jobs()
    assert manage(engine, "create", second)["status"] == "ok"
    engine.close()


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("destroy_index", {}, "destroy_index"),
        ("", {}, "manage_index"),
        ("manage_index", {"action": "destroy"}, "destroy"),
        ("manage_index", {"action": ""}, "create, reindex, sync, repair, clear, status"),
        ("manage_index", {}, "action"),
        ("manage_index", {"action": "status", "depth": 1}, "depth"),
        ("search_codebase", {}, "query"),
        ("search_codebase", {"query": "alpha", "engine": 1}, "engine"),
        ("search_codebase", {"query": ""}, ""),
        ("search_codebase", {"query": "alpha", "limit": 0}, "limit"),
        ("search_codebase", {"query": "alpha", "languages": ["klingon"]}, "klingon"),
        ("search_codebase", {"query": "alpha", "path": "relative"}, "relative"),
        ("get_symbol", {"nom": "alpha"}, "name"),
        ("get_symbol", {"name": "alpha", "include_globs": ["[a"]}, "[a"),
        ("list_paths", {"max_results": -1}, "limit"),
        ("file_outline", {"file": "../outside.py"}, "../outside.py"),
        ("file_outline", {"file": ""}, "file"),
        ("read_file", {"path": "sub/a.py"}, "sub/a.py"),
        ("read_file", {"path": "/a\0b"}, "NUL"),
    ],
)
def test_what_cannot_be_right_is_an_error_with_a_problem(
    engine: Engine, root: str, tool: str, arguments: dict[str, Any], named: str
) -> None:
    kept = situations.remembered(engine)
    asked = {"path": root, **arguments}
    envelope = tools.call(engine, tool, asked)
    assert json.loads(json.dumps(envelope)) == envelope
    assert named in envelope["message"]
    assert envelope == {
        "status": "error",
        "reason": "bad_input",
        "message": envelope["message"],
        "path": asked["path"],
        "problem": {
            "type": "urn:clew:problem:bad_input",
            "title": "bad input",
            "status": 400,
            "detail": envelope["message"],
        },
        **EMPTY.get(tool, {}),
    }
    assert situations.remembered(engine) == kept


def test_the_list_takes_no_arguments(engine: Engine, root: str) -> None:
    envelope = tools.call(engine, "list_codebases", {"path": root})
    assert (envelope["status"], envelope["reason"], envelope["codebases"]) == ("error", "bad_input", [])


def test_a_file_of_another_codebase_is_not_reached_through_this_one(engine: Engine, root: str, tmp_path: Path) -> None:
    situations.make_root(engine, tmp_path / "other")
    envelope = tools.call(engine, "file_outline", {"file": f"../other/{FILE}", "path": root})
    assert (envelope["status"], envelope["reason"]) == ("error", "bad_input")


def test_a_current_directory_that_is_gone_is_an_envelope_too(
    engine: Engine, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert tools.call(engine, "list_codebases", {})["codebases"][0]["root"] == root
    assert ask(engine, "search_codebase", root)["status"] == "ok"
    for tool, arguments in (
        ("search_codebase", {"query": "alpha"}),
        ("list_paths", {}),
        ("manage_index", {"action": "status"}),
        ("nonsense", {}),
    ):
        envelope = tools.call(engine, tool, arguments)
        assert (envelope["status"], envelope["reason"]) == ("error", "bad_input"), tool


def test_without_a_path_the_current_directory_is_asked(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(f"{root}/sub")
    envelope = tools.call(engine, "search_codebase", {"query": "alpha"})
    assert (envelope["status"], envelope["path"], envelope["codebaseRoot"]) == ("ok", f"{root}/sub", root)
    situations.put_marker(engine, root, None)
    envelope = tools.call(engine, "search_codebase", {"query": "alpha"})
    assert (envelope["status"], envelope["path"], envelope["codebaseRoot"]) == ("not_indexed", f"{root}/sub", root)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_codebase", {"query": 5}),
        ("search_codebase", {"query": "a", "path": 5}),
        ("search_codebase", {"query": "a", "limit": "x"}),
        ("search_codebase", {"query": "a", "limit": True}),
        ("search_codebase", {"query": "a", "include_globs": "*.py"}),
        ("search_codebase", {"query": "a", "include_globs": [5]}),
        ("search_codebase", {"query": "a", "view": "pages"}),
        ("list_paths", {"max_results": "1"}),
        ("read_file", {"start_line": "1"}),
        ("get_symbol", {"name": 5}),
        ("file_outline", {"file": 5}),
        ("manage_index", {"action": "create", "force": "no"}),
    ],
)
def test_an_argument_of_the_wrong_type_is_bad_input(
    engine: Engine, root: str, tool: str, arguments: dict[str, Any]
) -> None:
    place = f"{root}/{FILE}" if tool == "read_file" else root
    envelope = tools.call(engine, tool, {"path": place, **arguments})
    assert (envelope["status"], envelope["reason"]) == ("error", "bad_input")
    assert envelope["problem"]["status"] == 400


def test_failures_of_a_run_are_told_by_name() -> None:
    stats = RunStats(files=1, failed=1, failures=[Diagnostic("a.py", "failed", "why")])
    told = json.loads(json.dumps(envelopes.run("/here", "/here", "index", stats, known=False)))
    assert told["failures"] == [{"path": "a.py", "reason": "failed", "detail": "why"}]
