"""The tokeniser: identifiers into parts, wholes and stems."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import tokens


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseQueryString", ["parse", "query", "string"]),
        ("parse_query_string", ["parse", "query", "string"]),
        ("HTTPServer", ["http", "server"]),
        ("getHTTPResponseCode", ["get", "http", "response", "code"]),
        ("utf8Decode", ["utf", "8", "decode"]),
        ("MAX_SIZE", ["max", "size"]),
        ("__init__", ["init"]),
        ("Größe", ["gr", "öß", "e"]),
        ("X", ["x"]),
    ],
)
def test_parts(word: str, parts: list[str]) -> None:
    assert tokens.parts_of(word) == parts


def test_the_whole_identifier_is_kept_beside_its_parts() -> None:
    assert tokens.terms_of("parseQueryString") == ("pars", "queri", "string", "parsequerystring")
    assert tokens.terms_of("HTTPServer") == ("http", "server", "httpserver")
    assert tokens.terms_of("sha256") == ("sha", "256", "sha256")
    assert tokens.terms_of("__init__") == ("init", "__init__")


def test_a_single_part_is_one_term() -> None:
    assert tokens.terms_of("server") == tokens.terms_of("Server") == tokens.terms_of("SERVER") == ("server",)
    assert tokens.terms_of("42") == ("42",)


def test_forms_of_a_word_share_a_stem_and_short_words_have_none() -> None:
    assert tokens.terms_of("indexing") == tokens.terms_of("indexed") == tokens.terms_of("index")
    assert tokens.terms_of("was") == ("was",)


def test_scripts_without_spaces_give_pairs_of_characters() -> None:
    assert tokens.terms_of("検索機能") == ("検索", "索機", "機能")
    assert tokens.terms_of("字") == ("字",)
    assert "検索" in tokens.terms_of("find検索")


def test_data_is_no_word() -> None:
    assert tokens.terms_of("a" * 129) == ()
    assert tokens.terms_of("a" * 128) != ()
    assert tokens.terms_of("a1" * 20) == ("a1" * 20,)
    assert tokens.terms_of("___") == ()


WORDS = st.text(st.sampled_from("abzABZ019_é漢字ß -.(\n"), max_size=60)


@given(WORDS)
def test_counting_equals_the_sum_over_words(text: str) -> None:
    naive: Counter[str] = Counter()
    for word in tokens.words(text):
        naive.update(tokens.terms_of(word))
    assert tokens.count_terms(text.encode()) == dict(naive)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_counted_packed_and_spelled(text: bytes) -> None:
    counts = tokens.count_terms(text)
    assert all(term and n > 0 for term, n in counts.items())
    terms, freqs = tokens.pack_terms(counts)
    assert len(terms) == 4 * len(counts) and len(freqs) == len(counts)
    assert Counter(tokens.spell_out(counts).split(" ")) == Counter(counts or {"": 1})


@given(st.text(max_size=40))
def test_terms_of_are_distinct_and_lower_case(word: str) -> None:
    terms = tokens.terms_of(word)
    assert len(set(terms)) == len(terms)
    assert all(term == term.lower() for term in terms)


def test_a_term_hash_is_the_same_on_every_machine() -> None:
    assert tokens.term_hash("server") == bytes.fromhex("f6d56d5a")
