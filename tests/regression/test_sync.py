"""One test for each defect that an attack on the sync brought up."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from clew import Engine
from clew.parse.languages import LANGUAGES
from tests.conftest import make_engine, write_tree


def test_a_touched_file_of_an_older_extractor_is_parsed_again(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its stat made it a suspect, its equal content then passed for unchanged, and the old facts stayed."""
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(5)})
    engine.index(str(root))
    python = LANGUAGES["python"]
    monkeypatch.setitem(LANGUAGES, "python", dataclasses.replace(python, version=python.version + 1))
    for i in range(3):
        os.utime(root / f"m{i}.py", ns=(10**18, 10**18))
    assert engine.sync(str(root)).parsed == 5
    assert engine.sync(str(root)).parsed == 0


def test_a_file_that_a_new_limit_concerns_and_that_is_gone_leaves_no_ghost(tmp_path: Path) -> None:
    """What the limit made doubtful was left out of the comparison, and so was never missed."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n", "large.py": "x = 1\n" * 1_000})
    strict = make_engine(tmp_path / "home", max_file_bytes=5_000)
    strict.index(str(root))
    strict.close()
    (root / "large.py").unlink()
    lenient = make_engine(tmp_path / "home", max_file_bytes=50_000)
    assert [item.path for item in lenient.paths(str(root)).items] == ["a.py"]
    lenient.close()


def test_what_removed_files_held_leaves_the_segments(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search index once grew with every save."""
    from clew.store import derive
    from clew.store.sweep import sweep

    monkeypatch.setattr(derive, "TAIL_CHUNKS", 0)
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"alpha = {i}\n" for i in range(20)})
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    for edition in range(3):
        write_tree(root, {f"m{i}.py": f"alpha = {i}, {edition}\n" for i in range(10)})
        engine.sync(str(root))
    sweep(store)
    sweep(store)
    names = derive.derived(store.connection()).segments
    assert sum(len(store.segments.open(name).facts) for name in names) < 20 / (1 - derive.MAX_DEAD_SHARE)
