"""Each language's sample against its golden, and what holds for every sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.parse import grammars
from clew.parse.extract import extract
from clew.parse.languages import LANGUAGES
from clew.parse.uses import ROLES, unpack_uses
from clew.types import Facts

SAMPLES = Path(__file__).parent / "samples"
GOLDENS = sorted(path.stem for path in SAMPLES.glob("*.json"))


def read(language: str) -> tuple[bytes, Facts, dict[str, Any]]:
    (sample,) = (path for path in SAMPLES.glob(f"{language}.*") if path.suffix != ".json")
    content = sample.read_bytes()
    return content, extract(content, language), json.loads((SAMPLES / f"{language}.json").read_text("utf-8"))


@pytest.mark.parametrize("language", GOLDENS)
def test_sample_gives_its_golden(language: str) -> None:
    content, facts, golden = read(language)
    symbols = [[s.kind, s.qualified, s.start_line, s.end_line] for s in facts.symbols]
    assert symbols == golden["symbols"]
    assert [[i.module, i.name, i.alias] for i in facts.imports] == golden["imports"]
    calls = {content[u.start_byte : u.end_byte].decode() for u in unpack_uses(facts.uses) if u.role == "call"}
    assert sorted(calls) == golden["calls"]
    docs = {s.qualified: s.doc for s in reversed(facts.symbols) if s.qualified in golden["docs"]}
    assert docs == golden["docs"]


@pytest.mark.parametrize("language", GOLDENS)
def test_captures_come_in_order_of_place(language: str) -> None:
    content, _, _ = read(language)
    grammar = grammars.load(LANGUAGES[language])
    assert grammar is not None
    for name, nodes in grammar.captures(grammar.parse(content)).items():
        places = [(node.start_byte, node.end_byte) for node in nodes]
        assert places == sorted(places) or name in ROLES, name


@pytest.mark.parametrize("language", GOLDENS)
def test_facts_do_not_depend_on_memory(language: str) -> None:
    content, facts, _ = read(language)
    for size in range(4):
        kept = [bytes(1000 + size) for _ in range(100 * size)]  # what is allocated next lies elsewhere
        assert extract(content, language) == facts, len(kept)


@pytest.mark.parametrize("language", GOLDENS)
def test_symbols_stand_where_they_say_and_within_their_parents(language: str) -> None:
    content, facts, _ = read(language)
    for symbol in facts.symbols:
        assert content[symbol.name_byte :].startswith(symbol.name.encode()), symbol
        assert symbol.start_byte <= symbol.name_byte < symbol.end_byte, symbol
        if symbol.parent >= 0:
            parent = facts.symbols[symbol.parent]
            assert parent.start_byte <= symbol.start_byte and symbol.end_byte <= parent.end_byte, symbol
            assert symbol.qualified.startswith(parent.qualified + "."), symbol


@pytest.mark.parametrize("language", GOLDENS)
def test_chunks_are_disjoint_ordered_and_cover_what_is_not_blank(language: str) -> None:
    content, facts, _ = read(language)
    covered: list[int] = []
    for chunk in facts.chunks:
        assert content[chunk.start_byte : chunk.end_byte].strip()
        covered += range(chunk.start_line, chunk.end_line + 1)
    assert covered == sorted(set(covered))
    lines = content.split(b"\n")
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(covered)
