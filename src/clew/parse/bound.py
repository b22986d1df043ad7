"""What each scope of a blob binds: variables, parameters, type parameters, and from where on it has them.

`Names` builds upon it and says what a bare name means; what the captures mean stands in `parse/events.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.events import first_bound
from clew.parse.links import no_links
from clew.parse.owners import last_part, opened_space
from clew.parse.packaged import IMPLICIT_NAMES, PACKAGED, bound_since, is_private, package_of
from clew.parse.scopes import Scope, Scopes
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, SPACE_KINDS
from clew.types import Import, Symbol

TYPES_FIRST = frozenset({"c", "cpp"})  # `T x`, and what a query calls a name is one wherever it stands
TYPES_BEFORE_NAMES = TYPES_FIRST | {"php"}
SEQUENTIAL = frozenset("go rust c cpp".split())  # a name is bound from its place on, not in all of its scope
NO_FREE_METHODS = frozenset({"java", "csharp"})

_CLASS_BINDS = ECMASCRIPT | NO_FREE_METHODS | PACKAGED  # where what a class binds is its type parameters
_NONE = re.compile(rb"[^=!]=\s*None\s*\Z")


_CONDITIONAL_KINDS = CLASS_KINDS | {"macro", "type"}


class Read(NamedTuple):
    """What was read of a blob before its names are bound."""

    content: bytes
    language: str
    symbols: list[Symbol]
    imports: list[Import]
    captures: dict[str, list[Any]]


class Bound:
    """The scopes of a blob, and what is bound in them."""

    def __init__(self, blob: Read) -> None:
        self._content, self._language, self._symbols, self._imports, self._captures = blob
        content, language, symbols, _, captures = blob
        self._is_ecmascript = language in ECMASCRIPT
        self._lasting = ("D", "I") if self._is_ecmascript else ("D",)  # what an assignment does not rebind
        self.scopes = Scopes(len(content), symbols, captures, language)
        self.paths: dict[int, str] = {}  # what an expression is, by where it ends
        self._is_packaged = language in PACKAGED
        package = opened_space(content) if language == "cpp" else package_of(content, language, captures)
        self.links = no_links()._replace(package=package)
        self.by_name_byte = {symbol.name_byte: ordinal for ordinal, symbol in enumerate(symbols)}
        self.bound_here: set[int] = set()  # where names are bound that are no definitions
        self._bound_outside: list[tuple[Scope, int, int]] = []  # from where to where, of names outside of functions

    def _bind(self, undone: set[tuple[Scope, str]]) -> None:
        """Give scopes their variables."""
        captures, content, at, own = self._captures, self._content, self.scopes.at, self.by_name_byte
        binds_in_class, is_swift = self._language in _CLASS_BINDS, self._language == "swift"
        for node in captures.get("bind", ()):
            start, end = node.start_byte, node.end_byte
            scope = at(start)
            if scope.is_class or scope.parent is None:
                self._bound_outside.append((scope, start, end))
            if (scope.is_class and not binds_in_class) or (start in own and scope.symbol == own[start]):
                continue  # a function's own name is not bound in it
            name = content[start:end].decode("utf-8", "replace")
            if scope.names.get(name, "")[:1] not in self._lasting and not (undone and (scope, name) in undone):
                scope.names[name] = ""
                self.bound_here.add(start)
                if is_swift:
                    scope.since[name] = bound_since(content, start, end)
        for node in captures.get("bind.var", ()):
            scope = self.scopes.at(node.start_byte)
            while scope.is_block and scope.parent is not None:
                scope = scope.parent
            if scope.names.setdefault(self._text(node.start_byte, node.end_byte), "") == "":
                self.bound_here.add(node.start_byte)

    def _bind_free(self, undone: set[tuple[Scope, str]]) -> None:
        """Give scopes their variables and type parameters, where a name may be bound from its place on only."""
        is_late = self._language in SEQUENTIAL
        whole = [*self._captures.get("typed", ()), *self._captures.get("assign", ())] if is_late else []
        places = sorted(node.start_byte for node in self._binding("bind")) if is_late else []
        # In `x := x.y()` the second is another.
        whole.sort(key=lambda node: -node.end_byte)
        ends = {first_bound(places, node.start_byte, node.end_byte): node.end_byte for node in whole}
        for role in ("bind", "bind.type"):
            for node in self._binding(role):
                start, name = node.start_byte, self._text(node.start_byte, node.end_byte)
                scope = self.scopes.at(start)
                kept = ("D", "I") if self._language == "lua" else "D"  # `local m = require "m"`
                if (scope, name) in undone or scope.names.get(name, "").startswith(kept):
                    continue
                is_space = scope.symbol >= 0 and self._symbols[scope.symbol].kind in SPACE_KINDS
                if scope.is_class if role == "bind" else scope.parent is None:
                    continue
                if (scope.parent is None or is_space) and self._language in TYPES_FIRST:
                    continue  # a parameter of a type
                if self._language == "rust" and role == "bind" and name[:1].isupper():
                    continue  # a pattern that names a constant or a variant
                scope.names[name] = ""
                self.bound_here.add(start)
                if is_late:
                    since = ends.get(start, start)
                    scope.since[name] = min(since, scope.since.get(name, since))

    def _binding(self, role: str) -> list[Any]:
        """The nodes of names that are bound; in C also what would be a definition outside of functions."""
        nodes = list(self._captures.get(role, ()))
        if role == "bind" and self._language in TYPES_FIRST:
            nodes += [node for node in self._captures.get("name", ()) if node.start_byte not in self.by_name_byte]
        return nodes

    def _note_implicit(self) -> None:
        """Names that nobody writes, objects that nobody knows, and what no other file can name."""
        for node in self._captures.get("implicit", ()):
            for name in IMPLICIT_NAMES.get(self._language, ()):
                self.scopes.at(node.start_byte).names.setdefault(name, "")
        plain = {node.start_byte for node in self._captures.get("plain", ())}
        for node in self._captures.get("with", ()):
            self.scopes.at(node.start_byte).has_receiver = node.start_byte not in plain
        self.links.hidden.extend(o for o, symbol in enumerate(self._symbols) if is_private(self._content, symbol))

    def _declare(self) -> None:
        """Tell declarations from definitions, and what only this file can name; a type stands for itself."""
        captures, content = self._captures, self._content
        ends = {node.end_byte for node in captures.get("def.prototype", ())}
        ends |= {node.end_byte for node in captures.get("def.method", ())}
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind in FUNCTION_KINDS:
                if symbol.end_byte in ends:
                    self.links.declared.append(ordinal)
                elif b"static" in content[symbol.start_byte : symbol.name_byte].split() and symbol.parent < 0:
                    self.links.hidden.append(ordinal)
            else:
                self.paths[symbol.name_byte + len(symbol.name.encode())] = f"D{ordinal}"

    def _note_conditional(self) -> None:
        """Say what C has once and under a condition only, which is not one for most of the file."""
        half = len(self._content) // 2
        spans = sorted((node.start_byte, -node.end_byte) for node in self._captures.get("conditional", ()))
        spans = [span for span in spans if -span[1] - span[0] < half]
        last = -1  # where the outermost ones end that have begun
        at = 0
        names = Counter(symbol.name for symbol in self._symbols)
        for ordinal, symbol in enumerate(self._symbols):
            while at < len(spans) and spans[at][0] <= symbol.start_byte:
                last = max(last, -spans[at][1])
                at += 1
            is_kind = symbol.kind in _CONDITIONAL_KINDS and names[symbol.name] == 1
            if is_kind and symbol.start_byte < last:
                self.links.conditional.append(ordinal)

    def _put_in_order(self) -> None:
        """Say from where on a file and its classes have their names: in `x = x` the second is another."""
        for symbol in self._symbols:
            scope = self.scopes.at(symbol.start_byte)
            scope = scope.parent if scope.start == symbol.start_byte and scope.parent is not None else scope
            if scope.is_class or scope.parent is None:
                scope.since[symbol.name] = min(symbol.end_byte, scope.since.get(symbol.name, symbol.end_byte))
        names = [(row.alias or row.name or self._module_name(row.module), row.start_byte) for row in self._imports]
        places = [(self.scopes.at(start), name, start) for name, start in names]
        for scope, start, end in self._bound_outside:
            if scope.since and start not in self.by_name_byte:
                places.append((scope, self._text(start, end), start))
        for scope, name, start in places:
            if name in scope.since:
                scope.since[name] = min(start, scope.since[name])

    def _stand_ins(self) -> set[int]:
        """Python's `X = None` for when an import of `X` fails: where that is used, it is the import."""
        rows = [row for row in self._imports if self.scopes.at(row.start_byte) is self.scopes.all[0]]
        names = {row.alias or row.name or self._module_name(row.module) for row in rows}
        found = {
            ordinal
            for ordinal, symbol in enumerate(self._symbols)
            if symbol.parent < 0 and symbol.kind not in CLASS_KINDS | FUNCTION_KINDS and symbol.name in names
            if _NONE.search(self._content[symbol.name_byte : symbol.end_byte])
        }
        self.links.hidden.extend(sorted(found))
        return found

    def _module_name(self, module: str) -> str:
        """The name under which a whole module is known when it is given no other."""
        if self._is_ecmascript or self._language == "csharp":
            return ""
        if self._language == "python":
            return module.partition(".")[0]
        if self._language == "go":
            return last_part(module)
        return module.replace("::", "/").replace(".", "/").replace("\\", "/").rstrip("/").rpartition("/")[2]

    def _text(self, start: int, end: int) -> str:
        return self._content[start:end].decode("utf-8", "replace")
