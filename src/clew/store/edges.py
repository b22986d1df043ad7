"""The edges of snapshots: which definition uses which, where, and how that is known.

They change with the flip, in its transaction, so a snapshot and its edges are never of two times. Main calls:
`files_of`, `replace`, `into`, `out_of`, `loose`.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import apsw

from clew.store.database import fetch_all, fetch_one

NODE_BITS = 16
WHOLE_FILE = (1 << NODE_BITS) - 1  # the ordinal of a file itself


class GraphFile(NamedTuple):
    """A file of the graph: what its edges were made of."""

    number: int
    path: str
    facts: int
    shape: bytes
    inputs: bytes
    nodes: bytes  # of each ordinal its node; empty where they are the same
    details: bytes | None = None  # `files_of` leaves them out: `details_of` has them


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
    edges: Sequence[EdgeRow],
    loose: Sequence[LooseRow],
) -> None:
    """Let files have these edges and no others, and forget some files, in the caller's transaction."""
    is_first = fetch_one(connection, "SELECT 1 FROM graph_file WHERE snapshot = ? LIMIT 1", (snapshot,)) is None
    gone = [(snapshot, number, number) for number in removed]
    again = [(snapshot, file.number, file.number) for file in files] if not is_first else []
    connection.executemany("DELETE FROM graph_file WHERE snapshot = ? AND number BETWEEN ? AND ?", [*gone, *again])
    for table, spans in ((_EDGE, _nodes_of(gone)), (_LOOSE, _nodes_of(gone)), (_FILE_EDGE, gone)):
        connection.executemany(f"DELETE FROM {table.name} WHERE snapshot = ? AND source BETWEEN ? AND ?", spans)
    connection.executemany(
        "INSERT INTO graph_file VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ((snapshot, *file) for file in files)
    )
    between = {(row[1] >> NODE_BITS, row[0] >> NODE_BITS) for row in edges if row[0] >= 0}
    _rewrite(connection, snapshot, _EDGE, _nodes_of(again), edges)
    _rewrite(connection, snapshot, _LOOSE, _nodes_of(again), loose)
    _rewrite(connection, snapshot, _FILE_EDGE, again, [row for row in between if row[0] != row[1]])


_Span = tuple[int, int, int]  # a snapshot, and from where to where


def _nodes_of(files: Iterable[_Span]) -> list[_Span]:
    """The spans of the nodes of some files."""
    return [(snapshot, first << NODE_BITS, last << NODE_BITS | WHOLE_FILE) for snapshot, first, last in files]


class _Table(NamedTuple):
    name: str
    key: tuple[str, ...]  # after the snapshot
    values: tuple[str, ...] = ()


_EDGE = _Table("edge", ("target", "source", "role", "tier"), ("evidence", "sites"))
_LOOSE = _Table("loose", ("name", "source", "role"), ("sites",))
_FILE_EDGE = _Table("file_edge", ("source", "target"))


def _rewrite(
    connection: apsw.Connection, snapshot: int, table: _Table, spans: Iterable[_Span], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Let a table have these rows and no others of the sources in some spans. Most of them are there already when a
    file is saved, or have only moved: what stays is not written, what moved keeps its place."""
    columns = ", ".join((*table.key, *table.values))
    select = f"SELECT {columns} FROM {table.name} WHERE snapshot = ? AND source BETWEEN ? AND ?"
    before = {row for span in spans for row in connection.execute(select, span)}
    if before:
        width, after = len(table.key), set(rows)
        rows = [row for row in after if row not in before]
        gone = {row[:width] for row in before - after} - {row[:width] for row in rows}
        where = " AND ".join(f"{column} = ?" for column in table.key)
        connection.executemany(f"DELETE FROM {table.name} WHERE snapshot = {snapshot:d} AND {where}", gone)
    changed = ", ".join(f"{column} = excluded.{column}" for column in table.values)
    connection.executemany(  # a first graph has hundreds of thousands: the snapshot is not given with each
        f"INSERT INTO {table.name} (snapshot, {columns})"
        f" VALUES ({snapshot:d}, {', '.join('?' * (len(table.key) + len(table.values)))})"
        + (f" ON CONFLICT DO UPDATE SET {changed}" if changed else ""),
        sorted(rows, key=itemgetter(0)),  # most come in order of their sources
    )


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
    """The edges that lead to some nodes."""
    return _edges(connection, "target", snapshot, targets)


def callers(connection: apsw.Connection, snapshot: int, target: int, role: int) -> list[EdgeRow]:
    """The edges that lead to a node in a role: the surest first, then in order of path and place."""
    rows = fetch_all(
        connection,
        "SELECT tier, path, sites, target, source, evidence FROM edge JOIN graph_file"
        f" ON graph_file.snapshot = edge.snapshot AND number = source >> {NODE_BITS}"
        " WHERE edge.snapshot = ? AND target = ? AND role = ?",
        (snapshot, target, role),
    )
    rows.sort(key=lambda row: (row[0], row[1], int.from_bytes(row[2][:4], "little")))
    return [EdgeRow(target, source, role, tier, evidence, sites) for tier, _, sites, target, source, evidence in rows]


def out_of(connection: apsw.Connection, snapshot: int, sources: Sequence[int]) -> list[EdgeRow]:
    """The edges that go out from some nodes."""
    return _edges(connection, "source", snapshot, sources)


def _edges(connection: apsw.Connection, column: str, snapshot: int, nodes: Sequence[int]) -> list[EdgeRow]:
    found: list[EdgeRow] = []
    for node in nodes:
        by = "INDEXED BY edge_source" if column == "source" else ""  # without statistics SQLite would take the key
        sql = f"SELECT target, source, role, tier, evidence, sites FROM edge {by} WHERE snapshot = ? AND {column} = ?"
        found += [EdgeRow._make(row) for row in connection.execute(sql, (snapshot, node))]
    return found


def loose(connection: apsw.Connection, snapshot: int, name: str) -> list[LooseRow]:
    """Members of this name of what nothing is known of."""
    sql = "SELECT name, source, role, sites FROM loose WHERE snapshot = ? AND name = ?"
    return [LooseRow._make(row) for row in connection.execute(sql, (snapshot, name))]


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


def out_of_file(connection: apsw.Connection, snapshot: int, number: int) -> list[EdgeRow]:
    """All edges that go out from a file."""
    rows = connection.execute(
        "SELECT target, source, role, tier, evidence, sites FROM edge WHERE snapshot = ? AND source BETWEEN ? AND ?",
        (snapshot, number << NODE_BITS, number << NODE_BITS | WHOLE_FILE),
    )
    return [EdgeRow._make(row) for row in rows]


def loose_out_of(connection: apsw.Connection, snapshot: int, source: int) -> list[LooseRow]:
    """What a node takes of things that nothing is known of."""
    sql = "SELECT name, source, role, sites FROM loose WHERE snapshot = ? AND source = ? ORDER BY name, role"
    return [LooseRow._make(row) for row in connection.execute(sql, (snapshot, source))]


def loose_out_of_file(connection: apsw.Connection, snapshot: int, number: int) -> list[LooseRow]:
    """The same for all nodes of a file."""
    rows = connection.execute(
        "SELECT name, source, role, sites FROM loose WHERE snapshot = ? AND source BETWEEN ? AND ?",
        (snapshot, number << NODE_BITS, number << NODE_BITS | WHOLE_FILE),
    )
    return [LooseRow._make(row) for row in rows]


def pairs(connection: apsw.Connection, snapshot: int) -> list[tuple[int, int]]:
    """(source, target) of every edge within the project, each as often as it is used in another role."""
    sql = "SELECT source, target FROM edge WHERE snapshot = ? AND target >= 0"
    return [(row[0], row[1]) for row in connection.execute(sql, (snapshot,))]


def file_pairs(connection: apsw.Connection, snapshot: int, role: int) -> list[tuple[int, int]]:
    """(source, target) of the files between which there are edges in a role."""
    rows = fetch_all(
        connection,
        f"SELECT DISTINCT source >> {NODE_BITS}, target >> {NODE_BITS} FROM edge WHERE snapshot = ? AND target >= 0"
        " AND role = ? ORDER BY 1, 2",
        (snapshot, role),
    )
    return [(row[0], row[1]) for row in rows if row[0] != row[1]]


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
        f"SELECT DISTINCT source >> {NODE_BITS} FROM edge WHERE snapshot = ? AND target BETWEEN ? AND ?",
        (snapshot, number << NODE_BITS, number << NODE_BITS | WHOLE_FILE),
    )
    return {row[0] for row in rows}


def has_external_member(connection: apsw.Connection, snapshot: int, name: str) -> bool:
    """Whether a member of this name is taken of something external."""
    sql = (
        "SELECT 1 FROM external CROSS JOIN edge ON edge.snapshot = ?1 AND target = -external.id"
        " WHERE substr(external.name, -length(?2)) = ?2 LIMIT 1"
    )
    return fetch_one(connection, sql, (snapshot, f".{name}")) is not None


def forget(connection: apsw.Connection, snapshots: Sequence[int]) -> None:
    """Drop the graphs of snapshots, in the caller's transaction."""
    for table in ("edge", "loose", "graph_file", "file_edge"):
        connection.executemany(f"DELETE FROM {table} WHERE snapshot = ?", ((snapshot,) for snapshot in snapshots))
