"""The nodes of a graph: found by name or by place, and described. Main calls: `find_nodes`, `node_at`, `Nodes`."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from typing import NamedTuple

import apsw

from clew import tokens
from clew.parse.symbols import CLASS_KINDS
from clew.parse.uses import unpack_places
from clew.store import edges, facts
from clew.store.packs import NODE_BITS, WHOLE_FILE, unpack_nodes, unpack_sites
from clew.types import Symbol


class Node(NamedTuple):
    """A definition, an attribute, a file, or what is external (without a path)."""

    id: int
    name: str
    qualified: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str = ""
    name_byte: int = -1

    @property
    def is_external(self) -> bool:
        return self.id < 0

    @property
    def key(self) -> str:
        """What names it on the wire: the same as long as the definition keeps its name and its file."""
        return f"{self.path}#{self.qualified}" if self.path else f"external:{self.qualified}"


class Nodes:
    """The nodes of one snapshot, and its files' contents, each looked up once."""

    def __init__(self, connection: apsw.Connection, snapshot: int) -> None:
        self.connection, self.snapshot = connection, snapshot
        self._files: dict[int, tuple[str, int] | None] = {}
        self._nodes: dict[int, list[int]] = {}  # of files whose ordinals are not their nodes, those of each ordinal
        self._ordinals: dict[int, dict[int, int]] = {}  # and the other way round
        self._symbols: dict[int, list[Symbol]] = {}
        self._contents: dict[int, bytes] = {}
        self._languages: dict[int, str] = {}

    def file(self, number: int) -> tuple[str, int] | None:
        """Path and facts of a file."""
        if number not in self._files:
            found = edges.file_at(self.connection, self.snapshot, number)
            self._files[number] = found[:2] if found is not None else None
            nodes = unpack_nodes(found[2]) if found is not None else None
            if nodes is not None:
                self._nodes[number] = nodes
                self._ordinals[number] = {node: ordinal for ordinal, node in enumerate(nodes)}
        return self._files[number]

    def id_of(self, number: int, ordinal: int) -> int:
        """The node of a definition or an attribute of a file, which its facts know by ordinal."""
        self.file(number)
        nodes = self._nodes.get(number)
        return number << NODE_BITS | (nodes[ordinal] if nodes is not None else ordinal)

    def ordinal(self, node: int) -> int:
        """The inverse of `id_of`; `WHOLE_FILE` for a file."""
        number, place = node >> NODE_BITS, node & WHOLE_FILE
        self.file(number)
        ordinals = self._ordinals.get(number)
        return ordinals.get(place, WHOLE_FILE - 1) if ordinals is not None and place != WHOLE_FILE else place

    def language(self, number: int) -> str:
        """The language of a file."""
        if number not in self._languages:
            held = self.file(number)
            self._languages[number] = facts.language_of(self.connection, held[1]) if held is not None else ""
        return self._languages[number]

    def _symbol(self, facts_id: int, ordinal: int) -> Symbol | None:
        if facts_id in self._symbols:
            held = self._symbols[facts_id]
            return held[ordinal] if ordinal < len(held) else None
        return facts.find_symbol(self.connection, facts_id, ordinal)

    def interface(self, node: Node) -> str:
        """A hash of what users of a definition can see of it: places and bodies do not count."""
        held = self.file(node.id >> NODE_BITS) if not node.is_external else None
        ordinal = self.ordinal(node.id)
        if held is None or ordinal >= len(self.symbols(held[1])):
            return ""
        return _interface(self.symbols(held[1]), ordinal)

    def symbols(self, facts_id: int) -> list[Symbol]:
        if facts_id not in self._symbols:
            self._symbols[facts_id] = facts.symbols_of(self.connection, facts_id)
        return self._symbols[facts_id]

    def node(self, number: int) -> Node | None:
        """A node by its id; None if it is not there any more."""
        if number < 0:
            name = edges.external_name(self.connection, -number)
            return Node(number, name.rpartition(".")[2], name, "external", "", 0, 0)
        held = self.file(number >> NODE_BITS)
        if held is None:
            return None
        path, facts_id = held
        ordinal = self.ordinal(number)
        if ordinal == WHOLE_FILE:
            name = path.rpartition("/")[2]
            return Node(number, name, "", "file", path, 1, 1)
        symbol = self._symbol(facts_id, ordinal)
        if symbol is not None:
            return Node(
                number, symbol.name, symbol.qualified, symbol.kind, path, symbol.start_line, symbol.end_line,
                symbol.signature, symbol.name_byte,
            )  # fmt: skip
        found = edges.attribute_at(self.connection, facts_id, ordinal)
        if found is None:
            return None
        name, owner, byte = found
        line, _ = self.place(facts_id, byte)
        holder = self._symbol(facts_id, owner)
        qualified = f"{holder.qualified}.{name}" if holder is not None else name
        return Node(number, name, qualified, "attribute", path, line, line, name_byte=byte)

    def place(self, facts_id: int, byte: int) -> tuple[int, int]:
        """Line and column of a byte, both from 1; columns count characters."""
        content = self.content(facts_id)
        start = content.rfind(b"\n", 0, byte) + 1
        return content.count(b"\n", 0, start) + 1, len(content[start:byte].decode("utf-8", "replace")) + 1

    def byte_at(self, facts_id: int, line: int, column: int) -> int:
        """The byte of a line and column."""
        lines = self.content(facts_id).split(b"\n")
        if not 1 <= line <= len(lines):
            return -1
        text = lines[line - 1].decode("utf-8", "replace")
        return sum(map(len, lines[: line - 1])) + line - 1 + len(text[: max(column - 1, 0)].encode())

    def content(self, facts_id: int) -> bytes:
        """The bytes behind facts."""
        if facts_id not in self._contents:
            self._contents[facts_id] = facts.content(self.connection, facts.blob_of(self.connection, facts_id))
        return self._contents[facts_id]


def _interface(symbols: list[Symbol], ordinal: int) -> str:
    """Its signature, and for a class those of its members: places and bodies do not count."""
    own = symbols[ordinal]
    shown = [own]
    if own.kind in CLASS_KINDS:
        shown += [symbol for symbol in symbols[ordinal + 1 :] if symbol.parent == ordinal]
    text = "\n".join(f"{symbol.kind}\0{symbol.qualified}\0{symbol.signature}" for symbol in shown)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def find_nodes(nodes: Nodes, name: str) -> list[Node]:
    """The nodes that a name may mean: `save`, `Model.save`; in order of path and place. Not what is external."""
    parts = tokens.split_qualified(name)
    if not parts:
        return []
    wanted = ".".join(parts)
    found = []
    for number, _, _, ordinal in edges.nodes_named(nodes.connection, nodes.snapshot, parts[-1]):
        node = nodes.node(nodes.id_of(number, ordinal))
        if node is not None and f".{node.qualified}".endswith(f".{wanted}"):
            found.append(node)
    return found


def find_externals(nodes: Nodes, name: str) -> list[Node]:
    """What is external and has this name."""
    found = edges.find_externals(nodes.connection, name)
    return [Node(-number, full.rpartition(".")[2], full, "external", "", 0, 0) for number, full in found]


def node_at(nodes: Nodes, path: str, line: int, column: int | None) -> list[Node]:
    """What stands at a place: the definition there, or what the name there leads to; without a column the
    definition that starts in that line, else the one around it."""
    number = edges.number_of(nodes.connection, nodes.snapshot, path)
    held = nodes.file(number) if number is not None else None
    if number is None or held is None:
        return []
    symbols = nodes.symbols(held[1])
    if column is None:
        around = [i for i, symbol in enumerate(symbols) if symbol.start_line <= line <= symbol.end_line]
        starting = [i for i in around if symbols[i].start_line == line] or around[-1:]
        return [node for i in starting[:1] if (node := nodes.node(nodes.id_of(number, i))) is not None]
    byte = nodes.byte_at(held[1], line, column)
    for i, symbol in enumerate(symbols):
        if symbol.name_byte <= byte < symbol.name_byte + len(symbol.name.encode()):
            node = nodes.node(nodes.id_of(number, i))
            return [node] if node is not None else []
    uses = unpack_places(facts.uses_of(nodes.connection, held[1]))
    at = bisect_right(uses.starts, byte) - 1
    if at < 0 or byte > uses.ends[at]:
        return []
    start = uses.starts[at]
    rows = edges.out_of_file(nodes.connection, nodes.snapshot, number)
    targets = [row.target for row in rows if start in unpack_sites(row.sites)]
    return [node for target in targets if (node := nodes.node(target)) is not None]
