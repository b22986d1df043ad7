"""The names of a blob: what each scope binds, and what a bare name means. Main calls: `Names.look_up`, `Names.this`."""

from __future__ import annotations

from typing import Any

from clew.parse.ecmascript import (
    ECMASCRIPT,
    MEMBER_KINDS,
    OWN_KINDS,
    has_own_this,
    is_bare,
    is_pure_type,
    owner_name,
)
from clew.parse.links import CALLED, Attribute
from clew.parse.scopes import Scope, Scopes
from clew.types import Import, Symbol

MARKS_CALLS = frozenset({"java"})  # a field and a method may have the same name
IMPLICIT_MEMBERS = frozenset("java csharp cpp kotlin scala swift ruby php dart".split())

_NO_FREE_METHODS = frozenset({"java", "csharp"})
_CLASS_BINDS = ECMASCRIPT | _NO_FREE_METHODS  # where what a class binds is its type parameters


class Names:
    """What the scopes of a blob bind."""

    def __init__(
        self,
        content: bytes,
        language: str,
        symbols: list[Symbol],
        imports: list[Import],
        captures: dict[str, list[Any]],
    ) -> None:
        self._content, self._language = content, language
        self._symbols, self._imports, self._captures = symbols, imports, captures
        self._implicit = language in IMPLICIT_MEMBERS
        self._is_ecmascript = language in ECMASCRIPT
        self._sees_class = self._implicit or self._is_ecmascript  # where a class has type parameters, but no members
        self._lasting = ("D", "I") if self._is_ecmascript else ("D",)  # what an assignment does not rebind
        self._holders: dict[int, int] = {}  # of functions that are assigned to a member, whose
        self.scopes = Scopes(len(content), symbols, captures, OWN_KINDS if self._is_ecmascript else frozenset())
        self.by_name_byte = {symbol.name_byte: ordinal for ordinal, symbol in enumerate(symbols)}
        self.attributes: dict[tuple[int, str], Attribute] = {}
        self.exports: dict[str, str] = {}
        self.properties: list[int] = []
        self.bound_here: set[int] = set()  # where names are bound that are no definitions
        self._define()

    def _define(self) -> None:
        """Give every scope the names that are bound in it."""
        captures = self._captures
        for ordinal, symbol in enumerate(self._symbols):
            scope = self.scopes.at(symbol.start_byte)
            if scope.symbol == ordinal and scope.parent is not None:
                scope = scope.parent
            self._name(scope, ordinal, symbol)
        for number, row in enumerate(self._imports):
            name = row.alias or (row.name if row.name != "*" else "") or self._module_name(row.module)
            if self._is_ecmascript and self._content.startswith(b"export", row.start_byte):
                if name and (row.name or row.alias):
                    self.exports[name] = f"I{number}"
            elif name:
                self.scopes.at(row.start_byte).names.setdefault(name, f"I{number}")
        free = {(node.start_byte, node.end_byte) for node in captures.get("free", ())}
        undone = [(self.scopes.at(start), self._text(start, end)) for start, end in free]
        for node in captures.get("bind", ()):
            start, name = node.start_byte, self._text(node.start_byte, node.end_byte)
            scope = self.scopes.at(start)
            is_its_own = start in self.by_name_byte and scope.symbol == self.by_name_byte[start]
            if is_its_own or (scope.is_class and self._language not in _CLASS_BINDS):
                continue  # a function's own name is not bound in it
            if (scope, name) not in undone and not scope.names.get(name, "").startswith(self._lasting):
                scope.names[name] = ""
                self.bound_here.add(start)
        for node in captures.get("bind.var", ()):
            scope = self.scopes.at(node.start_byte)
            while scope.is_block and scope.parent is not None:
                scope = scope.parent
            if scope.names.setdefault(self._text(node.start_byte, node.end_byte), "") == "":
                self.bound_here.add(node.start_byte)
        for role, letter in (("self", "S"), ("class.self", "C"), ("static", "")):
            for node in captures.get(role, ()):
                scope = self.scopes.at(node.start_byte)
                owner = scope.owner_class()
                name = self._text(node.start_byte, node.end_byte)
                scope.names[name] = ""
                scope.values[name] = f"{letter}{owner}" if letter and owner >= 0 else ""
        named = {node.start_byte for node in captures.get("property", ())}
        self.properties += sorted(self.by_name_byte[byte] for byte in named if byte in self.by_name_byte)

    def _name(self, scope: Scope, ordinal: int, symbol: Symbol) -> None:
        """Give a scope the name of a definition in it."""
        if self._language in _NO_FREE_METHODS:
            if symbol.kind == "constructor":
                return  # the name is that of its class
            if scope.is_class or symbol.kind not in MEMBER_KINDS:  # those of a class without a name are not to be seen
                is_marked = self._language in MARKS_CALLS and symbol.kind == "method"
                scope.names.setdefault(symbol.name + (CALLED if is_marked else ""), f"D{ordinal}")
        elif not self._is_ecmascript:
            scope.names[symbol.name] = f"D{ordinal}"
        elif is_bare(symbol, self._content):
            before = scope.names.get(symbol.name, "")
            if is_pure_type(symbol):
                scope.types[symbol.name] = f"D{ordinal}"
            if not before.startswith("D") or not is_pure_type(symbol):
                scope.names[symbol.name] = f"D{ordinal}"
        else:
            name = owner_name(self._content, symbol.name_byte)
            base = self.look_up(scope, name)[0] if name and name != "this" else ""
            owner = int(base[1:]) if base[:1] == "D" else self.this(scope) if name == "this" else -1
            if owner >= 0:
                self._holders[ordinal] = owner
                self.have(owner, symbol.name, symbol.name_byte, f"D{ordinal}")

    def this(self, scope: Scope) -> int:
        """The class whose object `this` is; -1 for none."""
        if not self._is_ecmascript:
            return scope.owner_class()
        found: Scope | None = scope
        while found is not None and not found.is_class:
            above = found.parent
            if found.symbol in self._holders:
                return self._holders[found.symbol]
            is_object = found.symbol >= 0 and self._symbols[found.symbol].kind == "method"
            if is_object and (above is None or not above.is_class):
                return -1
            if has_own_this(self._content, found.start) and (above is None or above.symbol not in self._holders):
                return found.symbol if found.symbol in self._holders.values() else -1
            found = above
        return found.symbol if found is not None else -1

    def _module_name(self, module: str) -> str:
        """The name under which a whole module is known when it is given no other."""
        if self._is_ecmascript or self._language == "csharp":
            return ""
        if self._language == "python":
            return module.partition(".")[0]
        return module.replace("::", "/").replace(".", "/").replace("\\", "/").rstrip("/").rpartition("/")[2]

    def look_up(self, scope: Scope, name: str, *, is_type: bool = False) -> tuple[str, bool]:
        """What a bare name means, "" if nothing is known of it, and whether it is a variable of a function."""
        found: Scope | None = scope
        owner = -1
        plain = name.removesuffix(CALLED) if self._language in MARKS_CALLS else name
        while found is not None:
            if plain != name and name not in found.names and plain in found.names:
                name = plain  # of a type, or imported
            if (not found.is_class or found is scope or self._sees_class) and name in found.names:
                path = (is_type and found.types.get(name)) or found.names[name]
                return (path, False) if path else (found.values.get(name, ""), True)
            if found.is_class and owner < 0:
                owner = found.symbol
            found = found.parent
        if self._implicit and owner >= 0:
            return f"V{owner}:{name}", False
        if name == "super" and self._language == "python":
            owner = scope.owner_class()
            return (f"P{owner}", True) if owner >= 0 else ("", True)
        return f"G{name}", False

    def have(self, owner: int, name: str, byte: int, path: str) -> None:
        """Let the objects of a class have a member, at its first place."""
        known = self.attributes.get((owner, name))
        if known is None:
            self.attributes[owner, name] = Attribute(owner, name, byte, path)
        elif path and not known.value:
            self.attributes[owner, name] = known._replace(value=path)

    def _text(self, start: int, end: int) -> str:
        return self._content[start:end].decode("utf-8", "replace")
