"""Ruby's names: constants belong to the tree, bare words are variables or messages to `self`.

Whether `self` is an object, its class or nobody knows what, depends on the method and the blocks around a place.
"""

from __future__ import annotations

import sys

from clew.parse.links import NOWHERE
from clew.parse.names import Names
from clew.parse.scopes import Scope
from clew.parse.symbols import FUNCTION_KINDS

_CONSTANT_KINDS = frozenset({"class", "module", "constant"})
_BEFORE_COLONS = b")]}_?!\"'"


class RubyNames(Names):
    """What a name means in a file of Ruby."""

    def _define(self) -> None:
        captures = self._captures
        self._static: set[int] = set()
        self._written = {node.start_byte for node in captures.get("written", ())}
        self._opaque = {node.start_byte for node in captures.get("opaque", ())}
        for node in captures.get("class.level", ()):
            ordinal = self.by_name_byte.get(node.start_byte, self.by_name_byte.get(node.start_byte + 1))
            if ordinal is not None:
                self._static.add(ordinal)
        for node in captures.get("both.levels", ()):
            owner = self.scopes.at(node.start_byte).owner_class()
            if owner >= 0:
                self._static.add(owner)
        super()._define()
        self.links.static.extend(sorted(self._static))
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind == "property" and ordinal not in self._static and symbol.parent >= 0:
                self.links.types[ordinal] = f"S{symbol.parent}.@{symbol.name}"
            elif symbol.kind in _CONSTANT_KINDS and not self._is_hidden(symbol.parent):
                before = self.links.exports.get(symbol.qualified, "")
                self.links.exports[symbol.qualified] = f"{before} D{ordinal}".strip()

    def _is_hidden(self, parent: int) -> bool:
        """Whether what is in a definition is nothing that the tree can name."""
        while parent >= 0:
            if self._symbols[parent].kind not in ("class", "module"):
                return True
            parent = self._symbols[parent].parent
        return False

    def _place_keywords(self) -> None:
        for node in self._captures.get("this", ()):
            owner, level = self._context(self.scopes.at(node.start_byte))
            self.paths[node.end_byte] = f"{level}{owner}" if level in ("S", "C") else "?"

    def _context(self, scope: Scope) -> tuple[int, str]:
        """The class around a place, and what `self` is there: S an object, C the class, F the file, ? unknown."""
        found: Scope | None = scope
        level = ""
        in_block = False
        while found is not None:
            if found.start in self._opaque:
                return -1, "?"
            if found.is_class:
                return found.symbol, level or ("?" if in_block else "C")
            if found.symbol >= 0 and not level and self._symbols[found.symbol].kind in FUNCTION_KINDS:
                level = "C" if found.symbol in self._static else "S"
            in_block = in_block or found.symbol < 0
            found = found.parent
        return -1, "F"

    def look_up(self, scope: Scope, name: str, place: int = sys.maxsize, *, is_type: bool = False) -> tuple[str, bool]:
        """What a bare name means at a place."""
        owner, level = self._context(scope)
        if name[:1].isupper():
            return (f"V{owner}:{name}" if owner >= 0 else f"G{name}"), False
        if name.startswith("@"):
            is_own = level == "S" and name[1:2] != "@"
            return (f"S{owner}.{name}", False) if is_own else ("", True)
        found: Scope | None = scope
        while found is not None and not found.is_class:
            if found.names.get(name) == "":
                return found.values.get(name, ""), True
            if found.symbol >= 0 and found.symbol != NOWHERE:
                break
            if level == "F" and found.names.get(name, "").startswith("D"):
                return found.names[name], False  # a method that a block defines for those in it
            found = found.parent
        if level == "F":
            return f"G{name}", False
        return {"S": f"V{owner}:{name}", "C": f"C{owner}.{name}"}.get(level, ""), False

    def name_at(self, start: int, end: int) -> str:
        """The name that is used at a place: `x.name = 1` calls `name=`."""
        return self._text(start, end) + ("=" if start in self._written else "")

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """What stands at a place, where that is not told by the name and what is before it."""
        content = self._content
        name = self._text(start, end)
        if name == "super":
            owner, level = self._context(scope)
            method = self._method(scope)
            return (f"P{owner}.{method}" if level == "S" and method else "?"), False
        if content[start - 2 : start] == b"::":
            before = content[start - 3 : start - 2]
            if not before.isalnum() and before not in _BEFORE_COLONS and before < b"\x80":
                return f"G{name}", False  # of the top
        return None

    def _method(self, scope: Scope) -> str:
        found: Scope | None = scope
        while found is not None and (found.symbol < 0 or self._symbols[found.symbol].kind not in FUNCTION_KINDS):
            found = found.parent
        return self._symbols[found.symbol].name if found is not None else ""

    def give(self, scope: Scope, start: int, path: str, /) -> bool:
        """Let a variable of an object have a value."""
        if self._content[start : start + 1] != b"@":
            return False
        end = start + 1
        while self._content[end : end + 1].isalnum() or self._content[end : end + 1] == b"_":
            end += 1
        owner, level = self._context(scope)
        if level == "S" and end > start + 1:
            self.have(owner, self._text(start, end), start, path)
        return True
