"""A provider's vectors from end to end: each text is paid for once, whatever happens, and nothing is ever mixed."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew import Engine
from clew.embed import openai, provider
from clew.embed.provider import PROBE
from clew.errors import NotIndexed, ProviderError, RequiresReindex, Stopped, StoreCorrupt
from clew.index import embedding
from clew.lifecycle import gate, status
from clew.search import rank
from clew.search.view import load_view
from clew.serve import tools
from clew.store import derive, facts, integrity, vectors
from clew.store.segments import CHUNK_BITS, quantised, tag_of
from clew.store.sweep import sweep
from clew.types import FileContent, Progress
from tests import dump
from tests.conftest import git, make_engine, write_tree
from tests.embed.server import EmbeddingServer, data, refusal, serving, vector_of

QUESTION = "purloin vehicle"


def module(number: int, what: str = "value") -> str:
    return (
        f"def alpha_{number}({what}):\n    '''Gives {what} number {number}.'''\n    return beta({what}, {number})\n\n\n"
        + f"class Gamma{number}:\n    def delta(self):\n        return {number} * {'9' * 900}\n"
    )


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as made:
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {f"m{i}.py": module(i) for i in range(8)}
    return write_tree(
        tmp_path / "tree", {**files, "thief.py": "def take(it):\n    '''Steal a car.'''\n    return it\n"}
    )


@pytest.fixture
def engine(tmp_path: Path, server: EmbeddingServer) -> Iterator[Engine]:
    made = make_engine(tmp_path / "home", **server.settings())
    yield made
    made.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(provider, "PAUSE_S", 0.0)


def paid(server: EmbeddingServer) -> int:
    """Pieces of code that were embedded; none twice."""
    code = {text: times for text, times in server.texts.items() if "\n" in text}
    assert set(code.values()) <= {1}, "a text was paid for twice"
    return len(code)


def store_of(engine: Engine, root: Path) -> Any:
    return engine.resolve(str(root)).store


def check_vectors(engine: Engine, root: Path, server: EmbeddingServer) -> int:
    """Every chunk of the snapshot has the vector of its own text, as the server gives it; how many there are."""
    store = store_of(engine, root)
    with store.read() as connection:
        snapshot = gate.require(gate.judge(store, connection, str(root)))
        view = load_view(store, connection, snapshot)
        found: dict[int, bytes] = {}
        for part in view._parts:
            held = part.place >= 0
            rows = zip(part.segment.chunks[held].tolist(), part.segment.provided[held], strict=True)
            found.update((chunk, row.tobytes()) for chunk, row in rows)
        assert sorted(found) == sorted(view.chunks.tolist())
        for chunk, row in found.items():
            number = chunk >> CHUNK_BITS
            content = facts.content(connection, facts.blob_of(connection, number))
            piece = facts.chunks_of(connection, number)[chunk - (number << CHUNK_BITS)]
            text = embedding.text_of(piece, facts.symbols_of(connection, number), content)
            wanted = quantised(np.array([vector_of(text, server.dimension, server.seed)], np.float32))[0]
            assert np.abs(np.frombuffer(row, np.int8).astype(int) - wanted).max() <= 1
        assert vectors.missing(connection, store.model) == 0
    assert all(check.ok for check in status.inspected(engine.catalog).checks)
    return len(found)


# -- what it is for -----------------------------------------------------------------------------------


def test_meaning_that_only_the_provider_knows_is_found(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    stats = engine.index(str(root))
    assert stats.embedded == stats.chunks == paid(server)
    hits = engine.search(QUESTION, str(root), explain=True).hits
    found = {hit.path: hit.why or {} for hit in hits}
    assert found["thief.py"]["provided"] == pytest.approx(rank.PROVIDED, abs=1e-3)
    assert engine.search(QUESTION, str(root), mode="semantic").hits
    assert engine.search(QUESTION, str(root), view="functions").hits
    assert engine.similar(str(root / "m1.py"), (1, 3)).hits[0].path != "m1.py"
    assert check_vectors(engine, root, server) == stats.chunks


def test_the_bundled_model_counts_as_before(engine: Engine, root: Path, tmp_path: Path) -> None:
    engine.index(str(root))
    plain = make_engine(tmp_path / "plain", embedding="static")
    plain.index(str(root))
    for question in ("beta value", "steal", QUESTION):
        both = {hit.path: hit for hit in engine.search(question, str(root), limit=50, explain=True).hits}
        for hit in plain.search(question, str(root), limit=50, explain=True).hits:
            assert hit.path in both
            why = dict(both[hit.path].why or {})
            assert why.pop("provided") <= rank.PROVIDED + 1e-3
            assert why == hit.why
    plain.close()


def test_the_path_is_in_no_text(engine: Engine, tmp_path: Path, server: EmbeddingServer) -> None:
    root = write_tree(tmp_path / "tree", {"very/special/place.py": module(1)})
    engine.index(str(root))
    assert not any("special" in text or "place" in text for text in server.texts)
    assert any(text.startswith("function alpha_1\n") for text in server.texts), "but the definition's name is"


def test_content_without_files(engine: Engine, server: EmbeddingServer) -> None:
    stats = engine.index_content("p", [FileContent("a.py", module(1).encode())])
    assert stats.embedded == stats.chunks > 0
    again = engine.index_content("p", [FileContent("b.py", module(1).encode())])
    assert again.embedded == 0 and paid(server) == stats.chunks
    assert engine.search("alpha_1", "project:p").hits


def test_a_question_is_one_request(engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    again = make_engine(tmp_path / "home", **server.settings())
    server.requests.clear()
    for question in ("steal a car", "cook some food"):
        again.search(question, str(root))
    again.search("nothing to ask for", str(root), mode="lexical")
    assert [request["input"] for request in server.requests] == [["steal a car", PROBE], ["cook some food"]]
    again.clear(str(root))
    with pytest.raises(NotIndexed):
        again.search("steal a car", str(root))
    assert len(server.requests) == 2
    again.close()


# -- each text once ---------------------------------------------------------------------------------


def test_renames_copies_and_reindexes_embed_nothing(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    chunks = engine.index(str(root)).chunks
    (root / "m0.py").rename(root / "renamed.py")
    (root / "copy.py").write_bytes((root / "m1.py").read_bytes())
    assert engine.sync(str(root)).embedded == 0
    requests = len(server.requests)
    stats = engine.index(str(root), force=True)
    assert (stats.embedded, stats.parsed) == (0, 9)
    assert len(server.requests) == requests, "not even to look whether it is there"
    assert paid(server) == chunks
    check_vectors(engine, root, server)


def test_the_same_function_in_two_files_is_one_text(engine: Engine, tmp_path: Path, server: EmbeddingServer) -> None:
    shared = "def same(value):\n" + "".join(f"    value += {i} * value\n" for i in range(40)) + "    return value\n"
    own = shared.replace("same", "own_{0}").replace("value += ", "value -= {0} +")
    files = {f"f{i}.py": f"{shared}\n\n{own.format(i)}" for i in range(6)}
    stats = engine.index(str(write_tree(tmp_path / "tree", files)))
    assert stats.chunks == 12 and stats.embedded == paid(server) == 7


def test_branches_and_worktrees_share(engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    first = engine.index(str(root)).embedded
    git(root, "checkout", "-qb", "other")
    write_tree(root, {"m0.py": module(100), "new.py": module(101)})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two")
    second = engine.sync(str(root)).embedded
    assert second > 0
    git(root, "checkout", "-q", "main")
    assert engine.sync(str(root)).embedded == 0
    git(root, "worktree", "add", "-q", str(tmp_path / "wt"), "other")
    assert engine.index(str(tmp_path / "wt")).embedded == 0
    assert paid(server) == first + second
    check_vectors(engine, root, server)
    check_vectors(engine, tmp_path / "wt", server)


def test_repair_embeds_nothing(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    before, requests = dump.state(engine, root), len(server.requests)
    server.always = refusal(503)
    shutil.rmtree(store_of(engine, root).directory / "lexical", ignore_errors=True)
    engine.repair(str(root))
    assert len(server.requests) == requests
    server.always = None
    assert dump.state(engine, root) == before
    check_vectors(engine, root, server)


def test_a_lost_registry_costs_no_vectors(engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    chunks = engine.index(str(root)).chunks
    engine.close()
    (tmp_path / "home" / "registry.db").unlink()
    again = make_engine(tmp_path / "home", **server.settings())
    assert again.index(str(root)).embedded == 0
    assert paid(server) == chunks == check_vectors(again, root, server)
    again.close()


# -- when it fails ------------------------------------------------------------------------------------


def test_a_provider_that_goes_away_costs_nothing_that_came(root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    engine = make_engine(tmp_path / "home", **server.settings(embedding_batch=1, embedding_parallel=1))
    server.faults = [lambda *_: None] * 6  # the dimension, the probe, then four texts
    server.always = refusal(503, "overloaded")
    with pytest.raises(ProviderError, match=r"503 \(overloaded\)"):
        engine.index(str(root))
    assert paid(server) == 4
    known = engine.status(str(root))
    assert (known.state, known.jobs[0].state) == ("indexfailed", "failed")
    assert "overloaded" in (known.jobs[0].error or "")
    server.always = None
    stats = engine.index(str(root))
    assert stats.parsed == 0, "nor was anything parsed again"
    assert stats.embedded == stats.chunks - 4 == paid(server) - 4
    check_vectors(engine, root, server)
    engine.close()


def test_a_provider_that_was_never_there_begins_nothing(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    server.always = refusal(401, "bad key")
    with pytest.raises(ProviderError, match="check embedding_key"):
        engine.index(str(root))
    server.always = None
    assert engine.index(str(root)).files == 9


def test_a_stopped_run_keeps_what_it_has(root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    engine = make_engine(tmp_path / "home", **server.settings(embedding_batch=1, embedding_parallel=1))
    phases: list[Progress] = []

    def watch(progress: Progress) -> None:
        phases.append(progress)
        if progress.phase == "embed" and progress.files_done == 5:
            raise Stopped("enough")

    with pytest.raises(Stopped):
        engine.index(str(root), watch=watch)
    assert engine.status(str(root)).verdict == "interrupted"
    assert [step.files_done for step in phases if step.phase == "embed"][-1] == 5
    engine.index(str(root))
    assert paid(server) == check_vectors(engine, root, server)
    engine.close()


def test_closing_an_engine_stops_a_job_that_waits_for_the_provider(
    root: Path, tmp_path: Path, server: EmbeddingServer
) -> None:
    engine = make_engine(tmp_path / "home", **server.settings())
    engine.index_content("warm", [FileContent("a.py", b"x = 1\n")])
    server.hold.clear()
    engine.manage("create", str(root))
    deadline = threading.Event()
    while engine.status(str(root)).heartbeat is None or "embed" not in str(engine.status(str(root)).heartbeat):
        assert not deadline.wait(0.01)
    engine.close()
    server.hold.set()
    again = make_engine(tmp_path / "home", **server.settings())
    assert again.status(str(root)).verdict == "interrupted"
    again.index(str(root))
    check_vectors(again, root, server)
    again.close()


def test_a_question_is_answered_without_the_provider(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    server.always = refusal(500, "on fire")
    found = tools.call(engine, "search_codebase", {"query": "alpha_3 value", "path": str(root)})
    assert found["status"] == "ok" and found["results"][0]["path"] == "m3.py"
    (warning,) = found["warnings"]
    assert warning["code"] == "EMBEDDING_UNAVAILABLE" and "on fire" in warning["message"]
    lexical = tools.call(engine, "search_codebase", {"query": "alpha_3", "path": str(root), "mode": "lexical"})
    assert lexical["warnings"] == [], "nobody was asked"
    asked = {"file": "m1.py", "path": str(root), "start_line": 1, "end_line": 3}
    assert tools.call(engine, "find_similar", asked)["warnings"][0]["code"] == "EMBEDDING_UNAVAILABLE"


def test_a_save_while_the_provider_is_down(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    write_tree(root, {"new.py": module(50)})
    server.always = refusal(500, "on fire")
    found = tools.call(engine, "search_codebase", {"query": "alpha_50", "path": str(root)})
    assert found["freshness"]["decision"] == "failed"
    codes = [warning["code"] for warning in found["warnings"]]
    assert codes == ["FRESHNESS_CHECK_FAILED", "EMBEDDING_UNAVAILABLE", "UNKNOWN_WORDS"]
    assert all(hit["path"] != "new.py" for hit in found["results"]), "no file is shown without its vectors"
    server.always = None
    assert engine.search("alpha_50", str(root)).hits[0].path == "new.py"
    check_vectors(engine, root, server)


def test_nobody_waits_twice_for_a_provider_that_hangs(
    engine: Engine, root: Path, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.index(str(root))
    monkeypatch.setattr(provider, "PAUSE_S", 60.0)
    write_tree(root, {"new.py": module(50)})
    server.always = refusal(400)
    requests = len(server.requests)
    for _ in range(3):
        found = tools.call(engine, "search_codebase", {"query": "alpha_3", "path": str(root)})
        assert [warning["code"] for warning in found["warnings"]] == ["FRESHNESS_CHECK_FAILED", "EMBEDDING_UNAVAILABLE"]
    assert len(server.requests) == requests + 1
    server.always = None
    assert engine.sync(str(root)).embedded > 0, "who asks for it is not kept from it"


@pytest.mark.parametrize(
    "fault",
    [
        data(lambda rows: rows[:-1]),
        data(lambda rows: [{**row, "embedding": [float("nan")] * 64} for row in rows]),
        data(lambda rows: [{**row, "embedding": [1.0] * 63} for row in rows]),
    ],
)
def test_nothing_of_a_wrong_answer_is_kept(engine: Engine, root: Path, server: EmbeddingServer, fault: Any) -> None:
    engine.index(str(root))
    store = store_of(engine, root)
    before = vectors.count(store.connection())
    write_tree(root, {"new.py": module(50)})
    server.always = fault
    with pytest.raises(ProviderError):
        engine.sync(str(root))
    assert vectors.count(store.connection()) == before


# -- never a mixed index ------------------------------------------------------------------------------


def test_another_model_needs_a_reindex(engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    server.model, server.seed = "other", "other"
    other = make_engine(tmp_path / "home", **server.settings())
    for ask in (other.search, lambda *_: other.sync(str(root))):
        with pytest.raises(RequiresReindex):
            ask("alpha", str(root))
    for setting in ("static", "none"):
        plain = make_engine(tmp_path / "home", embedding=setting)
        with pytest.raises(RequiresReindex):
            plain.search("alpha", str(root))
        plain.close()
    server.texts.clear()
    stats = other.index(str(root), force=True)
    assert stats.embedded == stats.chunks
    check_vectors(other, root, server)
    assert vectors.count(store_of(other, root).connection()) == stats.chunks, "those of the first are swept"
    with pytest.raises(RequiresReindex):
        engine.search("alpha", str(root))
    other.close()


def test_another_dimension_needs_a_reindex(engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    server.dimension = 48
    with pytest.raises(RequiresReindex):
        engine.search("alpha", str(root))
    fresh = make_engine(tmp_path / "home", **server.settings())
    with pytest.raises(RequiresReindex):
        fresh.search("alpha", str(root), mode="lexical")
    server.dimension = 64
    again = make_engine(tmp_path / "home", **server.settings())
    again._encoders.checks()  # `clew doctor`: what it answers with now counts
    assert again.search("alpha", str(root)).hits, "it was only gone for a while"
    server.dimension = 48
    write_tree(root, {"new.py": module(50)})
    with pytest.raises(ProviderError, match=r"48 numbers now, and gave 64.*--force"):
        again.sync(str(root))
    with pytest.raises(RequiresReindex):
        again.search("alpha", str(root))
    server.texts.clear()
    stats = again.index(str(root), force=True)
    assert stats.embedded == stats.chunks == check_vectors(again, root, server)
    for made in (fresh, again):
        made.close()


def test_another_model_under_the_same_name_is_found_out(
    engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer
) -> None:
    engine.index(str(root))
    server.seed = "retrained"
    write_tree(root, {"new.py": module(50)})
    again = make_engine(tmp_path / "home", **server.settings())
    found = again.search("alpha", str(root))
    assert found.hits and "not the model that made the vectors" in found.unasked
    assert "not the model" in again.similar(str(root / "m1.py"), (1, 3)).unasked
    with pytest.raises(ProviderError, match="not the model that made the vectors"):
        again.sync(str(root))
    again.clear(str(root))
    server.texts.clear()
    again.index(str(root))
    check_vectors(again, root, server)
    again.close()


def test_two_models_in_one_store(engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer) -> None:
    """Worktrees share a store; each is answered from its own model, whoever wrote the segments last."""
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", str(tmp_path / "wt"), "-b", "other")
    engine.index(str(root))
    expected = engine.search("beta value", str(root)).hits
    plain = make_engine(tmp_path / "home", embedding="static")
    plain.index(str(tmp_path / "wt"))
    with serving(dimension=40) as second:
        second.model = "second"
        other = make_engine(tmp_path / "home", **second.settings())
        other.index(str(tmp_path / "wt"), force=True)
        check_vectors(other, tmp_path / "wt", second)
        assert engine.search("beta value", str(root)).hits == expected
        check_vectors(engine, root, server)
        assert paid(server) == paid(second)
        other.close()
    plain.close()


def test_vectors_that_came_after_the_segments(
    engine: Engine, root: Path, tmp_path: Path, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run parses and gets no vectors; another worktree writes its segments; then the first goes on."""
    monkeypatch.setattr(derive, "TAIL_CHUNKS", 3)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", str(tmp_path / "wt"), "-b", "other")
    engine.index(str(root))
    write_tree(tmp_path / "wt", {f"n{i}.py": module(200 + i) for i in range(5)})
    server.always = refusal(400)
    with pytest.raises(ProviderError):
        engine.index(str(tmp_path / "wt"))
    server.always = None
    write_tree(root, {f"o{i}.py": module(300 + i) for i in range(5)})
    engine.sync(str(root))
    check_vectors(engine, root, server)
    engine.index(str(tmp_path / "wt"))
    check_vectors(engine, tmp_path / "wt", server)
    store = store_of(engine, root)
    assert not derive._left_out(store, store.connection()), "what came late is in the files by now"


def test_a_vector_that_was_lost_is_told_and_made_again(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    store = store_of(engine, root)
    with store.write() as connection:
        connection.execute("DELETE FROM vector WHERE id IN (SELECT min(id) FROM vector)")
    assert "1 chunks have no vector of tiny" in integrity.inspect(store).problems[0]
    engine.repair(str(root))
    with pytest.raises(StoreCorrupt, match="lacks vectors of 1 files; `clew index --force`"):
        engine.search("alpha", str(root))
    server.texts.clear()
    assert engine.index(str(root), force=True).embedded == 1
    check_vectors(engine, root, server)


# -- tidying ------------------------------------------------------------------------------------------


def test_vectors_go_with_what_they_stand_for(engine: Engine, root: Path, server: EmbeddingServer) -> None:
    engine.index(str(root))
    store = store_of(engine, root)
    for i in range(4):
        (root / f"m{i}.py").unlink()
    engine.sync(str(root))
    for _ in range(3):
        sweep(store)
    assert vectors.count(store.connection()) == check_vectors(engine, root, server)
    assert store.connection().execute("SELECT count(*) FROM embedded").get == engine.status(str(root)).chunks


def test_no_sweep_takes_what_an_unfinished_run_has_paid_for(
    root: Path, tmp_path: Path, server: EmbeddingServer
) -> None:
    engine = make_engine(tmp_path / "home", **server.settings(embedding_batch=1, embedding_parallel=1))
    server.faults = [lambda *_: None] * 6
    server.always = refusal(400)
    with pytest.raises(ProviderError):
        engine.index(str(root))
    store = store_of(engine, root)
    for _ in range(4):
        sweep(store)
    assert store.connection().execute("SELECT count(*) FROM facts").get == 0
    assert vectors.count(store.connection()) == 4
    server.always = None
    engine.index(str(root))
    assert paid(server) == check_vectors(engine, root, server)
    engine.close()


# -- whatever happens -------------------------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 5), st.integers(0, 9)),
        st.tuples(st.just("rename"), st.integers(0, 5), st.integers(0, 9)),
        st.tuples(st.just("remove"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("sync"), st.just(0), st.just(0)),
        st.tuples(st.just("force"), st.just(0), st.just(0)),
        st.tuples(st.just("down"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("sweep"), st.just(0), st.just(0)),
    ),
    min_size=3,
    max_size=14,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_any_history_ends_like_a_fresh_index(steps: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("history")
    root = write_tree(place / "tree", {"a0.py": module(0)})
    with serving(dimension=24) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(derive, "TAIL_CHUNKS", 4)
        engine = make_engine(place / "home", **server.settings(embedding_batch=2, embedding_parallel=2))
        for kind, number, other in steps:
            path = root / f"a{number}.py"
            if kind == "write":
                path.write_text(module(other))
            elif kind == "rename" and path.exists():
                path.rename(root / f"b{other}.py")
            elif kind == "remove":
                path.unlink(missing_ok=True)
            elif kind == "down":
                server.faults = [lambda *_: None] * number + [refusal(400)]  # some are answered, then one is not
            elif kind == "sweep" and (place / "home").exists() and engine.catalog.registry.all():
                sweep(store_of(engine, root))
            elif kind in ("sync", "force"):
                try:
                    engine.index(str(root), force=kind == "force")
                except ProviderError:
                    continue
                check_vectors(engine, root, server)
        server.faults = []
        engine.index(str(root))
        check_vectors(engine, root, server)
        fresh = make_engine(place / "fresh", **server.settings())
        fresh.index(str(root))
        assert dump.state(engine, root) == dump.state(fresh, root)
        fresh.close()
        engine.close()


def test_models_that_take_turns(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: what two models had left was joined to one file, under the name of the model in force."""
    monkeypatch.setattr(derive, "TAIL_CHUNKS", 0)
    with serving() as server, serving() as other:
        other.model = other.seed = "other"
        turns: list[dict[str, object]] = [
            server.settings(),
            {"embedding": "static"},
            other.settings(),
            {"embedding": "none"},
        ]
        for settings_ in (*turns, *turns, turns[0], turns[2], turns[0]):
            engine = make_engine(tmp_path / "home", **settings_)
            engine.index(str(root), force=True)
            assert [hit.path for hit in engine.search("alpha_3", str(root), limit=1).hits] == ["m3.py"]
            model = store_of(engine, root).model
            for name in derive.derived(store_of(engine, root).connection()).segments:
                opened = store_of(engine, root).segments.open(name)
                assert opened.model == tag_of(model)
            if model.base:
                check_vectors(engine, root, other if "other" in model.model else server)
            assert all(check.ok for check in engine.doctor().checks)
            engine.close()


def test_a_sweep_of_another_model_mixes_nothing(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have vectors of as many numbers: nothing but the names of their models tells them apart."""
    monkeypatch.setattr(derive, "TAIL_CHUNKS", 0)
    monkeypatch.setattr(derive, "MAX_DEAD_SHARE", 0.0)
    with serving() as server, serving() as other:
        other.model = other.seed = "other"
        engine = make_engine(tmp_path / "home", **server.settings())
        engine.index(str(root))
        write_tree(root, {"m1.py": module(91), "m2.py": module(92)})
        engine.sync(str(root))
        stranger = make_engine(tmp_path / "home", **other.settings())
        store = store_of(stranger, root)
        for _ in range(3):
            sweep(store)
        tags = {store.segments.open(name).model for name in derive.derived(store.connection()).segments}
        assert tags == {tag_of(store_of(engine, root).model)}
        check_vectors(engine, root, server)
        stranger.close()
        engine.close()


def test_a_dimension_that_changed_is_learned_by_force(root: Path, tmp_path: Path) -> None:
    """A defect once: the cure that was named failed the first time."""
    home = tmp_path / "home"
    with serving() as server:
        engine = make_engine(home, **server.settings())
        engine.index(str(root))
        engine.close()
        server.dimension = 32
        write_tree(root, {"new.py": module(50)})  # else nothing is asked, and the index stays as true as it was
        engine = make_engine(home, **server.settings())
        stats = engine.index(str(root), force=True)
        assert stats.embedded == stats.chunks
        assert store_of(engine, root).model.dimension == 32
        check_vectors(engine, root, server)
        engine.close()
