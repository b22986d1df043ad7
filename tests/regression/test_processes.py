"""A tree is read, never run: what lies in it is no module of Python's, wherever a command is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import write_tree

SOURCE = Path(__file__).parent.parent.parent / "src"
HOSTILE = (
    "from pathlib import Path\n"
    "Path(__file__).with_name('was-run').write_text('yes')\n"
    "raise ImportError('this is a file of the tree')\n"
)
NAMES = ("struct", "pickle", "json", "traceback", "select", "numpy", "apsw", "lz4", "click", "tree_sitter", "gc")


@pytest.mark.parametrize("how", [["-m"], ["-P", "-m"]])
def test_nothing_of_a_tree_is_run(tmp_path: Path, how: list[str]) -> None:
    """A defect once: processes that Clew started took such files for Python's own."""
    large = "\n".join(f"def f{number}(): return {number}" for number in range(3_000))
    many = {f"m{number}.py": f"import m{number - 1}\nm{number - 1}.g()\ndef g(): ...\n" for number in range(1, 1_100)}
    tree = write_tree(tmp_path / "tree", {**{f"{name}.py": HOSTILE for name in NAMES}, **many, "large.py": large})
    # `python -m` itself begins with the directory: what it needs to find Clew is Python's business, not the tree's
    if how == ["-m"]:
        for name in ("struct", "json", "select", "gc", "pickle", "traceback"):
            (tree / f"{name}.py").unlink()
    environment = {**os.environ, "CLEW_HOME": str(tmp_path / "home"), "CLEW_WORKERS": "2"}
    for command in (["index", "."], ["symbol", "f2999", "."], ["refs", "g", "--file", "m7.py"]):
        done = subprocess.run(
            [sys.executable, *how, "clew", *command],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert "failed" not in done.stdout + done.stderr
    assert not (tree / "was-run").exists()


def test_processes_are_started_in_one_way() -> None:
    for path in SOURCE.rglob("*.py"):
        if path.name not in ("processes.py", "launch.py"):
            assert '"-m"' not in path.read_text(encoding="utf-8"), path
