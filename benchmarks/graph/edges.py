"""Where the edges come from that are measured: Clew's graph, and as a baseline what tools without a resolver do.

The baseline takes every use of a name for an edge to every definition of that name in the same language.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import apsw

from clew import Engine, load_config
from clew.graph.build import USE_ROLES
from clew.graph.guesses import UNIQUE, Guesses
from clew.graph.nodes import Node, Nodes
from clew.graph.values import TIERS
from clew.lifecycle import gate
from clew.parse.uses import unpack_uses
from clew.store import edges, facts, snapshots
from clew.store.edges import GraphFile
from clew.store.packs import NODE_BITS, unpack_sites
from clew.store.snapshots import Snapshot

SOURCE = "the graph"  # where `clew_edges` has them from; kept with the figures


class Edge(NamedTuple):
    """At this place Clew sees a use of that symbol. Lines and columns as in `facts`; `target_name` is qualified."""

    path: str
    line: int
    column: int
    target_path: str
    target_line: int
    target_name: str
    tier: str
    role: str


@contextlib.contextmanager
def _state(root: Path, home: Path) -> Iterator[tuple[apsw.Connection, Snapshot]]:
    """A tree, indexed, in one state."""
    root = _cloned(root, home / "trees" / root.name)
    engine = Engine(load_config({"home": str(home)}))
    try:
        engine.index(str(root))
        codebase = engine.resolve(str(root))
        with codebase.store.read() as connection:
            yield connection, gate.require(gate.judge(codebase.store, connection, codebase.root))
    finally:
        engine.close()


def _cloned(root: Path, copy: Path) -> Path:
    """A tree as a clone has it, where git tracks all that was released: zod's `.gitignore` names its `package.json`."""
    if not copy.exists():
        shutil.copytree(root, copy, copy_function=os.link, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        for command in (["init", "--quiet"], ["add", "--all", "--force"]):
            subprocess.run(["git", *command], cwd=copy, check=True)
    return copy


def clew_edges(root: Path, home: Path) -> Iterator[Edge]:
    """All edges between symbols of the tree at `root`, indexed under `home`.

    A member of what nothing is known of is one if a single definition has its name; a mere `name` is no edge."""
    with _state(root, home) as (connection, snapshot):
        nodes = Nodes(connection, snapshot.id)
        guesses = Guesses(nodes)
        for file in edges.files_of(connection, snapshot.id):
            for row in edges.out_of_file(connection, snapshot.id, file.number):
                target = nodes.node(row.target) if row.target >= 0 else None
                if target is not None:
                    yield from _edges(nodes, file, row.sites, target, TIERS[row.tier], USE_ROLES[row.role])
            for loose in edges.loose_out_of_file(connection, snapshot.id, file.number):
                found = guesses.candidates(loose.name, file.number)
                if len(found) == 1 and guesses.tier(loose.name, file.number, found) == UNIQUE:
                    yield from _edges(nodes, file, loose.sites, found[0], TIERS[UNIQUE], USE_ROLES[loose.role])


def _edges(nodes: Nodes, file: GraphFile, sites: bytes, target: Node, tier: str, role: str) -> Iterator[Edge]:
    held = nodes.file(target.id >> NODE_BITS)
    assert held is not None
    line = nodes.place(held[1], target.name_byte)[0] if target.name_byte >= 0 else target.line
    for byte in unpack_sites(sites):
        yield Edge(file.path, *nodes.place(file.facts, byte), target.path, line, target.qualified, tier, role)


def name_edges(root: Path, home: Path) -> Iterator[Edge]:
    """The baseline."""
    with _state(root, home) as (connection, snapshot):
        entries = [entry for entry in snapshots.entries(connection, snapshot.id).values() if entry.facts]
        named: dict[tuple[str, str], list[tuple[str, int, str]]] = defaultdict(list)
        for entry in entries:
            content = facts.content(connection, entry.blob or 0)
            lines = _line_starts(content)
            for symbol in facts.symbols_of(connection, entry.facts or 0):
                line = bisect_right(lines, symbol.name_byte) if symbol.name_byte >= 0 else symbol.start_line
                named[_family(entry.language), symbol.name].append((entry.path, line, symbol.qualified))
        for entry in entries:
            content = facts.content(connection, entry.blob or 0)
            lines = _line_starts(content)
            packed: bytes = connection.execute("SELECT uses FROM facts WHERE id = ?", (entry.facts,)).get
            for use in unpack_uses(packed):
                name = content[use.start_byte : use.end_byte].decode("utf-8", "replace")
                line, column = _place(content, lines, use.start_byte)
                for target_path, target_line, qualified in named.get((_family(entry.language), name), ()):
                    yield Edge(entry.path, line, column, target_path, target_line, qualified, "name", use.role)


def _family(language: str) -> str:
    """Languages that import each other's files count as one."""
    return "typescript" if language in ("javascript", "tsx") else language


def _line_starts(content: bytes) -> list[int]:
    starts, position = [0], content.find(b"\n")
    while position >= 0:
        starts.append(position + 1)
        position = content.find(b"\n", position + 1)
    return starts


def _place(content: bytes, starts: list[int], byte: int) -> tuple[int, int]:
    line = bisect_right(starts, byte)
    return line, len(content[starts[line - 1] : byte].decode("utf-8", "replace")) + 1
