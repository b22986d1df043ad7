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
from clew.store.packs import NODE_BITS, unpack_sites
from clew.types import Symbol

_PUBLIC = frozenset({"rust", "zig"})  # what is shown says `pub`
_UNKNOWN = frozenset({"haskell"})  # a list at the top of the file says it, which is not kept
_HIDDEN = re.compile(r"\A(?:@\w+\s+)*(?:private|fileprivate|defp|defmacrop)\b|\A(?:local|static)\s")
_AROUND = frozenset({"namespace", "package"})  # what stands in them stands by itself
_EXPORTS_ALL = re.compile(rb"export\s*\*\s*from\b")
_PACKAGE = "__init__.py"  # what it imports, others have from it


class Export(NamedTuple):
    """A name that other files can have from a file."""

    name: str  # as they name it
    node: Node  # what it is, wherever that is defined
    used_by: int  # how many other files use what it is


def exports_of(nodes: Nodes, path: str) -> list[Export] | None:
    """The names in order, each with what it leads to; None where that is not known."""
    number = edges.number_of(nodes.connection, nodes.snapshot, path)
    held = nodes.file(number) if number is not None else None
    if number is None or held is None:
        return []
    language = nodes.language(number)
    if language in _UNKNOWN:
        return None
    found = _exported(nodes, number, language, {number})
    users = _users(nodes, number, found.values())
    named = ((name, nodes.node(target)) for name, target in found.items())
    return sorted(Export(name, node, users.get(node.id, 0)) for name, node in named if node is not None)


def _exported(nodes: Nodes, number: int, language: str, seen: set[int]) -> dict[str, int]:
    """What each name that a file shows leads to."""
    held = nodes.file(number)
    assert held is not None
    path, facts_id = held
    links = unpack_links(facts.links_of(nodes.connection, facts_id))
    symbols = nodes.symbols(facts_id)
    if language in ECMASCRIPT:
        return _said(nodes, number, links, seen)
    found = {
        symbol.name: nodes.id_of(number, ordinal)
        for ordinal, symbol in enumerate(symbols)
        if ordinal not in links.hidden and _is_outer(symbols, symbol, language) and _is_shown(symbol, language)
    }
    if path.endswith(_PACKAGE) or language == "rust":
        found = _handed_on(nodes, number, language) | found
    return found


def _is_outer(symbols: list[Symbol], symbol: Symbol, language: str) -> bool:
    """Whether a definition stands by itself; in Ruby, modules that others reopen are names around what they hold."""
    if language == "ruby":
        if symbol.kind == "module" and any(other.qualified.startswith(f"{symbol.qualified}.") for other in symbols):
            return False
        return symbol.parent < 0 or (symbol.kind in CLASS_KINDS and symbols[symbol.parent].kind == "module")
    parent = symbol.parent
    while parent >= 0 and symbols[parent].kind in _AROUND:
        parent = symbols[parent].parent
    return parent < 0


def _is_shown(symbol: Symbol, language: str) -> bool:
    if symbol.kind in _AROUND:
        return False
    if language in _PUBLIC:
        return symbol.signature.startswith("pub")
    if language == "go":
        return symbol.name[:1].isupper()
    if language == "python":
        return not symbol.name.startswith("_")
    return _HIDDEN.match(symbol.signature) is None


def _said(nodes: Nodes, number: int, links: Links, seen: set[int]) -> dict[str, int]:
    """Of a file that says what it exports: definitions, what its imports lead to, and what it hands on whole."""
    held = nodes.file(number)
    assert held is not None
    imports, symbols = facts.imports_of(nodes.connection, held[1]), nodes.symbols(held[1])
    rows = _import_edges(nodes, number)
    named = {node.name: target for node, target, _ in rows if node.kind != "file"}
    found: dict[str, int] = {}
    content = nodes.content(held[1])
    for node, target, sites in rows:  # `export * from`: all but the default
        other = target >> NODE_BITS
        is_whole = any(_EXPORTS_ALL.match(content, site) for site in sites)
        if node.kind == "file" and is_whole and other not in seen:
            shown = _exported(nodes, other, nodes.language(other), seen | {other})
            found |= {name: place for name, place in shown.items() if name != "default"}
    for name, ref in links.exports.items():
        if ref[:1] == "D" and ref[1:].isdigit() and symbols[int(ref[1:])].parent < 0:
            found["default" if name == "=" else name] = nodes.id_of(number, int(ref[1:]))
        elif ref[:1] == "I" and ref[1:].isdigit():
            wanted = imports[int(ref[1:])].name or name
            if wanted in named:
                found[name] = named[wanted]
    return found


def _handed_on(nodes: Nodes, number: int, language: str) -> dict[str, int]:
    """What the imports of a file lead to, by the names that they get; in Rust of those that say `pub`."""
    held = nodes.file(number)
    assert held is not None
    led = _import_edges(nodes, number, any_role=language == "rust")  # there a path in an import is a path as any
    named = {node.name: target for node, target, _ in led if node.kind != "file"}
    content = nodes.content(held[1])
    return {
        row.alias or row.name: named[row.name]
        for row in facts.imports_of(nodes.connection, held[1])
        if row.name in named and (language != "rust" or content.startswith(b"pub", row.start_byte))
    }


def _import_edges(nodes: Nodes, number: int, *, any_role: bool = False) -> list[tuple[Node, int, list[int]]]:
    """What the imports of a file lead to, and where that is said."""
    rows = edges.out_of_file(nodes.connection, nodes.snapshot, number)
    rows = rows if any_role else [row for row in rows if row.role == IMPORT_ROLE]
    found = [(nodes.node(row.target), row.target, unpack_sites(row.sites)) for row in rows if row.target >= 0]
    return [(node, target, sites) for node, target, sites in found if node is not None]


def _users(nodes: Nodes, number: int, targets: Iterable[int]) -> dict[int, int]:
    """How many files other than this one use each of these."""
    files: dict[int, set[int]] = {}
    for row in edges.into(nodes.connection, nodes.snapshot, sorted(set(targets))):
        files.setdefault(row.target, set()).add(row.source >> NODE_BITS)
    return {target: len(sources - {number, target >> NODE_BITS}) for target, sources in files.items()}
