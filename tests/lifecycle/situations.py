"""How a codebase can stand, brought about on purpose, and all that is remembered of it, to compare."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew import Engine
from clew.answers import RunStats
from clew.errors import StoreError
from clew.index.runs import Run, Target, begin_create
from clew.lifecycle import proof
from clew.serve import tools
from clew.store import codebases
from clew.store.store import Store
from clew.types import Progress
from tests.conftest import write_tree

Envelope = dict[str, Any]
Marker = dict[str, Any]

FILES = {"b.py": "def beta(): pass\n", "sub/a.py": "def alpha():\n    return beta()\n"}
FILE = "sub/a.py"
GATED = ("search_codebase", "get_symbol", "file_outline", "read_file")
READS = (*GATED, "list_paths", "list_codebases", "manage_index")
STALE: dict[str, Callable[[Marker], Marker | None]] = {
    "missing_marker_doc": lambda _: None,
    "invalid_marker_kind": lambda marker: {**marker, "kind": "clew_index_completion_v0"},
    "path_mismatch": lambda marker: {**marker, "codebasePath": "/elsewhere"},
    "invalid_payload": lambda marker: {**marker, "indexedFiles": -1},
}
UNREACHABLE: tuple[type[apsw.Error], ...] = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.ProtocolError,
    apsw.InterruptError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.AuthError,
)


def make_root(engine: Engine, directory: Path) -> str:
    """A small tree with a whole index."""
    root = str(write_tree(directory, FILES))
    engine.index(root)
    return root


def arguments(tool: str, root: str, place: str | None = None) -> dict[str, Any]:
    """What to ask a reading tool, of the whole codebase or of a directory in it."""
    path = place or root
    return {
        "search_codebase": {"query": "alpha", "path": path},
        "get_symbol": {"name": "alpha", "path": path},
        "file_outline": {"file": FILE, "path": path},
        "read_file": {"path": f"{root}/{FILE}"},
        "list_paths": {"path": path},
        "list_codebases": {},
        "manage_index": {"action": "status", "path": path},
    }[tool]


def ask(engine: Engine, tool: str, root: str, place: str | None = None) -> Envelope:
    """The envelope of a reading tool."""
    return tools.call(engine, tool, arguments(tool, root, place))


def manage(engine: Engine, action: str, path: str, **more: Any) -> Envelope:
    """The envelope of an action; its job, if there is one, has ended."""
    envelope = tools.call(engine, "manage_index", {"action": action, "path": path, **more})
    engine.wait_for_jobs()
    return envelope


def target(engine: Engine, root: str) -> Target:
    """A codebase as runs take it; one that is not known yet is noted as the engine would."""
    store = engine.catalog.store_for(root)
    store.create()
    if root not in engine.catalog.registry.all():
        engine.catalog.registry.add(root, store.directory)
    return Target(store, root, engine.config)


@contextlib.contextmanager
def indexing(engine: Engine, root: str) -> Iterator[Run]:
    """A run that has begun and lives until the end of the block; then it is dead, unless it has worked."""
    run = begin_create(target(engine, root), force=True)
    try:
        yield run
    finally:
        run.held.close()


def interrupt(engine: Engine, root: str) -> None:
    """Let a run begin and die."""
    with indexing(engine, root):
        pass


def fail(engine: Engine, root: str) -> None:
    """Let a run end with an error."""

    def act(_: Callable[[Progress], None]) -> RunStats:
        raise StoreError("played")

    with indexing(engine, root) as run, pytest.raises(StoreError, match="played"):
        run.work(lambda _: None, act)


def read_marker(engine: Engine, root: str) -> Marker | None:
    """The marker as it is stored."""
    connection = engine.resolve(root).store.connection()
    row = codebases.find_codebase(connection, root)
    assert row is not None
    text = codebases.read_marker(connection, row.id)
    found: Marker | None = json.loads(text) if text is not None else None
    return found


def change_marker(engine: Engine, root: str, change: Callable[[Marker], Marker | None]) -> None:
    """Put another marker in the place of the one that is there; None takes it away."""
    marker = read_marker(engine, root)
    assert marker is not None
    put_marker(engine, root, change(marker))


def put_marker(engine: Engine, root: str, marker: Marker | None) -> None:
    """Set or remove the marker behind everybody's back."""
    with engine.resolve(root).store.write() as connection:
        row = codebases.find_codebase(connection, root)
        assert row is not None
        codebases.clear_marker(connection, row.id)
        if marker is not None:
            codebases.write_marker(connection, row.id, marker)


def another_version(patch: pytest.MonkeyPatch) -> None:
    """Be a program that can neither read nor mix what was stored until now."""
    patch.setattr(proof, "SCHEMA", proof.SCHEMA + 1)


def failing_probe(patch: pytest.MonkeyPatch, error: type[Exception] = apsw.BusyError) -> None:
    """Let every look at a marker fail."""

    def fail_to_look(*_: object) -> str:
        raise error("played")

    patch.setattr(proof, "read_marker", fail_to_look)


def failing_store(patch: pytest.MonkeyPatch) -> None:
    """Let every use of a store fail; the registry can be read."""

    def fail_to_connect(_: Store) -> apsw.Connection:
        raise StoreError("played: the store is not there just now")

    patch.setattr(Store, "connection", fail_to_connect)


def remembered(engine: Engine) -> dict[str, Any]:
    """Every row about every codebase: the registry's, and all tables of all stores."""
    found: dict[str, Any] = {"registry": engine.catalog.registry.known()}
    for directory in engine.catalog.stores():
        connection = engine.catalog.store(directory).connection()
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        for (table,) in tables:
            found[f"{directory.name}/{table}"] = connection.execute(f"SELECT * FROM {table}").fetchall()
    return found


def steps(engine: Engine, root: str) -> list[tuple[str, str]]:
    """The steps of a codebase's state, oldest first."""
    connection = engine.resolve(root).store.connection()
    return [(step.old, step.new) for step in reversed(codebases.transitions(connection, root, 100))]
