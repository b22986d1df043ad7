"""The order of functions, whatever their files: what their own words, meaning and names say. Main call: `pool_of`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from clew import tokens
from clew.parse.symbols import FUNCTION_KINDS
from clew.search.best import greatest
from clew.search.definitions import Definition
from clew.search.query import Query
from clew.search.rank import Measured, Ranking, chunk_scores
from clew.search.view import View
from clew.store import postings
from clew.store.postings import Named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Defined = Mapping[int, tuple[Definition, ...]]

NAME, FILE = 0.6, 0.1  # what its name and its file add to what places the chunk
DEFINITION = 1.05  # the query is nothing but its name; in a sentence, a name may be that of another function
TOLD = 1.0  # what it counts for its file at the most that the query names it, or quotes what it has
LENGTH = 0.02  # times the logarithm of its lines: what says more is meant sooner than what hands on
OTHER_KIND, NO_KIND = -0.5, -0.4  # what is no function itself: the head of a class, loose lines
ONE_OF_SEVERAL = -0.15  # a small function that shares a chunk with others: what fits may be one of those
FUNCTION_POOL = 400  # functions that are put in order, and chunks whose names are looked at for them
MAX_NAMESAKES = 3  # definitions of one name in one file that are looked at for certain


class Function(NamedTuple):
    """A function in the order of functions."""

    value: float
    path: str
    source: int
    place: int  # of the chunk
    file: int  # its place
    symbol: int | None = None  # where the chunk has several


def pool_of(
    source: int,
    connection: apsw.Connection,
    measured: Measured,
    ranking: Ranking,
    kept: Any,
    defined: Defined,
    query: Query,
) -> list[Function]:
    """Chunks of the kept files with the functions that they are of. One of several small ones has all their scores,
    less a little."""
    import numpy as np

    view, scores = measured.view, _scores(measured, ranking)
    file_of = np.full(len(view.facts), -1, np.int64)
    file_of[view.document[kept[::-1]]] = kept[::-1]  # the first path of those that share a content
    places = np.flatnonzero(file_of[view.chunk_document] >= 0)
    fitting = places[greatest(scores[places], FUNCTION_POOL)[:FUNCTION_POOL]].tolist()
    asked_for = {each.symbol: each.value for found in defined.values() for each in found} if query.is_one_name else {}
    defining = [*_definition_places(connection, view, defined, file_of)] if asked_for else []
    best = [*dict.fromkeys((*(place for place, _ in defining), *fitting))]
    chunks = [int(view.chunks[place]) for place in best]
    owners = postings.owners(connection, chunks)
    shared = [chunk for chunk in chunks if chunk not in owners or owners[chunk].kind not in FUNCTION_KINDS]
    several = postings.functions_in(connection, shared, FUNCTION_KINDS)
    pool = []

    def add(place: int, value: float, symbol: int | None) -> None:
        file = int(file_of[view.chunk_document[place]])
        pool.append(Function(value + float(scores[place]), view.files[file].path, source, place, file, symbol))

    for place, chunk in zip(best, chunks, strict=True):
        for named in several.get(chunk, ()):
            add(place, _bonus(named, query, asked_for) + ONE_OF_SEVERAL, named.symbol)
        if chunk not in several:
            add(place, _bonus(owners.get(chunk), query, asked_for), None)
    named_so = postings.named(connection, [symbol for _, symbol in defining])
    for place, symbol in defining:  # those that stand in another function, too
        add(place, _bonus(named_so[symbol], query, asked_for) + ONE_OF_SEVERAL, symbol)
    return pool


def _scores(item: Measured, ranking: Ranking) -> Floats:
    """What places each chunk among the functions, but for its name."""
    import numpy as np

    scores, total = chunk_scores(item), ranking.total
    for name in {"path", "quoted"} & ranking.features.keys():
        total = total - np.maximum(ranking.features[name] - TOLD, 0)
    per_document = np.zeros(len(item.view.facts), np.float32)
    np.maximum.at(per_document, item.view.document, total)
    found: Floats = (scores + FILE * per_document[item.view.chunk_document]).astype(np.float32)
    return found


def _definition_places(
    connection: apsw.Connection, view: View, defined: Defined, file_of: Any
) -> Iterator[tuple[int, int]]:
    """Where the chunks stand that begin the definitions of names that the query spells out, and which these are."""
    for facts, several in islice(defined.items(), FUNCTION_POOL):
        document = int(view.facts.searchsorted(facts))
        if file_of[document] < 0:
            continue
        span = view.span(document)
        places = dict(zip(view.chunks[span].tolist(), range(span.start, span.stop), strict=True))
        for definition in several[:MAX_NAMESAKES]:
            chunk = postings.chunk_at(connection, facts, definition.byte)
            if chunk in places and definition.symbol is not None:
                yield places[chunk], definition.symbol


def _bonus(definition: Named | None, query: Query, asked_for: Mapping[int | None, float]) -> float:
    """What the name, the kind and the length of a definition add to its place; `asked_for` has what those are worth
    whose names the query spells out."""
    if definition is None:
        return NO_KIND
    worth = 0.0 if definition.kind in FUNCTION_KINDS else OTHER_KIND
    named = DEFINITION * asked_for.get(definition.symbol, 0.0)
    return NAME * name_overlap(definition.name, query) + named + LENGTH * log(definition.lines) + worth


def name_overlap(name: str, query: Query) -> float:
    """How much a definition's name and the query have in common, from 0 to 1."""
    words = {tokens.terms_of(part)[0] for part in tokens.parts_of(name) if tokens.terms_of(part)}
    asked = {tokens.terms_of(part)[0] for part in query.content if tokens.terms_of(part)}
    common = len(words & asked)
    return float(common / (len(words) * len(asked)) ** 0.5) if common else 0.0
