"""Haskell's names: values and types are apart, patterns bind all variables in them, imports bring in what they list.

A name that the file does not define is a question to the graph: `Gv lookup`, `GtData/Map Map` for `Data.Map.Map`, or
`Gf name` for a field alone; constructors behind it are of patterns with `..` around, which may bind it. `Jv3 lookup` is
what import 3 lists, `M3` its module, `I X` the modules of `module X`, `NCart name` a field of what `Cart` makes.
Import lists are kept as `links.paths`, the export list as `links.exports["("]`: one line for each item.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from clew.parse.names import Names
from clew.parse.scopes import Scope
from clew.types import Symbol

EXPORT_LIST = "("
_STEPS = str.maketrans(".(^…↓↑", "\1\2\3\4\5\6")  # what would end a name in a reference
_NAMES = str.maketrans("\1\2\3\4\5\6", ".(^…↓↑")
_QUALIFIER = re.compile(rb"(?<![\w'])((?:[A-Z][\w']*\.)+)\Z")
_QUALIFIED = re.compile(r"((?:[A-Z][\w']*\.)*)(.*)", re.DOTALL)
_PATTERN = re.compile(rb"\bpattern\s+\Z")
_MAX_QUALIFIER = 200
_BINDING, _OUTER, _TYPES, _PLAIN = range(4)  # regions; of two that are the same, the last counts
_REGIONS = (("pattern", _BINDING), ("pattern.outer", _OUTER), ("types", _TYPES), ("expression", _PLAIN))


def escaped(name: str) -> str:
    """A name as it stands in a reference."""
    return name.translate(_STEPS)


def unescaped(name: str) -> str:
    """The inverse of `escaped`."""
    return name.translate(_NAMES)


class HaskellNames(Names):
    """What a name means in a file of Haskell."""

    def _define(self) -> None:
        captures = self._captures
        self._types: dict[str, list[int]] = {}
        self._values: dict[str, list[int]] = {}
        self._type_operators: set[int] = set()
        self._wild: dict[Scope, list[str]] = {}
        self._fields = {node.start_byte for node in captures.get("field", ())}
        self._told = {node.start_byte for node in captures.get("export.module", ())}
        self._makers = {node.start_byte: self._maker(node) for node in captures.get("record", ())}
        self._records, self._steps = _Spans(captures.get("record", ())), _Spans(captures.get("step", ()))
        self._together = _Spans(captures.get("together", ()))
        self._errors = _Spans(captures.get("error", ()))
        self._broken = {self._outermost(node.start_byte) for node in captures.get("error", ())}
        self._header()
        self._read_imports(captures.pop("import", []))  # what stands in them is told here, too
        self._define_symbols()
        self._bind_patterns()
        for node in captures.get("bind", ()):
            self._let(self._around(node.start_byte), node.start_byte, node.end_byte)
        for node in captures.get("pun", ()):
            self._let(self.scopes.at(node.start_byte), node.start_byte, node.end_byte, is_pun=True)
        for node in sorted(captures.get("wild", ()), key=_start):
            self._wild.setdefault(self.scopes.at(node.start_byte), []).append(self._maker(node))

    # -- what the file says of itself ---------------------------------------------------------------

    def _header(self) -> None:
        ordinal = next((o for o, symbol in enumerate(self._symbols) if symbol.kind == "module"), -1)
        if ordinal >= 0:
            name = self._symbols[ordinal].qualified
            self.links = self.links._replace(package=name)
            self.links.exports[name] = f"D{ordinal}"
        for node in self._captures.get("exports", ()):
            items = (self._item(child) for child in node.named_children if child.type in ("export", "module_export"))
            self.links.exports[EXPORT_LIST] = "\n".join(item for item in items if item)

    def _read_imports(self, nodes: list[Any]) -> None:
        first: dict[int, int] = {}
        for number, row in enumerate(self._imports):
            first.setdefault(row.start_byte, number)
        self._rows: dict[int, int] = {}
        self._import_spans = _Spans(nodes)
        for node in sorted(nodes, key=_start):
            at = first.get(node.start_byte)
            module = node.child_by_field_name("module")
            if at is None or module is None:
                continue
            self._rows[node.start_byte] = at
            alias = node.child_by_field_name("alias") or module
            words = {child.type for child in node.children if not child.is_named}
            listed = node.child_by_field_name("names")
            mode = "*" if listed is None else "-" if "hiding" in words else "+"
            flags = ("q" if "qualified" in words else "o") + mode
            flags += "p" if node.child_by_field_name("package") is not None else ""
            names = [child for child in listed.named_children if child.type == "import_name"] if listed else []
            self.links.paths[at] = "\n".join(
                [f"{flags} {self._of(alias)} {self._of(module)}", *(item for item in map(self._item, names) if item)]
            )

    def _item(self, node: Any) -> str:
        """An item of a list as a line: its namespace and qualifier, its name, and what it names of a type's own."""
        if node.type == "module_export":
            module = node.child_by_field_name("module")
            return f"m {self._of(module)}" if module is not None else ""
        fields = ("variable", "operator", "type")
        part = next((part for part in map(node.child_by_field_name, fields) if part is not None), None)
        if part is None:
            return ""
        space = node.child_by_field_name("namespace")
        name = self._of(part).strip("()")
        is_type = node.child_by_field_name("type") is not None or name.startswith(":")
        if space is not None:
            is_type = self._of(space) != "pattern"
        match = _QUALIFIED.fullmatch(name)
        assert match is not None
        children = node.child_by_field_name("children")
        inner = [self._of(child).strip("()") for child in children.named_children] if children else []
        inner = [name for name in inner if name and not name.startswith(("--", "{-", "#"))]
        return " ".join([("t" if is_type else "v") + match[1].rstrip("."), match[2], *inner])

    def _define_symbols(self) -> None:
        """Give the file its values and types, functions what is defined in them."""
        instances = _Spans(self._captures.get("hidden", ()))
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind in ("type", "class"):
                if instances.around(symbol.start_byte):  # an instance of a family is no type of its own
                    self.links.hidden.append(ordinal)
                else:
                    self._types.setdefault(symbol.name, []).append(ordinal)
            elif symbol.kind in ("constructor", "field") or self._is_top(symbol):
                self._values.setdefault(symbol.name, []).append(ordinal)
            elif symbol.kind == "function":
                scope = self._around(symbol.start_byte)
                scope.names.setdefault(symbol.name, f"D{ordinal}")
                self._note_since(scope, symbol.name, symbol.start_byte)
        self._hide_copies()

    def _hide_copies(self) -> None:
        """Of several definitions of a name, other files see the first; one that is only declared gives way."""
        equations = self._captures.get("def.equation", ())
        declared = {(node.start_byte, node.end_byte) for node in equations if node.type == "signature"}

        def is_declared(ordinal: int) -> bool:
            symbol = self._symbols[ordinal]
            return symbol.kind == "function" and (symbol.start_byte, symbol.end_byte) in declared

        copies = {ordinal for found in self._types.values() for ordinal in found[1:]}
        hidden = set(copies)
        for found in self._values.values():
            found.sort(key=lambda ordinal: (is_declared(ordinal), ordinal))
            for ordinal in found[1:]:
                symbol = self._symbols[ordinal]
                if symbol.kind in ("function", "method") or symbol.parent in copies:
                    hidden.add(ordinal)
        self.links.hidden.extend(sorted(hidden - set(self.links.hidden)))

    def _is_top(self, symbol: Symbol) -> bool:
        """Whether this is a function of the file or a method that a class declares."""
        if symbol.parent >= 0:
            return symbol.kind == "method" and self._symbols[symbol.parent].kind == "class"
        return symbol.kind == "function" and self._around(symbol.start_byte).parent is None

    # -- what patterns bind -------------------------------------------------------------------------

    def _bind_patterns(self) -> None:
        regions = [
            (node.start_byte, -node.end_byte, kind)
            for role, kind in _REGIONS
            for node in self._captures.get(role, ())
        ]  # fmt: skip
        regions.sort()
        stack: list[tuple[int, int, int]] = []
        position = 0
        lower = ("variable", "operator", "constructor_operator")
        places = {(node.start_byte, node.end_byte, node.type) for node in self._captures.get("ref", ())}
        for start, end, kind in sorted(place for place in places if place[2] in lower):
            while position < len(regions) and regions[position][0] <= start:
                stack.append(regions[position])
                position += 1
            while stack and -stack[-1][1] <= start:
                stack.pop()
            while stack and -stack[-1][1] < end:
                stack.pop()
            region = stack[-1][2] if stack else _PLAIN
            if region == _TYPES:
                (self.bound_here if kind == "variable" else self._type_operators).add(start)
            elif region in (_BINDING, _OUTER) and kind == "variable" and start not in self._fields:
                is_outer = any(one[2] == _OUTER for one in stack)
                scope = self.scopes.at(start)
                if is_outer and scope.parent is not None:
                    scope = self._around(max(one[0] for one in stack if one[2] == _OUTER))
                scope.names[self._text(start, end)] = ""
                self._let(scope, start, end)

    def _let(self, scope: Scope, start: int, end: int, *, is_pun: bool = False) -> None:
        """Bind a variable in a scope; what a pun names is a field as well."""
        name = self._text(start, end)
        scope.names.setdefault(name, "")
        self._note_since(scope, name, start)
        if not is_pun:
            self.bound_here.add(start)

    def _note_since(self, scope: Scope, name: str, place: int) -> None:
        """Say from where on a block has a name: in `x <- f x` the second is another."""
        step = self._steps.around(place)
        since = 0
        is_whole = self._content.startswith(b"mdo", scope.start) or self._together.around(place) is not None
        if step is not None and step[0] >= scope.start and not is_whole and self._is_sequence(scope):
            since = step[0] if self._content.startswith(b"let", step[0]) else step[1]
        scope.since[name] = min(since, scope.since.get(name, since))

    def _is_sequence(self, scope: Scope) -> bool:
        """Whether what a scope binds is known after its place alone: not so where an expression stands before it."""
        return not self._content.startswith(b"[", scope.start)

    def _outermost(self, place: int) -> Scope:
        """The definition of the file that a place is in, or the file."""
        scope = self.scopes.at(place)
        while scope.parent is not None and scope.parent.parent is not None:
            scope = scope.parent
        return scope

    def _around(self, start: int) -> Scope:
        """The scope that a definition stands in which starts here."""
        scope = self.scopes.at(start)
        while scope.parent is not None and scope.start >= start:
            scope = scope.parent
        return scope

    # -- what names mean ----------------------------------------------------------------------------

    def look_up(self, scope: Scope, name: str, place: int = sys.maxsize, *, is_type: bool = False) -> tuple[str, bool]:
        """What a name without a qualifier means at a place."""
        if is_type:
            return self._chosen(self._types[name]) if name in self._types else (f"Gt {escaped(name)}", False)
        wild: list[str] = []
        found = scope
        is_lower = name[:1].islower() or name[:1] == "_"
        is_broken = is_lower and self._errors.around(place) is not None
        while found.parent is not None:
            if name in found.names and found.since.get(name, 0) <= place:
                return found.names[name], not found.names[name]
            wild += self._wild.get(found, ())
            is_broken = is_broken or (is_lower and found in self._broken)
            found = found.parent
        if is_broken:
            return "", True  # what cannot be read may bind it
        if wild and is_lower:
            return " ".join([f"Gv {escaped(name)}", *wild]), False
        if name in self._values:
            return self._chosen(self._values[name])
        return ("", True) if name in found.names else (f"Gv {escaped(name)}", False)

    def _chosen(self, found: list[int]) -> tuple[str, bool]:
        """Of the definitions that a file has of a name the first; none of fields that several types have."""
        fields = {self._symbols[one].parent for one in found if self._symbols[one].kind == "field"}
        return (f"D{found[0]}", False) if len(fields) < 2 else ("", True)

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """What stands at a place: all is told here."""
        name = self._text(start, end)
        row = self._import_at(start)
        if start in self._told:
            return f"I {name.replace('.', '/')}", False
        is_type = role == "type" or start in self._type_operators
        if is_type and _PATTERN.search(self._content[max(0, start - 20) : start]):
            is_type = False
        if row >= 0:
            if self._imports[row].module == name and self._is_module(start, row):
                return f"M{row}", False
            return f"J{'t' if is_type else 'v'}{row} {escaped(name)}", False
        is_behind = self._content[start - 1 : start] == b"."
        match = _QUALIFIER.search(self._content[max(0, start - _MAX_QUALIFIER) : start]) if is_behind else None
        qualifier = match[1].decode().rstrip(".").replace(".", "/") if match else ""
        if start in self._fields:
            record = self._records.around(start)
            maker = self._makers[record[0]] if record is not None else ""
            return f"N{maker} {escaped(name)}" if maker else f"Gf{qualifier} {escaped(name)}", False
        if qualifier:
            return f"G{'t' if is_type else 'v'}{qualifier} {escaped(name)}", False
        return self.look_up(scope, name, start, is_type=is_type)

    def _import_at(self, place: int) -> int:
        span = self._import_spans.around(place)
        return self._rows.get(span[0], -1) if span is not None else -1

    def _is_module(self, start: int, row: int) -> bool:
        """Whether this is where an import names its module, and nothing that it lists."""
        return b"(" not in self._content[self._imports[row].start_byte : start]

    def _maker(self, record: Any) -> str:
        """The constructor of a record that is written or matched; nothing for one that is changed."""
        first = record.named_children[0] if record.named_children else None
        text = self._of(first) if first is not None and first.type in ("constructor", "qualified") else ""
        return text.replace(".", "/") if text.rpartition(".")[2][:1].isupper() else ""

    def _of(self, node: Any) -> str:
        """What a node says, without white space: of code that cannot be read it may hold some."""
        return "".join(self._text(node.start_byte, node.end_byte).split())


def _start(node: Any) -> int:
    return int(node.start_byte)


class _Spans:
    """Nodes of which each is within another or apart from it."""

    def __init__(self, nodes: Iterable[Any]) -> None:
        self._all = sorted({(node.start_byte, -node.end_byte) for node in nodes})
        self._outer: list[int] = []
        for at, (start, _) in enumerate(self._all):
            outer = at - 1
            while outer >= 0 and -self._all[outer][1] <= start:
                outer = self._outer[outer]
            self._outer.append(outer)

    def around(self, place: int) -> tuple[int, int] | None:
        """Where the innermost one around a place begins and ends."""
        at = bisect_right(self._all, (place, 0)) - 1
        while at >= 0 and -self._all[at][1] <= place:
            at = self._outer[at]
        return (self._all[at][0], -self._all[at][1]) if at >= 0 else None
