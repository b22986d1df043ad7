"""Who uses a definition: where, in which role, and how that is known. Main call: `Uses`."""

from __future__ import annotations

import base64
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from clew.errors import BadInput
from clew.graph.build import USE_ROLES, evidence_of
from clew.graph.guesses import Guesses
from clew.graph.nodes import Node, Nodes
from clew.graph.values import TIERS
from clew.store import edges
from clew.store.packs import NODE_BITS, unpack_sites

LAYER = "syntactic"


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


class Uses:
    """The uses of some nodes in order: the surest first, then by path and place; each is looked up when it is shown.

    What is taken of things that nothing is known of counts when the name fits: `graph/guesses.py` says how much."""

    def __init__(self, nodes: Nodes, wanted: Sequence[Node], *, role: str | None = None) -> None:
        self._nodes = nodes
        names = {node.id: node.name for node in wanted}
        found: set[_Use] = set()
        for row in edges.into(nodes.connection, nodes.snapshot, list(names)):
            if role in (None, USE_ROLES[row.role]):
                found |= self._sites(row.source, row.sites, names[row.target], row.tier, row.role, row.evidence)
        guesses = Guesses(nodes)
        for name in sorted({node.name for node in wanted if not node.is_external and node.kind != "file"}):
            for loose in edges.loose(nodes.connection, nodes.snapshot, name):
                tier = guesses.tier(name, loose.source >> NODE_BITS, wanted)
                if tier is not None and role in (None, USE_ROLES[loose.role]):
                    found |= self._sites(loose.source, loose.sites, name, tier, loose.role, -1)
        self._uses = sorted(found)

    def keep(self, shows: Callable[[str], bool]) -> None:
        """Only what is in files that are shown."""
        self._uses = [use for use in self._uses if shows(use.path)]

    def __len__(self) -> int:
        return len(self._uses)

    def page(self, limit: int, after: str | None = None) -> tuple[list[Reference], str | None]:
        """The first of them, or the first after those that were shown, and what the next are asked for with.

        That is a place in the order, not a number: it stays good when files change in between."""
        start = bisect_right(self._uses, _read_key(after), key=_key_of) if after is not None else 0
        shown = self._uses[start : start + limit]
        is_cut = start + limit < len(self._uses)
        return [self._reference(use) for use in shown], _key(shown[-1]) if is_cut else None

    def _sites(self, source: int, sites: bytes, name: str, tier: int, role: int, evidence: int) -> set[_Use]:
        held = self._nodes.file(source >> NODE_BITS)
        if held is None:
            return set()
        return {_Use(tier, held[0], byte, role, source, evidence, name) for byte in unpack_sites(sites)}

    def _reference(self, use: _Use) -> Reference:
        held, caller = self._nodes.file(use.source >> NODE_BITS), self._nodes.node(use.source)
        assert held is not None
        line, column = self._nodes.place(held[1], use.byte)
        content = self._nodes.content(held[1])
        width = len(use.name) if content.startswith(use.name.encode(), use.byte) else _word(content, use.byte)
        kind, at = evidence_of(use.evidence) if use.evidence >= 0 else ("name", 0)
        return Reference(
            use.path, line, column, line, column + width, USE_ROLES[use.role], TIERS[use.tier],
            f"{kind}:{at}" if at else kind, caller.qualified if caller is not None else "",
        )  # fmt: skip


class _Use(NamedTuple):
    """A use before it is shown, in the order in which it is."""

    tier: int
    path: str
    byte: int
    role: int
    source: int
    evidence: int
    name: str


def _key_of(use: _Use) -> tuple[int, str, int, int]:
    return use.tier, use.path, use.byte, use.role


def _key(use: _Use) -> str:
    return base64.urlsafe_b64encode(json.dumps(_key_of(use)).encode()).decode()


def _read_key(text: str) -> tuple[int, str, int, int]:
    """The inverse of `_key`; `BadInput` for what nobody was given."""
    try:
        tier, path, byte, role = json.loads(base64.urlsafe_b64decode(text))
        return int(tier), str(path), int(byte), int(role)
    except (ValueError, TypeError) as error:
        raise BadInput(f"{text[:40]!r} is no continuation of references; ask the question again") from error


def _word(content: bytes, byte: int) -> int:
    """How many characters the name at a byte has: an alias is not spelled like what it stands for."""
    text = content[byte : byte + 400].decode("utf-8", "replace")
    width = 0
    while width < len(text) and (text[width].isalnum() or text[width] in "_$"):
        width += 1
    return max(width, 1)
