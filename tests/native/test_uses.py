"""What names mean is the same whether C settles most of them or Python all, in samples and in made-up code."""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew import native
from clew.parse.binding import _Binder
from clew.parse.extract import extract, line_starts
from clew.parse.languages import language_of
from clew.parse.scopes import Walk
from clew.parse.uses import Uses, pack_uses
from tests.conftest import without_kernels

pytestmark = pytest.mark.skipif(native.kernels is None, reason="Clew was installed without its own C")
KERNELS: Any = native.kernels
SAMPLES = sorted(
    path for path in (Path(__file__).parent.parent / "parse" / "samples").iterdir() if path.suffix != ".json"
)


def same_facts(content: bytes, language: str) -> None:
    found = extract(content, language)
    with without_kernels():
        assert found == extract(content, language)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_and_what_is_left_of_them(path: Path) -> None:
    content = path.read_bytes()
    language = language_of(path.name, content)
    same_facts(content, language)
    chance = random.Random(path.name)
    for _ in range(25):
        damaged = bytearray(content)
        for _ in range(chance.randrange(1, 6)):
            first = chance.randrange(len(damaged))
            last = min(len(damaged), first + chance.randrange(1, 40))
            other = chance.randrange(len(content))
            damaged[first:last] = chance.choice([b"", content[other : other + 30], b"\xff\xfe", b".", b"\r\n", b"("])
        same_facts(bytes(damaged), language)


def test_clews_own_sources() -> None:
    for path in sorted(Path(native.__file__).parent.parent.rglob("*.py"))[::3]:
        same_facts(path.read_bytes(), "python")


NAMES = st.sampled_from(["a", "b", "self", "cls", "C", "D", "f", "g", "super", "__class__", "x", "é", "os", "type"])
CHAINS = st.lists(NAMES, min_size=1, max_size=15).map(".".join)
VALUES = st.one_of(
    CHAINS,
    CHAINS.map(lambda chain: f"{chain}()"),
    st.builds("{}({}).{}".format, CHAINS, CHAINS, NAMES),
    st.builds("super().{}".format, NAMES),
    st.builds("[{0}.{1} for {0} in {2}]".format, NAMES, NAMES, CHAINS),
    st.builds("lambda {}={}: {}".format, NAMES, CHAINS, CHAINS),
)
LINES = st.one_of(
    st.builds("{} = {}".format, CHAINS, VALUES),
    st.builds("{}: {} = {}".format, NAMES, CHAINS, VALUES),
    st.builds("return {}".format, VALUES),
    st.builds("global {}".format, NAMES),
    st.builds("import {}".format, NAMES),
    st.builds("from {} import {} as {}".format, CHAINS, NAMES, NAMES),
    st.builds("for {} in {}: {}".format, NAMES, VALUES, VALUES),
    st.builds("with {} as {}: {}".format, VALUES, NAMES, VALUES),
    st.builds("if isinstance({}, {}): {}".format, NAMES, CHAINS, VALUES),
    VALUES,
)
HEADS = st.one_of(
    st.builds("def {}({}, {}={}) -> {}:".format, NAMES, NAMES, NAMES, CHAINS, CHAINS),
    st.builds("class {}({}):".format, NAMES, CHAINS),
    st.builds("async def {}({}: {}):".format, NAMES, NAMES, CHAINS),
    st.just("if True:"),
)


@st.composite
def programs(draw: Callable[[Any], Any]) -> str:
    lines, depth = [], 0
    for _ in range(draw(st.integers(1, 25))):
        if draw(st.integers(0, 3)) == 0:
            lines.append("    " * depth + draw(HEADS))
            depth += 1
        lines.append("    " * depth + draw(LINES))
        depth = draw(st.integers(0, depth))
    return "\n".join(lines) + "\n"


@settings(max_examples=200, deadline=None)
@given(programs())
def test_made_up_code(program: str) -> None:
    same_facts(program.encode(), "python")


class Everything(set[bytes]):
    def __contains__(self, _: object) -> bool:
        return True


@settings(max_examples=200, deadline=None)
@given(programs())
@example("def f(x):\n    x = A()\n    x.a\n    x = y + 1\n    x.a\n")
@example("class A:\n    def f(self):\n        for self in b: self.a\n        self = 1 + 1\n        self.b\n")
def test_a_name_of_which_nothing_is_known_has_nothing_to_forget(program: str) -> None:
    found = extract(program.encode(), "python")
    told = _Binder._told
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Binder, "_told", lambda binder, events: (told(binder, events)[0], Everything()))
        assert found == extract(program.encode(), "python")


def test_long_names_and_chains() -> None:
    long = "x" * 5_000
    chain = ".".join(["a"] * 40)
    same_facts(f"import {long}\n{long}.{long}.y\ndef f(a):\n    {chain}()\n    a.{long}.z = a\n".encode(), "python")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted), max_size=8).map(sorted),
    st.lists(st.integers(0, 59), unique=True, min_size=1, max_size=20).map(sorted),
)
def test_scopes_around_places(spans: list[list[int]], places: list[int]) -> None:
    """Also of scopes that are not within each other, as damaged code has them."""
    every = [Scope({"a": f"D{number}"}) for number in range(len(spans) + 1)]
    for scope, (start, end) in zip(every, [[0, 60], *spans], strict=True):
        scope.start, scope.end = start, end
    starts, ends = array("q", [0, *(start for start, _ in spans)]), array("q", [60, *(end for _, end in spans)])
    tables: Any = ({}, {}, set(), set(), {}, {"": 0})
    _, callers, _ = refer(
        b"a" * 60, places, [place + 1 for place in places], bytes(len(places)), tables=tables,
        scopes=(tuple(every), starts, ends, array("H", range(len(every)))),
    )  # fmt: skip
    walk: Any = Walk(every)  # type: ignore[arg-type]
    assert array("H", callers).tolist() == [every.index(walk.to(place)[0]) for place in places]
    assert tables[4] == {place + 1: walk_name(every, place) for place in places}


def walk_name(every: list[Any], place: int) -> str:
    walk: Any = Walk(every)
    return str(walk.to(place)[0].names["a"])


# -- wrong calls -----------------------------------------------------------------------------------


def node(start: Any, end: Any) -> Any:
    return SimpleNamespace(start_byte=start, end_byte=end)


@pytest.mark.parametrize("places", [(-1, 3), (0, 2**32), (2**70, 2**70 + 1), ("a", 3), (1.5, 3)])
def test_places_that_are_none(places: tuple[Any, Any]) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        KERNELS.uses([node(*places)], [], [], set())


def test_nodes_that_change_meanwhile() -> None:
    class Sly:
        end_byte = 3

        @property
        def start_byte(self) -> int:
            held.clear()
            return 1

    held: list[Any] = [Sly(), node(4, 5)]
    with pytest.raises(ValueError, match="changed"):
        KERNELS.uses(held, [], [], set())
    with pytest.raises(AttributeError):
        KERNELS.uses([object()], [], [], set())
    with pytest.raises(TypeError):
        KERNELS.uses((), [], [], set())


class Scope:
    def __init__(self, names: Any, parent: Scope | None = None) -> None:
        self.names, self.parent = names, parent
        self.values: dict[str, str] = {}
        self.since: dict[str, int] = {}
        self.is_class = self.is_closed = False
        self.start = self.end = 0


def refer(
    content: bytes = b"ab.c", starts: Any = (0, 3), ends: Any = (2, 4), roles: bytes = b"\0\0", **other: Any
) -> Any:
    steps = {"happen": lambda _: None, "meaning": None, "own": None} | other
    uses = (array("I", starts), array("I", ends), roles)
    tables = tuple(other.get("tables", ({}, {}, set(), set(), {}, {"": 0})))
    scope = other.get("scope", Scope({"ab": "D0"}))
    scopes = other.get("scopes", ((scope,), array("q", [0]), array("q", [100]), array("H", [7])))
    called = tuple(steps[name] for name in ("happen", "meaning", "own"))
    return KERNELS.refer(content, uses, tuple(other.get("events", ())), scopes, called, tables, True, False, 12)


def test_what_is_settled_without_python() -> None:
    tables: Any = ({}, {}, set(), set(), {}, {"": 0})
    of_use, callers, happened = refer(tables=tables)
    assert array("I", of_use).tolist() == [1, 2] and array("H", callers).tolist() == [7, 7] and happened == 0
    assert tables[4] == {2: "D0", 4: "D0.c"} and tables[5] == {"": 0, "D0": 1, "D0.c": 2}


def fail(*_: Any) -> Any:
    raise LookupError("no")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"ends": (2, 5)}, ValueError),
        ({"ends": (0, 4)}, ValueError),
        ({"starts": (0,)}, ValueError),
        ({"roles": b"\0"}, ValueError),
        ({"scopes": ((), array("q"), array("q"), array("H"))}, ValueError),
        ({"scopes": ((Scope({}),), array("q", [0]), array("q"), array("H", [7]))}, ValueError),
        ({"scopes": ((Scope({}),), array("q", [0]), array("q", [100]), array("H"))}, ValueError),
        ({"scopes": ([Scope({})], array("q", [0]), array("q", [100]), array("H", [7]))}, TypeError),
        ({"scope": Scope([])}, TypeError),
        ({"scope": object()}, AttributeError),
        ({"events": [(0,)], "happen": fail}, LookupError),
        ({"events": [()]}, TypeError),
        ({"events": [[0]]}, TypeError),
        ({"events": [("a",)]}, TypeError),
        ({"events": [(2**70,)]}, OverflowError),
        ({"events": [(-1,)]}, ValueError),
        ({"events": [()], "starts": (), "ends": (), "roles": b""}, TypeError),
        ({"scope": Scope({}), "meaning": fail}, LookupError),
        ({"scope": Scope({}), "meaning": lambda *_: ("D0",)}, TypeError),
        ({"scope": Scope({}), "meaning": lambda *_: (7, False)}, TypeError),
        ({"content": b"ab.__class__", "ends": (2, 12), "own": fail}, LookupError),
        ({"tables": ({0: 5}, {}, set(), set(), {}, {"": 0})}, TypeError),
        ({"tables": ({0: b"D0"}, {}, set(), set(), {}, {"": 0})}, TypeError),
        ({"tables": ({}, {}, set(), set(), {}, {"": 0, "D0": -1})}, ValueError),
        ({"tables": ({}, {}, set(), set(), {}, {"": 0, "D0": 2**32})}, ValueError),
        ({"tables": ({}, {}, [], set(), {}, {"": 0})}, TypeError),
    ],
)
def test_what_fails_is_told(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        refer(**wrong)


def test_what_goes_meanwhile() -> None:
    """Whoever is called or compared may empty what is being looked at."""
    with pytest.raises(TypeError, match="tuple"):
        KERNELS.refer(b"", (array("I"), array("I"), b""), (), (), [None] * 3, ({},) * 6, True, True, 12)

    class Sly(str):
        def __hash__(self) -> int:
            return hash("ab")

        def __eq__(self, _: object) -> bool:
            scope.names.clear()
            return False

    scope = Scope({"ab": "".join(["D", "0"])})
    scope.since[Sly()] = 1
    of_use, _, _ = refer(b"ab", (0,), (2,), b"\0", scope=scope)
    assert array("I", of_use).tolist() == [1]
    outside: dict[int, int] = {0: 10**30}

    class Moving(Scope):
        @property
        def start(self) -> int:
            outside.clear()
            return 7

        @start.setter
        def start(self, _: int) -> None: ...

    tables: Any = ({}, outside, set(), set(), {}, {"": 0})
    refer(b"ab", (0,), (2,), b"\0", scope=Moving({}), meaning=lambda *_: ("D3", False), tables=tables)
    assert tables[4] == {2: "D3"}


def test_nothing_is_kept() -> None:
    content = b"import os\nclass C:\n    def f(self, a):\n        self.x = os.path(a)\n        return self.x.y(a.b).z\n"
    extract(content, "python")
    names = ("?", "", "D0", "python")
    before = [sys.getrefcount(name) for name in names]
    for _ in range(300):
        extract(content, "python")
    assert all(after - count < 100 for after, count in zip([*map(sys.getrefcount, names)], before, strict=True))


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\n\n", b"\xff"])).map(b"".join))
def test_lines_start_after_line_feeds(content: bytes) -> None:
    found = KERNELS.line_starts(content)
    assert found == [0, *(place + 1 for place, byte in enumerate(content) if byte == 10)]
    with without_kernels():
        assert line_starts(content) == found
    with pytest.raises(TypeError):
        KERNELS.line_starts(bytearray(content))


@given(st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 2**17))))
def test_lengths_of_uses(spans: list[tuple[int, int]]) -> None:
    starts, ends = [start for start, _ in spans], [start + length for start, length in spans]
    found = array("H", KERNELS.lengths(array("I", starts), array("I", ends))).tolist()
    assert found == [min(length, 65_535) for _, length in spans]
    packed = pack_uses(Uses(starts, ends, bytes(len(spans))))
    with without_kernels():
        assert pack_uses(Uses(starts, ends, bytes(len(spans)))) == packed
    with pytest.raises(ValueError, match="end"):
        KERNELS.lengths(array("I", [1]), array("I"))
