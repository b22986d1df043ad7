"""Names that a query spells out and that nothing in the index has. Main call: `unknown_names`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import apsw

from clew import tokens
from clew.search.phrases import blobs_with
from clew.search.query import Query
from clew.search.view import View
from clew.store import snapshots
from clew.store.store import Store

_WORD = re.compile(r"\w+")  # a word of a query may have quotes or arrows of other scripts beside it


def unknown_names(query: Query, states: Sequence[tuple[Store, apsw.Connection, View]]) -> tuple[str, ...]:
    """Such names; or all words of the query, if nothing has any of them."""

    def is_known(name: str) -> bool:
        return any(_has(*state, name) for state in states)

    told = (*query.asked.quoted, *query.asked.must)
    names = [name for name in query.identifiers if not any(name in text for text in told)]
    unknown = tuple(name for name in (*query.asked.quoted, *names) if not is_known(name))
    words = tuple(word for text in query.words for word in _WORD.findall(text))
    return unknown or (() if told or any(map(is_known, words)) else words)


def _has(store: Store, connection: apsw.Connection, view: View, name: str) -> bool:
    """Whether anything is called so, in any case: its words, or else the very text, in a content or a path."""
    whole = [terms[-1] for word in tokens.words(name) if (terms := tokens.terms_of(word))]
    if whole and all(map(view.has, whole)):
        return True
    if view.paths.has(name.lower()) or blobs_with(store, connection, view.snapshot, name):
        return True
    others = snapshots.paths_without_facts(connection, view.snapshot.id)
    return any(name.lower() in path.lower() for path in others)
