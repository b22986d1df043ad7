"""Freshness: every decision the contract names, and answers that are never stale and called fresh."""

from __future__ import annotations

import gc
import json
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew import Engine, load_config
from clew.answers import RunStats
from clew.errors import BadPath, Stopped
from clew.index import runs
from clew.index.runs import Target
from clew.lifecycle import freshness, watcher
from clew.lifecycle.catalog import Codebase
from clew.lifecycle.freshness import Checked, Freshener
from clew.lifecycle.lock import codebase_lock
from clew.serve import tools
from clew.source.footprint import RACY_NS
from clew.source.git import git_blob_hash
from clew.source.trees import walk
from clew.source.watch import NotifyWatch, Watch, open_watch
from clew.store import codebases, snapshots
from clew.types import Progress
from tests.conftest import git, make_engine, write_tree

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only inotify proves anything")
FILES = {"a.py": "def alpha(): pass\n", "pkg/b.py": "def beta(): pass\n"}
PATIENCE_S = 30.0  # for what another thread does; a test that needs it all has failed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "clew-home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(Path(os.path.realpath(tmp_path)) / "tree", FILES)


@pytest.fixture
def indexed(engine: Engine, root: Path) -> str:
    engine.index(str(root))
    return str(root)


@pytest.fixture
def server(home: Path, root: Path) -> Iterator[Engine]:
    """A watching engine that vouches for the indexed tree."""
    made = watching_engine(home)
    made.index(str(root))
    until_watched(made, root)
    yield made
    made.close()


def watching_engine(home: Path) -> Engine:
    return Engine(load_config({"home": str(home), "workers": 1, "recheck_ms": 0}), watching=True)


def until(holds: Callable[[], object]) -> None:
    """Wait for another thread."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.002)


def until_watched(engine: Engine, root: Path) -> None:
    until(lambda: engine.ensure_freshness(str(root)) and engine.is_watched(str(root)))


def target(engine: Engine, root: str) -> Target:
    return Target(engine.resolve(root).store, root, engine.config)


def listed(engine: Engine, root: Path | str) -> list[str]:
    return [item.path for item in engine.paths(str(root)).items]


def search(engine: Engine, root: Path | str, query: str = "alpha") -> dict[str, Any]:
    return tools.call(engine, "search_codebase", {"query": query, "path": str(root)})


def decision(engine: Engine, root: Path | str) -> str:
    envelope = search(engine, root)
    assert envelope["status"] == "ok", envelope
    found: str = envelope["freshness"]["decision"]
    return found


def watch_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("clew-watch")]


def count_syncs(monkeypatch: pytest.MonkeyPatch) -> list[RunStats]:
    """Every sync from here on, with what it did."""
    done: list[RunStats] = []
    original = runs.sync

    def sync(*arguments: Any, **options: Any) -> RunStats:
        stats = original(*arguments, **options)
        done.append(stats)
        return stats

    monkeypatch.setattr(runs, "sync", sync)
    return done


# -- the decisions ------------------------------------------------------------------------------------


def test_fresh_and_synced(engine: Engine, indexed: str) -> None:
    assert decision(engine, indexed) == "fresh"
    write_tree(Path(indexed), {"c.py": "def gamma(): pass\n"})
    envelope = search(engine, indexed, "gamma")
    assert envelope["freshness"]["decision"] == "synced"
    assert [hit["path"] for hit in envelope["results"]] == ["c.py"]
    assert decision(engine, indexed) == "fresh"
    assert engine.ensure_freshness(indexed) == Checked("fresh")


def test_coalesced_with_another_process(engine: Engine, indexed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.engine._COALESCE_WAIT_S", 0.0)
    write_tree(Path(indexed), {"c.py": "def gamma(): pass\n"})
    with codebase_lock(engine.resolve(indexed).store, indexed):
        envelope = search(engine, indexed, "gamma alpha")
        assert envelope["freshness"]["decision"] == "coalesced"
        assert [hit["path"] for hit in envelope["results"]] == ["a.py"], "the state before the other's flip"
        assert tools.call(engine, "list_paths", {"path": indexed})["total"] == 2
    assert decision(engine, indexed) == "synced"


def test_skipped_recent(home: Path, root: Path) -> None:
    engine = make_engine(home, recheck_ms=600_000)
    engine.index(str(root))
    assert decision(engine, root) == "fresh", "the first question checks"
    assert decision(engine, root) == "skipped_recent"
    write_tree(root, {"c.py": "def gamma(): pass\n"})
    envelope = tools.call(engine, "list_paths", {"path": str(root)})
    assert (envelope["freshness"]["decision"], envelope["total"]) == ("skipped_recent", 2)
    # But a hit whose file has changed is not passed off as current: it is looked at again.
    write_tree(root, {"a.py": "def alpha(): return 'another'\n"})
    envelope = search(engine, root)
    assert envelope["freshness"]["decision"] == "synced"
    assert [(hit["path"], hit["fresh"]) for hit in envelope["results"]] == [("a.py", True)]
    assert "another" in envelope["results"][0]["snippet"]
    assert listed(engine, root) == ["a.py", "c.py", "pkg/b.py"]
    engine.close()


def test_recent_is_over_when_its_time_is(home: Path, root: Path) -> None:
    engine = make_engine(home, recheck_ms=1)
    engine.index(str(root))
    decision(engine, root)
    time.sleep(0.002)
    assert decision(engine, root) == "fresh"
    engine.close()


def test_a_failed_check_is_not_recent(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine(home, recheck_ms=600_000)
    engine.index(str(root))

    def fail(*_: object, **__: object) -> RunStats:
        raise OSError(5, "played")

    with monkeypatch.context() as patch:
        patch.setattr(runs, "sync", fail)
        assert decision(engine, root) == "failed"
    assert decision(engine, root) == "fresh"
    engine.close()


def test_skipped_indexing(engine: Engine, indexed: str, home: Path) -> None:
    other = make_engine(home)
    run = runs.begin_create(target(other, indexed), force=True)
    write_tree(Path(indexed), {"c.py": "def gamma(): pass\n"})
    assert engine.ensure_freshness(indexed) == Checked("skipped_indexing")
    envelope = search(engine, indexed)
    assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing")
    run.work(lambda _: None)
    assert decision(engine, indexed) == "fresh"
    other.close()


def test_an_index_that_is_made_between_the_check_and_the_answer(
    engine: Engine, indexed: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_engine(home)
    run = runs.begin_create(target(other, indexed), force=True)
    original = Freshener.ensure

    def ensure(self: Freshener, codebase: Codebase, *, doubt: bool = False) -> Checked:
        checked = original(self, codebase, doubt=doubt)
        if run.job.state == "running" and checked.decision == "skipped_indexing":
            run.work(lambda _: None)
        return checked

    monkeypatch.setattr(Freshener, "ensure", ensure)
    envelope = search(engine, indexed)
    assert (envelope["status"], envelope["freshness"]["decision"]) == ("ok", "skipped_indexing")
    other.close()


def test_skipped_requires_reindex(engine: Engine, indexed: str) -> None:
    store = engine.resolve(indexed).store
    with store.write() as connection:
        row = codebases.find_codebase(connection, indexed)
        assert row is not None
        marker = json.loads(codebases.read_marker(connection, row.id) or "")
        codebases.write_marker(
            connection, row.id, {**marker, "fingerprint": {**marker["fingerprint"], "schemaVersion": 0}}
        )
    write_tree(Path(indexed), {"c.py": "def gamma(): pass\n"})
    assert engine.ensure_freshness(indexed) == Checked("skipped_requires_reindex")
    envelope = search(engine, indexed)
    assert (envelope["status"], envelope["reason"]) == ("requires_reindex", "requires_reindex")
    assert engine.status(indexed).state == "indexed", "a check persists no verdict"


@pytest.mark.parametrize("trouble", ["too many files", "the system refuses", "the store is busy"])
def test_failed(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch, trouble: str) -> None:
    make_engine(home).index(str(root))
    engine = make_engine(home, max_files=2)
    write_tree(root, {"c.py": "def gamma(): pass\n"})
    if trouble == "the system refuses":

        def fail(*_: object, **__: object) -> RunStats:
            raise PermissionError(13, trouble, str(root))

        monkeypatch.setattr("clew.index.runs.find_tree", fail)
    if trouble == "the store is busy":
        monkeypatch.setattr(freshness, "PATIENCE_S", 0.0)
        engine.config = load_config({"home": str(home), "workers": 1, "recheck_ms": 0})
        writing = make_engine(home).resolve(str(root)).store.write()
        with writing:
            envelope = search(engine, root, "alpha gamma")
    else:
        envelope = search(engine, root, "alpha gamma")
    assert (envelope["status"], envelope["freshness"]["decision"]) == ("ok", "failed")
    assert [hit["path"] for hit in envelope["results"]] == ["a.py"], "the last good state"
    assert [item["code"] for item in envelope["warnings"]] == ["FRESHNESS_CHECK_FAILED"]
    assert engine.status(str(root)).state == "indexed", "a failed check is no failed index"
    assert engine.jobs(str(root))[0].state == "completed"
    engine.close()


def test_a_failed_check_never_becomes_a_rebuild(engine: Engine, indexed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_create(*_: object, **__: object) -> None:
        raise AssertionError("a check began a create")

    monkeypatch.setattr(runs, "begin_create", no_create)
    monkeypatch.setattr("clew.source.trees.os.scandir", _refuse)
    write_tree(Path(indexed), {"c.py": "def gamma(): pass\n"})
    assert decision(engine, indexed) == "failed"


def _refuse(path: str) -> Any:
    raise PermissionError(13, "played", path)


def test_a_codebase_that_cannot_be_asked_is_not_checked(engine: Engine, indexed: str) -> None:
    run = runs.begin_create(target(engine, indexed), force=True)
    run.held.close()
    checked = engine.ensure_freshness(indexed)
    assert checked.decision == "failed" and "interrupted" in checked.trouble
    with pytest.raises(Stopped):
        runs.begin_create(target(engine, indexed)).work(_stop)
    assert engine.ensure_freshness(indexed).decision == "failed"
    assert search(engine, indexed)["reason"] == "interrupted"


def _stop(_: Progress) -> None:
    raise Stopped("played")


def test_a_tree_that_is_gone_is_an_error(engine: Engine, indexed: str) -> None:
    shutil.rmtree(indexed)
    with pytest.raises(BadPath):
        engine.ensure_freshness(indexed)
    assert search(engine, indexed)["problem"]["status"] == 400
    write_tree(Path(indexed), {"new.py": "def alpha(): pass\n"})
    assert [hit["path"] for hit in search(engine, indexed)["results"]] == ["new.py"]


@pytest.mark.parametrize("left", ["nothing", "a file", "a program"])
def test_a_tree_that_is_gone_is_an_error_whoever_else_is_at_it(
    engine: Engine, indexed: str, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    """A defect once: while a watcher looked at it too, what was known of it was the answer."""
    monkeypatch.setattr("clew.engine._COALESCE_WAIT_S", 0.0)
    shutil.rmtree(indexed)
    if left != "nothing":
        Path(indexed).write_text("no directory")
        Path(indexed).chmod(0o755 if left == "a program" else 0o644)
    assert search(engine, indexed)["reason"] == "bad_input"
    with codebase_lock(engine.resolve(indexed).store, indexed):
        for what in ("list_paths", "search_codebase"):
            envelope = tools.call(
                engine, what, {"path": indexed, "query": "alpha"} if "search" in what else {"path": indexed}
            )
            assert (envelope["status"], envelope["reason"]) == ("error", "bad_input")


def test_content_needs_no_check(engine: Engine) -> None:
    from clew.types import FileContent

    engine.index_content("one", [FileContent("a.py", b"def alpha(): pass\n")])
    assert engine.ensure_freshness("project:one") == Checked("fresh")
    assert decision(engine, "project:one") == "fresh"


def test_a_check_that_finds_nothing_writes_nothing(engine: Engine, indexed: str) -> None:
    time.sleep(0.06)
    decision(engine, indexed)
    store = engine.resolve(indexed).store
    before = store.connection().execute("PRAGMA data_version").get, engine.status(indexed)
    for _ in range(3):
        assert decision(engine, indexed) == "fresh"
    assert (store.connection().execute("PRAGMA data_version").get, engine.status(indexed)) == before


# -- many who ask at once -----------------------------------------------------------------------------


class _Counted(threading.Condition):
    """A condition that tells how many wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waiting += 1  # under the lock
        try:
            return super().wait(timeout)
        finally:
            self.waiting -= 1


class _Checks:
    """A sync that lasts as long as the test wants; each notes what was saved when it began."""

    def __init__(self) -> None:
        self.saved = 0
        self.seen: list[int] = []
        self.may_end = threading.Semaphore(0)
        self.failing = False

    def sync(self, _: Codebase, keys: Sequence[str] | None) -> RunStats:
        assert keys is None
        self.seen.append(self.saved)
        assert self.may_end.acquire(timeout=PATIENCE_S)
        if self.failing:
            raise OSError(5, "played")
        return RunStats(added=1)


def _askers(freshener: Freshener, codebase: Codebase, count: int) -> tuple[list[threading.Thread], list[Checked]]:
    found: list[Checked] = []

    def ask() -> None:
        found.append(freshener.ensure(codebase))
        codebase.store.close()

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads, found


@pytest.fixture
def turn() -> freshness._Turn:
    return freshness._Turn(condition=_Counted())


def _freshener(checks: _Checks, root: str, turn: freshness._Turn) -> Freshener:
    made = Freshener(checks.sync, lambda _: frozenset(), recent_s=0, is_watching=False, release=lambda: None)
    made._turns[root] = turn
    return made


def _waiting(turn: freshness._Turn) -> int:
    assert isinstance(turn.condition, _Counted)
    return turn.condition.waiting


def test_each_gets_a_check_that_began_after_it_asked(engine: Engine, indexed: str, turn: freshness._Turn) -> None:
    checks, codebase = _Checks(), engine.resolve(indexed)
    freshener = _freshener(checks, indexed, turn)
    first, told_first = _askers(freshener, codebase, 1)
    until(lambda: checks.seen == [0])
    checks.saved = 1  # while the first check is under way: it may have passed that file already
    others, told = _askers(freshener, codebase, 9)
    until(lambda: _waiting(turn) == 9)
    assert not told, "none is content with the check before its question"
    checks.may_end.release(2)
    for thread in (*first, *others):
        thread.join(PATIENCE_S)
    assert checks.seen == [0, 1], "one check for all nine, begun after the save"
    assert told_first == [Checked("synced")]
    assert sorted(item.decision for item in told) == ["coalesced"] * 8 + ["synced"]


def test_a_check_that_fails_serves_nobody_else(engine: Engine, indexed: str, turn: freshness._Turn) -> None:
    checks, codebase = _Checks(), engine.resolve(indexed)
    freshener = _freshener(checks, indexed, turn)
    threads, told = _askers(freshener, codebase, 1)
    until(lambda: len(checks.seen) == 1)
    more, told_later = _askers(freshener, codebase, 3)
    until(lambda: _waiting(turn) == 3)
    checks.failing = True
    checks.may_end.release(4)
    for thread in (*threads, *more):
        thread.join(PATIENCE_S)
    assert len(checks.seen) == 4
    assert [item.decision for item in (*told, *told_later)] == ["failed"] * 4


def test_codebases_do_not_wait_for_each_other(engine: Engine, indexed: str, tmp_path: Path) -> None:
    other = str(write_tree(Path(os.path.realpath(tmp_path)) / "other", FILES))
    engine.index(other)
    checks = _Checks()
    freshener = Freshener(checks.sync, lambda _: frozenset(), recent_s=0, is_watching=False, release=lambda: None)
    threads, _ = _askers(freshener, engine.resolve(indexed), 1)
    until(lambda: len(checks.seen) == 1)
    more, told = _askers(freshener, engine.resolve(other), 1)
    until(lambda: len(checks.seen) == 2)
    checks.may_end.release(2)
    for thread in (*threads, *more):
        thread.join(PATIENCE_S)
    assert told == [Checked("synced")]


@pytest.mark.parametrize("is_watching", [False, pytest.param(True, marks=linux_only)])
def test_whoever_saves_and_asks_finds_it(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch, is_watching: bool
) -> None:
    monkeypatch.setattr("clew.engine._COALESCE_WAIT_S", PATIENCE_S)
    engine = watching_engine(home) if is_watching else make_engine(home)
    engine.index(str(root))
    if is_watching:
        until_watched(engine, root)
    failures: list[BaseException] = []

    def save_and_ask(number: int) -> None:
        try:
            for edition in range(5):
                (root / f"t{number}.py").write_text(f"def epsilon_{number}_{edition}(): pass\n")
                hits = engine.search(f"epsilon_{number}_{edition}", str(root)).hits
                assert [hit.path for hit in hits[:1]] == [f"t{number}.py"], (number, edition)
                assert f"epsilon_{number}_{edition}" in hits[0].snippet
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            failures.append(error)
        finally:
            engine.catalog.close()

    threads = [threading.Thread(target=save_and_ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert not failures


# -- the watcher --------------------------------------------------------------------------------------


@linux_only
def test_a_watched_tree_is_not_looked_at(server: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    syncs = count_syncs(monkeypatch)
    for _ in range(5):
        assert decision(server, root) == "fresh"
    assert not syncs
    (root / "a.py").write_text("def alpha_again(): pass\n")
    envelope = search(server, root, "alpha_again")
    assert envelope["results"][0]["snippet"].startswith("def alpha_again")
    assert listed(server, root) == sorted(FILES)


@linux_only
def test_what_was_brought_in_is_not_looked_at_again(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "QUIET_S", PATIENCE_S)  # its thread leaves it to those who ask
    engine = watching_engine(home)
    engine.index(str(root))
    until_watched(engine, root)
    syncs = count_syncs(monkeypatch)
    write_tree(root, {"a.py": "def alpha_again(): pass\n"})
    assert [decision(engine, root) for _ in range(3)] == ["synced", "fresh", "fresh"]
    assert len(syncs) == 1
    engine.close()


@linux_only
def test_what_is_touched_while_it_is_brought_in_stays_touched(root: Path) -> None:
    done = threading.Event()

    def check(keys: Sequence[str] | None) -> None:
        assert keys is None or done.wait(PATIENCE_S)  # its thread leaves it to the test

    watch = watcher.Watcher(str(root), check=check, record=lambda: walk(str(root)).footprint(), close=lambda: None)
    until(lambda: watch.ask(frozenset()) is not None)
    (root / "a.py").write_text("def one(): pass\n")
    first = watch.ask(frozenset())
    (root / "a.py").write_text("def two(): pass\n")
    second = watch.ask(frozenset())
    assert first is not None and second is not None
    assert list(first) == list(second) == ["a.py"]
    watch.settled(first)
    assert watch.ask(frozenset()) == second
    watch.settled(second)
    assert watch.ask(frozenset()) == {}
    done.set()
    watch.close()


@linux_only
def test_what_comes_before_its_directory_is_watched_is_found(root: Path) -> None:
    found: list[set[str]] = []

    def check(_: Sequence[str] | None) -> None:
        found.append(set(walk(str(root)).files))

    def record() -> str | None:
        footprint = walk(str(root)).footprint()
        if len(found) == 1:  # every directory is listed, none is watched
            write_tree(root, {"pkg/late.py": "late = 1\n"})
        return footprint

    watch = watcher.Watcher(str(root), check=check, record=record, close=lambda: None)
    until(lambda: watch.ask(frozenset()) is not None)
    touched = watch.ask(frozenset()) or {}
    watch.close()
    assert "pkg/late.py" in found[-1] | set(touched)


@linux_only
def test_many_touched_files_are_not_looked_at_one_by_one(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "QUIET_S", PATIENCE_S)
    monkeypatch.setattr(freshness, "MAX_KEYS", 2)
    engine = watching_engine(home)
    engine.index(str(root))
    until_watched(engine, root)
    asked: list[Sequence[str] | None] = []
    original = runs.sync

    def sync(*arguments: Any, **options: Any) -> RunStats:
        asked.append(options["keys"])
        return original(*arguments, **options)

    monkeypatch.setattr(runs, "sync", sync)
    write_tree(root, {"n1.py": "n = 1\n", "n2.py": "n = 2\n"})
    assert "n2.py" in listed(engine, root)
    write_tree(root, {"m1.py": "n = 1\n", "m2.py": "n = 2\n", "m3.py": "n = 3\n"})
    assert "m3.py" in listed(engine, root)
    assert [sorted(keys) if keys is not None else None for keys in asked] == [["n1.py", "n2.py"], None]
    engine.close()


@linux_only
def test_no_check_is_recent_for_a_watcher_that_is_being_set_up(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_open = threading.Event()
    monkeypatch.setattr(watcher, "open_watch", lambda place: may_open.wait(PATIENCE_S) and open_watch(place))
    engine = Engine(load_config({"home": str(home), "workers": 1, "recheck_ms": 600_000}), watching=True)
    engine.index(str(root))
    for i in range(3):
        write_tree(root, {f"n{i}.py": f"n = {i}\n"})
        assert f"n{i}.py" in listed(engine, root)
    may_open.set()
    until_watched(engine, root)
    engine.close()


@linux_only
def test_a_watcher_beats_recent(home: Path, root: Path) -> None:
    engine = Engine(load_config({"home": str(home), "workers": 1, "recheck_ms": 600_000}), watching=True)
    engine.index(str(root))
    until_watched(engine, root)
    write_tree(root, {"c.py": "def gamma(): pass\n"})
    assert listed(engine, root) == ["a.py", "c.py", "pkg/b.py"]
    engine.close()


@linux_only
def test_changes_are_brought_in_before_anybody_asks(server: Engine, root: Path) -> None:
    before = server.status(str(root)).generation
    write_tree(root, {"c.py": "def gamma(): pass\n"})
    until(lambda: server.status(str(root)).generation > before)
    assert decision(server, root) == "fresh"
    assert listed(server, root) == ["a.py", "c.py", "pkg/b.py"]


@linux_only
def test_what_the_kernel_does_not_tell_is_found_when_the_time_is_up(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "VOUCH_S", 0.3)
    engine = watching_engine(home)
    engine.index(str(root))
    until_watched(engine, root)
    with (root / "a.py").open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[4:9] = b"omega"
        memory.flush()
        until(lambda: [hit for hit in engine.search("omega", str(root)).hits if hit.fresh])
        until_watched(engine, root)
    engine.close()


@linux_only
def test_a_doubt_beats_the_watcher(server: Engine, root: Path) -> None:
    """A write through a name outside the tree is not told; a hit that proves the watcher wrong leads to a check."""
    os.link(root / "a.py", root.parent / "outside.py")
    until_watched(server, root)
    (root.parent / "outside.py").write_text("def alpha(): return 'changed elsewhere'\n")
    envelope = search(server, root)
    assert envelope["freshness"]["decision"] == "synced"
    assert [(hit["fresh"], "elsewhere" in hit["snippet"]) for hit in envelope["results"]] == [(True, True)]


@linux_only
def test_a_gated_codebase_is_not_tried_over_and_over(
    server: Engine, home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def count_and_open(place: str) -> Watch:
        tries.append(place)
        return open_watch(place)

    monkeypatch.setattr(watcher, "open_watch", count_and_open)
    other = make_engine(home)
    decision(server, root)
    run = runs.begin_create(target(other, str(root)), force=True)
    write_tree(root, {"c.py": "def gamma(): pass\n"})  # wakes the watcher
    until(lambda: not server.is_watched(str(root)) or len(tries) > 3)
    for _ in range(20):
        assert server.ensure_freshness(str(root)).decision == "skipped_indexing"
        time.sleep(0.01)
    assert len(tries) <= 3
    run.work(lambda _: None)
    until_watched(server, root)
    assert listed(server, root) == ["a.py", "c.py", "pkg/b.py"]
    other.close()


def _clear_and_create(server: Engine, _: Path, root: Path) -> None:
    server.clear(str(root))
    server.index(str(root))


def _clear_and_create_elsewhere(_: Engine, home: Path, root: Path) -> None:
    other = make_engine(home)
    other.clear(str(root))
    other.index(str(root))
    other.close()


def _reindex_elsewhere(_: Engine, home: Path, root: Path) -> None:
    other = make_engine(home)
    other.index(str(root), force=True)
    other.close()


def _remove_the_store(_: Engine, home: Path, root: Path) -> None:
    shutil.rmtree(home)
    other = make_engine(home)
    other.index(str(root))
    other.close()


def _die_and_take_over(server: Engine, home: Path, root: Path) -> None:
    other = make_engine(home)
    runs.begin_create(target(other, str(root)), force=True).held.close()
    assert search(server, root)["reason"] == "interrupted"
    other.index(str(root))
    other.close()


def _remove_and_make_the_root(server: Engine, _: Path, root: Path) -> None:
    shutil.rmtree(root)
    assert search(server, root)["status"] == "error"
    write_tree(root, FILES)


def _move_the_root_away_and_back(server: Engine, _: Path, root: Path) -> None:
    root.rename(root.parent / "away")
    assert search(server, root)["status"] == "error"
    write_tree(root.parent / "away", {"pkg/b.py": "def beta(): return 'moved'\n"})
    (root.parent / "away").rename(root)


def _replace_a_directory(_: Engine, __: Path, root: Path) -> None:
    shutil.rmtree(root / "pkg")
    write_tree(root, {"pkg/b.py": "def beta(): return 'replaced'\n"})


EVENTS = [
    _clear_and_create,
    _clear_and_create_elsewhere,
    _reindex_elsewhere,
    _remove_the_store,
    _die_and_take_over,
    _remove_and_make_the_root,
    _move_the_root_away_and_back,
    _replace_a_directory,
]


@linux_only
@pytest.mark.parametrize("event", EVENTS)
def test_the_watch_survives(
    server: Engine,
    home: Path,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    event: Callable[[Engine, Path, Path], None],
) -> None:
    monkeypatch.setattr(watcher, "_RETRY_S", 0.01)
    monkeypatch.setattr("clew.store.derive.TAIL_CHUNKS", 0)  # so that the search index is in use
    event(server, home, root)
    assert truth(server, root) == disk(root)
    until_watched(server, root)
    write_tree(root, {"pkg/b.py": "def omega(): pass\n"})
    assert [hit.path for hit in server.search("omega", str(root)).hits] == ["pkg/b.py"]
    assert truth(server, root) == disk(root)
    assert len(watch_threads()) == 1


@linux_only
@pytest.mark.parametrize("left", ["nothing", "a file", "another tree"])
def test_a_directory_above_the_root_is_moved(home: Path, root: Path, left: str) -> None:
    """A defect once: a watch goes along with its directories, so for a minute the old tree was called fresh."""
    inner = write_tree(root / "over" / "inner", FILES)
    engine = watching_engine(home)
    engine.index(str(inner))
    until_watched(engine, inner)
    (root / "over").rename(root / "away")
    if left == "a file":
        (root / "over").write_text("no directory")
    if left != "another tree":
        with pytest.raises(BadPath):  # no hit whose file is looked at once more
            engine.symbol("later", str(inner))
        write_tree(root / "away", {"inner/a.py": "def later(): pass\n"})
        (root / "over").unlink(missing_ok=True)
        (root / "away").rename(root / "over")
        assert [item.symbol.name for item in engine.symbol("later", str(inner)).symbols] == ["later"]
    else:
        write_tree(inner, {"a.py": "def other(): pass\n"})
        assert [item.symbol.name for item in engine.symbol("other", str(inner)).symbols] == ["other"]
        assert listed(engine, inner) == ["a.py"]
    engine.close()


@linux_only
@pytest.mark.parametrize("name", [".gitignore", ".clewignore", "pkg/.gitignore", ".git/info/exclude"])
def test_rules_that_change(home: Path, root: Path, name: str) -> None:
    git(root, "init", "-q")
    engine = watching_engine(home)
    engine.index(str(root))
    until_watched(engine, root)
    for rule in ("b.py\n", "\n", "*.py\n", "!b.py\n"):
        write_tree(root, {name: rule})
        assert truth(engine, root) == disk(root), rule
    until_watched(engine, root)
    write_tree(root, {name: "b.py\n"})
    assert "pkg/b.py" not in listed(engine, root)
    engine.close()


@linux_only
def test_git_add_of_an_ignored_file(home: Path, root: Path) -> None:
    write_tree(root, {".gitignore": "*.log\n", "x.log": "x\n", "y.log": "y\n"})
    git(root, "init", "-q")
    engine = watching_engine(home)
    engine.index(str(root))
    until_watched(engine, root)
    for name in ("x.log", "y.log"):  # the second within the time in which no time stamp can be believed
        git(root, "add", "-f", name)
        assert name in listed(engine, root)
    git(root, "rm", "-q", "--cached", "x.log")
    assert "x.log" not in listed(engine, root)
    engine.close()


@pytest.mark.parametrize("is_watching", [False, pytest.param(True, marks=linux_only)])
def test_a_commit_changes_head_alone(home: Path, root: Path, is_watching: bool) -> None:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    engine = watching_engine(home) if is_watching else make_engine(home)
    engine.index(str(root))
    if is_watching:
        until_watched(engine, root)
    for message in ("two", "three"):
        git(root, "commit", "-q", "--allow-empty", "-m", message)
        found = engine.paths(str(root)).freshness
        assert found.head == git(root, "rev-parse", "HEAD").strip()
        assert found.decision == "fresh", "no file has changed"
    assert engine.status(str(root)).head == git(root, "rev-parse", "HEAD").strip()
    engine.close()


@linux_only
def test_a_nested_repository_that_gets_an_index_of_its_own(server: Engine, home: Path, root: Path) -> None:
    git(root / "pkg", "init", "-q")
    until_watched(server, root)
    assert "pkg/b.py" in listed(server, root)
    other = make_engine(home)
    other.index(str(root / "pkg"))
    assert listed(server, root) == ["a.py"]
    assert listed(server, root / "pkg") == ["b.py"]
    until_watched(server, root)
    write_tree(root, {"pkg/c.py": "c = 1\n"})
    assert (listed(server, root), listed(server, root / "pkg")) == (["a.py"], ["b.py", "c.py"])
    other.clear(str(root / "pkg"))
    assert listed(server, root) == ["a.py", "pkg/b.py", "pkg/c.py"]
    other.close()


@linux_only
def test_a_watch_that_proves_nothing_still_wakes(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "open_watch", NotifyWatch)
    engine = watching_engine(home)
    engine.index(str(root))
    decision(engine, root)
    for i in range(3):
        write_tree(root, {f"n{i}.py": f"n = {i}\n"})
        assert f"n{i}.py" in listed(engine, root), "every answer is checked"
        assert not engine.is_watched(str(root))
    before = engine.status(str(root)).generation

    def is_brought_in() -> bool:
        write_tree(root, {"n0.py": f"n = {time.monotonic_ns()}\n"})  # its thread may not be looking yet
        time.sleep(0.1)
        return engine.status(str(root)).generation > before

    until(is_brought_in)
    engine.close()
    assert not watch_threads()


@linux_only
def test_a_tree_that_cannot_be_watched_is_checked(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise OSError(28, "no watches left")

    monkeypatch.setattr(watcher, "open_watch", refuse)
    engine = watching_engine(home)
    engine.index(str(root))
    for i in range(3):
        write_tree(root, {f"n{i}.py": f"n = {i}\n"})
        assert f"n{i}.py" in listed(engine, root)
    assert not engine.is_watched(str(root))
    engine.close()
    assert not watch_threads()


@linux_only
def test_threads_and_descriptors_end_with_the_engine(home: Path, root: Path) -> None:
    first = watching_engine(home)
    first.index(str(root))
    first.close()
    gc.collect()  # what other tests left to it is not counted
    before = len(os.listdir("/proc/self/fd"))
    for i in range(5):
        engine = watching_engine(home)
        until_watched(engine, root)
        write_tree(root, {f"new{i}/a.py": f"n = {i}\n"})  # the watch is set up anew
        assert f"new{i}/a.py" in listed(engine, root)
        until_watched(engine, root)
        assert len(watch_threads()) == 1
        engine.close()
        assert not watch_threads()
        assert len(os.listdir("/proc/self/fd")) <= before


@linux_only
def test_closing_does_not_wait_for_the_time_to_be_up(server: Engine) -> None:
    started = time.monotonic()
    server.close()
    assert not watch_threads()
    assert time.monotonic() - started < watcher.VOUCH_S / 2


@linux_only
def test_the_one_asked_least_recently_is_let_go(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "MAX_WATCHED", 2)
    engine = watching_engine(home)
    places = [write_tree(Path(os.path.realpath(tmp_path)) / f"tree{i}", FILES) for i in range(3)]
    for place in places:
        engine.index(str(place))
    for place in (places[0], places[1], places[0], places[2]):
        until_watched(engine, place)
    assert [engine.is_watched(str(place)) for place in places] == [True, False, True]
    assert len(watch_threads()) == 2
    for place in places:  # and it can come back
        write_tree(place, {"late.py": "late = 1\n"})
        assert "late.py" in listed(engine, place)
    assert len(watch_threads()) == 2
    engine.close()


def _commit(word: str, count: int) -> str:
    """A branch of that name for `git fast-import`, with a definition in each of many files."""
    lines = [f"commit refs/heads/{word}\ncommitter A <a@example.invalid> 1 +0000\ndata 0\n"]
    for i in range(count):
        text = f"def {word}_{i}(): pass\n"
        lines.append(f"M 644 inline p{i % 50}/m{i}.py\ndata {len(text)}\n{text}")
    return "".join(lines)


@linux_only
@pytest.mark.slow
def test_a_checkout_of_thousands_of_files_is_a_sync(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 5_000
    root = Path(os.path.realpath(tmp_path)) / "tree"
    root.mkdir()
    git(root, "init", "-q")
    history = "".join(_commit(word, count) for word in ("main", "other"))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input=history.encode(), check=True)
    git(root, "checkout", "-qf", "main")
    engine = watching_engine(home)
    engine.index(str(root))
    until_watched(engine, root)
    syncs = count_syncs(monkeypatch)
    git(root, "switch", "-q", "other")
    assert engine.search(f"other_{count - 1}", str(root)).hits[0].path == f"p49/m{count - 1}.py"
    until_watched(engine, root)
    working = [stats for stats in syncs if stats.changes]
    assert 1 <= len(working) <= 2
    assert sum(stats.modified for stats in working) == sum(stats.parsed for stats in working) == count
    assert engine.paths(str(root), limit=1).freshness.head == git(root, "rev-parse", "HEAD").strip()
    assert {step.new for step in engine.status(str(root)).transitions} == {"indexing", "indexed", "sync_completed"}
    assert [step.new for step in engine.status(str(root)).transitions].count("indexing") == 1, "never a rebuild"
    engine.close()


# -- whatever happens, an answer is the tree ----------------------------------------------------------

NAMES = ("a.py", "b.py", "pkg/a.py", "pkg/deep/c.py", "x.log", "notes", "\udcff.py", "x\\y.py", "c:d.py")
FOLDERS = ("pkg", "pkg/deep", "new", "notes")
RULES = ("", "*.log\n", "pkg/\n", "*.py\n!a.py\n", "/notes\n")
names, folders = st.sampled_from(NAMES), st.sampled_from(FOLDERS)
operation = st.one_of(
    st.tuples(st.sampled_from(("write", "append", "truncate", "chmod", "delete", "in", "out", "link")), names, names),
    st.tuples(st.sampled_from(("rename", "hard link", "soft link")), names, names),
    st.tuples(st.sampled_from(("make folder", "drop folder", "fill folder", "out folder")), folders, names),
    st.tuples(st.just("move folder"), folders, folders),
    st.tuples(st.just("rule"), st.sampled_from((".gitignore", "pkg/.clewignore")), st.sampled_from(RULES)),
    st.tuples(st.sampled_from(("track", "commit", "watched")), names, names),
)


def play(engine: Engine, root: Path, serial: int, action: str, name: str, other: str) -> None:
    """One change of the tree; what makes no sense now fails and changes nothing."""
    path, target_path, outside = root / name, root / other, root.parent / "outside"
    if action == "watched":
        return until_watched(engine, root)
    if action in ("track", "commit"):
        where = ("add", "-f", "--", name) if action == "track" else ("commit", "-q", "--allow-empty", "-m", "step")
        if action == "commit" or path.is_file():
            git(root, *where)
        return None
    if action in ("write", "append", "truncate", "rule", "link") and path.is_symlink():
        return None
    try:
        match action:
            case "write":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"def name_{serial}(): pass\n")
            case "append":
                with path.open("r+") as file:
                    file.seek(0, 2)
                    file.write(f"# {serial}\n")
            case "truncate":
                os.truncate(path, 0)
            case "chmod":
                path.chmod(0o600 + serial % 8)
            case "delete":
                path.unlink()
            case "rename":
                path.rename(target_path)
            case "hard link":
                os.link(path, target_path)
            case "soft link":
                path.symlink_to(target_path)
            case "in" | "link":
                outside.mkdir(exist_ok=True)
                (outside / "came").write_text(f"came = {serial}\n")
                (outside / "came").rename(path) if action == "in" else os.link(outside / "came", path)
                (outside / "came").unlink(missing_ok=True)
            case "out":
                path.rename(root.parent / f"gone{serial}")
            case "make folder":
                path.mkdir(parents=True)
            case "drop folder":
                shutil.rmtree(path)
            case "fill folder":
                write_tree(path, {"f.py": f"f = {serial}\n", "sub/g.py": f"g = {serial}\n"})
            case "out folder":
                path.rename(root.parent / f"gone{serial}")
            case "move folder":
                path.rename(target_path)
            case "rule":
                path.write_text(other)
    except OSError:
        pass


def truth(engine: Engine, root: Path) -> dict[str, str]:
    """What an answer speaks of: each path with the hash of its content. Called coalesced, it may be stale."""
    found = engine.paths(str(root))
    for _ in range(50):
        if found.freshness.decision != "coalesced":
            break
        found = engine.paths(str(root))
    assert found.freshness.decision in ("fresh", "synced"), found.freshness
    store = engine.resolve(str(root)).store
    with store.read() as connection:
        row = codebases.find_codebase(connection, str(root))
        assert row is not None
        snapshot = snapshots.find_snapshot(connection, row.id)
        assert snapshot is not None
        entries = snapshots.entries(connection, snapshot.id)
        hashes = {path: snapshots.blob_hash(connection, entry.blob or 0) for path, entry in entries.items()}
    assert sorted(hashes) == [item.path for item in found.items]
    return hashes


def disk(root: Path) -> dict[str, str]:
    """What a walk finds, with the hash of each content."""
    return {path: git_blob_hash((root / path).read_bytes()).hex() for path in walk(str(root)).files}


@linux_only
@pytest.mark.slow
@given(script=st.lists(operation, min_size=4, max_size=12))
@example(script=[("hard link", "a.py", "b.py"), ("watched", "a.py", "a.py"), ("append", "b.py", "b.py")])
@example(
    script=[("watched", "a.py", "a.py"), ("write", "\udcff.py", ""), ("write", "x\\y.py", ""), ("delete", "a.py", "")]
)
@example(
    script=[
        ("rule", ".gitignore", "*.log\n"),
        ("write", "x.log", ""),
        ("write", "notes", ""),
        ("watched", "", ""),
        ("track", "x.log", ""),
        ("rule", ".gitignore", "/notes\n"),
        ("track", "notes", ""),
    ]
)
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_change_an_answer_is_the_tree(script: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write_tree(Path(os.path.realpath(folder)) / "tree", FILES)
        git(root, "init", "-q")
        engine = watching_engine(root.parent / "home")
        try:
            engine.index(str(root))
            until_watched(engine, root)
            for serial, (action, name, other) in enumerate(script):
                play(engine, root, serial, action, name, other)
                assert truth(engine, root) == disk(root), (serial, action, name, other)
        finally:
            engine.close()


@linux_only
def test_a_file_that_came_ignored_and_is_tracked_later_is_found(tmp_path: Path) -> None:
    """Nothing was ignored when the tree was walked, so nothing had asked git's index: it counts all the same."""
    root = write_tree(tmp_path / "tree", {**FILES, ".gitignore": "*.log\n"})
    git(root, "init", "-q")
    pause_s = 2 * RACY_NS / 1e9
    time.sleep(pause_s)
    make_engine(tmp_path / "home").index(str(root))
    (root / "a").write_text("")
    (root / "a").unlink()  # the next look is a walk that finds nothing to read
    time.sleep(pause_s)
    engine = watching_engine(tmp_path / "home")
    try:
        until_watched(engine, root)
        (root / "x.log").write_text("log = 1\n")
        assert truth(engine, root) == disk(root)
        git(root, "add", "-f", "--", "x.log")
        assert "x.log" in truth(engine, root)
    finally:
        engine.close()
