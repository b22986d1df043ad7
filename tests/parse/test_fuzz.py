"""No bytes break the extractor, in any language: it never raises, and its facts always fit its input."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.parse.extract import extract
from clew.parse.languages import LANGUAGES
from clew.parse.uses import unpack_uses
from clew.types import Facts

SAMPLES = Path(__file__).parent / "samples"
PARSED = sorted(name for name, language in LANGUAGES.items() if language.grammar)
SPLICES = [b"", b"\0", b"\r\n", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe6\xbc", b"/*"]
SPLICES += [bytes([byte]) for byte in b"(}\"'`#"]
DEEP = 10_000
HOSTILE = {
    "open": b"(" * DEEP,
    "closed": b"[" * DEEP + b"]" * DEEP,
    "braces": b"{" * DEEP + b"}" * DEEP,
    "keys": b'{"a":' * DEEP,
    "elements": b'<div id="a">' * DEEP,
    "nul": b"x = 1\0\0" * 500,
    "lone cr": b"# a\rx = 1\rdef f():\r" * 100,
    "bom": b"\xef\xbb\xbf# a\n\nx = 1\n",
    "invalid": b"\xff\xfe\x80" * 4_000,
    "latin-1": "x = 'é' # ü\n".encode("latin-1") * 1_000,
    "split characters": "x漢 = 'é字'\n".encode() * 1_000,
    "one line": b"a1" * 100_000,
    "one line of words": b"foo, " * 40_000,
    "blank": b"\n \n\t\n" * 2_000,
    "blank, wide": b" " * 200_000 + b"x",
}
relaxed = settings(
    max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def check(content: bytes, language: str) -> Facts:
    facts = extract(content, language)
    starts = [0, *(i + 1 for i, byte in enumerate(content) if byte == 10)]
    for ordinal, symbol in enumerate(facts.symbols):
        assert 0 <= symbol.start_byte <= symbol.name_byte < symbol.end_byte <= len(content), symbol
        assert starts[symbol.start_line - 1] <= symbol.start_byte and symbol.start_line <= symbol.end_line, symbol
        assert symbol.name and len(symbol.qualified) < 3_000
        whole = symbol.name.partition("�")[0].encode()
        assert content[symbol.name_byte :].startswith(whole), symbol
        if symbol.parent >= 0:
            parent = facts.symbols[symbol.parent]
            assert symbol.parent < ordinal
            assert parent.start_byte <= symbol.start_byte and symbol.end_byte <= parent.end_byte, (parent, symbol)
    covered: list[int] = []
    for chunk in facts.chunks:
        assert chunk.start_byte == starts[chunk.start_line - 1]
        assert -1 <= chunk.symbol < len(facts.symbols)
        covered += range(chunk.start_line, chunk.end_line + 1)
    assert all(a < b for a, b in pairwise(covered))
    assert {n for n, line in enumerate(content.split(b"\n"), 1) if line.strip()} <= set(covered)
    assert all(0 <= use.start_byte < len(content) for use in unpack_uses(facts.uses))
    assert all(0 <= row.start_byte < len(content) for row in facts.imports)
    return facts


@cache
def sample(language: str) -> bytes:
    stem = "typescript" if language == "tsx" else language
    return next((p.read_bytes() for p in SAMPLES.glob(f"{stem}.*") if p.suffix != ".json"), b"def f(x): return x\n")


@st.composite
def mutations(draw: st.DrawFn, content: bytes) -> bytes:
    """The content, cut off, with stretches deleted or doubled and odd bytes put in."""
    content = content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 60)))
        splice = draw(st.sampled_from([*SPLICES, content[start:end] * 2]))
        content = content[:start] + splice + content[end:]
    return content.replace(b"\n", draw(st.sampled_from([b"\n", b"\r\n", b"\r"])))


@pytest.mark.parametrize("language", PARSED)
def test_broken_source_gives_fitting_facts(language: str) -> None:
    @relaxed
    @given(st.one_of(st.binary(max_size=400), mutations(sample(language))))
    def holds(content: bytes) -> None:
        assert check(content, language) == extract(content, language)

    holds()


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - set(PARSED)))
def test_plain_languages_take_any_bytes(language: str) -> None:
    for content in HOSTILE.values():
        check(content, language)


@pytest.mark.parametrize("language", PARSED)
def test_hostile_input_gives_fitting_facts(language: str) -> None:
    for content in HOSTILE.values():
        check(content, language)


@pytest.mark.parametrize("language", ["c", "java", "scala"])
def test_bare_numbers_are_not_parsed(language: str) -> None:
    facts = check(b"0x1f, 20, 3,\n" * 15_000, language)
    assert facts.diagnostics == ("data",)
    assert not facts.symbols and facts.chunks


def test_numbers_with_a_name_are_parsed() -> None:
    facts = check(b"const int table[] = {\n" + b"0x1f, 20, 3,\n" * 15_000 + b"};\n", "c")
    assert [symbol.name for symbol in facts.symbols] == ["table"]


def test_a_predicate_that_meets_invalid_text_costs_no_facts() -> None:
    source = b"import Data.List (nub)\nimport\xff\xfe Control.Monad (forM)\n\nlimit :: Int\nlimit = 10\n"
    assert [symbol.name for symbol in check(source, "haskell").symbols][-1] == "limit"
