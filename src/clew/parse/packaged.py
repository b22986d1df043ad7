"""What Kotlin, Scala and Swift have in common: files of a package see each other's names, members need no `this`, and
a class's members, inherited ones too, hide what stands around it. Which they are, only the graph can say.
"""

from __future__ import annotations

import re
from typing import Any

from clew.parse.links import CALLED
from clew.parse.owners import PART_KINDS
from clew.parse.scopes import Scope
from clew.parse.symbols import FUNCTION_KINDS
from clew.types import Symbol

PACKAGED = frozenset({"kotlin", "scala", "swift"})
# Names that are bound where nothing is written, in what a query calls @implicit.
IMPLICIT_NAMES = {"kotlin": ("it",), "swift": ("error", "newValue", "oldValue")}
_REBOUND = re.compile(rb"\s*=\s*(\w+)")
_PRIVATE = frozenset({b"private", b"fileprivate"})


def package_of(content: bytes, language: str, captures: dict[str, list[Any]]) -> str:
    """The package that a file says it is of. Of clauses within each other each opens one: `a.b:c` is the package
    `a.b.c`, and `a.b` can be seen in it; `?` is for several beside each other."""
    nodes = sorted(captures.get("package", ()), key=lambda node: int(node.start_byte))
    if language != "scala":
        return _text(content, nodes[0]) if nodes else ""
    around = None
    for node in nodes:
        clause = node.parent
        if around is not None and clause.start_byte >= around:
            return "?"
        body = clause.child_by_field_name("body")
        around = body.end_byte if body is not None else None
    return ":".join(_text(content, node) for node in nodes)


def _text(content: bytes, node: Any) -> str:
    return "".join(content[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def is_private(content: bytes, symbol: Symbol) -> bool:
    """Whether other files cannot name a definition that stands in no type."""
    return symbol.parent < 0 and not _PRIVATE.isdisjoint(content[symbol.start_byte : symbol.name_byte].split())


def bound_since(content: bytes, start: int, end: int) -> int:
    """From where on a variable is bound: in `let x = x` the second is another."""
    match = _REBOUND.match(content, end, end + 200)
    return match.end() if match is not None and match[1] == content[start:end] else 0


def is_called(symbol: Symbol) -> bool:
    """Whether a definition may stand beside a type or a variable of its name."""
    return symbol.kind in FUNCTION_KINDS


def look_out(
    scope: Scope, name: str, place: int, language: str, symbols: list[Symbol], owners: dict[int, str]
) -> tuple[str, bool]:
    """What a bare name means at a place, and whether it is a variable of a function: as `Names.look_up`, but what a
    class inherits hides what stands around it, and so does what belongs to an object that is not known."""
    plain = name.removesuffix(CALLED)
    keys = (name, plain) if name[:1].isupper() else (name, plain, plain + CALLED)  # a type is no function
    around: Scope | None = scope
    base, is_clear = "", True  # of the innermost type that this is part of; whether no unknown object is between
    while around is not None:
        is_far = around.is_class or around.parent is None
        key = next((key for key in keys if key in around.names), "")
        if key and around.since.get(key, 0) <= place:
            if not around.names[key]:
                return around.values.get(key, ""), True
            if not is_far or (is_clear and not base):
                return around.names[key], False
        if _extends(around, symbols, owners):
            base = base or f"W{around.symbol}:"
        elif around.is_class and around.symbol >= 0:
            base = base or f"V{around.symbol}:"
            if plain == "Self" and language == "swift":
                return f"C{around.symbol}", False
        is_clear = is_clear and not around.has_receiver
        around = around.parent
    if not is_clear and not plain[:1].isupper():
        return f"?.{name}", False
    return f"{base or 'G'}{name}", False


def this_of(scope: Scope, letter: str, label: str, symbols: list[Symbol], owners: dict[int, str]) -> str:
    """The object that `this` or `super` is; `this@label` is that of the class or the extension of that name."""
    around: Scope | None = scope
    while around is not None:
        name = symbols[around.symbol].name if around.symbol >= 0 else ""
        if not label or name == label:
            if around.has_receiver and not label:
                return "?"
            if _extends(around, symbols, owners):
                return f"O{around.symbol}" if letter == "S" else "?"
            if around.is_class:
                return f"{letter}{around.symbol}" if around.symbol >= 0 else "?"
        around = around.parent
    return "?"


def _extends(scope: Scope, symbols: list[Symbol], owners: dict[int, str]) -> bool:
    """Whether a scope is a function that belongs to a type elsewhere."""
    return scope.symbol in owners and symbols[scope.symbol].kind not in PART_KINDS
