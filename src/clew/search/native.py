"""A faster first look at a content, where the optional `hyperscan` is installed: which lines may match.

It works on bytes, and its expression matches at least where the real one does, so lines that it passes over need
not be judged. Answers are the same without it. Main call: `make_scanner`.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

from clew.search import required
from clew.store.grams import SAME_AS_ASCII

MAX_ENDS = 200  # in one content; then the expression itself is as fast
_ASCII = [chr(code) for code in range(128)]

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")
_op: Any = importlib.import_module("re._constants")
_AT = {_op.AT_BEGINNING: "^", _op.AT_END: "$"}  # a word's boundary depends on the alphabet: left to the real one

Scanner = Callable[[bytes], list[int] | None]  # where matches end, ascending; None: too many to tell


def make_scanner(tree: Any) -> Scanner | None:
    """A scanner for a parsed expression that stays within lines, or None where there is none."""
    try:
        hyperscan = importlib.import_module("hyperscan")
    except ImportError:
        return None
    if tree.getwidth()[0] == 0:
        return None  # it matches everywhere
    spelled = _spell(tree, tree.state.flags)
    if spelled is None:
        return None
    flags = hyperscan.HS_FLAG_MULTILINE
    local = threading.local()  # a database has one scratch, for one thread

    def scan(content: bytes) -> list[int] | None:
        ends: list[int] = []

        def found(_id: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            ends.append(end)
            return len(ends) > MAX_ENDS

        try:
            if not hasattr(local, "database"):
                local.database = hyperscan.Database()
                local.database.compile(expressions=[spelled.encode()], flags=[flags])
            local.database.scan(content, match_event_handler=found)
        except hyperscan.error:
            return None
        return ends if len(ends) <= MAX_ENDS else None

    return scan if scan(b"") is not None else None


def _spell(tree: Any, flags: int) -> str | None:
    """An expression that matches wherever this one does, and perhaps elsewhere."""
    parts = [_spell_item(op, value, flags) for op, value in tree.data]
    return None if None in parts else "".join(part for part in parts if part)


def _spell_item(op: Any, value: Any, flags: int) -> str | None:
    if op in (_op.LITERAL, _op.NOT_LITERAL, _op.IN, _op.ANY):
        return _spell_choice(op, value, flags)
    if op is _op.SUBPATTERN:
        inner = _spell(value[3], (flags | value[1]) & ~value[2])
        return None if inner is None else f"(?:{inner})"
    if op is _op.ATOMIC_GROUP:
        inner = _spell(value, flags)
        return None if inner is None else f"(?:{inner})"
    if op is _op.BRANCH:
        spelled = [_spell(alternative, flags) for alternative in value[1]]
        return None if None in spelled else f"(?:{'|'.join(part or '' for part in spelled)})"
    if op in required.REPEATS:
        least, most, repeated = value
        inner = _spell(repeated, flags)
        return None if inner is None else f"(?:{inner}){{{least},{'' if most is _op.MAXREPEAT else most}}}"
    if op is _op.AT:
        return _AT.get(value, "")
    return "" if op in (_op.ASSERT, _op.ASSERT_NOT) else None


def _spell_choice(op: Any, value: Any, flags: int) -> str | None:
    """The ASCII characters that an item matches, by trying each, and all others if it may match one."""
    if op is _op.LITERAL and value > 127 and not flags & re.IGNORECASE:
        return _escaped(chr(value).encode("utf-8", "surrogatepass"))
    single = _parser.SubPattern(_parser.State(), [(op, value)])
    expression: re.Pattern[str] = _compiler.compile(single, flags)
    spelled = _escaped(char.encode() for char in _ASCII if expression.fullmatch(char))
    choices = [f"[{spelled}]"] if spelled else []
    if _may_be_foreign(op, value) or any(expression.fullmatch(letter.decode()) for letter, _ in SAME_AS_ASCII):
        choices.append(r"[\x80-\xff]{1,4}")
    return f"(?:{'|'.join(choices)})" if choices else None


def _may_be_foreign(op: Any, value: Any) -> bool:
    """Whether an item may match a character beyond ASCII."""
    if op is _op.LITERAL:
        return bool(value > 127)
    if op is not _op.IN:
        return True
    bounds = {_op.LITERAL: lambda what: what, _op.RANGE: lambda what: what[1]}
    return any(kind not in bounds or bounds[kind](what) > 127 for kind, what in value)


def _escaped(chars: Iterable[bytes | int]) -> str:
    return "".join(rf"\x{char if isinstance(char, int) else char[0]:02x}" for char in chars)
