"""Answers about the graph as JSON objects; one builder for each shape."""

from __future__ import annotations

from collections.abc import Iterable

from clew.graph.calls import CallGraph, Note
from clew.graph.nodes import Node
from clew.graph.references import LAYER
from clew.graph.slices import Step
from clew.relations import Calls, Imports, References, RepoMap, VariableSlice
from clew.search.filters import Scope
from clew.serve import envelopes
from clew.serve.gates import Envelope


def references(path: str, found: References, scope: Scope) -> Envelope:
    """Definitions first, then who uses them, the surest first."""
    items = [
        {
            "path": item.path, "start_line": item.start_line, "start_column": item.start_column,
            "end_line": item.end_line, "end_column": item.end_column, "role": item.role, "layer": LAYER,
            "tier": item.tier, "evidence": item.evidence, "caller": item.caller,
        }
        for item in found.references
    ]  # fmt: skip
    definitions = [
        {**_definition(node), "interface_hash": interface}
        for node, interface in zip(found.definitions, found.interfaces, strict=True)
    ]
    shape = {"definitions": definitions, "references": items, "total": found.total, "truncated": found.truncated}
    envelope = envelopes.ok(path, found, scope, **shape, continuation=found.continuation)
    if found.inherited:
        envelope["warnings"].append(envelopes.inherited(node.qualified for node in found.definitions))
    return envelope


def calls(path: str, found: Calls) -> Envelope:
    """Nodes, edges and notes; notes that were cut are counted and warned of."""
    graph = found.graph
    shown, total = len(found.notes), found.total_notes
    envelope = envelopes.ok(
        path, found, Scope(), roots=[node.key for node in graph.roots], nodes=[_node(node) for node in graph.nodes],
        edges=_edges(graph), truncated=graph.is_cut, notes=[_note(note) for note in found.notes],
        notesTruncated=shown < total, totalNoteCount=total, returnedNoteCount=shown,
    )  # fmt: skip
    if found.inherited:
        envelope["warnings"].append(envelopes.inherited(node.qualified for node in graph.roots))
    if shown < total:
        message = f"{shown} of {total} notes are shown; raise note_limit for more"
        envelope["warnings"].append(envelopes.warning("CALL_GRAPH_NOTES_TRUNCATED", message))
    return envelope


def repo_map(path: str, found: RepoMap) -> Envelope:
    """The map as text, and its definitions one by one."""
    symbols = [_definition(node) for node in found.symbols]
    return envelopes.ok(path, found, Scope(), text=found.text, symbols=symbols, focus=list(found.focus))


def imports(path: str, found: Imports) -> Envelope:
    """Which files import which, and the circles; of one file also what it shows to others."""
    edges = [{"from": source, "to": target} for source, target in found.graph.imports]
    cycles = [list(cycle) for cycle in found.graph.cycles]
    envelope = envelopes.ok(path, found, Scope(), files=list(found.graph.files), imports=edges, cycles=cycles)
    if found.exports is not None:
        envelope["exports"] = [
            {"name": item.name, "kind": item.node.kind, "path": item.node.path, "start_line": item.node.line,
             "qualified_name": item.node.qualified, "used_by": item.used_by}
            for item in found.exports
        ]  # fmt: skip
    return envelope


def variable_slice(path: str, found: VariableSlice) -> Envelope:
    """The lines that a variable depends on, and those that it reaches."""

    def steps(lines: Iterable[Step]) -> list[Envelope]:
        return [{"line": s.line, "text": s.text, "binds": list(s.binds), "uses": list(s.uses)} for s in lines]

    return envelopes.ok(
        path, found, Scope(), file=found.path, function=found.function, variable=found.variable,
        depends_on=steps(found.slice.depends_on), reaches=steps(found.slice.reaches),
    )  # fmt: skip


def _definition(node: Node) -> Envelope:
    return {
        "id": node.key, "name": node.name, "qualified_name": node.qualified, "kind": node.kind, "path": node.path,
        "start_line": node.line, "end_line": node.end_line, "signature": node.signature,
    }  # fmt: skip


def _node(node: Node) -> Envelope:
    return {
        "id": node.key, "name": node.qualified or node.name, "path": node.path, "start_line": node.line,
        "kind": node.kind, "external": node.is_external,
    }  # fmt: skip


def _edges(graph: CallGraph) -> list[Envelope]:
    return [
        {
            "from": call.source.key, "to": call.target.key, "layer": LAYER, "tier": call.tier,
            "sites": [{"line": site.line, "column": site.column} for site in call.sites],
        }
        for call in graph.calls
    ]  # fmt: skip


def _note(note: Note) -> Envelope:
    return {
        "file": note.file, "type": note.type, "symbolId": note.symbol, "startLine": note.line, "detail": note.detail,
    }  # fmt: skip
