"""Readers never wait and never see a half state, whatever writers and sweeps do meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clew.errors import Busy
from clew.lifecycle.lock import codebase_lock
from clew.store import leases
from clew.store.sweep import sweep
from tests.conftest import make_engine, write_tree

READER = """
import sys, os
from clew.engine import Engine
from clew.config import load_config
from clew.embed.encoder import Asked
from clew.search import find
from clew.search.hits import show
from clew.search.reading import Reading
from clew.answers import Freshness
from clew.search.query import parse_query
from clew.search.filters import Filter
from clew.lifecycle import gate
root, home, stop = sys.argv[1:4]
engine = Engine(load_config({"home": home, "workers": 1}))
codebase = engine.resolve(root)
rounds = hits = 0
while not os.path.exists(stop) or rounds < 5:
    with codebase.store.read() as connection:
        snapshot = gate.require(gate.judge(codebase.store, connection, codebase.root))
        source = find.Source(codebase.store, connection, snapshot, Filter())
        ranked = list(find.Search([source], parse_query("marker_word steady"), Asked()).files())
        assert len(ranked) >= 20, f"{len(ranked)} hits"
        for hit in ranked[:8]:
            reading = Reading(codebase, connection, snapshot, Freshness("fresh", "", "", 0, None), 1 << 20)
            (shown,) = show([(reading, hit, True)])
            assert "marker_word" in shown.snippet, shown
            hits += 1
    rounds += 1
print(rounds, hits)
"""


@pytest.mark.slow
def test_two_processes_read_while_a_third_syncs_and_sweeps(tmp_path: Path) -> None:
    def text(i: int, edition: int) -> str:
        return f"def marker_word_{i}():\n    return 'marker_word steady {edition}'\n"

    root = write_tree(tmp_path / "tree", {f"m{i}.py": text(i, 0) for i in range(20)})
    home, stop = tmp_path / "home", tmp_path / "stop"
    engine = make_engine(home)
    engine.index(str(root))
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(root), str(home), str(stop)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        for _ in range(2)
    ]
    store = engine.resolve(str(root)).store
    removed = 0
    try:
        for edition in range(1, 60):
            for i in range(edition % 5, 20, 3):
                write_tree(root, {f"m{i}.py": text(i, edition)})
            engine.sync(str(root))
            removed += sweep(store).removed
            if edition % 20 == 0:
                engine.repair(str(root))
    finally:
        stop.touch()
    for reader in readers:
        output, errors = reader.communicate(timeout=60)
        assert reader.returncode == 0, errors
        assert int(output.split()[0]) >= 5
    sweep(store)
    sweep(store)
    assert removed > 0
    assert engine.doctor().orphans == 0
    assert store.connection().execute("SELECT count(*) FROM blob").get == 20
    engine.close()


def test_a_second_create_is_told_at_once(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    with codebase_lock(store, str(root)), pytest.raises(Busy):
        engine.index(str(root), force=True)
    engine.close()


def test_threads_share_an_engine(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(30)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    failures: list[BaseException] = []

    def ask(number: int) -> None:
        try:
            for _ in range(10):
                assert engine.search(f"alpha_{number}", str(root)).hits[0].path == f"m{number}.py"
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            failures.append(error)
        finally:
            engine.close()

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    engine.close()


def test_a_lease_keeps_what_its_holder_may_still_read(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n", "b.py": "def beta(): pass\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    count = "SELECT count(*) FROM blob"
    with store.lease():
        (root / "a.py").unlink()
        engine.sync(str(root))
        for _ in range(3):
            sweep(store)
        assert store.connection().execute(count).get == 2
    sweep(store)
    assert store.connection().execute(count).get == 1
    engine.close()


def test_a_lease_of_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, os; from pathlib import Path; from clew.store import leases\n"
        "held = leases.hold(Path(sys.argv[1]), 3); held.__enter__(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "leases")], check=False)
    assert list((tmp_path / "leases").iterdir())
    assert leases.oldest(tmp_path / "leases") is None
    assert not list((tmp_path / "leases").iterdir())
    with leases.hold(tmp_path / "leases", 7), leases.hold(tmp_path / "leases", 5):
        assert leases.oldest(tmp_path / "leases") == 5


def test_reusing_a_tombstoned_blob_brings_it_back(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n", "b.py": "def beta(): pass\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    (root / "a.py").unlink()
    engine.sync(str(root))
    assert store.connection().execute("SELECT count(*) FROM blob WHERE tombstone IS NOT NULL").get == 1
    write_tree(root, {"c.py": "def alpha(): pass\n"})
    stats = engine.sync(str(root))
    assert stats.parsed == 0
    for _ in range(3):
        sweep(store)
    assert engine.search("alpha", str(root)).hits[0].path == "c.py"
    assert engine.doctor().orphans == 0
    engine.close()
