"""The edges of snapshots: which definition uses which, where, and how that is known.

They change with the flip, in its transaction, so a snapshot and its edges are never of two times. Main calls:
`files_of`, `replace`, `into`, `out_of`, `loose`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import apsw

from clew.store.database import fetch_all, fetch_one
from clew.store.packs import (
    NODE_BITS,
    WHOLE_FILE,
    EdgeRow,
    LoosePack,
    LooseRow,
    Pack,
    Packed,
    with_externals,
)  # fmt: skip

_SNAPSHOT_BITS = 32  # of a packed file's id, below its snapshot
_NOTHING = (b"", b"")  # what is packed of a file that leads nowhere: it has no row


class GraphFile(NamedTuple):
    """A file of the graph: what its edges were made of."""

    number: int
    path: str
    facts: int
    shape: bytes
    inputs: bytes
    nodes: bytes  # of each ordinal its node; empty where they are the same
    details: bytes | None = None  # `files_of` leaves them out: `details_of` has them


def files_of(connection: apsw.Connection, snapshot: int) -> list[GraphFile]:
    """The files that the graph of a snapshot knows."""
    rows = connection.execute(
        "SELECT number, path, facts, shape, inputs, nodes FROM graph_file WHERE snapshot = ?", (snapshot,)
    )
    return [GraphFile(*row) for row in rows]


def paths_of(connection: apsw.Connection, snapshot: int) -> dict[int, str]:
    """The paths of the files that the graph of a snapshot knows, by number."""
    return dict(connection.execute("SELECT number, path FROM graph_file WHERE snapshot = ?", (snapshot,)))


def details_of(connection: apsw.Connection, snapshot: int, numbers: Sequence[int]) -> list[bytes | None]:
    """Hashes of the names in other files that the edges of some files rest on; None where they are not known."""
    rows = connection.execute(
        "SELECT number, details FROM json_each(?) CROSS JOIN graph_file ON snapshot = ? AND number = value",
        (json.dumps(numbers), snapshot),
    )
    found = dict(rows)
    return [found[number] for number in numbers]


def file_at(connection: apsw.Connection, snapshot: int, number: int) -> tuple[str, int, bytes] | None:
    """Path, facts and nodes of a file by its number."""
    sql = "SELECT path, facts, nodes FROM graph_file WHERE snapshot = ? AND number = ?"
    row = fetch_one(connection, sql, (snapshot, number))
    return (row[0], row[1], row[2]) if row else None


def number_of(connection: apsw.Connection, snapshot: int, path: str) -> int | None:
    """The number of a file by its path."""
    row = fetch_one(connection, "SELECT number FROM graph_file WHERE snapshot = ? AND path = ?", (snapshot, path))
    return row[0] if row else None


def replace(
    connection: apsw.Connection,
    snapshot: int,
    files: Sequence[GraphFile],
    removed: Iterable[int],
    packed: Sequence[Packed],
) -> None:
    """Let files have these edges and no others, and forget some files, in the caller's transaction."""
    is_first = fetch_one(connection, "SELECT 1 FROM graph_file WHERE snapshot = ? LIMIT 1", (snapshot,)) is None
    gone = [*removed]
    old = [*gone, *(file.number for file in files)] if not is_first else []
    before, after = _Ends(), _Ends()
    held = {number: _packed_at(connection, snapshot, number) for number in old}
    for number, (edges, loose) in held.items():
        before.add(number, {*Pack(edges, number).targets()}, LoosePack(loose, number).names)
    connection.executemany(
        "DELETE FROM graph_file WHERE snapshot = ? AND number = ?", ((snapshot, number) for number in old)
    )
    connection.executemany(
        "INSERT INTO graph_file VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ((snapshot, *file) for file in files)
    )
    ids = external_ids(connection, (name for file in packed for name in file.externals))
    rows = []
    for file in packed:
        edges, targets = with_externals(file, [ids[name] for name in file.externals])
        after.add(file.number, targets, file.names)
        if held.get(file.number, _NOTHING) == (edges, file.loose):
            continue
        if edges or file.loose:
            rows.append((_id(snapshot, file.number), edges, file.loose))
        else:
            gone.append(file.number)
    connection.executemany("DELETE FROM packed_edge WHERE id = ?", ((_id(snapshot, number),) for number in gone))
    connection.executemany("INSERT OR REPLACE INTO packed_edge VALUES (?, ?, ?)", sorted(rows))
    _rewrite(connection, snapshot, "used_by", ("target", "number"), before.used_by, after.used_by)
    _rewrite(connection, snapshot, "loose_name", ("name", "number"), before.loose_name, after.loose_name)
    _rewrite(connection, snapshot, "file_edge", ("source", "target"), before.file_edge, after.file_edge)


class _Ends:
    """What some files lead to, as the rows of the tables that tell who leads to what."""

    def __init__(self) -> None:
        self.used_by: list[tuple[int, int]] = []  # no row of any of them comes twice
        self.loose_name: list[tuple[str, int]] = []
        self.file_edge: list[tuple[int, int]] = []

    def add(self, number: int, targets: set[int], names: Iterable[str]) -> None:
        self.used_by += zip(targets, repeat(number))
        self.loose_name += zip(names, repeat(number))
        others = {target >> NODE_BITS for target in targets if target >= 0} - {number}
        self.file_edge += zip(repeat(number), others)


def _rewrite(
    connection: apsw.Connection,
    snapshot: int,
    table: str,
    columns: tuple[str, str],
    before: list[tuple[Any, int]],
    after: list[tuple[Any, int]],
) -> None:
    """Let a table have other rows than before. When a file is saved most of them stay, and are not written."""
    if before:
        stay = {*before} & {*after}
        before, after = [row for row in before if row not in stay], [row for row in after if row not in stay]
    where = " AND ".join(f"{column} = ?" for column in columns)
    connection.executemany(f"DELETE FROM {table} WHERE snapshot = {snapshot:d} AND {where}", before)
    # A first graph has a hundred thousand: the snapshot is not given with each, and they come in order.
    connection.executemany(
        f"INSERT INTO {table} (snapshot, {', '.join(columns)}) VALUES ({snapshot:d}, ?, ?)", sorted(after)
    )


def _id(snapshot: int, number: int) -> int:
    return snapshot << _SNAPSHOT_BITS | number


def external_ids(connection: apsw.Connection, names: Iterable[str]) -> dict[str, int]:
    """The ids of external names, made where there are none; in the caller's transaction."""
    known: dict[str, int] = {}
    for name in sorted(set(names)):
        row = fetch_one(connection, "SELECT id FROM external WHERE name = ?", (name,))
        if row is None:
            connection.execute("INSERT INTO external (name) VALUES (?)", (name,))
            known[name] = connection.last_insert_rowid()
        else:
            known[name] = row[0]
    return known


def external_name(connection: apsw.Connection, number: int) -> str:
    """The name of what is external."""
    row = fetch_one(connection, "SELECT name FROM external WHERE id = ?", (number,))
    return row[0] if row else "?"


def find_externals(connection: apsw.Connection, name: str) -> list[tuple[int, str]]:
    """(id, name) of what is external and has this name, whole or as its last parts."""
    rows = fetch_all(
        connection,
        "SELECT id, name FROM external WHERE name = ?1 OR name LIKE '%.' || ?2 ESCAPE '\\' ORDER BY name",
        (name, name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")),
    )
    return [(row[0], row[1]) for row in rows]


def into(connection: apsw.Connection, snapshot: int, targets: Sequence[int]) -> list[EdgeRow]:
    """The edges that lead to some nodes, node by node."""
    rows = fetch_all(
        connection,
        f"SELECT id, edges FROM packed_edge WHERE id IN (SELECT ?1 << {_SNAPSHOT_BITS} | number FROM used_by"
        " WHERE snapshot = ?1 AND target IN (SELECT value FROM json_each(?2)))",
        (snapshot, json.dumps(targets)),
    )
    wanted: dict[int, list[EdgeRow]] = {target: [] for target in targets}
    for held, packed in rows:
        for row in Pack(packed, held - _id(snapshot, 0)).to(wanted):
            wanted[row.target].append(row)
    return [row for found in wanted.values() for row in sorted(found)]


def callers(connection: apsw.Connection, snapshot: int, target: int, role: int) -> list[EdgeRow]:
    """The edges that lead to a node in a role: the surest first, then in order of path and place."""
    rows = fetch_all(
        connection,
        "SELECT number, path, edges FROM used_by JOIN graph_file USING (snapshot, number)"
        f" JOIN packed_edge ON id = ?1 << {_SNAPSHOT_BITS} | number WHERE snapshot = ?1 AND target = ?2",
        (snapshot, target),
    )
    found = [
        (row.tier, path, int.from_bytes(row.sites[:4], "little"), row)
        for number, path, packed in rows
        for row in Pack(packed, number).to((target,))
        if row.role == role
    ]
    return [row for *_, row in sorted(found)]


def out_of(connection: apsw.Connection, snapshot: int, sources: Sequence[int]) -> list[EdgeRow]:
    """The edges that go out from some nodes, node by node."""
    wanted: dict[int, list[EdgeRow]] = {source: [] for source in sources}
    for number in {source >> NODE_BITS for source in sources}:
        for row in Pack(_packed_at(connection, snapshot, number)[0], number).of(wanted):
            wanted[row.source].append(row)
    return [row for found in wanted.values() for row in sorted(found)]


def out_of_file(connection: apsw.Connection, snapshot: int, number: int) -> list[EdgeRow]:
    """All edges that go out from a file."""
    return Pack(_packed_at(connection, snapshot, number)[0], number).rows()


def loose(connection: apsw.Connection, snapshot: int, name: str) -> list[LooseRow]:
    """Members of this name of what nothing is known of."""
    rows = fetch_all(
        connection,
        f"SELECT number, loose FROM loose_name JOIN packed_edge ON id = ?1 << {_SNAPSHOT_BITS} | number"
        " WHERE snapshot = ?1 AND name = ?2",
        (snapshot, name),
    )
    return [row for number, packed in rows for row in LoosePack(packed, number).named(name)]


def loose_out_of(connection: apsw.Connection, snapshot: int, source: int) -> list[LooseRow]:
    """What a node takes of things that nothing is known of."""
    number = source >> NODE_BITS
    return sorted(LoosePack(_packed_at(connection, snapshot, number)[1], number).of(source))


def loose_out_of_file(connection: apsw.Connection, snapshot: int, number: int) -> list[LooseRow]:
    """The same for all nodes of a file."""
    return LoosePack(_packed_at(connection, snapshot, number)[1], number).rows()


def _packed_at(connection: apsw.Connection, snapshot: int, number: int) -> tuple[bytes, bytes]:
    """The edges of a file and what is loose in it, packed."""
    row = fetch_one(connection, "SELECT edges, loose FROM packed_edge WHERE id = ?", (_id(snapshot, number),))
    return (row[0], row[1]) if row else _NOTHING


def _packs(connection: apsw.Connection, snapshot: int) -> Iterable[Pack]:
    """The edges of all files, one after the other."""
    rows = connection.execute(
        "SELECT id, edges FROM packed_edge WHERE id BETWEEN ? AND ?", (_id(snapshot, 0), _id(snapshot + 1, 0) - 1)
    )
    return (Pack(packed, held - _id(snapshot, 0)) for held, packed in rows)


def nodes_named(connection: apsw.Connection, snapshot: int, name: str) -> list[tuple[Any, ...]]:
    """Nodes of the snapshot with this name, in order of path: (number, path, facts, ordinal) of each."""
    return fetch_all(
        connection,
        f"SELECT number, path, graph_file.facts, found.id & {WHOLE_FILE} FROM (SELECT id FROM symbol WHERE name = ?1"
        f" UNION ALL SELECT id FROM attribute WHERE name = ?1) AS found CROSS JOIN"
        f" graph_file INDEXED BY graph_file_facts ON graph_file.facts = found.id >> {NODE_BITS} AND snapshot = ?2"
        " ORDER BY path, 4",
        (name, snapshot),
    )


def attribute_at(connection: apsw.Connection, facts: int, ordinal: int) -> tuple[str, int, int] | None:
    """(name, class, byte) of an attribute."""
    sql = "SELECT name, owner, byte FROM attribute WHERE id = ?"
    row = fetch_one(connection, sql, (facts << NODE_BITS | ordinal,))
    return (row[0], row[1], row[2]) if row else None


def pairs(connection: apsw.Connection, snapshot: int) -> list[tuple[int, int]]:
    """(source, target) of every edge within the project, each as often as it is used in another role."""
    packs = _packs(connection, snapshot)
    ends = (zip(pack.sources(), pack.targets(), strict=True) for pack in packs)
    return [pair for some in ends for pair in some if pair[1] >= 0]


def file_pairs(connection: apsw.Connection, snapshot: int, role: int) -> list[tuple[int, int]]:
    """(source, target) of the files between which there are edges in a role."""
    found: set[tuple[int, int]] = set()
    for pack in _packs(connection, snapshot):
        targets = (target for target, its in zip(pack.targets(), pack.roles(), strict=True) if its == role)
        found.update((pack.number, target >> NODE_BITS) for target in targets if target >= 0)
    return sorted(pair for pair in found if pair[0] != pair[1])


def users(connection: apsw.Connection, snapshot: int) -> dict[str, int]:
    """How many other files use something of each file, for those that any uses."""
    rows = connection.execute(
        "SELECT path, count(*) FROM file_edge AS used JOIN graph_file AS file"
        " ON file.snapshot = used.snapshot AND file.number = used.target WHERE used.snapshot = ? GROUP BY used.target",
        (snapshot,),
    )
    return dict(rows)


def files_used(connection: apsw.Connection, snapshot: int, number: int) -> set[int]:
    """The other files that a file has edges to."""
    sql = "SELECT target FROM file_edge WHERE snapshot = ? AND source = ?"
    return {row[0] for row in connection.execute(sql, (snapshot, number))}


def files_using(connection: apsw.Connection, snapshot: int, number: int) -> set[int]:
    """The files that have edges to a file."""
    rows = connection.execute(
        "SELECT DISTINCT number FROM used_by WHERE snapshot = ? AND target BETWEEN ? AND ?",
        (snapshot, number << NODE_BITS, number << NODE_BITS | WHOLE_FILE),
    )
    return {row[0] for row in rows}


def has_external_member(connection: apsw.Connection, snapshot: int, name: str) -> bool:
    """Whether a member of this name is taken of something external."""
    sql = (
        "SELECT 1 FROM external CROSS JOIN used_by ON snapshot = ?1 AND target = -external.id"
        " WHERE substr(external.name, -length(?2)) = ?2 LIMIT 1"
    )
    return fetch_one(connection, sql, (snapshot, f".{name}")) is not None


def forget(connection: apsw.Connection, snapshots: Sequence[int]) -> None:
    """Drop the graphs of snapshots, in the caller's transaction."""
    for table in ("used_by", "loose_name", "graph_file", "file_edge"):
        connection.executemany(f"DELETE FROM {table} WHERE snapshot = ?", ((snapshot,) for snapshot in snapshots))
    spans = ((_id(snapshot, 0), _id(snapshot + 1, 0) - 1) for snapshot in snapshots)
    connection.executemany("DELETE FROM packed_edge WHERE id BETWEEN ? AND ?", spans)
