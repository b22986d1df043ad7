"""The graph for people: lines that editors open, trees, and what Graphviz and Mermaid draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.serve.gates import Envelope
from clew.serve.terminal import paint, place

_SURE = frozenset({"proven", "typed"})


def references(envelope: Envelope) -> str:
    """Definitions, then uses, one a line; what is less than proven says so."""
    lines = []
    for item in envelope["definitions"]:
        where = place(item["path"], item["start_line"]) if item["path"] else paint("external", "dim")
        lines.append(f"{where}  {paint(item['kind'], 'dim')} {paint(item['qualified_name'], 'symbol')}")
    for item in envelope["references"]:
        where = f"{place(item['path'], item['start_line'])}:{item['start_column']}"
        around = f" in {item['caller']}" if item["caller"] else ""
        lines.append(
            f"  {where}  {item['role']}{around}  {paint(item['tier'], 'good' if item['tier'] in _SURE else 'bad')}"
        )
    if envelope["truncated"]:
        lines.append(paint(f"{len(envelope['references'])} of {envelope['total']}; --limit shows more", "dim"))
    return "\n".join(lines)


def calls(output: str) -> Callable[[Envelope], str]:
    """The calls as a tree, or for a program that draws."""
    return {"tree": _tree, "dot": _dot, "mermaid": _mermaid}[output]


def _tree(envelope: Envelope) -> str:
    nodes = {node["id"]: node for node in envelope["nodes"]}
    lines: list[str] = []
    for root in envelope["roots"]:
        for title, near, far in (("called by", "to", "from"), ("calls", "from", "to")):
            held: dict[str, list[Any]] = {}
            for edge in envelope["edges"]:
                held.setdefault(edge[near], []).append(edge)
            if root in held:
                lines.append(f"{_name(nodes[root])} {paint(title, 'dim')}")
                _branches(lines, nodes, held, far, root, "", {root})
    lines = lines or [f"{_name(nodes[root])} {paint('has no known calls', 'dim')}" for root in envelope["roots"]]
    for note in envelope["notes"]:
        lines.append(paint(f"note: {note['file']}: {note['type'].replace('_', ' ')}: {note['detail']}", "dim"))
    return "\n".join(lines)


def _branches(
    lines: list[str],
    nodes: dict[str, Any],
    held: dict[str, list[Any]],
    far: str,
    node: str,
    indent: str,
    seen: set[str],
) -> None:
    edges = held.get(node, [])
    for number, edge in enumerate(edges):
        other = edge[far]
        is_last = number == len(edges) - 1
        tier = "" if edge["tier"] == "proven" else paint(f"  {edge['tier']}", "dim")
        again = paint("  (above)", "dim") if other in seen else ""
        lines.append(f"{indent}{'└─' if is_last else '├─'} {_name(nodes[other])}{tier}{again}")
        if other not in seen:
            _branches(lines, nodes, held, far, other, indent + ("   " if is_last else "│  "), seen | {other})


def _name(node: Envelope) -> str:
    if node["external"]:
        return f"{node['name']} {paint('(external)', 'dim')}"
    return f"{paint(node['name'], 'symbol')} {place(node['path'], node['start_line'])}"


def _dot(envelope: Envelope) -> str:
    lines = ["digraph calls {", "  rankdir=LR;", "  node [shape=box, fontname=monospace];"]
    for node in envelope["nodes"]:
        style = ", style=dashed" if node["external"] else ""
        lines.append(f"  {_quoted(node['id'])} [label={_quoted(node['name'])}{style}];")
    for edge in envelope["edges"]:
        style = "" if edge["tier"] == "proven" else f" [style=dashed, label={_quoted(edge['tier'])}]"
        lines.append(f"  {_quoted(edge['from'])} -> {_quoted(edge['to'])}{style};")
    return "\n".join([*lines, "}"])


def _mermaid(envelope: Envelope) -> str:
    names = {node["id"]: f"n{number}" for number, node in enumerate(envelope["nodes"])}
    lines = ["flowchart LR"]
    for node in envelope["nodes"]:
        label = node["name"].replace('"', "#quot;")
        lines.append(f'  {names[node["id"]]}["{label}"]')
    for edge in envelope["edges"]:
        arrow = "-->" if edge["tier"] == "proven" else "-.->"
        lines.append(f"  {names[edge['from']]} {arrow} {names[edge['to']]}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def repo_map(envelope: Envelope) -> str:
    """The map as it is, its files coloured."""
    lines = envelope["text"].split("\n")
    return "\n".join(paint(line, "path") if line and not line.startswith(" ") else line for line in lines)


def imports(envelope: Envelope) -> str:
    """One import a line, then the circles, and of one file what it shows to others and how many use that."""
    lines = [f"{edge['from']} -> {edge['to']}" for edge in envelope["imports"]]
    lines += [paint(f"circle: {' '.join(cycle)}", "bad") for cycle in envelope["cycles"]]
    for item in envelope.get("exports", ()):
        where = place(item["path"], item["start_line"]) if item["path"] else paint("external", "dim")
        files = "no other file" if not item["used_by"] else f"{item['used_by']} file{'s' * (item['used_by'] > 1)}"
        lines.append(f"exports {paint(item['name'], 'symbol')}  {where}  {paint(f'used by {files}', 'dim')}")
    return "\n".join(lines)


def variable_slice(envelope: Envelope) -> str:
    """The lines of a slice, before and after."""
    lines = [f"{paint(envelope['variable'], 'symbol')} in {envelope['function']}"]
    for key, title in (("depends_on", "depends on"), ("reaches", "reaches")):
        lines.append(paint(title, "dim"))
        lines += [f"  {place(envelope['file'], step['line'])}  {step['text']}" for step in envelope[key]]
    return "\n".join(lines)
