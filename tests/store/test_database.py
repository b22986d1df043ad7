"""Migrations by number, errors made plain, and paths that only their owner may read."""

from __future__ import annotations

import shutil
import stat
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import apsw
import pytest
import zstandard

from clew.errors import StoreCorrupt, StoreError, StoreFull, StoreTooNew
from clew.packing import unpack
from clew.relations import Wanted
from clew.search.filters import Scope
from clew.search.pattern import TextQuery
from clew.store import database, edges
from clew.store.packs import EdgesInRows
from clew.store.store import Store
from tests.conftest import make_engine, write_tree
from tests.dump import graph


def schema(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()


@pytest.mark.parametrize("folder", ["migrations", "registry_migrations"])
def test_a_fresh_database_is_all_migrations_in_order(tmp_path: Path, folder: str) -> None:
    opened = database.connect(tmp_path / "new.db", folder)
    plain = apsw.Connection(str(tmp_path / "plain.db"))
    scripts = sorted(
        (item for item in resources.files("clew.store").joinpath(folder).iterdir() if item.name.endswith(".sql")),
        key=lambda item: item.name,
    )
    assert [item.name[:4] for item in scripts] == [f"{i:04}" for i in range(1, len(scripts) + 1)]
    plain.create_scalar_function("repacked", lambda *_: None)
    for name in ("packed_edges", "packed_loose"):
        plain.create_aggregate_function(name, EdgesInRows)
    for script in scripts:
        plain.execute(script.read_text(encoding="utf-8"))
    assert schema(opened) == schema(plain)
    assert opened.pragma("user_version") == len(scripts) == database.schema_version(folder)
    assert opened.pragma("journal_mode") == "wal"


def test_an_older_database_gets_what_it_lacks_and_a_failing_migration_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    scripts = ["CREATE TABLE one (x); INSERT INTO one VALUES (1)"]
    monkeypatch.setattr(database, "_migrations", lambda _: tuple(scripts))
    database.connect(path, "x").close()
    scripts += ["CREATE TABLE two (y)", "ALTER TABLE one ADD COLUMN z DEFAULT 7"]
    connection = database.connect(path, "x")
    assert connection.execute("SELECT x, z FROM one").fetchall() == [(1, 7)]
    assert connection.pragma("user_version") == 3
    connection.close()
    scripts += ["CREATE TABLE four (x); CREATE TABLE one (again)"]
    with pytest.raises(apsw.SQLError):
        database.connect(path, "x")
    scripts.pop()
    connection = database.connect(path, "x")
    assert connection.pragma("user_version") == 3
    assert [row[1] for row in schema(connection)] == ["one", "two"]
    connection.close()


def _with_zstd(*values: Any) -> Any:
    (packed,) = values
    return zstandard.compress(unpack(packed)) if packed else packed


def _edges_in_rows(connection: apsw.Connection) -> None:
    """Edges as they were before they were packed."""
    scripts = resources.files("clew.store").joinpath("migrations")
    graph = scripts.joinpath("0006_graph.sql").read_text(encoding="utf-8")
    for table in ("edge", "loose"):
        begin = graph.index(f"CREATE TABLE {table} (")
        connection.execute(graph[begin : graph.index("CREATE INDEX", begin)])
        connection.execute(f"CREATE INDEX {table}_source ON {table} (snapshot, source)")
    files: list[Any] = connection.execute("SELECT snapshot, number FROM graph_file").fetchall()
    for snapshot, number in files:
        for row in edges.out_of_file(connection, snapshot, number):
            connection.execute("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?, ?)", (snapshot, *row))
        for loose in edges.loose_out_of_file(connection, snapshot, number):
            connection.execute("INSERT INTO loose VALUES (?, ?, ?, ?, ?)", (snapshot, *loose))
    for table in ("packed_edge", "used_by", "loose_name"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 9")


def test_edges_that_had_rows_of_their_own_are_packed(tmp_path: Path) -> None:
    code = "import os\nfrom b import two, Three\n\ndef one(x):\n    x.close()\n    os.getcwd()\n"
    code += "    return two() + Three().four\n"
    other = "class Three:\n    four = 4\n\n\ndef two(): ...\n"
    root = write_tree(
        tmp_path / "tree", {"a.py": code, "b.py": other, "c.py": "", "d.py": "import b\nb.two().open()\n"}
    )
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    tables = ("packed_edge", "used_by", "loose_name", "file_edge", "graph_file", "external")
    expected = {name: store.connection().execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    assert all(expected.values()) and graph(store)["loose"]
    engine.close()
    old = apsw.Connection(str(store.database))
    _edges_in_rows(old)
    old.close()
    engine = make_engine(tmp_path / "home")
    store = engine.resolve(str(root)).store
    assert {name: store.connection().execute(f"SELECT * FROM {name}").fetchall() for name in tables} == expected
    assert [*graph(store)] and all(check.ok for check in engine.doctor().checks)
    engine.close()


def _make_old(path: Path, *more: str) -> None:
    """A database as the version before LZ4 left it."""
    connection = apsw.Connection(str(path))
    _edges_in_rows(connection)
    connection.create_scalar_function("as_before", _with_zstd)
    connection.execute("UPDATE blob SET bytes = as_before(bytes)")
    connection.execute("UPDATE facts SET links = as_before(links), uses = as_before(uses)")
    for statement in more:
        connection.execute(statement)
    connection.execute("PRAGMA user_version = 8")
    connection.close()


def test_what_was_packed_by_an_earlier_version_is_packed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def one():\n    return two()\n\n\ndef two(): ...\n"
    root = write_tree(tmp_path / "tree", {"a.py": code, "b.txt": "", "c.md": "# one\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    path = engine.resolve(str(root)).store.database
    engine.close()

    def answers() -> list[object]:
        engine = make_engine(tmp_path / "home")
        used = engine.references(Wanted("two"), str(root)).references
        matches = engine.grep(TextQuery("one"), str(root)).matches
        assert all(check.ok for check in engine.doctor().checks)
        engine.close()
        return [used, matches]

    expected = answers()
    _make_old(path)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(StoreError, match=r"install the Python package zstandard .* or run `clew clear`"):
            answers()
        copy = shutil.copytree(tmp_path / "home", tmp_path / "other")
        engine = make_engine(copy)
        engine.clear(str(root))
        engine.index(str(root))
        assert engine.grep(TextQuery("one"), str(root)).matches == expected[1]
        engine.close()
    assert answers() == expected


def test_one_damaged_content_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.txt": "alpha one\n", "b.txt": "beta two\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    path = engine.resolve(str(root)).store.database
    engine.close()
    _make_old(path, "UPDATE blob SET bytes = x'0102030405' WHERE id = (SELECT min(id) FROM blob)")
    engine = make_engine(tmp_path / "home")
    only = Scope(include=("b.txt",))
    assert [match.path for match in engine.grep(TextQuery("two"), str(root), scope=only).matches] == ["b.txt"]
    with pytest.raises(StoreCorrupt, match="`clew clear`, then `clew index`"):
        engine.grep(TextQuery("one"), str(root))
    engine.close()


def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = database.connect(path, "migrations")
    connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreTooNew, match="schema 99"):
        database.connect(path, "migrations")
    assert connection.pragma("user_version") == 99
    connection.close()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (apsw.CorruptError, StoreCorrupt),
        (apsw.NotADBError, StoreCorrupt),
        (apsw.FullError, StoreFull),
        (apsw.ReadOnlyError, StoreError),
        (apsw.CantOpenError, StoreError),
        (apsw.IOError, StoreError),
        (apsw.BusyError, StoreError),
    ],
)
def test_errors_of_sqlite_are_made_plain(tmp_path: Path, error: type[Exception], expected: type[Exception]) -> None:
    path = tmp_path / "clew.db"
    with pytest.raises(expected, match=str(path)), database.translated(path):
        raise error("played")


def test_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.create()
    count = "SELECT count(*) FROM transition"
    with pytest.raises(ZeroDivisionError), store.write() as connection:
        connection.execute("INSERT INTO transition (root, run, at, old, new, cause) VALUES ('', '', '', '', '', '')")
        raise ZeroDivisionError
    assert store.connection().execute(count).get == 0
    with store.write() as connection:
        connection.execute("INSERT INTO transition (root, run, at, old, new, cause) VALUES ('', '', '', '', '', '')")
    assert store.connection().execute(count).get == 1
    store.close()


def test_only_the_owner_may_look_into_the_home(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    home = tmp_path / "deep" / "er" / "home"
    engine = make_engine(home)
    engine.index(str(root))
    engine.search("x", str(root))
    engine.repair(str(root))
    engine.close()
    made = [home.parent.parent, home.parent, home, home / "stores", *(home / "stores").iterdir()]
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
