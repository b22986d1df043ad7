"""No answer is larger than its budget, whatever is asked, and what was cut is counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew import Engine
from clew.serve.budget import CHARS_PER_TOKEN, MAX_TOKENS, MIN_TOKENS, fit, size
from clew.serve.service import Service
from tests.conftest import make_engine, write_tree


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("budget")
    large = "".join(f"def compute_total_{i}(value):\n    return value * {i}  # total é\n\n" for i in range(4_000))
    members = "class Total:\n" + "".join(f"    def total_{i}(self):\n        return {i}\n" for i in range(3_000))
    files = {"large.py": large, "members.py": members, "wide.txt": "total " * 40_000}
    files |= {f"dir{i % 40}/a_file_with_quite_a_long_name_{i}.py": f"def total_{i}(): pass\n" for i in range(1_500)}
    root = write_tree(folder / "tree", files)
    engine = make_engine(folder / "home")
    engine.index(str(root))
    service = Service(engine)
    yield service
    service.close()


def root_of(service: Service) -> str:
    return service.engine.list()[0].root


QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("search_codebase", {"query": "compute total", "limit": 1_000}),
    ("search_codebase", {"query": "compute total", "limit": 400, "view": "functions"}),
    ("search_text", {"query": "total", "max_results": 100_000}),
    ("search_text", {"query": "total", "context_lines": 50}),
    ("list_paths", {"max_results": 100_000}),
    ("get_symbol", {"name": "total_1"}),
]


@pytest.mark.parametrize("max_tokens", [None, MIN_TOKENS, 2_000, 10**9])
@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS)
def test_every_answer_fits(service: Service, tool: str, arguments: dict[str, Any], max_tokens: int | None) -> None:
    asked = {**arguments, "path": root_of(service)} | ({"max_tokens": max_tokens} if max_tokens else {})
    envelope = service.call(tool, asked)
    assert envelope["status"] == "ok"
    assert size(envelope) <= min(max_tokens or MAX_TOKENS, MAX_TOKENS) * CHARS_PER_TOKEN
    if envelope.get("omitted"):
        assert envelope["truncated"]


@pytest.mark.parametrize("max_tokens", [MIN_TOKENS, 2_000, MAX_TOKENS])
@pytest.mark.parametrize("file", ["large.py", "members.py", "wide.txt"])
def test_annotated_reading_fits_and_goes_on(service: Service, file: str, max_tokens: int) -> None:
    asked = {"path": f"{root_of(service)}/{file}", "mode": "annotated", "max_tokens": max_tokens}
    page = service.call("read_file", asked)
    assert size(page) <= max_tokens * CHARS_PER_TOKEN and page["truncated"] and page["content"]
    if file != "wide.txt":
        assert page["symbols"] and f"start_line={page['end_line'] + 1}" in page["message"]
        following = service.call("read_file", {**asked, "start_line": page["end_line"] + 1})
        assert following["start_line"] == page["end_line"] + 1 and following["content"]


def test_what_was_cut_is_counted(service: Service) -> None:
    root = root_of(service)
    listed = service.call("list_paths", {"path": root, "max_results": 100_000, "max_tokens": 2_000})
    assert listed["omitted"] + len(listed["items"]) == listed["total"] == 1_503
    outline = service.call("file_outline", {"file": f"{root}/members.py", "max_tokens": 2_000})
    (total,) = outline["symbols"]
    assert total["children"] and outline["omitted"] + len(total["children"]) == 3_000
    found = service.call("search_codebase", {"query": "compute total", "path": root, "limit": 20, "max_tokens": 1_500})
    assert found["truncated"] and (found.get("snippets_cut") or found.get("omitted"))


def test_a_file_that_is_cut_says_how_to_go_on(service: Service) -> None:
    path = f"{root_of(service)}/large.py"
    whole = Path(path).read_text("utf-8")
    lines: list[str] = []
    for most in (20_000, 2_000, 700) * 100:
        page = service.call("read_file", {"path": path, "start_line": len(lines) + 1, "max_tokens": most})
        assert size(page) <= most * CHARS_PER_TOKEN
        lines += page["content"].split("\n")
        assert len(lines) == page["end_line"]
        if not page["truncated"]:
            break
        assert f"start_line={len(lines) + 1}" in page["message"]
    assert "\n".join(lines) + "\n" == whole


def test_a_line_too_long_for_an_answer(service: Service) -> None:
    page = service.call("read_file", {"path": f"{root_of(service)}/wide.txt"})
    assert page["truncated"] and "too long" in page["message"] and page["content"].startswith("total ")
    assert size(page) <= MAX_TOKENS * CHARS_PER_TOKEN


@pytest.mark.parametrize("wrong", [0, MIN_TOKENS - 1, True, "many"])
def test_a_budget_that_is_none(service: Service, wrong: Any) -> None:
    envelope = service.call("list_paths", {"path": root_of(service), "max_tokens": wrong})
    assert envelope["status"] == "error" and "max_tokens" in envelope["message"]


@given(
    tool=st.sampled_from(
        ["search_codebase", "search_text", "list_paths", "get_symbol", "file_outline", "read_file", "x"]
    ),
    text=st.text(max_size=30) | st.just("total") | st.just("x" * 200_000),
    place=st.sampled_from(["root", "relative", "/nowhere", "/" + "y" * 150_000, "\0"]),
    globs=st.none()
    | st.lists(st.sampled_from(["*.py", "{a", "dir1", "z" * 900]), max_size=3)
    | st.just(["dir*"] * 5_000),
    number=st.sampled_from([None, 0, 1, -5, 100, 10**12]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_answer_exceeds_the_limit_whatever_is_asked(
    service: Service, tool: str, text: str, place: str, globs: list[str] | None, number: int | None
) -> None:
    path = {"root": root_of(service)}.get(place, place)
    arguments: dict[str, Any] = {"path": path, "include_globs": globs}
    key = {"get_symbol": "name", "file_outline": "file"}.get(tool, "query")
    if tool in ("search_codebase", "search_text", "get_symbol", "file_outline"):
        arguments[key] = text
    if tool in ("read_file", "file_outline"):
        del arguments["include_globs"]
    if number is not None and tool in ("search_codebase", "search_text", "list_paths"):
        arguments["limit" if tool == "search_codebase" else "max_results"] = number
    envelope = service.call(tool, arguments)
    assert size(envelope) <= MAX_TOKENS * CHARS_PER_TOKEN
    assert envelope["status"] in ("ok", "error", "not_found", "not_indexed", "ambiguous")


@given(
    st.lists(
        st.fixed_dictionaries({"path": st.text(max_size=40), "snippet": st.text("a\n é", max_size=4_000)}), max_size=30
    ),
    st.integers(MIN_TOKENS, 4_000),
)
def test_packing_keeps_every_hit_in_place(hits: list[dict[str, Any]], most: int) -> None:
    envelope = fit({"status": "ok", "results": hits, "truncated": False}, most)
    assert size(envelope) <= most * CHARS_PER_TOKEN
    assert [hit["path"] for hit in envelope["results"]] == [hit["path"] for hit in hits][: len(envelope["results"])]
    for hit, whole in zip(envelope["results"], hits, strict=False):
        assert whole["snippet"].startswith(hit["snippet"])
    assert envelope.get("omitted", 0) == len(hits) - len(envelope["results"])


def test_a_hit_with_many_copies_is_shown(engine: Engine, tmp_path: Path) -> None:
    """However many paths have its content: of them only the first are named."""
    copies = {f"a_directory_with_a_long_name_{i}/alpha.py": "def alpha(): pass\n" for i in range(1_500)}
    root = str(write_tree(tmp_path / "copies", {**copies, "b.py": "alpha()\n"}))
    engine.index(root)
    for max_tokens in (MIN_TOKENS, 2_000, MAX_TOKENS):
        found = Service(engine).call("search_codebase", {"query": "alpha", "path": root, "max_tokens": max_tokens})
        hit = found["results"][0]
        assert size(found) <= max_tokens * CHARS_PER_TOKEN
        assert hit["symbol"] == "alpha" and len(hit["also"]) + hit.get("names_cut", 0) == 1_499


@pytest.mark.parametrize("max_tokens", [MIN_TOKENS, 600, 1_500])
def test_pages_that_are_cut_go_on_behind_what_was_shown(engine: Engine, tmp_path: Path, max_tokens: int) -> None:
    text = "def alpha_{0}(rows):\n    return alpha(rows) + {0}\n\n\nbeta_{0} = alpha_{0}([{0}])\n"
    root = str(write_tree(tmp_path / "paged", {f"m{i}.py": text.format(i) + f"# {i}\n" * i for i in range(24)}))
    engine.index(root)
    service, asked = Service(engine), {"query": "alpha rows", "path": root, "max_tokens": max_tokens}
    for limit in (1, 8, 100):
        page = service.call("search_codebase", {**asked, "limit": limit})
        seen = [hit["path"] for hit in page["results"]]
        assert len(seen) <= limit and page.get("omitted", 0) == min(limit, 24) - len(seen)
        while page["continuation"] is not None:
            more = {**asked, "limit": limit, "continuation": page["continuation"]}
            page = service.call("search_codebase", more)
            assert page["results"] and size(page) <= max_tokens * CHARS_PER_TOKEN
            seen += [hit["path"] for hit in page["results"]]
        assert sorted(seen) == sorted(f"m{i}.py" for i in range(24)), "each once"
