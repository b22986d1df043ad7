"""One test for each defect that was found in indexing, so that none comes back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clew import FileContent
from clew.errors import NotIndexed
from clew.index import pool, spare
from clew.index.worker import KNOWS_BUSY
from clew.lifecycle.lock import codebase_lock
from clew.search.pattern import TextQuery
from clew.store import leases
from clew.store.sweep import sweep
from tests.conftest import make_engine, write_tree


def test_a_sweep_never_takes_a_lease_that_is_just_being_made(tmp_path: Path) -> None:
    directory = tmp_path / "leases"
    directory.mkdir()
    stop = threading.Event()

    def sweeping() -> None:
        while not stop.is_set():
            leases.oldest(directory)

    sweeper = threading.Thread(target=sweeping)
    sweeper.start()
    try:
        for _ in range(400):
            with leases.hold(directory, 7):
                assert [path.name.split("-")[0] for path in directory.iterdir()] == ["7"]
    finally:
        stop.set()
        sweeper.join()


def test_force_parses_everything_again(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(5)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    assert engine.index(str(root), force=True).parsed == 5
    engine.close()


def test_content_swept_during_an_index_of_contents_is_kept(tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "home")
    files = [FileContent("a.py", b"def alpha(): pass\n"), FileContent("b.py", b"def beta(): pass\n")]
    engine.index_content("p", files)
    engine.index_content("p", [], removed=["a.py"])
    store = engine.resolve("project:p").store

    def coming() -> list[FileContent]:
        sweep(store)
        return [FileContent("c.py", b"def alpha(): pass\n")]

    engine.index_content("p", (file for file in coming()))
    for _ in range(3):
        sweep(store)
    assert engine.search("alpha", "project:p").hits[0].path == "c.py"
    assert all(check.ok for check in engine.doctor().checks)
    engine.close()


def test_very_many_imports_do_not_end_the_run(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "import a\n" * 66_000, "b.py": "def beta(): pass\n"})
    engine = make_engine(tmp_path / "home")
    assert engine.index(str(root)).failed == 0
    assert engine.search("beta", str(root)).hits
    engine.close()


def test_a_changed_size_limit_takes_effect_on_unchanged_files(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n" * 10, "b.py": "x = 1\n"})
    small = make_engine(tmp_path / "home", max_file_bytes=50)
    small.index(str(root))
    assert not small.search("alpha", str(root)).hits
    small.close()
    large = make_engine(tmp_path / "home")
    assert large.search("alpha", str(root)).hits
    large.close()
    small = make_engine(tmp_path / "home", max_file_bytes=50)
    assert not small.search("alpha", str(root)).hits
    small.close()


def test_a_project_is_not_the_parent_of_another(tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "home")
    engine.index_content("foo", [FileContent("a.py", b"x = 1\n")])
    with pytest.raises(NotIndexed):
        engine.resolve("project:foo/bar")
    engine.close()


def test_a_question_during_another_sync_gets_the_state_before_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    with codebase_lock(engine.resolve(str(root)).store, str(root)):
        found = engine.search("alpha", str(root))
    assert (found.freshness.decision, found.hits[0].path) == ("coalesced", "a.py")
    engine.close()


def with_workers_that(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let parsing processes do something for some contents before they parse them."""
    code = "\n".join((
        "import os, sys, time", "from clew.index import worker", "from clew.parse import extract as e",
        "real = worker.extract", "def extract(content, language):", *(f"    {line}" for line in lines),
        "    return real(content, language)", "worker.extract, worker.BUSY_S = extract, 2.0", "worker.main()",
    ))  # fmt: skip
    spare.let_go()
    popen = subprocess.Popen

    def hostile(_command: list[str], **named: object) -> object:
        return popen([sys.executable, "-c", code], **named)  # type: ignore[call-overload]

    monkeypatch.setattr("clew.index.pool.subprocess.Popen", hostile)


def test_a_parser_that_crashes_or_never_ends_costs_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dies, waits = "if b'CRASH' in content: os.kill(os.getpid(), 11)", "if b'FOREVER' in content: time.sleep(600)"
    with_workers_that(monkeypatch, dies, waits)
    monkeypatch.setattr(pool, "_INLINE_TOTAL_BYTES", 0)
    monkeypatch.setattr(pool, "LIMIT_S", 2.0)
    files = {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(6)}
    files |= {"crash.py": "def gamma(): 'CRASH'\n", "slow.py": "def delta(): 'FOREVER'\n"}
    root = write_tree(tmp_path / "tree", files)
    engine = make_engine(tmp_path / "home")
    started = time.monotonic()
    stats = engine.index(str(root))
    assert time.monotonic() - started < 60
    assert (stats.files, stats.failed) == (8, 0)
    assert engine.search("alpha_3", str(root)).hits[0].symbol == "alpha_3"
    assert {hit.path for hit in engine.search("crash forever", str(root)).hits} >= {"crash.py", "slow.py"}
    assert not engine.symbol("gamma", str(root)).symbols
    engine.close()


@pytest.mark.skipif(not KNOWS_BUSY, reason="this system cannot tell a process how long it had the processor")
def test_a_busy_machine_costs_no_file_its_symbols(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: a file that was not parsed within 30 s lost its symbols for good, whatever the machine did."""
    waits, spins = "if b'STALLED' in content: time.sleep(3)", "while b'FOREVER' in content: pass"
    with_workers_that(monkeypatch, waits, spins)
    monkeypatch.setattr(pool, "_INLINE_TOTAL_BYTES", 0)
    files = {"a.py": "def alpha(): 'STALLED'\n", "b.py": "def beta(): 'FOREVER'\n", "c.py": "def gamma(): pass\n"}
    root = write_tree(tmp_path / "tree", files)
    engine = make_engine(tmp_path / "home")
    stats = engine.index(str(root))
    assert (stats.files, stats.skipped) == (3, {"parser_failed": 1})
    for name, found in (("alpha", ["a.py"]), ("beta", []), ("gamma", ["c.py"])):
        assert [symbol.path for symbol in engine.symbol(name, str(root)).symbols] == found
    assert engine.search("beta forever", str(root)).hits[0].path == "b.py"
    engine.close()


def test_a_small_file_that_keeps_its_parser_busy_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: a Kotlin file with a stray `#` was parsed in the process itself, which nothing could end."""
    broken = "fun f() {\n        g()\n        a \n      #b c(.\n" + "        x.close()\n" * 30
    root = write_tree(tmp_path / "tree", {"sound.kt": "fun alpha() = 1\n", "m.py": "def beta(): pass\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    assert engine.search("alpha", str(root)).hits[0].symbol == "alpha"
    with_workers_that(monkeypatch)  # which end sooner
    if not KNOWS_BUSY:
        monkeypatch.setattr(pool, "LIMIT_S", 3.0)
    (root / "broken.kt").write_text(broken)
    stats = engine.sync(str(root))
    assert (stats.files, stats.added, stats.skipped) == (3, 1, {"parser_failed": 1})
    assert [match.path for match in engine.grep(TextQuery("#b c"), str(root)).matches] == ["broken.kt"]
    (root / "broken.kt").write_text("fun gamma() = 2\n")
    assert engine.search("gamma", str(root)).hits[0].symbol == "gamma"
    engine.close()


def test_a_run_goes_on_when_nobody_reads_how_far_it_is(tmp_path: Path) -> None:
    """A defect once: `clew index 2>&1 | head -1` left a failed run behind, and nothing to search."""
    tree = write_tree(tmp_path / "tree", {f"m{n}.py": f"def f{n}(): ...\n" for n in range(30)})
    code = "from clew.serve import entry, progress; progress._QUIET_S = progress._LINE_EVERY_S = -1; entry.main()"
    environment = {**os.environ, "CLEW_HOME": str(tmp_path / "home"), "CLEW_WORKERS": "1"}
    read, write = os.pipe()
    os.close(read)

    def unread(*arguments: str) -> tuple[int, bytes]:
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=write)
        return done.returncode, done.stdout

    try:
        code_of_index, said = unread("index", str(tree))
        assert code_of_index == 0 and b"30 added" in said
        assert unread("status", str(tree), "--json")[1].count(b'"indexed"') >= 1
        found, said = unread("search", "f7 nowheretobefound", str(tree))  # which is told beside the answer
        assert found == 0 and b"m7.py" in said
        assert unread("search", "f7", str(tmp_path / "no tree")) == (2, b"")
        assert unread("index", "--no-such-flag")[0] == 2
    finally:
        os.close(write)


def test_a_small_file_that_is_too_deep_for_its_parser(tmp_path: Path) -> None:
    """A defect once: 600 bytes of YAML, parsed in the process itself, ended it by a segmentation fault."""
    deep = {f"{name}.yml": unit * 400 + "needle\n" for name, unit in {"dashes": "- ", "keys": "? "}.items()}
    deep["blocks.yml"] = "".join(f"{' ' * depth}a:\n" for depth in range(400)) + f"{' ' * 400}needle\n"
    sound = {"sound.yml": "".join(f"{' ' * depth}key_{depth}:\n" for depth in range(190)) + f"{' ' * 190}needle\n"}
    root = write_tree(tmp_path / "tree", deep | sound)
    engine = make_engine(tmp_path / "home")
    stats = engine.index(str(root))
    assert (stats.files, stats.skipped) == (4, {"too_deep": 3})
    found = engine.grep(TextQuery("needle"), str(root)).matches
    assert sorted(match.path for match in found) == sorted(deep | sound)
    engine.close()
