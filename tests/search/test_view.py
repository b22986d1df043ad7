"""Scores: BM25 as the books have it, from one snapshot alone, whatever else the store holds."""

from __future__ import annotations

import math
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from clew import Engine, tokens
from clew.answers import Hit
from clew.lifecycle import gate
from clew.search import definitions
from clew.search.query import parse_query
from clew.search.view import MAX_KEPT, View, load_view
from clew.search.words import K1, B
from clew.store import derive, facts, snapshots
from clew.store.segments import CHUNK_BITS
from clew.store.sweep import sweep
from tests.conftest import git, make_engine, write_tree

pytestmark = pytest.mark.usefixtures("either_way")

QUESTIONS = ("alpha", "alpha beta", "Gamma.delta", "gamma", "where is the value computed", "m3", "beta_value")


def module(number: int, *, loud: int = 1) -> str:
    body = "".join(
        f"def alpha_{i}(value):\n    '''The value of alpha {i}.'''\n"
        f"    return beta_value({'alpha, ' * loud}value + {i})\n\n\n"
        for i in range(number % 7 + 1)
    )
    gamma = f"class Gamma{number}:\n    def delta(self):\n        return alpha_0({number})\n\n\n"
    return body + gamma + "def alpha():\n    pass\n"


def test_bm25_equals_a_naive_one(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": module(i) for i in range(25)} | {"copy/m3.py": module(3)})
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    with store.read() as connection:
        snapshot = gate.require(gate.judge(store, connection, str(root)))
        documents: dict[int, list[Counter[str]]] = {}
        for entry in snapshots.entries(connection, snapshot.id).values():
            assert entry.facts is not None
            source = facts.content(connection, entry.blob or 0)
            symbols = facts.symbols_of(connection, entry.facts)
            for ordinal, chunk in enumerate(facts.chunks_of(connection, entry.facts)):
                scope = symbols[chunk.symbol].qualified if chunk.symbol >= 0 else ""
                terms = tokens.document_terms(scope, source[chunk.start_byte : chunk.end_byte])
                documents.setdefault(entry.facts << CHUNK_BITS | ordinal, []).append(Counter(terms))
        everything = [counts for found in documents.values() for counts in found]  # a copy counts twice
        mean = sum(counts.total() for counts in everything) / len(everything)
        assert len(everything) == snapshot.chunks
        view = load_view(store, connection, snapshot)
        for question in QUESTIONS:
            asked = parse_query(question).terms
            found = view.words.scores([int.from_bytes(tokens.term_hash(term), "little") for term in asked])
            scores = {chunk: score for chunk, score in zip(view.chunks.tolist(), found.tolist(), strict=True) if score}
            expected = {}
            for number, (counts, *_) in documents.items():
                score = 0.0
                for term in asked:
                    df = sum(term in other for other in everything)
                    weight = math.log(1 + (len(everything) - df + 0.5) / (df + 0.5))
                    norm = K1 * (1 - B + B * counts.total() / mean)
                    score += weight * counts[term] * (K1 + 1) / (counts[term] + norm) if counts[term] else 0.0
                if score:
                    expected[number] = score
            assert scores == pytest.approx(expected, rel=1e-5), question


def answers(engine: Engine, root: Path) -> dict[str, tuple[Hit, ...]]:
    return {question: engine.search(question, str(root), limit=200).hits for question in QUESTIONS}


@pytest.mark.parametrize("tail", [0, 2_000])
def test_scores_do_not_depend_on_what_else_the_store_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tail: int
) -> None:
    monkeypatch.setattr(derive, "TAIL_CHUNKS", tail)
    root, side = write_tree(tmp_path / "tree", {f"m{i}.py": module(i) for i in range(20)}), tmp_path / "side"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", "-b", "side", str(side))
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    before = answers(engine, root)
    loud = "def alpha():\n    return " + "alpha + " * 60 + "1\n\n\n"
    others = {f"m{i}.py": loud * (i % 3 + 1) + module(i, loud=9) for i in range(20)}
    others |= {f"new/n{i}.py": f"alpha = beta = gamma = value = {i}\n" * 30 for i in range(40)}
    write_tree(side, others)
    engine.index(str(side))
    assert engine.resolve(str(root)).store is engine.resolve(str(side)).store
    for _ in range(2):
        assert answers(engine, root) == before
        engine.repair(str(root))
    engine.clear(str(side))
    sweep(engine.resolve(str(root)).store)
    assert answers(engine, root) == before
    engine.close()


def test_many_definitions_elsewhere_do_not_hide_those_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "MAX_DEFINITIONS", 5)
    root, side = write_tree(tmp_path / "tree", {"z.txt": "nothing\n"}), tmp_path / "side"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", str(side))
    write_tree(side, {f"s{i}.py": f"def alpha():\n    return {i}\n" for i in range(20)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(side))
    write_tree(root, {"m.py": "def alpha():\n    return 'here'\n", "use.py": "alpha() + alpha() + alpha()\n" * 3})
    engine.index(str(root))
    assert [found.path for found in engine.symbol("alpha", str(root)).symbols] == ["m.py"]
    assert engine.search("alpha", str(root)).hits[0].path == "m.py"
    engine.close()


def test_views_and_segments_of_the_past_are_let_go(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": module(i) for i in range(5)})
    for _ in range(12):
        engine.index(str(root), force=True)  # a snapshot of its own each time
        engine.search("alpha", str(root))
    store = engine.resolve(str(root)).store
    assert len(store.views) <= 8
    assert len(store.segments._opened) <= len(derive.derived(store.connection()).segments)


def test_cosines_of_one_document_are_those_among_all(tmp_path: Path) -> None:
    """Also where the snapshot has only some of a segment, and some that none has."""
    root = write_tree(tmp_path / "tree", {f"m{i}.py": module(i) for i in range(9)})
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    vector = np.asarray(engine.asked("the value of alpha").vector)
    for changed in ("m3.py", "m5.py"):
        with store.read() as connection:
            view = load_view(store, connection, gate.require(gate.judge(store, connection, str(root))))
            every, places = view.near(vector)().chunks, np.arange(len(view.chunks))
            for document in range(len(view.facts)):
                span = view.span(document)
                assert np.allclose(view.cosines_at(places[span], vector), every[span], atol=0.01), document
            assert np.allclose(view.cosines_at(places[::-2], vector), every[::-2], atol=0.01)
            assert len(view.cosines_at(places[:0], vector)) == 0
        (root / changed).write_text(module(8, loud=3))
        engine.index(str(root))
    engine.close()


def test_the_chunks_of_files_are_those_of_their_documents(tmp_path: Path) -> None:
    files = {f"m{i}.py": module(i) for i in range(5)} | {"empty.py": "", "copy.py": module(2), "z.py": ""}
    root = write_tree(tmp_path / "tree", files)
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    store = engine.resolve(str(root)).store
    with store.read() as connection:
        view = load_view(store, connection, gate.require(gate.judge(store, connection, str(root))))
    places = [*range(len(view.files)), 2, 0]
    starts, sizes = view.spans(places)
    spans = [view.span(int(view.document[place])) for place in places]
    assert sizes.tolist() == [span.stop - span.start for span in spans] and 0 in sizes
    assert [start for start, size in zip(starts.tolist(), sizes, strict=True) if size] == [
        span.start for span in spans if span.stop > span.start
    ]
    with store.read() as connection:
        rows = connection.execute("SELECT id, tokens, symbols FROM facts ORDER BY id").fetchall()
    assert [*zip(view.facts.tolist(), view.terms.tolist(), view.symbols.tolist(), strict=True)] == rows
    engine.close()


def test_threads_that_keep_things_do_not_hinder_each_other() -> None:
    made = View.__new__(View)
    made._kept = {}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def keep(name: int) -> bool:
        return all(made.kept((name, number), lambda: number) == number for number in range(40_000))  # noqa: B023

    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(keep, range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert len(made._kept) < MAX_KEPT + 4
