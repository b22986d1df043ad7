"""Operators, quoted text and paths in a query, and files that are nearly the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import Engine
from clew.errors import BadInput
from clew.search.operators import Asked, split
from tests.conftest import write_tree

FILES = {
    "api/session.py": "def load_session(request):\n    return request.cookies['token']\n",
    "api/store.py": "def keep_session(request):\n    return request.vault\n",
    "web/session.js": "export function loadSession(request) {\n  return request.cookies;\n}\n",
    "web/notes.py": "# where the session ends: never say so twice\nvalue = 1\n",
    "deep/down/here/values.py": "value = 2\n",
}


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    root = write_tree(tmp_path / "tree", FILES)
    engine.index(str(root))
    return str(root)


def paths(engine: Engine, root: str, query: str) -> list[str]:
    return [hit.path for hit in engine.search(query, root).hits]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("session", {"api/session.py", "api/store.py", "web/session.js", "web/notes.py"}),
        ("session lang:python", {"api/session.py", "api/store.py", "web/notes.py"}),
        ("session lang:python lang:javascript path:web", {"web/session.js", "web/notes.py"}),
        ("session path:api path:web/*.js", {"api/session.py", "api/store.py", "web/session.js"}),
        ("session -path:api", {"web/session.js", "web/notes.py"}),
        ("session must:COOKIES", {"api/session.py", "web/session.js"}),
        ('session must:"never say so"', {"web/notes.py"}),
        ("session exclude:cookies", {"api/store.py", "web/notes.py"}),
        ("session must:cookies exclude:token", {"web/session.js"}),
        ("session must:nowhere_at_all", set()),
    ],
)
def test_operators_say_which_files_count(engine: Engine, root: str, query: str, found: set[str]) -> None:
    assert set(paths(engine, root, query)) == found
    functions = {hit.path for hit in engine.search(query, root, view="functions").hits}
    assert functions <= found


def test_an_operator_narrows_what_the_flags_allow(engine: Engine, root: str) -> None:
    from clew.search.filters import Scope

    hits = engine.search("session path:api", root, scope=Scope(include=("*/session.*",))).hits
    assert [hit.path for hit in hits] == ["api/session.py"]


def test_quoted_text_comes_first(engine: Engine, root: str) -> None:
    assert paths(engine, root, "session")[0] != "web/notes.py"
    assert paths(engine, root, 'session "never say so twice"')[0] == "web/notes.py"
    assert paths(engine, root, '"NEVER say so"')[0] == "web/notes.py", "in any case"


@pytest.mark.parametrize(
    "query",
    [
        "deep/down/here/values.py", "values.py", "./deep/down/here/values.py", "here/values.py",
        "explain deep/down/here/values.py.", "session (values.py)?", "`values.py`: session", "values.py:45:3: session",
        "session, values.py, and more", "deep\\down\\here\\values.py",
    ],
)  # fmt: skip
def test_a_path_leads_to_its_file(engine: Engine, root: str, query: str) -> None:
    assert paths(engine, root, query)[0] == "deep/down/here/values.py"
    assert paths(engine, root, f"session in {root}/deep/down/here/values.py")[0] == "deep/down/here/values.py"


@pytest.mark.parametrize("name", ["Makefile", ".editorconfig", ".clang-tidy"])
def test_a_name_without_an_ending_leads_to_its_file(engine: Engine, tmp_path: Path, name: str) -> None:
    files = {name: "session = load\n", "session.py": f"# {name} session\nsession = 'Makefile'\n"}
    tree = write_tree(tmp_path / "named", files)
    engine.index(str(tree))
    assert paths(engine, str(tree), name)[0] == name


def test_a_directory_helps_what_is_below_it(engine: Engine, root: str) -> None:
    assert paths(engine, root, "value deep/down")[0] == "deep/down/here/values.py"


@pytest.mark.parametrize("query", ["path:src", "lang:python -path:x"])
def test_operators_alone_ask_nothing(engine: Engine, root: str, query: str) -> None:
    with pytest.raises(BadInput, match="operators only"):
        engine.search(query, root)


def test_a_language_that_nobody_knows_is_named(engine: Engine, root: str) -> None:
    with pytest.raises(BadInput, match="unknown language 'klingon'"):
        engine.search("session lang:klingon", root)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("what does path: mean", Asked("what does path: mean")),
        ("std::path::Path", Asked("std::path::Path")),
        ('a "b c" d', Asked("a b c d", quoted=("b c",))),
        ('say must:"b c"', Asked("say b c", must=("b c",))),
        ('open " quote', Asked('open " quote')),
        ("xlang:python y", Asked("xlang:python y")),
        ('where is "b c"?', Asked("where is b c", quoted=("b c",))),
        ('must:"b c", then (d', Asked("b c then (d", must=("b c",))),
        ('"b c"d', Asked('"b c"d')),
    ],
)
def test_what_is_an_operator(query: str, asked: Asked) -> None:
    assert split(query) == asked


@given(st.text(alphabet='ab" :-langpthmusexcld', max_size=60))
def test_every_word_outside_operators_stays(query: str) -> None:
    try:
        found = split(query)
    except BadInput:
        return
    if '"' not in query and ":" not in query:
        assert found == Asked(" ".join(query.split()))
    assert not [text for texts in found[1:] for text in texts if not text.strip()]


def test_a_file_that_is_nearly_the_same_is_named_where_the_first_is(engine: Engine, tmp_path: Path) -> None:
    body = "".join(f"def compute_part_{i}(value):\n    return value * {i} + offset_{i}\n\n" for i in range(30))
    files = {
        "a.py": body + "def total(): return 1\n",
        "b.py": body + "def total(): return 2\nmore = 3\n",
        "c.py": "def compute_part_1(value):\n    return other(value)\n",
    }
    root = str(write_tree(tmp_path / "copies", files))
    engine.index(root)
    hits = engine.search("compute part", root).hits
    first = next(hit for hit in hits if hit.path in ("a.py", "b.py"))
    assert (first.near, first.also) == (("b.py",) if first.path == "a.py" else ("a.py",), ())
    assert sorted(hit.path for hit in hits) == sorted({"c.py", first.path})
    one = engine.search("compute part", root, limit=1)
    assert len(one.hits) == 1 and one.truncated
