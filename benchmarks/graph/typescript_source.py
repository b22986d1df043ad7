"""What the grammar of TypeScript says of a place: the role of a name, and which definition a name belongs to.

scip-typescript tells what a name means, but neither whether it is called nor what sort of thing it names.
Main calls: `TypeScriptFile.site`, `TypeScriptFile.definition`.
"""

from __future__ import annotations

from typing import Any

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from benchmarks.graph.facts import Definition, Place, Site

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_KINDS = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "interface_declaration": "type",
    "type_alias_declaration": "type",
    "enum_declaration": "type",
    "internal_module": "namespace",
    "module": "namespace",
    "method_definition": "method",
    "method_signature": "method",
    "abstract_method_signature": "method",
    "public_field_definition": "field",
    "enum_assignment": "field",
}
SYMBOLS = frozenset({"function", "class", "type", "method"})  # also where only a function's body sees them
_KEYS = frozenset({"shorthand_property_identifier", "shorthand_property_identifier_pattern"})


class TypeScriptFile:
    """One parsed file."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self._lines = content.split(b"\n")
        grammar = (
            tree_sitter_typescript.language_tsx()
            if path.endswith("x")
            else tree_sitter_typescript.language_typescript()
        )
        self._root = Parser(Language(grammar)).parse(content).root_node

    @property
    def length(self) -> int:
        return len(self._lines)

    def place(self, line: int, units: int) -> Place:
        """From a 0-based line and column in UTF-16 units."""
        return line + 1, len(self._before(line, units)) + 1

    def _before(self, line: int, units: int) -> str:
        raw = self._lines[line]
        if raw.isascii():
            return raw[:units].decode("ascii")
        text = raw.decode("utf-8", "replace")
        return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "replace")

    def node(self, line: int, units: int) -> Node | None:
        """The leaf at a place."""
        point = (line, len(self._before(line, units).encode()))
        return self._root.descendant_for_point_range(point, point)

    def site(self, line: int, units: int) -> Site | None:
        """The name that stands at a place; None for what is no name, such as the path of an import."""
        node = self.node(line, units)
        parent = node.parent if node is not None else None
        if node is None or parent is None or not (node.type.endswith("identifier") or node.type in _KEYS):
            return None
        name = _text(node)
        if _is_import(parent):
            return Site(name, "import", False)
        is_key = parent.type in ("pair", "pair_pattern") and _is_field(parent, "key", node)
        is_key = is_key or (parent.type == "method_definition" and _is_field(parent, "name", node))
        if node.type in _KEYS or is_key:  # of an object whose type names it, too
            return Site(name, "key", False)
        used = parent if parent.type == "member_expression" and _is_field(parent, "property", node) else node
        caller = used.parent
        is_call = caller is not None and (
            (caller.type == "call_expression" and _is_field(caller, "function", used))
            or (caller.type == "new_expression" and _is_field(caller, "constructor", used))
        )
        return Site(name, "call" if is_call else "ref", is_call)

    def definition(self, line: int, units: int) -> Definition | None:
        """The definition whose name stands at a place; its kind is empty for parameters and the like."""
        node = self.node(line, units)
        if node is None or node.parent is None:
            return None
        owner = node.parent
        if owner.type == "string":  # a quoted key
            node, owner = owner, owner.parent or owner
        kind = _kind(owner, node)
        names = [_text(node).strip("'\"")]
        above = owner.parent
        while above is not None:
            name = above.child_by_field_name("name") or above.child_by_field_name("key")
            if name is not None and _kind(above, name) not in ("", "attribute"):
                names.append(_text(name).strip("'\""))
            above = above.parent
        place = self.place(line, units)
        return Definition(self.path, *place, owner.end_point[0] + 1, ".".join(reversed(names)), kind)


def _kind(owner: Node, name: Node) -> str:
    kind = _KINDS.get(owner.type)
    if kind is not None:
        return kind if _is_field(owner, "name", name) else ""
    if owner.type == "variable_declarator" and _is_field(owner, "name", name):
        value = owner.child_by_field_name("value")
        if value is not None and value.type in _FUNCTIONS:
            return "function"
        return "class" if value is not None and value.type == "class" else "variable"
    if owner.type == "property_signature":
        holder = owner.parent
        is_named = holder is not None and (
            holder.type == "interface_body"
            or (holder.parent is not None and holder.parent.type == "type_alias_declaration")
        )
        return "field" if is_named else "attribute"
    if owner.type == "pair" and _is_field(owner, "key", name):
        value = owner.child_by_field_name("value")
        return "method" if value is not None and value.type in _FUNCTIONS else "attribute"
    if owner.type == "enum_body":
        return "field"
    if owner.type == "required_parameter":
        return "field" if any(child.type == "accessibility_modifier" for child in owner.children) else ""
    return "attribute" if owner.type in ("object", "object_type") else ""


def _is_import(node: Node) -> bool:
    """Whether a name is part of an import, or of an export of something that is defined elsewhere."""
    return node.type in (
        "import_clause",
        "import_specifier",
        "namespace_import",
        "export_specifier",
        "namespace_export",
    )


def _is_field(owner: Node, field: str, node: Node) -> bool:
    found: Any = owner.child_by_field_name(field)
    return found is not None and found.start_byte == node.start_byte and found.end_byte == node.end_byte


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
