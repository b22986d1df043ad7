"""Which definitions belong to a type that does not hold them, by how they are named. Main call: `find_owners`."""

from __future__ import annotations

import re

from clew.types import Symbol

PART_KINDS = frozenset({"impl", "extension"})  # they add to a type of their name
_VERSION = re.compile(r"[/.]v\d+\Z")


def find_owners(symbols: list[Symbol]) -> dict[int, list[str]]:
    """The type of each Go method, `A::f` or impl block, as the names that lead to it."""
    found: dict[int, list[str]] = {}
    for ordinal, symbol in enumerate(symbols):
        if symbol.kind in PART_KINDS:
            found[ordinal] = [symbol.name]
            continue
        outer = symbols[symbol.parent].qualified if symbol.parent >= 0 else ""
        between = symbol.qualified[len(outer) : -len(symbol.name)].strip(".")
        if between:
            found[ordinal] = between.split(".")
    return found


def last_part(module: str) -> str:
    """The name by which a Go package is known when its path is all that is said of it."""
    name = _VERSION.sub("", module).rpartition("/")[2]
    return name.removeprefix("go-").removesuffix("-go").removesuffix(".go")
