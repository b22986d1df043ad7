"""What the machine can do to an index: at each boundary a clear envelope, nothing lost, and a documented way back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew import Engine
from clew.errors import StoreError
from clew.index import runs
from clew.lifecycle import clock, freshness, lock
from clew.serve import tools
from clew.serve.gates import Envelope
from clew.source import reading
from clew.store import facts, snapshots
from clew.store.store import Store
from clew.types import Progress, Stat
from tests import dump
from tests.conftest import make_engine, write_tree
from tests.mortal import without_rights
from tests.serve.test_bad_input import small_disk  # noqa: F401 - a fixture

ALPHA = "def alpha():\n    return 1\n"
CHANGED = "def alpha():\n    return 'changed'\n"
BETA = "def beta():\n    return 2\n"
FAILED = ["FRESHNESS_CHECK_FAILED"]


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> Path:
    made = write_tree(tmp_path / "tree", {"a.py": ALPHA, "sub/b.py": BETA})
    engine.index(str(made))
    return made


def ask(engine: Engine, root: Path, query: str = "alpha") -> Envelope:
    return tools.call(engine, "search_codebase", {"query": query, "path": str(root)})


def call(engine: Engine, tool: str, root: Path, **arguments: Any) -> Envelope:
    return tools.call(engine, tool, {"path": str(root), **arguments})


def hits(envelope: Envelope) -> list[tuple[str, bool]]:
    assert envelope["status"] == "ok", envelope
    return [(path, hit["fresh"]) for hit in envelope["results"] for path in (hit["path"], *hit["also"])]


def codes(envelope: Envelope) -> list[str]:
    return [warning["code"] for warning in envelope["warnings"]]


def paths(engine: Engine, root: Path) -> list[str]:
    return [item.path for item in engine.paths(str(root)).items]


def store_of(engine: Engine, root: Path) -> Store:
    return engine.resolve(str(root)).store


def is_error(envelope: Envelope, reason: str, status: int, *words: str) -> None:
    assert (envelope["status"], envelope["reason"]) == ("error", reason), envelope
    assert (envelope["problem"]["type"], envelope["problem"]["status"]) == (f"urn:clew:problem:{reason}", status)
    for word in words:
        assert word in envelope["message"], envelope["message"]


def other_process(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Another process that has done its work when it says so, and stays until its standard input is closed."""
    code += "\nprint('ready', flush=True)\nsys.stdin.read()"
    command = [sys.executable, "-c", "import sys\n" + code, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=30)


def clew(engine: Engine, *arguments: str) -> dict[str, Any]:
    """A command in another process, on the same home."""
    command = [sys.executable, "-m", "clew", *arguments, "--json"]
    environment = {**os.environ, "CLEW_HOME": str(engine.config.home), "CLEW_WORKERS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# -- a busy store -----------------------------------------------------------------------------------


def test_a_transaction_of_another_connection_delays_no_answer(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "PATIENCE_S", 0.3)
    other = apsw.Connection(str(store_of(engine, root).database))
    other.execute("BEGIN IMMEDIATE")
    assert hits(ask(engine, root)) == [("a.py", True)], "nothing changed, so nothing is written"
    write_tree(root, {"a.py": CHANGED, "c.py": "def alpha_two(): pass\n"})
    envelope = ask(engine, root)
    assert (hits(envelope), envelope["freshness"]["decision"]) == ([("a.py", False)], "failed")
    assert codes(envelope) == FAILED and "another process" in envelope["warnings"][0]["message"]
    other.execute("ROLLBACK")
    other.close()
    envelope = ask(engine, root)
    assert (hits(envelope), codes(envelope)) == ([("a.py", True), ("c.py", True)], [])
    assert "changed" in envelope["results"][0]["snippet"]


@pytest.mark.slow
def test_a_store_that_another_process_writes_to_delays_no_answer(engine: Engine, root: Path) -> None:
    holder = other_process(
        "from pathlib import Path\nfrom clew.store.locks import FileLock\n"
        "held = FileLock(Path(sys.argv[1]))\nassert held.try_acquire()",
        str(store_of(engine, root).directory / "write.lock"),
    )
    write_tree(root, {"a.py": CHANGED})
    (root / "sub/b.py").unlink()
    started = time.monotonic()
    envelope = ask(engine, root)
    assert time.monotonic() - started < freshness.PATIENCE_S + 5
    assert (hits(envelope), envelope["freshness"]["decision"], codes(envelope)) == ([("a.py", False)], "failed", FAILED)
    envelope = call(engine, "get_symbol", root, name="beta")
    assert (envelope["symbols"], envelope["freshness"]["dropped"]) == ([], 1), "what is gone is not shown"
    assert call(engine, "manage_index", root, action="status")["proof"] == "valid"
    let_go(holder)
    assert hits(ask(engine, root)) == [("a.py", True)]
    assert paths(engine, root) == ["a.py"]


def test_a_sync_of_another_process_is_not_waited_for_long(engine: Engine, root: Path) -> None:
    holder = other_process(
        "from pathlib import Path\nfrom clew.lifecycle.lock import codebase_lock\nfrom clew.store.store import Store\n"
        "held = codebase_lock(Store(Path(sys.argv[1])), sys.argv[2])\nheld.__enter__()",
        str(store_of(engine, root).directory),
        str(root),
    )
    write_tree(root, {"a.py": CHANGED})
    started = time.monotonic()
    envelope = ask(engine, root)
    assert time.monotonic() - started < 5
    assert (hits(envelope), envelope["freshness"]["decision"], codes(envelope)) == ([("a.py", False)], "coalesced", [])
    let_go(holder)
    assert hits(ask(engine, root)) == [("a.py", True)]


# -- a full disk ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_disk_that_is_full_keeps_the_last_answer(
    tmp_path: Path,
    small_disk: Callable[[str], Path],  # noqa: F811
) -> None:
    disk = small_disk("4m")
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA})
    engine = make_engine(disk / "home")
    engine.index(str(root))
    assert hits(ask(engine, root)) == [("a.py", True)]
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as full, pytest.raises(OSError, match="No space left"):
        while True:
            full.write(b"x" * 4_096)
    write_tree(root, {"a.py": CHANGED, "c.py": "".join(f"def gamma_{i}(): return {i}\n" for i in range(9_000))})
    envelope = ask(engine, root)
    assert (hits(envelope), envelope["freshness"]["decision"], codes(envelope)) == ([("a.py", False)], "failed", FAILED)
    assert "no room left on the disk" in envelope["warnings"][0]["message"]
    begun = call(engine, "manage_index", root, action="sync")
    if begun["status"] == "ok":  # there was room for its first sign
        engine.wait_for_jobs()
    else:
        is_error(begun, "store_full", 507, "no room left")
    assert engine.status(str(root)).proof == "valid"
    filler.unlink()
    assert (ask(engine, root)["freshness"]["decision"], hits(ask(engine, root))[0]) == ("synced", ("a.py", True))
    assert paths(engine, root) == ["a.py", "c.py"]
    assert engine.doctor().orphans == 0 and all(check.ok for check in engine.doctor().checks)
    engine.close()


# -- a damaged search index ----------------------------------------------------------------------


def lose_directory(lexical: Path) -> None:
    shutil.rmtree(lexical)


def cut_segments(lexical: Path) -> None:
    for path in lexical.glob("*.seg"):
        os.truncate(path, path.stat().st_size // 2)


def empty_segments(lexical: Path) -> None:
    """Where such a file is mapped, touching it kills the process."""
    for path in lexical.glob("*.seg"):
        os.truncate(path, 0)


def spoil_segments(lexical: Path) -> None:
    for path in lexical.glob("*.seg"):
        path.write_bytes(b"garbage{" * 99)


@pytest.fixture
def large(engine: Engine, tmp_path: Path) -> Path:
    """A tree whose chunks are in a segment."""
    body = "".join(f"def alpha_{{0}}_{i}(value):\n    return beta_{i}(value)\n\n\n" for i in range(40))
    made = write_tree(tmp_path / "large", {f"m{i}.py": body.replace("{0}", str(i)) for i in range(12)})
    engine.index(str(made))
    engine.repair(str(made))
    return made


@pytest.mark.parametrize("is_warm", [True, False])
@pytest.mark.parametrize("damage", [lose_directory, cut_segments, empty_segments, spoil_segments])
@pytest.mark.parametrize("tool", ["search_codebase", "search_text"])
def test_a_damaged_search_index_names_its_repair_which_parses_nothing(
    engine: Engine, large: Path, tool: str, damage: Callable[[Path], None], is_warm: bool
) -> None:
    def asked() -> Envelope:
        return call(engine, tool, large, query="alpha_7_3")

    before, found = dump.answers(engine, large), asked()
    folder, empty = {"search_codebase": ("lexical", "results"), "search_text": ("exact", "matches")}[tool]
    store = store_of(engine, large)
    if not is_warm:
        engine = make_engine(engine.config.home)
    damage(store.directory / folder)
    for _ in range(2):
        is_error(asked(), "store_corrupt", 500, "clew repair", str(store.directory))
        assert asked()[empty] == []
    assert call(engine, "get_symbol", large, name="alpha_7_3")["symbols"], "what needs it not is answered"
    assert [check.ok for check in engine.doctor().checks] == [False]
    (large / "m3.py").rename(large / "moved.py")
    engine.sync(str(large))  # sweeps, and meets the damage
    (large / "moved.py").rename(large / "m3.py")
    engine.sync(str(large))
    begun = call(engine, "manage_index", large, action="repair")
    engine.wait_for_jobs()
    job = engine.jobs(str(large))[0]
    assert (job.id, job.state, job.stats["parsed"]) == (begun["job_id"], "completed", 0)
    assert dump.answers(engine, large) == before
    assert found[empty] and asked()[empty] == found[empty]
    assert [check.ok for check in engine.doctor().checks] == [True]
    engine.close()


# -- lost rights ------------------------------------------------------------------------------------


def test_a_store_that_may_not_be_entered_concerns_its_own_codebase_alone(
    engine: Engine, root: Path, tmp_path: Path
) -> None:
    other = write_tree(tmp_path / "other", {"x.py": ALPHA})
    engine.index(str(other))
    listed = tools.call(engine, "list_codebases", {})
    cold = make_engine(engine.config.home)
    with without_rights(store_of(engine, root).directory):
        for asked in (engine, cold):
            is_error(ask(asked, root), "store_error", 503, "check rights", str(engine.config.home))
            is_error(call(asked, "manage_index", root, action="status"), "store_error", 503)
            is_error(call(asked, "manage_index", root, action="create"), "store_error", 503)
            assert hits(ask(asked, other)) == [("x.py", True)]
            envelope = tools.call(asked, "list_codebases", {})
            known = {row["root"]: (row["state"], row["bucket"], row["proof"]) for row in envelope["codebases"]}
            assert known[str(root)] == ("indexed", "Ready", "probe_failed"), "a failed probe changes nothing"
            assert known[str(other)] == ("indexed", "Ready", "valid")
        assert [check.ok for check in engine.doctor().checks] == [True, False]
    for asked in (engine, cold):
        assert hits(ask(asked, root)) == [("a.py", True)]
        assert tools.call(asked, "list_codebases", {}) == listed
    cold.close()


@pytest.mark.parametrize(
    ("place", "mode"), [("leases", 0o500), ("locks", 0o000), ("write.lock", 0), ("clew.db", 0o400)]
)
def test_a_store_that_may_not_be_written_to_says_so_until_it_may(
    engine: Engine, root: Path, place: str, mode: int
) -> None:
    write_tree(root, {"a.py": CHANGED})
    path = store_of(engine, root).directory / place
    engine.close()  # its connections were opened when all was well
    with without_rights(path, mode):
        envelope = ask(engine, root)
        if envelope["status"] == "ok":
            assert (hits(envelope), codes(envelope)) == ([("a.py", False)], FAILED)
            assert "check rights" in envelope["warnings"][0]["message"]
        else:
            is_error(envelope, "store_error", 503, "check rights", place)
        assert engine.status(str(root)).proof == "valid"
    assert hits(ask(engine, root)) == [("a.py", True)], "the same engine goes on"
    assert engine.index(str(root)).files == 2


@pytest.mark.parametrize("mode", [0, 0o400, 0o100])
def test_a_tree_that_may_not_be_read_is_not_an_empty_tree(engine: Engine, root: Path, mode: int) -> None:
    with without_rights(root, mode):
        for _ in range(2):
            envelope = ask(engine, root)
            assert (envelope["freshness"]["decision"], codes(envelope)) == ("failed", FAILED)
            assert "permission" in envelope["warnings"][0]["message"].lower()
            shown = hits(envelope)
            assert shown in ([], [("a.py", True)][: mode == 0o100]), "what cannot be looked at is not shown"
            assert envelope["freshness"]["dropped"] == 1 - len(shown)
        assert [item["path"] for item in call(engine, "list_paths", root)["items"]] == ["a.py", "sub/b.py"]
        job = call(engine, "manage_index", root, action="sync")
        engine.wait_for_jobs()
        found = next(job_ for job_ in engine.jobs(str(root)) if job_.id == job["job_id"])
        assert found.state == "failed" and "cannot be walked" in (found.error or "")
        assert engine.status(str(root)).files == 2, "nothing is taken out"
    envelope = ask(engine, root)
    assert (hits(envelope), envelope["freshness"]["decision"]) == ([("a.py", True)], "fresh")


def test_a_directory_and_a_file_that_may_not_be_read_are_counted_and_come_back(engine: Engine, root: Path) -> None:
    with without_rights(root / "sub"):
        assert hits(ask(engine, root)) == [("a.py", True)]
        assert call(engine, "get_symbol", root, name="beta")["symbols"] == []
        assert engine.status(str(root)).skipped == {"unreadable_directory": 1}
    assert [s["path"] for s in call(engine, "get_symbol", root, name="beta")["symbols"]] == ["sub/b.py"]
    with without_rights(root / "a.py"):
        assert hits(ask(engine, root)) == []
        assert engine.status(str(root)).skipped == {"unreadable": 1}
        again = [ask(engine, root)["freshness"] for _ in range(2)]
        assert [found["decision"] for found in again] == ["fresh", "fresh"], "nothing changes, and nothing is written"
        assert paths(engine, root) == ["a.py", "sub/b.py"], "it is listed"
        assert call(engine, "read_file", root / "a.py")["reason"] == "bad_input"
    assert hits(ask(engine, root)) == [("a.py", True)]
    assert engine.status(str(root)).skipped == {}


# -- the clock --------------------------------------------------------------------------------------


@pytest.mark.parametrize("jump_s", [-86_400, -1, 86_400])
def test_a_clock_that_jumps_hides_no_change(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch, jump_s: int
) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + jump_s * 10**9)
    for number in range(3):
        write_tree(root, {"a.py": f"def alpha():\n    return {number}\n"})  # of the same size each time
        envelope = ask(engine, root)
        assert hits(envelope) == [("a.py", True)]
        assert f"return {number}" in envelope["results"][0]["snippet"]
    monkeypatch.setattr(time, "time_ns", real)
    write_tree(root, {"a.py": "def alpha():\n    return 9\n"})
    assert "return 9" in ask(engine, root)["results"][0]["snippet"]
    assert ask(engine, root)["freshness"]["decision"] == "fresh"


def test_a_file_from_the_future_is_looked_at_again_and_again(engine: Engine, root: Path) -> None:
    future = time.time_ns() + 86_400 * 10**9
    for number in range(3):
        write_tree(root, {"a.py": f"def alpha():\n    return {number}\n"})
        os.utime(root / "a.py", ns=(future, future))
        envelope = ask(engine, root)
        assert f"return {number}" in envelope["results"][0]["snippet"]
        assert ask(engine, root)["freshness"]["decision"] == "fresh"
        assert hits(ask(engine, root)) == [("a.py", True)]


def test_what_people_are_shown_of_the_time_decides_nothing(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([f"{year}-01-01T00:00:00.000Z" for year in range(2100, 1900, -1)])
    for module in (clock, lock, runs, sys.modules["clew.lifecycle.states"], sys.modules["clew.search.reading"]):
        monkeypatch.setattr(module, "now", lambda: next(moments))
    for number in range(2):
        write_tree(root, {f"n{number}.py": ALPHA})
        engine.sync(str(root))
    first, second = engine.jobs(str(root))[:2]
    assert first.started_at < second.started_at, "the clock went back, and yet the newest is the first"
    assert first.stats["added"] == second.stats["added"] == 1
    begun = runs.begin_create(engine._target(engine.resolve(str(root))), force=True)
    begun._pulse.beat(Progress("parse", 1, 2, 50, 100))
    envelope = ask(engine, root)
    assert (envelope["status"], envelope["indexing"]["progressPct"], envelope["retryAfterMs"]) == ("not_ready", 50, 500)
    begun.work(lambda _: None)
    assert len(hits(ask(engine, root))) == 3


def test_a_read_that_takes_long_is_not_taken_for_an_old_file(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two saves within one tick of the clock leave equal stats: what was young when it was read is not believed."""
    real, read, late_s = time.time_ns, reading.FileReader.read, [0]

    def read_slowly(reader: reading.FileReader, key: str, *, limit: int) -> tuple[bytes, Stat]:
        late_s[0] = 60
        return read(reader, key, limit=limit)

    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: real() + late_s[0] * 10**9)
        patch.setattr(reading.FileReader, "read", read_slowly)
        write_tree(root, {"a.py": CHANGED})
        stats = engine.sync(str(root), files=["a.py"])
    assert stats.modified == 1
    entry = store_of(engine, root).connection().execute("SELECT ctime_ns FROM entry WHERE path = 'a.py'").get
    assert entry == -1


# -- files that change while they are read ----------------------------------------------------------


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("times", [1, 99])
def test_a_file_replaced_while_it_is_read_is_never_mixed(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool, times: int
) -> None:
    texts = ["".join(f"def {word}_{i}():\n    return '{word}'\n" for i in range(50)) for word in ("first", "later")]
    write_tree(root, {"c.py": texts[0]})
    changes = iter(range(times))

    def flip(descriptor: int, _size: int, limit_bytes: int) -> bytes:
        half = os.read(descriptor, min(limit_bytes, len(texts[0]) // 2))
        if len(half) > len(ALPHA) * 2 and (number := next(changes, None)) is not None:
            text = texts[(number + 1) % 2].encode()
            (root.parent / "draft").write_bytes(text)
            (root / "c.py").write_bytes(text) if in_place else os.replace(root.parent / "draft", root / "c.py")
        return half + os.read(descriptor, limit_bytes)

    with monkeypatch.context() as patch:
        patch.setattr(reading, "_read_up_to", flip)
        engine.sync(str(root), files=["c.py"])
    with store_of(engine, root).read() as connection:
        entry = snapshots.entry_at(connection, 1, "c.py")
        assert entry is not None
        content = facts.content(connection, entry.blob) if entry.blob else b""
    assert (entry.skip, content.decode()) == ((None, texts[1]) if times == 1 else ("unreadable", ""))
    envelope = ask(engine, root, "first_7 later_7")
    disk = (root / "c.py").read_text()
    assert envelope["results"][0]["path"] == "c.py", "what could not be read is read by the next check"
    assert all(hit["fresh"] and hit["snippet"] in disk for hit in envelope["results"] if hit["path"] == "c.py")


def test_a_file_that_changes_between_the_check_and_the_answer_is_flagged_or_brought_in(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, changes = freshness.verify, iter([CHANGED, ALPHA, CHANGED])

    def late(*arguments: Any, **named: Any) -> bool | None:
        if (text := next(changes, None)) is not None:
            write_tree(root, {"a.py": text})
        return real(*arguments, **named)

    monkeypatch.setattr(freshness, "verify", late)
    assert hits(ask(engine, root)) == [("a.py", False)], "it changes under the second attempt too: flagged"
    envelope = ask(engine, root)
    assert hits(envelope) == [("a.py", True)] and "changed" in envelope["results"][0]["snippet"]


def test_a_copy_that_changed_is_not_called_a_copy(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(root, {"copy.py": ALPHA, "other.py": ALPHA})
    assert hits(ask(engine, root)) == [("a.py", True), ("copy.py", True), ("other.py", True)]
    monkeypatch.setattr(freshness, "PATIENCE_S", 0.1)
    other = apsw.Connection(str(store_of(engine, root).database))
    other.execute("BEGIN IMMEDIATE")
    write_tree(root, {"copy.py": CHANGED})
    envelope = ask(engine, root)
    assert (hits(envelope), codes(envelope)) == ([("a.py", True), ("other.py", True)], FAILED)
    other.execute("ROLLBACK")
    other.close()


# -- the registry -----------------------------------------------------------------------------------


def remove_registry(home: Path) -> None:
    for path in home.glob("registry.db*"):
        path.unlink()


def test_a_registry_that_is_deleted_is_made_again_by_create(engine: Engine, root: Path) -> None:
    remove_registry(engine.config.home)
    envelope = ask(engine, root)
    assert (envelope["status"], envelope["hints"]["create"]["args"]["path"]) == ("not_indexed", str(root))
    assert tools.call(engine, "list_codebases", {}) == {"status": "ok", "codebases": []}
    assert call(engine, "manage_index", root, action="create")["already_indexed"] is True
    assert hits(ask(engine, root)) == [("a.py", True)]
    assert [row["state"] for row in tools.call(engine, "list_codebases", {})["codebases"]] == ["indexed"]


def test_a_registry_that_is_damaged_names_the_file_to_delete(engine: Engine, root: Path, tmp_path: Path) -> None:
    registry = engine.config.home / "registry.db"
    remove_registry(engine.config.home)
    (tmp_path / "rubbish").write_bytes(b"rubbish" * 9_000)
    os.replace(tmp_path / "rubbish", registry)
    for envelope in (ask(engine, root), tools.call(engine, "list_codebases", {})):
        is_error(envelope, "store_corrupt", 500, str(registry), "delete that file")
    remove_registry(engine.config.home)
    assert engine.index(str(root)).parsed == 0, "the index itself was not lost"
    assert hits(ask(engine, root)) == [("a.py", True)]


# -- heartbeats -------------------------------------------------------------------------------------


def spoiled(good: str) -> Iterator[tuple[bytes | None, bool]]:
    """Heartbeats that are not one, and whether something can still be read from them."""
    sign = json.loads(good)
    yield good.encode(), True
    yield json.dumps({**sign, "of_another_version": 1}).encode(), True
    for text in ("", "{", "null", "[]", "7", json.dumps({"run": sign["run"]})):
        yield text.encode(), False
    changes: list[dict[str, Any]] = [
        {"updated_at": 5}, {"started_at": "yesterday"}, {"updated_at": "2026-01-01T00:00:00"}, {"bytes_done": "x"},
        {"bytes_total": -5}, {"files_done": True}, {"phase": None},
    ]  # fmt: skip
    for change in changes:
        yield json.dumps({**sign, "bytes_total": 9, "bytes_done": 3, **change}).encode(), False
    yield bytes(range(256)), False
    yield None, False


def test_a_spoiled_heartbeat_neither_kills_the_living_nor_wakes_the_dead(engine: Engine, root: Path) -> None:
    run = runs.begin_create(engine._target(engine.resolve(str(root))), force=True)
    (file,) = (store_of(engine, root).directory / "locks").glob("*.json")
    signs = list(spoiled(file.read_text()))
    for is_alive in (True, False):
        for content, is_readable in signs:
            file.unlink(missing_ok=True) if content is None else file.write_bytes(content)
            envelope, state = ask(engine, root), call(engine, "manage_index", root, action="status")
            if is_alive:
                assert (envelope["status"], envelope["reason"]) == ("not_ready", "indexing"), content
                assert envelope["indexing"]["phase"] == state["indexing"]["phase"] == ("begin" if is_readable else None)
                assert envelope["retryAfterMs"] > 0
            else:
                assert (envelope["status"], envelope["reason"]) == ("error", "interrupted"), content
                assert (state["status"], state["reason"]) == ("error", "interrupted"), content
            assert state["jobs"][0]["state"] == ("running" if is_alive else "interrupted"), content
        run.held.close()  # as when it dies
    assert engine.index(str(root)).files == 2
    assert engine.jobs(str(root))[0].resumes == run.job.id
    assert hits(ask(engine, root)) == [("a.py", True)]


# -- a store that is taken away ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("is_watching", [False, True])
@pytest.mark.parametrize("asks_meanwhile", [True, False])
def test_a_store_deleted_under_an_engine_is_not_answered_from(
    large: Path, engine: Engine, is_watching: bool, asks_meanwhile: bool
) -> None:
    asked = Engine(engine.config, watching=is_watching)
    deadline = time.monotonic() + 30
    while not hits(ask(asked, large)) or (is_watching and not asked.is_watched(str(large))):
        assert time.monotonic() < deadline
    directory = store_of(engine, large).directory
    shutil.rmtree(directory)
    if asks_meanwhile:
        for tool, arguments in (("search_codebase", {"query": "alpha"}), ("get_symbol", {"name": "alpha_7_3"})):
            envelope = call(asked, tool, large, **arguments)
            assert (envelope["status"], envelope["hints"]["create"]["args"]["path"]) == ("not_indexed", str(large))
        assert not directory.exists(), "a question makes no store"
        assert [row["bucket"] for row in tools.call(asked, "list_codebases", {})["codebases"]] == ["Failed"]
    write_tree(large, {"m7.py": "def quite_new(): return alpha\n"})
    assert clew(engine, "index", str(large))["stats"]["added"] == 12
    assert clew(engine, "repair", str(large))["status"] == "ok"
    assert hits(ask(asked, large, "quite_new"))[0] == ("m7.py", True)
    assert not call(asked, "get_symbol", large, name="alpha_7_3")["symbols"]
    write_tree(large, {"m7.py": "def newer_still(): return alpha\n"})
    assert hits(ask(asked, large, "newer_still"))[0] == ("m7.py", True)
    assert len(paths(asked, large)) == 12
    asked.close()


@pytest.mark.parametrize("phase", ["walk", "parse", "flip"])
def test_a_store_deleted_under_a_run_takes_nothing_with_it(engine: Engine, root: Path, phase: str) -> None:
    directory = store_of(engine, root).directory

    def remove(progress: Progress) -> None:
        if progress.phase == phase:
            shutil.rmtree(directory, ignore_errors=True)

    write_tree(root, {"a.py": CHANGED, "c.py": ALPHA})
    with pytest.raises(StoreError, match="was removed while it was in use"):
        engine.sync(str(root), watch=remove)
    assert not directory.exists()
    assert ask(engine, root)["status"] == "not_indexed"
    engine.index(str(root))
    write_tree(root, {"a.py": ALPHA})
    checking = Engine(engine.config, watch=remove)
    assert ask(checking, root)["status"] == "not_indexed", "the same in the check before an answer"
    checking.close()
    assert engine.index(str(root)).files == 3
    assert hits(ask(engine, root)) == [("a.py", True), ("c.py", True)]
    assert engine.doctor().orphans == 0


# -- death between begin and work -------------------------------------------------------------------

BEGIN = """
import os
from clew import Engine, load_config
from clew.index import runs
home, root, action = sys.argv[1:]
engine = Engine(load_config({"home": home, "workers": 1}))
target = engine._registered(engine.root_for_index(root))
begin = {
    "create": lambda: runs.begin_create(target),
    "reindex": lambda: runs.begin_create(target, force=True),
    "sync": lambda: runs.begin_sync(target),
    "repair": lambda: runs.begin_repair(target),
}[action]
run = begin()
print(run.job.id, flush=True)
sys.stdin.read()
"""


def killed_after_begin(engine: Engine, root: Path, action: str, while_alive: Callable[[], None]) -> str:
    """The id of a job whose process was killed before it did any work."""
    command = [sys.executable, "-c", "import sys\n" + BEGIN, str(engine.config.home), str(root), action]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    job = process.stdout.readline().strip()
    assert job
    try:
        while_alive()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    return job


@pytest.mark.parametrize("action", ["create", "reindex"])
def test_a_create_killed_before_its_work_is_resumed_by_name(
    engine: Engine, root: Path, tmp_path: Path, action: str
) -> None:
    tree = root if action == "reindex" else write_tree(tmp_path / "new", {"a.py": ALPHA, "sub/b.py": BETA})

    def is_not_ready() -> None:
        envelope = ask(engine, tree)
        assert (envelope["status"], envelope["indexing"]["phase"]) == ("not_ready", "begin")
        assert call(engine, "manage_index", tree, action="create")["status"] == "not_ready"
        assert call(engine, "manage_index", tree, action="status")["jobs"][0]["state"] == "running"

    job = killed_after_begin(engine, tree, action, is_not_ready)
    for tool, arguments in (("search_codebase", {"query": "alpha"}), ("get_symbol", {"name": "alpha"})):
        envelope = call(engine, tool, tree, **arguments)
        is_error(envelope, "interrupted", 409, "clew index")
        assert envelope["hints"]["create"]["args"] == {"action": "create", "path": str(tree)}
    with lock.codebase_lock(store_of(engine, tree), str(tree)):
        is_error(ask(engine, tree), "interrupted", 409)
    state = call(engine, "manage_index", tree, action="status")
    assert (state["status"], state["state"], state["bucket"]) == ("error", "indexing", "Failed")
    assert (state["jobs"][0]["job_id"], state["jobs"][0]["state"]) == (job, "interrupted")
    begun = call(engine, "manage_index", tree, action="create")
    assert begun["status"] == "ok" and not begun["already_indexed"]
    engine.wait_for_jobs()
    newest, before = engine.jobs(str(tree))[:2]
    assert (newest.id, newest.state, newest.resumes) == (begun["job_id"], "completed", job)
    assert (before.id, before.state) == (job, "interrupted")
    assert hits(ask(engine, tree)) == [("a.py", True)]
    assert engine.doctor().orphans == 0


@pytest.mark.parametrize("action", ["sync", "repair"])
def test_a_sync_killed_before_its_work_gates_nothing_and_is_not_called_running(
    engine: Engine, root: Path, action: str
) -> None:
    def is_answered() -> None:
        write_tree(root, {"a.py": CHANGED})
        envelope = ask(engine, root)
        assert (hits(envelope), envelope["freshness"]["decision"]) == ([("a.py", False)], "coalesced")

    job = killed_after_begin(engine, root, action, is_answered)
    seen: list[str] = []

    def look(_: Progress) -> None:
        seen.extend(found.state for found in engine.jobs(str(root)) if found.id == job)

    with lock.codebase_lock(store_of(engine, root), str(root)):
        assert engine.jobs(str(root))[0].state == "interrupted", "whoever else holds the codebase is not that job"
    checking = Engine(engine.config, watch=look)
    assert hits(ask(checking, root)) == [("a.py", True)], "a killed sync leaves the generation before it"
    assert seen and set(seen) == {"interrupted"}, "a check that holds the lock does not make it look alive"
    checking.close()
    engine.sync(str(root))
    assert [found.state for found in engine.jobs(str(root)) if found.id == job] == ["interrupted"]
