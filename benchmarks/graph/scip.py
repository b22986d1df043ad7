"""SCIP indexes, read without generated code: the wire format of protobuf is small, and we need four messages of it.

Field numbers are those of SCIP's published schema. Main call: `read_index`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DEFINITION, IMPORT, WRITE = 1, 2, 4  # bits of an occurrence's roles
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Occurrence(NamedTuple):
    """A symbol at a place. Lines and columns as in SCIP: 0-based, in UTF-16 units for indexers that run on node."""

    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    roles: int
    enclosing: tuple[int, ...]


class Document(NamedTuple):
    path: str
    occurrences: list[Occurrence]


def read_index(path: Path) -> list[Document]:
    """The documents of an index."""
    return [
        _document(value) for number, value in _fields(path.read_bytes()) if number == 2 and isinstance(value, bytes)
    ]


def _document(raw: bytes) -> Document:
    path, occurrences = "", []
    for number, value in _fields(raw):
        if isinstance(value, bytes):
            if number == 1:
                path = value.decode()
            elif number == 2:
                occurrences.append(_occurrence(value))
    return Document(path, occurrences)


def _occurrence(raw: bytes) -> Occurrence:
    span: list[int] = []
    enclosing: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(raw):
        if number == 1:
            span += _integers(value)
        elif number == 2 and isinstance(value, bytes):
            symbol = value.decode()
        elif number == 3 and isinstance(value, int):
            roles = value
        elif number == 7:
            enclosing += _integers(value)
    if len(span) == 3:  # on one line
        span.insert(2, span[0])
    return Occurrence(span[0], span[1], span[2], span[3], symbol, roles, tuple(enclosing))


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(raw):
        key, position = _varint(raw, position)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, position = _varint(raw, position)
            yield number, value
        elif kind == _BYTES:
            size, position = _varint(raw, position)
            yield number, raw[position : position + size]
            position += size
        elif kind in (_FIXED64, _FIXED32):
            position += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"no SCIP index: wire type {kind} at byte {position}")


def _varint(raw: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _integers(value: int | bytes) -> list[int]:
    """A repeated number, packed or not."""
    if isinstance(value, int):
        return [value]
    found, position = [], 0
    while position < len(value):
        number, position = _varint(value, position)
        found.append(number)
    return found
