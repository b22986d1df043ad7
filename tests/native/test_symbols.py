"""Definitions are the same whether C makes their rows or Python, for made-up heads, names, docstrings and comments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew import native
from clew.parse import grammars
from clew.parse.comments import Comments, clean
from clew.parse.extract import line_starts
from clew.parse.languages import LANGUAGES
from clew.parse.symbols import collect_symbols
from clew.types import Symbol
from tests.conftest import without_kernels

pytestmark = pytest.mark.skipif(native.kernels is None, reason="Clew was installed without its own C")
KERNELS: Any = native.kernels
ODD = [
    "\\",
    "'",
    '"',
    "#",
    "//",
    "<",
    "<summary>",
    "*",
    "-",
    "--",
    "*/",
    "]]",
    "-}",
    "é",
    "\x0b",
    "\x1c",
    "\r",
    "\t",
    "\n",
]
TEXTS = st.lists(
    st.one_of(st.sampled_from([*ODD, "\n\n", "\r\n", " ", "  "]), st.text("ab c.:={}", max_size=9)), max_size=9
).map("".join)


def symbols_of(content: bytes, language: str) -> list[Symbol]:
    grammar = grammars.load(LANGUAGES[language])
    assert grammar is not None
    captures = grammar.captures(grammar.parse(content))
    starts = line_starts(content)
    return collect_symbols(content, starts, captures, Comments(content, starts, captures.get("comment", [])))


def assert_same(text: str, language: str) -> list[Symbol]:
    content = text.encode()
    found = symbols_of(content, language)
    with without_kernels():
        assert found == symbols_of(content, language)
    return found


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["", "r", "Rb", "f", "rrr"]), st.sampled_from(['"""', "'''", '"', "'", ""]), TEXTS)
@example("", '"""', 'Says "this"')
@example("", '"""', "\n    One.\n    Two\n\n    Three.\n    ")
@example("", '"""', "a" * 299 + "\nb")
@example("", '"""', "a" * 300 + " */")
def test_docstrings(prefix: str, quotes: str, text: str) -> None:
    assert_same(f"def f():\n    {prefix}{quotes}{text}{quotes}\n\nclass C: {quotes}{text}{quotes}\n", "python")


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from([" ", "\r\n", "\n", "\t"]))
@example("a, # why\n b", " -> str", "\n")
@example("x" * 500, "", " ")
def test_heads(inner: str, after: str, gap: str) -> None:
    assert_same(f"class A:{gap}\n  def f({inner}){after}:{gap}pass\n  x = {inner}\n  def A(self): y = 1\n", "python")
    assert_same(
        f"class A {{{gap}f({inner}) {after} {{ }}{gap}static x = {inner}; }}\nA.b.c = function({inner}) {{}}\n",
        "javascript",
    )
    assert_same(f"# {inner}\n\n## `{after}` ##\n{gap}\n{inner}\n====\n", "markdown")


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(["@a\n", "#!x\n", "# b\n", "#[x]\n", "\n", "[y]\n"]), st.integers(0, 3))
def test_what_stands_above(text: str, between: str, often: int) -> None:
    lines = "".join(f"# {line}\n" for line in text.splitlines())
    assert_same(f"x = 1\n{lines}{between * often}def f(): pass\nclass C:\n    # c\n    def g(self): pass\n", "python")


def test_names_of_all_kinds() -> None:
    found = assert_same(
        f"class É:\n    def é(self): pass\ndef {'n' * 300}(): pass\nclass A:\n    def A(self): pass\n", "python"
    )
    assert [symbol.name[:3] for symbol in found] == ["É", "é", "nnn", "A", "A"]
    assert found[-1].kind == "constructor" and found[1].qualified == "É.é" and found[1].kind == "method"
    nested = "".join(f"{' ' * depth}class {'C' * 200}:\n" for depth in range(12))
    assert len(assert_same(f"{nested}{' ' * 12}pass\n", "python")[-1].qualified) < 1_300


def node(start: int, end: int) -> Any:
    return SimpleNamespace(start_byte=start, end_byte=end, child_by_field_name=lambda _: None)


def ask(content: bytes, kinds: Any, names: Any, named: Any = None, ends: Any = None) -> Any:
    functions = (named or (lambda name, _: (name, "", 0)), str, clean, lambda *_: "")
    return KERNELS.symbols(
        content, kinds, (), names, (), (ends or {}, frozenset()), functions, ("constructor", "method")
    )


def test_what_does_not_fit_is_an_error() -> None:
    assert ask(b"abc", (("function", 66, (node(0, 3),)),), (node(0, 1),))[0][:3] == ("function", "a", "a")
    for start, end in ((0, 4), (2, 1), (-1, 2), (0, 2**40)):
        with pytest.raises(ValueError, match=r"content|32 bits"):
            ask(b"abc", (("function", 66, (node(start, end),)),), (node(0, 1),))
        with pytest.raises(ValueError, match=r"content|32 bits"):
            ask(b"abc", (("function", 66, (node(0, 3),)),), (node(start, end),))
    with pytest.raises(AttributeError):
        ask(b"abc", (("function", 66, (None,)),), ())
    with pytest.raises(TypeError, match="kind"):
        ask(b"abc", ("function",), ())
    for shift in (-1, 10, 2**63 - 1):
        with pytest.raises(ValueError, match="name"):
            ask(
                b"a.b",
                (("function", 66, (node(0, 3),)),),
                (node(0, 3),),
                named=lambda *_, shift=shift: ("b", "a", shift),
            )
    with pytest.raises(TypeError, match="tuple"):
        ask(b"a.b", (("function", 66, (node(0, 3),)),), (node(0, 3),), named=lambda *_: "a")
    with pytest.raises(ZeroDivisionError):
        ask(b"a.b", (("function", 66, (node(0, 3),)),), (node(0, 3),), named=lambda *_: 1 // 0)


def test_comments_that_end_where_they_start() -> None:
    kinds = (("function", 66, (node(0, 4),)),)
    assert ask(b"abcd", kinds, (node(0, 1),), ends={4: 4})[0][4] == 4
    assert ask(b"abcd", kinds, (node(0, 1),), ends={4: 2, 2: 9})[0][4] == 2
