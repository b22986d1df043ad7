"""What a query asks for: its terms, and which of its words name something in code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew import tokens
from clew.errors import BadInput

MAX_QUERY_CHARS = 2_000
MAX_TERMS = 64
_STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from get gets had has have how i if in into is it "
    "its me of on or our should so that the their them then there these they this to use used using was we were what "
    "when where which while who why will with would you your".split()
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$~][\w$]*)*")
_LOOKS_LIKE_CODE = re.compile(r"_|::|\.|#|->|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")


@dataclass(frozen=True, slots=True)
class Query:
    """A query understood: `terms` to look up, `identifiers` that may be definitions."""

    text: str
    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    words: tuple[str, ...]


def parse_query(text: str) -> Query:
    """Understand a query; an empty or endless one is a `BadInput`."""
    text = text.strip()
    if not text:
        raise BadInput("the query is empty; say what to look for")
    if len(text) > MAX_QUERY_CHARS:
        raise BadInput(f"the query has {len(text)} characters, more than {MAX_QUERY_CHARS}; shorten it")
    words = tokens.words(text)
    content = [word for word in words if word.lower() not in _STOP_WORDS] or words
    terms = list(dict.fromkeys(term for word in content for term in tokens.terms_of(word)))
    found = _IDENTIFIER.findall(text)
    identifiers = [name for name in found if len(found) == 1 or _LOOKS_LIKE_CODE.search(name)]
    return Query(text, tuple(terms[:MAX_TERMS]), tuple(dict.fromkeys(identifiers)), tuple(content))
