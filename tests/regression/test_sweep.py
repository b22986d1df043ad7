"""One test for each defect that the sweep has had."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from clew.store import exact, leases
from clew.store import sweep as sweeping
from clew.store.derive import derived
from clew.store.store import Store
from clew.store.sweep import sweep
from tests.conftest import make_engine, write_tree


class Killed(BaseException):
    """As if the process had died here."""


def die(*_: Any, **__: Any) -> None:
    raise Killed


@pytest.mark.parametrize("name", ["remove_facts", "tidy"])
def test_what_comes_back_after_a_killed_sweep_can_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A sweep took documents out of the search index and died before it removed the facts: they were used again."""
    body = "".join(f"def alpha_{{0}}_{i}(value):\n    return beta_{i}(value)\n\n\n" for i in range(60))
    root = write_tree(tmp_path / "tree", {f"m{i}.py": body.replace("{0}", str(i)) for i in range(20)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    engine.repair(str(root))  # so that nothing is in the tail
    store = engine.resolve(str(root)).store
    moved = (root / "m7.py").rename(tmp_path / "m7.py")
    engine.sync(str(root))
    with monkeypatch.context() as patch:
        patch.setattr(sweeping, name, die)
        with pytest.raises(Killed):
            sweep(store)
    moved.rename(root / "m7.py")
    assert engine.search("alpha_7_33 value", str(root)).hits[0].path == "m7.py"
    assert [check.message for check in engine.doctor().checks if not check.ok] == []
    sweep(store)
    sweep(store)
    engine.close()


def test_a_reader_that_comes_while_a_sweep_looks_at_the_leases_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep saw no lease, replaced the segments, and removed those that a reader had just begun with."""
    body = "".join(f"def alpha_{{0}}_{i}(value):\n    return beta_{i}(value)\n\n\n" for i in range(60))
    root = write_tree(tmp_path / "tree", {f"m{i}.py": body.replace("{0}", str(i)) for i in range(20)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    engine.repair(str(root))
    store = engine.resolve(str(root)).store
    for i in range(15):  # more than may be dead
        (root / f"m{i}.py").unlink()
    engine.sync(str(root))
    reader = Store(store.directory)
    with contextlib.ExitStack() as held:
        seen: list[tuple[tuple[str, ...], tuple[str, ...]]] = []

        def look(directory: Path) -> int | None:
            found = oldest(directory)
            connection = held.enter_context(reader.read())
            seen.append((derived(connection).segments, exact.derived(connection).segments))
            return found

        oldest = leases.oldest
        with monkeypatch.context() as patch:
            patch.setattr(leases, "oldest", look)
            sweep(store)
        ((words, grams),) = seen
        connection = store.connection()
        assert (words, grams) != (derived(connection).segments, exact.derived(connection).segments), "replaced"
        assert [len(reader.segments.open(name).facts) for name in words] == [20]
        assert all(len(reader.grams.open(name).owners) for name in grams)
    sweep(store)
    assert not store.segments.path(words[0]).exists(), "and gone when nobody can need it"
    reader.close()
    engine.close()


def test_segments_lose_facts_whose_contents_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a new extractor all old facts are dead and no content is; the segments kept them."""
    body = "".join(f"def alpha_{{0}}_{i}(value):\n    return beta_{i}(value)\n\n\n" for i in range(60))
    root = write_tree(tmp_path / "tree", {f"m{i}.py": body.replace("{0}", str(i)) for i in range(20)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    engine.repair(str(root))  # so that nothing is in the tail
    monkeypatch.setattr("clew.parse.languages.EXTRACTOR", 99)
    engine.sync(str(root))
    engine.repair(str(root))
    store = engine.resolve(str(root)).store
    sweep(store)
    sweep(store)
    connection = store.connection()
    held = [store.segments.open(name).facts.tolist() for name in derived(connection).segments]
    assert sorted(number for facts in held for number in facts) == [
        number for (number,) in connection.execute("SELECT id FROM facts ORDER BY id")
    ]
    engine.close()
