"""Trees and repositories for the source tests, apart from the machine's own git configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sourcetree import run_git


@pytest.fixture(autouse=True)
def isolated_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    (home / "gitconfig").write_text(
        "[user]\n name = t\n email = t@example.org\n[init]\n defaultBranch = main\n"
        '[protocol "file"]\n allow = always\n[commit]\n gpgsign = false\n'
    )
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty directory with a canonical name, in no repository."""
    found = Path(os.path.realpath(tmp_path)) / "tree"
    found.mkdir()
    return found


@pytest.fixture
def repo(root: Path) -> Path:
    run_git(root, "init", "-q")
    return root
