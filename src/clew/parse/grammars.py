"""Loads a language's grammar and query once per process, on first use."""

from __future__ import annotations

import importlib
import time
from functools import cache
from importlib import resources
from typing import Any

from clew.parse.languages import Language

MATCH_LIMIT = 65_536  # bounds the memory of one query run on hostile input
# Error recovery is quadratic: 200 KB of `1,2,3,` read as C would take minutes. Processor time, so that a busy
# machine gives the same facts.
PARSE_LIMIT_S, PARSE_LIMIT_S_PER_MB = 2.0, 2.0
_UNWATCHED_BYTES = 8_192  # too small to take long
_READ_BYTES = 1_024  # the clock is looked at this often


class Grammar:
    """A parser and the compiled query of one language."""

    def __init__(self, language: Language) -> None:
        import tree_sitter

        assert language.grammar is not None
        module, function = language.grammar.split(":")
        binding = getattr(importlib.import_module(module), function)()
        self._language = tree_sitter.Language(binding)
        self.parser = tree_sitter.Parser(self._language)
        source = query_source(language.query)
        self.query = tree_sitter.Query(self._language, source)
        self._reads_text = "(#" in source  # its predicates need a tree that knows its text
        self._cursor_type = tree_sitter.QueryCursor

    def parse(self, content: bytes) -> Any:
        """The root node, or None if parsing takes too long."""
        if len(content) <= _UNWATCHED_BYTES:
            return self.parser.parse(content).root_node
        deadline = time.thread_time() + PARSE_LIMIT_S + PARSE_LIMIT_S_PER_MB * len(content) / 1e6
        expired = False

        def read(offset: int, _point: object) -> bytes:
            nonlocal expired
            expired = expired or time.thread_time() > deadline
            return b"" if expired else content[offset : offset + _READ_BYTES]  # nothing: the end of the text

        tree = self.parser.parse(read)
        if expired:
            return None
        # Parsing again over the finished tree costs next to nothing.
        return (self.parser.parse(content, tree) if self._reads_text else tree).root_node

    def captures(self, root: Any) -> dict[str, list[Any]]:
        """All captures of the language's query below `root`, by capture name."""
        cursor = self._cursor_type(self.query, match_limit=MATCH_LIMIT)
        found: dict[str, list[Any]] = cursor.captures(root)
        return found


def load(language: Language) -> Grammar | None:
    """The grammar of a language, or None for languages that are read as plain text."""
    return _load(language) if language.grammar else None


@cache
def _load(language: Language) -> Grammar:
    return Grammar(language)


def query_source(name: str) -> str:
    """The text of `queries/NAME.scm`."""
    return resources.files("clew.parse").joinpath("queries", f"{name}.scm").read_text(encoding="utf-8")
