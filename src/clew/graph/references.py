"""Who uses a definition: where, in which role, and how that is known. Main call: `references_to`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clew.graph.build import USE_ROLES, evidence_of
from clew.graph.nodes import Node, Nodes, find_nodes
from clew.graph.resolve import TIERS
from clew.store import edges
from clew.store.edges import NODE_BITS, unpack_sites

LAYER = "syntactic"
UNIQUE, NAME = TIERS.index("unique"), TIERS.index("name")


class Reference(NamedTuple):
    """One use of a definition. `tier` says how sure it is, `evidence` what it rests on."""

    path: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    role: str
    tier: str
    evidence: str
    caller: str  # the definition that it stands in, "" for none


def references_to(nodes: Nodes, wanted: Sequence[Node], *, role: str | None = None) -> list[Reference]:
    """The uses of some nodes, the surest first, then in order of path and place.

    What is taken of things that nothing is known of counts when the name fits: `unique` if nothing else has it."""
    found: list[tuple[int, Reference]] = []
    for row in edges.into(nodes.connection, nodes.snapshot, [node.id for node in wanted]):
        kind, line = evidence_of(row.evidence)
        evidence = f"{kind}:{line}" if line else kind
        name = next(node.name for node in wanted if node.id == row.target)
        found += _at(nodes, row.source, row.sites, name, row.tier, row.role, evidence)
    for name in sorted({node.name for node in wanted if not node.is_external and node.kind != "file"}):
        others = [node for node in find_nodes(nodes, name) if node not in wanted]
        tier = NAME if others else UNIQUE
        for loose in edges.loose(nodes.connection, nodes.snapshot, name):
            found += _at(nodes, loose.source, loose.sites, name, tier, loose.role, "name")
    kept = [(tier, item) for tier, item in found if role in (None, item.role)]
    return [item for _, item in sorted(set(kept), key=lambda pair: (pair[0], pair[1]))]


def _at(
    nodes: Nodes, source: int, sites: bytes, name: str, tier: int, role: int, evidence: str
) -> list[tuple[int, Reference]]:
    held = nodes.file(source >> NODE_BITS)
    caller = nodes.node(source)
    if held is None:
        return []
    path, facts_id = held
    around = caller.qualified if caller is not None else ""
    found = []
    content, _ = nodes.content(facts_id)
    for byte in unpack_sites(sites):
        line, column = nodes.place(facts_id, byte)
        width = len(name) if content.startswith(name.encode(), byte) else _word(content, byte)
        item = Reference(
            path, line, column, line, column + width, USE_ROLES[role], TIERS[tier], evidence, around
        )  # fmt: skip
        found.append((tier, item))
    return found


def _word(content: bytes, byte: int) -> int:
    """How many characters the name at a byte has: an alias is not spelled like what it stands for."""
    text = content[byte : byte + 400].decode("utf-8", "replace")
    width = 0
    while width < len(text) and (text[width].isalnum() or text[width] in "_$"):
        width += 1
    return max(width, 1)
