"""Zig's names: what a container declares is known in it, its fields are not; `@This()` is it, or the file."""

from __future__ import annotations

from clew.parse.names import Names
from clew.parse.scopes import Scope
from clew.types import Symbol

_NO_NAMES = frozenset({"field", "enum_member", "test"})


class ZigNames(Names):
    """What a name means in a file of Zig."""

    def _define(self) -> None:
        self._sees_class = True
        super()._define()
        for node in self._captures.get("this.name", ()):
            ordinal = self.by_name_byte.get(node.start_byte)
            if ordinal is not None:
                owner = self._symbols[ordinal].parent
                self.links.types[ordinal] = f"C{owner}" if owner >= 0 else "Nself"

    def _name(self, scope: Scope, ordinal: int, symbol: Symbol) -> None:
        if symbol.kind not in _NO_NAMES:
            super()._name(scope, ordinal, symbol)

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """`.name` alone is a field or a member of an enum that only its use tells."""
        content = self._content
        before = content[start - 2 : start - 1]
        is_alone = content[start - 1 : start] == b"." and not before.isalnum() and before not in b'_)]}*?"\n \t'
        return ("?", False) if is_alone or (content[start - 1 : start] == b"." and before == b" ") else None
