"""Where blobs are cut: along definitions, never through one that fits, and no line is lost."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.parse.chunks import MAX_CHARS, MERGE_CHARS, Plan, plan_chunks
from clew.parse.extract import extract, line_starts
from clew.types import Symbol

BODY_LINE = "    value = compute(value)  # one more step\n"


def plan(source: str, symbols: list[Symbol] | None = None, leading: frozenset[int] = frozenset()) -> list[Plan]:
    content = source.encode()
    return plan_chunks(content, line_starts(content), symbols or [], leading)


def texts(source: str, language: str = "python") -> list[tuple[str, str]]:
    """Each chunk's text with the qualified name of its owner."""
    content = source.encode()
    facts = extract(content, language)
    return [
        (facts.symbols[c.symbol].qualified if c.symbol >= 0 else "", content[c.start_byte : c.end_byte].decode())
        for c in facts.chunks
    ]


def function(name: str, lines: int, indent: str = "") -> str:
    return f"{indent}def {name}(value):\n" + (indent + BODY_LINE) * lines


@given(st.lists(st.sampled_from(["", " ", "x", "    y = 1", "\tz", "w" * 300, "é" * 900]), max_size=120))
def test_plain_lines_are_covered_once_and_in_order(lines: list[str]) -> None:
    source = "\n".join(lines)
    covered: list[int] = []
    for first, last, owner in plan(source):
        assert owner == -1 and lines[first].strip() and lines[last].strip()
        size = len("\n".join(lines[first : last + 1]).encode())
        assert size <= MAX_CHARS or first == last
        covered += range(first, last + 1)
    assert covered == sorted(set(covered))
    assert {i for i, line in enumerate(lines) if line.strip()} <= set(covered)


@settings(deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(0, 3))
def test_a_function_that_fits_is_one_chunk(sizes: list[int], blanks: int) -> None:
    functions = [function(f"step_{i}", lines) for i, lines in enumerate(sizes)]
    found = texts(("\n" * blanks).join(functions))
    for i, text in enumerate(functions):
        holding = [chunk for _, chunk in found if f"def step_{i}(" in chunk]
        assert len(holding) == 1
        if len(text) <= MAX_CHARS:
            assert text.rstrip() in holding[0]


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=5, max_size=12))
def test_a_big_class_is_cut_at_its_members(sizes: list[int]) -> None:
    methods = [function(f"step_{i}", lines, "    ") for i, lines in enumerate(sizes)]
    source = "class Big:\n" + "\n".join(methods)
    found = texts(source)
    if len(source) <= MAX_CHARS:
        assert [owner for owner, _ in found] == ["Big"]
        return
    for i, text in enumerate(methods):
        (holding,) = [(owner, chunk) for owner, chunk in found if f"def step_{i}(" in chunk]
        assert text.rstrip() in holding[1]
        assert holding[0] in (f"Big.step_{i}", "Big")
        if len(text) > MERGE_CHARS:
            assert holding[0] == f"Big.step_{i}"


def test_comments_and_decorators_go_with_the_definition_below() -> None:
    source = function("first", 20) + "\n# About the second.\n@cached\n" + function("second", 20)
    (_, first), (owner, second) = texts(source)
    assert "About" not in first
    assert owner == "second" and second.startswith("# About the second.\n@cached\ndef second")


def test_tiny_neighbours_are_joined_under_their_scope() -> None:
    source = "class A:\n" + "".join(f"    def get_{i}(self):\n        return {i}\n\n" for i in range(60))
    found = texts(source)
    assert len(source) > MAX_CHARS
    assert all(owner == "A" and len(text) <= MERGE_CHARS for owner, text in found)
    assert len(found) < 8


def test_what_has_no_members_is_cut_at_blank_lines() -> None:
    paragraph = "word " * 12 + "\n"
    found = plan((paragraph * 10 + "\n") * 6)
    assert len(found) > 1
    assert all((last + 1) % 11 == 10 for _, last, _ in found)


def test_a_long_line_is_a_chunk_of_its_own() -> None:
    assert plan("a\n" + "x" * 5_000 + "\nb\n") == [(0, 0, -1), (1, 1, -1), (2, 2, -1)]


def test_nothing_comes_of_blank_content() -> None:
    assert plan("") == plan("\n \n\t\n") == []
