"""Patterns mean what they mean to ripgrep, whatever the script, and none of them can take for ever."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import BadInput
from clew.search import pattern as patterns
from clew.search.lines import find_spots, parts_of
from clew.search.pattern import TextQuery, compile_pattern


def columns(query: str, content: bytes, **flags: bool) -> list[tuple[int, int]]:
    """(line, column) of every match."""
    return [(line, column) for line, _, _, column in find_spots(compile_pattern(TextQuery(query, **flags)), content)]


def matched(query: str, chars: str) -> str:
    """Those of these characters that an expression matches."""
    return "".join(char for char in chars if columns(rf"^(?:{query})$", char.encode()))


@pytest.mark.parametrize(
    "query", ["(a+)+$", "(a|aa)+$", "(.*)*x", "(a*)*b", r"(\w+\s*)+:$", r"(\b\w+\b ?)+;$", "(a?){900}x"]
)
@pytest.mark.parametrize("line", ["a" * 50_000 + "!", "é" * 20_000 + "!"], ids=["ascii", "unicode"])
@pytest.mark.parametrize("multiline", [False, True])
def test_no_expression_takes_for_ever(query: str, line: str, multiline: bool) -> None:
    started = time.process_time()
    assert columns(query, f"{line}\n".encode(), multiline=multiline) == []
    assert time.process_time() - started < 20  # a backtracking engine would take longer than the universe has


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("a(?=b)", "character 2.*look-around is not supported"),
        ("(?<!a)b", "look-around is not supported"),
        ("(?<=a)b", "look-around is not supported"),
        (r"(a)\1", "character 4.*back-references are not supported"),
        (r"\p{Emoji}", "'Emoji' is not supported"),
        (r"(?-u:\xff)", "-u is not supported"),
        ("(?y)a", "'y' is not known"),
        (r"\<a", "not supported"),
        (r"\b{start}a", "not supported"),
        (r"[\b]", "no meaning in a class"),
        (r"\q", "not known"),
        ("a{3,2}", "bad range"),
        ("a{,3}", "count"),
        (r"\x{110000}", "hexadecimal"),
        ("[[:alpha:]-z", "not closed"),
        ("a{1000}{1000}", "too large"),
        (r"\w{1000}", "too large"),
        ("((a{100}){100}){100}", "too large"),
        ("a{99999999}", "too much"),
        ("(" * 50 + "a" + "{2000})" * 50, "too much"),
        ("a" + "*" * 5_000, "too much"),
        ("(?P<x>a)(?P=x)", "back-references"),
    ],
)
def test_what_is_not_supported_is_named(query: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        compile_pattern(TextQuery(query))


LETTERS = "aAbkKszZ09_ .-é\u0301ßλΣΩ٣ⅷⒶ\u200d‿中🙂\u00a0\u2003\x1c\x85"


@pytest.mark.parametrize(
    ("query", "chars"),
    [
        (r"\w", "aAbkKszZ09_é\u0301ßλΣΩ٣ⅷⒶ\u200d‿中"),
        (r"\W", " .-🙂\u00a0\u2003\x1c\x85"),
        (r"\d", "09٣"),
        (r"\s", " \u00a0\u2003\x85"),
        (r"[^\W\d_]", "aAbkKszZé\u0301ßλΣΩⅷⒶ\u200d‿中"),
        (r"[\W_]", "_ .-🙂\u00a0\u2003\x1c\x85"),
        (r"[a-z&&[^b]]", "aksz"),
        (r"[\w--[a-zA-Z]--\d]", "_é\u0301ßλΣΩⅷⒶ\u200d‿中"),
        (r"[abk~~bks]", "as"),
        (r"(?i)[k-s&&[^s]]", "kK"),
        (r"\p{Greek}", "λΣΩ"),
        (r"\p{Script=greek}", "λΣΩ"),
        (r"\p{Uppercase_Letter}", "AKZΣΩ"),
        (r"[^\P{Lu}K]", "AZΣΩ"),
        (r"\pN", "09٣ⅷ"),
        (r"(?i)K", "kK"),
        (r"(?i)\x{3c9}", "Ω"),
        (r"[]-]", "-"),
        (r"[[:alpha:]]", "aAbkKszZ"),
        (r"[[:^word:]&&[:ascii:]]", " .-\x1c"),
        (r"(?x: [ a b ] # letters)" + "\n)", "ab"),
        (r"(?:a**|\.{1}){1}", "a."),
        (r"[a&&b]", ""),
    ],
)
def test_classes_are_unicode_s(query: str, chars: str) -> None:
    assert matched(query, LETTERS) == chars


def test_words_end_where_unicode_ends_them() -> None:
    content = "fooé foo\nfoo\u0301\nλfoo foo٣\n中foo\n(foo)\n".encode()
    assert columns(r"\bfoo\b", content) == [(1, 6), (5, 2)]
    assert columns("foo", content, whole_word=True) == [(1, 6), (5, 2)]
    assert columns(r"foo\B", content) == [(1, 1), (2, 1), (3, 6)]
    assert columns(r"\Boo\b$", content, multiline=True) == [(1, 7), (4, 3)]
    assert columns(r"\Afoo\B|\bfoo\)\n\z", content, multiline=True) == [(1, 1), (5, 2)]
    assert columns(r"\bé", "aé é\n".encode()) == [(1, 4)]


def test_bytes_that_are_no_text_match_nothing() -> None:
    content = b"a\xffb\na\xe0\x80\x80b\nab\xff foo\xff\n"
    assert columns("a.b", content) == []
    assert columns(r"a\W|[^a]b", content) == []
    assert columns(r"a\b", content) == [(1, 1), (2, 1)]
    assert columns("foo|ab", content, whole_word=True) == []
    assert columns("foo", content) == [(3, 5)]


def test_parts_that_match_are_told_for_colours() -> None:
    pattern = compile_pattern(TextQuery("foo|ß", whole_word=True))
    assert list(parts_of(pattern, "foo foo ß food")) == [(0, 3), (4, 7), (8, 9)]
    assert list(parts_of(compile_pattern(TextQuery("x*")), "axxb")) == [(1, 3)]


# -- ripgrep ---------------------------------------------------------------------------------------

CHARS = "abAB_ 01.-(iskISKéÉıİſK\tßẞ\u0301\u200dⒶⓐλΣςσ٣ⅷ‿中🙂\u2028\x1c\x85\x0bǅǆǄ𠀀"
BROKEN = [b"\xff", b"\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xc3", b"\xe2\x84"]
LINE = st.lists(st.one_of(st.sampled_from(CHARS).map(str.encode), st.sampled_from(BROKEN)), max_size=10).map(b"".join)
ATOM = st.one_of(
    st.sampled_from(CHARS).map(lambda char: rf"\{char}" if char in ".(" else char),
    st.sampled_from(
        r". \s \w \d \S \W \D \b \B ^ $ [ab] [^a] [a-cA] \p{L} \P{L} \pN \p{Greek} [\W_] [^\W\d] [a-z&&[^b]] [\w--\d]"
        r" [ak~~k] \x{61} [[:alpha:]] [[:^alpha:]] [^\S\x20] [\P{L}a] (?s:.) []a-] [^]b] (?:) \p{Lu} [k-s] [^k]".split()
    ),
)


def composed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    times = st.sampled_from(["?", "*", "+", "{2}", "{1,3}", "{2,}", "+?", "**", "{0}", "??"])
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.builds(lambda part, count: f"(?:{part}){count}", inner, times),
        inner.map(lambda part: f"(?i:{part})"),
    )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    lines=st.lists(LINE, min_size=1, max_size=12),
    query=st.recursive(ATOM, composed, max_leaves=5),
    any_case=st.booleans(),
    whole_word=st.booleans(),
)
def test_ripgrep_matches_the_same_lines(
    lines: list[bytes], query: str, any_case: bool, whole_word: bool, tmp_path: Path
) -> None:
    file = tmp_path / "lines.txt"
    file.write_bytes(b"x\n" + b"\n".join(lines) + b"\n")  # so that it does not begin with a byte order mark
    query = rf"(?:{query})\w" if whole_word else query  # ripgrep 13 misses some words that are empty
    flags = ["-i"] * any_case + ["-w"] * whole_word
    command = ["rg", "--text", "--line-number", "--encoding=none", *flags, "-e", query, str(file)]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode < 2, done.stderr
    expected = [int(line.split(b":")[0]) for line in done.stdout.split(b"\n")[:-1]]
    found = columns(query, file.read_bytes(), case_sensitive=not any_case, whole_word=whole_word)
    assert [line for line, _ in found] == expected


@pytest.mark.parametrize("part", [r"\w", r"[^\w]", r"(?i:[^k])", r"\P{L}"])
@pytest.mark.parametrize("whole_word", [False, True])
def test_what_is_not_refused_at_once_is_never_refused(part: str, whole_word: bool) -> None:
    """Programs that only some contents need are made when one is met: that must not fail then."""
    pattern = compile_pattern(TextQuery(part * patterns._FEW_CHARACTERS, whole_word=whole_word))
    for name in ("plain", "scan", "loose", "marked", "alone"):
        assert getattr(pattern, name) is not None
