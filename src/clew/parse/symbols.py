"""Definitions: from the captures of a query to symbols with names, scopes, spans, signatures and docs.

Names are matched to definitions by containment: a name belongs to the innermost definition around it.
Main calls: `collect_symbols`, `interface_hash`.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from functools import cache, partial
from typing import Any

from clew import native
from clew.parse.comments import Comments, clean
from clew.types import Symbol

CLASS_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "impl", "object", "protocol", "extension"})
FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro"})
SPACE_KINDS = frozenset({"module", "namespace"})  # they hold names and are no types
# When one node is captured twice, the earlier kind wins.
_KIND_ORDER = {
    kind: i
    for i, kind in enumerate(
        ["constructor", "method", "function", "enum", "interface", "struct", "class", "type", "constant"]
    )
}
_KIND_ORDER |= {"field": 100, "variable": 101}  # what a declaration is when nothing better is known
_LOCAL_KINDS = frozenset({"variable", "constant", "prototype"})  # inside a function they are no definitions
_VALUE_KINDS = frozenset({"variable", "constant", "field", "property"})  # `int a, b;`: a does not own b
_WHOLE_NAMES = frozenset({"section", "key", "rule", "element", "test"})  # a dot in them separates nothing
_MORE_RULES = frozenset({"scope", "outer", "doc.before", "def.equation"})  # captures whose rules are here alone
_SHOWN = {"equation": "function", "prototype": "function"}
MAX_SIGNATURE = 240
MAX_NAME = 240  # longer ones are headings and selectors
MAX_QUALIFIED = 1_000  # of what goes before the name: ten thousand nested elements would fill the memory
_COMPOUND_NAME = re.compile(r"[\w$~]+(?:(?:::|\.|:|\\|#)[\w$~?!=]+)+\Z")
_TEMPLATE_ARGUMENTS = re.compile(r"\s*<.*", re.DOTALL)
_CLOSING_HASHES = re.compile(r"\s+#+\Z")  # of a Markdown heading
_BODY_COMMENT = re.compile(r":\s*#.*\Z")  # `def f(x):  # why`, when the body begins after it
_COMMENT_LINE = re.compile(r"\n[ \t]*(?:#|//)[^\n]*")  # between the head and the body, or the parameters
_NAME_SEPARATOR = re.compile(r"::|[.:\\#]")


def collect_symbols(
    content: bytes, starts: list[int], captures: dict[str, list[Any]], comments: Comments
) -> list[Symbol]:
    """All definitions of a blob, outer before inner, from the captures of its query."""
    if native.kernels is not None and _MORE_RULES.isdisjoint(captures):
        return _symbols_in_c(content, captures, comments)
    definitions = _definitions(content, captures, comments.ends)
    _attach(content, definitions, captures.get("name", []), "name")
    _attach(content, definitions, captures.get("scope", []), "scope")
    _attach(content, definitions, captures.get("doc", []), "doc")
    if "doc.before" in captures:
        _attach_before(content, definitions, captures["doc.before"])
    if "def.equation" in captures:
        _join_equations(definitions)
    symbols: list[Symbol] = []
    ordinal: dict[int, int] = {}
    for definition in definitions:
        if not definition.name:
            continue
        parent = definition.parent
        while parent is not None and (not parent.name or not _owns(parent, definition)):
            parent = parent.parent
        if parent is not None and definition.kind in _LOCAL_KINDS and parent.kind in FUNCTION_KINDS:
            definition.name = ""
            continue
        parent_ordinal = ordinal[id(parent)] if parent is not None else -1
        ordinal[id(definition)] = len(symbols)
        symbols.append(_symbol(content, starts, definition, symbols, parent_ordinal, comments))
    return symbols


def _symbols_in_c(content: bytes, captures: dict[str, list[Any]], comments: Comments) -> list[Symbol]:
    assert native.kernels is not None
    kinds = [(capture[4:], nodes) for capture, nodes in captures.items() if capture.startswith("def.")]
    rows = native.kernels.symbols(
        content,
        tuple([(_SHOWN.get(kind, kind), _traits(kind), tuple(nodes)) for kind, nodes in kinds]),
        *(tuple(captures.get(role, ())) for role in ("import", "name", "doc")),
        (comments.ends, comments.lines),
        (_named, _on_one_line, clean, comments.above),
        ("constructor", "method"),
    )
    return [*map(partial(tuple.__new__, Symbol), rows)]


@cache
def _traits(kind: str) -> int:
    """What a kind is, as `symbols.c` wants it."""
    bits = (
        kind in CLASS_KINDS,
        kind in FUNCTION_KINDS,
        kind in _VALUE_KINDS,
        kind in _LOCAL_KINDS,
        kind == "constructor",
        kind in ("property", "field"),
        _SHOWN.get(kind, kind) == "function",
    )
    return sum(bit << place for place, bit in enumerate(bits)) | _KIND_ORDER.get(kind, 99) << 8


def interface_hash(symbols: list[Symbol]) -> bytes:
    """What a user of this file can see of it: changes of bodies, comments and places do not count."""
    inside_function: list[bool] = []
    lines: list[str] = []
    for symbol in symbols:
        hidden = symbol.parent >= 0 and (
            inside_function[symbol.parent] or symbols[symbol.parent].kind in FUNCTION_KINDS
        )
        inside_function.append(hidden)
        if not hidden:
            lines.append(f"{symbol.kind}\0{symbol.qualified}\0{symbol.signature}")
    return hashlib.blake2b("\n".join(sorted(lines)).encode(), digest_size=16).digest()


class _Definition:
    """A definition under construction: filled in while names and scopes are matched to it."""

    __slots__ = ("doc", "end", "kind", "name", "name_byte", "node", "parent", "scope", "start")

    def __init__(self, kind: str, node: Any) -> None:
        self.kind, self.node = kind, node
        self.start: int = node.start_byte
        self.end: int = node.end_byte
        self.name = ""
        self.name_byte = -1
        self.scope = self.doc = ""
        self.parent: _Definition | None = None


def _owns(outer: _Definition, inner: _Definition) -> bool:
    """Not so among the declarators of one statement, nor for properties among a constructor's parameters."""
    if outer.kind in _VALUE_KINDS:
        return inner.kind not in _VALUE_KINDS or inner.start < outer.name_byte
    return outer.kind != "constructor" or inner.kind not in ("property", "field")


def _definitions(content: bytes, captures: dict[str, list[Any]], comment_ends: dict[int, int]) -> list[_Definition]:
    """All definitions, outer before inner, each with its innermost enclosing one."""
    found: dict[tuple[int, int], _Definition] = {}
    # An import binds a name, it does not define one: `const x = require("x")`.
    imports = {(node.start_byte, -node.end_byte) for node in captures.get("import", ())}
    for capture, nodes in captures.items():
        if not capture.startswith("def."):
            continue
        kind = capture[4:]
        for node in nodes:
            definition = _Definition(kind, node)
            # Some grammars put the blank lines and comments that follow into the node.
            end = definition.end
            while end > definition.start:
                if content[end - 1] in b" \t\r\n":
                    tail = content[max(definition.start, end - 256) : end]
                    end -= len(tail) - len(tail.rstrip())
                elif comment_ends.get(end, -1) > definition.start:
                    end = comment_ends[end]
                else:
                    definition.end = end
                    break
            span = (definition.start, -definition.end)
            other = found.get(span)
            if span in imports:
                continue
            if other is None or _KIND_ORDER.get(kind, 99) < _KIND_ORDER.get(other.kind, 99):
                found[span] = definition
    spans = sorted(found)
    ordered = [found[span] for span in spans]
    for node in captures.get("outer", ()):  # a class ends before the semicolon of its template
        index = bisect_right(spans, (node.start_byte, 0))
        if index < len(ordered) and node.end_byte - 1 <= ordered[index].end <= node.end_byte:
            ordered[index].start = min(ordered[index].start, node.start_byte)
    stack: list[_Definition] = []
    for definition in ordered:
        while stack and stack[-1].end < definition.end:
            stack.pop()
        definition.parent = stack[-1] if stack else None
        stack.append(definition)
    return ordered


def _attach(content: bytes, definitions: list[_Definition], nodes: list[Any], role: str) -> None:
    """Give each name (scope, docstring) to the innermost definition that contains it; the first one counts."""
    stack: list[_Definition] = []
    position = 0
    for start, end in sorted({(node.start_byte, node.end_byte) for node in nodes}):
        while position < len(definitions) and definitions[position].start <= start:
            stack.append(definitions[position])
            position += 1
        while stack and stack[-1].end < end:
            stack.pop()
        if not stack:
            continue
        definition = stack[-1]
        raw = content[start:end]
        text = raw.strip().decode("utf-8", "replace")
        if role == "scope":  # `A::B<T>::f` has two; those after the name are of the body
            if end <= definition.name_byte:
                text = _TEMPLATE_ARGUMENTS.sub("", text)
                definition.scope = f"{definition.scope}.{text}" if definition.scope else text
        elif not getattr(definition, role):
            setattr(definition, role, text)
            if role == "name":
                definition.name_byte = start + len(raw) - len(raw.lstrip())


def _attach_before(content: bytes, definitions: list[_Definition], nodes: list[Any]) -> None:
    """Give each docstring to the first definition that starts after it."""
    starts = [definition.start for definition in definitions]
    for node in nodes:
        following = bisect_right(starts, node.start_byte)
        if following < len(definitions):
            definitions[following].doc = content[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _join_equations(definitions: list[_Definition]) -> None:
    """Make one definition of neighbouring equations of the same name; the first keeps it."""
    previous: dict[int, _Definition] = {}
    for definition in definitions:
        before = previous.get(id(definition.parent))
        if before is not None and before.kind == definition.kind == "equation" and before.name == definition.name:
            before.end = definition.end
            definition.name, definition.parent = "", before
        else:
            previous[id(definition.parent)] = definition


def _symbol(
    content: bytes,
    starts: list[int],
    definition: _Definition,
    symbols: list[Symbol],
    parent: int,
    comments: Comments,
) -> Symbol:
    kind = _SHOWN.get(definition.kind, definition.kind)
    name, scope, shift = _named(definition.name, kind, definition.scope)
    if kind == "function" and (scope or (parent >= 0 and symbols[parent].kind in CLASS_KINDS)):
        owner = scope.rpartition(".")[2] if scope else symbols[parent].name
        kind = "constructor" if name == owner else "method"
    qualified, floor = _dotted(scope[:MAX_QUALIFIED], name), 0
    if parent >= 0:
        qualified, floor = _dotted(symbols[parent].qualified[:MAX_QUALIFIED], qualified), symbols[parent].start_line
    first = bisect_right(starts, definition.start)
    last = bisect_right(starts, max(definition.start, definition.end - 1))
    return Symbol(
        kind,
        name,
        qualified,
        definition.start,
        definition.end,
        definition.name_byte + shift,
        first,
        last,
        _signature(content, definition),
        clean(definition.doc) if definition.doc else comments.above(first, floor),
        parent,
    )


def _dotted(one: str, other: str) -> str:
    return f"{one}.{other}" if one and other else one or other


def _named(whole: str, kind: str, scope: str = "") -> tuple[str, str, int]:
    """The name of a definition, its scope, and how many bytes of what is written in place of a name go before it."""
    name = whole[:MAX_NAME]
    if not name.isidentifier():
        name, scope = _split_name(whole, kind, scope)
    return name, scope, len(whole[: whole.rindex(name)].encode()) if name != whole else 0


def _split_name(whole: str, kind: str, scope: str) -> tuple[str, str]:
    name = whole.partition("\n")[0][:MAX_NAME].rstrip(" \t\r")
    if kind == "section":
        name = _CLOSING_HASHES.sub("", name)
    if len(name) > 2 and name[0] in "\"'`" and name[-1] == name[0] and name.count(name[0]) == 2:
        name = name[1:-1]
    if kind == "property":
        name = name.lstrip(":")  # Ruby's attr_reader :name
    if kind not in _WHOLE_NAMES and _COMPOUND_NAME.match(name):
        *outer, name = _NAME_SEPARATOR.split(name)
        scope = ".".join([scope, *outer]) if scope else ".".join(outer)
    return name, scope


def _signature(content: bytes, definition: _Definition) -> str:
    """The definition without its body."""
    body = definition.node.child_by_field_name("body")
    end = body.start_byte if body is not None and body.start_byte > definition.name_byte else -1
    if end < 0:
        line_end = content.find(b"\n", definition.name_byte)
        end = min(definition.end, line_end if line_end >= 0 else definition.end)
    return _on_one_line(
        content[definition.start : min(end, definition.start + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
    )


def _on_one_line(text: str) -> str:
    """The head of a definition without comments."""
    if "#" not in text and "//" not in text:  # most have none
        return " ".join(text.split())[:MAX_SIGNATURE].rstrip(" {:=")
    text = _COMMENT_LINE.sub("\n", text)
    return _BODY_COMMENT.sub("", " ".join(text.split()))[:MAX_SIGNATURE].rstrip(" {:=")
