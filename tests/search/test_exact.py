"""Exact search is a scan of every line, only faster: the same answers as a loop, and as ripgrep."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew import Engine
from clew.answers import TextFound
from clew.errors import BadInput
from clew.packing import pack
from clew.search import bulk, scan
from clew.search import exact as search_exact
from clew.search.exact import Page
from clew.search.filters import Scope
from clew.search.lines import find_spots
from clew.search.matches import MAX_LINE_CHARS
from clew.search.pattern import Pattern, TextQuery, compile_pattern
from clew.search.reading import Reading
from clew.store import exact, grams
from clew.store.grams import GramSegment
from clew.types import Stat
from tests.conftest import make_engine, write_tree

pytestmark = pytest.mark.usefixtures("either_way")
ALPHABET = "abAB_ 01.(iskISKéÉıİſK\tß\r𠀀"
LITERALS = st.text(ALPHABET, min_size=1, max_size=6)
LINES = st.text(ALPHABET, max_size=14)
TEXTS = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=8), st.sampled_from(["", "\n", "\n\n"])
)
CONTENTS = st.one_of(
    TEXTS.map(str.encode),
    TEXTS.map(lambda text: text.replace("\n", "\r\n").encode()),
    st.builds(lambda text, extra: text.encode() + extra, TEXTS, st.binary(max_size=6)),
    st.builds(lambda text, times: (text + "\n").encode() * times, TEXTS, st.sampled_from([5, 30])),
)
ATOMS = st.one_of(
    LITERALS.map(re.escape),
    st.sampled_from(
        [".", r"\s", r"\w", r"\d", r"\S", r"\W", r"\D", r"\b", r"\B", "[ab]", "[^a]", "[0-9]", "[a-cA]", "^", "$", "é"]
    ),
)


def _regexes(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.builds(
            lambda part, times: f"(?:{part}){times}",
            inner,
            st.sampled_from(["?", "*", "+", "{2}", "{1,3}", "{2,}", "+?"]),
        ),
        inner.map(lambda part: f"({part})"),
        inner.map(lambda part: f"(?i:{part})"),
    )


REGEXES = st.recursive(ATOMS, _regexes, max_leaves=5)


# Where Python's `re` is not ripgrep: the separators from 1C to 1F are no spaces, but controls like any other; marks and
# joiners belong to words, and numbers that are no digits (²) do not; and the Turkish letters equal no other in another
# case, so here they are letters without case.
_KINDS = {number: unicodedata.category(chr(number)) for number in range(0x80, 0x3000)}
AS_RIPGREP = {
    **dict.fromkeys(range(0x1C, 0x20), 0x01),
    **{number: 0x01 for number, kind in _KINDS.items() if kind == "No"},
    **{number: ord("ª") for number, kind in _KINDS.items() if kind in ("Mn", "Mc", "Me", "Pc")},
    **dict.fromkeys((0x200C, 0x200D), ord("ª")),
    ord("İ"): 0x30000,  # letters of their own: two that are not equal must not become one
    ord("ı"): 0x30001,
}
NO_UTF8 = "\udc80-\udcff"  # bytes that are none, as Python has them: no class has them in ripgrep, not even `.`
NEGATED = {".": rf"[^\n{NO_UTF8}]", r"\S": rf"[^\s{NO_UTF8}]", r"\W": rf"[^\w{NO_UTF8}]", r"\D": rf"[^\d{NO_UTF8}]"}
NEGATED[r"\B"] = r"(?!\b)"  # Python finds none in a text that is empty


def as_python(query: str) -> str:
    """An expression of these tests as Python writes it."""

    def translated(found: re.Match[str]) -> str:
        part = found[0]
        return NEGATED.get(part, f"{part[:-1]}{NO_UTF8}]" if part.startswith("[^") else part)

    return re.sub(r"\\.|\[[^\]]*\]|\.", translated, query.translate(AS_RIPGREP), flags=re.DOTALL)


def naive(query: str, content: bytes, *, regex: bool, case_sensitive: bool, whole_word: bool) -> list[tuple[int, int]]:
    """(line, column) of the first match in each line, by a loop."""
    text = as_python(query) if regex else re.escape(query.translate(AS_RIPGREP))
    text = rf"(?<![\w{NO_UTF8}])(?:{text})(?![\w{NO_UTF8}])" if whole_word else text
    expression = re.compile(text, 0 if case_sensitive else re.IGNORECASE)
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    found = []
    for number, line in enumerate(lines, start=1):
        match = expression.search(line.decode("utf-8", "surrogateescape").translate(AS_RIPGREP))
        if match:
            found.append((number, match.start() + 1))
    return found


def spots(pattern: Pattern, content: bytes) -> list[tuple[int, int]]:
    return [(line, column) for line, _, _, column in find_spots(pattern, content)]


def segment_of(contents: list[bytes]) -> GramSegment:
    owners: list[int] = []
    keys = []
    for blob, content in enumerate(contents, start=1):
        for block in grams.blocks_of(grams.folded(content)):
            keys.append(grams.keys_of(block, len(owners)))
            owners.append(blob)
    return GramSegment(grams.make_arrays(owners, keys))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Blocks so small that a page of text has many."""
    monkeypatch.setattr(grams, "BLOCK_BYTES", 64)
    monkeypatch.setattr(grams, "OVERLAP_BYTES", 16)
    grams.windows_of.cache_clear()
    yield
    grams.windows_of.cache_clear()


@pytest.mark.usefixtures("small_blocks")
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    contents=st.lists(CONTENTS, min_size=1, max_size=4),
    query=st.one_of(LITERALS.map(lambda text: (text, False)), REGEXES.map(lambda text: (text, True))),
    case_sensitive=st.booleans(),
    whole_word=st.booleans(),
)
def test_a_search_finds_what_a_loop_finds(
    contents: list[bytes], query: tuple[str, bool], case_sensitive: bool, whole_word: bool
) -> None:
    text, regex = query
    flags: Any = {"regex": regex, "case_sensitive": case_sensitive, "whole_word": whole_word}
    pattern = compile_pattern(TextQuery(text, **flags))
    expected = {blob: naive(text, content, **flags) for blob, content in enumerate(contents, start=1)}
    assert {blob: spots(pattern, content) for blob, content in enumerate(contents, start=1)} == expected
    if pattern.needs is not None:
        candidates = exact.evaluate(pattern.needs, [segment_of(contents)])
        if candidates is not None:
            assert {blob for blob, lines in expected.items() if lines} <= {*candidates.tolist()}


@settings(max_examples=300, deadline=None)
@given(
    content=st.text([chr(code) for code in range(128)] + [*"abskiK_ 0\n"], max_size=60).map(str.encode),
    query=st.one_of(
        REGEXES, st.sampled_from([r"\p{L}", r"[^\w\s]+", r"(?i:ſ|K)\w", r"[[:^alpha:]]", r"[\w--a-z]", "é|a"])
    ),
    case_sensitive=st.booleans(),
    whole_word=st.booleans(),
    multiline=st.booleans(),
)
def test_ascii_is_read_as_any_text_is(
    content: bytes, query: str, case_sensitive: bool, whole_word: bool, multiline: bool
) -> None:
    pattern = compile_pattern(TextQuery(query, True, case_sensitive, whole_word, multiline))
    plain, scan = ([found.span() for found in each.finditer(content)] for each in (pattern.plain, pattern.scan))
    assert plain == scan


@settings(max_examples=300, deadline=None)
@given(
    contents=st.lists(CONTENTS, min_size=1, max_size=6),
    literal=LITERALS,
    case_sensitive=st.booleans(),
    whole_word=st.booleans(),
)
def test_a_literal_is_found_in_many_contents_as_in_each(
    contents: list[bytes], literal: str, case_sensitive: bool, whole_word: bool
) -> None:
    flags: Any = {"regex": False, "case_sensitive": case_sensitive, "whole_word": whole_word}
    pattern = compile_pattern(TextQuery(literal, **flags))
    if pattern.literal is None:
        return  # letters beyond ASCII in any case
    texts = bulk.Texts([*map(pack, contents)])
    contents = [*texts]  # without byte order marks
    together = bulk.find_in_all(pattern, texts)
    each = [(number, [*find_spots(pattern, content)]) for number, content in enumerate(contents)]
    if together is None:
        assert pattern.lowered and any(letter in content for letter, _ in grams.SAME_AS_ASCII for content in contents)
    else:
        found = [(number, [*places]) for number, places in together]
        assert found == [(number, places) for number, places in each if places]
    for content, (_, places) in zip(contents, each, strict=True):
        assert bulk.find_in_one(pattern, content) in (places, None)
    expected = [naive(literal, content, **flags) for content in contents]
    assert [[(line, column) for line, _, _, column in places] for _, places in each] == expected


@pytest.mark.parametrize(
    ("query", "needles"),
    [
        ("get_queryset", [["get_queryset"]]),
        (r"class \w+Error", [["class "], ["Error"]]),
        (r"(?:foo|barbar)_init", [["foo_init", "barbar_init"], ["_init"]]),
        (r"x(?:|y)zz", [["xzz", "xyzz"], ["zz"], ["x"]]),
        (r"pre(?:a|bb)*post", [["post"], ["pre"]]),
        (r"colou?r_of", [["colo"], ["r_of"]]),
        (r"\bx{3}y+z", [["xxxy"], ["yz"]]),
        (r"(?i)Straße_K", [["stra"], ["e_k"]]),
        (r"(?i)größe", [["gr\udcc3"], ["e"]]),
        (r"(ab.)*", []),
        (r"(.a){3}", [["a"]]),
        (r"x\bz", [["xz"]]),
        (r"(?x) a b # c", [["ab"]]),
        (r"\x{61}\u0062\p{Greek}", [["ab"]]),
        (r"[a&&a]\p{Lu}bc", [["bc"], ["a"]]),
        (r"[^x]a|b", [["a", "b"]]),
        (r"\d+", []),
    ],
)
def test_what_an_expression_requires(query: str, needles: list[list[str]]) -> None:
    pattern = compile_pattern(TextQuery(query))
    assert [[needle.decode(errors="surrogateescape") for needle in group] for group in pattern.needles] == needles


def test_small_classes_narrow_the_candidates() -> None:
    contents = [b"id = 123456789\n", b"id = 12 34\n", b"nothing\n"]
    pattern = compile_pattern(TextQuery("[0-9]{9}"))
    assert pattern.needs is not None
    found = exact.evaluate(pattern.needs, [segment_of(contents)])
    assert found is not None and found.tolist() == [1]
    contents = ["GRÖSSE GRÖẞE\n".encode(), "große\n".encode(), "grün\n".encode()]
    pattern = compile_pattern(TextQuery("größe", case_sensitive=False))
    assert pattern.needs is not None
    found = exact.evaluate(pattern.needs, [segment_of(contents)])
    assert found is not None and 1 in found.tolist() and len(found) < 3
    assert spots(pattern, contents[0]) == [(1, 8)]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("(abc", "character 1"),
        ("a|*b", "character 3"),
        ("a{", "character 2"),
        ("a)", "character 2"),
        ("[z-a]", "bad character range"),
        (r"a\nb", "multiline"),
        ("[[a]", "not closed"),
        ("", "empty"),
        ("x" * 10_001, "more than"),
        ("(" * 5_000 + ")" * 5_000, "too much"),
        ("[" * 5_000, "too much"),
        ("\udc80", "Unicode"),
    ],
)
def test_a_pattern_that_cannot_be_read_says_where(query: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        compile_pattern(TextQuery(query))


# -- through the engine ----------------------------------------------------------------------------

FILES: dict[str, str | bytes] = {
    "src/alpha.py": "def alpha_total(values):\n    return sum(values)\n\n\nclass Gamma:\n    alpha = 1\n",
    "src/beta.js": "export function betaValue() {\r\n  return alpha;\r\n}",
    "data/table.csv": "alpha,1\nbeta,2\n",
    "web/app.min.js": "x=1;" * 2_000 + "alpha();" + "y=2;" * 2_000,
    "docs/größe.md": "Die Größe von alpha ist é alpha.\n",
    "empty.txt": "",
    "late.txt": b"text\n" * 2_000 + b"alpha\0alpha\n",
    "binary.bin": b"alpha\0",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", FILES)


def grep(engine: Engine, text: str, root: Path, *, scope: Scope | None = None, **flags: Any) -> TextFound:
    page = {name: flags.pop(name) for name in ("limit", "mode", "context") if name in flags}
    return engine.grep(TextQuery(text, **flags), str(root), page=Page(**page), scope=scope)


def places(engine: Engine, root: Path, query: str, **flags: Any) -> list[tuple[str, int, int]]:
    found = grep(engine, query, root, limit=10_000, **flags)
    return [(match.path, match.line, match.column) for match in found.matches]


def scanned(root: Path, query: str, **flags: Any) -> list[tuple[str, int, int]]:
    """The same by reading every file; a mark of the byte order is no part of a text, as for ripgrep."""
    found = []
    for path in sorted(item for item in root.rglob("*") if item.is_file()):
        content = path.read_bytes()
        if b"\0" not in content[:8_000]:
            asked = {"regex": True, "case_sensitive": True, "whole_word": False, **flags}
            text = content.removeprefix(b"\xef\xbb\xbf")
            found += [(path.relative_to(root).as_posix(), *spot) for spot in naive(query, text, **asked)]
    return sorted(found)


@pytest.mark.parametrize("tail", [0, 1_000_000], ids=["indexed", "tail"])
def test_every_content_that_is_kept_is_searched(
    engine: Engine, root: Path, tail: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "TAIL_BYTES", tail)
    engine.index(str(root))
    assert len(exact.derived(engine.resolve(str(root)).store.connection()).segments) == (0 if tail else 1)
    for query in ("alpha", "return", r"\balpha\b", "[0-9]", "Größe", "é a", r"^\w", "x=1", "nowhere", "e$", r"\(\)"):
        assert places(engine, root, query) == scanned(root, query), query
        assert places(engine, root, query, case_sensitive=False) == scanned(root, query, case_sensitive=False)


def test_a_page_ends_where_it_is_full_and_says_whether_there_is_more(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    every = grep(engine, "alpha", root)
    assert (every.total, every.truncated) == (7, False)
    exactly = grep(engine, "alpha", root, limit=7)
    assert (exactly.total, exactly.truncated) == (7, False)
    first = grep(engine, "alpha", root, limit=3)
    assert (first.total, first.truncated, first.matches) == (3, True, every.matches[:3])
    files = grep(engine, "alpha", root, mode="files", limit=2)
    assert ([file.path for file in files.files], files.truncated) == (["data/table.csv", "docs/größe.md"], True)
    counts = grep(engine, "alpha", root, mode="counts")
    assert [(file.path, file.count) for file in counts.files if file.count > 1] == [("src/alpha.py", 2)]
    assert counts.total == 7
    judged = grep(engine, "[a]lpha", root, mode="counts")
    assert judged.files == counts.files


def test_filters_apply_before_the_page_is_cut(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    found = grep(engine, "alpha", root, limit=2, scope=Scope(languages=("javascript",)))
    assert [match.path for match in found.matches] == ["src/beta.js", "web/app.min.js"]
    assert not found.truncated
    below = grep(engine, "alpha", root / "src")
    assert {match.path for match in below.matches} == {"src/alpha.py", "src/beta.js"}
    outside = grep(engine, "alpha", root, scope=Scope(exclude=("src", "*.csv")))
    assert {match.path.split("/")[0] for match in outside.matches} == {"docs", "late.txt", "web"}


def test_lines_around_a_match_and_lines_without_end(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    match = grep(engine, "return alpha", root, context=2).matches[0]
    assert (match.line, match.column, match.text) == (2, 3, "  return alpha;")
    assert (match.before, match.after) == (("export function betaValue() {",), ("}",))
    cut = grep(engine, r"alpha\(\)", root).matches[0]
    assert cut.path == "web/app.min.js" and cut.column == 8_001
    assert "alpha();" in cut.text and "[16008 characters in this line]" in cut.text
    assert len(cut.text) < MAX_LINE_CHARS + 60


def test_a_match_may_span_lines_when_asked(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    assert places(engine, root, r"values\):\s+return") == []
    found = grep(engine, r"values\):\s+return", root, multiline=True).matches
    assert [(match.line, match.column, match.text) for match in found] == [
        (1, 17, "def alpha_total(values):\n    return sum(values)")
    ]
    assert [match.line for match in grep(engine, "\n\n\nclass", root, regex=False, multiline=True).matches] == [2]


@pytest.mark.parametrize("first", [scan._FIRST, 0])
def test_a_byte_order_mark_is_no_part_of_the_first_line(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    """As for ripgrep: `^` is before the first letter, and so is the first column."""
    monkeypatch.setattr(scan, "_FIRST", first)
    root = write_tree(tmp_path / "marked", {f"a{i}.cs": "\ufeffusing System;\nusing Other;\n" for i in range(3)})
    engine.index(str(root))
    for text in ("^using", "using", r"\Ausing|^using O", "us[a-z]ng"):
        found = grep(engine, text, root).matches
        assert [(match.line, match.column, match.text) for match in found] == [
            (1, 1, "using System;"),
            (2, 1, "using Other;"),
        ] * 3, text
    (root / "a1.cs").write_text("\ufeffusing New;\n")
    assert [match.text for match in grep(engine, "^using N", root).matches] == ["using New;"]
    assert engine.search('"using System"', str(root)).unknown == ()


def test_matches_that_share_a_line_are_all_found(engine: Engine, tmp_path: Path) -> None:
    """The second begins in the last line of the first."""
    root = write_tree(tmp_path / "calls", {"a.py": "x = f(a,\n  b,\n  c)\ny = f(é,\r\n  ü,\r\n  d), g(h,\r\n  i)\r\n"})
    engine.index(str(root))
    found = grep(engine, r",\s*\n\s*\w", root, multiline=True).matches
    assert [(match.line, match.text) for match in found] == [
        (1, "x = f(a,\n  b,"),
        (2, "  b,\n  c)"),
        (4, "y = f(é,\n  ü,"),
        (5, "  ü,\n  d), g(h,"),
        (6, "  d), g(h,\n  i)"),
    ]
    assert grep(engine, r",\s*\n\s*\w", root, multiline=True, mode="counts").files[0].count == 5
    twice = grep(engine, "f|x", root, multiline=True).matches
    assert [match.line for match in twice] == [1, 4], "a line is told once"
    assert len(grep(engine, "(?:f)?", root, multiline=True).matches) == 7


def test_each_line_of_a_match_is_cut_for_itself(engine: Engine, tmp_path: Path) -> None:
    lines = ["begin", *(f"    value_{i} = {'x' * 60}" for i in range(40)), "y" * 1_500, "end"]
    text = "\n".join(lines) + "\n" + "z" * 990 + "a needle that crosses it" + "z" * 500 + "\n"
    root = write_tree(tmp_path / "long", {"a.txt": text})
    engine.index(str(root))
    [match] = grep(engine, r"(?s)begin.*\nend", root, multiline=True).matches
    shown = match.text.split("\n")
    assert shown[:41] == lines[:41] and shown[-1] == "end" and len(shown) == 43
    assert shown[41].endswith("[1500 characters in this line]")
    [match] = grep(engine, "needle that crosses it", root).matches
    assert "needle that crosses it" in match.text


def test_a_saved_file_is_found_at_once_and_a_removed_one_no_longer(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    write_tree(root, {"src/alpha.py": "fresh_words_here = 1\n", "new.py": "fresh_words_here = 2\n"})
    assert places(engine, root, "fresh_words_here") == [("new.py", 1, 1), ("src/alpha.py", 1, 1)]
    assert "src/alpha.py" not in {path for path, _, _ in places(engine, root, "alpha")}
    (root / "new.py").unlink()
    assert places(engine, root, "fresh_words_here") == [("src/alpha.py", 1, 1)]


def test_a_file_that_changes_behind_the_check_is_searched_as_it_is(root: Path, tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "home", recheck_ms=3_600_000)
    engine.index(str(root))
    assert len(grep(engine, "alpha_total", root).matches) == 1
    write_tree(root, {"src/alpha.py": "\n\nmoved = alpha_total\n"})
    (root / "data/table.csv").unlink()
    found = grep(engine, "alpha", root)
    assert ("src/alpha.py", 3, 9) in [(match.path, match.line, match.column) for match in found.matches]
    assert "data/table.csv" not in {match.path for match in found.matches}
    engine.close()


@pytest.mark.parametrize("query", [r"\w+", r"[a-z]\d", "^$", r"\bv\w", r"(?i)[U-V]\d$"])
def test_files_that_are_read_ahead_come_in_order(
    engine: Engine, root: Path, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(root, {f"many/{number:03}.txt": f"\n{'word' * number}\nv{number}\n" for number in range(60)})
    engine.index(str(root))
    expected = scanned(root, query)
    assert places(engine, root, query) == expected
    monkeypatch.setattr(scan, "_FIRST", 3)
    monkeypatch.setattr(scan, "_BATCH_BYTES", 60)
    monkeypatch.setattr(scan, "_MAX_BATCH_BYTES", 60)
    assert places(engine, root, query) == expected
    found = grep(engine, query, root, limit=5)
    assert [(match.path, match.line, match.column) for match in found.matches] == expected[:5]
    assert found.truncated


@pytest.fixture
def in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every content is searched in a batch, and every literal by arrays."""
    monkeypatch.setattr(scan, "_FIRST", 0)
    monkeypatch.setattr(scan, "_BATCH_BYTES", 200)
    monkeypatch.setattr(scan, "_MAX_BATCH_BYTES", 20_000)
    monkeypatch.setattr(bulk, "is_worth_it", lambda pattern, _: pattern.literal is not None)


@pytest.mark.usefixtures("in_batches")
@pytest.mark.parametrize("flags", [{}, {"case_sensitive": False}, {"whole_word": True}], ids=["", "i", "w"])
def test_batches_have_what_files_have(engine: Engine, root: Path, flags: dict[str, Any]) -> None:
    write_tree(root, {f"many/{number:03}.txt": f"\nalpha{number}\nv alpha é\n" for number in range(60)})
    write_tree(root, {"many/turkish.txt": "ALPHA ıſK\r\nalphaé\n", "many/z.txt": b"\xffalpha\n\n\xc3 alpha\xc3"})
    engine.index(str(root))
    for query in ("alpha", "a", "é", "return", "s", "k", "x=1;", "nowhere", "\r", "ph[a]", r"\w+$", r"\balpha"):
        expected = scanned(root, query, **flags)
        assert places(engine, root, query, **flags) == expected, query
        assert places(engine, root, query, **flags)[:7] == expected[:7]
    counts = grep(engine, "alpha", root, mode="counts", limit=1_000, **flags)
    assert counts.total == len(scanned(root, "alpha", **flags))
    shown = grep(engine, "alpha", root, context=1, limit=1_000, **flags).matches
    assert [(match.path, match.line, match.column) for match in shown] == scanned(root, "alpha", **flags)
    cut = grep(engine, "alpha", root, limit=40, **flags)
    assert cut.truncated and [match[:3] for match in cut.matches] == scanned(root, "alpha", **flags)[:40]


@pytest.mark.usefixtures("in_batches")
def test_a_file_of_a_batch_that_changed_is_searched_as_it_is(root: Path, tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "home", recheck_ms=3_600_000)
    engine.index(str(root))
    assert len(grep(engine, "alpha_total", root).matches) == 1
    write_tree(root, {"src/alpha.py": "\n\nmoved = alpha\n", "src/beta.js": "nothing\n"})
    (root / "data/table.csv").unlink()
    found = [(match.path, match.line, match.column) for match in grep(engine, "alpha", root).matches]
    assert found == scanned(root, "alpha")
    engine.close()


@pytest.mark.usefixtures("in_batches")
@pytest.mark.parametrize("threshold", [search_exact._MANY_FILES, 0], ids=["", "threads"])
@pytest.mark.parametrize("limit", [1, 5, 6, 41, 1_000])
def test_very_many_matches_read_like_few(
    root: Path, tmp_path: Path, limit: int, threshold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a complete answer are arrays until somebody looks."""
    monkeypatch.setattr(search_exact, "_MANY_FILES", threshold)
    monkeypatch.setattr(scan, "_MAX_BATCH_BYTES", 10_000)  # two files or three
    engine = make_engine(tmp_path / "home", recheck_ms=3_600_000)
    long = f"{'x' * 2_000} alpha {'y' * 2_000}"
    write_tree(root, {f"many/{n:03}.txt": f"alpha {n}\r\n\né alpha\n{long}\nend" for n in range(20)})
    engine.index(str(root))
    write_tree(root, {"many/003.txt": "alpha moved\n", "many/004.txt": "nothing"})
    (root / "many/011.txt").unlink()
    monkeypatch.setattr(search_exact, "_MANY_MATCHES", 10**9)
    few = grep(engine, "alpha", root, limit=limit)
    monkeypatch.setattr(search_exact, "_MANY_MATCHES", 1)
    many = grep(engine, "alpha", root, limit=limit)
    expected = [*few.matches]
    assert [*many.matches] == expected == [*many.matches]  # twice
    assert (many.total, many.truncated, len(many.matches)) == (few.total, few.truncated, len(expected))
    seen = [(each.freshness.verified, each.freshness.dropped, each.freshness.changed) for each in (few, many)]
    assert seen[0] == seen[1]
    again = grep(engine, "alpha", root, limit=limit).matches
    assert [again[place] for place in reversed(range(len(again)))] == expected[::-1]
    assert (again[-1], again[2:9:2], again[-3:]) == (expected[-1], tuple(expected[2:9:2]), tuple(expected[-3:]))
    assert again[0] is again[0]  # made once
    assert again == many.matches == tuple(expected) and expected[0] in again and again != ()
    with pytest.raises(IndexError):
        again[len(expected)]
    engine.close()


def test_a_file_of_the_last_name_is_searched_too(engine: Engine, root: Path) -> None:
    """A defect once: the end of all paths was taken for U+10FFFF."""
    write_tree(root, {"\U0010ffff.py": "last = 1\n"})
    engine.index(str(root))
    for query in ("last", "la", "t = 1"):
        assert places(engine, root, query)[-1] == ("\U0010ffff.py", 1, 1 if query != "t = 1" else 4)


def test_a_changed_file_that_goes_while_it_is_read_is_dropped(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect once: the whole answer was an error."""
    engine = make_engine(tmp_path / "home", recheck_ms=3_600_000)
    engine.index(str(root))
    write_tree(root, {"src/alpha.py": "alpha = 2\n"})
    check = Reading.check

    def goes(reading: Reading, path: str, stat: Stat, blob: int, **told: Any) -> bool | None:
        found = check(reading, path, stat, blob, **told)
        (root / "src/alpha.py").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Reading, "check", goes)
    assert [match[:3] for match in grep(engine, "alpha", root).matches] == scanned(root, "alpha")
    engine.close()


def test_the_greatest_limit_is_no_error(engine: Engine, root: Path) -> None:
    engine.index(str(root))
    assert len(grep(engine, "alpha", root, limit=sys.maxsize).matches) == 7


@pytest.mark.slow
def test_batches_of_a_real_tree_have_what_its_files_have(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(__file__).parent.parent.parent
    for name in ("src/clew/search", "src/clew/store", "docs", "tests/parse/samples"):
        shutil.copytree(source / name, tmp_path / "real" / name, ignore=shutil.ignore_patterns("__pycache__"))
    engine.index(str(tmp_path / "real"))
    asked = [
        TextQuery(text, regex, case, word)
        for text in ("self", "import", "é", "s", "(", "é|K", r"class \w+", r"[A-Z]{3}", r"\bint\b", "^$", "ß", "the")
        for regex in (False, True)
        for case in (False, True)
        for word in (False, True)
        if not (regex and text == "(")
    ]

    def answers() -> list[Any]:
        return [engine.grep(query, str(tmp_path / "real"), page=Page(100_000)).matches for query in asked]

    monkeypatch.setattr(scan, "_FIRST", 1_000_000)
    one_by_one = answers()
    monkeypatch.setattr(scan, "_FIRST", 0)
    assert answers() == one_by_one
    monkeypatch.setattr(bulk, "is_worth_it", lambda pattern, _: pattern.literal is not None)
    assert answers() == one_by_one


TREES = st.dictionaries(
    st.sampled_from(["a.txt", "b/c.txt", "b/d.csv", "é.rst", "z.log", "b/e"]), CONTENTS, min_size=1, max_size=5
)


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees=st.lists(TREES, min_size=1, max_size=3), queries=st.lists(st.tuples(REGEXES, st.booleans()), max_size=4))
@example(trees=[{"a.txt": b"\xef\xbb\xbf"}], queries=[(".", False)])
def test_after_any_changes_a_search_finds_what_a_loop_finds(
    trees: list[dict[str, bytes]], queries: list[tuple[str, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    engine = make_engine(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "TAIL_BYTES", 40)
        patch.setattr(exact, "MAX_SMALL", 2)
        for number, files in enumerate(trees):
            if (folder / "tree").exists():
                shutil.rmtree(folder / "tree")
            root = write_tree(folder / "tree", files)
            engine.sync(str(root)) if number else engine.index(str(root))
            for query, case_sensitive in queries:
                asked = {"case_sensitive": case_sensitive}
                assert places(engine, root, query, **asked) == scanned(root, query, **asked)
        assert all(check.ok for check in engine.doctor().checks)
    engine.close()


# -- ripgrep ---------------------------------------------------------------------------------------

SHARED = [
    "alpha", r"alpha\b", r"\w+_total", "^[a-z]+ ", r"[0-9]+", r"\s\s+\w", r"return\s*\w+;$", r"(?i)ALPHA", "[^a-z]$",
    "Größe", r"\bvon\b", "é.a", r"(alpha|beta)[,V]", r"\(\w*\)", "[[:upper:]][[:lower:]]+", r"x=1;$", r"\S+$", r"^$",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("flags", [(), ("-i",), ("-w",), ("-F",), ("-i", "-w")], ids=" ".join)
def test_ripgrep_gives_the_same_lines(engine: Engine, root: Path, flags: tuple[str, ...]) -> None:
    (root / "late.txt").unlink()  # ripgrep stops at a NUL, wherever it is
    (root / "marked.cs").write_text("\ufeffalpha beta\n  return alpha;\n")
    engine.index(str(root))
    asked = {"regex": "-F" not in flags, "case_sensitive": "-i" not in flags, "whole_word": "-w" in flags}
    for query in SHARED:
        command = ["rg", "--no-heading", "--line-number", "--column", "--sort", "path", "--hidden", *flags, "-e", query]
        done = subprocess.run([*command, "."], cwd=root, capture_output=True)
        expected = []
        for line in done.stdout.decode().split("\n")[:-1]:
            path, number, _column, _ = line.split(":", 3)  # ripgrep counts bytes in columns
            expected.append((path.removeprefix("./"), int(number)))
        assert [place[:2] for place in places(engine, root, query, **asked)] == sorted(expected), query


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize(
    "query", [r",\n\s*\w", r"\)\s*\{?\n", r"\n\n+", "alpha|beta\n", r"\w\n\s+\w+", "(?s)def.*?return"]
)
def test_ripgrep_gives_the_same_lines_of_matches_across_them(engine: Engine, root: Path, query: str) -> None:
    (root / "late.txt").unlink()
    write_tree(root, {"calls.py": "x = f(a,\n  b,\n  c)\n\n\ndef alpha(beta,\n          é):\n    return é\n"})
    engine.index(str(root))
    command = ["rg", "-U", "--no-heading", "--line-number", "--sort", "path", "--hidden", "-e", query, "."]
    done = subprocess.run(command, cwd=root, capture_output=True)
    expected = {tuple(line.split(":", 2)[:2]) for line in done.stdout.decode().split("\n")[:-1]}
    found = set()
    for match in grep(engine, query, root, multiline=True, limit=10_000).matches:
        found |= {(f"./{match.path}", str(match.line + more)) for more in range(match.text.count("\n") + 1)}
    assert found == expected
