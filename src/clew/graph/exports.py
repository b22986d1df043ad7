"""What a file shows to others: what it defines and does not hide, and what it hands on. Main call: `exports_of`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from clew.graph.build import IMPORT_ROLE
from clew.graph.nodes import Node, Nodes
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import Links, unpack_links
from clew.parse.symbols import CLASS_KINDS
from clew.store import edges, facts
from clew.store.edges import NODE_BITS
from clew.types import Symbol

_PUBLIC = frozenset({"rust", "zig"})  # what is shown says `pub`
_HIDDEN = re.compile(r"\A(?:@\w+\s+)*(?:private|fileprivate|defp|defmacrop)\b|\A(?:local|static)\s")
_PACKAGE = "__init__.py"  # what it imports, others have from it
_LOCAL = frozenset({"namespace", "package", "module_declaration", "import"})


class Export(NamedTuple):
    """A name that other files can have from a file."""

    name: str  # as they name it
    node: Node  # what it is, wherever that is defined
    used_by: int  # how many other files use what it is


def exports_of(nodes: Nodes, path: str) -> list[Export]:
    """The names in order, each with what it leads to. What leads out of the codebase is external."""
    number = edges.number_of(nodes.connection, nodes.snapshot, path)
    held = nodes.file(number) if number is not None else None
    if number is None or held is None:
        return []
    links = unpack_links(facts.links_of(nodes.connection, held[1]))
    language = nodes.language(number)
    if language in ECMASCRIPT:
        found = _said(nodes, number, links)
    else:
        symbols = nodes.symbols(held[1])
        found = {
            symbol.name: number << NODE_BITS | ordinal
            for ordinal, symbol in enumerate(symbols)
            if ordinal not in links.hidden and _is_outer(symbols, symbol, language) and _is_shown(symbol, language)
        }
        if path.endswith(_PACKAGE):
            found = _handed_on(nodes, number) | found
    users = _users(nodes, number, found.values())
    named = ((name, nodes.node(target)) for name, target in found.items())
    return sorted(Export(name, node, users.get(node.id, 0)) for name, node in named if node is not None)


def _is_outer(symbols: list[Symbol], symbol: Symbol, language: str) -> bool:
    """Whether a definition stands by itself; in Ruby, modules that others reopen are names around what they hold."""
    if language != "ruby":
        return symbol.parent < 0
    if symbol.kind == "module" and any(other.qualified.startswith(f"{symbol.qualified}.") for other in symbols):
        return False
    return symbol.parent < 0 or (symbol.kind in CLASS_KINDS and symbols[symbol.parent].kind == "module")


def _is_shown(symbol: Symbol, language: str) -> bool:
    if symbol.kind in _LOCAL:
        return False
    if language in _PUBLIC:
        return symbol.signature.startswith("pub")
    if language == "go":
        return symbol.name[:1].isupper()
    if language == "python":
        return not symbol.name.startswith("_")
    return _HIDDEN.match(symbol.signature) is None


def _said(nodes: Nodes, number: int, links: Links) -> dict[str, int]:
    """Of a file that says what it exports: definitions, and what its imports lead to."""
    held = nodes.file(number)
    assert held is not None
    imports = facts.imports_of(nodes.connection, held[1])
    targets = _handed_on(nodes, number)
    found: dict[str, int] = {}
    for name, ref in links.exports.items():
        if ref[:1] == "D" and ref[1:].isdigit():
            found["default" if name == "=" else name] = number << NODE_BITS | int(ref[1:])
        elif ref[:1] == "I" and ref[1:].isdigit():
            wanted = imports[int(ref[1:])].name or name
            if wanted in targets:
                found[name] = targets[wanted]
    return found


def _handed_on(nodes: Nodes, number: int) -> dict[str, int]:
    """What the imports of a file lead to, by the names of that."""
    rows = [row for row in edges.out_of_file(nodes.connection, nodes.snapshot, number) if row.role == IMPORT_ROLE]
    found = ((nodes.node(row.target), row.target) for row in rows)
    return {node.name: target for node, target in found if node is not None and node.kind != "file"}


def _users(nodes: Nodes, number: int, targets: Iterable[int]) -> dict[int, int]:
    """How many files other than this one use each of these."""
    files: dict[int, set[int]] = {}
    for row in edges.into(nodes.connection, nodes.snapshot, sorted(set(targets))):
        files.setdefault(row.target, set()).add(row.source >> NODE_BITS)
    return {target: len(sources - {number, target >> NODE_BITS}) for target, sources in files.items()}
