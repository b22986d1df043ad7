"""One glob matcher: a table of what the contract says, and a naive matcher that must agree on anything."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import BadInput
from clew.search.filters import compile_glob, make_filter


class File(NamedTuple):
    path: str
    language: str = "python"


TABLE = [
    # pattern without `/`: a name at any depth
    ("*.py", "main.py", True),
    ("*.py", "a/b/main.py", True),
    ("*.py", "main.pyc", False),
    ("*.py", "main.py/inner.txt", True),  # a directory of that name, and all below it
    ("src", "src/a.py", True),
    ("src", "lib/src/deep/a.py", True),
    ("src", "src", True),
    ("src", "src-old/a.py", False),
    ("src", "mysrc/a.py", False),
    ("a?c", "abc", True),
    ("a?c", "a/c", False),
    ("**", "a/b/c", True),
    # pattern with `/`: anchored at the root
    ("src/*.py", "src/a.py", True),
    ("src/*.py", "lib/src/a.py", False),
    ("src/*.py", "src/a/b.py", False),
    ("/src", "src/a.py", True),
    ("/src", "lib/src/a.py", False),
    ("src/", "src/a.py", True),
    ("src/", "lib/src/a.py", False),
    ("src/a", "src/a/deep/b.py", True),
    ("src/a", "src/ab.py", False),
    # `**/`: zero or more directories
    ("**/*.py", "main.py", True),
    ("**/*.py", "a/b/main.py", True),
    ("src/**/a.py", "src/a.py", True),
    ("src/**/a.py", "src/x/y/a.py", True),
    ("src/**/a.py", "srcx/a.py", False),
    ("src/**", "src/x/y.py", True),
    ("src/**", "src", False),
    ("**/test/**", "test/a.py", True),
    ("**/test/**", "x/test/a/b.py", True),
    ("**/test/**", "x/tests/a.py", False),
    # braces and classes
    ("*.{py,js}", "a.js", True),
    ("*.{py,js}", "a.ts", False),
    ("{src,lib}/**/*.py", "lib/x/a.py", True),
    ("{a,b{c,d}}.py", "bd.py", True),
    ("{a,}b", "b", True),
    ("[ab].py", "a.py", True),
    ("[!ab].py", "c.py", True),
    ("[!ab].py", "a.py", False),
    ("[^ab].py", "a.py", False),
    ("[a-c]x", "bx", True),
    ("[]]x", "]x", True),
    ("[!]]x", "]x", False),
    ("a[/]b", "a/b", False),
    ("a[!x]b", "a/b", False),
    ("[[]x", "[x", True),
    # literal: `%`, `_`, dots and other signs of regular expressions; case counts; backslashes are slashes
    ("a%.py", "ab.py", False),
    ("a%.py", "a%.py", True),
    ("a_b.py", "axb.py", False),
    ("a.py", "axpy", False),
    ("a+(b)|c^$", "a+(b)|c^$", True),
    ("*.PY", "a.py", False),
    ("src\\*.py", "src/a.py", True),
    (".github", ".github/x.yml", True),
    ("*", "a\nb", True),
    ("é*", "école.py", True),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), TABLE)
def test_what_a_glob_means(pattern: str, path: str, expected: bool) -> None:
    assert bool(compile_glob(pattern).match(path)) is expected
    if "/" in pattern and not pattern.startswith(("/", "./", "\\")):
        assert bool(compile_glob(f"./{pattern}").match(path)) is expected


@pytest.mark.parametrize(
    "pattern", ["", "/", "//", "!a", "[", "a[", "[!", "[]", "{", "{a", "}", "a}", "{a}}", "[b-a]", "\0"]
)
def test_a_malformed_glob_is_an_error_that_names_it(pattern: str) -> None:
    with pytest.raises(BadInput) as failure:
        make_filter(include=[pattern])
    assert repr(pattern) in str(failure.value)
    with pytest.raises(BadInput):
        make_filter(exclude=[pattern])


def test_include_exclude_languages_and_subtree_join() -> None:
    chosen = make_filter(include=["*.py", "docs"], exclude=["test_*"], languages=["PY", "Markdown"], subtree="a/b")
    for path, language, expected in (
        ("a/b/x.py", "python", True),
        ("a/b/docs/x.md", "markdown", True),
        ("a/b/x.md", "markdown", False),
        ("a/b/test_x.py", "python", False),
        ("a/bc/x.py", "python", False),
        ("x.py", "python", False),
        ("a/b/x.py", "ruby", False),
    ):
        assert chosen.allows(path, language) is expected, path
    assert make_filter().is_empty and make_filter(subtree="").is_empty and not chosen.is_empty
    assert make_filter(subtree="%_").allows("%_/a", "x") and not make_filter(subtree="%_").allows("ab/a", "x")


# -- a naive matcher: no regular expressions, one character and one segment at a time ----------------

Token = tuple[str, str]  # kind, and the characters it has

_names = st.text("ab.", min_size=1, max_size=6).filter(lambda name: name not in (".", ".."))
_paths = st.lists(_names, min_size=1, max_size=4)
_tokens: st.SearchStrategy[Token] = st.one_of(
    st.tuples(st.just("literal"), st.sampled_from(["a", "b", "."])),
    st.tuples(st.just("star"), st.just("")),
    st.tuples(st.just("any"), st.just("")),
    st.tuples(st.just("class"), st.sampled_from(["a", "ab", ".a"])),
    st.tuples(st.just("not"), st.sampled_from(["a", "ab", "."])),
)


def _never_two_stars(tokens: list[Token]) -> bool:
    return all(x[0] != "star" or y[0] != "star" for x, y in pairwise(tokens))


_segments = st.lists(_tokens, min_size=1, max_size=6).filter(_never_two_stars)
_alternatives = st.lists(_segments, min_size=1, max_size=2)  # a segment, or a choice between two
_patterns = st.lists(st.one_of(_alternatives, st.just("**")), min_size=1, max_size=4)


def spell(pattern: list[list[list[Token]] | str], leading: bool) -> str:
    def one(tokens: list[Token]) -> str:
        shapes = {"literal": "{}", "star": "*", "any": "?", "class": "[{}]", "not": "[!{}]"}
        return "".join(shapes[kind].format(text) for kind, text in tokens)

    parts = [
        part if isinstance(part, str) else one(part[0]) if len(part) == 1 else "{" + ",".join(map(one, part)) + "}"
        for part in pattern
    ]
    return ("/" if leading else "") + "/".join(parts)


def segment_matches(tokens: list[Token], name: str) -> bool:
    if not tokens:
        return not name
    (kind, text), rest = tokens[0], tokens[1:]
    if kind == "star":
        return any(segment_matches(rest, name[i:]) for i in range(len(name) + 1))
    if not name:
        return False
    hit = {"literal": name[0] == text, "any": True, "class": name[0] in text, "not": name[0] not in text}[kind]
    return hit and segment_matches(rest, name[1:])


def path_matches(pattern: list[list[list[Token]] | str], path: list[str]) -> bool:
    """Whether the pattern is this path, or a directory above it."""
    if not pattern:
        return True  # what is left of the path lies below
    head, rest = pattern[0], pattern[1:]
    if isinstance(head, str):
        if not rest:
            return bool(path)
        return any(path_matches(rest, path[i:]) for i in range(len(path) + 1))
    return bool(path) and any(segment_matches(choice, path[0]) for choice in head) and path_matches(rest, path[1:])


@given(_patterns, st.booleans(), _paths)
def test_the_matcher_agrees_with_a_naive_one(
    pattern: list[list[list[Token]] | str], leading: bool, path: list[str]
) -> None:
    glob = spell(pattern, leading)
    if "/" in glob:
        expected = path_matches(pattern, path)
    else:
        expected = any(path_matches(pattern, path[i:]) for i in range(len(path)))
    assert compile_glob(glob).match("/".join(path)) is expected, (glob, "/".join(path))
    assert make_filter(include=[glob]).places([File("/".join(path))]) == ([0] if expected else [])


_globs = st.lists(st.sampled_from(["*.py", "**/*.py", "/*.py", "a", "a/**", "b/*", "*_a.py", "{a,b}"]), max_size=2)
_files = st.lists(
    st.builds(
        lambda names, end, language: File("/".join(names) + end, language),
        _paths,
        st.sampled_from(["", ".py", "_a.py", ".py/c"]),
        st.sampled_from(["python", "go"]),
    ),
    max_size=12,
)


@given(_globs, _globs, st.lists(st.sampled_from(["python", "go"]), max_size=1), st.sampled_from(["", "a"]), _files)
def test_many_at_once_are_as_one_by_one(
    include: list[str], exclude: list[str], languages: list[str], subtree: str, files: list[File]
) -> None:
    where = make_filter(include=include, exclude=exclude, languages=languages, subtree=subtree)
    for chosen in (where, replace(make_filter(include=["*.py"]), within=where)):
        wanted = [at for at, file in enumerate(files) if chosen.allows(file.path, file.language)]
        assert chosen.places(files) == wanted


@given(st.text(max_size=12), st.text("ab/.", max_size=8))
def test_any_text_is_a_glob_or_a_bad_input(pattern: str, path: str) -> None:
    try:
        make_filter(include=[pattern]).allows(path, "python")
    except BadInput as error:
        assert repr(pattern)[:20] in str(error)


def test_a_glob_of_many_stars_takes_no_time() -> None:
    started = time.perf_counter()
    for glob in ("*a" * 12 + "b", "**/" * 12 + "b", "**/a" * 8 + "/b", "*" * 200 + "b"):
        compile_glob(glob).match("/".join(["a" * 20] * 6))
    assert time.perf_counter() - started < 1
