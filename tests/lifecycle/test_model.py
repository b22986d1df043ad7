"""The state machine of a codebase against a model in plain words, with two processes at it.

Two engines on one `CLEW_HOME` begin, finish, fail, stop and die, ask, sync, damage and clear in any order. The model
says after each step what is recorded, who holds the lock, what each job came to and what every tool must answer.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from clew import Engine
from clew.errors import Busy, ClewError, Gated, Interrupted, NotIndexed, RequiresReindex, Stopped
from clew.index import contents, runs
from clew.index.runs import Run, Target
from clew.lifecycle import gate, lock
from clew.lifecycle.gate import Standing
from clew.lifecycle.proof import Proof
from clew.serve import tools
from clew.store import codebases
from clew.types import FileContent, Progress
from tests.conftest import make_engine, write_tree
from tests.lifecycle.test_states import ALLOWED

SEARCHABLE = ("indexed", "sync_completed")
MAKING = ("create", "reindex")
GATES: dict[str, tuple[str, str, type[Gated]]] = {  # verdict: status, reason, error
    "requires_reindex": ("requires_reindex", "requires_reindex", RequiresReindex),
    "not_ready": ("not_ready", "indexing", Busy),
    "interrupted": ("error", "interrupted", Interrupted),
    "not_indexed": ("not_indexed", "not_indexed", NotIndexed),
}
PROOFS = {
    "absent": "missing_marker_doc",
    "valid": "valid",
    "kind": "invalid_marker_kind",
    "path": "path_mismatch",
    "counts": "invalid_payload",
    "fingerprint": "fingerprint_mismatch",
}
DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "kind": lambda marker: marker.update(kind="something_else"),
    "path": lambda marker: marker.update(codebasePath="/elsewhere"),
    "counts": lambda marker: marker.update(indexedFiles=-1),
    "fingerprint": lambda marker: marker["fingerprint"].update(schemaVersion=-1),
}
QUESTIONS = ("search_codebase", "get_symbol", "file_outline", "read_file", "list_paths")
actors, phases = st.sampled_from((0, 1)), st.sampled_from(("first", "flip"))


@dataclass
class Doing:
    """A job as the model knows it; one without an end that holds no lock was interrupted."""

    id: str
    action: str
    resumes: str | None = None
    ended: str = ""


@dataclass
class Model:
    """A codebase in plain words."""

    is_known: bool = False  # to the registry
    state: str = "not_found"
    marker: str = "absent"
    is_dirty: bool = False  # the tree has what the index has not
    maker: Doing | None = None  # whose run made the state what it is
    holder: Doing | None = None
    jobs: list[Doing] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        if self.state == "requires_reindex" or (self.state in SEARCHABLE and self.marker == "fingerprint"):
            return "requires_reindex"
        if self.state == "indexing":
            return "not_ready" if self.is_making else "interrupted"
        return "ok" if self.state in SEARCHABLE and self.marker == "valid" else "not_indexed"

    @property
    def is_making(self) -> bool:
        """Whether the run that holds the lock is the one that the state speaks of."""
        return self.state == "indexing" and self.holder is not None and self.holder is self.maker

    def move(self, state: str) -> None:
        self.steps.append((self.state, state))
        self.state = state

    def make(self, job: Doing) -> None:
        """A create or reindex begins: what was proven is proven no more."""
        self.is_known = True
        self.hold(job)
        self.maker, self.marker = job, "absent"
        self.move("indexing")

    def hold(self, job: Doing) -> None:
        self.jobs.insert(0, job)
        self.holder = job

    def let_go(self, ended: str = "") -> None:
        assert self.holder is not None
        self.holder.ended = ended
        self.holder = None

    def complete(self) -> None:
        assert self.holder is not None
        if self.is_making:
            self.move("indexed")
            self.marker, self.is_dirty = "valid", False
        elif self.holder.action != "repair":
            self.bring_in()
        self.let_go("completed")

    def bring_in(self) -> bool:
        """A sync; whether there was anything to do."""
        was_dirty, self.is_dirty = self.is_dirty, False
        if was_dirty:
            self.move("sync_completed")
        return was_dirty

    def reaches(self, phase: str) -> bool:
        """Whether the run that holds the lock would come to this phase."""
        assert self.holder is not None
        return phase == "first" or self.is_making or (self.holder.action != "repair" and self.is_dirty)


class Codebase(RuleBasedStateMachine):
    """Two engines, one tree, one model."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="clew-model-")))
        self.path = write_tree(self.folder / "tree", {"a.py": "def alpha(): pass\n", "b.py": "def beta(): pass\n"})
        self.root = str(self.path)
        self.engines = [make_engine(self.folder / "home") for _ in range(2)]
        self.model = Model()
        self.run: Run | None = None
        self.edits = 0

    def teardown(self) -> None:
        if self.run is not None:
            self.run.held.close()
        for engine in self.engines:
            engine.close()
        shutil.rmtree(self.folder)

    @initialize(is_indexed=st.booleans())
    def start(self, is_indexed: bool) -> None:
        if is_indexed:
            self.manage(0, "create", force=False)

    # -- runs that begin, and how they end ------------------------------------------------------------

    @rule(actor=actors)
    def begin_create(self, actor: int) -> None:
        self.begin_making(actor, force=False)

    @rule(actor=actors)
    def begin_reindex(self, actor: int) -> None:
        self.begin_making(actor, force=True)

    def begin_making(self, actor: int, *, force: bool) -> None:
        target = self.target(actor)
        if self.model.holder is not None:
            return self.refused(Busy, lambda: runs.begin_create(target, force=force, wait_s=0))
        before = self.made_job("?", force=force)
        self.run = runs.begin_create(target, force=force, wait_s=0)
        job = replace(before, id=self.run.job.id)
        assert (self.run.job.action, self.run.job.resumes) == (job.action, job.resumes)
        claims_too_much = self.model.state in SEARCHABLE and self.model.verdict == "not_indexed"
        assert bool(self.run.notes) is claims_too_much
        if self.model.verdict == "ok" and not force:
            self.model.hold(job)  # it was made since this run was asked for: nothing to do but a sync
        else:
            self.model.make(job)
        return None

    def made_job(self, job: str, *, force: bool) -> Doing:
        """A create or reindex as it would begin now. One that another version's index needs starts from nothing."""
        left = self.model.maker if self.model.state == "indexing" else None
        is_anew = force or self.model.verdict == "requires_reindex" or (left is not None and left.action == "reindex")
        return Doing(job, "reindex" if is_anew else "create", left.id if left else None)

    @rule(actor=actors)
    def begin_sync(self, actor: int) -> None:
        if not self.model.is_known:
            return
        target, verdict = self.target(actor), self.model.verdict
        if verdict != "ok":
            self.refused(GATES[verdict][2], lambda: runs.begin_sync(target, wait_s=0))
            if verdict == "requires_reindex" and self.model.state in SEARCHABLE and self.model.holder is None:
                self.model.move("requires_reindex")
        elif self.model.holder is not None:
            self.refused(Busy, lambda: runs.begin_sync(target, wait_s=0))
        else:
            self.run = runs.begin_sync(target, wait_s=0)
            self.model.hold(Doing(self.run.job.id, "sync"))

    @rule(actor=actors)
    def begin_repair(self, actor: int) -> None:
        if not self.model.is_known:
            return
        target = self.target(actor)
        if self.model.holder is not None:
            self.refused(Busy, lambda: runs.begin_repair(target, wait_s=0))
        else:
            self.run = runs.begin_repair(target, wait_s=0)
            self.model.hold(Doing(self.run.job.id, "repair"))

    @precondition(lambda self: self.run is not None)
    @rule()
    def finish(self) -> None:
        self.taken_run().work(lambda _: None)
        self.model.complete()

    @precondition(lambda self: self.run is not None)
    @rule()
    def die(self) -> None:
        self.taken_run().held.close()
        self.model.let_go()

    @precondition(lambda self: self.run is not None)
    @rule(phase=phases)
    def stop(self, phase: str) -> None:
        if self.broken_off(phase, Stopped("played")):
            self.model.let_go()

    @precondition(lambda self: self.run is not None)
    @rule(phase=phases)
    def fail(self, phase: str) -> None:
        if self.broken_off(phase, RuntimeError("played")):
            self.failed()

    @precondition(lambda self: self.run is not None and self.run.job.action != "repair")
    @rule()
    def find_too_many_files(self) -> None:
        run = self.taken_run()
        run.target = replace(run.target, config=replace(run.target.config, max_files=1))
        with pytest.raises(ClewError, match="max_files"):
            run.work(lambda _: None)
        self.failed()

    def failed(self) -> None:
        if self.model.is_making:
            self.model.move("indexfailed")
        self.model.let_go("failed")

    def broken_off(self, phase: str, error: Exception) -> bool:
        """Let the run work until a phase and raise there; whether it came so far."""

        def watch(progress: Progress) -> None:
            if phase in ("first", progress.phase):
                raise error

        if not self.model.reaches(phase):
            self.finish()
            return False
        with pytest.raises(type(error), match="played"):
            self.taken_run().work(watch)
        return True

    def taken_run(self) -> Run:
        run = self.run
        assert run is not None
        self.run = None
        return run

    # -- what is asked through the tools --------------------------------------------------------------

    @rule(actor=actors, action=st.sampled_from(("create", "reindex", "sync", "repair", "clear")), force=st.booleans())
    def manage(self, actor: int, action: str, force: bool) -> None:
        """An action that is begun and done, unless it is refused."""
        model, engine, verdict = self.model, self.engines[actor], self.model.verdict
        force = force and action == "create"
        expected = self.expected_of(action, force=force)
        makes = self.made_job("?", force=force or action == "reindex")
        claims_too_much = model.state in SEARCHABLE and verdict == "not_indexed"
        envelope = tools.call(engine, "manage_index", {"action": action, "path": self.root, "force": force})
        engine.wait_for_jobs()
        assert (envelope["status"], envelope.get("reason")) == expected
        if expected != ("ok", None):
            self.check_gate(envelope)
            if action == "sync" and verdict == "requires_reindex" and model.state in SEARCHABLE and not model.holder:
                model.move("requires_reindex")
            return
        is_needless = action == "create" and not force and verdict == "ok"
        assert envelope["already_indexed"] is is_needless
        assert (envelope["job_id"] is None) is (is_needless or action == "clear")
        if is_needless:
            return
        if action == "clear":
            self.model = Model()
            return
        warned = [item["code"] for item in envelope["warnings"]]
        assert warned == (["STALE_LOCAL"] if action in MAKING and claims_too_much else [])
        if action in MAKING:
            model.make(replace(makes, id=envelope["job_id"]))
        else:
            model.hold(Doing(envelope["job_id"], action))
        model.complete()

    def expected_of(self, action: str, *, force: bool) -> tuple[str, str | None]:
        model, verdict = self.model, self.model.verdict
        if not model.is_known and action != "create":
            return GATES["not_indexed"][:2]
        if action == "create" and not force and verdict == "ok":
            return ("ok", None)
        if action == "sync" and verdict != "ok":
            return GATES[verdict][:2]
        return GATES["not_ready"][:2] if model.holder is not None else ("ok", None)

    @rule(
        actor=actors,
        order=st.permutations(("search_codebase", "get_symbol", "file_outline", "read_file", "list_paths")),
    )
    def ask(self, actor: int, order: list[str]) -> None:
        """Every question gets the same gate, or an answer that has brought in what changed."""
        model, verdict = self.model, self.model.verdict
        for tool in order:
            envelope = tools.call(self.engines[actor], tool, self.question(tool))
            is_gated = verdict != "ok" and not (tool == "list_paths" and model.is_known)  # a list needs no index
            if is_gated:
                assert (envelope["status"], envelope.get("reason")) == GATES[verdict][:2]
                self.check_gate(envelope)
                continue
            assert (envelope["status"], envelope["codebaseRoot"]) == ("ok", self.root), envelope
            assert envelope["freshness"]["decision"] == self.decided()
            if tool == "list_paths" and not (verdict == "ok" and model.is_dirty):
                assert [item["path"] for item in envelope["items"]] == sorted(os.listdir(self.path))

    def question(self, tool: str) -> dict[str, Any]:
        more = {
            "search_codebase": {"query": "alpha"},
            "get_symbol": {"name": "alpha"},
            "file_outline": {"file": "a.py"},
            "read_file": {"path": f"{self.root}/a.py"},
            "list_paths": {},
        }
        return {"path": self.root, **more[tool]}

    @rule(actor=actors)
    def freshness(self, actor: int) -> None:
        engine = self.engines[actor]
        if not self.model.is_known:
            self.refused(NotIndexed, lambda: engine.ensure_freshness(self.root))
        else:
            assert engine.ensure_freshness(self.root).decision == self.decided()

    def decided(self) -> str:
        """What a check decides, after it has done what it may."""
        skipped = {"requires_reindex": "skipped_requires_reindex", "not_ready": "skipped_indexing"}
        if self.model.verdict != "ok":
            return skipped.get(self.model.verdict, "failed")
        if self.model.holder is not None:
            return "coalesced"
        return "synced" if self.model.bring_in() else "fresh"

    # -- what happens to the tree and to the store ----------------------------------------------------

    @rule()
    def edit(self) -> None:
        self.edits += 1
        write_tree(self.path, {"edited.py": f"def edited_{self.edits}(): pass\n"})
        self.model.is_dirty = True

    @precondition(lambda self: self.model.verdict == "ok" and not self.run)
    @rule()
    def meet_another_version(self) -> None:
        self.damage("fingerprint")

    @precondition(lambda self: self.model.verdict == "ok" and not self.run)
    @rule(kind=st.sampled_from(("absent", "kind", "path", "counts")))
    def damage(self, kind: str) -> None:
        with self.engines[0].resolve(self.root).store.write() as connection:
            row = codebases.find_codebase(connection, self.root)
            assert row is not None
            marker = json.loads(codebases.read_marker(connection, row.id) or "")
            if kind == "absent":
                codebases.clear_marker(connection, row.id)
            else:
                DAMAGES[kind](marker)
                codebases.write_marker(connection, row.id, marker)
        self.model.marker = kind

    # -- what holds after every step ------------------------------------------------------------------

    @invariant()
    def both_see_what_the_model_says(self) -> None:
        model = self.model
        seen = [tools.call(engine, "manage_index", {"action": "status", "path": self.root}) for engine in self.engines]
        for envelope in seen:
            envelope.pop("size_bytes", None)
        assert seen[0] == seen[1]
        listed = [tools.call(engine, "list_codebases", {}) for engine in self.engines]
        assert listed[0] == listed[1]
        if not model.is_known:
            assert (seen[0]["status"], seen[0]["reason"]) == ("not_indexed", "not_indexed")
            assert listed[0]["codebases"] == []
            return
        is_interrupted = model.verdict == "interrupted"
        assert (seen[0]["status"], seen[0].get("reason")) == (
            GATES["interrupted"][:2] if is_interrupted else ("ok", None)
        )
        assert (seen[0]["state"], seen[0]["proof"]) == (model.state, PROOFS[model.marker])
        buckets = {"ok": "Ready", "requires_reindex": "Requires Reindex", "not_ready": "Indexing"}
        assert seen[0]["bucket"] == listed[0]["codebases"][0]["bucket"] == buckets.get(model.verdict, "Failed")
        assert ("indexing" in seen[0]) is (model.verdict == "not_ready")

    @invariant()
    def jobs_are_what_became_of_them(self) -> None:
        if not self.model.is_known:
            return
        expected = [
            (job.id, job.action, "running" if job is self.model.holder else job.ended or "interrupted", job.resumes)
            for job in self.model.jobs
        ]
        for engine in self.engines:
            found = engine.jobs(self.root)
            assert [(job.id, job.action, job.state, job.resumes) for job in found] == expected[: len(found)]
            assert len(found) == min(len(expected), 50)

    @invariant()
    def the_lock_is_held_by_the_one_who_works(self) -> None:
        if self.model.is_known:
            store = self.engines[0].resolve(self.root).store
            assert lock.is_held(store, self.root) is (self.model.holder is not None)

    @invariant()
    def every_step_is_an_allowed_one(self) -> None:
        if not self.model.is_known:
            return
        store = self.engines[0].resolve(self.root).store
        steps = codebases.transitions(store.connection(), self.root, 500)[::-1]
        assert [(step.old, step.new) for step in steps] == self.model.steps
        assert set(self.model.steps) <= ALLOWED
        known = {job.id for job in self.model.jobs}
        for step in steps:
            assert step.run and step.cause
            assert step.run in known or step.new in ("sync_completed", "requires_reindex")
            assert datetime.fromisoformat(step.at).tzinfo is not None

    @invariant()
    def a_marker_is_there_only_for_a_whole_index(self) -> None:
        if not self.model.is_known:
            assert not any(self.folder.glob("home/stores/*"))
            return
        connection = self.engines[1].resolve(self.root).store.connection()
        row = codebases.find_codebase(connection, self.root)
        assert row is not None and row.state == self.model.state
        marker = codebases.read_marker(connection, row.id)
        assert (marker is not None) is (self.model.marker != "absent")
        if self.model.marker == "valid":
            assert row.state in SEARCHABLE
            assert json.loads(marker or "")["runId"] == row.run

    # -- helpers --------------------------------------------------------------------------------------

    def target(self, actor: int) -> Target:
        catalog: Any = self.engines[actor].catalog
        store = catalog.store_for(self.root)
        if not self.model.is_known:
            store.create()
            catalog.registry.add(self.root, store.directory)
        return Target(store, self.root, self.engines[actor].config)

    def refused(self, error: type[Gated], act: Callable[[], object]) -> None:
        with pytest.raises(error) as failure:
            act()
        assert failure.value.root == self.root

    def check_gate(self, envelope: dict[str, Any]) -> None:
        """What every gate has, whichever tool gives it."""
        model = self.model
        assert envelope["codebaseRoot"] == self.root and envelope["message"]
        hints = envelope["hints"]
        assert hints["status"]["args"] == {"action": "status", "path": self.root}
        assert ("reindex" in hints) is (envelope["status"] == "requires_reindex")
        assert ("create" in hints) is (envelope.get("reason") in ("not_indexed", "interrupted"))
        assert ("indexing" in envelope) is ("retryAfterMs" in envelope) is (envelope["status"] == "not_ready")
        is_stale = envelope["status"] == "not_indexed" and model.state in SEARCHABLE
        assert ("staleLocal" in hints) is is_stale
        if is_stale:
            assert hints["staleLocal"]["completionProof"] == PROOFS[model.marker]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a lock: in a script nobody would give it back meanwhile."""
    monkeypatch.setattr("clew.engine._COALESCE_WAIT_S", 0.0)
    monkeypatch.setattr("clew.lifecycle.removal._WAIT_S", 0.0)
    monkeypatch.setattr(runs, "LOCK_WAIT_S", 0.0)


INVARIANTS = (
    "both_see_what_the_model_says",
    "jobs_are_what_became_of_them",
    "the_lock_is_held_by_the_one_who_works",
    "every_step_is_an_allowed_one",
    "a_marker_is_there_only_for_a_whole_index",
)
SCRIPTS: dict[str, str] = {  # steps with the number of the actor where one acts
    "a repair dies on what an interrupted reindex left": (
        "start begin_reindex:0 die begin_repair:1 die begin_create:0 finish ask:1"
    ),
    "a repair works on what an interrupted create left": (
        "begin_create:0 die begin_repair:1 finish begin_create:1 finish"
    ),
    "a sync meets another version while a repair is at work": (
        "start meet_another_version begin_repair:0 begin_sync:1 finish begin_sync:1 begin_create:0 finish ask:0"
    ),
    "a create that is not needed any more": "start edit begin_create:0 ask:1 finish begin_create:1 die ask:0",
    "one goes on where the other was stopped": (
        "begin_create:0 stop:flip begin_create:1 stop:first ask:0 begin_reindex:0 finish"
    ),
    "a failure is cured by the other": "start begin_reindex:0 fail:flip freshness:1 ask:1 begin_create:1 finish ask:0",
    "what a sync leaves when it fails": (
        "start edit begin_sync:0 fail:flip ask:1 edit begin_sync:1 stop:flip freshness:0"
    ),
    "too many files": "start begin_sync:0 find_too_many_files begin_reindex:1 find_too_many_files freshness:0",
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script(script: str) -> None:
    machine = Codebase()
    try:
        for step in SCRIPTS[script].split():
            name, _, argument = step.partition(":")
            match name:
                case "start":
                    machine.start(is_indexed=True)
                case "ask":
                    machine.ask(actor=int(argument), order=list(QUESTIONS))
                case "stop" | "fail":
                    getattr(machine, name)(phase=argument)
                case _:
                    getattr(machine, name)(**({"actor": int(argument)} if argument else {}))
            for check in INVARIANTS:
                getattr(machine, check)()
    finally:
        machine.teardown()


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_two_processes_and_any_order_of_steps() -> None:
    run_state_machine_as_test(
        Codebase,
        settings=settings(
            max_examples=30,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_create_on_a_healthy_index_does_nothing(engine: Engine, tmp_path: Path) -> None:
    root = str(write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n"}))
    engine.index(root)
    before = engine.status(root)
    envelope = tools.call(engine, "manage_index", {"action": "create", "path": root})
    assert (envelope["status"], envelope["already_indexed"], envelope["job_id"]) == ("ok", True, None)
    assert engine.status(root) == before


def test_a_sync_does_not_condemn_an_index_that_was_made_anew_meanwhile(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n"}))
    engine.index(root)
    store = engine.resolve(root).store
    with store.write() as connection:
        marker = json.loads(codebases.read_marker(connection, 1) or "")
        DAMAGES["fingerprint"](marker)
        codebases.write_marker(connection, 1, marker)
    other = make_engine(engine.config.home)
    taken = lock.codebase_lock

    def lock_late(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(runs, "codebase_lock", taken)
        other.index(root, force=True)
        return taken(*arguments, **options)

    monkeypatch.setattr(runs, "codebase_lock", lock_late)
    with pytest.raises(RequiresReindex):
        runs.begin_sync(Target(store, root, engine.config))
    assert (engine.status(root).state, engine.status(root).verdict) == ("indexed", "ok")
    other.close()


def test_content_that_came_while_another_sent_some(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first batch is begun as a create, though another process has made the index by then."""
    engine.index_content("one", [FileContent("a.py", b"def alpha(): pass\n")])

    class Late:
        def settle(self, _: object, root: str) -> Standing:
            return Standing(root, "not_indexed", Proof("stale_local", "missing_marker_doc"))

        def __getattr__(self, name: str) -> Any:
            return getattr(gate, name)

    monkeypatch.setattr(contents, "gate", Late())
    engine.index_content("one", [FileContent("b.py", b"def beta(): pass\n")])
    assert [item.path for item in engine.paths("project:one").items] == ["a.py", "b.py"]
    assert [step.new for step in engine.status("project:one").transitions] == ["sync_completed", "indexed", "indexing"]
