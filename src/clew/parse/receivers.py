"""Where the expression stands that a member is taken of: before a dot, and the function of a call before one.

All by the bytes around a place. Main calls: `receiver_end`, `read_calls`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from clew.parse.dialects import NAMES
from clew.parse.scopes import FREE_FORM

ENDS_OF_SIGNS = b".:>$"  # what may stand right before a member: most names have none of it
_ENDS_OF_NAMES = frozenset(byte for byte in range(128) if chr(byte).isalnum() or chr(byte) in ")]_")
_SPACE = b" \t\r\n"
_WORD = re.compile(rb"[\w$\x80-\xff]+")
_MAX_ARGUMENTS = 400  # bytes of type arguments


def receiver_end(content: bytes, start: int, language: str) -> int:
    """Where the expression ends that the member at a place is taken of; -1 when the name stands alone."""
    at = start - 1
    if language == "java" and content[at] == 62:  # `x.<T>y()`
        at = _before_arguments(content, start) - 1
    if at < 1:
        return -1
    if content[at] == 46 and content[at - 1] in _ENDS_OF_NAMES and language != "rust":
        return at
    if content[at] == 46 and content[at - 1] != 46:  # a dot, not two
        at -= 2 if content[at - 1] in b"?!&" else 1
        at -= content[at : at + 2] == b"!!"  # Kotlin's `x!!.y`
    elif content[at - 1 : at + 1] in (b"::", b"->"):
        at -= 3 if content[at - 2 : at + 1] == b"?->" else 2
    elif content[at - 2 : at + 1] == b"::$":
        at -= 3
    elif content[at] == 58 and language == "lua":
        at -= 1
    else:
        return -1
    at = skip_space(content, at)
    return at - 6 if language == "rust" and content[at - 6 : at] == b".await" else at


def skip_space(content: bytes, at: int) -> int:
    """Where what stands at a place or before the space there ends."""
    while at >= 0 and content[at] in _SPACE:
        at -= 1
    return at + 1


def word_end(content: bytes, start: int) -> int:
    """Where the name that begins at a place ends."""
    found = _WORD.match(content, start)
    return found.end() if found is not None else start


def read_calls(content: bytes, language: str, captures: dict[str, list[Any]]) -> dict[int, int]:
    """Where the function of a call ends, by where the call ends, for calls that a member is taken of."""
    functions = sorted((node.start_byte, node.end_byte) for node in captures.get("recv.fn", ()))
    if language in NAMES:  # of calls that end together the outermost counts: `a.new b.new`
        return {node.end_byte: _function_end(node) for node in reversed(captures.get("recv", ()))}
    if language in FREE_FORM:
        whole = sorted((node.start_byte, node.end_byte) for node in captures.get("recv", ()))
        return {call[1]: function[1] for call, function in zip(whole, functions, strict=False)}
    found = {}
    for node in captures.get("recv", ()):
        start, end = node.start_byte, node.end_byte
        at = bisect_right(functions, (start, end)) - 1
        if at < 0 or functions[at][0] < start:  # `new f().g` starts before both functions
            at += 1
            while at < len(functions) and functions[at][1] > end:
                at += 1
        if at < len(functions):
            found[end] = functions[at][1]
    for node in captures.get("recv.args", ()):
        found[node.end_byte] = _before_arguments(content, node.start_byte)
    return found


def _before_arguments(content: bytes, at: int) -> int:
    """Where the name of a function ends: before white space and type arguments."""
    while content[at - 1 : at] in (b" ", b"\n", b"\t", b"\r"):
        at -= 1
    if content[at - 1 : at] != b">":
        return at
    depth = 0
    for place in range(at - 1, max(at - _MAX_ARGUMENTS, 0), -1):
        depth += (content[place] == 62) - (content[place] == 60)
        if depth == 0:
            return place
    return at


def _function_end(call: Any) -> int:
    """Where the name of the function of a call ends, or of the class of a `new`."""
    if call.type == "object_creation_expression":
        return next((int(part.end_byte) for part in call.named_children if part.type.endswith("name")), -1)
    found = (call.child_by_field_name(field) for field in ("method", "name", "function", "target"))
    return next((int(function.end_byte) for function in found if function is not None), -1)
