"""The measure of the graph benchmark, against a few sites whose figures are worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.graph.calls import Callers
from benchmarks.graph.compiler_truth import compiler_truth
from benchmarks.graph.edges import Edge
from benchmarks.graph.facts import Definition, Elsewhere, Fact, Truth, read_truth, write_truth
from benchmarks.graph.judged import Judgement, Judgements
from benchmarks.graph.projects import Project
from benchmarks.graph.python_code import Code
from benchmarks.graph.python_source import read_source
from benchmarks.graph.scip import read_index
from benchmarks.graph.score import Scorer, matches, score

LOAD = Definition("a.py", 1, 5, 2, "load", "function")
STORE = Definition("a.py", 4, 7, 9, "Store", "class")
GET = Definition("a.py", 5, 9, 6, "Store.get", "method", (7,))


def fact(line: int, target: Definition, *, role: str = "call", by: tuple[str, ...] = ("one",)) -> Fact:
    place = (target.path, target.line, target.column, target.name, target.kind)
    return Fact("b.py", line, 1, *place, role, role == "call", target.also, by)


def edge(line: int, target: Definition, tier: str = "proven") -> Edge:
    return Edge("b.py", line, 1, target.path, target.line, target.name, tier, "call")


def truth(*facts: Fact, elsewhere: tuple[Elsewhere, ...] = ()) -> Truth:
    main = Definition("b.py", 1, 5, 20, "main", "function")
    return Truth("p", "python", {"one": "1"}, ["a.py", "b.py"], [LOAD, STORE, GET, main], [*facts], [*elsewhere])


def test_an_edge_is_right_wrong_or_without_an_opinion() -> None:
    known = truth(fact(1, LOAD), fact(2, GET), elsewhere=(Elsewhere("b.py", 3, 1, "get", "library", "call", True),))
    edges = [
        edge(1, LOAD),
        edge(2, LOAD, "name"),
        edge(3, GET, "name"),
        edge(4, GET),
        edge(1, LOAD)._replace(path="c.py"),
    ]
    found = score(known, edges).as_json()
    assert (found["precision"], found["recall"]) == (0.3333, 0.5)
    assert (found["phantom"], found["only_clew"], found["only_checker"]) == (1, 1, 0)
    assert found["tiers"]["proven"]["precision"] == 1.0
    assert found["tiers"]["name"] == {"precision": 0.0, "recall": 0.0, "edges": 2, "phantom": 1, "wanted": 2}
    assert found["disagreements"] == {"other target": 1, "library": 1}


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("Store.get", 5, True),
        ("Store.get", 7, True),  # an overload
        ("get", 7, True),  # a name that is not qualified needs one of the lines
        ("get", 8, False),
        ("Other.get", 12, False),
        ("Store.put", 5, False),  # two definitions can share a line
    ],
)
def test_the_same_definition_by_line_or_by_qualified_name(name: str, line: int, expected: bool) -> None:
    assert matches(Edge("b.py", 1, 1, "a.py", line, name, "proven", "call"), fact(1, GET)) is expected


def test_a_constructor_stands_for_its_class_and_a_module_for_its_file() -> None:
    assert matches(Edge("b.py", 1, 1, "a.py", 5, "Store.__init__", "proven", "call"), fact(1, STORE))
    module = fact(1, Definition("a.py", 1, 1, 9, "", "module"), role="ref")
    assert matches(Edge("b.py", 1, 1, "a.py", 1, "", "proven", "ref"), module)
    assert not matches(Edge("b.py", 1, 1, "a.py", 4, "Store", "proven", "ref"), module)


def test_calls_count_once_for_a_caller_and_a_callee() -> None:
    found = score(truth(fact(1, LOAD), fact(2, LOAD), fact(3, GET)), [edge(1, LOAD), edge(2, LOAD)]).as_json()
    assert found["calls"] == {"precision": 1.0, "recall": 0.5, "edges": 1, "wanted": 2}


def test_imports_attributes_and_contested_names_do_not_move_recall() -> None:
    attribute = Definition("a.py", 6, 14, 6, "Store.size", "attribute")
    contested = Elsewhere("b.py", 3, 1, "load", "library", "call", True)
    known = truth(fact(1, LOAD, role="import"), fact(2, attribute, role="ref"), fact(3, LOAD), elsewhere=(contested,))
    found = score(known, [edge(1, LOAD)]).as_json()
    assert (found["wanted"], found["imports"]["recall"]) == (0, 1.0)
    assert found["recall_by_kind"] == {"attribute": {"recall": 0.0, "wanted": 1}}


def test_one_checker_can_be_asked_alone() -> None:
    known = truth(fact(1, LOAD, by=("one",)), fact(2, GET, by=("two",)))
    scorer = Scorer(known, checkers=["two"])
    scorer.see(edge(1, LOAD))
    found = scorer.report().as_json()
    assert (found["wanted"], found["only_clew"]) == (1, 1)


def test_judgements_correct_both_sides() -> None:
    judgements = Judgements()
    judgements.add(Judgement("p", "b.py", 1, 1, "", "a.py", "load", False, "clew", ""))
    judgements.add(Judgement("p", "b.py", 2, 1, "", "a.py", "Store", True, "clew", ""))
    scorer = Scorer(truth(fact(1, GET), fact(2, STORE)), judgements=judgements)
    scorer.see(edge(1, LOAD))
    found = scorer.report().as_json()
    assert (found["precision"], found["recall"], found["wanted"]) == (1.0, 1.0, 1)


def test_the_innermost_definition_around_a_line_calls() -> None:
    callers = Callers([STORE, GET])
    assert [callers.of("a.py", line)[1] for line in (1, 4, 6, 8)] == ["", "Store", "Store.get", "Store"]


def test_truth_is_read_as_it_was_written(tmp_path: Path) -> None:
    known = truth(fact(1, GET), elsewhere=(Elsewhere("b.py", 3, 1, "get", "local", "ref", False, ("scopes",)),))
    known.definitions.sort()
    write_truth(known, tmp_path / "p.jsonl.gz")
    assert read_truth(tmp_path / "p.jsonl.gz") == known


def test_python_source_tells_definitions_roles_and_locals() -> None:
    method = "    def m(self, p):\n        self.z = [q for q in p]\n        return é(X)\n"
    text = "import os\nX = 1\nclass C:\n    y = 2\n" + method
    source = read_source("a.py", text)
    assert source is not None
    kinds = {name: found.kind for name, found in source.definitions.items()}
    assert kinds == {"": "module", "X": "variable", "C": "class", "C.y": "field", "C.m": "method", "C.z": "attribute"}
    assert source.sites[1, 8].role == "import"
    assert source.sites[5, 17].local  # a parameter's own name
    assert source.sites[6, 19].local and source.sites[6, 30].local  # q and p
    assert source.sites[7, 16].is_call and not source.sites[7, 18].local


def test_re_exports_are_followed_to_the_definition(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .api import get as fetch\nfrom .more import *\n"
        "try:\n    import fast\nexcept ImportError:\n    fast = None\n",
        "pkg/api.py": "from os import path\ndef get(): ...\nclass A:\n    def m(self): ...\n",
        "pkg/more.py": "from . import api\nclass B(api.A): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    code = Code(Project("p", "python", tmp_path, ("pkg",), (".",)))
    found = {name: code.resolve("pkg/__init__.py", name) for name in ("fetch", "B.m", "api.path", "nothing")}
    assert [row.name for row in found["fetch"] or ()] == ["get"]
    assert [(row.path, row.name) for row in found["B.m"] or ()] == [("pkg/api.py", "A.m")]
    assert found["api.path"] == [] and found["nothing"] is None
    assert code.is_contested("pkg/__init__.py", "fast")


def test_an_index_is_read_from_its_bytes(tmp_path: Path) -> None:
    occurrence = b"\x0a\x03\x02\x04\x09\x12\x05local\x18\x01"  # range 2:4-9, symbol, roles
    document = b"\x0a\x04a.ts\x12" + bytes([len(occurrence)]) + occurrence
    (tmp_path / "i.scip").write_bytes(b"\x0a\x00\x12" + bytes([len(document)]) + document)
    (found,) = read_index(tmp_path / "i.scip")
    assert (found.path, found.occurrences[0][:6]) == ("a.ts", (2, 4, 2, 9, "local", 1))


def test_what_a_compiler_sees_of_namespaces_and_branches() -> None:
    """clang names all namespaces, and of the branches of an #if the one that holds."""
    deep = Definition("a.h", 9, 1, 9, "fmt.v12.detail.buffer", "class")
    macro = Definition("a.h", 20, 1, 20, "LIMIT", "macro")
    inner = edge(1, Definition("a.h", 3, 1, 3, "detail.buffer", "class"))
    assert matches(inner, fact(1, deep, by=("clang",)))
    assert not matches(inner, fact(1, deep))
    assert not matches(edge(1, Definition("a.h", 3, 1, 3, "other.buffer", "class")), fact(1, deep, by=("clang",)))
    assert matches(edge(1, Definition("a.h", 24, 1, 24, "detail.LIMIT", "macro")), fact(1, macro, by=("clang",)))
    assert not matches(edge(1, Definition("b.h", 24, 1, 24, "LIMIT", "macro")), fact(1, macro, by=("clang",)))


def test_a_constructor_that_is_called_like_its_class_stands_for_it() -> None:
    made = edge(1, Definition("A.java", 4, 1, 4, "Box.Box", "method"))
    assert matches(made, fact(1, Definition("A.java", 2, 1, 9, "Box", "class")))


def test_a_project_that_is_not_there_has_no_truth(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="which has no src"):
        compiler_truth(Project("gone", "go", tmp_path, ("src",)))
