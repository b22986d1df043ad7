"""Rust's paths: what `use` brings in, row by row, and what `crate`, `self` and `super` mean where they stand."""

from __future__ import annotations

import re

from clew.types import Import

_TOKEN = re.compile(r"[\w#]+|::|[{},*]")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MOD = re.compile(rb"[^;{]*\bmod\s")
_QUALIFIER = re.compile(rb"((?:\w+::)+)\Z")
MAX_QUALIFIER = 200


def split_use(text: str, start: int, line: int) -> list[Import]:
    """The rows of a `use`: `a::{self, b::C, d as e, f::*}` has four."""
    rows: list[Import] = []
    stack: list[list[str]] = [[]]  # of each open brace, the names before it
    names: list[str] = []
    alias = ""
    is_alias = False
    for token in [*_TOKEN.findall(_COMMENT.sub("", text)), ","]:
        if token == "{":
            stack.append([*stack[-1], *names])
            names = []
        elif token in (",", "}"):
            if names:
                rows.append(_row([*stack[-1], *names], alias, start, line))
            names, alias = [], ""
            if token == "}" and len(stack) > 1:
                stack.pop()
        elif token == "as":
            is_alias = True
        elif is_alias:
            alias, is_alias = token, False
        elif token != "::":
            names.append(token.removeprefix("r#"))
    return rows


def _row(names: list[str], alias: str, start: int, line: int) -> Import:
    if names[-1] == "self" and len(names) > 1:
        names = names[:-1]
    if len(names) == 1:
        return Import(names[0], "", alias, start, line)
    return Import("::".join(names[:-1]), names[-1], alias, start, line)


def is_mod(content: bytes, row: Import) -> bool:
    """Whether an import is `mod name;`."""
    return not row.name and _MOD.match(content, row.start_byte, row.start_byte + MAX_QUALIFIER) is not None


def qualifier(content: bytes, name_byte: int) -> list[str]:
    """The names before a name: `a` and `b` of `a::b::C`."""
    match = _QUALIFIER.search(content[max(name_byte - MAX_QUALIFIER, 0) : name_byte])
    return match[1].decode("utf-8", "replace").split("::")[:-1] if match else []


def path_base(names: list[str], around: list[int]) -> tuple[str, list[str]] | None:
    """What a path that begins with `crate`, `self` or `super` begins with, and the rest; `around` are the modules
    within this file that it stands in, outer before inner."""
    if names[0] == "crate":
        return "Ncrate", names[1:]
    if names[0] not in ("self", "super"):
        return None
    ups = 0
    while ups < len(names) and names[ups] == "super":
        ups += 1
    rest = names[ups:] if ups else names[1:]
    if ups < len(around):
        return f"D{around[len(around) - 1 - ups]}", rest
    over = ups - len(around)
    return ("Nself" if over == 0 else "N" + "::".join(["super"] * over)), rest
