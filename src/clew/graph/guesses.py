"""Members of what nothing is known of: when a name alone says which definition is meant.

It does when nothing else in that language has the name, no library has it for all that is known, and the file has to do
with the one that defines it. Main call: `Guesses.tier`.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.graph.hierarchy import all_above
from clew.graph.modules import TYPE_KINDS
from clew.graph.nodes import Node, Nodes, find_nodes
from clew.graph.values import TIERS
from clew.graph.widespread import is_widespread
from clew.parse.ecmascript import ECMASCRIPT
from clew.store import edges
from clew.store.packs import NODE_BITS

UNIQUE, NAME = TIERS.index("unique"), TIERS.index("name")
_MEMBER_KINDS = frozenset({"method", "field", "property", "enum_member", "attribute", "constant"})
_FAMILIES = {
    **dict.fromkeys(ECMASCRIPT, "javascript"),
    "cpp": "c",
    "kotlin": "java",
    "scala": "java",
    "vue": "javascript",
}


class Guesses:
    """What is known of names, each looked up once."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._named: dict[str, list[Node]] = {}
        self._possible: dict[int, bool] = {}  # of definitions, whether a name alone can mean them
        self._used: dict[int, set[int]] = {}  # of files, which ones they have edges to
        self._using: dict[int, set[int]] = {}

    def candidates(self, name: str, file: int) -> list[Node]:
        """The definitions of a name in the language of a file, and in those that go with it."""
        if name not in self._named:
            self._named[name] = find_nodes(self._nodes, name)
        family = self._family(file)
        return [node for node in self._named[name] if self._family(node.id >> NODE_BITS) == family]

    def tier(self, name: str, file: int, wanted: Sequence[Node]) -> int | None:
        """How sure it is that a member of this name in a file is one of `wanted`; None if it cannot be."""
        found = self.candidates(name, file)
        mine = [node for node in found if node in wanted]
        if not mine:
            return None
        if len(mine) < len(found) or is_widespread(name, self._nodes.language(file)):
            return NAME
        is_sure = all(self._is_possible(node) and self._is_near(file, node.id >> NODE_BITS) for node in mine)
        return UNIQUE if is_sure else NAME

    def _family(self, file: int) -> str:
        language = self._nodes.language(file)
        return _FAMILIES.get(language, language)

    def _is_possible(self, node: Node) -> bool:
        if node.id not in self._possible:
            nodes = self._nodes
            owner = self._owner(node)
            is_member = owner is not None and owner.kind in TYPE_KINDS
            self._possible[node.id] = (
                (is_member or node.kind in _MEMBER_KINDS)
                and not edges.has_external_member(nodes.connection, nodes.snapshot, node.name)
                and not (owner is not None and any(base.is_external for base in all_above(nodes, owner)))
            )
        return self._possible[node.id]

    def _owner(self, node: Node) -> Node | None:
        """The definition around one."""
        file = node.id >> NODE_BITS
        held, ordinal = self._nodes.file(file), self._nodes.ordinal(node.id)
        if held is None:
            return None
        symbols = self._nodes.symbols(held[1])
        if ordinal < len(symbols):
            parent = symbols[ordinal].parent
        else:
            attribute = edges.attribute_at(self._nodes.connection, held[1], ordinal)
            parent = attribute[1] if attribute is not None else -1
        return self._nodes.node(self._nodes.id_of(file, parent)) if parent >= 0 else None

    def _is_near(self, file: int, other: int) -> bool:
        """Whether a file uses another, or something that does."""
        connection, snapshot = self._nodes.connection, self._nodes.snapshot
        if file not in self._used:
            self._used[file] = edges.files_used(connection, snapshot, file)
        if file == other or other in self._used[file]:
            return True
        if other not in self._using:
            self._using[other] = edges.files_using(connection, snapshot, other)
        return not self._using[other].isdisjoint(self._used[file])
