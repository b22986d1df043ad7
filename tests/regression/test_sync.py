"""One test for each defect that an attack on the sync brought up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew import Engine
from clew.parse.languages import LANGUAGES
from clew.relations import Wanted
from tests.conftest import make_engine, write_tree


def test_a_touched_file_of_an_older_extractor_is_parsed_again(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its stat made it a suspect, its equal content then passed for unchanged, and the old facts stayed."""
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(5)})
    engine.index(str(root))
    python = LANGUAGES["python"]
    monkeypatch.setitem(LANGUAGES, "python", python._replace(version=python.version + 1))
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


def test_what_was_laid_out_of_a_removed_index_is_not_shown(tmp_path: Path) -> None:
    """Ids and generations of the new index are those of the old one, and the old one's map was still there."""
    root = write_tree(tmp_path / "tree", {"a.py": "def one():\n    two()\n\n\ndef two(): ...\n"})
    kept, other = make_engine(tmp_path / "home"), make_engine(tmp_path / "home")
    kept.index(str(root))
    assert "def one" in kept.map(str(root)).text and kept.search("two", str(root)).hits
    other.clear(str(root))
    write_tree(root, {"a.py": "def three():\n    four()\n\n\ndef four(): ...\n"})
    other.index(str(root))
    assert "def three" in kept.map(str(root)).text and "def one" not in kept.map(str(root)).text
    write_tree(root, {"a.py": "def three(): ...\n\n\ndef four():\n    three()\n"})
    assert [use.start_line for use in kept.references(Wanted("three"), str(root)).references] == [5]
    for engine in (kept, other):
        engine.close()
