"""The edges of a file as bytes: one column after the other, so that a look at its targets reads little else.

With a row for each, Django's 233,000 edges and loose uses were 481,000 entries of B-trees; now there are 101,000. Main
calls: `pack_file`, `Pack`.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

NODE_BITS = 16
WHOLE_FILE = (1 << NODE_BITS) - 1  # the ordinal of a file itself

Edge = tuple[int | str, int, int, int, int, bytes]  # as `EdgeRow`, but the target is a name where it is external
Loose = tuple[str, int, int, bytes]  # as `LooseRow`

FEW = 4  # nodes that are looked for one by one; of more, each edge is compared with all
_NUMBER = struct.Struct("<I")
_COUNT = _NUMBER.size  # bytes that come before the columns
_SITE = 4  # bytes of a place


class EdgeRow(NamedTuple):
    target: int
    source: int
    role: int
    tier: int
    evidence: int
    sites: bytes


class LooseRow(NamedTuple):
    name: str
    source: int
    role: int
    sites: bytes


class Packed(NamedTuple):
    """The edges of a file, ready to be stored but for the ids of what is external: the flip knows them."""

    number: int
    edges: bytes
    externals: tuple[str, ...]  # what the targets below 0 mean until then: -1 is the first
    loose: bytes
    names: tuple[str, ...]  # of what is loose


class Pack:
    """Edges of the file of a number, as they were stored; those of one target stand together.

    After their count come columns: targets, evidence, ends of sites, sources, roles, tiers, and all sites."""

    __slots__ = ("_base", "_count", "_packed", "number")

    def __init__(self, packed: bytes, number: int) -> None:
        self.number, self._packed, self._base = number, packed, number << NODE_BITS
        self._count: int = _NUMBER.unpack_from(packed)[0] if packed else 0

    def targets(self) -> list[int]:
        """The target of each edge."""
        return _unpacked("q", self._column(0, 8))

    def sources(self) -> list[int]:
        """The source of each."""
        base = self._base
        return [base | source for source in _unpacked("H", self._column(16, 18))]

    def roles(self) -> bytes:
        """The role of each."""
        return self._column(18, 19)

    def rows(self) -> list[EdgeRow]:
        """All of them."""
        if not self._count:
            return []
        sites = self._packed[_COUNT + 20 * self._count :]
        ends = [_SITE * end for end in _unpacked("I", self._column(12, 16))]
        columns = (
            self.targets(), self.sources(), self.roles(), self._column(19, 20), _unpacked("I", self._column(8, 12)),
            map(sites.__getitem__, map(slice, [0, *ends[:-1]], ends)),
        )  # fmt: skip
        return [*map(EdgeRow, *columns)]

    def to(self, wanted: Collection[int]) -> list[EdgeRow]:
        """Those that lead to some nodes."""
        if len(wanted) > FEW:
            return [self._row(at) for at, target in enumerate(self.targets()) if target in wanted]
        return [
            self._row(at)
            for target in wanted
            for at in _places(self._packed, target.to_bytes(8, "little", signed=True), _COUNT, self._count)
        ]

    def of(self, wanted: Collection[int]) -> list[EdgeRow]:
        """Those that go out from some nodes; those of other files have none here."""
        if len(wanted) > FEW:
            return [self._row(at) for at, source in enumerate(self.sources()) if source in wanted]
        start = _COUNT + 16 * self._count
        return [
            self._row(at)
            for source in wanted
            if source >> NODE_BITS == self.number
            for at in _places(self._packed, (source & WHOLE_FILE).to_bytes(2, "little"), start, self._count)
        ]

    def _column(self, first: int, last: int) -> bytes:
        """What stands between so many bytes an edge."""
        return self._packed[_COUNT + first * self._count : _COUNT + last * self._count]

    def _row(self, at: int) -> EdgeRow:
        packed, count = self._packed, self._count
        ends = _COUNT + 12 * count + 4 * at
        first = _SITE * _NUMBER.unpack_from(packed, ends - 4)[0] if at else 0
        last = _SITE * _NUMBER.unpack_from(packed, ends)[0]
        sites = _COUNT + 20 * count
        return EdgeRow(
            int.from_bytes(packed[_COUNT + 8 * at : _COUNT + 8 * at + 8], "little", signed=True),
            self._base
            | int.from_bytes(packed[_COUNT + 16 * count + 2 * at : _COUNT + 16 * count + 2 * at + 2], "little"),
            packed[_COUNT + 18 * count + at],
            packed[_COUNT + 19 * count + at],
            _NUMBER.unpack_from(packed, _COUNT + 8 * count + 4 * at)[0],
            packed[sites + first : sites + last],
        )


class LoosePack:
    """Uses in the file of a number that lead nowhere, as they were stored: names first, then rows that tell theirs."""

    def __init__(self, packed: bytes, number: int) -> None:
        size = _NUMBER.unpack_from(packed)[0] if packed else 0
        self.names: list[str] = json.loads(packed[_COUNT : _COUNT + size]) if packed else []
        self._rows = Pack(packed[_COUNT + size :], number)

    def rows(self) -> list[LooseRow]:
        """All of them."""
        return self._loose(self._rows.rows())

    def named(self, name: str) -> list[LooseRow]:
        """Those of a name."""
        return self._loose(self._rows.to((self.names.index(name),))) if name in self.names else []

    def of(self, source: int) -> list[LooseRow]:
        """Those that go out from a node."""
        return self._loose(self._rows.of((source,)))

    def _loose(self, rows: Iterable[EdgeRow]) -> list[LooseRow]:
        return [LooseRow(self.names[row.target], row.source, row.role, row.sites) for row in rows]


def _places(packed: bytes, wanted: bytes, start: int, count: int) -> Iterator[int]:
    """Which of so many numbers that begin at a byte are the wanted one."""
    width = len(wanted)
    end = start + width * count
    at = packed.find(wanted, start, end)
    while at >= 0:
        place, beside = divmod(at - start, width)
        if not beside:  # else it is a part of one number and a part of the next
            yield place
        at = packed.find(wanted, at + width - beside, end)


def pack_file(number: int, edges: Sequence[Edge], loose: Sequence[Loose]) -> Packed:
    """What a file leads to, in order of its targets."""
    externals = sorted({row[0] for row in edges if isinstance(row[0], str)})
    places: dict[int | str, int] = {name: -1 - place for place, name in enumerate(externals)}
    rows = sorted((places.get(row[0], row[0]), *row[1:]) for row in edges)
    names = sorted({row[0] for row in loose})
    of_name = {name: place for place, name in enumerate(names)}
    told = sorted((of_name[name], source, role, 0, 0, sites) for name, source, role, sites in loose)
    said = json.dumps(names).encode()
    return Packed(
        number,
        _pack_rows(rows),  # type: ignore[arg-type]
        tuple(externals),
        _NUMBER.pack(len(said)) + said + _pack_rows(told) if told else b"",
        tuple(names),
    )


class EdgesInRows:
    """An aggregate of SQL that packs the edges of a file which older stores have in rows of their own."""

    def __init__(self) -> None:
        self._rows: list[Any] = []

    def step(self, *row: Any) -> None:
        self._rows.append(row)

    def final(self) -> bytes:
        return _pack_rows(sorted(self._rows))


class LooseInRows(EdgesInRows):
    """The same for what is loose in it."""

    def final(self) -> bytes:
        return pack_file(0, (), self._rows).loose


def with_externals(packed: Packed, ids: Sequence[int]) -> tuple[bytes, set[int]]:
    """Edges as they are stored, what is external by the negative of its id, and their targets."""
    edges = packed.edges
    if not edges:
        return edges, set()
    targets = Pack(edges, packed.number).targets()
    if ids:
        targets = [target if target >= 0 else -ids[-1 - target] for target in targets]
        end = _COUNT + 8 * len(targets)
        edges = b"".join((edges[:_COUNT], _packed("q", targets), edges[end:]))
    return edges, set(targets)


def _pack_rows(rows: Sequence[tuple[int, int, int, int, int, bytes]]) -> bytes:
    if not rows:
        return b""
    targets, sources, roles, tiers, evidence, sites = zip(*rows, strict=True)
    ends = [*accumulate(len(places) // _SITE for places in sites)]
    return b"".join((
        _NUMBER.pack(len(rows)), _packed("q", targets), _packed("I", evidence), _packed("I", ends),
        _packed("H", [source & WHOLE_FILE for source in sources]), bytes(roles), bytes(tiers), *sites,
    ))  # fmt: skip


def pack_sites(sites: Sequence[int]) -> bytes:
    """Byte offsets as bytes."""
    if len(sites) == 1:  # most have one, and an array takes five times as long
        return sites[0].to_bytes(4, "little")
    return _packed("I", sites)


def unpack_sites(packed: bytes) -> list[int]:
    """The inverse of `pack_sites`."""
    return _unpacked("I", packed)


def pack_nodes(nodes: Sequence[int] | None) -> bytes:
    """The node of each ordinal as bytes; None where they are the same."""
    return _packed("H", nodes) if nodes is not None else b""


def unpack_nodes(packed: bytes) -> list[int] | None:
    """The inverse of `pack_nodes`."""
    return _unpacked("H", packed) if packed else None


def _packed(kind: str, numbers: Sequence[int]) -> bytes:
    packed = array(kind, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpacked(kind: str, packed: bytes) -> list[int]:
    numbers = array(kind)
    numbers.frombytes(packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
