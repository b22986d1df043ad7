"""Trees and repositories for the source tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.source.sourcetree import run_git


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
