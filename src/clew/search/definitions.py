"""What a snapshot defines of the names that a query spells out. Main call: `definitions_of`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from clew import tokens
from clew.search import rank
from clew.search.paths import speaks_for_directory
from clew.search.query import Query
from clew.search.view import View
from clew.store import postings
from clew.store.facts import blob_of, content, language_of
from clew.store.segments import CHUNK_BITS

MAX_DEFINITIONS = 500  # of one name
MAX_QUALIFIED = 20_000  # the same, of which only those count that stand in the right class
MAX_IN_ANY_CASE = 2_000  # chunks that have a name in some case: what more have is a word like any other
FEW_FILES = 8  # that define a name: so many are read to tell which of them only declare it
_DECLARING = frozenset({"c", "cpp"})
_EXPORTING = {"rs": b"pub"} | dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"), b"export")


class Definition(NamedTuple):
    """A definition of such a name."""

    value: float  # what it is worth
    byte: int  # where it begins
    symbol: int | None  # None for what only hands the name on
    end: int = 0  # of a function, where it ends


def definitions_of(connection: apsw.Connection, view: View, query: Query) -> dict[int, tuple[Definition, ...]]:
    """What each facts defines of the names that the query spells out, the best first."""
    found: dict[int, list[Definition]] = {}
    for identifier in query.identifiers:
        values = _named(connection, view, identifier)
        share = rank.shared_among(len(values))
        for facts, several in values.items():
            found.setdefault(facts, []).extend(each._replace(value=each.value * share) for each in several)
    return {facts: tuple(sorted(several, key=lambda each: -each.value)) for facts, several in found.items()}


def _named(connection: apsw.Connection, view: View, identifier: str) -> dict[int, list[Definition]]:
    """The definitions of one name by their facts; of what nothing defines, where it is handed on."""
    parts, snapshot = tokens.split_qualified(identifier), view.snapshot.id
    values: dict[int, list[Definition]] = {}
    if not parts:
        return values
    name, most = parts[-1], MAX_DEFINITIONS if len(parts) == 1 else MAX_QUALIFIED

    def add(rows: Sequence[tuple[int, str, str, str, int, int]]) -> None:
        for symbol, kind, called, qualified, byte, end in rows:
            if _ends_with(qualified, parts):
                value = rank.definition_value(called, name, kind, qualified.count("."))
                found = Definition(value, byte, symbol, end if kind == "function" else 0)
                values.setdefault(symbol >> CHUNK_BITS, []).append(found)

    for spelling in dict.fromkeys((name, name.rstrip("?!"), name.lower(), name.capitalize())):
        add(postings.definitions(connection, snapshot, spelling, most))
    if not values:
        terms = dict.fromkeys((name.lower(), *tokens.terms_of(name)[-1:]))
        add(postings.definitions_in(connection, name, view.facts_with(terms, MAX_IN_ANY_CASE), most))
    if not values:
        for place, byte, path in postings.imports_named(connection, snapshot, name, MAX_DEFINITIONS):
            facts = place >> CHUNK_BITS
            if facts not in values and speaks_for_directory(path) and _hands_on(connection, facts, byte, path):
                values[facts] = [Definition(rank.REEXPORT, byte, None)]
    return _with_bodies_first(connection, values) if 1 < len(values) <= FEW_FILES else values


def _with_bodies_first(connection: apsw.Connection, values: dict[int, list[Definition]]) -> dict[int, list[Definition]]:
    """The same; a function that is only declared in some of the files, as C's headers do, is worth less there."""

    def is_declared(facts: int, found: Sequence[Definition]) -> bool:
        if not found[0].end or language_of(connection, facts) not in _DECLARING:
            return False
        text = content(connection, blob_of(connection, facts))
        return all(each.end and text[each.end - 1 : each.end] != b"}" for each in found)

    declared = {facts for facts, found in values.items() if is_declared(facts, found)}
    if len(declared) == len(values):
        return values
    return {
        facts: [each._replace(value=each.value * rank.DECLARED) for each in found] if facts in declared else found
        for facts, found in values.items()
    }


def _ends_with(qualified: str, parts: Sequence[str]) -> bool:
    """Whether a qualified name ends with these parts, in any case; what a language may add to a name does not count."""
    return f".{qualified}".rstrip("?!").lower().endswith(f".{'.'.join(parts)}".rstrip("?!").lower())


def _hands_on(connection: apsw.Connection, facts: int, byte: int, path: str) -> bool:
    """Whether others have from a file what it imports there: some languages say so, in others all have."""
    keyword = _EXPORTING.get(path.rpartition(".")[2])
    return keyword is None or content(connection, blob_of(connection, facts)).startswith(keyword, byte)
