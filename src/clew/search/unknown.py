"""Names that a query spells out and that nothing in the index has. Main call: `unknown_names`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew import tokens
from clew.search.phrases import blobs_with
from clew.search.query import Query
from clew.search.view import View
from clew.store import snapshots

if TYPE_CHECKING:
    from clew.search.find import Source


def unknown_names(query: Query, sources: Sequence[Source], views: Sequence[View]) -> tuple[str, ...]:
    """Such names; or all words of the query, if nothing has any of them."""

    def is_known(name: str) -> bool:
        return any(_has(source, view, name) for source, view in zip(sources, views, strict=True))

    told = " ".join((*query.asked.quoted, *query.asked.must))  # whoever quotes is told by the hits what has it
    names = tuple(name for name in query.identifiers if name not in told and not is_known(name))
    return names or (() if told or any(map(is_known, query.words)) else query.words)


def _has(source: Source, view: View, name: str) -> bool:
    """Whether anything is called so, in any case: its words, or else the very text, in a content or a path."""
    whole = [terms[-1] for word in tokens.words(name) if (terms := tokens.terms_of(word))]
    if whole and all(view.facts_with([term]) for term in whole):
        return True
    if snapshots.has_path_with(source.connection, source.snapshot.id, name):
        return True
    return bool(blobs_with(source.store, source.connection, source.snapshot, name))
