"""A file that went after the last check is not found; that is no fault of who asked for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import NotFound
from tests.conftest import make_engine, write_tree


def test_reading_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def f():\n    return 1\n", "b/c.py": "x = 1\n"})
    engine = make_engine(tmp_path, recheck_ms=3_600_000)
    engine.index(str(root))
    engine.search("f", str(root))  # checked just now: the next questions believe it
    (root / "a.py").unlink()
    (root / "b" / "c.py").unlink()
    (root / "b").rmdir()
    for ask in (
        lambda: engine.read(str(root / "a.py")),
        lambda: engine.read(str(root / "b" / "c.py")),
        lambda: engine.similar(str(root / "a.py"), (1, 2)),
        lambda: engine.outline(str(root / "a.py")),
    ):
        with pytest.raises(NotFound, match="gone from the disk"):
            ask()
