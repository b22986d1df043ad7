"""Loads a language's grammar and query once per process, on first use."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from operator import attrgetter
from typing import Any

from clew.parse.languages import Language

MATCH_LIMIT = 65_536  # bounds the memory of one query run on hostile input
_UNORDERED = frozenset({"ref", "type", "call"})  # many, and `collect_uses` puts them in order
_START, _END = attrgetter("start_byte"), attrgetter("end_byte")


class Grammar:
    """A parser and the compiled query of one language."""

    def __init__(self, language: Language) -> None:
        import tree_sitter

        assert language.grammar is not None
        module, function = language.grammar.split(":")
        binding = getattr(importlib.import_module(module), function)()
        self._language = tree_sitter.Language(binding)
        self._parser = tree_sitter.Parser(self._language)
        source = query_source(language.query)
        self.query = tree_sitter.Query(self._language, source)
        self.has_scopes = "-- scopes" in source  # else a variable could not be told from a definition of its name
        self._cursor_type = tree_sitter.QueryCursor

    def parse(self, content: bytes) -> Any:
        """The root node of a blob's syntax tree; broken source gives a tree with errors in it."""
        return self._parser.parse(content).root_node

    def captures(self, root: Any) -> dict[str, list[Any]]:
        """All captures of the language's query below `root`, by capture name, in order of place.

        The binding gives them in an order that depends on where in memory they are: facts must not."""
        cursor = self._cursor_type(self.query, match_limit=MATCH_LIMIT)
        found: dict[str, list[Any]] = cursor.captures(root)
        for name, nodes in found.items():
            if name not in _UNORDERED:
                nodes.sort(key=_END)  # both in turn: pairs of them take twice as long to make and compare
                nodes.sort(key=_START)
        return found


def load(language: Language) -> Grammar | None:
    """The grammar of a language, or None for languages that are read as plain text."""
    return _load(language) if language.grammar else None


@cache
def _load(language: Language) -> Grammar:
    return Grammar(language)


def query_source(names: str) -> str:
    """The text of `queries/NAME.scm`, of several if there are spaces between their names."""
    texts = []
    for name in names.split():
        text = pkgutil.get_data("clew.parse", f"queries/{name}.scm")
        assert text is not None, "whoever loaded this module can read the files beside it"
        texts.append(text.decode())
    return "\n".join(texts)
