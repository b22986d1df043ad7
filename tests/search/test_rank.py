"""What places a file: each feature by itself, against a naive reckoning where there is one."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import Engine
from clew.errors import BadInput, RequiresReindex
from clew.search import best, find, paths, rank
from clew.search.filters import Scope
from clew.search.paths import PathTable, path_words, similarity
from clew.search.query import MODES, VIEWS, Mode, parse_query
from clew.search.view import MANY_USERS
from tests.conftest import make_engine, write_tree

pytestmark = pytest.mark.usefixtures("either_way")

_SCORES = st.one_of(st.just(0.0), st.floats(0, 50, width=32))


@given(
    st.lists(st.lists(_SCORES, min_size=1, max_size=9), min_size=1, max_size=12),
    st.sampled_from([0.0, best.FEW_CHUNKS, 2.0]),
)
def test_best_chunks_are_the_best_of_each_document(groups: list[list[float]], few: float) -> None:
    scores = np.array([round(score, 3) for group in groups for score in group], np.float32)
    documents = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    starts = np.flatnonzero(np.diff(documents, prepend=-1))
    files = [*range(len(groups)), len(groups), 0]  # the last but one has no chunks, the last the first one's
    view: Any = SimpleNamespace(starts=starts, group=np.array(files))
    with mock.patch.object(best, "FEW_CHUNKS", few):
        found = best.best_chunks(view, scores)
    assert found[-2:].tolist() == [0, found[0]]
    for document, group in enumerate(groups):
        scored = sorted((float(np.float32(round(score, 3))) for score in group), reverse=True)
        expected = sum(weight * score for weight, score in zip(best.TOP_CHUNKS, scored, strict=False))
        assert found[document] == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    ("word", "wanted", "expected"),
    [
        ("session", "sessions", 1.0),
        ("auth", "authentication", 0.8),
        ("ser", "serialize", 0.4),
        ("autodetector", "autodetected", 0.6),
        ("db", "dbms", 0.0),
        ("form", "perform", 0.0),
        ("ctx", "context", 0.6),
        ("msg", "messages", 0.6),
        ("ctx", "contemporary", 0.0),
        ("", "", 1.0),
    ],
)
def test_similar_words(word: str, wanted: str, expected: float) -> None:
    assert similarity(word, wanted) == similarity(wanted, word) == expected


@pytest.mark.parametrize(
    ("path", "stem", "depth", "is_test", "is_legacy", "is_prose"),
    [
        ("src/app/user_session.py", ("user", "session"), 2, False, False, False),
        ("routing/mod.rs", ("routing",), 1, False, False, False),
        ("mod.rs", ("mod",), 0, False, False, False),
        ("pkg/__init__.py", ("pkg",), 1, False, False, False),
        ("tests/test_a.py", ("test", "a"), 1, True, False, False),
        ("a/FooTests.cs", ("foo", "tests"), 1, True, False, False),
        ("Src/Some.Lib.Tests/Objects/Foo.cs", ("foo",), 3, True, False, False),
        ("AppTests/Foo.swift", ("foo",), 1, True, False, False),
        ("Tests/Helper.swift", ("helper",), 1, True, False, False),
        ("core/benches/load.rs", ("load",), 2, True, False, False),
        ("src/latest/attestation.py", ("attestation",), 2, False, False, False),
        ("vendor/x.go", ("x",), 1, False, True, False),
        ("a/types.d.ts", ("types",), 1, False, True, False),
        ("docs/guide.md", ("guide",), 1, False, False, True),
        ("docs/api/index.html", ("api",), 2, False, False, True),
        ("a/SqlMapper.TypeHandler.cs", ("sql", "mapper", "type", "handler"), 1, False, False, False),
        ("a/button.test.tsx", ("button",), 1, True, False, False),
        (".gitignore", ("gitignore",), 0, False, False, False),
    ],
)
def test_what_a_path_says(
    path: str, stem: tuple[str, ...], depth: int, is_test: bool, is_legacy: bool, is_prose: bool
) -> None:
    found = path_words(path)
    assert (found.stem, found.depth) == (stem, depth)
    assert (found.is_test, found.is_legacy, found.is_prose) == (is_test, is_legacy, is_prose)


def test_older_versions_and_headers_with_their_source() -> None:
    table = PathTable(["api/v1/a.ts", "api/v2/a.ts", "other/v1/b.ts", "lib/http.c", "lib/http.h", "lib/alone.h"])
    assert table.superseded == {0: "v1"}
    assert table.is_header.tolist() == [False, False, False, False, True, False]


def test_a_version_beside_the_same_files_without_one_is_old() -> None:
    assert PathTable(["a/fields.py", "a/main.py", "a/v1/fields.py", "a/v1/types.py"]).superseded == {2: "v1", 3: "v1"}
    beside_two = ["index.ts", "types.ts", "v3/index.ts", "v3/types.ts", "v4/index.ts", "v4/types.ts"]
    assert PathTable(beside_two).superseded == {2: "v3", 3: "v3"}, "v4 is what the files without a version show"
    assert PathTable(["index.ts", "v1/index.ts"]).superseded == {}, "an index may hand on the only version"


@given(st.lists(st.text("abcdeior", min_size=1, max_size=9), max_size=20), st.text("abcdeior", min_size=1, max_size=9))
def test_similar_words_are_found_without_looking_at_all(names: list[str], wanted: str) -> None:
    table = PathTable([f"a/{name}.py" for name in names])
    words = {word for name in names for word in path_words(f"a/{name}.py").stem}
    assert dict(table.stem_words_like(wanted)) == {w: v for w in words if (v := similarity(w, wanted))}


def test_names_written_otherwise(engine: Engine, tmp_path: Path) -> None:
    """As one word, without vowels, by first letters: each finds its file though no text says so."""
    files = {f"pkg/{name}.py": "value = 1\n" for name in ("oauth", "openapi", "ctx", "sse", "other", "more")}
    root = str(write_tree(tmp_path / "names", files))
    engine.index(root)
    for query, path in (
        ("OpenAPI schema", "pkg/openapi.py"),
        ("request context", "pkg/ctx.py"),
        ("server-sent events", "pkg/sse.py"),
    ):
        assert engine.search(query, root).hits[0].path == path


def test_the_file_that_a_question_begins_with_comes_first(engine: Engine, tmp_path: Path) -> None:
    same, names = "def f():\n    return 'valve and pump'\n", ("valve", "pump", "other")
    files = {f"pkg/{name}.py": same + "\n" * place for place, name in enumerate(names)}
    root = str(write_tree(tmp_path / "names", files))
    engine.index(root)
    for query, path in (("valve opened by the pump", "pkg/valve.py"), ("pump behind each valve", "pkg/pump.py")):
        hits = engine.search(query, root, explain=True).hits
        stems = {hit.path: (hit.why or {})["stem"] for hit in hits}
        assert hits[0].path == path and stems[path] == pytest.approx(rank.STEM) and min(stems.values()) == 0
        assert 0 < sorted(stems.values())[1] < rank.STEM


def test_a_name_that_is_handed_on_leads_to_who_hands_it_on(engine: Engine, tmp_path: Path) -> None:
    files = {
        "extract/mod.rs": "pub use other_crate::extract::{FromRequest, Parts};\n",
        "extract/form.rs": "use super::FromRequest;\nfn from_request(a: FromRequest) -> FromRequest { a }\n" * 3,
        "lib.rs": "fn main() {}\n",
    }
    root = str(write_tree(tmp_path / "crate", files))
    engine.index(root)
    assert engine.search("FromRequest", root).hits[0].path == "extract/mod.rs"
    (Path(root) / "own.rs").write_text("pub trait FromRequest {}\n")
    assert engine.search("FromRequest", root).hits[0].path == "own.rs", "a definition beats it"


FILES = {
    "app/session.py": "def load_session(request):\n    '''The session of a request.'''\n    return request.cookies\n",
    "app/views.py": "def show(request):\n    return load_session(request)\n",
    "tests/test_session.py": "def test_load_session(request):\n    assert load_session(request)\n" * 4,
    "docs/session.md": "# Session\n\nHow the session is loaded from a request.\n" * 3,
    "legacy/session.py": "def load_session_old(request):\n    return request.session\n" * 2,
}


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> str:
    root = write_tree(tmp_path / "tree", FILES)
    engine.index(str(root))
    return str(root)


def test_the_code_itself_comes_first_unless_something_else_is_asked_for(engine: Engine, root: str) -> None:
    assert engine.search("how is the session loaded", root).hits[0].path == "app/session.py"
    assert engine.search("test that the session is loaded", root).hits[0].path == "tests/test_session.py"
    assert engine.search("legacy session", root).hits[0].path == "legacy/session.py"


def test_an_explanation_adds_up_to_the_score(engine: Engine, root: str) -> None:
    for hit in engine.search("load_session", root, explain=True).hits:
        assert hit.why is not None
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=2e-3)
    assert engine.search("load_session", root).hits[0].why is None
    with pytest.raises(BadInput, match="only files are explained"):
        engine.search("load_session", root, view="functions", explain=True)


def test_the_functions_view_gives_definitions_by_name(engine: Engine, root: str) -> None:
    found = engine.search("load the session", root, view="functions")
    assert (found.hits[0].path, found.hits[0].symbol) == ("app/session.py", "load_session")
    assert len({(hit.path, hit.start_line) for hit in found.hits}) == len(found.hits) == found.total


def test_code_like_some_lines_of_a_file_leaves_those_lines_out(engine: Engine, root: str) -> None:
    found = engine.similar(f"{root}/legacy/session.py", (1, 2))
    assert found.hits and all((hit.path, hit.start_line) != ("legacy/session.py", 1) for hit in found.hits)


def test_words_that_name_the_codebase_say_nothing_in_it() -> None:
    assert parse_query("how curl resolves a host", root="/src/curl/lib").content == ("resolves", "host")
    assert parse_query("curl host", root="/src/curl").words == ("curl", "host"), "too few words are left"


def test_meaning_alone_and_words_alone(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(root))
    for mode in ("semantic", "hybrid", "lexical"):
        hits = engine.search("load the session of a request", str(root), mode=mode, explain=True).hits
        assert hits, mode
        why = hits[0].why or {}
        assert ("dense" in why) == (mode != "lexical"), mode
        assert (why.get("stem", 0) > 0) == (mode != "semantic"), mode
    engine.close()
    changed = make_engine(tmp_path / "home", embedding="none")
    with pytest.raises(RequiresReindex):
        changed.search("session", str(root))
    changed.index(str(root), force=True)
    assert changed.search("session", str(root)).hits
    changed.close()


def test_meaning_alone_finds_the_only_file_there_is(tmp_path: Path) -> None:
    """No file is closer than the mean where all are alike; one is found all the same, by each view and in scopes."""
    root = write_tree(tmp_path / "tree", {"a.py": "def hold(lock):\n    lock.acquire()\n"})
    others = {f"b/{i}.py": "def load(session):\n    return session\n" for i in range(9)}
    many = write_tree(tmp_path / "many", {"a/a.py": "def close(connection):\n    connection.end()\n", **others})
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(root))
    engine.index(str(many))
    for mode, view in itertools.product(MODES[::2], VIEWS):  # hybrid, semantic
        [hit] = engine.search("mutual exclusion", str(root), mode=mode, view=view).hits
        assert (hit.path, hit.symbol) == ("a.py", "hold"), (mode, view)
        [hit] = engine.search("session", str(many), mode=mode, view=view, scope=Scope(include=("a",))).hits
        assert hit.path == "a/a.py", (mode, view)
    [hit] = engine.search("mutual exclusion", str(root), mode="semantic", explain=True).hits
    assert hit.why == {"body": 0, "definition": 0, "stem": 0, "dense": 0.7, "names": 0.45} and hit.score > 1.1
    assert not engine.search("mutual exclusion", str(root), mode="lexical").hits
    assert not engine.search("mutual exclusion exclude:acquire", str(root), mode="semantic").hits
    engine.close()


def test_a_synonym_stands_in_for_a_word_that_is_not_there(tmp_path: Path) -> None:
    filler = {f"other{i}.py": f"def turn{i}(wheel):\n    return wheel + {i}\n" for i in range(8)}
    there = {"a.py": "def f(names):\n    names.remove(0)\n", "b.py": "def g(names):\n    names.append(0)\n"}
    root = write_tree(tmp_path / "tree", {**filler, **there})
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(root))
    meant = {hit.path: hit.why for hit in engine.search("delete", str(root), explain=True).hits}
    assert (meant["a.py"] or {})["body"] == 1 and "b.py" not in meant
    said = {hit.path for hit in engine.search("delete", str(root), mode="lexical").hits}
    assert "a.py" not in said, "without the model words are what they are"


def test_a_word_itself_counts_more_than_what_means_the_same(tmp_path: Path) -> None:
    there = {"a.py": "def f(names):\n    names.remove(0)\n", "b.py": "def g(names):\n    names.delete(0)\n"}
    root = write_tree(tmp_path / "tree", there)
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(root))
    why = {hit.path: hit.why or {} for hit in engine.search("delete", str(root), explain=True).hits}
    assert why["b.py"]["body"] == 1 > why["a.py"]["body"] > 0


def test_a_file_may_be_called_otherwise(tmp_path: Path) -> None:
    same, names = "def f(rows):\n    return rows\n", ("remove", "delete", "other")
    there = {f"pkg/{name}.py": same + "\n" * place for place, name in enumerate(names)}
    root = write_tree(tmp_path / "tree", there)
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(root))
    found = {}
    modes: tuple[Mode, ...] = ("hybrid", "lexical")
    for mode in modes:
        hits = engine.search("delete rows", str(root), mode=mode, explain=True).hits
        found[mode] = {hit.path: (hit.why or {})["stem"] for hit in hits}
    engine.close()
    hybrid = found["hybrid"]
    assert hybrid["pkg/delete.py"] > hybrid["pkg/remove.py"] > hybrid["pkg/other.py"] == 0
    assert found["lexical"]["pkg/remove.py"] == 0, "the model knows it"


def test_what_many_files_use_comes_first(engine: Engine, tmp_path: Path) -> None:
    same = "def open_valve():\n    return 'valve'\n"
    users = {f"use{i}.py": "import one\n\none.open_valve()\n" for i in range(3)}
    root = write_tree(tmp_path / "tree", {"one.py": same, "two.py": same + "\n", **users})
    engine.index(str(root))
    why = {hit.path: hit.why or {} for hit in engine.search("valve", str(root), explain=True).hits}
    most = rank.USED * (1 + 3 / (3 + MANY_USERS)) / 2
    assert why["one.py"]["used"] == pytest.approx(most, abs=1e-4) and not why["two.py"]["used"]
    (root / "use0.py").write_text("import two\n\ntwo.open_valve()\n")
    (root / "use1.py").write_text("import two\n\ntwo.open_valve()\n")
    engine.index(str(root))
    why = {hit.path: hit.why or {} for hit in engine.search("valve", str(root), explain=True).hits}
    assert why["two.py"]["used"] > why["one.py"]["used"] > 0


def test_a_header_comes_behind_its_source(engine: Engine, tmp_path: Path) -> None:
    files = {
        "lib/valve.h": "/* valve valve valve */\nint open_valve(int);\nstruct valve_state { int open; };\n",
        "lib/valve.c": '#include "valve.h"\nint open_valve(int n) { return n; }\n',
        "lib/other.c": "int close_it(int n) { return n; }\n",
    }
    root = write_tree(tmp_path / "tree", files)
    engine.index(str(root))
    assert [hit.path for hit in engine.search("open a valve", str(root)).hits][:2] == ["lib/valve.c", "lib/valve.h"]
    assert engine.search("valve_state", str(root)).hits[0].path == "lib/valve.h", "only the header has it"


def test_a_header_that_does_things_itself_is_no_declaration(engine: Engine, tmp_path: Path) -> None:
    """A library of headers may have a small source of the same name; nobody looks for anything there."""
    body = "\n".join(f"inline int open_valve_{i}(int n) {{\n{f'  n += {i};' * 30}\n  return n;\n}}" for i in range(20))
    files = {"include/valve.h": body, "src/valve.c": '#include "valve.h"\nint open_valve(int n) { return n; }\n'}
    root = write_tree(tmp_path / "tree", files)
    engine.index(str(root))
    first, second = engine.search("how is a valve opened", str(root), explain=True).hits
    assert {hit.path: (hit.why or {})["header"] for hit in (first, second)} == dict.fromkeys(files, 0.0)
    write_tree(root, {"src/valve.c": body.replace("inline int open", "long opened").replace(" n", " pipe")})
    engine.sync(str(root))
    first, second = engine.search("how is a valve opened", str(root), explain=True).hits
    assert (first.path, second.path) == ("src/valve.c", "include/valve.h") and (second.why or {})["header"] < 0


def test_a_function_of_c_is_found_where_it_is_done(engine: Engine, tmp_path: Path) -> None:
    """Also if the header that declares it is called like the first word of its name, and not like its source."""
    files = {
        "include/net/net.h": "/* The public face of net. */\nint net_global_start(int flags);\nint net_stop(void);\n",
        "lib/easy.c": "#include <net/net.h>\n\nint net_global_start(int flags)\n{\n  return flags + 1;\n}\n",
        "lib/only.h": "int net_elsewhere(int flags);\n",
    }
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    assert engine.search("net_global_start", root).hits[0].path == "lib/easy.c"
    assert engine.search("net_elsewhere", root).hits[0].path == "lib/only.h", "nothing else has it"


def test_a_word_that_is_a_name_in_a_test_or_in_data_leads_to_the_code(engine: Engine, tmp_path: Path) -> None:
    files = {
        "README.md": "# Thing\n\nWhat it is, and who should read this readme.\n",
        "setup.toml": "[project]\nreadme = 'README.md'\n",
        "client.py": "class Client:\n    def send(self, follow_redirects):\n"
        "        # redirects are followed here: at most max_redirects redirects\n        return follow_redirects\n",
        "tests/test_client.py": "def redirects(request):\n    return Response(302)\n",
    }
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    assert engine.search("README", root).hits[0].path == "README.md"
    assert engine.search("redirects", root).hits[0].path == "client.py"
    assert engine.search("redirects test", root).hits[0].path == "tests/test_client.py"


def test_a_line_after_a_path_is_what_is_shown(engine: Engine, tmp_path: Path) -> None:
    functions = "".join(f"def step_{i}():\n" + f"    work({i})\n" * 70 + "\n\n" for i in range(6))
    files = {"src/App.py": functions, "other/app.py": functions.replace("step", "other")}
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    for question in (
        "src/App.py:230",
        "src/app.py:230:5",
        "what fails at (src/App.py:230)?",
        f"{root}/src/App.py:230:",
    ):
        hit = engine.search(question, root).hits[0]
        assert (hit.path, hit.symbol) == ("src/App.py", "step_3"), question
        assert hit.start_line <= 230 <= hit.end_line
    assert engine.search("src/App.py:99999", root).hits[0].path == "src/App.py", "no line of it"
    assert engine.search("src/App.py", root).hits[0].path == "src/App.py"


def test_signs_alone_are_looked_for_as_they_are(engine: Engine, tmp_path: Path) -> None:
    root = str(write_tree(tmp_path / "tree", {"a.py": "def a(x) -> int: ...\n", "b.py": "def b(x): ...\n"}))
    engine.index(root)
    write_tree(Path(root), {"c.js": "a => b -> c\n"})
    assert [hit.path for hit in engine.search("->", root).hits] == ["a.py", "c.js"]
    for question in ("=> ->", '"->" "=>"', "must:=> must:->", "=> must:->", "path:*.js -> =>"):
        found = engine.search(question, root)
        assert "c.js" in [hit.path for hit in found.hits] and found.unknown == (), question
    assert engine.search("-> <=>", root).unknown == ("<=>",)


def test_what_the_model_never_learned_means_nothing_alone(tmp_path: Path) -> None:
    """A defect once: words that share a row by chance made a file the nearest by meaning."""
    engine = make_engine(tmp_path / "home", embedding="static")
    files = {"a.py": "def party():\n    return '🎉'\n", **{f"f{i}.py": f"def f{i}(): return {i}\n" for i in range(30)}}
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    assert [hit.path for hit in engine.search("🎉", root).hits] == ["a.py"]
    assert engine.search("🚀", root).hits == ()
    engine.close()


def test_the_source_of_a_header_is_beside_it_or_the_only_one() -> None:
    paths = ["a/x.h", "a/x.c", "b/x.c", "include/y.h", "src/y.cc", "include/x.h", "z.h"]
    table = PathTable(paths)
    assert dict(zip(table.headers.tolist(), table.sources.tolist(), strict=True)) == {0: 1, 3: 4}
    assert table.is_header.tolist() == [True, False, False, True, False, True, False]


@pytest.mark.parametrize(("keyword", "expected"), [("pub use", "extract/mod.rs"), ("use", "other.rs")])
def test_a_name_that_nothing_defines_is_found_where_it_is_handed_on(
    engine: Engine, tmp_path: Path, keyword: str, expected: str
) -> None:
    files = {
        "extract/mod.rs": f"{keyword} core_crate::FromWater;\n",
        "other.rs": "use crate::extract::FromWater;\n\nfn water(w: FromWater) -> FromWater { FromWater::new(w) }\n",
    }
    root = write_tree(tmp_path / "tree", files)
    engine.index(str(root))
    assert engine.search("FromWater", str(root)).hits[0].path == expected


@given(
    st.lists(st.lists(st.sampled_from(["a", "B", "a.py", "src", "É.py"]), min_size=1, max_size=4), max_size=8),
    st.lists(st.sampled_from(["a", "b", "a.py", "src", "é.py"]), min_size=1, max_size=3),
)
def test_files_that_have_a_path_are_found(paths: list[list[str]], wanted: list[str]) -> None:
    names, text = ["/".join(parts) for parts in paths], "/".join(wanted)
    table = PathTable(names)
    whole = [f"/{name.lower()}" for name in names]
    ending = [place for place, path in enumerate(whole) if path.endswith(f"/{text}")]
    below = [place for place, path in enumerate(whole) if f"/{text}/" in path]
    assert table.files_having(f"/{text}\n").tolist() == ending
    assert table.files_having(f"/{text}/").tolist() == below


def test_of_two_versions_the_newer_definition_counts(tmp_path: Path) -> None:
    old, new = "class Schema:\n    pass\n\nclass Left: ...\n", "from x import y\n\nclass Schema:\n    y = y\n"
    files = {"v3/schema.py": old, "v4/core.py": new, "v4/schema.py": "def other(): ...\n"}
    engine = make_engine(tmp_path / "home")
    root = str(write_tree(tmp_path / "tree", files))
    engine.index(root)
    assert engine.search("Schema", root).hits[0].path == "v4/core.py"
    assert engine.search("Schema v3", root).hits[0].path == "v3/schema.py", "that very version is asked for"
    assert engine.search("Left", root).hits[0].path == "v3/schema.py", "only the older one has it"
    engine.close()


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(1, 12))
def test_the_greatest_come_first_and_ties_in_order(numbers: list[int], most: int) -> None:
    values = np.array(numbers, np.float32)
    expected = np.argsort(-values, kind="stable").tolist()
    found = best.greatest(values, most).tolist()
    assert found == expected[: len(found)] and len(found) >= min(most, len(numbers))
    with mock.patch.object(find, "HEAD", most):
        assert [*find._best_first(values)] == expected


_PARTS = st.sampled_from(
    "a tests Test testing test_a a_test.go fooTests conftest.py spec.rb x.spec.ts legacy compat.py old _pb2.py b_pb2.py"
    " docs doc changelog.md NEWS news.rst README.md v1 vendor generated.pb.go min.js a.min.js T.d.ts FooTest.java www"
    " history-of.py deprecated-api benches Examples x-old.c".split()
)


@given(st.lists(_PARTS, min_size=1, max_size=5).map("/".join))
def test_kinds_of_paths_are_those_of_the_whole(path: str) -> None:
    words = path_words(path)
    assert (words.is_test, words.is_legacy, words.is_prose) == paths._kinds(path)
