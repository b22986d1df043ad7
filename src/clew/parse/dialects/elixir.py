"""Elixir's names: a word without parentheses is a variable, a call is of the module, of an import, or of another module
that is written out; `alias` shortens the names of modules."""

from __future__ import annotations

import re
import sys

from clew.parse.names import Names
from clew.parse.scopes import Scope

_ATOM = re.compile(rb":(\w+)\Z")
_WORD = re.compile(rb"(\w+[?!]?)\Z")
_MAX_ATOM = 80


class ElixirNames(Names):
    """What a name means in a file of Elixir."""

    def _define(self) -> None:
        self._quoted = sorted((node.start_byte, node.end_byte) for node in self._captures.get("quoted", ()))
        self._attributes = {node.start_byte for node in self._captures.get("attribute", ())}
        self._aliases: dict[Scope, dict[str, str]] = {}
        super()._define()
        self.links.owners.clear()  # an implementation is a module of its own
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind in ("module", "protocol"):
                self.links.exports.setdefault(symbol.qualified, f"D{ordinal}")
                scope = self.scopes.at(symbol.start_byte)
                scope = scope.parent if scope.symbol == ordinal and scope.parent is not None else scope
                if symbol.parent >= 0:  # a module in a module is known there by its own name
                    outer = self._symbols[symbol.parent].qualified
                    first = symbol.qualified[len(outer) + 1 :].partition(".")[0]
                    self._aliases.setdefault(scope, {})[first] = f"{outer}.{first}"
        for row in self._imports:
            if not self._content.startswith((b"alias", b"require"), row.start_byte) or row.name == "*":
                continue
            full = self._full(row.module, row.start_byte) + (f".{row.name}" if row.name else "")
            if row.alias or self._content.startswith(b"alias", row.start_byte):
                scope = self.scopes.at(row.start_byte)
                self._aliases.setdefault(scope, {})[row.alias or full.rpartition(".")[2]] = full
        for number, row in enumerate(self._imports):
            full = self._full(row.module, row.start_byte)
            name = row.name if self._content.startswith(b"alias", row.start_byte) else ""
            self.links.paths[number] = "N" + "/".join([*full.split("."), *name.split(".")]).rstrip("/")

    def _place_keywords(self) -> None:
        for node in self._captures.get("this", ()):
            owner = self.scopes.at(node.start_byte).owner_class()
            self.paths[node.end_byte] = f"C{owner}" if owner >= 0 else "?"

    def look_up(self, scope: Scope, name: str, place: int = sys.maxsize, *, is_type: bool = False) -> tuple[str, bool]:
        """What a module's name or a call by a bare name means at a place."""
        if name[:1].isupper():
            return "N" + self._full(name, place if place != sys.maxsize else scope.start).replace(".", "/"), False
        owner = scope.owner_class()
        return (f"V{owner}:{name}" if owner >= 0 else ""), False

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """What stands at a place, where that is not told by the name and what is before it."""
        content = self._content
        name = self._text(start, end)
        if name == "__MODULE__":
            owner = scope.owner_class()
            return (f"C{owner}" if owner >= 0 else "?"), True
        if content[start - 1 : start] == b"." and content[start - 2 : start - 1] != b".":
            before = content[max(0, start - _MAX_ATOM) : start - 1]
            atom, word = _ATOM.search(before), _WORD.search(before)
            if atom is None and word is not None and word[1][:1].islower():
                return "", True  # a key of a map, or a module that only runs will tell
            return (f"N:{atom[1].decode('utf-8', 'replace')}.{name}", False) if atom else None
        if name[:1].isupper():
            return None
        is_attribute = start in self._attributes
        if (role != "call" and not is_attribute) or self._is_quoted(start):
            return "", True  # a variable
        owner = scope.owner_class()
        if owner < 0:
            return "?", False
        return (f"C{owner}.@{name}" if is_attribute else f"V{owner}:{name}"), False

    def _is_quoted(self, place: int) -> bool:
        """Whether a call stands in code that a macro gives to others."""
        return any(start <= place < end for start, end in self._quoted)

    def _full(self, name: str, place: int) -> str:
        """A module's name, written out."""
        first, dot, rest = name.partition(".")
        scope: Scope | None = self.scopes.at(place)
        if first == "__MODULE__" and scope is not None:
            owner = scope.owner_class()
            return f"{self._symbols[owner].qualified}{dot}{rest}" if owner >= 0 else name
        while scope is not None:
            full = self._aliases.get(scope, {}).get(first)
            if full is not None:
                return full + dot + rest
            scope = scope.parent
        return name
