"""Runs git for the source tests."""

from __future__ import annotations

import subprocess
from pathlib import Path


def run_git(root: Path | str, *arguments: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(["git", *arguments], cwd=root, input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
