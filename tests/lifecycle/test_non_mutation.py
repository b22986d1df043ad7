"""Reads delete nothing, create nothing and index nothing: not a row, not a file, however a codebase stands.

All that Clew keeps is compared before and after every read: each row of each table of each database, and the bytes of
every other file. Left out are leases, which come and go, and what SQLite keeps beside a database that is open.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew import Engine, load_config
from clew.errors import ClewError
from clew.index import runs
from clew.lifecycle.lock import codebase_lock
from clew.serve import envelopes, gates, tools
from clew.store.locks import FileLock
from clew.types import FileContent
from tests.conftest import make_engine, write_tree
from tests.lifecycle import situations
from tests.serve.command import clew

Contents = dict[str, str]
Envelope = dict[str, Any]
TOOLS = ("search_codebase", "get_symbol", "file_outline", "read_file", "list_paths", "list_codebases", "manage_index")
READS = (*TOOLS, "jobs", "doctor")


class Place:
    """A tree and a home, and an engine that did nothing yet: the state is made by others."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.home = self.folder / "home"
        self.root = str(write_tree(self.folder / "tree", situations.FILES))
        self.engine = make_engine(self.home)
        self.engines = [self.engine]
        self.beats = False
        self.held = contextlib.ExitStack()

    def other(self) -> Engine:
        """Another process."""
        made = make_engine(self.home)
        self.engines.append(made)
        return made

    def index(self) -> Engine:
        """A whole index whose tree is known so well that a check has nothing to note."""
        other = self.other()
        other.index(self.root)
        self.settle(other)
        return other

    def settle(self, engine: Engine) -> None:
        time.sleep(0.06)  # until time stamps can be believed
        engine.paths(self.root)

    def close(self) -> None:
        self.held.close()
        for engine in self.engines:
            engine.close()

    def everything(self) -> Contents:
        """All that is kept, and the tree."""
        found = everything(self.folder)
        return {name: what for name, what in found.items() if not (self.beats and "/locks/" in name)}

    @property
    def store(self) -> Path:
        return next(iter((self.home / "stores").iterdir()))


def _ready(place: Place) -> None:
    place.index()


def _ready_after_a_sync(place: Place) -> None:
    other = place.index()
    write_tree(Path(place.root), {"c.py": "def gamma(): pass\n"})
    other.sync(place.root)
    place.settle(other)


def _synced_by_another(place: Place) -> None:
    place.held.enter_context(codebase_lock(place.index().resolve(place.root).store, place.root))


def _indexing(place: Place) -> None:
    other = place.index()
    place.held.enter_context(situations.indexing(other, place.root))


def _indexing_for_the_first_time(place: Place) -> None:
    place.held.enter_context(situations.indexing(place.other(), place.root))


def _interrupted(place: Place) -> None:
    situations.interrupt(place.index(), place.root)


def _interrupted_sync(place: Place) -> None:
    runs.begin_sync(situations.target(place.index(), place.root)).held.close()
    place.beats = True  # a check leaves a heartbeat of its own, so that the dead does not look alive


def _failed(place: Place) -> None:
    situations.fail(place.index(), place.root)


def _of_another_version(place: Place) -> None:
    other = place.index()
    situations.change_marker(other, place.root, lambda marker: {**marker, "fingerprint": {"schemaVersion": 0}})


def _requires_reindex(place: Place) -> None:
    _of_another_version(place)
    situations.manage(place.other(), "sync", place.root)


def _stale(reason: str) -> Callable[[Place], None]:
    return lambda place: situations.change_marker(place.index(), place.root, situations.STALE[reason])


def _never_indexed(_: Place) -> None:
    pass


def _never_indexed_but_others_are(place: Place) -> None:
    other = place.other()
    other.index(str(write_tree(place.folder / "neighbour", {"n.py": "n = 1\n"})))


def _store_gone(place: Place) -> None:
    place.index().close()
    shutil.rmtree(place.store)


def _database_gone(place: Place) -> None:
    place.index().close()
    for path in place.store.glob("clew.db*"):
        path.unlink()


def _registry_gone(place: Place) -> None:
    place.index().close()
    for path in place.home.glob("registry.db*"):
        path.unlink()


def _tree_gone(place: Place) -> None:
    place.index()
    shutil.rmtree(place.root)


def _tree_closed(place: Place) -> None:
    """A file has taken the place of the tree."""
    place.index()
    shutil.rmtree(place.root)
    Path(place.root).write_text("not a directory\n")


def _project(place: Place) -> None:
    files = [FileContent(path, text.encode()) for path, text in situations.FILES.items()]
    place.other().index_content("one", files)
    place.root = "project:one"


# How a codebase stands, and what a search then says, so that each is what its name says.
STATES: dict[str, tuple[Callable[[Place], None], str, str | None]] = {
    "ready": (_ready, "ok", None),
    "ready after a sync": (_ready_after_a_sync, "ok", None),
    "synced by another": (_synced_by_another, "ok", None),
    "indexing": (_indexing, "not_ready", "indexing"),
    "indexing for the first time": (_indexing_for_the_first_time, "not_ready", "indexing"),
    "interrupted": (_interrupted, "error", "interrupted"),
    "interrupted sync": (_interrupted_sync, "ok", None),
    "failed": (_failed, "not_indexed", "not_indexed"),
    "of another version": (_of_another_version, "requires_reindex", "requires_reindex"),
    "requires reindex": (_requires_reindex, "requires_reindex", "requires_reindex"),
    **{f"stale: {reason}": (_stale(reason), "not_indexed", "not_indexed") for reason in situations.STALE},
    "never indexed": (_never_indexed, "not_indexed", "not_indexed"),
    "never indexed, but others are": (_never_indexed_but_others_are, "not_indexed", "not_indexed"),
    "store gone": (_store_gone, "not_indexed", "not_indexed"),
    "database gone": (_database_gone, "not_indexed", "not_indexed"),
    "registry gone": (_registry_gone, "not_indexed", "not_indexed"),
    "tree gone": (_tree_gone, "error", "bad_input"),
    "a file in the place of the tree": (_tree_closed, "error", "bad_input"),
    "a project": (_project, "ok", None),
}
WITH_FAULTS = ("ready", "indexing", "interrupted", "failed", "of another version", "stale: path_mismatch", "a project")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr("clew.store.derive.TAIL_CHUNKS", 0)  # so that the search index is in use
    monkeypatch.setattr("clew.engine._COALESCE_WAIT_S", 0.0)
    made = Place(tmp_path)
    yield made
    made.close()


def read(engine: Engine, what: str, root: str) -> Envelope:
    """The envelope of a read, as any interface would give it out."""
    if what in TOOLS:
        return situations.ask(engine, what, root)
    try:
        if what == "jobs":
            return envelopes.jobs(root, root, engine.jobs(root))
        return envelopes.health(engine.doctor(), {})
    except ClewError as error:
        return gates.failure(root, error)


def everything(folder: Path) -> Contents:
    """All files below a folder with what is in them, and every directory."""
    found: Contents = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if "leases" in (path.name, path.parent.name) or name.endswith(("-wal", "-shm")):
            continue
        if path.is_dir():
            found[name] = "directory"
        elif path.suffix == ".db":
            found |= {f"{name} {table}": rows for table, rows in tables(path).items()}
        else:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def tables(path: Path) -> Contents:
    """Every table of a database with a hash of all its rows."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(10_000)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {"schema": repr(connection.execute("SELECT * FROM sqlite_master ORDER BY name").fetchall())}
        for name in names:
            rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            found[str(name)] = hashlib.sha256("\n".join(sorted(map(repr, rows))).encode()).hexdigest()
        return found
    finally:
        connection.close()


def differences(before: Contents, after: Contents) -> dict[str, tuple[str | None, str | None]]:
    names = sorted(before.keys() | after.keys())
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}


# -- however a codebase stands ------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_no_read_changes_anything(place: Place, state: str) -> None:
    make, status, reason = STATES[state]
    make(place)
    before = place.everything()
    for _ in range(2):
        for what in READS:
            envelope = read(place.engine, what, place.root)
            assert not differences(before, place.everything()), what
            if what == "search_codebase":
                assert (envelope["status"], envelope.get("reason")) == (status, reason)


@pytest.mark.parametrize("state", STATES)
def test_no_read_of_a_watching_engine_changes_anything(place: Place, state: str) -> None:
    make, status, reason = STATES[state]
    make(place)
    before = place.everything()
    engine = Engine(load_config({"home": str(place.home), "workers": 1, "recheck_ms": 0}), watching=True)
    try:
        for what in READS:
            read(engine, what, place.root)
        deadline = time.monotonic() + 30
        while status == "ok" and state not in ("a project", "synced by another") and not engine.is_watched(place.root):
            assert time.monotonic() < deadline
            read(engine, "list_paths", place.root)
        found = read(engine, "search_codebase", place.root)
        assert (found["status"], found.get("reason")) == (status, reason)
    finally:
        engine.close()
    assert not differences(before, place.everything())


def test_the_comparison_sees_what_it_must(place: Place) -> None:
    """Each of these is a change that a read could make by mistake."""
    other = place.index()
    before = place.everything()
    assert any(name.endswith(".seg") for name in before), "the search index is there"
    for act in (
        lambda: other.index(place.root, force=True),
        lambda: other.repair(place.root),
        lambda: write_tree(Path(place.root), {"c.py": "c = 1\n"}),
        lambda: other.sync(place.root),
        lambda: situations.change_marker(other, place.root, lambda _: None),
        lambda: situations.interrupt(other, place.root),
        lambda: other.index_content("two", []),
        lambda: other.clear(place.root),
    ):
        act()
        after = place.everything()
        assert differences(before, after)
        before = after


# -- when something fails meanwhile -------------------------------------------------------------------


@contextlib.contextmanager
def _probe_fails(_: Place) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        situations.failing_probe(patch)
        yield


@contextlib.contextmanager
def _store_fails(_: Place) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        situations.failing_store(patch)
        yield


@contextlib.contextmanager
def _database_locked(place: Place) -> Iterator[None]:
    """Another program has the database for itself."""
    with contextlib.closing(apsw.Connection(str(place.store / "clew.db"))) as other:
        other.set_busy_timeout(10_000)
        other.pragma("locking_mode", "EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextlib.contextmanager
def _being_written(place: Place) -> Iterator[None]:
    """Another process is in the middle of a transaction, and takes its time."""
    writing = FileLock(place.store / "write.lock")
    with contextlib.closing(apsw.Connection(str(place.store / "clew.db"))) as other, writing:
        assert writing.acquire(timeout_s=10)
        other.set_busy_timeout(10_000)
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE codebase SET state = 'played'")
        yield
        other.execute("ROLLBACK")


@contextlib.contextmanager
def _lexical_unreadable(place: Place) -> Iterator[None]:
    """The search index is no directory any more."""
    kept = place.store / "lexical"
    kept.rename(place.folder / "kept")
    kept.write_text("not a directory\n")
    yield
    kept.unlink()
    (place.folder / "kept").rename(kept)


@contextlib.contextmanager
def _lexical_damaged(place: Place) -> Iterator[None]:
    segment = next((place.store / "lexical").glob("*.seg"), None)
    kept = segment.read_bytes() if segment else b""
    if segment:
        segment.write_text("nonsense")
    yield
    if segment:
        segment.write_bytes(kept)


@contextlib.contextmanager
def _registry_being_written(place: Place) -> Iterator[None]:
    with contextlib.closing(apsw.Connection(str(place.home / "registry.db"))) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM codebase")
        yield
        other.execute("ROLLBACK")


FAULTS: dict[str, Callable[[Place], contextlib.AbstractContextManager[None]]] = {
    "the marker cannot be looked at": _probe_fails,
    "the store cannot be used": _store_fails,
    "the database is locked": _database_locked,
    "the database is being written": _being_written,
    "the search index is unreadable": _lexical_unreadable,
    "the search index is damaged": _lexical_damaged,
    "the registry is being written": _registry_being_written,
}
IN_MEMORY = ("the marker cannot be looked at", "the store cannot be used")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("state", WITH_FAULTS)
def test_no_read_changes_anything_when_something_fails(
    place: Place, monkeypatch: pytest.MonkeyPatch, state: str, fault: str
) -> None:
    make, status, reason = STATES[state]
    make(place)
    before = place.everything()
    if fault == "the database is locked":
        for module in ("database", "store"):
            monkeypatch.setattr(f"clew.store.{module}.BUSY_TIMEOUT_MS", 10)
        monkeypatch.setattr("clew.lifecycle.freshness.PATIENCE_S", 0.01)
        for engine in place.engines:  # no connection but the one that locks
            engine.catalog.close()
    with FAULTS[fault](place):
        during = everything(place.home) if fault in IN_MEMORY else {}
        for what in READS:
            envelope = read(place.engine, what, place.root)
            assert envelope["status"] != "not_indexed" or status == "not_indexed", (what, envelope)
            assert fault not in IN_MEMORY or not differences(during, everything(place.home)), what
        place.engine.catalog.close()
    assert not differences(before, place.everything())
    found = read(place.engine, "search_codebase", place.root)
    assert (found["status"], found.get("reason")) == (status, reason), "and it is as it was"
    assert not differences(before, place.everything())


# -- a question about a tree that was never indexed ---------------------------------------------------


@pytest.mark.parametrize("what", READS)
def test_a_question_alone_makes_no_home(place: Place, what: str) -> None:
    envelope = read(place.engine, what, place.root)
    expected = "ok" if what in ("list_codebases", "doctor") else "not_indexed"
    assert envelope["status"] == expected
    place.engine.close()
    assert not place.home.exists()


@pytest.mark.parametrize("action", ["sync", "reindex", "repair", "clear"])
def test_an_action_on_what_is_not_there_makes_no_home(place: Place, action: str) -> None:
    envelope = situations.manage(place.engine, action, place.root)
    assert envelope["status"] == "not_indexed"
    assert not place.home.exists()


@pytest.mark.parametrize(
    "command",
    [
        ("search", "alpha", "TREE", "--no-index"),
        ("symbol", "alpha", "TREE", "--no-index"),
        ("paths", "TREE", "--no-index"),
        ("outline", f"TREE/{situations.FILE}", "--no-index"),
        ("read", f"TREE/{situations.FILE}", "--no-index"),
        ("status", "TREE"),
        ("jobs", "TREE"),
        ("list",),
        ("doctor",),
    ],
)
def test_no_command_that_reads_makes_a_home(place: Place, command: tuple[str, ...]) -> None:
    arguments = [word.replace("TREE", place.root) for word in command]
    ran = clew(*arguments, "--json", CLEW_HOME=str(place.home))
    assert ran.envelope["status"] == ("ok" if command[0] in ("list", "doctor") else "not_indexed")
    assert not place.home.exists()


def test_reads_from_elsewhere_do_not_settle_a_tree(place: Place) -> None:
    """Status, list, jobs and doctor do not even look at the tree: what changed there waits for a question."""
    place.index()
    write_tree(Path(place.root), {"c.py": "def gamma(): pass\n"})
    before = place.everything()
    for what in ("list_codebases", "manage_index", "jobs", "doctor"):
        read(place.engine, what, place.root)
        assert not differences(before, place.everything()), what
    assert tools.call(place.engine, "list_paths", {"path": place.root})["total"] == 3
    assert differences(before, place.everything())
