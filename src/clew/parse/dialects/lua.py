"""Lua's names: scopes as elsewhere, but `self` is a parameter that only `function t:f()` has."""

from __future__ import annotations

from clew.parse.names import Names
from clew.parse.scopes import Scope
from clew.parse.symbols import FUNCTION_KINDS
from clew.types import Symbol


class LuaNames(Names):
    """What a name means in a file of Lua."""

    def _define(self) -> None:
        self._again: set[str] = set()
        super()._define()
        made = sorted((node.start_byte, node.end_byte) for node in self._captures.get("made", ()))
        of = sorted((node.start_byte, node.end_byte) for node in self._captures.get("made.of", ()))
        for start, end in made:  # `setmetatable({}, T)` is a T
            inside = [place for place in of if start < place[0] and place[1] < end]
            if inside:
                self.stands_for[end] = inside[-1][1]

    def _name(self, scope: Scope, ordinal: int, symbol: Symbol) -> None:
        if scope.names.get(symbol.name, "").startswith("D") and symbol.kind == "variable":
            self._again.add(symbol.name)  # the first is the declaration
        else:
            super()._name(scope, ordinal, symbol)

    def give(self, scope: Scope, start: int, path: str, /) -> bool:
        """A variable of the file that is set twice may be anything."""
        ordinal = self.by_name_byte.get(start)
        return ordinal is not None and self._symbols[ordinal].name in self._again

    def _place_keywords(self) -> None:
        """`self` is looked up like any name."""

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """What `self` is."""
        if self._content[start:end] != b"self" or self._content[start - 1 : start] in (b".", b":"):
            return None
        found: Scope | None = scope
        while found is not None:
            if found.names.get("self") == "":
                return found.values.get("self", ""), True
            if found.symbol >= 0 and self._symbols[found.symbol].kind in FUNCTION_KINDS:
                is_method = self._content[self._symbols[found.symbol].name_byte - 1 :][:1] == b":"
                if is_method:
                    return (f"O{found.symbol}" if found.symbol in self.links.owners else "?"), True
            found = found.parent
        return "?", True
