"""The map of a codebase: the definitions that matter most for a focus, signatures only, within so many tokens.

Main call: `draw_map`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from clew.errors import BadInput
from clew.graph.nodes import Node, Nodes
from clew.graph.ranks import load_ranks
from clew.search.paths import path_words
from clew.store import edges
from clew.store.packs import NODE_BITS
from clew.store.snapshots import Snapshot
from clew.store.store import Store

CHARS_PER_TOKEN = 4
MAX_KEPT = 32
POOL = 3_000  # definitions that are looked at, the best first
FOCUS_BONUS = 3.0  # times the mean rank, for the definitions of the files in focus themselves
_HIDDEN = frozenset({"attribute", "file", "variable", "constant", "field", "property"})  # they say little in a map


class Map(NamedTuple):
    text: str
    symbols: tuple[Node, ...]


def draw_map(store: Store, nodes: Nodes, snapshot: Snapshot, focus: Mapping[str, float], max_tokens: int) -> Map:
    """The map for a focus (path: weight); an empty focus is the whole codebase. Maps are kept for their generation."""
    key = (snapshot.id, snapshot.generation, tuple(sorted(focus.items())), max_tokens)
    kept: dict[Any, Map] = store.maps
    if key not in kept:
        for old in [other for other in kept if other[:2] != key[:2]] + list(kept)[: 1 - MAX_KEPT]:
            kept.pop(old, None)
        kept[key] = _draw(store, nodes, snapshot, focus, max_tokens)
    return kept[key]


def _draw(store: Store, nodes: Nodes, snapshot: Snapshot, focus: Mapping[str, float], max_tokens: int) -> Map:
    ranked = _ranked(store, nodes, snapshot, focus)
    most = max_tokens * CHARS_PER_TOKEN
    few, many = 0, len(ranked)
    while few < many:  # the most definitions whose map fits
        middle = (few + many + 1) // 2
        if len(_drawn(nodes, ranked[:middle])[0]) <= most:
            few = middle
        else:
            many = middle - 1
    if ranked and not few:
        raise BadInput(f"not one definition fits into {max_tokens} tokens; ask for more")
    return Map(*_drawn(nodes, ranked[:few]))


def _ranked(store: Store, nodes: Nodes, snapshot: Snapshot, focus: Mapping[str, float]) -> list[Node]:
    import numpy as np

    files = edges.paths_of(nodes.connection, snapshot.id)
    is_aside = {number: _is_aside(path) for number, path in files.items()}
    ranks = load_ranks(store, nodes.connection, snapshot.id, snapshot.generation, is_aside)
    weights = {number: focus[path] for number, path in files.items() if path in focus}
    scores: Any = ranks.scores(weights)
    if weights and len(scores):
        held = np.fromiter((weights.get(number, 0.0) for number in ranks.files.tolist()), float, len(scores))
        scores = scores + FOCUS_BONUS * scores.mean() * held
    found = []
    for place in np.argsort(-scores, kind="stable")[:POOL].tolist():
        node = nodes.node(int(ranks.nodes[place]))
        if node is not None and node.kind not in _HIDDEN and (weights or not is_aside.get(node.id >> NODE_BITS)):
            found.append(node)
    if len(ranks.nodes) < POOL:  # a small codebase: what nobody uses has room too
        seen = {node.id for node in found}
        found += [node for node in _others(nodes, files, is_aside, weights) if node.id not in seen]
    return found[:POOL]


def _others(
    nodes: Nodes, files: Mapping[int, str], is_aside: Mapping[int, bool], weights: Mapping[int, float]
) -> list[Node]:
    """All definitions that a map may show, those of files in focus first."""
    found = []
    for number in sorted(files, key=lambda number: (-weights.get(number, 0.0), files[number])):
        held = nodes.file(number)
        if held is None or (is_aside[number] and number not in weights):
            continue
        for ordinal, symbol in enumerate(nodes.symbols(held[1])):
            node = nodes.node(nodes.id_of(number, ordinal)) if symbol.kind not in _HIDDEN else None
            if node is not None:
                found.append(node)
        if len(found) >= POOL:
            break
    return found


def _is_aside(path: str) -> bool:
    """Whether a file is no part of what a codebase is about: a test, or what was taken from elsewhere."""
    words = path_words(path)
    return words.is_test or words.is_legacy


def _drawn(nodes: Nodes, chosen: list[Node]) -> tuple[str, tuple[Node, ...]]:
    """Files in the order of their best definition, definitions in order of place under those around them."""
    by_file: dict[int, dict[int, Node]] = {}
    for node in chosen:
        held = by_file.setdefault(node.id >> NODE_BITS, {})
        for outer in _around(nodes, node):
            held.setdefault(outer.line, outer)
        held[node.line] = node
    lines: list[str] = []
    shown: list[Node] = []
    for held in by_file.values():
        inside = [held[line] for line in sorted(held)]
        lines.append(f"{inside[0].path}:")
        for node in inside:
            indent = "  " * (1 + node.qualified.count("."))
            lines.append(f"{node.line:>5}{indent}{node.signature or node.name}")
            shown.append(node)
    return "\n".join(lines), tuple(shown)


def _around(nodes: Nodes, node: Node) -> list[Node]:
    held = nodes.file(node.id >> NODE_BITS)
    if held is None:
        return []
    symbols = nodes.symbols(held[1])
    ordinal = nodes.ordinal(node.id)
    found = []
    parent = symbols[ordinal].parent if ordinal < len(symbols) else -1
    while parent >= 0:
        outer = nodes.node(nodes.id_of(node.id >> NODE_BITS, parent))
        found += [outer] if outer is not None else []
        parent = symbols[parent].parent
    return found
