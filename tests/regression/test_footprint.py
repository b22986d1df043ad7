"""One test for each defect of checks that need no walk."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.index import sync
from clew.parse.languages import LANGUAGES
from clew.source import footprint
from tests.conftest import make_engine, write_tree


@pytest.fixture(autouse=True)
def no_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files made just now count as settled, so that the second check needs no walk."""
    monkeypatch.setattr(footprint, "RACY_NS", -(10**15))
    monkeypatch.setattr(sync, "RACY_NS", -(10**15))


def test_a_changed_size_limit_is_found_without_a_walk(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n" * 10, "b.py": "x = 1\n"})
    for limit, hits in ((50, 0), (5_000, 1), (50, 0)):
        engine = make_engine(tmp_path / "home", max_file_bytes=limit)
        engine.index(str(root))
        assert len(engine.search("alpha", str(root)).hits) == hits
        engine.close()


def test_a_new_extractor_version_is_found_without_a_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n", "b.md": "# beta\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    newer = LANGUAGES["python"]._replace(version=LANGUAGES["python"].version + 1)
    monkeypatch.setitem(LANGUAGES, "python", newer)
    assert engine.sync(str(root)).parsed == 1
    assert engine.search("alpha", str(root)).hits[0].fresh
    engine.close()
