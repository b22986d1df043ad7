"""Segments are derived: rebuilt from the database it gives the same answers, and nothing is parsed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clew import Engine
from clew.errors import StoreCorrupt
from clew.store import derive, integrity, leases
from clew.store import sweep as sweeping
from clew.store.segments import CHUNK_BITS, merge_arrays, write_segment
from clew.store.sweep import sweep
from tests import dump
from tests.conftest import git, make_engine, write_tree


def module(i: int) -> str:
    alpha = f"def alpha_{i}(value):\n    return beta(value, {i})\n\n\n"
    return alpha + f"class Gamma{i}:\n    def delta(self):\n        return {i}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(derive, "TAIL_CHUNKS", 5)
    return write_tree(tmp_path / "tree", {f"m{i}.py": module(i) for i in range(30)})


def no_parsing(*_: object, **__: object) -> None:
    raise AssertionError("something was parsed")


def test_a_rebuild_gives_identical_answers_without_parsing(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.index(str(root))
    write_tree(root, {"m3.py": module(333), "late.py": module(900)})
    engine.sync(str(root))
    before = dump.state(engine, root)
    store = engine.resolve(str(root)).store
    monkeypatch.setattr("clew.index.worker.extract", no_parsing)
    monkeypatch.setattr("clew.index.worker.work", no_parsing)
    for _ in range(3):
        assert engine.repair(str(root)).files == 31
        assert dump.state(engine, root) == before
    shutil.rmtree(store.directory / "lexical")
    engine.repair(str(root))
    assert dump.state(engine, root) == before
    sweep(store)
    names = derive.derived(store.connection()).segments
    assert {path.stem for path in (store.directory / "lexical").iterdir()} == set(names)


def test_a_rebuild_of_nothing(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "empty", {"data.csv": "a,b\n"})
    engine.index(str(root))
    assert engine.repair(str(root)).files == 0
    assert engine.search("anything", str(root)).hits == ()
    write_tree(root, {"a.py": "def alpha(): pass\n"})
    assert engine.search("alpha", str(root)).hits


def test_a_lost_candidate_index_never_seems_empty(engine: Engine, root: Path) -> None:
    """Neither a sweep nor a longer tail may put an empty index in its place: answers would lack files."""
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    engine.close()
    shutil.rmtree(store.directory / "lexical")
    again = make_engine(engine.config.home)
    write_tree(root, {f"m{i}.py": module(1_000 + i) for i in range(20)})
    with pytest.raises(StoreCorrupt, match="clew repair"):
        again.search("alpha_25", str(root))
    again.repair(str(root))
    assert again.search("alpha_25", str(root)).hits[0].path == "m25.py"
    assert again.search("alpha_1007", str(root)).hits[0].path == "m7.py"
    assert all(check.ok for check in again.doctor().checks)
    again.close()


# -- what an inspection finds -----------------------------------------------------------------------


def test_a_sound_store_has_nothing_to_say(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    found = integrity.inspect(engine.resolve(str(root)).store)
    assert (found.problems, found.orphans) == ((), 0)
    assert found.summary == "30 blobs, 0 waiting for removal, 0 orphans"


def test_a_store_that_is_gone(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    engine.close()
    shutil.rmtree(store.directory)
    assert "clew index" in integrity.inspect(store).problems[0]
    assert engine.status(str(root)).state == "not_found"
    assert not engine.doctor().checks[0].ok


def test_a_missing_candidate_index(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    engine.close()
    shutil.rmtree(store.directory / "lexical")
    fresh = make_engine(engine.config.home)
    (problem,) = integrity.inspect(fresh.resolve(str(root)).store).problems
    assert "clew repair" in problem
    fresh.close()


def test_a_segment_that_lacks_what_it_should_have(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    with store.exclusive() as connection:
        (name,) = derive.derived(connection).segments
        segment = store.segments.open(name)
        write_segment(store.segments.path(name), merge_arrays([segment], segment.facts[2:]), segment.model)
    fresh = make_engine(engine.config.home)
    (problem,) = integrity.inspect(fresh.resolve(str(root)).store).problems
    assert problem == "the search index lacks 2 blobs: run `clew repair`"
    fresh.repair(str(root))
    assert integrity.inspect(fresh.resolve(str(root)).store).problems == ()
    fresh.close()


def test_many_small_segments_are_merged(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive, "TAIL_CHUNKS", 0)
    monkeypatch.setattr(derive, "MAX_SEGMENTS", 3)
    engine.index(str(root))
    for edition in range(6):
        write_tree(root, {f"m{edition}.py": module(1_000 + edition), f"new{edition}.py": module(2_000 + edition)})
        engine.sync(str(root))
        store = engine.resolve(str(root)).store
        assert len(derive.derived(store.connection()).segments) <= 4
    fresh = make_engine(engine.config.home.parent / "another")
    fresh.index(str(root))
    assert dump.state(engine, root) == dump.state(fresh, root)
    assert all(check.ok for check in engine.doctor().checks)
    fresh.close()


def test_rows_without_an_owner(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    with store.write() as connection:
        stray = 999 << CHUNK_BITS
        connection.execute("INSERT INTO chunk VALUES (?, 0, 0, 1, 1, -1, 0, x'', x'', NULL)", (stray,))
        connection.execute("INSERT INTO import VALUES (?, 'a', '', '', 0, 1)", (stray,))
        connection.execute("INSERT INTO symbol VALUES (?, 'class', 'A', 'A', 0, 1, 0, 1, 1, '', '', -1)", (stray,))
        connection.execute("INSERT INTO blob (hash, size, bytes) VALUES (x'00', 0, x'')")
    assert integrity.inspect(store).orphans == 4
    assert engine.doctor().orphans == 4
    assert not engine.symbol("A", str(root)).symbols
    sweep(store)
    sweep(store)
    assert integrity.inspect(store).orphans == 3, "an unreferenced blob is swept"


def test_files_whose_content_is_missing(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    with store.write() as connection:
        connection.execute("DELETE FROM blob WHERE id = 5")
    problems = integrity.inspect(store).problems
    assert any("1 files refer to content that is missing" in problem and "--force" in problem for problem in problems)
    engine.index(str(root), force=True)
    assert integrity.inspect(store).problems == ()
    assert engine.search("alpha_4", str(root)).hits[0].path == "m4.py"


# -- sweeps and leases ------------------------------------------------------------------------------


def test_a_sweep_marks_first_and_removes_later(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    count = "SELECT count(*) FROM blob"
    with store.write() as connection:
        connection.execute("DELETE FROM entry WHERE path = 'm0.py'")
    first = sweep(store)
    assert (first.marked, first.removed) == (1, 0)
    assert store.connection().execute(count).get == 30
    assert sweep(store).removed == 1
    assert store.connection().execute(count).get == 29
    assert sweep(store) == (0, 0)
    assert integrity.inspect(store).orphans == 0


def test_a_save_marks_what_it_replaces_and_leaves_removal_to_a_sweep(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    (root / "m0.py").unlink()
    engine.sync(str(root), files=["m0.py"])
    assert (sweeping.garbage(store.connection()), sweeping.unreferenced(store.connection())) == (1, 0)
    assert sweeping.is_due(store.connection(), 1) and not sweeping.is_due(store.connection(), 2)
    assert sweep(store) == (0, 0), "kept for a while: a switch of branches may want it back"
    with store.lease():
        assert sweep(store).removed == 0, "who asked before that sweep may still look at it"
    assert sweep(store) == (0, 1)


def test_what_a_save_replaces_stays_while_another_path_has_it(engine: Engine, root: Path) -> None:
    (root / "copy.py").write_bytes((root / "m0.py").read_bytes())
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    (root / "m0.py").unlink()
    engine.sync(str(root), files=["m0.py"])
    assert sweeping.garbage(store.connection()) == 0
    (root / "copy.py").unlink()
    engine.sync(str(root), files=["copy.py"])
    assert sweeping.garbage(store.connection()) == 1


def test_leases_count_from_the_sweep_they_were_taken_at(tmp_path: Path) -> None:
    directory = tmp_path / "leases"
    assert leases.oldest(directory) is None
    with leases.hold(directory, 9):
        with leases.hold(directory, 4), leases.hold(directory, 4):
            assert leases.oldest(directory) == 4
        assert leases.oldest(directory) == 9
        (directory / "2-1-1-1").touch()  # left behind by a process that died
        assert leases.oldest(directory) == 9
    assert leases.oldest(directory) is None
    assert list(directory.iterdir()) == []


def test_a_lease_ends_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), leases.hold(tmp_path / "leases", 1):
        raise ZeroDivisionError
    assert leases.oldest(tmp_path / "leases") is None


def test_segments_that_are_mostly_dead_are_made_anew(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    for i in range(25):
        (root / f"m{i}.py").unlink()
    engine.sync(str(root))
    sweep(store)
    sweep(store)
    (name,) = derive.derived(store.connection()).segments
    assert len(store.segments.open(name).facts) == 5
    assert engine.search("alpha_27", str(root)).hits[0].path == "m27.py"
    assert all(check.ok for check in engine.doctor().checks)


# -- the user's tree --------------------------------------------------------------------------------


def listing(root: Path) -> dict[str, tuple[int, int, int, int, bytes | None]]:
    """Every path with mode, size, times and content."""
    found = {}
    for path in [root, *sorted(root.rglob("*"))]:
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, content)
    return found


def everything(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    engine.search("alpha", str(root))
    engine.symbol("alpha_3", str(root))
    engine.paths(str(root))
    engine.outline(str(root / "m1.py"))
    engine.read(str(root / "m1.py"))
    engine.sync(str(root))
    engine.status(str(root))
    engine.index(str(root), force=True)
    engine.repair(str(root))
    engine.doctor()
    engine.clear(str(root))


@pytest.mark.parametrize("with_git", [False, True])
def test_nothing_is_written_in_the_users_tree(engine: Engine, root: Path, with_git: bool) -> None:
    (root / "link").symlink_to("m1.py")
    if with_git:
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "one")
        write_tree(root, {"m2.py": module(77)})
    before = listing(root)
    everything(engine, root)
    assert listing(root) == before


def test_a_tree_that_cannot_be_written_is_indexed(engine: Engine, root: Path) -> None:
    mount = subprocess.run(["mount", "--bind", "-o", "ro", str(root), str(root)], capture_output=True, text=True)
    if mount.returncode:
        pytest.skip(f"no read-only tree can be mounted here: {mount.stderr.strip()}")
    try:
        remount = ["mount", "-o", "remount,ro,bind", str(root)]
        subprocess.run(remount, check=True, capture_output=True)
        with pytest.raises(OSError):
            (root / "x").touch()
        before = listing(root)
        everything(engine, root)
        assert listing(root) == before
    finally:
        subprocess.run(["umount", str(root)], check=True)
    assert os.access(root, os.W_OK)
