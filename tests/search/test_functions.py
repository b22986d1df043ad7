"""The order of functions: names, operators, copies, and what is shown of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Engine
from clew.errors import BadInput
from clew.search.filters import Scope
from tests.conftest import make_engine, write_tree

STEPS = {
    "steps.py": "".join(f"def step{i}(value):\n    return value + {i}\n\n\n" for i in range(9)),
    "view.py": "class V:\n" + "".join(f"    def get{end}(self): return 1\n\n" for end in ("", "_x", "_y")),
    "ruby.rb": "class R\n  def valid?\n    1\n  end\n  def valid_or\n    2\n  end\nend\n",
    "nest.py": "def build(rows):\n    def allow_abort(row):\n        return row\n\n    return map(allow_abort, rows)\n",
    "abort.py": "def make_abort_allowed(row):\n    return abort(row)\n\n\ndef abort(row):\n    return row\n",
    "open.py": "def open_document(path):\n    return path\n",
    "net.py": "def open_connection(host):\n    return host\n",
}


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    root = write_tree(tmp_path / "tree", STEPS)
    engine.index(str(root))
    return str(root)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("step7", "step7"), ("step7()", "step7"), ("STEP7", "step7"), ("get_y", "V.get_y"), ("V.get_y", "V.get_y"),
        ("V.get", "V.get"), ("V::get()", "V.get"), ("valid?", "R.valid?"), ("allow_abort", "build.allow_abort"),
    ],
)  # fmt: skip
def test_a_name_leads_to_its_definition(engine: Engine, root: str, query: str, first: str) -> None:
    assert engine.search(query, root, view="functions").hits[0].symbol == first


def test_a_name_leads_there_from_the_last_of_many(engine: Engine, tmp_path: Path) -> None:
    """Whatever else fits, and however many have the same name elsewhere."""
    files = {f"w{i}.py": f"class Widget{i}:\n    def render(self):\n        return {i}\n" for i in range(600)}
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    assert engine.search("Widget590.render", root, view="functions").hits[0].path == "w590.py"
    assert engine.search("Widget590.render", root).hits[0].path == "w590.py"
    assert engine.search("render", root, view="functions", limit=1).total <= 400


def test_a_name_is_found_in_any_case(engine: Engine, tmp_path: Path) -> None:
    files = {"a.py": "class HttpServer:\n    def serve(self): pass\n", "b.py": "# the httpserver\nx = HttpServer()\n"}
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    worth = []
    for query in ("HttpServer", "httpserver", "HTTPserver"):
        hit, *_ = engine.search(query, root, explain=True).hits
        assert hit.path == "a.py" and hit.why is not None
        worth.append(hit.why["definition"])
    assert worth[0] > worth[1] == worth[2] > 0, "the exact case is worth more"


def test_operators_are_no_words_of_the_question(tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "home", embedding="static")
    root = str(write_tree(tmp_path / "tree", STEPS))
    engine.index(root)
    for mode in ("hybrid", "semantic"):
        plain = engine.search("open something", root, view="functions", mode=mode).hits
        without = engine.search(
            'open something exclude:"network socket connection"', root, view="functions", mode=mode
        ).hits
        assert without == plain
        flag = engine.search("open", root, view="functions", mode=mode, scope=Scope(languages=("ruby",))).hits
        assert engine.search("open lang:ruby", root, view="functions", mode=mode).hits == flag
    engine.close()


def test_copies_are_like_what_they_are_copies_of(engine: Engine, tmp_path: Path) -> None:
    text = "def compute_total(rows):\n    total = sum(row.amount for row in rows)\n    return total\n"
    root = write_tree(tmp_path / "tree", {"a.py": text, "b.py": text, "c.py": "x = 1\n", "d.bin": "\0\1"})
    engine.index(str(root))
    for mine, other in (("a.py", "b.py"), ("b.py", "a.py")):
        assert engine.similar(str(root / mine), (1, 3)).hits[0].path == other
    with pytest.raises(BadInput, match="binary"):
        engine.similar(str(root / "d.bin"), (1, 1))


def test_no_line_that_is_asked_about_is_like_itself(engine: Engine, tmp_path: Path) -> None:
    text = "".join(f"def compute_{i}(rows):\n    return sum(rows) + {i}\n\n" for i in range(1_000))
    root = write_tree(tmp_path / "tree", {"a.py": text, "b.py": "def compute(rows):\n    return sum(rows)\n"})
    engine.index(str(root))
    assert {hit.path for hit in engine.similar(str(root / "a.py"), (1, 2_999)).hits} <= {"b.py"}


def test_a_long_method_is_shown_from_the_beginning_of_its_line(engine: Engine, tmp_path: Path) -> None:
    body = "".join(f"        self.a{i} = {i}\n" for i in range(70))
    text = f"class Holder:\n    def release_lock(self):\n{body}"
    root = write_tree(tmp_path / "tree", {"long.py": text})
    engine.index(str(root))
    for hit in engine.search("release_lock", str(root), view="functions").hits:
        lines = text.split("\n")[hit.start_line - 1 : hit.end_line]
        assert hit.snippet == "\n".join(lines)
