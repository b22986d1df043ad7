"""What is told of names that nothing in the index has: never of one that something has."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Engine
from clew.search.pattern import TextQuery
from clew.search.query import MODES
from clew.serve import tools
from tests.conftest import make_engine, write_tree

FILES = {
    "app/session.py": "def load_session(request):\n    return request.cookies  # 0xdeadBEEF 3d_model\n",
    "app/données.py": "class État:\n    def 数据_处理(self):\n        return мой_файл\n",
    "web/app.min.js": "var hiddenThing=1;" + "x();" * 9_000 + "\n",
    "logo.png": "\0\0\0",
}


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Engine, str]:
    engine = make_engine(tmp_path / "home", embedding="static")
    root = str(write_tree(tmp_path / "tree", FILES))
    engine.index(root)
    return engine, root


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("NoSuchName", ("NoSuchName",)),
        ("who calls no_such_name before loading a session", ("no_such_name",)),
        ("Session.no_such_method", ("Session.no_such_method",)),
        ("purple elephants", ("purple", "elephants")),
        ("other_данные", ("other_данные",)),
        ("z" * 140, ("z" * 140,)),
        ("nothing.py", ("nothing.py",)),
        ("purple session", ()),  # one of the words is there, and none is a name
        ("LOAD_SESSION", ()),
        ("app/session.py", ()),
        ("???", ("???",)),
        ("🎉", ("🎉",)),
        ("(request", ()),
        ("):", ()),
        ('"session load"', ("session load",)),  # both words are there, and not so
        ('"load_session(request)"', ()),
        ("数据_处理", ()),
        ("数", ()),
        ("État.数据_处理", ()),
        ("мой_файл", ()),
        ("0xdeadBEEF", ()),
        ("3d_model", ()),
        ("hiddenThing", ()),  # of a file that is searched only as it is written
        ("where is logo.png", ()),
        ("app.min.js", ()),
        ('"ad_sess"', ()),
        ('"not there" of a session', ("not there",)),
        ("“session”", ()),
        ("«cookies»…", ()),
        ("request→cookies", ()),
        ("APP/DONNÉES.py", ()),
        ("must:ad_sess", ()),
        ("e.g. request cookies", ()),
    ],
)
def test_a_name_that_nothing_has_is_told(asked: tuple[Engine, str], question: str, unknown: tuple[str, ...]) -> None:
    engine, root = asked
    for mode in MODES:
        assert engine.search(question, root, mode=mode).unknown == unknown, mode
    for name in unknown:
        assert not engine.grep(TextQuery(name, regex=False, case_sensitive=False), root).matches
    if unknown:
        write_tree(Path(root), {"y.py": f"{' '.join(unknown)}\n"})  # as they were written
        engine.sync(root)
        assert engine.search(question, root).unknown == ()
    engine.close()


def test_it_is_a_warning_beside_hits(asked: tuple[Engine, str]) -> None:
    engine, root = asked
    found = tools.call(engine, "search_codebase", {"query": "no_such_name of a session", "path": root})
    assert found["results"] and [warning["code"] for warning in found["warnings"]] == ["UNKNOWN_WORDS"]
    assert "`no_such_name`" in found["warnings"][0]["message"]
    found = tools.call(engine, "search_codebase", {"query": "no_such", "path": root, "mode": "lexical"})
    assert not found["results"] and not found["warnings"]
    engine.close()
