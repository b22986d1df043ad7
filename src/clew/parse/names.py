"""The names of a blob: which scope binds each, what imports and types stand for, what a bare name means at a place.

Main call: `Names`, which `binding` builds upon; what the captures mean stands there.
"""

from __future__ import annotations

import sys
from typing import Any

from clew.parse.events import first_bound
from clew.parse.links import Attribute, no_links
from clew.parse.owners import find_owners, last_part
from clew.parse.paths import is_mod, path_base, qualifier
from clew.parse.scopes import Scope, Scopes
from clew.parse.symbols import FUNCTION_KINDS, SPACE_KINDS
from clew.parse.uses import Uses
from clew.types import Import, Symbol

IMPLICIT_MEMBERS = frozenset("java csharp cpp kotlin scala swift ruby dart".split())
MEMBERS_ARE_NO_NAMES = frozenset("go rust c zig".split())  # not even inside the type
TYPES_FIRST = frozenset({"c", "cpp"})  # `T x`, and what a query calls a name is one wherever it stands
TYPES_BEFORE_NAMES = TYPES_FIRST | {"php"}
SEQUENTIAL = frozenset("go rust c cpp zig".split())  # a name is bound from its place on, not in all of its scope


class Names:
    """What is bound in each scope of a blob."""

    def __init__(
        self,
        content: bytes,
        language: str,
        symbols: list[Symbol],
        imports: list[Import],
        captures: dict[str, list[Any]],
        uses: Uses,
    ) -> None:
        self._content, self._language = content, language
        self._symbols, self._imports, self._captures, self._uses = symbols, imports, captures, uses
        self._implicit = language in IMPLICIT_MEMBERS
        self._scopes = Scopes(len(content), symbols, captures.get("local", ()))
        self._paths: dict[int, str] = {}  # by where the expression ends
        self._by_name_byte = {symbol.name_byte: ordinal for ordinal, symbol in enumerate(symbols)}
        self._attributes: dict[tuple[int, str], Attribute] = {}
        self._links = no_links()
        self._index = {"": 0}
        self._import_starts = [row.start_byte for row in imports]
        self._given = {node.start_byte for node in captures.get("given", ())}
        self._bound_here: set[int] = set()
        self._given_back: dict[int, str] = {}
        self._literals = sorted((node.start_byte, node.end_byte) for node in captures.get("literal", ()))
        self._literal_names = {node.start_byte for node in captures.get("literal.name", ())}

    def _define(self) -> None:
        """Give every scope the names that are bound in it."""
        captures = self._captures
        owners = find_owners(self._symbols, captures.get("block", ()))
        for ordinal, symbol in enumerate(self._symbols):
            if ordinal in owners or (symbol.name == "std" and self._language == "cpp"):
                continue
            scope = self._scopes.at(symbol.start_byte)
            if scope.symbol == ordinal and scope.parent is not None:
                scope = scope.parent
            scope.names[symbol.name] = f"D{ordinal}"
            if symbol.kind == "enum_member" and scope.parent is not None and self._language in TYPES_FIRST:
                scope.parent.names.setdefault(symbol.name, f"D{ordinal}")
        for number, row in enumerate(self._imports):
            name = row.alias or (row.name if row.name != "*" else "") or self._module_name(row.module)
            if name and name != "_":
                self._scopes.at(row.start_byte).names.setdefault(name, f"I{number}")
        free = {(node.start_byte, node.end_byte) for node in captures.get("free", ())}
        undone = [(self._scopes.at(start), self._text(start, end)) for start, end in free]
        self._bind({(scope.start, name) for scope, name in undone})
        for ordinal, names in owners.items():
            symbol = self._symbols[ordinal]
            if symbol.kind == "impl":
                names = [*qualifier(self._content, symbol.name_byte), *names]
            path = self._follow(names, symbol.start_byte) if names != ["?"] else "?"
            if path:
                self._links.owners[ordinal] = path
        for role, letter in (("self", "S"), ("class.self", "C"), ("static", "")):
            for node in captures.get(role, ()):
                scope = self._scopes.at(node.start_byte)
                owner = scope.owner_class()
                name = self._text(node.start_byte, node.end_byte)
                scope.names[name] = ""
                scope.values[name] = f"{letter}{owner}" if letter and owner >= 0 else ""
        for node in captures.get("property", ()):
            if node.start_byte in self._by_name_byte:
                self._links.properties.append(self._by_name_byte[node.start_byte])
        self._place_keywords()
        if self._language in TYPES_FIRST:
            self._declare()
        if self._language == "rust":
            self._follow_imports()
            self._bound_types()

    def _declare(self) -> None:
        """Tell declarations from definitions, and what only this file can name; a type stands for itself."""
        captures, content = self._captures, self._content
        ends = {node.end_byte for node in captures.get("def.prototype", ())}
        ends |= {node.end_byte for node in captures.get("def.method", ())}
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind in FUNCTION_KINDS:
                if symbol.end_byte in ends:
                    self._links.declared.append(ordinal)
                elif b"static" in content[symbol.start_byte : symbol.name_byte].split() and symbol.parent < 0:
                    self._links.hidden.append(ordinal)
            else:
                self._paths[symbol.name_byte + len(symbol.name.encode())] = f"D{ordinal}"

    def _follow(self, names: list[str], place: int, own: str = "") -> str:
        """The reference that a path of names is at a place; `own` is what it would itself bind."""
        if self._language == "rust":
            around = [scope.symbol for scope in self._scopes.around(place, SPACE_KINDS, self._symbols)]
            found = path_base(names, around)
            if found is not None:
                return ".".join([found[0], *found[1]])
        path, is_variable = self._look_up(self._scopes.at(place), names[0], sys.maxsize)
        if own and (path == own or path[:1] in ("G", "")):
            path = f"N{names[0]}"
        return ".".join([path, *names[1:]]) if path and not is_variable else ""

    def _follow_imports(self) -> None:
        """Say what Rust's imports mean as paths; a module without `use super::*` sees no names around it."""
        spaces = [scope for scope in self._scopes.all if scope.symbol >= 0 and not scope.is_class]
        for scope in spaces:
            scope.is_closed = self._symbols[scope.symbol].kind in SPACE_KINDS
        for row in self._imports:
            if row.name == "*" and row.module == "super":
                self._scopes.at(row.start_byte).is_closed = False
        for number, row in enumerate(self._imports):
            names = row.module.split("::")
            if is_mod(self._content, row):
                around = self._scopes.around(row.start_byte, SPACE_KINDS, self._symbols)
                inside = [self._symbols[scope.symbol].name for scope in around]
                self._links.paths[number] = "N/" + "/".join([*inside, row.module])
            else:
                names += [row.name] if row.name not in ("", "*") else []
                self._links.paths[number] = self._follow(names, row.start_byte, f"I{number}")

    def _bound_types(self) -> None:
        """Give type parameters what a `where` says of them: it stands after their uses."""
        names = sorted((node.start_byte, node.end_byte) for node in self._captures.get("bound.name", ()))
        types = sorted((node.start_byte, node.end_byte) for node in self._captures.get("bound", ()))
        for (start, end), (first, last) in zip(names, types, strict=False):
            scope, name = self._scopes.at(start), self._text(start, end)
            path, is_variable = self._look_up(scope, self._text(first, last), start)
            if scope.names.get(name) == "" and path and not is_variable:
                scope.values[name] = f"{path}^"

    def _place_keywords(self) -> None:
        """Say what `this`, `super` and the like are where they stand."""
        captures = self._captures
        for role, letter in (("this", "S"), ("super", "P"), ("root", "")):
            for node in captures.get(role, ()):
                if self._language == "rust" and (
                    not letter or self._content[node.end_byte : node.end_byte + 2] == b"::"
                ):
                    names = [*qualifier(self._content, node.start_byte), self._text(node.start_byte, node.end_byte)]
                    self._paths[node.end_byte] = self._follow(names, node.start_byte)
                    continue
                scope = self._scopes.at(node.start_byte)
                owner = scope.owner_class()
                self._paths[node.end_byte] = f"{letter}{owner}" if owner >= 0 else "?"
                if owner < 0 and letter == "S" and scope.owner() in self._links.owners:
                    self._paths[node.end_byte] = f"O{scope.owner()}"

    def _bind(self, free: set[tuple[int, str]]) -> None:
        """Give scopes their variables and type parameters."""
        is_late = self._language in SEQUENTIAL
        whole = [*self._captures.get("typed", ()), *self._captures.get("assign", ())] if is_late else []
        places = sorted(node.start_byte for node in self._binding("bind")) if is_late else []
        # In `x := x.y()` the second is another.
        ends = {first_bound(places, node.start_byte, node.end_byte): node.end_byte for node in whole}
        for role in ("bind", "bind.type"):
            for node in self._binding(role):
                start, name = node.start_byte, self._text(node.start_byte, node.end_byte)
                scope = self._scopes.at(start)
                kept = ("D", "I") if self._language == "lua" else "D"  # `local m = require "m"`
                if (scope.start, name) in free or scope.names.get(name, "").startswith(kept):
                    continue
                is_open = scope.parent is None or self._is_space(scope)
                if scope.is_class if role == "bind" else scope.parent is None:
                    continue
                if is_open and self._language in TYPES_FIRST:
                    continue  # a parameter of a type
                if self._language == "rust" and role == "bind" and name[:1].isupper():
                    continue  # a pattern that names a constant or a variant
                scope.names[name] = ""
                self._bound_here.add(start)
                if is_late:
                    since = ends.get(start, start)
                    scope.since[name] = min(since, scope.since.get(name, since))

    def _binding(self, role: str) -> list[Any]:
        """The nodes of names that are bound; in C also what would be a definition outside of functions."""
        nodes = list(self._captures.get(role, ()))
        if role == "bind" and self._language in TYPES_FIRST:
            nodes += [node for node in self._captures.get("name", ()) if node.start_byte not in self._by_name_byte]
        return nodes

    def _is_space(self, scope: Scope) -> bool:
        return scope.symbol >= 0 and self._symbols[scope.symbol].kind in SPACE_KINDS

    def _module_name(self, module: str) -> str:
        """The name under which a whole module is known when it is given no other."""
        if self._language in ("python", "typescript", "javascript", "tsx"):
            return module.partition(".")[0]
        if self._language == "go":
            return last_part(module)
        return module.replace("::", "/").replace(".", "/").replace("\\", "/").rstrip("/").rpartition("/")[2]

    def _look_up(self, scope: Scope, name: str, place: int) -> tuple[str, bool]:
        """What a bare name means at a place, "" if that is not known, and whether it is a variable of a function."""
        found: Scope | None = scope
        owner = -1
        while found is not None:
            if name in found.names and self._is_seen(found, scope, name) and found.since.get(name, 0) <= place:
                path = found.names[name]
                return (path, False) if path else (found.values.get(name, ""), True)
            if found.is_class and owner < 0:
                owner = found.symbol
            found = found.parent if not found.is_closed else None
        if self._implicit and owner >= 0:
            return f"V{owner}:{name}", False
        if self._implicit and self._links.owners:
            around = scope.owner()
            if around in self._links.owners:
                return f"W{around}:{name}", False
        if name == "Self" and self._language == "rust":
            owner = scope.owner_class()
            return (f"C{owner}", False) if owner >= 0 else ("", True)
        if name == "super" and self._language == "python":
            owner = scope.owner_class()
            return (f"P{owner}", True) if owner >= 0 else ("", True)
        return f"G{name}", False

    def _is_seen(self, found: Scope, scope: Scope, name: str) -> bool:
        """Whether a name that a scope binds means that within another."""
        if not found.is_class or self._implicit or not found.names[name]:
            return True
        return found is scope and self._language not in MEMBERS_ARE_NO_NAMES

    def _text(self, start: int, end: int) -> str:
        return self._content[start:end].decode("utf-8", "replace")
