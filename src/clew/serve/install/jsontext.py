"""JSON, with comments or without, edited as text: nothing is laid out anew but what is put in.

A new member comes first in its object, so that no line of anybody else changes, not even by a comma. `take`
undoes `put` to the byte, but for an object that `put` had to make: whether to keep that one is for the caller.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 200
_MAX_DIGITS = 1_000  # of a whole number that is read exactly; Python reads no more than 4,300
_TOKEN = re.compile(
    r'[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/|"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|[{}\[\],:]",
    re.DOTALL,
)
_LINE_START = re.compile(r"(?:\r\n|\n|\r)?[ \t]*\Z")
_INDENT = re.compile(r"[ \t]*")


class Malformed(ValueError):
    """A text that its own program could not read either, or that holds something else where an entry belongs."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and where it stands; members only of an object."""

    start: int
    end: int
    data: Any
    members: tuple[_Member, ...] = ()

    def member(self, name: str) -> _Member | None:
        found = [member for member in self.members if member.name == name]
        if len(found) > 1:
            raise Malformed(f"it has {name!r} twice in one object")
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    start: int
    value: _Node
    comma: int | None  # where the comma after it stands


@dataclass(frozen=True, slots=True)
class JsonText:
    """How one dialect is read and edited; `lenient` takes comments and trailing commas."""

    lenient: bool = False

    def data(self, text: str) -> dict[str, Any]:
        """What a text says; nothing for one without a value."""
        root = self._parse(text)
        if root is None:
            return {}
        if not isinstance(root.data, dict):
            raise Malformed("its top level is no object")
        return root.data

    def put(self, text: str, at: tuple[str, str], fields: Mapping[str, Any]) -> str:
        """The text with these fields in the entry at `at`; others that the entry has are kept."""
        data = self.data(text)
        if at[1] not in _object(data, at[0]):
            return self._set(text, at, dict(fields))
        for name, value in reversed(list(fields.items())):  # each comes first, so the last one goes in first
            text = self._set(text, (*at, name), value)
        return text

    def take(self, text: str, at: tuple[str, str], *, keep_empty: bool) -> str:
        """The text without the entry; an object left empty goes too, unless it is to be kept or has comments."""
        data = self.data(text)
        container = _object(data, at[0])
        if at[1] not in container:
            return text
        first, *rest = [at] if keep_empty or len(container) > 1 else [at[:1], at]
        for path in (first, *rest):
            for joins, closes in ((True, True), (True, False), (False, True)):  # a line comment needs its line's end
                shorter = self._cut(text, path, joins=joins, closes=closes)
                if shorter is not None:
                    return shorter
        raise Malformed(f"the entry {at[1]!r} cannot be taken out of it")

    def _set(self, text: str, path: Sequence[str], value: Any) -> str:
        node = self._parse(text)
        if node is None:
            return text + ("" if not text or text.endswith("\n") else "\n") + _new(path, value)
        for depth, name in enumerate(path):
            if not isinstance(node.data, dict):
                raise Malformed(f"{'.'.join(path[:depth])} is no object")
            member = node.member(name)
            if member is None:
                for outer in reversed(path[depth + 1 :]):
                    value = {outer: value}
                return self._insert(text, node, name, value)
            node = member.value
        if node.data == value:
            return text
        return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]

    def _insert(self, text: str, node: _Node, name: str, value: Any) -> str:
        """A new first member of an object."""
        newline = "\r\n" if "\r" in text else "\n"
        unit, base = _unit(text), _line_indent(text, node.start)
        if not node.members:
            laid_out = _lay_out(name, value, base + unit, unit=unit, newline=newline)
            return _splice(text, node.end - 1, f"{newline}{base}{unit}{laid_out}{newline}{base}")
        first = node.members[0].start
        for token in _TOKEN.finditer(text, node.start + 1, first):
            broken = re.search(r"[\r\n]", token[0]) if token[0][0] in " \t\r\n" else None
            if broken is not None:
                indent = _line_indent(text, first)
                laid_out = _lay_out(name, value, indent, unit=unit, newline=newline)
                return _splice(text, token.start() + broken.start(), f"{newline}{indent}{laid_out},")
        return _splice(text, node.start + 1, f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},")

    def _cut(self, text: str, path: Sequence[str], *, joins: bool, closes: bool) -> str | None:
        """The text without a member, or None where this way would change something else.

        `joins` takes the line's beginning before it too, `closes` the space behind it in an object left empty.
        """
        holder = self._parse(text)
        own: _Member | None = None
        for name in path:
            holder = own.value if own else holder
            own = holder.member(name) if holder else None
        if holder is None or own is None:
            return None
        if len(path) == 1 and _has_comments(text[own.value.start : own.value.end]):
            return None
        index = holder.members.index(own)
        is_only = len(holder.members) == 1
        begin = _LINE_START.search(text, holder.start, own.start)
        start = begin.start() if begin and joins else own.start
        between = text[own.value.end : own.comma] if own.comma is not None else ""
        rest = text[own.value.end if own.comma is None else own.comma + 1 :]
        kept = text[:start]
        if own.comma is None and index:
            comma = holder.members[index - 1].comma
            assert comma is not None
            kept = text[:comma] + text[comma + 1 : start]
        if is_only and closes and not text[own.value.end : holder.end - 1].strip(" \t\r\n,"):
            between, rest = "", text[holder.end - 1 :]
        shorter = kept + between + rest
        try:
            return shorter if repr(self.data(shorter)) == repr(_without(self.data(text), path)) else None
        except Malformed:
            return None

    def _parse(self, text: str) -> _Node | None:
        return _Parser(text, self.lenient).document()


@dataclass(slots=True)
class _Parser:
    """One pass over the tokens that mean something."""

    text: str
    lenient: bool
    tokens: list[tuple[int, int]] = field(default_factory=list)
    at: int = 0

    def document(self) -> _Node | None:
        place = 0
        while place < len(self.text):
            token = _TOKEN.match(self.text, place)
            if token is None:
                raise self._wrong(place, "unexpected text")
            if token[0].startswith("/") and not self.lenient:
                raise self._wrong(place, "a comment, which this program does not read")
            if token[0][0] not in "/ \t\r\n":
                self.tokens.append(token.span())
            place = token.end()
        if not self.tokens:
            return None
        node = self._value(0)
        if self.at < len(self.tokens):
            raise self._wrong(self.tokens[self.at][0], "more than one value")
        return node

    def _value(self, depth: int) -> _Node:
        if depth > MAX_DEPTH:
            raise Malformed(f"it is nested deeper than {MAX_DEPTH} levels")
        start, end = self._next()
        token = self.text[start:end]
        if token == "{":
            return self._object(start, depth)
        if token == "[":
            return self._array(start, depth)
        if token in ("}", "]", ",", ":"):
            raise self._wrong(start, f"a value is missing before {token}")
        return _Node(start, end, self._scalar(start, end))

    def _object(self, start: int, depth: int) -> _Node:
        members: list[_Member] = []
        while not self._closes("}", after_comma=bool(members)):
            begin, end = self._next()
            if self.text[begin] != '"':
                raise self._wrong(begin, "a name in double quotes is missing")
            name = self._scalar(begin, end)
            self._expect(":")
            value = self._value(depth + 1)
            comma = self._comma("}")
            members.append(_Member(name, begin, value, comma))
        data = {member.name: member.value.data for member in members}
        return _Node(start, self.tokens[self.at - 1][1], data, tuple(members))

    def _array(self, start: int, depth: int) -> _Node:
        items: list[Any] = []
        while not self._closes("]", after_comma=bool(items)):
            items.append(self._value(depth + 1).data)
            self._comma("]")
        return _Node(start, self.tokens[self.at - 1][1], items)

    def _closes(self, bracket: str, *, after_comma: bool) -> bool:
        if self._peek() != bracket:
            return False
        start, _ = self._next()
        if after_comma and not self.lenient and self.text[slice(*self.tokens[self.at - 2])] == ",":
            raise self._wrong(start, "a comma before it is one too many")
        return True

    def _comma(self, bracket: str) -> int | None:
        """Where the comma after a value stands; the last value may have none."""
        if self._peek() == bracket:
            return None
        return self._expect(",")

    def _expect(self, wanted: str) -> int:
        start, end = self._next()
        if self.text[start:end] != wanted:
            raise self._wrong(start, f"{wanted} is missing")
        return start

    def _peek(self) -> str:
        return self.text[slice(*self.tokens[self.at])] if self.at < len(self.tokens) else ""

    def _next(self) -> tuple[int, int]:
        if self.at == len(self.tokens):
            raise self._wrong(len(self.text), "it ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def _scalar(self, start: int, end: int) -> Any:
        try:
            is_huge = end - start > _MAX_DIGITS
            return json.loads(self.text[start:end], parse_int=float if is_huge else None)
        except ValueError:
            raise self._wrong(start, "a string with a wrong escape") from None

    def _wrong(self, place: int, what: str) -> Malformed:
        return Malformed(f"line {self.text.count(chr(10), 0, place) + 1}: {what}")


def _object(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise Malformed(f"{name} is no object")
    return found


def _without(data: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    name, *rest = path
    return {key: _without(value, rest) if key == name else value for key, value in data.items() if rest or key != name}


def _new(path: Sequence[str], value: Any) -> str:
    for name in reversed(path[1:]):
        value = {name: value}
    return "{\n  " + _lay_out(path[0], value, "  ", unit="  ", newline="\n") + "\n}\n"


def _lay_out(name: str, value: Any, indent: str, *, unit: str, newline: str) -> str:
    """A member in lines; lists stay in one."""
    if not isinstance(value, dict):
        return f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
    lines = [_lay_out(key, item, indent + unit, unit=unit, newline=newline) for key, item in value.items()]
    inner = f",{newline}{indent}{unit}".join(lines)
    return f"{json.dumps(name)}: {{{newline}{indent}{unit}{inner}{newline}{indent}}}"


def _unit(text: str) -> str:
    """One step of indentation: that of the first indented line with a name."""
    found = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    return found[1] if found else "  "


def _line_indent(text: str, place: int) -> str:
    """What the line of a place begins with."""
    found = _INDENT.match(text, max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1)
    return found[0] if found else ""


def _splice(text: str, place: int, piece: str) -> str:
    return text[:place] + piece + text[place:]


def _has_comments(text: str) -> bool:
    return any(token[0].startswith("/") for token in _TOKEN.finditer(text))
