"""TOML edited as text: an entry is a table of its own at the end, and all else stays as it is.

The text is cut into statements (a header, or a name with its value) whose places and full names are known. What
is written in one line, such as `mcp_servers = { … }`, is read but not edited. `take` undoes `put` to the byte.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clew.serve.install.jsontext import Malformed

_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\n|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)
_HEADER = re.compile(r"[ \t]*\[")
_BLANK_LINE_END = re.compile(r"(?:(?<=\n)|\A)\r?\n\Z")
_NEWLINE_END = re.compile(r"\r?\n\Z")


@dataclass(frozen=True, slots=True)
class _Statement:
    name: tuple[str, ...]  # in full, the table's name included
    is_header: bool
    start: int  # of its line
    value: tuple[int, int]  # of a header: the header itself
    end: int  # behind its line


@dataclass(frozen=True, slots=True)
class TomlText:
    """How TOML is read and edited."""

    def data(self, text: str) -> dict[str, Any]:
        """What a text says."""
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise Malformed(str(error)) from None

    def put(self, text: str, at: tuple[str, str], fields: Mapping[str, Any]) -> str:
        """The text with these fields in the table at `at`; others that the table has are kept."""
        container = self.data(text).get(at[0], {})
        if not isinstance(container, dict):
            raise Malformed(f"{at[0]} is no table")
        newline = "\r\n" if "\r\n" in text else "\n"
        if at[1] not in container:
            lines = [f"[{at[0]}.{at[1]}]", *(f"{name} = {_written(value)}" for name, value in fields.items())]
            return _append(text, newline.join(lines), newline)
        if not isinstance(container[at[1]], dict):
            raise Malformed(f"{'.'.join(at)} is no table")
        for name, value in fields.items():
            if container[at[1]].get(name) != value:
                text = _replace(text, (*at, name), _written(value), newline=newline)
        return text

    def take(self, text: str, at: tuple[str, str], *, keep_empty: bool) -> str:
        """The text without the table and its subtables; `keep_empty` has no meaning, since no other table is made."""
        del keep_empty
        self.data(text)
        for first, last in reversed(_runs(list(_statements(text)), at)):
            before, after = text[: first.start], text[last.end :]
            is_open = not text[: last.end].endswith("\n")
            before = _BLANK_LINE_END.sub("", before, count=1)
            text = (_NEWLINE_END.sub("", before, count=1) if is_open else before) + after
        return text


def _append(text: str, block: str, newline: str) -> str:
    """A block behind a blank line; a text without a newline at its end gets none."""
    if not text:
        return block + newline
    if text.endswith("\n"):
        return text + newline + block + newline
    return text + newline + newline + block


def _replace(text: str, name: tuple[str, ...], written: str, *, newline: str) -> str:
    """The text with another value of a name, which is added below its header if it is not there."""
    statements = list(_statements(text))
    for statement in statements:
        if statement.name == name and not statement.is_header:
            return text[: statement.value[0]] + written + text[statement.value[1] :]
    for statement in statements:
        if statement.name == name[:-1] and statement.is_header:
            head = text[: statement.end]
            line = f"{name[-1]} = {written}{newline}"
            return (head if head.endswith("\n") else head + newline) + line + text[statement.end :]
    raise Malformed(f"{'.'.join(name[:-1])} is written in one line; make it a table [{'.'.join(name[:-1])}] first")


def _runs(statements: list[_Statement], at: tuple[str, str]) -> list[tuple[_Statement, _Statement]]:
    """First and last of each row of statements that belong to an entry; comments between them are its own."""
    runs: list[tuple[_Statement, _Statement]] = []
    previous = False
    for statement in statements:
        own = statement.name[:2] == at
        if own:
            runs[-1:] = [(runs[-1][0], statement)] if previous else [*runs[-1:], (statement, statement)]
        previous = own
    return runs


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a sound text, in order."""
    table: tuple[str, ...] = ()
    place = 0
    while place < len(text):
        start, depth, content = place, 0, place
        equals: int | None = None
        is_header = _HEADER.match(text, start) is not None
        for piece in _PIECE.finditer(text, start):
            token, place = piece[0], piece.end()
            if token == "\n" and not depth:
                break
            if token[0] == "#":
                continue
            if token[0] in "[{":
                depth += 1
            elif token[0] in "]}":
                depth -= 1
            elif equals is None and token[0] not in "\"'" and "=" in token and not is_header:
                equals = piece.start() + token.index("=")
            if token.strip():
                content = piece.start() + len(token.rstrip())
        line = text[start:content]
        if equals is not None:
            begin = equals + 1 + len(text[equals + 1 : content]) - len(text[equals + 1 : content].lstrip())
            yield _Statement((*table, *_name(text[start:equals] + "= 0")), False, start, (begin, content), place)
        elif line.strip():
            table = _name(line)
            yield _Statement(table, True, start, (start, content), place)


def _name(line: str) -> tuple[str, ...]:
    """The parts of a name or a header, read as TOML reads it."""
    parts: list[str] = []
    found: Any = tomllib.loads(line)
    while isinstance(found, dict) and found:
        (name,) = found
        parts.append(name)
        found = found[name]
    return tuple(parts)


def _written(value: Any) -> str:
    """A text or a list of texts; JSON's escapes are TOML's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
