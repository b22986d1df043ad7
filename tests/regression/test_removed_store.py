"""A store that goes away while others use it: they find the one that is there, or none, and make none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from clew import Engine
from clew.answers import SymbolsFound
from clew.errors import NotIndexed, StoreError, StoreGone
from clew.lifecycle import gate
from clew.store import database
from clew.store.store import Store
from tests.conftest import git, make_engine, write_tree


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    tree = str(write_tree(tmp_path / "tree", {"a.py": "def alpha(): ...\n"}))
    engine.index(tree)
    return tree


def store_of(engine: Engine, root: str) -> Store:
    return engine.resolve(root).store


def names(found: SymbolsFound) -> list[str]:
    return [item.symbol.name for item in found.symbols]


def test_whoever_asks_makes_no_store(engine: Engine, root: str) -> None:
    """A defect once: a question in flight made the database anew inside the directory that `clear` was deleting."""
    store = store_of(engine, root)
    store.database.unlink()
    with pytest.raises(StoreGone):
        store.connection()
    with pytest.raises(NotIndexed):
        engine.symbol("alpha", root)
    assert not store.database.exists()
    shutil.rmtree(store.directory)
    with pytest.raises(StoreGone):
        store.connection()
    assert not store.directory.exists()


def test_a_clear_takes_the_store_away_at_once(
    engine: Engine, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, seen = make_engine(tmp_path / "clew-home"), []
    assert names(other.symbol("alpha", root)) == ["alpha"]
    store = store_of(other, root)
    original = shutil.rmtree

    def deletes(path: Path, ignore_errors: bool) -> None:
        with pytest.raises(StoreGone):
            store.connection()
        with pytest.raises(NotIndexed):
            other.symbol("alpha", root)
        seen.append(path)
        original(path, ignore_errors=ignore_errors)

    monkeypatch.setattr("clew.lifecycle.removal.shutil.rmtree", deletes)
    engine.clear(root)
    assert len(seen) == 1 and not store.directory.exists()
    assert list(store.directory.parent.iterdir()) == []
    engine.index(root)
    assert names(other.symbol("alpha", root)) == ["alpha"], "not what is open of the one before"
    other.close()


def test_what_a_killed_clear_left_goes_with_the_next(engine: Engine, root: str) -> None:
    directory = store_of(engine, root).directory
    left = directory.with_name("tree-0.1234.removed")
    left.mkdir()
    (left / "clew.db").write_text("source")
    engine.clear(root)
    assert list(directory.parent.iterdir()) == []


def test_a_connection_that_could_not_be_made_is_tried_again(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect once: the closed connection was kept, and taken for that of the next file with the same number."""
    store = store_of(engine, root)
    known, original = database.identity(store.database), database.identity

    def fails(*_: object, **__: object) -> apsw.Connection:
        raise StoreError("played")

    with monkeypatch.context() as patch:
        patch.setattr(database, "connect", fails)
        patch.setattr(database, "identity", lambda _: (0, 0))
        with pytest.raises(StoreError):
            store.connection()
    assert original(store.database) == known
    assert names(engine.symbol("alpha", root)) == ["alpha"]


def test_a_file_that_is_replaced_while_it_is_opened(
    engine: Engine, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, original, opened = store_of(engine, root), database.connect, []
    copy = tmp_path / "copy.db"
    store.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    shutil.copy(store.database, copy)
    store.close()

    def connect(path: Path, migrations: str, *, create: bool = True) -> apsw.Connection:
        made = original(path, migrations, create=create)
        opened.append(made)
        if len(opened) == 1:
            copy.replace(path)
        return made

    monkeypatch.setattr(database, "connect", connect)
    assert store.connection() is opened[1] and len(opened) == 2


def test_a_file_that_never_stays_is_an_error(engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(engine, root)
    store.close()
    numbers = iter(range(1_000))
    monkeypatch.setattr(database, "identity", lambda _: (0, next(numbers)))
    with pytest.raises(StoreError, match="all the time"):
        store.connection()


def test_an_index_that_keeps_changing_is_an_error_that_says_so(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect once: a KeyError, where the verdict was fine again at the last look."""
    judged, original = [], gate.judge

    def judge(*arguments: object) -> gate.Standing:
        found = original(*arguments)  # type: ignore[arg-type]
        judged.append(found)
        return found if len(judged) % 2 else gate.Standing(found.root, "not_ready", found.proof)

    monkeypatch.setattr("clew.search.reading.gate.judge", judge)
    with pytest.raises(StoreError, match="changes faster"):
        engine.symbol("alpha", root)


@pytest.mark.parametrize("error", [apsw.IOError, apsw.CantOpenError])
def test_a_directory_that_is_gone_is_no_full_disk(tmp_path: Path, error: type[apsw.Error]) -> None:
    with pytest.raises(StoreGone, match="removed"), database.translated(tmp_path / "gone" / "clew.db"):
        raise error("played")


@pytest.mark.parametrize("error", [apsw.ProtocolError, apsw.LockedError])
def test_a_lock_that_is_not_to_be_had_is_told(tmp_path: Path, error: type[apsw.Error]) -> None:
    with pytest.raises(StoreError, match="try again"), database.translated(tmp_path / "clew.db"):
        raise error("played")


def test_a_store_that_is_made_while_another_is_removed_stays(
    engine: Engine, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, original = make_engine(tmp_path / "clew-home"), os.replace

    def moves(source: Path, target: Path) -> None:
        original(source, target)
        if Path(target).suffix == ".removed":
            other.index(root)

    monkeypatch.setattr("clew.lifecycle.removal.os.replace", moves)
    engine.clear(root)
    assert names(other.symbol("alpha", root)) == ["alpha"]
    other.close()


@pytest.mark.parametrize("what", ["clew.db", ""])
def test_what_shares_a_store_that_is_gone_is_cleared_and_made_anew(engine: Engine, tmp_path: Path, what: str) -> None:
    tree = write_tree(tmp_path / "tree", {"a.py": "def alpha(): ...\n"})
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    git(tree, "worktree", "add", "-q", str(tmp_path / "other"))
    roots = [str(tree), str(tmp_path / "other")]
    for each in roots:
        engine.index(each)
    store = store_of(engine, roots[0])
    gone = store.directory / what
    gone.unlink() if gone.is_file() else shutil.rmtree(gone)
    engine.clear(roots[0])
    assert [state.root for state in engine.list()] == roots[1:]
    engine.manage("reindex", roots[1])
    engine.wait_for_jobs()
    assert names(engine.symbol("alpha", roots[1])) == ["alpha"]


def test_a_store_that_is_replaced_within_a_question_is_an_error_that_says_so(engine: Engine, root: str) -> None:
    store = store_of(engine, root)
    with pytest.raises(StoreGone), store.read():
        shutil.rmtree(store.directory)
        with store.read():
            raise AssertionError("what was read counts for nothing")
    engine.index(root)
    with pytest.raises(StoreGone, match="removed"), database.translated(store.database):
        shutil.rmtree(store.directory)
        raise apsw.ConnectionClosedError("played")
    assert store.size_bytes() == 0
