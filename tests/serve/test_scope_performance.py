"""What a scope costs, on 100,000 chunks. Processor time, and the least of several runs: neighbours do not count."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clew.search.filters import make_filter
from clew.search.view import load_view
from clew.serve.service import Service
from clew.types import FileContent
from tests.conftest import make_engine

pytestmark = pytest.mark.slow
PROJECT = "project:large"
FILES, LINES = 11_200, 60
FILLER = "-" * 190  # a chunk has so many characters, and these take no time to be taken apart
SCOPES: dict[str, dict[str, Any]] = {
    "languages": {"languages": ["text"]},
    "globs": {"include_globs": ["**/*.txt"]},
    "directory": {"include_globs": ["src/pkg7/**"]},
    "everything": {"include_globs": ["src"], "exclude_globs": ["*.ini", "pkg9"], "languages": ["text"]},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Half of the files are in one language, half in another, and all have to do with the question."""
    engine = make_engine(tmp_path_factory.mktemp("large"), embedding="none")
    files = (
        FileContent(f"src/pkg{number % 100}/mod_{number}.{'txt' if number % 2 else 'ini'}", _text(number))
        for number in range(FILES)
    )
    stats = engine.index_content(PROJECT.partition(":")[2], files)
    assert stats.chunks >= 100_000
    made = Service(engine)
    yield made
    made.close()


def _text(number: int) -> bytes:
    return "".join(f"session {number * LINES + line:x} {FILLER}\n" for line in range(LINES)).encode()


def least_s(act: Callable[[], Any], times: int = 7) -> float:
    """The least processor time of several runs."""
    found = []
    for _ in range(times):
        began = time.process_time()
        act()
        found.append(time.process_time() - began)
    return min(found)


def ask(service: Service, tool: str, *, session: str | None = None, **arguments: Any) -> dict[str, Any]:
    envelope = service.call(tool, {"path": PROJECT, **arguments}, header=session)
    assert envelope["status"] == "ok", envelope
    return envelope


def test_baseline_without_a_scope(service: Service) -> None:
    assert ask(service, "search_codebase", query="session")["total"] == FILES
    assert least_s(lambda: ask(service, "search_codebase", query="session")) < 0.2


@pytest.mark.parametrize("name", SCOPES)
def test_scope_overhead_on_100k_chunks_is_below_5_ms(service: Service, name: str) -> None:
    """A session's questions against the same ones without a scope."""
    service.call("set_scope", {"scope": SCOPES[name]}, header=name)
    plain = least_s(lambda: ask(service, "search_codebase", query="session"), 15)
    scoped = least_s(lambda: ask(service, "search_codebase", query="session", session=name), 15)
    assert scoped - plain < 0.005, (scoped, plain)


@pytest.mark.parametrize("name", ["languages", "globs", "directory"])
def test_filtering_100k_chunks_takes_less_than_5_ms_the_first_time(service: Service, name: str) -> None:
    """Nothing is remembered here: one glob, or a language, over all files."""
    globs, languages = SCOPES[name].get("include_globs", ()), SCOPES[name].get("languages", ())
    where = make_filter(include=globs, languages=languages)
    codebase = service.engine.resolve(PROJECT)
    with codebase.store.read() as connection:
        from clew.lifecycle import gate

        snapshot = gate.require(gate.judge(codebase.store, connection, codebase.root))
        view = load_view(codebase.store, connection, snapshot)
        assert len(view.chunks) >= 100_000
        assert least_s(lambda: where.places(view.files), 40) < 0.005  # two cores that others share


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_codebase", {"query": "session", "limit": 100_000}),
        ("search_codebase", {"query": "session", "limit": 100_000, "view": "functions"}),
        ("search_text", {"query": "session", "max_results": 100_000}),
        ("list_paths", {"max_results": 100_000}),
    ],
    ids=["files", "functions", "text", "paths"],
)
def test_large_result_sets_take_less_than_1_s(service: Service, tool: str, arguments: dict[str, Any]) -> None:
    found = ask(service, tool, **arguments, languages=["text"])
    assert found["truncated"] and found["total"] > 200
    assert least_s(lambda: ask(service, tool, **arguments, languages=["text"]), 3) < 1


def test_a_long_page_for_a_person_takes_no_minutes(service: Service) -> None:
    """2,000 hits without the bound that answers to programs have."""
    from clew.search.filters import Scope

    began = time.process_time()
    found = service.engine.search("session", PROJECT, limit=2_000, scope=Scope(languages=("text",)))
    assert len(found.hits) == 2_000 and time.process_time() - began < 10
