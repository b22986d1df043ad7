"""Macros in C and C++: what the parser could not read is blanked, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.parse.extract import extract
from clew.parse.languages import language_of
from clew.parse.macros import without_macros

EXPORTED = b"""LIB_BEGIN_NAMESPACE
LIB_EXPORT
class LIB_VISIBILITY("default") format_error : public std::runtime_error {
  Q_OBJECT
 public:
  void what();
};
LIB_EXPORT template <typename Context> class basic_arg {
 public:
  void visit() {}
};
class API Plain final : public Base { void member() {} };
LIB_END_NAMESPACE
"""
KEPT = [
    b"enum kind {\n  KIND_A,\n  KIND_LAST\n};\n",
    b"enum kind {\n  KIND_A,\n  /* the last */\n  KIND_LAST\n};\n",
    b"struct SASL sasl;\nstruct SASL *other = NULL;\n",
    b"int values[] = {\n  FIRST,\n  SECOND\n};\n",
    b"int f(void)\n{\n  return a |\n    FLAG\n  ;\n}\n",
    b"#define LONG \\\n  VALUE\nint x;\n",
]


def test_what_stands_behind_macros_is_found() -> None:
    facts = extract(EXPORTED, "cpp")
    names = [(symbol.kind, symbol.name) for symbol in facts.symbols]
    assert ("class", "format_error") in names and ("class", "basic_arg") in names and ("class", "Plain") in names
    assert "syntax_error" not in facts.diagnostics
    assert [s.start_line for s in facts.symbols if s.name == "format_error"] == [3], "every place stays"


@pytest.mark.parametrize("source", KEPT)
def test_what_may_be_a_value_stays(source: bytes) -> None:
    assert without_macros(source) == source


@given(st.text(alphabet='ABC_x (){};:,=#\n\\"/*<>classtruenm', max_size=200).map(str.encode))
def test_only_names_in_capitals_and_their_arguments_go(source: bytes) -> None:
    found = without_macros(source)
    assert len(found) == len(source)
    assert [i for i, byte in enumerate(found) if byte == 10] == [i for i, byte in enumerate(source) if byte == 10]
    for run in re.finditer(rb"[^\s]+", found):
        assert source[run.start() : run.end()].endswith(run[0]) or run[0] in source


@pytest.mark.parametrize(
    ("content", "language"),
    [
        (b"int f(void);\n", "c"),
        (b'#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n', "c"),
        (b"/* a class of things:\n * template <x>\n */\nstruct a { int b; };\n", "c"),
        (b"namespace a {\nint b;\n}\n", "cpp"),
        (b"#pragma once\ntemplate <typename T> T id(T a);\n", "cpp"),
        (b"class A : public B {\n};\n", "cpp"),
        (b"#include <vector>\n", "cpp"),
        (b"void f(std::string a);\n", "cpp"),
    ],
)
def test_a_header_is_c_or_cpp_by_what_it_says(content: bytes, language: str) -> None:
    assert language_of("a/b.h", content) == language
    assert language_of("a/b.c", content) == "c", "only a header leaves it open"
