"""The footprint of a walk: it may say "unchanged" only when a walk would find the very same files."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.source import footprint
from clew.source.trees import walk
from tests.conftest import git, write_tree

FILES = {
    "a.py": "x = 1\n",
    "pkg/b.py": "y = 2\n",
    "pkg/deep/c.py": "z = 3\n",
    ".gitignore": "*.log\nbuild/\n",
    "build/kept.c": "int x;\n",
    "x.log": "log\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository whose time stamps are old enough to be believed; build/kept.c is tracked though ignored."""
    root = write_tree(tmp_path.resolve() / "tree", FILES)
    git(root, "init", "-q")
    git(root, "add", "-f", "build/kept.c", "a.py")
    git(root, "commit", "-qm", "one")
    time.sleep(footprint.RACY_NS / 1e9 * 1.5)
    return root


def holds(root: Path, record: str | None, known: object) -> bool:
    assert record is not None
    return footprint.look_again(str(root), record, known, frozenset()) is known  # type: ignore[arg-type]


CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": lambda root: (root / "a.py").write_text("x = 2\n"),
    "same size, same mtime": lambda root: _replace_quietly(root / "a.py"),
    "new file": lambda root: (root / "pkg" / "new.py").touch(),
    "new directory": lambda root: (root / "pkg" / "more").mkdir(),
    "removed file": lambda root: (root / "pkg" / "deep" / "c.py").unlink(),
    "rename": lambda root: (root / "a.py").rename(root / "z.py"),
    "rule edited": lambda root: (root / ".gitignore").write_text("*.txt\nbuild/\n"),
    "rule added deeper": lambda root: (root / "pkg" / ".clewignore").write_text("deep/\n"),
    "info/exclude": lambda root: (root / ".git" / "info" / "exclude").write_text("a.py\n"),
    "untracked now": lambda root: git(root, "rm", "-q", "--cached", "build/kept.c"),
    "global excludes": lambda _: _write_global("a.py\n"),
    "setting": lambda root: git(root, "config", "core.excludesFile", str(root / ".git" / "mine")),
}


def _replace_quietly(path: Path) -> None:
    before = path.stat()
    path.write_text("x = 9\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _write_global(text: str) -> None:
    target = Path(os.environ["XDG_CONFIG_HOME"]) / "git" / "ignore"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def test_nothing_changed(tree: Path) -> None:
    found = walk(str(tree))
    assert "build/kept.c" in found.files and "x.log" not in found.files
    assert holds(tree, found.footprint(), found.files)


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_noticed(tree: Path, change: str) -> None:
    found = walk(str(tree))
    record = found.footprint()
    CHANGES[change](tree)
    assert not holds(tree, record, found.files)


def test_what_changed_just_now_is_not_believed(tmp_path: Path) -> None:
    root = write_tree(tmp_path.resolve() / "tree", {"a.py": "x = 1\n"})
    found = walk(str(root))
    assert not holds(root, found.footprint(), found.files)


def test_rules_that_changed_just_now_are_never_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footprint, "RACY_NS", 10**18)  # whatever changed, changed just now
    record = walk(str(tree)).footprint()
    assert record is not None
    assert not footprint.rules_hold(str(tree), json.loads(record), frozenset())


@pytest.mark.parametrize("record", ["", "{}", "[]", "nonsense", '{"directories": 3}'])
def test_a_damaged_record_proves_nothing(tree: Path, record: str) -> None:
    assert not holds(tree, record, walk(str(tree)).files)


def test_another_codebase_inside_means_a_walk(tree: Path) -> None:
    found = walk(str(tree))
    record = found.footprint()
    assert record is not None
    assert footprint.look_again(str(tree), record, found.files, frozenset({str(tree / "pkg")})) is None


def test_an_edit_in_place_needs_no_walk(tree: Path) -> None:
    found = walk(str(tree))
    record = found.footprint()
    assert record is not None
    (tree / "a.py").write_text("x = 1000\n")
    again = footprint.look_again(str(tree), record, found.files, frozenset())
    assert again == walk(str(tree)).files
    assert again != found.files
