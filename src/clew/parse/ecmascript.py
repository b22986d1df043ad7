"""What JavaScript and TypeScript write in ways of their own: exports, patterns, members given by assignment.

All of it is read from short pieces of text, since a capture for each part would cost more than the few that there are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.types import Symbol

ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
MEMBER_KINDS = frozenset({"method", "constructor", "field", "property", "enum_member"})
_PURE_TYPES = frozenset({"interface", "type"})
_WORD = b"_$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_ITEM = re.compile(rb"(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\Z")
_PAIR = re.compile(rb"([\w$]+)\s*:\s*([\w$]+)\Z")
_GIVEN = re.compile(rb"(?:module\.)?exports(?:\.([\w$]+))?\s*=\s*([\w$]+)\Z")
_PART = re.compile(rb"([\w$]+)\s*(?::\s*([\w$]+)\s*)?(?:=.*)?\Z", re.DOTALL)
_OWN_THIS = (b"function", b"async function")


class Export(NamedTuple):
    """A name that a file exports; `start` and `end` are where its value is named, relative to the text."""

    name: str
    start: int
    end: int


def is_bare(symbol: Symbol, content: bytes) -> bool:
    """Whether a definition gives its scope a name; a member does not, nor does `a.b = function`."""
    return symbol.kind not in MEMBER_KINDS and owner_name(content, symbol.name_byte) == ""


def is_pure_type(symbol: Symbol) -> bool:
    """Whether a value of the same name may stand beside it."""
    return symbol.kind in _PURE_TYPES


def owner_name(content: bytes, name_byte: int) -> str:
    """`Foo` of `Foo.prototype.bar = function` and of `Foo.bar = function`, `this` of `this.bar = function`."""
    if content[name_byte - 1 : name_byte] != b".":
        return ""
    before = content[max(0, name_byte - 120) : name_byte - 1].removesuffix(b".prototype")
    return before[len(before.rstrip(_WORD)) :].decode("utf-8", "replace")


def has_own_this(content: bytes, start: int) -> bool:
    """Whether what starts here is a function whose `this` is not that of what is around it."""
    return content.startswith(_OWN_THIS, start)


def read_export(text: bytes) -> Export | None:
    """`a as b`, `b: a`, `module.exports = a`, `exports.b = a` or a name alone; the whole module's name is `=`."""
    match = _ITEM.match(text)
    if match is not None:
        return Export((match[2] or match[1]).decode("utf-8", "replace"), *match.span(1))
    match = _PAIR.match(text) or _GIVEN.match(text)
    if match is not None:
        return Export((match[1] or b"=").decode("utf-8", "replace"), *match.span(2))
    return None


def read_parts(content: bytes, start: int) -> list[tuple[str, str]]:
    """Of a flat pattern `{ a, b: c }`, the members that it takes and the variables they go to."""
    end = content.find(b"}", start, start + 4_000)
    text = content[start + 1 : end]
    if end < 0 or b"{" in text or b"[" in text or b"(" in text:
        return []
    found = []
    for piece in text.split(b","):
        match = _PART.match(piece.strip())
        if match is not None:
            found.append((match[1].decode("utf-8", "replace"), (match[2] or match[1]).decode("utf-8", "replace")))
    return found
