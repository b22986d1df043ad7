"""Incremental ≡ rebuild: whatever happens to a tree, a sync ends where a fresh index would."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import NotFound
from tests import dump
from tests.conftest import git, make_engine, write_tree

RACY_NS = 20_000_000  # longer than a tick of any kernel's clock
BODIES = (
    "def alpha(value):\n    return beta(value)\n\n\ndef beta(value):\n    return value + 1\n",
    "class Gamma:\n    '''Computes the total.'''\n\n    def delta(self, value):\n        return self.total(value)\n",
    "import os\nfrom alpha import beta\n\nepsilon_zeta = 1\n",
    "",
    "# only a comment\n",
    "def alpha(:\n  broken((\n",
    "x = '\xe9'\n".encode("latin-1").decode("latin-1"),
    "\0binary\0",
    "y" * 5_000,
    "def alpha(value):\n    return beta(value)\r\n",
)
NAMES = ("a.py", "b.py", "pkg/a.py", "pkg/deep/c.py", "README", "lib/x.js", "min.js", "notes.md", "data.po", "run")
IGNORES = ("*.js\n", "pkg/\n", "!pkg/a.py\n*.py\n", "", "README\n/lib\n")

file_names = st.sampled_from(NAMES)
step = st.one_of(
    st.tuples(st.just("write"), file_names, st.integers(0, len(BODIES) - 1)),
    st.tuples(st.just("delete"), file_names, st.just(0)),
    st.tuples(st.just("rename"), file_names, st.integers(0, len(NAMES) - 1)),
    st.tuples(st.just("ignore"), st.sampled_from((".gitignore", "pkg/.gitignore", ".clewignore")),
              st.integers(0, len(IGNORES) - 1)),
    st.tuples(st.just("commit"), st.just(""), st.just(0)),
    st.tuples(st.just("switch"), st.sampled_from(("main", "other")), st.just(0)),
    st.tuples(st.just("sync"), st.just(""), st.just(0)),
    st.tuples(st.just("rest"), st.just(""), st.just(0)),
)  # fmt: skip


def play(root: Path, action: str, name: str, number: int) -> None:
    """One change of the tree; those that make no sense now do nothing."""
    path = root / name
    if action == "write" and not path.is_dir():
        write_tree(root, {name: BODIES[number]})
    elif action == "delete" and path.is_file():
        path.unlink()
    elif action == "rename" and path.is_file():
        target = root / NAMES[number]
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
    elif action == "ignore":
        write_tree(root, {name: IGNORES[number]})
    elif action == "commit":
        git(root, "add", "-A", "-f")
        git(root, "commit", "-qm", "step", "--allow-empty")
    elif action == "rest":
        time.sleep(RACY_NS / 1e9)  # until the time stamps so far are old enough to be believed
    elif action == "switch":
        git(root, "stash", "-u", "-q") if git(root, "status", "--porcelain") else None
        git(root, "switch", "-q", name)


@pytest.mark.slow
@given(script=st.lists(step, max_size=14))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_script_then_sync_equals_a_fresh_index(
    monkeypatch: pytest.MonkeyPatch, script: list[tuple[str, str, int]]
) -> None:
    for module in ("clew.source.footprint", "clew.index.sync"):
        monkeypatch.setattr(f"{module}.RACY_NS", RACY_NS)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "tree"
        root.mkdir()
        git(root, "init", "-q")
        write_tree(root, {"a.py": BODIES[0], "pkg/a.py": BODIES[1], "lib/x.js": "function alpha() { beta() }\n"})
        play(root, "commit", "", 0)
        git(root, "branch", "other")
        grown = make_engine(root.parent / "grown")
        grown.index(str(root))
        for action, name, number in script:
            if action == "sync":
                grown.sync(str(root))
            else:
                play(root, action, name, number)
        grown.sync(str(root))
        fresh = make_engine(root.parent / "fresh")
        fresh.index(str(root))
        try:
            assert dump.state(grown, root) == dump.state(fresh, root)
            assert grown.doctor().orphans == 0
            assert all(check.ok for check in grown.doctor().checks)
        finally:
            grown.close()
            fresh.close()


def test_force_gives_the_same_index_again(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0], "b/c.py": BODIES[1], "d.po": "msgid"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    before = dump.state(engine, root)
    engine.index(str(root), force=True)
    assert dump.state(engine, root) == before
    engine.close()


def test_renaming_a_directory_parses_nothing(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"old/m{i}.py": f"def alpha_{i}(): pass\n" for i in range(500)})
    engine = make_engine(tmp_path / "home")
    assert engine.index(str(root)).parsed == 500
    (root / "old").rename(root / "new")
    stats = engine.sync(str(root))
    assert (stats.moved, stats.parsed, stats.added, stats.removed) == (500, 0, 0, 0)
    assert engine.search("alpha_77", str(root)).hits[0].path == "new/m77.py"
    engine.close()


def test_an_unchanged_file_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0], "b.py": BODIES[1]})
    import os

    for name in ("a.py", "b.py"):
        os.utime(root / name, ns=(time.time_ns() - 10**12, time.time_ns() - 10**12))
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    time.sleep(0.06)  # past the time in which a stat cannot be believed
    engine.sync(str(root))

    def no_reading(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("clew.source.reading.FileReader.read", no_reading)
    stats = engine.sync(str(root))
    assert (stats.read, stats.parsed, stats.files) == (0, 0, 2)
    engine.close()


def test_same_content_is_parsed_and_stored_once(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0], "copy/a.py": BODIES[0], "copy/b.py": BODIES[0]})
    engine = make_engine(tmp_path / "home")
    stats = engine.index(str(root))
    assert (stats.parsed, stats.files) == (1, 3)
    connection = engine.resolve(str(root)).store.connection()
    assert connection.execute("SELECT count(*) FROM blob").get == 1
    [hit] = engine.search("alpha", str(root)).hits
    assert {hit.path, *hit.also} == {"a.py", "copy/a.py", "copy/b.py"}
    engine.close()


def test_worktrees_and_branches_share_what_they_have_in_common(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0], "b.py": BODIES[1]})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    write_tree(tmp_path / "side", {"b.py": BODIES[2]})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    stats = engine.index(str(tmp_path / "side"))
    assert stats.parsed == 1
    assert engine.resolve(str(root)).store is engine.resolve(str(tmp_path / "side")).store
    assert not engine.search("epsilon_zeta", str(root)).hits
    assert engine.search("epsilon_zeta", str(tmp_path / "side")).hits[0].path == "b.py"
    engine.clear(str(tmp_path / "side"))
    assert engine.search("delta", str(root)).hits[0].path == "b.py"
    assert engine.doctor().orphans == 0
    engine.close()


def test_a_clear_leaves_nothing_of_the_codebase(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0]})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store.directory
    engine.clear(str(root))
    assert not store.exists()
    assert engine.list() == []
    assert sorted(p.name for p in root.iterdir()) == ["a.py"]
    shutil.rmtree(tmp_path / "home")
    engine.close()


def test_a_sync_of_named_files_equals_a_whole_one(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0], "b.py": BODIES[1], "c.py": BODIES[2]})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    write_tree(root, {"a.py": BODIES[4], "new/d.py": BODIES[0], "ignored/e.py": "x = 1\n"})
    (root / "b.py").unlink()
    stats = engine.sync(str(root), files=["a.py", "b.py", "new/d.py", "never.py"])
    assert (stats.modified, stats.removed, stats.added) == (1, 1, 1)
    assert [item.path for item in engine.paths(str(root)).items] == ["a.py", "c.py", "ignored/e.py", "new/d.py"]
    write_tree(root, {".gitignore": "ignored/\n"})
    stats = engine.sync(str(root), files=[".gitignore"])
    assert stats.removed == 1, "a changed ignore file must lead to a walk"
    engine.close()


def test_an_ignored_directory_is_no_empty_answer_and_can_be_indexed_on_its_own(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": BODIES[0], ".gitignore": "vendor/\n", "vendor/lib/v.py": BODIES[1]})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    with pytest.raises(NotFound, match="ignored"):
        engine.search("delta", str(root / "vendor"))
    assert engine.root_for_index(str(root / "vendor" / "lib")) == str(root / "vendor" / "lib")
    engine.index(str(root / "vendor"))
    assert engine.search("delta", str(root / "vendor")).hits[0].path == "lib/v.py"
    assert [item.path for item in engine.paths(str(root)).items] == [".gitignore", "a.py"]
    engine.close()
