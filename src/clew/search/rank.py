"""From scored chunks to an order: definitions and file names first, tests last. Every constant has its reason.

Scores are relative to the best chunk of the query, so the weights below read as shares of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew import tokens
from clew.search.query import Query
from clew.search.score import Bm25

DEFINITION = 0.7  # the definition of a name that the query spells out
DEFINITION_OTHER_CASE = 0.4  # the same in another case
FILE_NAME = 0.5  # every telling word of the file's name is in the query
TEST_FILE = -0.3  # tests repeat what they test, more often than the code says it
SAME_FILE_DECAY = 0.85  # each further hit of a file, so that one file does not fill the page

_STEM_LETTERS = 3  # what a stem and its word have in common at the least

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|testing|spec|specs|__tests__|testdata|fixtures)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.[^/]*$"
    r"|(?:^|/)conftest\.py$|Tests?\.\w+$"
)
_ASKS_FOR_TESTS = frozenset({"test", "spec", "mock", "fixtur"})


def file_feature(path: str, query: Query, bm25: Bm25) -> float:
    """What a file's path adds to all its chunks."""
    value = FILE_NAME * _name_match(path, query, bm25)
    if _TEST_PATH.search(path) and not _ASKS_FOR_TESTS.intersection(query.terms):
        value += TEST_FILE
    return value


def definition_feature(name: str, wanted: str) -> float:
    """What being the definition of a queried identifier adds."""
    return DEFINITION if name == wanted else DEFINITION_OTHER_CASE if name.lower() == wanted.lower() else 0.0


def _name_match(path: str, query: Query, bm25: Bm25) -> float:
    """The share of the file name's words, by weight, that the query has."""
    stem = path.rpartition("/")[2].partition(".")[0]
    if stem in ("__init__", "index", "mod", "lib", "main"):
        stem = path.rpartition("/")[0].rpartition("/")[2]
    low = stem.lower()
    if not any(term[:_STEM_LETTERS] in low for term in query.terms):  # cheap, and says no to nearly all files
        return 0.0
    words = {term for part in tokens.parts_of(stem) for term in tokens.terms_of(part)}
    wanted = set(query.terms)
    if not words & wanted:
        return 0.0
    weights = {word: bm25.weight(word) or 1.0 for word in words}
    return sum(weights[word] for word in words & wanted) / sum(weights.values())


def order(scored: Sequence[tuple[float, str, int]]) -> list[tuple[float, str, int]]:
    """Sort (score, path, chunk) best first, the later hits of one file discounted; ties by path and place."""
    seen: dict[str, int] = {}
    discounted = []
    for score, path, chunk in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
        rank = seen[path] = seen.get(path, -1) + 1
        discounted.append((score * SAME_FILE_DECAY**rank if score > 0 else score, path, chunk))
    return sorted(discounted, key=lambda item: (-item[0], item[1], item[2]))
