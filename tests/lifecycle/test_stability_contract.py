"""A codebase does not flap between indexed and not indexed. Groups and cycles are named as in the plan for it.

What the plan calls the cloud is here the store: the probe of its marker can fail, or all of it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import apsw
import pytest

from clew import Engine
from clew.errors import StoreError
from clew.index import runs
from clew.lifecycle import proof, removal
from clew.serve import gates, tools
from clew.store import codebases, database
from clew.store.registry import Registry
from clew.store.store import Store
from clew.types import FileContent
from tests.conftest import make_engine, write_tree
from tests.lifecycle import situations
from tests.lifecycle.situations import FILES, GATED, READS, STALE, UNREACHABLE, Envelope, ask, indexing, manage
from tests.serve.command import clew

NOTE = "Local snapshot claims indexed, but completion proof is missing/invalid; treating as not_indexed for create."
DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "contract.md"
Arrange = Callable[[Engine, str, pytest.MonkeyPatch], None]


def leave_alone(*_: object) -> None:
    """For a codebase that is well."""


def stale(reason: str) -> Arrange:
    """An index that is claimed, with a marker that proves nothing, for this reason."""

    def arrange(engine: Engine, root: str, *_: object) -> None:
        situations.change_marker(engine, root, STALE[reason])

    return arrange


STANDINGS: dict[str, Arrange] = {
    "indexed": leave_alone,
    "interrupted": lambda engine, root, _: situations.interrupt(engine, root),
    "failed": lambda engine, root, _: situations.fail(engine, root),
    "mismatched": lambda _engine, _root, patch: situations.another_version(patch),
    "unreachable": lambda _engine, _root, patch: situations.failing_probe(patch),
    **{reason: stale(reason) for reason in STALE},
}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine that looks at a tree once; what an answer writes after that is no sync."""
    made = make_engine(tmp_path / "clew-home", recheck_ms=3_600_000)
    yield made
    made.close()


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    made = situations.make_root(engine, tmp_path / "tree")
    assert engine.ensure_freshness(made).decision in ("fresh", "synced")
    return made


@pytest.fixture
def home_engine() -> Iterator[Engine]:
    """An engine on the home that the command line uses."""
    made = make_engine(Path(os.environ["CLEW_HOME"]))
    yield made
    made.close()


def listed(engine: Engine) -> list[Envelope]:
    rows: list[Envelope] = tools.call(engine, "list_codebases", {})["codebases"]
    return rows


def judged(engine: Engine, root: str) -> tuple[str, str | None]:
    connection = engine.resolve(root).store.connection()
    row = codebases.find_codebase(connection, root)
    assert row is not None
    found = proof.validate(connection, row)
    return found.outcome, found.reason


def lasting(envelope: Envelope) -> Envelope:
    """An envelope without what differs from one moment to the next."""
    freshness = {key: value for key, value in envelope.get("freshness", {}).items() if key != "checked_at"}
    return {**envelope, "freshness": freshness}


def spied(patch: pytest.MonkeyPatch) -> list[str]:
    """The calls of everything that can change what is remembered of a codebase, as they come."""
    calls: list[str] = []

    def spy(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def called(*arguments: Any, **more: Any) -> Any:
            calls.append(name)
            return real(*arguments, **more)

        patch.setattr(owner, name, called)

    for owner, names in (
        (Store, ("write", "exclusive")),
        (Registry, ("add", "note", "remove")),
        (removal, ("clear",)),
        (runs, ("begin_create", "begin_sync", "begin_repair", "sync", "sweep")),
    ):
        for name in names:
            spy(owner, name)
    return calls


# -- A: foreground requests reconcile nothing --------------------------------------------------------


@pytest.mark.parametrize("standing", STANDINGS)
def test_group_a_foreground_requests_call_nothing_that_reconciles(
    engine: Engine, root: str, standing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    STANDINGS[standing](engine, root, monkeypatch)
    calls = spied(monkeypatch)
    for tool in READS:
        for place in (root, f"{root}/sub"):
            assert ask(engine, tool, root, place)["status"]
    assert calls == []
    manage(engine, "create", root, force=True)
    assert {"begin_create", "write", "note"} <= set(calls), "the spies see what an action does"


def test_group_a_a_request_about_an_unknown_tree_leaves_no_trace(tmp_path: Path) -> None:
    never = str(write_tree(tmp_path / "never", FILES))
    fresh = make_engine(tmp_path / "no-home-yet")
    for tool in READS:
        ask(fresh, tool, never)
    fresh.close()
    assert not (tmp_path / "no-home-yet").exists()
    assert sorted(os.listdir(never)) == sorted({name.split("/")[0] for name in FILES})


# -- B: create repairs a claim without proof ---------------------------------------------------------


@pytest.mark.parametrize("reason", STALE)
def test_group_b_create_repairs_an_index_without_proof_and_says_so(engine: Engine, root: str, reason: str) -> None:
    situations.change_marker(engine, root, STALE[reason])
    envelope = manage(engine, "create", root)
    assert (envelope["status"], envelope["already_indexed"], envelope["operation"]) == ("ok", False, "create")
    assert envelope["job_id"] == engine.jobs(root)[0].id
    assert envelope["warnings"] == [{"code": "STALE_LOCAL", "message": NOTE}]
    assert judged(engine, root) == ("valid", None)
    assert ask(engine, "search_codebase", root)["results"]
    assert manage(engine, "create", root)["already_indexed"] is True


@pytest.mark.parametrize("error", UNREACHABLE)
def test_group_b_create_proceeds_where_the_proof_cannot_be_looked_at(
    engine: Engine, root: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a proof that is valid makes an index one that exists already."""
    with monkeypatch.context() as patch:
        situations.failing_probe(patch, error)
        envelope = manage(engine, "create", root)
    assert (envelope["status"], envelope["already_indexed"]) == ("ok", False)
    assert envelope["job_id"] is not None
    assert judged(engine, root) == ("valid", None)
    assert engine.jobs(root)[0].state == "completed"


# -- C: status says what is wrong --------------------------------------------------------------------


@pytest.mark.parametrize("reason", STALE)
def test_group_c_status_warns_of_an_index_without_proof_and_names_the_cure(
    engine: Engine, root: str, reason: str
) -> None:
    situations.change_marker(engine, root, STALE[reason])
    envelope = ask(engine, "manage_index", root)
    assert (envelope["status"], envelope["state"], envelope["proof"]) == ("ok", "indexed", reason)
    [warning] = envelope["warnings"]
    assert warning["code"] == "STALE_LOCAL"
    assert "claims to be indexed" in warning["message"] and f"`clew index {root}`" in warning["message"]
    create = {"tool": "manage_index", "args": {"action": "create", "path": root}}
    assert envelope["hints"]["create"] == create
    assert envelope["hints"]["staleLocal"] == {"completionProof": reason, "recommendedAction": create}
    assert envelope["fingerprint"] == proof.fingerprint() and envelope["counts"]["files"] == len(FILES)


def test_group_c_status_of_a_mismatch_names_the_reindex(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    situations.another_version(monkeypatch)
    envelope = ask(engine, "manage_index", root)
    assert (envelope["state"], envelope["proof"]) == ("indexed", "fingerprint_mismatch")
    assert [warning["code"] for warning in envelope["warnings"]] == ["REQUIRES_REINDEX"]
    assert envelope["hints"]["reindex"]["args"] == {"action": "reindex", "path": root}
    assert "staleLocal" not in envelope["hints"]


def test_group_c_status_of_a_failed_probe_is_a_note_and_no_other_class(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(engine, "manage_index", root)
    situations.failing_probe(monkeypatch)
    assert ask(engine, "manage_index", root) == {**before, "proof": "probe_failed"}


# -- D: the list is stable ---------------------------------------------------------------------------


def test_group_d_a_repeated_list_is_the_same_to_the_byte(engine: Engine, root: str, tmp_path: Path) -> None:
    for name in ("zeta", "apps-legacy", "apps"):
        situations.make_root(engine, tmp_path / name)
    situations.put_marker(engine, str(tmp_path / "zeta"), None)
    situations.interrupt(engine, str(tmp_path / "apps"))
    seen = {json.dumps(ask(engine, "list_codebases", root))}
    for tool in READS:
        ask(engine, tool, root)
        seen.add(json.dumps(ask(engine, "list_codebases", root)))
    other = make_engine(engine.config.home)
    seen.add(json.dumps(ask(other, "list_codebases", root)))
    other.close()
    assert len(seen) == 1
    assert [row["root"] for row in listed(engine)] == sorted(row["root"] for row in listed(engine))
    assert len(listed(engine)) == 4


@pytest.mark.parametrize("standing", STANDINGS)
def test_group_d_no_codebase_leaves_the_list_or_its_bucket_when_probes_fail(
    engine: Engine, root: str, tmp_path: Path, standing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that is claimed stays where its recorded state puts it; the others stay where they are."""
    situations.make_root(engine, tmp_path / "other")
    STANDINGS[standing](engine, root, monkeypatch)
    before = listed(engine)
    for error in UNREACHABLE:
        with monkeypatch.context() as patch:
            situations.failing_probe(patch, error)
            during = listed(engine)
        assert [(row["root"], row["state"], row["files"]) for row in during] == [
            (row["root"], row["state"], row["files"]) for row in before
        ]
        for old, new in zip(before, during, strict=True):
            claimed = old["state"] in ("indexed", "sync_completed")
            assert new["bucket"] == ("Ready" if claimed else old["bucket"])
        assert listed(engine) == before


def test_group_d_no_codebase_leaves_the_list_when_its_store_fails(
    engine: Engine, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = situations.make_root(engine, tmp_path / "other")
    situations.fail(engine, other)
    engine.catalog.registry.note(other, "indexfailed", 0, 0)
    before = listed(engine)
    for _ in range(3):
        with monkeypatch.context() as patch:
            situations.failing_store(patch)
            during = listed(engine)
            assert listed(engine) == during
        assert [(row["root"], row["bucket"]) for row in during] == [(row["root"], row["bucket"]) for row in before]
        assert {row["proof"] for row in during} == {"probe_failed"}
        assert [row for row in during if row["root"] == root] == [{**before[1], "proof": "probe_failed"}]
        assert listed(engine) == before


# -- E: the adversarial store ------------------------------------------------------------------------


def test_group_e_a_store_that_fails_for_a_while_costs_nothing_that_was_known(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {tool: lasting(ask(engine, tool, root)) for tool in READS}
    kept = situations.remembered(engine)
    for _ in range(3):
        with monkeypatch.context() as patch:
            situations.failing_store(patch)
            for tool in (*GATED, "manage_index"):
                envelope = ask(engine, tool, root)
                assert (envelope["status"], envelope["reason"]) == ("error", "store_error")
                assert envelope["problem"]["status"] == 503
            assert [row["root"] for row in listed(engine)] == [root]
        assert {tool: lasting(ask(engine, tool, root)) for tool in READS} == before
        assert situations.remembered(engine) == kept


def test_group_e_a_store_that_another_program_has_locked(
    home_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real thing: SQLite refuses, after its patience is over."""
    root = situations.make_root(home_engine, tmp_path / "tree")
    before, kept = listed(home_engine), situations.remembered(home_engine)
    path = home_engine.resolve(root).store.database
    home_engine.catalog.close()
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 20)
    other = apsw.Connection(str(path))
    other.pragma("locking_mode", "EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    try:
        for _ in range(2):
            during = listed(home_engine)
            assert during == [{**before[0], "proof": "probe_failed"}]
            found = ask(home_engine, "search_codebase", root)
            assert (found["status"], found["reason"], found["results"]) == ("error", "store_error", [])
            ran = clew("status", root, "--json")
            assert (ran.code, ran.envelope["reason"]) == (4, "store_error")
            assert clew("list", "--json").envelope["codebases"] == during
    finally:
        other.close()
    assert listed(home_engine) == before
    assert situations.remembered(home_engine) == kept
    assert ask(home_engine, "search_codebase", root)["results"]


def test_group_e_a_store_that_is_not_there_for_a_while_is_not_made_anew(engine: Engine, root: str) -> None:
    """As with a disk that is mounted late: reads must not put an empty store in its place."""
    before = listed(engine)
    directory = engine.resolve(root).store.directory
    away = directory.with_name("away")
    engine.catalog.close()
    directory.rename(away)
    for _ in range(2):
        for tool in READS:
            ask(engine, tool, root)
        assert [row["root"] for row in listed(engine)] == [root]
        assert not directory.exists()
    away.rename(directory)
    assert listed(engine) == before
    assert ask(engine, "search_codebase", root)["results"]


# -- F: an index without proof changes nothing and is not tried again --------------------------------


@pytest.mark.parametrize("tool", GATED)
@pytest.mark.parametrize("reason", STALE)
def test_group_f_an_index_without_proof_is_one_envelope_and_no_change(
    engine: Engine, root: str, tool: str, reason: str
) -> None:
    situations.change_marker(engine, root, STALE[reason])
    kept = situations.remembered(engine)
    first, second = ask(engine, tool, root), ask(engine, tool, root)
    assert json.dumps(first) == json.dumps(second)
    assert first["status"] == first["reason"] == "not_indexed"
    assert first["hints"]["staleLocal"]["completionProof"] == reason
    assert "problem" not in first
    assert situations.remembered(engine) == kept


@pytest.mark.parametrize("reason", STALE)
def test_group_f_the_command_line_asks_once_and_prints_the_envelope(
    home_engine: Engine, tmp_path: Path, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that answered, whatever it answered, is not asked again; nor is the tree indexed on the way."""
    root = situations.make_root(home_engine, tmp_path / "tree")
    situations.change_marker(home_engine, root, STALE[reason])
    kept = situations.remembered(home_engine)
    asked: list[str] = []
    answer = tools.answer

    def counted(engine: Engine, tool: str, arguments: dict[str, Any]) -> Envelope:
        asked.append(tool)
        return answer(engine, tool, arguments)

    monkeypatch.setattr(tools, "answer", counted)
    for command, tool in (
        (("search", "alpha", root), "search_codebase"),
        (("symbol", "alpha", root), "get_symbol"),
        (("outline", f"{root}/sub/a.py"), "file_outline"),
        (("read", f"{root}/sub/a.py"), "read_file"),
    ):
        asked.clear()
        ran = clew(*command, "--json")
        assert (ran.code, ran.err, asked) == (3, "", [tool])
        assert ran.envelope["status"] == "not_indexed"
        assert ran.envelope["hints"]["staleLocal"]["completionProof"] == reason
    assert situations.remembered(home_engine) == kept


# -- G: probes that fail, mismatches, empty answers --------------------------------------------------


@pytest.mark.parametrize("error", UNREACHABLE)
@pytest.mark.parametrize("tool", GATED)
def test_group_g_a_failed_probe_alone_does_not_make_an_index_not_indexed(
    engine: Engine, root: str, tool: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = lasting(ask(engine, tool, root))
    situations.failing_probe(monkeypatch, error)
    assert judged(engine, root) == ("probe_failed", "probe_failed")
    assert before["status"] == "ok" and lasting(ask(engine, tool, root)) == before


@pytest.mark.parametrize("tool", GATED)
def test_group_g_a_mismatch_is_requires_reindex_and_not_not_indexed(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    situations.another_version(monkeypatch)
    kept = situations.remembered(engine)
    assert judged(engine, root) == ("fingerprint_mismatch", "fingerprint_mismatch")
    envelope = ask(engine, tool, root)
    assert envelope["status"] == envelope["reason"] == "requires_reindex"
    assert "create" not in envelope["hints"] and "staleLocal" not in envelope["hints"]
    assert situations.remembered(engine) == kept, "a read that finds a mismatch persists nothing"


@pytest.mark.parametrize("tool", GATED)
def test_group_g_a_probe_that_finds_nothing_is_stale_local_and_not_failed(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "read_marker", lambda *_: None)
    assert judged(engine, root) == ("stale_local", "missing_marker_doc")
    envelope = ask(engine, tool, root)
    assert envelope["status"] == "not_indexed"
    assert envelope["hints"]["staleLocal"]["completionProof"] == "missing_marker_doc"


# -- cycle 1: the validator --------------------------------------------------------------------------


@pytest.mark.parametrize("reason", STALE)
def test_cycle_1_the_validator_names_what_is_wrong(engine: Engine, root: str, reason: str) -> None:
    assert judged(engine, root) == ("valid", None)
    situations.change_marker(engine, root, STALE[reason])
    assert judged(engine, root) == ("stale_local", reason)


@pytest.mark.parametrize("key", sorted(proof.fingerprint()))
def test_cycle_1_every_part_of_the_fingerprint_counts(engine: Engine, root: str, key: str) -> None:
    situations.change_marker(engine, root, lambda m: {**m, "fingerprint": {**m["fingerprint"], key: "another"}})
    assert judged(engine, root) == ("fingerprint_mismatch", "fingerprint_mismatch")


@pytest.mark.parametrize("error", UNREACHABLE)
def test_cycle_1_a_probe_that_cannot_be_made(
    engine: Engine, root: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    situations.failing_probe(monkeypatch, error)
    assert judged(engine, root) == ("probe_failed", "probe_failed")


@pytest.mark.parametrize("text", ["CAST(x'ff' AS TEXT)", "x'ff'", "5", "''", f"'{'[' * 100_000}'", "'{}'", "'\"x\"'"])
def test_cycle_1_no_text_in_the_place_of_a_marker_is_believed_or_breaks_anything(
    engine: Engine, root: str, text: str
) -> None:
    engine.resolve(root).store.connection().execute(f"UPDATE chunk SET marker = {text} WHERE id < 0")
    assert judged(engine, root)[0] == "stale_local"
    assert {ask(engine, tool, root)["status"] for tool in GATED} == {"not_indexed"}
    assert manage(engine, "create", root)["warnings"][0]["message"] == NOTE
    assert judged(engine, root) == ("valid", None)


def test_cycle_1_the_marker_has_the_canonical_root(engine: Engine, tmp_path: Path) -> None:
    root = str(write_tree(tmp_path / "real", FILES))
    (tmp_path / "link").symlink_to(root)
    engine.index(f"{tmp_path}/link/")
    marker = situations.read_marker(engine, root)
    assert marker is not None and marker["codebasePath"] == root
    assert judged(engine, root) == ("valid", None)
    assert ask(engine, "search_codebase", f"{tmp_path}/link/.")["codebaseRoot"] == root


# -- cycle 2: reads change nothing -------------------------------------------------------------------


@pytest.mark.parametrize("standing", STANDINGS)
def test_cycle_2_no_read_changes_a_row_however_the_codebase_stands(
    engine: Engine, root: str, standing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    STANDINGS[standing](engine, root, monkeypatch)
    kept = situations.remembered(engine)
    for _ in range(2):
        for tool in READS:
            first = lasting(ask(engine, tool, root))
            assert lasting(ask(engine, tool, root)) == first
    assert situations.remembered(engine) == kept


def test_cycle_2_no_read_changes_a_row_while_a_run_is_at_work(engine: Engine, root: str) -> None:
    with indexing(engine, root):
        kept = situations.remembered(engine)
        for tool in READS:
            ask(engine, tool, root)
        assert situations.remembered(engine) == kept


# -- cycle 3: create and what is claimed -------------------------------------------------------------


@pytest.mark.parametrize("reason", STALE)
def test_cycle_3_already_indexed_needs_a_proof(engine: Engine, root: str, reason: str) -> None:
    kept = situations.remembered(engine)
    assert manage(engine, "create", root)["already_indexed"] is True
    assert situations.remembered(engine) == kept
    situations.change_marker(engine, root, STALE[reason])
    assert manage(engine, "create", f"{root}/sub")["already_indexed"] is False
    assert manage(engine, "create", root)["already_indexed"] is True


@pytest.mark.parametrize("standing", ["interrupted", "failed", "mismatched"])
def test_cycle_3_create_needs_no_force_where_nothing_is_proven(
    engine: Engine, root: str, standing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    STANDINGS[standing](engine, root, monkeypatch)
    envelope = manage(engine, "create", root)
    assert (envelope["status"], envelope["already_indexed"], envelope["warnings"]) == ("ok", False, [])
    assert judged(engine, root) == ("valid", None)
    assert ask(engine, "search_codebase", root)["results"]


@pytest.mark.parametrize("death", ["none", "before the work", "failed"])
def test_cycle_3_create_takes_nothing_over_that_another_version_made(
    engine: Engine, root: str, death: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts of another fingerprint must not get the marker of this one; nor after runs that died on the way."""
    if death == "failed":
        situations.fail(engine, root)
    situations.another_version(monkeypatch)
    for _ in range(2 if death == "before the work" else 0):
        run = runs.begin_create(situations.target(engine, root))
        run.held.close()
    assert manage(engine, "create", root)["status"] == "ok"
    last = engine.jobs(root)[0]
    assert (last.state, last.stats["parsed"], last.stats["added"]) == ("completed", len(FILES), len(FILES))
    assert judged(engine, root) == ("valid", None)


# -- cycle 4: a store that comes and goes ------------------------------------------------------------


def test_cycle_4_create_status_search_and_list_do_not_flap_when_the_store_does(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = situations.remembered(engine)
    statuses: dict[str, set[str]] = {}
    for turn in range(8):
        with monkeypatch.context() as patch:
            if turn % 2:
                situations.failing_store(patch)
            for name, envelope in (
                ("create", tools.call(engine, "manage_index", {"action": "create", "path": root})),
                ("status", ask(engine, "manage_index", root)),
                ("search", ask(engine, "search_codebase", root)),
                ("list", ask(engine, "list_codebases", root)),
            ):
                statuses.setdefault(name, set()).add(envelope["status"])
                assert envelope.get("reason") in (None, "store_error")
            assert [(row["root"], row["bucket"]) for row in listed(engine)] == [(root, "Ready")]
    assert statuses == {
        "create": {"ok", "error"}, "status": {"ok", "error"}, "search": {"ok", "error"}, "list": {"ok"},
    }  # fmt: skip
    assert situations.remembered(engine) == kept


def test_cycle_4_a_store_that_fails_between_two_steps_of_one_answer(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever use of the store is the one that fails: an error or the answer, never another state."""
    kept = situations.remembered(engine)
    connection = Store.connection
    for good in range(12):
        left = good

        def sometimes(store: Store) -> apsw.Connection:
            nonlocal left
            left -= 1
            if left < 0:
                raise StoreError("played")
            return connection(store)

        with monkeypatch.context() as patch:
            patch.setattr(Store, "connection", sometimes)
            envelope = ask(engine, "search_codebase", root)
        assert envelope["status"] == "ok" or envelope["reason"] == "store_error", good
    assert envelope["status"] == "ok"
    assert situations.remembered(engine) == kept


# -- cycle 4b: a probe that comes and goes -----------------------------------------------------------


@pytest.mark.parametrize("tool", GATED)
def test_cycle_4b_a_probe_that_fails_now_and_then_changes_no_answer(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    real = codebases.read_marker

    def every_other(connection: apsw.Connection, codebase: int) -> str | None:
        nonlocal looks
        looks += 1
        if looks % 2:
            raise apsw.BusyError("played")
        return real(connection, codebase)

    monkeypatch.setattr(proof, "read_marker", every_other)
    seen = {json.dumps(lasting(ask(engine, tool, root))) for _ in range(7)}
    assert looks >= 7 and len(seen) == 1
    assert json.loads(seen.pop())["status"] == "ok"


@pytest.mark.parametrize("standing", ["interrupted", "failed"])
@pytest.mark.parametrize("tool", GATED)
def test_cycle_4b_a_failed_probe_never_upgrades(
    engine: Engine, root: str, tool: str, standing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    STANDINGS[standing](engine, root, monkeypatch)
    before = ask(engine, tool, root)
    assert before["status"] in ("error", "not_indexed")
    situations.failing_probe(monkeypatch)
    assert ask(engine, tool, root) == before


def test_cycle_4b_a_failed_probe_changes_no_other_gate(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexing(engine, root), monkeypatch.context() as patch:
        situations.failing_probe(patch)
        assert ask(engine, "search_codebase", root)["status"] == "not_ready"
        assert ask(engine, "list_codebases", root)["codebases"][0]["bucket"] == "Indexing"
        situations.another_version(patch)
        assert ask(engine, "search_codebase", root)["status"] == "requires_reindex"
        assert ask(engine, "list_codebases", root)["codebases"][0]["bucket"] == "Requires Reindex"


@pytest.mark.parametrize("tool", GATED)
def test_cycle_4b_the_diagnosis_is_for_those_who_debug(
    engine: Engine, root: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    debugging = make_engine(engine.config.home, debug=1)
    assert "hints" not in ask(debugging, tool, root)
    situations.failing_probe(monkeypatch)
    assert ask(debugging, tool, root)["hints"] == {"debugProofCheck": {"ok": False, "reason": "probe_failed"}}
    assert "hints" not in ask(engine, tool, root)
    debugging.close()


# -- cycle 5: the document says the same -------------------------------------------------------------


def test_cycle_5_the_document_names_every_outcome_reason_and_gate() -> None:
    text = DOCUMENT.read_text("utf-8")
    named = [*get_args(proof.Outcome), *get_args(proof.Reason), "staleLocal", "completionProof", "recommendedAction"]
    named += ["requires_reindex", "not_ready", "not_indexed", "interrupted", "codebaseRoot", "retryAfterMs", proof.KIND]
    named += [*proof.fingerprint(), *gates.indexing(None)]
    assert [name for name in named if f"`{name}`" not in text and f".{name}`" not in text] == []


def test_cycle_5_the_document_has_the_precedence_of_the_gate() -> None:
    text = DOCUMENT.read_text("utf-8")
    section = re.search(r"^\*\*Gates\.\*\*.*?(?=^\*\*)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", section[0], re.MULTILINE)
    assert [row for row in rows if row[1] != "interrupted"] == [
        ("requires_reindex", "requires_reindex"),
        ("not_ready", "indexing"),
        ("not_indexed", "not_indexed"),
    ]
    assert re.search(r"[Tt]he first that (fits|applies)", section[0]), "the order of the table is the precedence"
    assert "`hints.staleLocal`" in section[0]


def test_cycle_5_the_document_says_that_reads_change_nothing() -> None:
    """Anchors, not sentences: reads change nothing, and nothing is said to be pruned on the way."""
    text = re.sub(r"\s+", " ", DOCUMENT.read_text("utf-8"))
    assert re.search(r"[Rr]eads (change nothing|never delete)", text)
    assert not re.search(r"\b(prunes?|pruned|reconciles?|reconciled|reconciliation)\b", text)


def test_contents_of_another_version_are_not_certified(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: old entries stayed under a new marker."""
    engine.index_content("p", [FileContent("old.py", b"def old(): pass\n")])
    situations.another_version(monkeypatch)
    engine.index_content("p", [FileContent("new.py", b"def new(): pass\n")])
    assert not engine.symbol("old", "project:p").symbols
    assert engine.symbol("new", "project:p").symbols


def test_a_clear_that_failed_certifies_nothing(engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: a reindex that failed before it dropped the old facts left them to the next create."""
    situations.another_version(monkeypatch)

    def refuse(*_: object) -> None:
        raise StoreError("played")

    with monkeypatch.context() as patch, pytest.raises(StoreError):
        patch.setattr(runs.Run, "clear", refuse)
        engine.index(root)
    assert engine.index(root).parsed == len(FILES)
