"""The trigram files are derived: whatever is lost or half written, an answer is whole or says what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.errors import StoreCorrupt
from clew.search.exact import Page
from clew.search.pattern import TextQuery
from clew.store import exact, grams
from clew.store.store import Store
from clew.store.sweep import sweep
from tests.conftest import make_engine, write_tree

pytestmark = pytest.mark.usefixtures("either_way")


def text(i: int) -> str:
    return f"number {i} of many\nshared words here\nunique_{i}_name\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(exact, "TAIL_BYTES", 200)
    return write_tree(tmp_path / "tree", {f"t{i:02}.txt": text(i) for i in range(30)})


def paths(engine: Engine, root: Path, query: str) -> list[str]:
    return [match.path for match in engine.grep(TextQuery(query), str(root), page=Page(1_000)).matches]


def store_of(engine: Engine, root: Path) -> Store:
    return engine.resolve(str(root)).store


def test_a_rebuild_from_the_database_alone_gives_the_same_answers(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    before = [paths(engine, root, query) for query in ("unique_7_name", "shared", "e")]
    store = store_of(engine, root)
    shutil.rmtree(store.directory / "exact")
    engine.repair(str(root))
    assert [paths(engine, root, query) for query in ("unique_7_name", "shared", "e")] == before
    assert exact.missing(store, store.connection()) == []


@pytest.mark.parametrize("damage", ["gone", "short", "foreign"])
def test_a_damaged_file_never_seems_empty(engine: Engine, root: Path, damage: str) -> None:
    engine.index(str(root))
    store = store_of(engine, root)
    path = store.grams.path(exact.derived(store.connection()).segments[0])
    engine.close()
    content = path.read_bytes()
    path.unlink() if damage == "gone" else path.write_bytes(content[:-70] if damage == "short" else b"x" * 500)
    again = make_engine(engine.config.home)
    with pytest.raises(StoreCorrupt, match="clew repair"):
        paths(again, root, "unique_7_name")
    assert not again.doctor().checks[0].ok
    again.repair(str(root))
    assert paths(again, root, "unique_7_name") == ["t07.txt"]
    assert again.doctor().checks[0].ok
    again.close()


def test_a_file_that_lacks_a_blob_is_found_by_the_doctor(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    store = store_of(engine, root)
    with store.write() as connection:
        connection.execute("DELETE FROM gram_segment")
    assert any("exact index lacks 30 blobs" in check.message for check in engine.doctor().checks)
    engine.repair(str(root))
    assert engine.doctor().checks[0].ok


def test_small_files_are_joined_and_what_is_dead_goes(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "MAX_SMALL", 2)
    monkeypatch.setattr(grams, "BLOCK_BYTES", 16)
    monkeypatch.setattr(grams, "OVERLAP_BYTES", 8)
    grams.windows_of.cache_clear()
    engine.index(str(root))
    store = store_of(engine, root)
    for turn in range(6):
        write_tree(root, {f"t{i:02}.txt": text(100 * (turn + 1) + i) for i in range(10)})
        engine.sync(str(root))
        assert len(exact.derived(store.connection()).segments) <= 3
        assert paths(engine, root, f"unique_{100 * (turn + 1) + 7}_name") == ["t07.txt"]
        assert paths(engine, root, "unique_7_name") == []
    for _ in range(3):
        sweep(store)
    names = exact.derived(store.connection()).segments
    held: set[int] = {blob for name in names for blob in store.grams.open(name).owners.tolist()}
    known: int = store.connection().execute("SELECT count(*) FROM blob").get
    assert known == 30 and len(held) <= known / (1 - exact.MAX_DEAD_SHARE)
    assert {path.name for path in (store.directory / "exact").iterdir()} == {f"{name}.seg" for name in names}
    assert len(paths(engine, root, "shared")) == 30
    grams.windows_of.cache_clear()


KILLED = """
import os, sys
from clew import Engine, load_config
from clew.store import exact, segments
exact.TAIL_BYTES = 200
step, home, root = sys.argv[1:]
def die(*_, **__): os._exit(9)
if step == "before": exact.write_segment = die
if step == "draft": segments.os.replace = die
if step == "after":
    real = exact.write_segment
    exact.write_segment = lambda *a: (real(*a), os._exit(9))
if step == "noted":
    real_note = exact._note
    exact._note = lambda *a: (real_note(*a), os._exit(9))
Engine(load_config({"home": home, "workers": 1})).index(root)
"""


@pytest.mark.parametrize("step", ["before", "draft", "after", "noted"])
def test_a_kill_leaves_a_longer_tail_never_a_gap(root: Path, tmp_path: Path, step: str) -> None:
    home = tmp_path / "home"
    command = [sys.executable, "-c", KILLED, step, str(home), str(root)]
    environment: dict[str, Any] = {**os.environ}
    assert subprocess.run(command, env=environment, capture_output=True).returncode == 9
    engine = make_engine(home)
    engine.index(str(root))
    assert paths(engine, root, "unique_7_name") == ["t07.txt"]
    assert len(paths(engine, root, "shared")) == 30
    assert engine.doctor().checks[0].ok
    engine.close()
