"""Making trees and repositories for the source tests."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def run_git(root: Path | str, *arguments: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(["git", *arguments], cwd=root, input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for key, content in files.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
