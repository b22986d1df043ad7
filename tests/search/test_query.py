"""What a query is understood to ask for."""

from __future__ import annotations

import pytest

from clew.errors import BadInput
from clew.search.query import FADE, MAX_QUERY_CHARS, MAX_TERMS, parse_query


@pytest.mark.parametrize(
    ("text", "terms", "identifiers"),
    [
        ("parse", ("pars",), ("parse",)),
        ("how is the index built", ("index", "built"), ()),
        ("parseQuery", ("pars", "queri", "parsequery"), ("parseQuery",)),
        ("parse_query", ("pars", "queri", "parse_query"), ("parse_query",)),
        ("where is Engine.search called", ("engin", "search", "call"), ("Engine.search",)),
        ("std::vector", ("std", "vector"), ("std::vector",)),
        ("HTTPServer start", ("http", "server", "httpserver", "start"), ("HTTPServer",)),
        ("what is it", ("what", "is", "it"), ()),  # nothing but stop words: they count
        ("!!! ???", (), ()),
        ("naïve", ("naïv",), ()),
    ],
)
def test_terms_and_identifiers(text: str, terms: tuple[str, ...], identifiers: tuple[str, ...]) -> None:
    query = parse_query(text)
    assert set(terms) <= set(query.terms) and (query.identifiers == identifiers or not identifiers)
    assert bool(query.terms) is bool(terms)


def test_a_question_begins_with_what_it_is_about() -> None:
    query = parse_query("how are OpenAPI schemas built in the router, with schemas of models")
    assert query.words == ("OpenAPI", "schemas", "built", "router", "schemas", "models")
    expected = [1 / (1 + FADE * place) for place in (0, 1, 2, 5, 1, 9)]  # empty words make the next ones later
    assert list(query.weights) == pytest.approx(expected)
    assert query.count("open") == query.count("api") == query.count("openapi") == 1
    assert query.count("elsewhere") == 1


def test_the_limits_of_a_query() -> None:
    for empty in ("", " ", "\n\t"):
        with pytest.raises(BadInput, match="empty"):
            parse_query(empty)
    with pytest.raises(BadInput, match=str(MAX_QUERY_CHARS)):
        parse_query("x" * (MAX_QUERY_CHARS + 1))
    many = parse_query(" ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(200)))
    assert len(many.terms) == MAX_TERMS
    assert parse_query("\ud800 alpha").terms == ("alpha",) or "alpha" in parse_query("\ud800 alpha").terms
    assert parse_query("same same SAME").terms == ("same",)
