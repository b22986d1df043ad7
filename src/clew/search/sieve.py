"""Where an expression may match, found natively at gigabytes a second; what is found is judged elsewhere.

Hyperscan gets a wider expression of bytes: without conditions of no width, without whatever the ends may have more of,
and with any bytes beyond ASCII for characters beyond ASCII. Every match ends such a wider one within its own line, so
a content without any has no match. Where Hyperscan cannot read it, there is no sieve. Main call: `make_sieve`.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from clew.search import classes
from clew.search.classes import Chars
from clew.search.syntax import Char, Choice, Look, Node, Repeat, Row
from clew.store.grams import SAME_AS_ASCII

BYTES_FOR_A_PLACE = 500  # with more places than one for so many, RE2 reads on sooner than it begins anew in each line
MAX_TIMES = 32  # of a repetition that is asked for; of more than these, it is asked for so many
MAX_PLACES = 200  # characters of an expression, all repetitions written out: 1,000 may take a second to compile
_HIGH = r"\x80-\xff"  # the bytes of characters beyond ASCII
_NOTHING = r"[^\x00-\xff]"  # an empty set
_MOST_BYTES = 4  # of one character
_LINE_END = ord("\n")  # stands in no match, unless asked for
_BEYOND_IN_ANOTHER_CASE = frozenset(map(ord, "kKsS"))  # they equal a letter beyond ASCII


class Sieve:
    """Says where a match may end. Each thread that asks has its own room to work in."""

    def __init__(self, database: Any, scratch: Any) -> None:
        self._database, self._scratch = database, scratch
        self._local = threading.local()

    def ends_in_all(self, joined: bytes, bases: Sequence[int]) -> Iterator[tuple[int, list[int]]] | None:
        """The number of each content that has such places, with them, ascending; None where there are too many.

        `bases`: where each content stands among the joined."""
        import hyperscan

        scratch: Any = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = self._scratch.clone()
        most = len(joined) // BYTES_FOR_A_PLACE
        ends: list[int] = []

        def take(_id: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            ends.append(end)
            return len(ends) > most

        try:
            self._database.scan(joined, match_event_handler=take, scratch=scratch)
        except hyperscan.ScanTerminated:
            return None
        return _by_content(ends, bases)


def _by_content(ends: list[int], bases: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    for number, group in groupby(ends, key=lambda end: bisect_left(bases, end) - 1):
        base = bases[number]
        yield number, [end - base for end in group]


def make_sieve(tree: Node, *, multiline: bool) -> Sieve | None:
    """What finds where an expression may match; None where everything may, or Hyperscan refuses."""
    trimmed = _trimmed(_trimmed(tree, -1), 0)
    if _is_empty(trimmed) or _places(trimmed) > MAX_PLACES:
        return None
    try:
        import hyperscan
    except ImportError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(expressions=[_spell(trimmed, multiline).encode()], ids=[0], elements=1, flags=[0])
        return Sieve(database, hyperscan.Scratch(database))
    except hyperscan.HyperscanError:
        return None  # such as too large an expression


def _trimmed(node: Node, end: int) -> Node:
    """The expression with no more at one end (0 or -1) than every match has."""
    if isinstance(node, Row):
        parts = list(node.parts)
        while parts:
            parts[end] = _trimmed(parts[end], end)
            if not isinstance(parts[end], Look) and parts[end] != Row(()):
                break
            del parts[end]
        return Row(tuple(parts))
    if isinstance(node, Choice):
        return Choice(tuple(_trimmed(part, end) for part in node.parts))
    if isinstance(node, Repeat):
        return Row(()) if node.least == 0 else node._replace(most=node.least)
    return Row(()) if isinstance(node, Look) else node


def _is_empty(node: Node) -> bool:
    """Whether nothing at all matches an expression, too."""
    if isinstance(node, Row):
        return all(map(_is_empty, node.parts))
    if isinstance(node, Choice):
        return any(map(_is_empty, node.parts))
    if isinstance(node, Repeat):
        return node.least == 0 or _is_empty(node.part)
    return isinstance(node, Look)


def _places(node: Node) -> int:
    """How many characters the expression has, written out."""
    if isinstance(node, Row | Choice):
        return sum(map(_places, node.parts))
    if isinstance(node, Repeat):
        return _places(node.part) * min(max(node.least, node.most or 1), MAX_TIMES)
    return 0 if isinstance(node, Look) else 1


def _spell(node: Node, multiline: bool) -> str:
    if isinstance(node, Char):
        return _spell_char(node)
    if isinstance(node, Chars):
        one, has_more = _class(node, multiline)
        return f"{one}[{_HIGH}]{{0,3}}" if has_more else one
    if isinstance(node, Row | Choice):
        parts = [_spell(part, multiline) for part in node.parts]
        return "".join(parts) if isinstance(node, Row) else f"(?:{'|'.join(parts)})"
    if isinstance(node, Repeat):
        return _spell_repeat(node, multiline)
    return ""  # of no width


def _spell_char(char: Char) -> str:
    text = chr(char.code)
    if not char.any_case:
        spellings = {text.encode()}
    elif text.isascii():
        plain = text.lower().encode()
        spellings = {plain, plain.upper(), *(letter for letter, same in SAME_AS_ASCII if same == plain)}
    else:
        spellings = {chr(code).encode() for code in classes.cases_of(char.code)}
    spelled = ["".join(rf"\x{byte:02x}" for byte in spelling) for spelling in sorted(spellings)]
    return spelled[0] if len(spelled) == 1 else f"(?:{'|'.join(spelled)})"


def _spell_repeat(node: Repeat, multiline: bool) -> str:
    least = min(node.least, MAX_TIMES)
    most = None if node.most is None or node.most > MAX_TIMES else node.most
    if isinstance(node.part, Chars):
        one, has_more = _class(node.part, multiline)
        most = most * _MOST_BYTES if has_more and most else most
    else:
        one = f"(?:{_spell(node.part, multiline)})"
    return f"{one}{{{least},{'' if most is None else most}}}"


@lru_cache(maxsize=256)
def _class(chars: Chars, multiline: bool) -> tuple[str, bool]:
    """The first bytes of a set's characters, and whether it may have some beyond ASCII, which have further ones."""
    inside = {code for first, last in classes.asked(chars.text, 127) for code in range(first, last + 1)}
    is_ascii = chars.ranges is not None and all(last < 128 for _, last in chars.ranges)
    has_more = not is_ascii or (chars.any_case and bool(inside & _BEYOND_IN_ANOTHER_CASE))
    if not multiline:
        inside.discard(_LINE_END)
    items = "".join(rf"\x{code:02x}" for code in sorted(inside)) + _HIGH * has_more
    return f"[{items}]" if items else _NOTHING, has_more
