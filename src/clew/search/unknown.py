"""Names that a query spells out and that nothing in the index has. Main call: `unknown_names`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import apsw

from clew import tokens
from clew.search.phrases import blobs_with
from clew.search.query import Query
from clew.search.view import View
from clew.store import snapshots
from clew.store.store import Store

_WORD = re.compile(r"\w+")  # a word of a query may have quotes or arrows of other scripts beside it


def unknown_names(
    query: Query, states: Sequence[tuple[Store, apsw.Connection, View]], quoted: Collection[str]
) -> tuple[str, ...]:
    """Such names, and what the query quotes but is not among the texts that were found, `quoted`; or all words of the
    query, if nothing has any of them."""

    def is_known(name: str) -> bool:
        return any(_has(*state, name) for state in states)

    told = (*query.asked.quoted, *query.asked.must)
    names = [name for name in query.identifiers if not any(name in text for text in told)]
    unknown = tuple(text for text in query.asked.quoted if text not in quoted and not _is_path(states, text))
    unknown += tuple(name for name in names if not is_known(name))
    words = tuple(word for text in query.words for word in _WORD.findall(text) or [text])
    return unknown or (() if told or any(map(is_known, words)) else words)


def _has(store: Store, connection: apsw.Connection, view: View, name: str) -> bool:
    """Whether anything is called so, in any case: its words, or else the very text, in a content or a path."""
    whole = [terms[-1] for word in tokens.words(name) if (terms := tokens.terms_of(word))]
    if whole and all(map(view.has, whole)):
        return True
    return _is_path([(store, connection, view)], name) or bool(blobs_with(store, connection, view.snapshot, name))


def _is_path(states: Sequence[tuple[Store, apsw.Connection, View]], name: str) -> bool:
    """Whether a path has it, be it of a file whose text nobody reads."""
    name = name.lower()
    return any(
        view.paths.has(name)
        or any(name in path.lower() for path in snapshots.paths_without_facts(connection, view.snapshot.id))
        for _, connection, view in states
    )
