"""The classes above a class, from its edges, and what it inherits. Main calls: `bases_of`, `inherited`."""

from __future__ import annotations

from clew import tokens
from clew.graph.modules import TYPE_KINDS
from clew.graph.nodes import Node, Nodes, find_nodes
from clew.graph.order import is_bare, may_own, merge
from clew.parse.links import unpack_links
from clew.parse.uses import unpack_starts
from clew.store import edges, facts
from clew.store.packs import NODE_BITS, unpack_sites

MAX_ABOVE = 200  # classes above one; more are a circle


def bases_of(nodes: Nodes, node: Node) -> list[Node]:
    """The classes right above a class in their order, a library's too; not what the language itself has."""
    held = nodes.file(node.id >> NODE_BITS) if not node.is_external else None
    if held is None:
        return []
    ordinal = nodes.ordinal(node.id)
    links = unpack_links(facts.links_of(nodes.connection, held[1]))
    refs = links.bases.get(ordinal, [])
    if not refs:
        return []
    targets = {
        site: row.target
        for row in edges.out_of(nodes.connection, nodes.snapshot, [node.id])
        for site in unpack_sites(row.sites)
    }
    places: dict[str, int] = {}
    starts, _ = unpack_starts(facts.uses_of(nodes.connection, held[1]))
    for start, number, caller in zip(starts, links.of_use, links.callers, strict=True):
        if caller == ordinal and start in targets:
            places.setdefault(links.refs[number], start)
    found = [nodes.node(targets[places[ref]]) for ref in refs if ref in places]
    return [base for base in found if base is not None]


def all_above(nodes: Nodes, node: Node) -> list[Node]:
    """All classes above a class, each once, the nearer of one branch first; Python's in its own order."""
    bare: dict[int, Node] = {}
    order = _order(nodes, node, (), bare) if _is_python(nodes, node) else None
    if order is not None:
        return [*order[1:], *bare.values()][:MAX_ABOVE]
    found: dict[int, Node] = {}
    waiting = bases_of(nodes, node)[::-1]
    while waiting and len(found) < MAX_ABOVE:
        base = waiting.pop()
        if base.id not in found and base.id != node.id:
            found[base.id] = base
            waiting += bases_of(nodes, base)[::-1]
    return list(found.values())


def _is_python(nodes: Nodes, node: Node) -> bool:
    return not node.is_external and nodes.language(node.id >> NODE_BITS) == "python"


def _order(nodes: Nodes, node: Node, below: tuple[int, ...], bare: dict[int, Node]) -> list[Node] | None:
    """A class and those above it as Python looks through them, `bare` those without members; None for no order."""
    if node.id in below or len(below) > MAX_ABOVE:
        return None
    found = bases_of(nodes, node)
    bare.update((base.id, base) for base in found if base.is_external and is_bare(base.qualified))
    bases = [base for base in found if base.id not in bare]
    orders = [_order(nodes, base, (*below, node.id), bare) for base in bases]
    known = [order for order in orders if order is not None]
    merged = merge([*known, bases]) if len(known) == len(orders) else None
    return [node, *merged] if merged is not None else None


def inherited(nodes: Nodes, name: str) -> list[Node]:
    """What `Class.member` means where the class only inherits the member: of each such class the nearest definition."""
    parts = tokens.split_qualified(name)
    owners = find_nodes(nodes, ".".join(parts[:-1])) if len(parts) > 1 else []
    members = find_nodes(nodes, parts[-1]) if owners else []
    found: dict[int, Node] = {}
    for owner in owners:
        is_python = _is_python(nodes, owner)
        for base in all_above(nodes, owner) if owner.kind in TYPE_KINDS else ():
            whole = (base.path, f"{base.qualified}.{parts[-1]}")
            mine = [node for node in members if (node.path, node.qualified) == whole]
            if mine:
                found.update((node.id, node) for node in mine)
            if mine or (base.is_external and is_python and may_own(base.qualified, parts[-1])):
                break
    return list(found.values())
