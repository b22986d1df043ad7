"""HEAD, branches and configuration, read from git's files and compared with git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.source import git
from tests.conftest import write_tree as write
from tests.source.sourcetree import run_git


def _commit(repo: Path, message: str) -> str:
    run_git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return run_git(repo, "rev-parse", "HEAD").decode().strip()


def test_head_without_git_and_unborn(root: Path) -> None:
    assert (git.head(str(root)), git.branch(str(root))) == ("no-head", None)
    run_git(root, "init", "-q")
    assert (git.head(str(root)), git.branch(str(root))) == ("no-head", "main")


def test_head_loose_packed_and_detached(repo: Path) -> None:
    first = _commit(repo, "one")
    (repo / "deep").mkdir()
    assert git.head(str(repo / "deep")) == first
    run_git(repo, "checkout", "-q", "-b", "feature/x")
    run_git(repo, "pack-refs", "--all")
    assert not (repo / ".git/refs/heads/feature/x").exists()
    assert (git.head(str(repo)), git.branch(str(repo))) == (first, "feature/x")
    second = _commit(repo, "two")  # a loose reference hides the packed one
    assert git.head(str(repo)) == second
    run_git(repo, "checkout", "-q", first)
    assert (git.head(str(repo)), git.branch(str(repo))) == (first, None)


def test_head_of_a_worktree(repo: Path, tmp_path: Path) -> None:
    first = _commit(repo, "one")
    other = Path(os.path.realpath(tmp_path)) / "other"
    run_git(repo, "worktree", "add", "-q", "-b", "side", str(other))
    run_git(repo, "pack-refs", "--all")
    second = _commit(repo, "two")
    assert (git.head(str(repo)), git.branch(str(repo))) == (second, "main")
    assert (git.head(str(other)), git.branch(str(other))) == (first, "side")


def test_broken_git_files_are_no_repository(root: Path) -> None:
    for content in ("", "nonsense", "gitdir: /does/not/exist", "gitdir: \0"):
        write(root, {".git": content})
        assert git.find_repository(str(root)) is None


def test_config_follows_changes_and_includes(repo: Path, isolated_home: Path) -> None:
    key = "core.excludesfile"
    assert key not in (git.read_config(str(repo)) or {})
    write(isolated_home, {"extra": "[core]\n\texcludesFile = /one\n"})
    run_git(repo, "config", "include.path", str(isolated_home / "extra"))
    assert (git.read_config(str(repo)) or {})[key] == "/one"
    write(isolated_home, {"extra": "[core]\n\texcludesFile = /other\n"})
    assert (git.read_config(str(repo)) or {})[key] == "/other"
    write(isolated_home, {"gitconfig": "[core]\n\tautocrlf\n"})
    assert (git.read_config(str(repo)) or {})["core.autocrlf"] == "true"


def test_config_is_read_once_while_nothing_changes(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = git.read_config(str(repo))
    monkeypatch.setattr(git, "run", lambda *_: pytest.fail("ran git again"))
    assert git.read_config(str(repo)) is first


def test_without_git_installed(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _commit(repo, "one")
    monkeypatch.setenv("PATH", "/nowhere")
    assert git.read_config(str(repo)) is None
    assert git.head(str(repo)) == first


def test_hooks_of_the_tree_do_not_run(repo: Path) -> None:
    run_git(repo, "config", "core.fsmonitor", f"touch {repo}/ran; false")
    repository = git.find_repository(str(repo))
    assert repository is not None
    assert git.run(repository, "ls-files", "-z", "-s") == b""
    assert not (repo / "ran").exists()
