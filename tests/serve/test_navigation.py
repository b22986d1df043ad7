"""Finding one's way: outlines narrowed down, annotated reading, files of projects, and what to call next."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.serve import tools
from clew.serve.budget import CHARS_PER_TOKEN, fit, size
from clew.types import FileContent
from tests.conftest import make_engine, write_tree

SHAPES = '''"""Shapes."""


class Circle:
    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        self.value = value

    def draw(self):
        def dot():
            return "."
        return dot()


class Square:
    def draw(self):
        return "[]"


SIDES = 4
'''
LONG = "def compute_totals(rows):\n" + "".join(
    f"    total_{i} = add_to_totals(rows[{i}], 'ledger entry {i}')\n" for i in range(400)
)
FILES = {
    "src/shapes.py": SHAPES,
    "src/totals.py": LONG,
    "a/util.py": "def first(): pass\n",
    "b/util.py": "def second(): pass\n",
    "notes.txt": "".join(f"note {i}\n" for i in range(100)),
}
Envelope = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, str]]:
    base = tmp_path_factory.mktemp("navigation")
    root = write_tree(base / "tree", FILES)
    engine = make_engine(base / "home", embedding="none")
    engine.index(str(root))
    engine.index_content("shop/web", [FileContent("src/shapes.py", SHAPES.encode())])
    yield engine, str(root)
    engine.close()


@pytest.fixture
def ask(made: tuple[Engine, str]) -> Any:
    engine, root = made

    def call(tool: str, **arguments: Any) -> Envelope:
        place = {} if tool == "read_file" or "path" in arguments else {"path": root}
        return tools.call(engine, tool, {**arguments, **place})

    return call


@pytest.fixture
def root(made: tuple[Engine, str]) -> str:
    return made[1]


def tree(symbols: list[Envelope]) -> dict[str, Any]:
    """Names by what holds them; of one name twice, the last."""
    return {item["name"]: tree(item["children"]) for item in symbols}


# -- file_outline ----------------------------------------------------------------------------------


def test_outline_by_lines_has_what_they_touch_and_what_holds_it(ask: Any) -> None:
    found = ask("file_outline", file="src/shapes.py", start_line=14, end_line=14)
    assert tree(found["symbols"]) == {"Circle": {"draw": {"dot": {}}}}
    both = ask("file_outline", file="src/shapes.py", start_line=17, end_line=20)
    assert tree(both["symbols"]) == {"Square": {"draw": {}}}
    assert tree(ask("file_outline", file="src/shapes.py", start_line=19)["symbols"]).keys() == {"Square", "SIDES"}
    assert ask("file_outline", file="src/shapes.py", start_line=900)["symbols"] == []


def test_outline_by_name_is_that_definition_with_what_it_holds(ask: Any) -> None:
    found = ask("file_outline", file="src/shapes.py", name="Circle.draw")
    (draw,) = found["symbols"]
    assert (draw["qualified_name"], draw["start_line"], draw["end_line"]) == ("Circle.draw", 13, 16)
    assert tree(draw["children"]) == {"dot": {}}
    assert tree(ask("file_outline", file="src/shapes.py", name="Square")["symbols"]) == {"Square": {"draw": {}}}
    assert ask("file_outline", file="src/shapes.py", name="Triangle")["status"] == "not_found"


def test_a_name_of_several_is_ambiguous_until_qualified_or_placed(ask: Any) -> None:
    found = ask("file_outline", file="src/shapes.py", name="draw")
    assert found["status"] == "ambiguous"
    assert found["candidates"] == ["src/shapes.py:13 Circle.draw", "src/shapes.py:20 Square.draw"]
    overloaded = ask("file_outline", file="src/shapes.py", name="Circle.size")
    assert (overloaded["status"], len(overloaded["candidates"])) == ("ambiguous", 2)
    placed = ask("file_outline", file="src/shapes.py", name="Circle.size", start_line=10, end_line=10)
    assert placed["symbols"][0]["end_line"] == 11
    assert ask("file_outline", file="src/shapes.py", name="draw", start_line=20)["status"] == "ok"
    assert ask("file_outline", file="src/shapes.py", name="draw", start_line=1, end_line=2)["status"] == "not_found"


@pytest.mark.parametrize("lines", [{"start_line": 0}, {"start_line": 5, "end_line": 2}, {"end_line": -1}])
def test_lines_that_are_no_range_are_refused(ask: Any, root: str, lines: dict[str, int]) -> None:
    for envelope in (
        ask("file_outline", file="src/shapes.py", **lines),
        ask("file_outline", file="src/shapes.py", name="Circle", **lines),
        ask("read_file", path=f"{root}/src/shapes.py", **lines),
        ask("read_file", path=f"{root}/src/shapes.py", symbol="Circle", **lines),
    ):
        assert (envelope["status"], envelope["reason"]) == ("error", "bad_input")
        assert "not a range" in envelope["message"]


def test_the_end_of_a_path_is_that_file_or_ambiguous(ask: Any) -> None:
    assert ask("file_outline", file="shapes.py")["file"] == "src/shapes.py"
    found = ask("file_outline", file="util.py")
    assert (found["status"], found["candidates"]) == ("ambiguous", ["a/util.py", "b/util.py"])
    assert ask("file_outline", file="b/util.py")["symbols"][0]["name"] == "second"
    assert ask("file_outline", file="til.py")["status"] == "not_found", "whole segments only"
    assert ask("find_similar", file="util.py", start_line=1, end_line=1)["status"] == "ambiguous"
    missing = ask("file_outline", file="a/util.py", name="second")
    assert missing["status"] == "not_found", "the file is there, so no other is meant"


def test_a_symbol_of_one_file(ask: Any) -> None:
    assert len(ask("get_symbol", name="draw")["symbols"]) == 2
    assert ask("get_symbol", name="first", file="b/util.py")["symbols"] == []
    assert [item["path"] for item in ask("get_symbol", name="first", file="util.py")["symbols"]] == ["a/util.py"]
    assert ask("get_symbol", name="first", file="../util.py")["reason"] == "bad_input"


# -- read_file -------------------------------------------------------------------------------------


def test_plain_reading_has_no_symbols(ask: Any, root: str) -> None:
    assert "symbols" not in ask("read_file", path=f"{root}/src/shapes.py")


def test_annotated_reading_has_what_is_defined_in_the_lines(ask: Any, root: str) -> None:
    whole = ask("read_file", path=f"{root}/src/shapes.py", mode="annotated")
    assert whole["content"] == SHAPES.rstrip("\n")
    assert whole["symbols"] == ask("file_outline", file="src/shapes.py")["symbols"]
    part = ask("read_file", path=f"{root}/src/shapes.py", start_line=13, end_line=14, mode="annotated")
    assert part["content"] == "    def draw(self):\n        def dot():"
    assert tree(part["symbols"]) == {"Circle": {"draw": {"dot": {}}}}
    named = ask("read_file", path=f"{root}/src/shapes.py", symbol="Square", mode="annotated")
    assert (named["start_line"], tree(named["symbols"])) == (19, {"Square": {"draw": {}}})
    assert ask("read_file", path=f"{root}/notes.txt", mode="annotated")["symbols"] == []
    assert ask("read_file", path=f"{root}/notes.txt", mode="loud")["reason"] == "bad_input"


def test_a_symbol_of_several_is_told_by_lines(ask: Any, root: str) -> None:
    path = f"{root}/src/shapes.py"
    assert ask("read_file", path=path, symbol="Circle.size")["status"] == "ambiguous"
    found = ask("read_file", path=path, symbol="Circle.size", start_line=10, end_line=10)
    assert "self.value = value" in found["content"]


def test_annotated_reading_fits_its_budget(ask: Any, root: str) -> None:
    path = f"{root}/src/shapes.py"
    whole = ask("read_file", path=path, mode="annotated")
    for most in range(500, 1_200, 50):
        found = fit(dict(whole), most)
        assert size(found) <= most * CHARS_PER_TOKEN
        if found["content"] != whole["content"]:
            assert found["truncated"] and f"start_line={found['end_line'] + 1}" in found["message"]
        assert all(item["start_line"] <= found["end_line"] for item in found["symbols"])


def test_annotated_reading_goes_by_the_file_as_it_is(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def one(): pass\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    (root / "a.py").write_text("# new\n\n\ndef two(): pass\n")
    found = tools.call(engine, "read_file", {"path": f"{root}/a.py", "mode": "annotated"})
    assert [(item["name"], item["start_line"]) for item in found["symbols"]] == [("two", 4)]
    engine.close()


# -- projects --------------------------------------------------------------------------------------


def test_files_of_a_project_are_named_by_project_and_path(ask: Any) -> None:
    path = "project:shop/web/src/shapes.py"
    assert ask("read_file", path=path, symbol="Square")["content"].startswith("class Square")
    assert ask("read_file", path=path)["codebaseRoot"] == "project:shop/web"
    named = ask("file_outline", file=path, name="Square")
    keyed = ask("file_outline", file="src/shapes.py", path="project:shop/web", name="Square")
    assert named["status"] == "ok" and named["symbols"] == keyed["symbols"] and named["path"] == keyed["path"] == path
    assert ask("find_similar", file=path, start_line=19, end_line=21)["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("project:shop/web", "error"),
        ("project:shop/web/../web/src/shapes.py", "error"),
        ("project:shop/web/", "error"),
        ("project:shop/web/src/none.py", "not_found"),
        ("project:shop/src/shapes.py", "not_indexed"),
        ("project:", "not_indexed"),
    ],
)
def test_what_is_no_file_of_a_project(ask: Any, path: str, status: str) -> None:
    assert ask("read_file", path=path)["status"] == status


# -- list_paths ------------------------------------------------------------------------------------


def test_paths_have_sizes_and_times(ask: Any, root: str) -> None:
    items = {item["path"]: item for item in ask("list_paths")["items"]}
    assert list(items) == sorted(FILES)
    for path, item in items.items():
        found = Path(root, path).stat()
        assert item["size"] == found.st_size == len(FILES[path])
        modified = item["modified"]
        assert modified.endswith("Z") and abs(_seconds(modified) - found.st_mtime) < 0.002
    assert ask("list_paths", path="project:shop/web")["items"][0]["modified"] is None, "nobody told one"


def test_a_time_that_changed_is_told(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    os.utime(root / "a.py", (1_000_000_000, 1_000_000_000))
    (item,) = tools.call(engine, "list_paths", {"path": str(root)})["items"]
    assert item["modified"] == "2001-09-09T01:46:40.000Z"
    engine.close()


def _seconds(moment: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(moment).timestamp()


# -- search ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", ["files", "functions"])
def test_hits_are_grouped_by_symbol(ask: Any, view: str) -> None:
    """A definition that was cut into many chunks is one hit, in either view."""
    found = ask("search_codebase", query="compute totals ledger entry", view=view, include_globs=["src/totals.py"])
    assert [hit["symbol"] for hit in found["results"]] == ["compute_totals"]
    assert found["results"][0]["functions"] == () and found["total"] == 1


def test_the_next_action_reads_what_was_not_shown(ask: Any, root: str) -> None:
    found = ask("search_codebase", query="compute_totals")
    hit = found["results"][0]
    assert hit["end_line"] - hit["start_line"] < 100, "a part of it"
    action = found["recommended_next_action"]
    lines = {"start_line": hit["start_line"], "end_line": hit["end_line"]}
    assert action == {
        "tool": "read_file",
        "args": {"path": f"{root}/src/totals.py", "symbol": "compute_totals", **lines},
    }
    read = ask(action["tool"], **action["args"])
    assert (read["start_line"], read["end_line"]) == (1, 401)


def test_the_next_action_after_a_whole_definition_is_its_neighbourhood(ask: Any, root: str) -> None:
    action = ask("search_codebase", query="second")["recommended_next_action"]
    assert action == {"tool": "file_outline", "args": {"file": "b/util.py", "path": root}}
    assert ask(action["tool"], **action["args"])["status"] == "ok"


def test_the_next_action_after_lines_of_no_definition_reads_around_them(ask: Any, root: str) -> None:
    found = ask("search_codebase", query="note 50", include_globs=["notes.txt"])
    action = found["recommended_next_action"]
    assert action["tool"] == "read_file" and action["args"]["path"] == f"{root}/notes.txt"
    assert ask(action["tool"], **action["args"])["status"] == "ok"


def test_the_next_action_after_nothing(ask: Any, root: str) -> None:
    nothing = ask("search_codebase", query="zebra_crossing")
    assert nothing["results"] == []
    assert nothing["recommended_next_action"] == {
        "tool": "search_text",
        "args": {"query": "zebra_crossing", "path": root},
    }
    scoped = ask("search_codebase", query="Square", languages=["go"])["recommended_next_action"]
    assert scoped["args"] == {
        "query": "Square",
        "path": root,
        "include_globs": [],
        "exclude_globs": [],
        "languages": [],
    }
    assert ask(scoped["tool"], **scoped["args"])["results"]
    assert ask("search_codebase", query="zebra_crossing " * 20)["recommended_next_action"] is None


def test_a_call_that_was_cut_is_not_recommended() -> None:
    hits = [{"path": "a", "snippet": "x\n" * 4_000}]
    for path, kept in (("/short", True), ("/" + "long" * 200, False)):
        action = {"tool": "file_outline", "args": {"file": "a", "path": path}}
        found = fit({"status": "ok", "results": hits, "recommended_next_action": action}, 600)
        assert found["recommended_next_action"] == (action if kept else None)
