"""Loads a language's grammar and query once per process, on first use."""

from __future__ import annotations

import importlib
import time
from functools import cache
from importlib import resources
from typing import Any

from clew.parse.languages import Language

MATCH_LIMIT = 65_536  # bounds the memory of one query run on hostile input
# Error recovery is quadratic, and so is a query on a very deep tree: 200 KB of `1,2,3,` read as C would take
# minutes. Processor time, so that a busy machine gives the same facts.
LIMIT_S, LIMIT_S_PER_MB = 2.0, 2.0
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

    def run(self, content: bytes) -> tuple[dict[str, list[Any]], bool] | None:
        """All captures by name and whether the syntax is broken, or None if that takes too long."""
        clock = _Clock(content) if len(content) > _UNWATCHED_BYTES else None
        tree = self._parse(content, clock)
        if clock is not None and clock.expired:
            return None
        cursor = self._cursor_type(self.query, match_limit=MATCH_LIMIT)
        root = tree.root_node
        found = cursor.captures(root) if clock is None else cursor.captures(root, progress_callback=clock.stop)
        return None if clock is not None and clock.expired else (found, root.has_error)

    def _parse(self, content: bytes, clock: _Clock | None) -> Any:
        # The binding reads past a piece of text that ends in an invalid character.
        if clock is None or not _is_utf8(content):
            return self.parser.parse(content)
        tree = self.parser.parse(clock.read)
        # Parsing again over the finished tree costs next to nothing.
        return self.parser.parse(content, tree) if self._reads_text and not clock.expired else tree


class _Clock:
    """Ends a parse or a query that takes too long."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._deadline = time.thread_time() + LIMIT_S + LIMIT_S_PER_MB * len(content) / 1e6
        self.expired = False

    def read(self, offset: int, _point: object) -> bytes:
        """The next piece of the text; once the time is over nothing, which ends the text."""
        return b"" if self.stop() else self._content[offset : offset + _READ_BYTES]

    def stop(self, *_progress: object) -> bool:
        self.expired = self.expired or time.thread_time() > self._deadline
        return self.expired


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def load(language: Language) -> Grammar | None:
    """The grammar of a language, or None for languages that are read as plain text."""
    return _load(language) if language.grammar else None


@cache
def _load(language: Language) -> Grammar:
    return Grammar(language)


def query_source(name: str) -> str:
    """The text of `queries/NAME.scm`."""
    return resources.files("clew.parse").joinpath("queries", f"{name}.scm").read_text(encoding="utf-8")
