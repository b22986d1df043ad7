"""Identity of trees and files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import BadPath
from clew.source.roots import canonical_root, contains, default_root, family_of, file_key, guard_root
from tests.conftest import write_tree as write
from tests.source.sourcetree import run_git


def test_canonical_root_is_real_and_without_separator(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "link").symlink_to("sub")
    assert canonical_root(f"{root}/link/../link/") == str(root / "sub")
    assert canonical_root(root) == str(root)


def test_canonical_root_refuses(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"file": ""})
    Path(os.fsdecode(os.fsencode(root) + b"/\xff")).mkdir()
    (root / "loop").symlink_to("loop")
    refused: list[tuple[str | Path, str]] = [
        (root / "none", "does not exist"),
        (root / "file", "not a directory"),
        (root / "file/x", "cannot be resolved|does not exist"),
        (root / "loop", "cannot be resolved"),
        ("", "no directory name"),
        ("a\0b", "no directory name"),
        (os.fsdecode(os.fsencode(root) + b"/\xff"), "UTF-8"),
    ]
    for bad, why in refused:
        with pytest.raises(BadPath, match=why):
            canonical_root(bad)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadPath, match="may not be read"):
        canonical_root(root)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("a", "a"),
        ("./a/b", "a/b"),
        ("a\\b\\c.py", "a/b/c.py"),
        ("a//b/./c/", "a/b/c"),
        ("..a/b..", "..a/b.."),
    ],
)
def test_file_key(path: str, key: str) -> None:
    assert file_key(path) == key


@pytest.mark.parametrize(
    "path",
    ["", ".", "./", "/a", "\\a", "..", "a/../b", "a\\..\\b", "../a", "C:/a", "c:\\a", "C:a", "./C:/x", "a\0"],
)
def test_file_key_refuses(path: str) -> None:
    with pytest.raises(BadPath):
        file_key(path)


@given(st.text(alphabet="ab./\\:\0", max_size=8))
def test_file_key_is_idempotent_and_never_escapes(path: str) -> None:
    try:
        key = file_key(path)
    except BadPath:
        return
    assert file_key(key) == key
    assert os.path.normpath(os.path.join("/r", key)).startswith("/r/")


def test_contains_is_segment_wise() -> None:
    assert contains("/x/apps", "/x/apps") and contains("/x/apps", "/x/apps/a") and contains("/", "/x")
    assert not contains("/x/apps", "/x/apps-legacy") and not contains("/x/apps", "/x")


def test_default_root_is_the_top_level(repo: Path, tmp_path: Path) -> None:
    write(repo, {"a/b/c": ""})
    assert default_root(repo / "a" / "b") == str(repo)
    assert default_root(tmp_path) == os.path.realpath(tmp_path)


def test_guard_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root))
    for bad in ("/", str(root)):
        with pytest.raises(BadPath, match="--force"):
            guard_root(bad, force=False)
        guard_root(bad, force=True)
    guard_root(str(root / "x"), force=False)


def test_worktrees_share_a_family_and_others_do_not(repo: Path, tmp_path: Path) -> None:
    write(repo, {"a": "", "sub/b": ""})
    run_git(repo, "add", ".")
    run_git(repo, "commit", "-qm", "one")
    other = Path(os.path.realpath(tmp_path)) / "other"
    run_git(repo, "worktree", "add", "-q", str(other))
    assert family_of(str(repo)) == family_of(str(other)) == family_of(str(repo / "sub")) == str(repo / ".git")
    assert family_of(str(other.parent)) == str(other.parent)
    (other.parent / "plain").mkdir()
    (other.parent / "plain" / ".git").mkdir()  # empty: no repository
    assert family_of(str(other.parent / "plain")) == str(other.parent / "plain")
