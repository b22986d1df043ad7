"""The tokeniser: identifiers into parts, wholes and stems."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew import tokens

pytestmark = pytest.mark.usefixtures("either_way")


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
        ("Größe", ["größe"]),
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
def test_a_text_has_the_terms_of_its_words(text: str) -> None:
    naive = [term for word in tokens.words(text) for term in tokens.terms_of(word)]
    assert tokens.text_terms(text.encode()) == tokens.document_terms("", text.encode()) == naive


def test_a_document_is_headed_by_its_scope() -> None:
    assert tokens.document_terms("Cart.add", b"total") == ["cart", "add", "total"]


@given(st.binary(max_size=200))
def test_any_bytes_can_be_packed(text: bytes) -> None:
    terms = tokens.text_terms(text)
    hashes, freqs = tokens.pack_text(text)
    counts = Counter(terms)
    assert all(terms)
    assert hashes == b"".join(map(tokens.term_hash, counts)) and list(freqs) == list(counts.values())
    assert tokens.pack_document("Cart.add", text) == (
        len(terms) + 2, *tokens.pack_terms(["cart", "add", *terms])
    )  # fmt: skip


def test_frequencies_stop_at_255() -> None:
    assert tokens.pack_terms(["a"] * 1_000 + ["b"])[1] == bytes([255, 1])
    assert tokens.pack_document("", b"a " * 1_000 + b"b")[::2] == (1_001, bytes([255, 1]))


def test_terms_that_share_a_hash_are_one() -> None:
    one, other = "plumless", "buckeroo"  # the best known pair of words with one checksum
    assert tokens.term_hash(one) == tokens.term_hash(other)
    assert tokens.pack_terms([one, other, one])[1] == bytes([3])


@given(st.text(max_size=40))
def test_terms_of_are_distinct_and_lower_case(word: str) -> None:
    terms = tokens.terms_of(word)
    assert len(set(terms)) == len(terms)
    assert all(term == term.lower() for term in terms)


def test_a_term_hash_is_the_same_on_every_machine() -> None:
    assert tokens.term_hash("server") == bytes.fromhex("f6d56d5a")


def test_letters_beyond_ascii_stay_in_their_word() -> None:
    assert tokens.terms_of("naïve") == ("naïv",)
    assert tokens.terms_of("get_größe") == ("get", "größe", "get_größe")
    assert tokens.terms_of("load用户名")[:1] == ("load",)
    assert {"用户", "户名"} <= set(tokens.terms_of("load用户名"))
