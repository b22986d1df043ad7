"""What an exact search looks for: a literal or a regular expression under ripgrep's contract.

Without `multiline` a match never leaves its line: whatever could match a line end is narrowed here, in the parsed
expression, so `\\s` and `[^a]` stop there. Main call: `compile_pattern`.
"""

from __future__ import annotations

import importlib
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from clew.errors import BadInput
from clew.search import required
from clew.search.native import Scanner, make_scanner
from clew.store.grams import Needs

MAX_PATTERN_CHARS = 10_000
_NEWLINE = 10
# Unicode's White_Space without the line feed, as ripgrep's `\s` within a line.
_SPACES = ((9, 9), (11, 13), (32, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A))
_MORE_SPACES = ((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\t-\r ",
    "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip

_parser: Any = importlib.import_module("re._parser")  # the standard library's own; it has no public name
_compiler: Any = importlib.import_module("re._compiler")
_op: Any = importlib.import_module("re._constants")


class TextQuery(NamedTuple):
    """What to look for, as the user wrote it; the defaults are ripgrep's."""

    text: str
    regex: bool = True
    case_sensitive: bool = True
    whole_word: bool = False
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled question. `needles`: groups of texts; every matching line, or its lower-case form if `lowered`,
    has one of each group."""

    expression: re.Pattern[str]
    needs: Needs | None
    needles: tuple[tuple[bytes, ...], ...]
    lowered: bool
    is_literal: bool  # a line with the needle matches, and nothing else does
    is_multiline: bool
    is_per_line: bool  # a line can be judged without the others
    scan: Scanner | None  # a first look at a content, where the system has one


@lru_cache(maxsize=256)
def compile_pattern(query: TextQuery) -> Pattern:
    """The pattern; one that cannot be read is a `BadInput` that says where."""
    text, regex, case_sensitive, whole_word, multiline = query
    if not text:
        raise BadInput("the pattern is empty; give a text to look for")
    if len(text) > MAX_PATTERN_CHARS:
        raise BadInput(f"the pattern has {len(text)} characters, more than {MAX_PATTERN_CHARS}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("the pattern is no valid Unicode text") from error
    flags = re.MULTILINE | (0 if case_sensitive else re.IGNORECASE)
    tree = _parse(_translate(text) if regex else re.escape(text), flags)
    found = required.analyse(tree)
    is_exact = not found.lowered and all(op is _op.LITERAL for op, _ in tree.data)
    is_literal = is_exact and not whole_word and not multiline
    literal = "".join(chr(code) for _, code in tree.data) if is_exact else ""
    is_anchored = _narrow(tree, multiline=multiline)
    is_per_line = not multiline and not is_anchored
    if whole_word:
        outside = _parser.parse(r"(?<!\w)(?!\w)").data
        tree.data = [outside[0], *tree.data, outside[1]]
    expression: re.Pattern[str] = _compiler.compile(tree, flags)
    return Pattern(
        expression,
        found.needs,
        ((literal.encode(),),) if is_exact else found.needles,
        found.lowered,
        is_literal=is_literal,
        is_multiline=multiline,
        is_per_line=is_per_line,
        scan=None if is_literal or not is_per_line else make_scanner(tree),
    )


def _parse(text: str, flags: int) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return _parser.parse(text, flags)
    except re.error as error:
        where = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise BadInput(
            f"the regular expression is invalid{where}: {error.msg}; -F looks for the text itself"
        ) from error
    except Warning as error:
        raise BadInput(f"the regular expression is unclear: {error}; escape it with a backslash") from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise BadInput("the regular expression nests or repeats too much") from error


def _translate(text: str) -> str:
    r"""What ripgrep spells differently from Python, where that can be told: `[[:alpha:]]` and `\z`."""
    text = re.sub(r"\[:(\w+):\]", lambda found: _POSIX.get(found[1], found[0]), text)
    return re.sub(r"(\\\\)|\\z", lambda found: found[1] or r"\Z", text)


def _narrow(tree: Any, *, multiline: bool) -> bool:
    """Keep every part of an expression within its line; whether it asks for the ends of the file."""
    is_anchored = False
    items: list[Any] = []
    for op, value in tree.data:
        for inner in _inside(op, value):
            is_anchored |= _narrow(inner, multiline=multiline)
        if op is _op.AT:
            is_anchored |= value in (_op.AT_BEGINNING_STRING, _op.AT_END_STRING)
        value = _with_spaces(value, multiline=multiline) if op is _op.IN else value
        items += [(op, value)] if multiline else _within_line(op, value)
    tree.data = items
    return is_anchored


def _inside(op: Any, value: Any) -> list[Any]:
    """The expressions that an item holds."""
    if op is _op.BRANCH:
        return list(value[1])
    if op in (_op.SUBPATTERN, _op.GROUPREF_EXISTS, *required.REPEATS, _op.ASSERT, _op.ASSERT_NOT):
        return [inner for inner in value if isinstance(inner, _parser.SubPattern)]
    return [value] if op is _op.ATOMIC_GROUP else []


def _with_spaces(members: Any, *, multiline: bool) -> list[Any]:
    """A class whose spaces are Unicode's, not Python's, which counts the separators from 1C to 1F among them."""
    found: list[Any] = []
    for kind, what in members:
        if kind is _op.CATEGORY and what is _op.CATEGORY_SPACE:
            found += [(_op.RANGE, span) for span in (*_SPACES, *_MORE_SPACES)]
            found += [(_op.LITERAL, _NEWLINE)] if multiline else []
        else:
            found.append((kind, what))
            if kind is _op.CATEGORY and what is _op.CATEGORY_NOT_SPACE:
                found.append((_op.RANGE, (0x1C, 0x1F)))
    return found


def _within_line(op: Any, value: Any) -> list[Any]:
    """An item as it is where no line end can be matched."""
    if op is _op.LITERAL and value == _NEWLINE:
        raise BadInput(r"the pattern has a line end (\n), but a match stays within its line; multiline allows it")
    if op is _op.ANY:
        return [(_op.NOT_LITERAL, _NEWLINE)]
    if op is _op.NOT_LITERAL and value != _NEWLINE:
        return [(_op.IN, [(_op.NEGATE, None), (_op.LITERAL, value), (_op.LITERAL, _NEWLINE)])]
    if op is not _op.IN:
        return [(op, value)]
    if value[0][0] is _op.NEGATE:
        return [(op, [*value, (_op.LITERAL, _NEWLINE)])]
    members: list[Any] = list(value)
    if not any(_has_newline(kind, what) for kind, what in members):
        return [(op, members)]
    opposites = {_op.CATEGORY_NOT_WORD: _op.CATEGORY_WORD, _op.CATEGORY_NOT_DIGIT: _op.CATEGORY_DIGIT}
    if len(members) == 1 and members[0][1] in opposites:
        return [(op, [(_op.NEGATE, None), (_op.CATEGORY, opposites[members[0][1]]), (_op.LITERAL, _NEWLINE)])]
    not_here = _parser.parse("(?!\\n)").data
    return [*not_here, (op, members)]


def _has_newline(kind: Any, what: Any) -> bool:
    if kind is _op.LITERAL:
        return bool(what == _NEWLINE)
    if kind is _op.RANGE:
        return bool(what[0] <= _NEWLINE <= what[1])
    return what in (_op.CATEGORY_NOT_WORD, _op.CATEGORY_NOT_DIGIT)
