"""Puts the uses of a file together: those that lead from one definition to one other in one role are an edge.

Main call: `group`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from clew import native
from clew.parse.links import NOWHERE
from clew.store.packs import Edge, Loose, pack_sites

OWN_ROLE = 255  # of a reference whose uses keep their roles

# Where a reference leads: a node, or a name outside, and its tier; the name of a member of something unknown; nowhere.
End = tuple[int | str, int] | tuple[str] | None


class Used(NamedTuple):
    """The uses of a file in order of place."""

    starts: array[int]
    refs: Sequence[int]  # an array, as are the next
    callers: Sequence[int]  # `NOWHERE` for what stands outside every definition
    roles: bytes


class Leads(NamedTuple):
    """What is said of each reference."""

    slots: array[int]  # its end, by number; 0: nowhere
    roles: bytes  # the role of all its uses, or `OWN_ROLE`
    evidence: array[int]


class Sources(NamedTuple):
    """Which nodes the definitions of a file are: this number, with the node of the definition or, if empty, with it."""

    base: int
    nodes: array[int]
    whole: int = NOWHERE  # the node of what stands outside


class Own(NamedTuple):
    """Places that name a node and do not use it, in order."""

    starts: array[int]
    nodes: array[int]


def group(used: Used, leads: Leads, ends: Sequence[End], sources: Sources, own: Own) -> tuple[list[Edge], list[Loose]]:
    """One row for each end, source and role, with all sites; it rests on what its first use does."""
    if native.kernels is not None:
        edges, loose = native.kernels.group(used, leads, tuple(ends), sources, own)
        return edges, loose
    named = dict(zip(own.starts, own.nodes, strict=True))
    found: dict[tuple[int, int, int], tuple[int, list[int]]] = {}
    for start, ref, caller, role in zip(*used, strict=True):
        slot = leads.slots[ref]
        end = ends[slot]
        if end is None or (start in named and end[0] == named[start]):
            continue
        node = sources.nodes[caller] if sources.nodes and caller != sources.whole else caller
        own_role = leads.roles[ref]
        key = (slot, sources.base | node, role if own_role == OWN_ROLE else own_role)
        held = found.get(key)
        if held is None:
            found[key] = (leads.evidence[ref], [start])
        else:
            held[1].append(start)
    rows: list[Edge] = []
    loose_rows: list[Loose] = []
    for (slot, source, role), (evidence, sites) in found.items():
        end = ends[slot]
        assert end is not None
        if len(end) == 2:
            rows.append((end[0], source, role, end[1], evidence, pack_sites(sites)))
        else:
            loose_rows.append((end[0], source, role, pack_sites(sites)))
    return rows, loose_rows
