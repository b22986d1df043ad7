"""A sieve leaves out only what does not match: with it and without, the same answers."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.packing import pack
from clew.search import sieve
from clew.search.bulk import Texts
from clew.search.lines import find_spots
from clew.search.pattern import Pattern, TextQuery, compile_pattern
from tests.search.test_exact import CONTENTS, LITERALS, REGEXES
from tests.search.test_pattern import ATOM, LINE, composed

LINES = st.lists(LINE, max_size=6).map(b"\n".join)
QUERIES = st.one_of(REGEXES, st.recursive(ATOM, composed, max_leaves=5), LITERALS.map(re.escape))


@pytest.fixture
def finds_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No content has too many places."""
    monkeypatch.setattr(sieve, "BYTES_FOR_A_PLACE", 1)
    yield


def ends_in_all(pattern: Pattern, contents: list[bytes]) -> Iterator[tuple[int, list[int]]] | None:
    texts = Texts([*map(pack, contents)])
    assert pattern.sieve is not None
    return pattern.sieve.ends_in_all(texts.joined, texts.bases)


@pytest.mark.usefixtures("finds_all")
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    contents=st.lists(st.one_of(CONTENTS, LINES), min_size=1, max_size=5),
    query=QUERIES,
    case_sensitive=st.booleans(),
    whole_word=st.booleans(),
    multiline=st.booleans(),
)
def test_what_is_left_out_does_not_match(
    contents: list[bytes], query: str, case_sensitive: bool, whole_word: bool, multiline: bool
) -> None:
    pattern = compile_pattern(TextQuery(query, True, case_sensitive, whole_word, multiline))
    if pattern.sieve is None:
        return
    sifted = ends_in_all(pattern, contents)
    assert sifted is not None
    ends = dict(sifted)
    for number, content in enumerate(contents):
        expected = [*find_spots(pattern, content)]
        assert [*find_spots(pattern, content, ends.get(number, []))] == expected
        assert number in ends or not expected


@pytest.mark.parametrize(
    ("query", "has_one"),
    [
        (r"[0-9]{9}", True),
        (r"class \w+Error", True),
        (r"\w+", True),
        (r"(?i)größe", True),
        (r"x*", False),
        (r"(?:a|b*)c?", False),
        (r"^\b$", False),
        (r"(?:[a-f]{40}x){9}", False),
        ("get_queryset", False),
        ("[a&&b]", False),
    ],
)
def test_which_expressions_have_one(query: str, has_one: bool) -> None:
    assert (compile_pattern(TextQuery(query)).sieve is not None) == has_one


@pytest.mark.usefixtures("finds_all")
@pytest.mark.parametrize(
    ("query", "text"),
    [("[a&&b]|q|[c]z", "q"), ("[xy]𠀀b", "x𠀀b"), ("(?:[xy]\\x{20000})[b]", "y𠀀b")],
)
def test_sets_without_members_and_characters_without_case(query: str, text: str) -> None:
    pattern = compile_pattern(TextQuery(query, case_sensitive=False))
    assert pattern.sieve is not None
    contents = [b"nothing", text.encode(), b"x b\n"]
    assert [number for number, _ in ends_in_all(pattern, contents) or ()] == [1]
    assert len([*find_spots(pattern, contents[1])]) == 1


def test_only_few_places_are_worth_it() -> None:
    pattern = compile_pattern(TextQuery("[0-9]"))
    assert pattern.sieve is not None
    content = b"7" + b" " * 2 * sieve.BYTES_FOR_A_PLACE
    assert [*(ends_in_all(pattern, [content, b"", content]) or ())] == [(0, [1]), (2, [1])]
    assert ends_in_all(pattern, [b"1 2 3 4"]) is None


@pytest.mark.parametrize(
    "query",
    [
        r"(?:[a-z]{30} ){6}",
        r"(?:.*a){30}",
        r"(?:[ab]|.c){32}",
        r"(?i:[a-z]*straße\w*){8}",
        r"(?:.{1,32}x){6}",
        r"x(?:|\s.{1,32}){31}y",
        r"x(?:(?:\s*|[^,]{1,9}.){2,4}){12}y",
    ],
)
def test_none_takes_long_to_make(query: str) -> None:
    began = time.process_time()
    _ = compile_pattern(TextQuery(query)).sieve
    assert time.process_time() - began < 1


def test_it_is_loaded_when_it_is_needed() -> None:
    code = "import sys, clew.search.scan; sys.exit('hyperscan' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_hyperscan_there_is_no_sieve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert compile_pattern(TextQuery(r"[0-9]{7}\w")).sieve is None
