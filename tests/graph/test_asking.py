"""References, calls, the map and imports of real indexes, through the engine and the tools."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.errors import Ambiguous, BadInput, NotFound
from clew.graph.calls import CallGraph, Note, relevant
from clew.graph.nodes import Node
from clew.relations import Wanted
from clew.serve import tools
from tests.conftest import make_engine, write_tree

TREE = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "from .price import total\n\n\nclass Cart:\n    def __init__(self):\n        self.items = []\n\n"
        "    def add(self, item):\n        self.items.append(item)\n        return self\n\n"
        "    def pay(self):\n        return total(self.items)\n"
    ),
    "shop/price.py": "def total(items):\n    return sum(tax(i) for i in items)\n\n\ndef tax(item):\n    return item\n",
    "main.py": "from shop import Cart\n\n\ndef main():\n    cart = Cart()\n    cart.add(1).pay()\n\n\nmain()\n",
    "loose.py": "def settle(thing):\n    thing.pay()\n    thing.close()\n\n\nfrom shop import price\n",
    "door.py": "class Door:\n    def close(self): ...\n\n\nclass Window:\n    def close(self): ...\n",
    ".hidden/spy.py": "from shop import Cart\n\nCart().pay()\n",
    "ignored/x.py": "from shop import Cart\n\nCart().pay()\n",
    ".gitignore": "ignored/\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> tuple[Engine, str]:
    root = write_tree(tmp_path / "tree", TREE)
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    return engine, str(root)


def places(found: Any) -> list[str]:
    return [f"{item.path}:{item.start_line} {item.role} {item.tier}" for item in found.references]


def test_references_have_the_definition_first_then_uses_by_tier(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    found = engine.references(Wanted("Cart.pay"), root)
    assert [(node.path, node.line, node.qualified) for node in found.definitions] == [("shop/cart.py", 12, "Cart.pay")]
    assert places(found) == [
        ".hidden/spy.py:3 call typed",
        "main.py:6 call typed",
        "loose.py:2 call unique",
    ]
    assert found.freshness.verified == 3


def test_references_by_place_lead_to_the_same(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    named = engine.references(Wanted("Cart.pay"), root)
    at_use = engine.references(Wanted(file="main.py", line=6, column=18), root)
    at_definition = engine.references(Wanted(file="shop/cart.py", line=12, column=9), root)
    assert named.definitions == at_use.definitions == at_definition.definitions
    assert named.references == at_use.references == at_definition.references


def test_attributes_that_methods_give_have_references(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    found = engine.references(Wanted("Cart.items"), root)
    assert [(node.kind, node.line) for node in found.definitions] == [("attribute", 6)]
    assert places(found) == ["shop/cart.py:9 ref proven", "shop/cart.py:13 ref proven"]


def test_a_name_of_several_is_ambiguous_and_one_of_none_not_found(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    with pytest.raises(Ambiguous) as error:
        engine.references(Wanted("close"), root)
    assert error.value.candidates == ("door.py:2 method Door.close", "door.py:6 method Window.close")
    with pytest.raises(NotFound):
        engine.references(Wanted("nothing_here"), root)
    with pytest.raises(BadInput):
        engine.references(Wanted("close"), root, limit=0)
    assert places(engine.references(Wanted("Door.close"), root)) == ["loose.py:3 call name"]


def test_references_are_paged_and_filtered(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    found = engine.references(Wanted("Cart.pay"), root, limit=1)
    assert (len(found.references), found.total, found.truncated) == (1, 3, True)
    assert places(engine.references(Wanted("Cart"), root, role="import")) == [
        ".hidden/spy.py:1 import proven",
        "main.py:1 import proven",
        "shop/__init__.py:1 import proven",
    ]
    answer = tools.answer(engine, "get_references", {"name": "Cart.pay", "path": root, "include_globs": ["main.py"]})
    assert [item["path"] for item in answer["references"]] == ["main.py"]
    assert {item["layer"] for item in answer["references"]} == {"syntactic"}


def test_calls_go_both_ways_and_some_steps_far(shop: tuple[Engine, str]) -> None:
    engine, root = shop

    def edges(**how: Any) -> set[tuple[str, str]]:
        found = engine.calls(Wanted("Cart.pay"), root, **how)
        return {(call.source.key, call.target.key) for call in found.graph.calls}

    assert edges(direction="callees") == {("shop/cart.py#Cart.pay", "shop/price.py#total")}
    assert edges(direction="callees", depth=2) == {
        ("shop/cart.py#Cart.pay", "shop/price.py#total"),
        ("shop/price.py#total", "shop/price.py#tax"),
    }
    assert edges(direction="callers", depth=2) == {
        ("main.py#main", "shop/cart.py#Cart.pay"),
        (".hidden/spy.py#", "shop/cart.py#Cart.pay"),
        ("main.py#", "main.py#main"),
    }


def test_limits_of_calls_are_noted(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    found = engine.calls(Wanted("Cart.pay"), root, direction="callers", limit=1)
    assert len(found.graph.calls) == 1
    assert found.graph.is_cut
    assert [(note.type, note.detail) for note in found.notes] == [("callers_truncated", "2 callers, 1 shown")]


def test_6_call_graph_notes_cap_and_filter_with_deterministic_truncation_metadata(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    asked = {"name": "settle", "path": root, "note_limit": 1}
    answer = tools.answer(engine, "call_graph", asked)
    assert answer["notes"] == [
        {"file": "loose.py", "type": "unresolved_calls", "symbolId": "loose.py#settle", "startLine": 1,
         "detail": "close, pay"},
    ]  # fmt: skip
    assert (answer["notesTruncated"], answer["totalNoteCount"], answer["returnedNoteCount"]) == (False, 1, 1)
    assert answer["warnings"] == []


def test_e5_call_graph_note_control() -> None:
    """Relevant are notes on files and symbols in the answer; their order is one, whatever it was before."""
    inside = Node(1 << 16, "f", "f", "function", "a.py", 1, 2)
    notes = [
        Note("a.py", "x", None, 3, "late"),
        Note("a.py", "x", "a.py#f", None, "no line"),
        Note("a.py", "x", "a.py#f", 2, "b"),
        Note("a.py", "x", "a.py#f", 2, "a"),
        Note("a.py", "w", None, None, ""),
        Note("a.py", "x", "a.py#g", 1, "of another symbol"),
        Note("b.py", "a", None, 1, "of another file"),
    ]
    expected = None
    for order in itertools.permutations(notes):
        graph = CallGraph((inside,), nodes=[inside], notes=list(order))
        found, total = relevant(graph, 4)
        expected = expected or found
        assert (found, total) == (expected, 5)
    assert expected is not None
    assert [(note.type, note.symbol, note.line) for note in expected] == [
        ("w", None, None),
        ("x", "a.py#f", 2),
        ("x", "a.py#f", 2),
        ("x", "a.py#f", None),
    ]


def test_cut_notes_are_counted_and_warned_of(tmp_path: Path) -> None:
    text = "def root():\n    one()\n    two()\n\n\n"
    for name in ("one", "two"):
        text += f"def {name}(x):\n    x.lost_{name}()\n\n\n"
    root = write_tree(tmp_path / "tree", {"a.py": text})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    answer = tools.answer(engine, "call_graph", {"name": "root", "path": str(root), "note_limit": 1})
    assert (answer["notesTruncated"], answer["totalNoteCount"], answer["returnedNoteCount"]) == (True, 2, 1)
    assert [item["code"] for item in answer["warnings"]] == ["CALL_GRAPH_NOTES_TRUNCATED"]
    assert [note["symbolId"] for note in answer["notes"]] == ["a.py#one"]


def test_e6_the_graph_has_the_files_of_the_index(shop: tuple[Engine, str]) -> None:
    """Hidden directories are in unless they are ignored: one policy for both."""
    engine, root = shop
    store = engine.resolve(root).store
    with store.read() as connection:
        graph = {row[0] for row in connection.execute("SELECT path FROM graph_file")}
        index = {row[0] for row in connection.execute("SELECT path FROM entry WHERE facts IS NOT NULL")}
    assert graph == index
    assert ".hidden/spy.py" in graph
    assert "ignored/x.py" not in graph


def test_an_edit_is_felt_where_it_must_be(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    assert engine.references(Wanted("total"), root).total == 2
    write_tree(
        Path(root),
        {"shop/price.py": "def total(items):\n    return 0\n", "more.py": "import shop.price\nshop.price.total([])\n"},
    )
    assert places(engine.references(Wanted("total"), root)) == [
        "more.py:2 call proven",
        "shop/cart.py:1 import proven",
        "shop/cart.py:13 call proven",
    ]
    with pytest.raises(NotFound):
        engine.references(Wanted("tax"), root)
    (Path(root) / "more.py").unlink()
    assert engine.references(Wanted("total"), root).total == 2


def test_the_map_fits_and_follows_the_focus(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    whole = engine.map(root, max_tokens=1_000)
    assert "shop/cart.py:" in whole.text
    assert "class Cart" in whole.text
    for tokens in (10, 30, 60):
        assert 0 < len(engine.map(root, max_tokens=tokens).text) <= tokens * 4
    with pytest.raises(BadInput, match="not one definition fits"):  # an empty map would say that there is none
        engine.map(root, max_tokens=1)
    focused = engine.map(root, focus=["door.py"], max_tokens=40)
    assert focused.focus == ("door.py",)
    asked = engine.map(root, focus=["how is the total price computed"], max_tokens=1_000)
    assert "shop/price.py" in asked.focus


@pytest.mark.parametrize("place", [("shop/cart.py", 999, 1), ("nowhere.py", 1, 1)])
def test_a_place_without_a_name_is_no_name(shop: tuple[Engine, str], place: tuple[str, int, int]) -> None:
    engine, root = shop
    file, line, column = place
    with pytest.raises(NotFound, match="no name stands at"):
        engine.references(Wanted(file=file, line=line, column=column), root)


def test_imports_and_their_circles(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {"a.py": "import b\n", "b.py": "from c import x\n", "c.py": "import a\nx = 1\n", "d.py": "import a\n"},
    )
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    found = engine.imports(str(root)).graph
    assert found.imports == (("a.py", "b.py"), ("b.py", "c.py"), ("c.py", "a.py"), ("d.py", "a.py"))
    assert found.cycles == (("a.py", "b.py", "c.py"),)
    assert engine.imports(str(root), file="d.py").graph.imports == (("d.py", "a.py"),)


def test_a_library_is_external_and_can_be_asked_after(shop: tuple[Engine, str]) -> None:
    engine, root = shop
    write_tree(Path(root), {"net.py": "import json\n\n\ndef loads(text):\n    return json.loads(text)\n"})
    found = engine.calls(Wanted("loads", "net.py"), root, direction="callees")
    assert [(call.target.key, call.target.is_external) for call in found.graph.calls] == [("external:json.loads", True)]
    assert places(engine.references(Wanted("json.loads"), root)) == ["net.py:5 call proven"]


def test_a_variable_depends_on_some_lines_and_reaches_others(tmp_path: Path) -> None:
    text = """\
def pay(cart, rate):
    net = cart.sum()
    other = rate
    tax = net * rate
    other = 1
    total = net + tax
    print(total)
    return total
"""
    root = write_tree(tmp_path / "tree", {"a.py": text})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    found = engine.slice(str(root / "a.py"), 4, "tax").slice
    assert [step.line for step in found.depends_on] == [1, 2, 4]
    assert [step.line for step in found.reaches] == [6, 7, 8]
    assert found.depends_on[-1].uses == ("net", "rate")
    with pytest.raises(NotFound):
        engine.slice(str(root / "a.py"), 4, "nothing")


def test_the_interface_of_a_definition_is_what_its_users_see(shop: tuple[Engine, str]) -> None:
    engine, root = shop

    def hashes() -> tuple[str, ...]:
        return engine.references(Wanted("total"), root).interfaces

    before = hashes()
    write_tree(Path(root), {"shop/price.py": "# moved\n\n\ndef total(items):\n    return 7\n"})
    assert hashes() == before
    write_tree(Path(root), {"shop/price.py": "def total(items, rate):\n    return 7\n"})
    assert hashes() != before


def test_what_a_class_inherits_is_found_by_its_name(tmp_path: Path) -> None:
    """Under its own name, with a warning; of two above, the nearer one; what the class has itself comes first."""
    root = write_tree(
        tmp_path / "tree",
        {
            "base.py": "class Base:\n    def save(self): ...\n\n    def load(self): ...\n",
            "middle.py": "import base\n\n\nclass Middle(base.Base):\n    def save(self): ...\n",
            "child.py": (
                "from middle import Middle\n\n\nclass Child(Middle):\n    def own(self): ...\n\n\nChild().load()\n"
            ),
            "both.py": (
                "import lib\nfrom base import Base\nfrom middle import Middle\n\n\nclass Left(Base): ...\n\n\n"
                "class Both(Left, Middle): ...\n\n\nclass Other(lib.Thing, Middle): ...\n"
            ),
        },
    )
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    found = engine.references(Wanted("Child.load"), str(root))
    assert [node.qualified for node in found.definitions] == ["Base.load"]
    assert places(found) == ["child.py:8 call typed"]
    nearer = engine.references(Wanted("Child.save"), str(root))
    assert [node.qualified for node in nearer.definitions] == ["Middle.save"]
    both = engine.references(Wanted("Both.save"), str(root))
    assert [node.qualified for node in both.definitions] == ["Middle.save"]
    with pytest.raises(NotFound):  # for all we know the library's class has it
        engine.references(Wanted("Other.save"), str(root))
    calls = tools.answer(engine, "call_graph", {"name": "Child.load", "path": str(root)})
    assert calls["roots"] == ["base.py#Base.load"]
    assert [item["code"] for item in calls["warnings"]] == ["INHERITED"]
    symbols = tools.answer(engine, "get_symbol", {"name": "Child.save", "path": str(root)})
    assert [item["qualified_name"] for item in symbols["symbols"]] == ["Middle.save"]
    assert [item["message"] for item in symbols["warnings"]] == ["that class inherits it; this is Middle.save"]
    own = tools.answer(engine, "get_symbol", {"name": "Child.own", "path": str(root)})
    assert (len(own["symbols"]), own["warnings"]) == (1, [])
    assert tools.answer(engine, "get_symbol", {"name": "Child.gone", "path": str(root)})["symbols"] == []
    with pytest.raises(NotFound):
        engine.references(Wanted("Base.own"), str(root))


def test_references_go_on_where_the_last_page_ended(engine: Engine, tmp_path: Path) -> None:
    files = {"a.py": "def target():\n    pass\n"}
    files |= {f"use{i}.py": "from a import target\n\n\ndef run():\n    target()\n" for i in range(7)}
    root = write_tree(tmp_path / "tree", files)
    engine.index(str(root))
    wanted = Wanted("target")
    whole = engine.references(wanted, str(root)).references
    assert len(whole) == 14
    shown: list[Any] = []
    after = None
    while True:
        found = engine.references(wanted, str(root), limit=4, after=after)
        assert (found.total, found.truncated) == (14, found.continuation is not None)
        shown += found.references
        if found.continuation is None:
            break
        after = found.continuation
    assert tuple(shown) == whole
    first = engine.references(wanted, str(root), limit=4)
    (root / "use0.py").unlink()  # what was shown goes: nothing is left out or shown twice
    rest = engine.references(wanted, str(root), after=first.continuation).references
    assert rest == whole[4:]
    with pytest.raises(BadInput, match="no continuation"):
        engine.references(wanted, str(root), after="nonsense")


EXPORTING = {
    "pkg/__init__.py": "from pkg.core import Engine\n\n\ndef helper():\n    pass\n\n\ndef _own():\n    pass\n",
    "pkg/core.py": "class Engine:\n    def start(self):\n        pass\n\n\nLIMIT = 3\n",
    "main.py": "from pkg import Engine\n\nEngine().start()\n",
    "web/a.ts": "export function shown() {}\nfunction kept() {}\nexport default class Thing {}\n",
    "web/index.ts": 'export { shown as seen } from "./a";\nimport Thing from "./a";\nexport const n = new Thing();\n',
    "web/all.ts": 'export * from "./a";\nexport namespace NS {\n  export function inner() {}\n}\n',
    "web/use.ts": 'import { shown } from "./all";\n\nshown();\n',
    "pkg/sub/__init__.py": "from pkg.core import Engine as Machine\n",
    "cs/A.cs": "namespace App {\n  public class Shown {}\n}\n",
    "rs/src/api.rs": "pub use crate::shown as seen;\nuse crate::kept;\n",
    "hs/A.hs": "module A (f) where\n\nf = g\ng = 1\n",
    "js/m.js": "exports.one = function () {};\n",
    "js/n.js": 'const m = require("./m");\nm.one();\n',
    "go/a.go": "package a\n\nfunc Shown() {}\n\nfunc kept() {}\n",
    "rs/src/lib.rs": "pub fn shown() {}\n\nfn kept() {}\n",
    "c/a.c": "int shown(void) { return 1; }\nstatic int kept(void) { return 2; }\n",
    "rb/a.rb": "module Outer\n  # what it is\n  class Shown\n    def go; end\n  end\nend\n",
    "k/A.kt": "package k\n\nfun shown() {}\n\nprivate fun kept() {}\n",
}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("pkg/__init__.py", [("Engine", "pkg/core.py", 2), ("helper", "pkg/__init__.py", 0)]),
        ("pkg/core.py", [("Engine", "pkg/core.py", 3), ("LIMIT", "pkg/core.py", 0)]),
        ("web/a.ts", [("default", "web/a.ts", 1), ("shown", "web/a.ts", 2)]),
        ("web/index.ts", [("n", "web/index.ts", 0), ("seen", "web/a.ts", 1)]),
        ("web/all.ts", [("NS", "web/all.ts", 0), ("shown", "web/a.ts", 2)]),
        ("pkg/sub/__init__.py", [("Machine", "pkg/core.py", 2)]),
        ("cs/A.cs", [("Shown", "cs/A.cs", 0)]),
        ("rs/src/api.rs", [("seen", "rs/src/lib.rs", 0)]),
        ("go/a.go", [("Shown", "go/a.go", 0)]),
        ("rs/src/lib.rs", [("shown", "rs/src/lib.rs", 1)]),
        ("c/a.c", [("shown", "c/a.c", 0)]),
        ("rb/a.rb", [("Shown", "rb/a.rb", 0)]),
        ("k/A.kt", [("shown", "k/A.kt", 0)]),
    ],
)
def test_exports_are_what_other_files_can_have(
    engine: Engine, tmp_path: Path, file: str, expected: list[tuple[str, str, int]]
) -> None:
    root = write_tree(tmp_path / "tree", EXPORTING)
    engine.index(str(root))
    exports = engine.imports(str(root), file=file).exports
    assert [(item.name, item.node.path, item.used_by) for item in exports or ()] == expected
    assert engine.imports(str(root)).exports is None


@pytest.mark.parametrize("name", ["\udcff\udcfe", "a" * 100_000, "a." * 50_000 + "b"])
def test_names_that_are_none(engine: Engine, tmp_path: Path, name: str) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "def f(): ...\n"})
    engine.index(str(root))
    for ask in (engine.references, engine.calls):
        with pytest.raises(NotFound) as caught:
            ask(Wanted(name), str(root))
        assert len(str(caught.value)) < 1_000
    assert engine.map(str(root), focus=[name[:2_000]]).symbols


def test_imports_that_name_nothing_are_imports_too(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", EXPORTING)
    engine.index(str(root))
    found = set(engine.imports(str(root)).graph.imports)
    assert {("web/all.ts", "web/a.ts"), ("web/use.ts", "web/all.ts"), ("js/n.js", "js/m.js")} <= found
    assert engine.imports(str(root), file="hs/A.hs").exports is None, "its list is not kept"
