"""What a variable of a function depends on, and what it reaches: line by line, whatever way the function takes.

A line that binds a name depends on every variable that it uses. Branches and loops are not weighed: a slice has
what may matter, and nothing outside the function. Main call: `slice_of`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from clew.parse import grammars
from clew.parse.languages import LANGUAGES

_BINDING = ("bind", "bind.var", "self", "class.self", "static", "typed.name", "assign.name")
_USING = ("ref", "call", "type")
_MEMBER = (b".", b"->", b"::")


class Step(NamedTuple):
    """A line of a slice."""

    line: int
    text: str
    binds: tuple[str, ...]
    uses: tuple[str, ...]


class Slice(NamedTuple):
    depends_on: tuple[Step, ...]
    reaches: tuple[Step, ...]


def slice_of(content: bytes, language: str, span: tuple[int, int], line: int, name: str) -> Slice | None:
    """The slice of a variable at a line of the function in these bytes; None when it binds no such name there."""
    grammar = grammars.load(LANGUAGES[language]) if language in LANGUAGES else None
    if grammar is None:
        return None
    captures = grammar.captures(grammar.parse(content))
    first = content.count(b"\n", 0, span[0]) + 1
    bound = _by_line(content, captures, _BINDING, span, first)
    variables = {word for words in bound.values() for word in words}
    if name not in variables:
        return None
    used = {
        at: {word for word in words if word in variables}
        for at, words in _by_line(content, captures, _USING, span, first, bound).items()
    }
    lines = content.split(b"\n")

    def steps(found: set[int]) -> tuple[Step, ...]:
        return tuple(
            Step(
                at, lines[at - 1].decode("utf-8", "replace").strip(), tuple(sorted(bound.get(at, ()))),
                tuple(sorted(used.get(at, ()))),
            )
            for at in sorted(found)
        )  # fmt: skip

    back = _follow(name, {at for at, words in bound.items() if name in words and at <= line}, bound, used)
    ahead = _follow(name, {at for at, words in used.items() if name in words and at >= line}, used, bound)
    return Slice(steps(back), steps(ahead))


def _follow(name: str, begin: set[int], at_names: dict[int, set[str]], next_names: dict[int, set[str]]) -> set[int]:
    """The lines that are reached from some: from what a line has of one kind to the lines with that of the other."""
    found, known, work = set(begin), {name}, [word for at in begin for word in next_names.get(at, ())]
    while work:
        word = work.pop()
        if word in known:
            continue
        known.add(word)
        for at, words in at_names.items():
            if word in words and at not in found:
                found.add(at)
                work += next_names.get(at, ())
    return found


def _by_line(
    content: bytes,
    captures: dict[str, list[Any]],
    roles: tuple[str, ...],
    span: tuple[int, int],
    first: int,
    bound: dict[int, set[str]] | None = None,
) -> dict[int, set[str]]:
    """The names in some roles, by line; of uses not the members of something, nor the names that are bound there."""
    found: dict[int, set[str]] = {}
    for role in roles:
        for node in captures.get(role, ()):
            start = node.start_byte
            if not span[0] <= start < span[1]:
                continue
            word = content[start : node.end_byte].decode("utf-8", "replace")
            at = first + content.count(b"\n", span[0], start)
            if bound is not None and content[max(start - 2, 0) : start].endswith(_MEMBER):
                continue
            found.setdefault(at, set()).add(word)
    if bound is not None:
        for at, words in bound.items():
            for word in words:
                if at in found and _count(content, at, word) < 2:
                    found[at].discard(word)
    return {at: words for at, words in found.items() if words}


def _count(content: bytes, line: int, word: str) -> int:
    """How often a name stands in a line: `x = x + 1` uses what it binds."""
    text = content.split(b"\n")[line - 1].decode("utf-8", "replace")
    return sum(part == word for part in _WORD.findall(text))


_WORD = re.compile(r"[^\W\d]\w*")
