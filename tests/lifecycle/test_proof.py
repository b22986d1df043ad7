"""The completion proof: each way a marker can be wrong, and what a probe that fails may not do."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew import Engine
from clew.errors import Interrupted, NotIndexed, RequiresReindex
from clew.lifecycle import gate, proof
from clew.lifecycle.proof import KIND
from clew.store import codebases
from clew.store.database import transaction
from clew.store.store import Store
from tests.conftest import make_engine, write_tree

Marker = dict[str, Any]


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    made = write_tree(tmp_path / "tree", {"a.py": "def alpha(): pass\n"})
    engine.index(str(made))
    return str(made)


def set_marker(engine: Engine, root: str, change: Callable[[Marker], Any]) -> None:
    with engine.resolve(root).store.write() as connection:
        row = codebases.find_codebase(connection, root)
        assert row is not None
        text = codebases.read_marker(connection, row.id)
        assert text is not None
        marker = json.loads(text)
        changed = change(marker)
        connection.execute(
            "UPDATE chunk SET marker = ? WHERE id = ?",
            (changed if isinstance(changed, str) else json.dumps(marker if changed is None else changed), -row.id),
        )


def judged(engine: Engine, root: str) -> proof.Proof:
    connection = engine.resolve(root).store.connection()
    row = codebases.find_codebase(connection, root)
    assert row is not None
    return proof.validate(connection, row)


def put(key: str, value: Any) -> Callable[[Marker], None]:
    return lambda marker: marker.__setitem__(key, value)


def drop(key: str) -> Callable[[Marker], None]:
    return lambda marker: marker.__delitem__(key)


WRONG = [
    ("invalid_marker_kind", put("kind", "clew_index_completion_v2")),
    ("invalid_marker_kind", put("kind", None)),
    ("invalid_marker_kind", drop("kind")),
    ("path_mismatch", put("codebasePath", "/elsewhere")),
    ("invalid_payload", put("codebasePath", 5)),
    ("invalid_payload", lambda _: "not json"),
    ("invalid_payload", lambda _: "[]"),
    ("invalid_payload", lambda _: "null"),
    ("invalid_payload", lambda _: ""),
    *[
        ("invalid_payload", put(key, value))
        for key in ("indexedFiles", "totalChunks")
        for value in (-1, 1.0, 1.5, True, False, "1", None, [1], 1e400)
    ],
    *[
        ("invalid_payload", drop(key))
        for key in ("indexedFiles", "totalChunks", "codebasePath", "completedAt", "runId")
    ],
    ("invalid_payload", put("completedAt", 5)),
    ("invalid_payload", put("runId", None)),
    ("invalid_payload", put("fingerprint", "x")),
    ("invalid_payload", drop("fingerprint")),
]


@pytest.mark.parametrize(("reason", "change"), WRONG)
def test_a_wrong_marker(engine: Engine, root: str, reason: str, change: Callable[[Marker], Any]) -> None:
    set_marker(engine, root, change)
    assert judged(engine, root)[:2] == ("stale_local", reason)
    assert engine.status(root).proof == reason
    with pytest.raises(NotIndexed) as failure:
        engine.search("alpha", root)
    assert failure.value.proof == reason
    assert engine.status(root).state == "indexed", "a read persists nothing"
    engine.index(root)  # create needs no force where the proof is not valid
    assert judged(engine, root).outcome == "valid"
    assert engine.search("alpha", root).hits


def test_a_missing_marker(engine: Engine, root: str) -> None:
    store = engine.resolve(root).store
    with store.write() as connection:
        codebases.clear_marker(connection, 1)
    assert judged(engine, root)[:2] == ("stale_local", "missing_marker_doc")
    with pytest.raises(NotIndexed):
        engine.search("alpha", root)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("schemaVersion", 99),
        ("embeddingModel", "another"),
        ("embeddingDimension", 384),
        ("vectorStoreProvider", "x"),
        ("unknown", 1),
    ],
)
def test_a_marker_of_another_fingerprint(engine: Engine, root: str, key: str, value: Any) -> None:
    set_marker(engine, root, lambda marker: marker["fingerprint"].__setitem__(key, value))
    assert judged(engine, root)[:2] == ("fingerprint_mismatch", "fingerprint_mismatch")
    for question in (lambda: engine.search("alpha", root), lambda: engine.symbol("alpha", root)):
        with pytest.raises(RequiresReindex):
            question()
    assert engine.status(root).state == "indexed", "a read persists nothing"
    for _ in range(2):
        with pytest.raises(RequiresReindex):
            engine.sync(root)
    assert engine.status(root).state == "requires_reindex"
    engine.index(root, force=True)
    assert engine.search("alpha", root).hits


def test_a_marker_counts_as_absent_while_its_codebase_is_indexing(engine: Engine, root: str) -> None:
    store = engine.resolve(root).store
    store.connection().execute("UPDATE codebase SET state = 'indexing'")
    assert codebases.read_marker(store.connection(), 1) is not None
    assert judged(engine, root)[:2] == ("stale_local", "missing_marker_doc")
    assert engine.status(root).verdict == "interrupted"
    with pytest.raises(Interrupted):
        engine.search("alpha", root)


@pytest.mark.parametrize("error", [apsw.BusyError, apsw.LockedError, apsw.IOError])
def test_a_failed_probe_neither_upgrades_nor_downgrades(
    engine: Engine, root: str, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(*_: object) -> str:
        raise error("played")

    with monkeypatch.context() as patch:
        patch.setattr(proof, "read_marker", fail)
        assert judged(engine, root)[:2] == ("probe_failed", "probe_failed")
        assert engine.search("alpha", root).hits, "an index that was believed is not lost to a failed probe"
        assert engine.status(root).proof == "probe_failed"
        store = engine.resolve(root).store
        for state in ("indexing", "indexfailed", "requires_reindex"):
            store.connection().execute("UPDATE codebase SET state = ?", (state,))
            with pytest.raises((NotIndexed, RequiresReindex, Interrupted)):
                engine.search("alpha", root)
        store.connection().execute("UPDATE codebase SET state = 'indexed'")
    assert judged(engine, root).outcome == "valid"


def test_the_marker_is_what_the_contract_says_and_no_search_meets_it(engine: Engine, root: str) -> None:
    found = judged(engine, root).marker
    assert found is not None
    assert set(found) == {
        "kind", "codebasePath", "fingerprint", "indexedFiles", "totalChunks", "completedAt", "runId",
    }  # fmt: skip
    assert (found["kind"], found["codebasePath"], found["indexedFiles"]) == (KIND, root, 1)
    assert set(found["fingerprint"]) == {
        "embeddingProvider", "embeddingModel", "embeddingDimension", "vectorStoreProvider", "schemaVersion",
    }  # fmt: skip
    for question in (KIND, "codebasePath", "embeddingProvider"):
        assert not engine.search(question, root).hits
    write_tree(Path(root), {"b.py": "beta = 1\n"})
    engine.sync(root)
    after = judged(engine, root).marker
    assert after is not None and after["indexedFiles"] == 2 and after["runId"] != found["runId"]


def test_a_state_is_told_from_that_of_another_file(tmp_path: Path) -> None:
    """A defect once: what is counted begins anew with each connection, so a judgement was taken for one of another
    index that had been made at the same place."""
    root = write_tree(tmp_path / "tree", {"a.py": "def one(): ...\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    first = Store(store.directory)
    known = gate.judge(first, first.connection(), str(root))
    assert known.verdict == "ok" and gate.judge(first, first.connection(), str(root), known) is known
    other = Store(store.directory)
    assert gate.judge(other, other.connection(), str(root), known) is not known
    engine.clear(str(root))
    engine.index(str(root))
    again = gate.judge(first, first.connection(), str(root), known)
    assert again is not known and again.verdict == "ok"
    with first.exclusive() as connection, pytest.raises(ZeroDivisionError), transaction(connection):
        connection.execute("UPDATE codebase SET state = 'indexfailed'")
        assert gate.judge(first, connection, str(root), again).verdict == "not_indexed"
        raise ZeroDivisionError
    assert gate.judge(first, first.connection(), str(root), again).verdict == "ok"
    for one in (first, other):
        one.close()
    engine.close()


def test_a_question_is_judged_anew_only_when_the_database_or_the_model_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(write_tree(tmp_path / "tree", {"a.py": "def alpha(): ...\n"}))
    engine = make_engine(tmp_path / "home", recheck_ms=3_600_000)
    engine.index(root)
    store = engine.resolve(root).store
    looks = []
    validate = proof.validate

    def look(*arguments: Any) -> Any:
        looks.append(arguments)
        return validate(*arguments)

    def ask() -> int:
        """How often the proof of the index is looked at for one question."""
        before = len(looks)
        assert engine.search("alpha", root).hits
        return len(looks) - before

    monkeypatch.setattr(proof, "validate", look)
    ask()  # with a check of the tree, which writes
    ask()
    assert (ask(), ask()) == (0, 0)
    engine.status(root)
    assert len(looks) > 0 and ask() == 0, "a status looks for itself"
    other = Store(store.directory)
    other.connection().execute("UPDATE codebase SET root = root")
    assert ask() == 1, "another connection wrote"
    assert ask() == 0
    store.connection().execute("UPDATE codebase SET root = root")
    assert ask() == 1, "its own wrote"
    assert ask() == 0
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask).result() >= 1, "a thread believes its own eyes"
        assert pool.submit(ask).result() == 0
    other.connection().execute("UPDATE codebase SET state = 'indexfailed'")
    with pytest.raises(NotIndexed):
        engine.search("alpha", root)
    other.connection().execute("UPDATE codebase SET state = 'indexed'")
    assert ask() == 1
    another = store.model._replace(model="another")
    monkeypatch.setattr(store, "_model", lambda: another)
    with pytest.raises(RequiresReindex):
        engine.search("alpha", root)
    other.close()
    engine.close()
