"""Which definitions belong to a type that does not hold them, by how they are named. Main call: `find_owners`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from clew.parse.symbols import SPACE_KINDS
from clew.types import Symbol

PART_KINDS = frozenset({"impl", "extension"})  # they add to a type of their name
_OPENED = re.compile(rb"^#[ \t]*define[ \t]+\w+(?:[ \t]|\\\r?\n)+(?:inline[ \t]+)?namespace[ \t]+(\w+)", re.MULTILINE)
_VERSION = re.compile(r"[/.]v\d+\Z")


def find_owners(symbols: list[Symbol], blocks: Iterable[Any] = ()) -> dict[int, list[str]]:
    """The type of each Go method, `A::f` or impl block, as the names that lead to it; none for what stands in a
    block without a name, as `impl Trait for (A, B)` is one."""
    found: dict[int, list[str]] = {}
    starts = {symbol.start_byte for symbol in symbols if symbol.kind in PART_KINDS}
    nameless = [(node.start_byte, node.end_byte) for node in blocks if node.start_byte not in starts]
    for start, end in nameless:
        first = bisect_left(symbols, start, key=_start)
        last = bisect_left(symbols, end, key=_start)
        inner = [ordinal for ordinal in range(first, last) if symbols[ordinal].parent < first]
        found |= {ordinal: ["?"] for ordinal in inner}
    for ordinal, symbol in enumerate(symbols):
        if ordinal in found or symbol.kind in SPACE_KINDS:
            continue
        if symbol.kind in PART_KINDS:
            found[ordinal] = symbol.qualified.split(".") if symbol.parent < 0 else [symbol.name]
            continue
        outer = symbols[symbol.parent].qualified if symbol.parent >= 0 else ""
        between = symbol.qualified[len(outer) : -len(symbol.name)].strip(".")
        if between:
            found[ordinal] = between.split(".")
    return found


def opened_space(content: bytes) -> str:
    """The C++ namespace that a macro of this file opens, in whatever file it stands."""
    match = _OPENED.search(content)
    return match[1].decode("utf-8", "replace") if match else ""


def _start(symbol: Symbol) -> int:
    return symbol.start_byte


def last_part(module: str) -> str:
    """The name by which a Go package is known when its path is all that is said of it."""
    name = _VERSION.sub("", module).rpartition("/")[2]
    return name.removeprefix("go-").removesuffix("-go").removesuffix(".go")
