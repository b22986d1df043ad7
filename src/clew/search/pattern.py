"""What an exact search looks for: a literal or a regular expression under ripgrep's contract.

RE2 judges, so a question takes time in proportion to what it reads, whatever the expression. Main call:
`compile_pattern`.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from clew.errors import BadInput
from clew.search import required, spell, syntax
from clew.search.sieve import Sieve, make_sieve
from clew.search.syntax import Char, Choice, Look, Node, Repeat, Row

MAX_PATTERN_CHARS = 10_000
_FEW_CHARACTERS = 50  # of an expression, all repetitions written out: of any class, so many fit into every program
_KEPT = 64  # compiled patterns; most take far less than they may


class TextQuery(NamedTuple):
    """What to look for, as the user wrote it; the defaults are ripgrep's."""

    text: str
    regex: bool = True
    case_sensitive: bool = True
    whole_word: bool = False
    multiline: bool = False


class Pattern:
    """A compiled question. `needles`: groups of texts; every matching line, or its lower-case form if `lowered`,
    has one of each group. `scan`, `plain`, `loose` and `marked` are RE2's; see `spell`."""

    def __init__(self, query: TextQuery, tree: Node) -> None:
        self._tree = tree
        self.is_multiline, self.whole_word = query.multiline, query.whole_word
        self.needs, self.needles, self.lowered = required.analyse(tree)
        self.has_words = _has_words(tree)  # `\b` or `\B`, which `scan` judges rightly in ASCII only
        self.has_prefix = not query.whole_word and _begins_with_text(tree)  # RE2 looks for that sooner than we could
        self.literal: re.Pattern[bytes] | None = None  # the needle and the rest of its line, if that is all there is
        text = _text_of(tree)
        if text is not None:
            needle = text.lower() if self.lowered else text
            self.needles = ((needle,),)
            self.literal = None if query.multiline else re.compile(re.escape(needle) + rb"[^\n]*")
        self.group = int(query.whole_word)  # of `scan`, which is the match
        if _characters(tree) > _FEW_CHARACTERS and self.literal is None:
            _ = self.scan  # what is too large is refused before anything is read

    @cached_property
    def scan(self) -> Any:
        """It takes as long to make as a search takes, and only contents with more than ASCII need it."""
        return spell.scanning(self._tree, whole_word=self.whole_word, multiline=self.is_multiline)

    @cached_property
    def plain(self) -> Any:
        """The same for contents of ASCII alone."""
        return spell.plain(self._tree, whole_word=self.whole_word, multiline=self.is_multiline)

    @cached_property
    def sieve(self) -> Sieve | None:
        """What finds where it may match; a text as it is is found as fast without. To make one takes as long as to
        search half a megabyte, so that is left to who has more to search."""
        is_plain = self.literal is not None and not self.lowered
        return None if is_plain else make_sieve(self._tree, multiline=self.is_multiline)

    @cached_property
    def loose(self) -> Any:
        return spell.loose(self._tree, multiline=self.is_multiline) if self.has_words or self.whole_word else self.scan

    @cached_property
    def alone(self) -> Any:
        """`scan` without the rest of the line."""
        return spell.scanning(self._tree, whole_word=self.whole_word, multiline=True)

    @cached_property
    def marked(self) -> Any:
        return spell.marking(self._tree, whole_word=self.whole_word, multiline=self.is_multiline)


@lru_cache(maxsize=_KEPT)
def compile_pattern(query: TextQuery) -> Pattern:
    """The pattern; one that cannot be read is a `BadInput` that says where."""
    text, regex, case_sensitive, _, multiline = query
    if not text:
        raise BadInput("the pattern is empty; give a text to look for")
    if len(text) > MAX_PATTERN_CHARS:
        raise BadInput(f"the pattern has {len(text)} characters, more than {MAX_PATTERN_CHARS}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("the pattern is no valid Unicode text") from error
    read = syntax.parse if regex else syntax.literal
    tree = read(text, any_case=not case_sensitive, multiline=multiline)
    return Pattern(query, tree)


def _text_of(tree: Node) -> bytes | None:
    """The text that a pattern is, if it is one; in any case only where that is ASCII's alone."""
    chars = tree.parts if isinstance(tree, Row) else (tree,)
    if not chars or not all(isinstance(char, Char) for char in chars):
        return None
    text = "".join(chr(char.code) for char in chars if isinstance(char, Char))
    cases = {char.any_case for char in chars if isinstance(char, Char)}
    return text.encode() if cases == {False} or (cases == {True} and text.isascii()) else None


def _begins_with_text(tree: Node) -> bool:
    """Whether every match begins with the same two characters at least."""
    first = tree.parts[:2] if isinstance(tree, Row) else ()
    return len(first) == 2 and all(isinstance(part, Char) and not part.any_case for part in first)


def _characters(node: Node) -> int:
    """How many characters an expression has at the most, written out; of what may go on, at the least."""
    if isinstance(node, Row | Choice):
        return sum(map(_characters, node.parts))
    if isinstance(node, Repeat):
        return _characters(node.part) * max(node.least, node.most or 1)
    return 0 if isinstance(node, Look) else 1


def _has_words(node: Node) -> bool:
    if isinstance(node, Look):
        return node.at in (r"\b", r"\B")
    if isinstance(node, Row | Choice):
        return any(map(_has_words, node.parts))
    return isinstance(node, Repeat) and _has_words(node.part)
