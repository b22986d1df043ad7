"""Who calls whom, some steps far, with notes on what the graph cannot say. Main call: `call_graph`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from clew.graph.build import USE_ROLES
from clew.graph.modules import TYPE_KINDS
from clew.graph.nodes import Node, Nodes
from clew.graph.values import TIERS
from clew.store import edges
from clew.store.packs import NODE_BITS, EdgeRow, unpack_sites

Direction = Literal["callers", "callees", "both"]
MAX_DEPTH = 3
CALL = USE_ROLES.index("call")
MAX_NAMED = 8  # names in one note


class Site(NamedTuple):
    line: int
    column: int


class Call(NamedTuple):
    """An edge of the answer: at these places of `source`'s file it calls `target`."""

    source: Node
    target: Node
    tier: str
    sites: tuple[Site, ...]


class Note(NamedTuple):
    """What the graph cannot say, or did not follow."""

    file: str
    type: str
    symbol: str | None
    line: int | None
    detail: str

    @property
    def order(self) -> tuple[str, str, bool, str, bool, int, str]:
        """File, type, symbol and line (those without last), then the detail's hash."""
        digest = hashlib.sha256(self.detail.encode()).hexdigest()
        return (self.file, self.type, self.symbol is None, self.symbol or "", self.line is None, self.line or 0, digest)


@dataclass(slots=True)
class CallGraph:
    roots: tuple[Node, ...]
    nodes: list[Node] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    is_cut: bool = False  # some node has more callers or callees than were followed


def call_graph(nodes: Nodes, roots: Sequence[Node], direction: Direction, depth: int, limit: int) -> CallGraph:
    """The calls around some nodes; of each node at most `limit` callers and `limit` callees are followed."""
    graph = CallGraph(tuple(roots))
    known = {root.id: root for root in roots}
    calls: dict[tuple[int, int, int], Call] = {}
    for way in ("callers", "callees"):
        if direction in (way, "both"):
            _follow(nodes, graph, roots, way == "callers", depth, limit, known, calls)
    graph.nodes = sorted(known.values(), key=lambda node: (node.path == "", node.path, node.line, node.qualified))
    graph.calls = sorted(
        calls.values(), key=lambda call: (call.source.path, call.source.line, call.target.key, call.tier)
    )
    graph.notes += _unknown_calls(nodes, known.values())
    return graph


def relevant(graph: CallGraph, limit: int) -> tuple[list[Note], int]:
    """The notes on what is in the answer, in their order, cut to the limit; and how many there are."""
    files = {node.path for node in graph.nodes if node.path}
    keys = {node.key for node in graph.nodes}
    kept = [note for note in graph.notes if note.file in files and (note.symbol is None or note.symbol in keys)]
    kept = sorted(set(kept), key=lambda note: note.order)
    return kept[:limit], len(kept)


def _follow(
    nodes: Nodes,
    graph: CallGraph,
    roots: Sequence[Node],
    up: bool,
    depth: int,
    limit: int,
    known: dict[int, Node],
    calls: dict[tuple[int, int, int], Call],
) -> None:
    reached = {root.id for root in roots}
    level = list(roots)
    for _ in range(depth):
        following: list[Node] = []
        for node in level:
            rows = _rows(nodes, node, up)
            others = list(dict.fromkeys(row.source if up else row.target for row in rows))
            if len(others) > limit:
                graph.is_cut = True
                what = "callers" if up else "callees"
                detail = f"{len(others)} {what}, {limit} shown"
                graph.notes.append(Note(node.path, f"{what}_truncated", node.key, node.line, detail))
                others = others[:limit]
            shown = set(others)
            for row in rows:
                other = row.source if up else row.target
                found = known.get(other) or nodes.node(other) if other in shown else None
                if found is None:
                    continue
                known[other] = found
                source, target = (found, node) if up else (known.get(row.source) or node, found)
                _add(nodes, calls, source, target, row)
                if other not in reached:
                    reached.add(other)
                    if not found.is_external:
                        following.append(found)
        level = following


def _rows(nodes: Nodes, node: Node, up: bool) -> list[EdgeRow]:
    """The calls of a node, or those to it, in a settled order; a class calls what its methods call."""
    if node.is_external and not up:
        return []
    if up:
        return edges.callers(nodes.connection, nodes.snapshot, node.id, CALL)
    rows = edges.out_of(nodes.connection, nodes.snapshot, _within(nodes, node))
    rows = [row for row in rows if row.role == CALL]
    return sorted(rows, key=lambda row: (row.target < 0, row.tier, unpack_sites(row.sites)[0], row.target))


def _within(nodes: Nodes, node: Node) -> list[int]:
    """A node, and for a class the definitions in it."""
    if node.kind not in TYPE_KINDS:
        return [node.id]
    held = nodes.file(node.id >> NODE_BITS)
    inside = nodes.symbols(held[1]) if held is not None else []
    number, prefix = node.id >> NODE_BITS, f"{node.qualified}."
    found = (i for i, symbol in enumerate(inside) if symbol.qualified.startswith(prefix))
    return [node.id, *(nodes.id_of(number, i) for i in found)]


def _add(nodes: Nodes, calls: dict[tuple[int, int, int], Call], source: Node, target: Node, row: EdgeRow) -> None:
    held = nodes.file(row.source >> NODE_BITS)
    if held is None:
        return
    sites = tuple(Site(*nodes.place(held[1], byte)) for byte in unpack_sites(row.sites))
    key = (source.id, target.id, row.tier)
    before = calls[key].sites if key in calls else ()
    calls[key] = Call(source, target, TIERS[row.tier], tuple(sorted({*before, *sites})))


def _unknown_calls(nodes: Nodes, held: Iterable[Node]) -> list[Note]:
    """For each node the calls in it of which nothing is known."""
    notes = []
    for node in held:
        if node.is_external or node.kind == "file":
            continue
        names = sorted(
            {row.name for row in edges.loose_out_of(nodes.connection, nodes.snapshot, node.id) if row.role == CALL}
        )
        if names:
            more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            detail = ", ".join(names[:MAX_NAMED]) + more
            notes.append(Note(node.path, "unresolved_calls", node.key, node.line, detail))
    return notes
