"""Which files use which, and the circles among them. Main call: `import_graph`."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from clew.graph.build import IMPORT_ROLE
from clew.graph.nodes import Nodes
from clew.store import edges


class ImportGraph(NamedTuple):
    files: tuple[str, ...]
    imports: tuple[tuple[str, str], ...]  # a file and one that it imports
    cycles: tuple[tuple[str, ...], ...]  # files that import each other, the largest circle first


def import_graph(nodes: Nodes, file: str | None, allowed: Set[str]) -> ImportGraph:
    """The imports among the files that are let pass; with a `file`, only those from it and to it."""
    known = edges.paths_of(nodes.connection, nodes.snapshot)
    paths = {number: path for number, path in known.items() if path in allowed}
    pairs = [
        (paths[source], paths[target])
        for source, target in edges.file_pairs(nodes.connection, nodes.snapshot, IMPORT_ROLE)
        if source in paths and target in paths
    ]
    cycles = _cycles(pairs)
    if file is not None:
        pairs = [pair for pair in pairs if file in pair]
        cycles = [cycle for cycle in cycles if file in cycle]
    files = {path for pair in pairs for path in pair} | ({file} if file in paths.values() and file else set())
    return ImportGraph(tuple(sorted(files)), tuple(sorted(pairs)), tuple(cycles))


def _cycles(pairs: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The strongly connected parts of more than one file (Tarjan's way, without recursion)."""
    follows: dict[str, list[str]] = {}
    for source, target in pairs:
        follows.setdefault(source, []).append(target)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    held: set[str] = set()
    found: list[tuple[str, ...]] = []
    for root in sorted(follows):
        if root in index:
            continue
        work = [(root, iter(follows.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        held.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part: list[str] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        held.discard(part[-1])
                    if len(part) > 1:
                        found.append(tuple(sorted(part)))
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                held.add(following)
                work.append((following, iter(follows.get(following, ()))))
            elif following in held:
                low[node] = min(low[node], index[following])
    return sorted(found, key=lambda part: (-len(part), part))
