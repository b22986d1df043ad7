"""Every pair of states is either a step of the contract or an error that changes nothing."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import get_args

import pytest

from clew import Engine
from clew.lifecycle import states
from clew.store import codebases
from clew.store.store import Store
from clew.types import State
from tests.conftest import write_tree

STATES: tuple[State, ...] = get_args(State)
# CONTRACT §3, word by word; `any → not_found` is a clear, which removes the row and keeps the history.
ALLOWED = {
    ("not_found", "indexing"),
    ("indexing", "indexed"),
    ("indexing", "indexfailed"),
    ("indexed", "requires_reindex"),
    ("sync_completed", "requires_reindex"),
    ("indexed", "indexing"),
    ("sync_completed", "indexing"),
    ("indexed", "sync_completed"),
    ("sync_completed", "sync_completed"),
    ("indexfailed", "indexing"),
    ("requires_reindex", "indexing"),
    ("indexing", "indexing"),
    *((old, "not_found") for old in STATES if old != "not_found"),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    made.create()
    return made


@pytest.mark.parametrize(("old", "new"), list(itertools.product(STATES, STATES)))
def test_every_pair(store: Store, old: State, new: State) -> None:
    with store.write() as connection:
        if old != "not_found":
            codebases.put_state(connection, "/r", old="?", new=old, run="1", cause="test", at="then", fingerprint={})
    before = codebases.find_codebase(store.connection(), "/r")
    history = store.connection().execute("SELECT * FROM transition").fetchall()
    if (old, new) in ALLOWED:
        with store.write() as connection:
            states.move(connection, "/r", new, run="2", cause="because", fingerprint={"a": 1})
        row = codebases.find_codebase(store.connection(), "/r")
        if new == "not_found":
            assert row is None
        else:
            assert row is not None and (row.state, row.run, row.fingerprint) == (new, "2", {"a": 1})
        last = store.connection().execute("SELECT old, new, run, cause FROM transition ORDER BY id DESC").fetchone()
        assert last == (old, new, "2", "because")
    else:
        with pytest.raises(states.ForbiddenTransition, match=f"{old} → {new}"), store.write() as connection:
            states.move(connection, "/r", new, run="2", cause="because", fingerprint={})
        assert codebases.find_codebase(store.connection(), "/r") == before
        assert store.connection().execute("SELECT * FROM transition").fetchall() == history
    store.close()


def test_only_whole_indexes_are_searchable() -> None:
    assert {"indexed", "sync_completed"} == states.SEARCHABLE
    assert ALLOWED == states.ALLOWED


@pytest.mark.parametrize("state", [state for state in STATES if state != "not_found"])
def test_a_clear_leads_back_from_anywhere(engine: Engine, tmp_path: Path, state: State) -> None:
    root = str(write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n"}))
    engine.index(root)
    engine.resolve(root).store.connection().execute("UPDATE codebase SET state = ?", (state,))
    assert engine.status(root).state == state
    engine.clear(root)
    assert engine.list() == []
    engine.index(root)
    assert [(step.old, step.new) for step in engine.status(root).transitions] == [
        ("indexing", "indexed"),
        ("not_found", "indexing"),
    ]
