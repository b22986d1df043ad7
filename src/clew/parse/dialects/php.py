"""PHP's names: variables with a dollar, classes by namespace and `use`, functions that fall back to the global ones."""

from __future__ import annotations

import re
import sys

from clew.parse.links import CALLED
from clew.parse.names import Names
from clew.parse.scopes import Scope
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS

_DECLARED_KINDS = CLASS_KINDS | {"function", "constant"}
_QUALIFIER = re.compile(rb"\\?(?:\w+\\)+\Z|\\\Z")
_OF_CLASS = re.compile(rb"(?:new|instanceof|insteadof)\s+\Z")
_WORD = re.compile(rb"\w+")
_MAX_QUALIFIER = 200


class PhpNames(Names):
    """What a name means in a file of PHP."""

    def _define(self) -> None:
        super()._define()
        for number, row in enumerate(self._imports):
            name = row.alias or row.name or row.module.rpartition("\\")[2]
            if row.module and "/" not in row.module:
                self._uses.setdefault(name, number)
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind not in _DECLARED_KINDS:
                continue
            if symbol.parent < 0:
                full = f"{self.links.package}\\{symbol.name}".lstrip("\\")
            elif self._symbols[symbol.parent].kind == "namespace":
                full = symbol.qualified.replace(".", "\\")
            else:
                continue
            self.links.exports.setdefault(full, f"D{ordinal}")

    def _place_keywords(self) -> None:
        self._uses: dict[str, int] = {}
        for node in self._captures.get("this", ()):
            start, end = node.start_byte, node.end_byte
            owner = self.scopes.at(start).owner_class()
            word = self._content[start:end].lower()
            letter = {b"$this": "S", b"parent": "P"}.get(word, "C")
            self.paths[end] = f"{letter}{owner}" if owner >= 0 else "?"

    def look_up(self, scope: Scope, name: str, place: int = sys.maxsize, *, is_type: bool = False) -> tuple[str, bool]:
        """What a class of this name is at a place."""
        name = name.removesuffix(CALLED)  # `new T` is a call of T
        lower = name.lower()
        if lower in ("self", "static", "parent"):
            owner = scope.owner_class()
            return (f"{'P' if lower == 'parent' else 'C'}{owner}" if owner >= 0 else ""), True
        return self._expand(name, scope), False

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """What stands at a place, where that is not told by the name and what is before it."""
        content = self._content
        name = self._text(start, end)
        if content[end : end + 1] == b"\\":
            return "?", False
        if content[start - 1 : start] == b"$":
            return self._variable(scope, name) if content[start - 3 : start - 1] != b"::" else None
        before = content[max(0, start - _MAX_QUALIFIER) : start]
        match = _QUALIFIER.search(before)
        if match:
            qualifier = match[0].decode("utf-8", "replace")
            if qualifier.lower() == "namespace\\":
                return f"N{self._space(scope)}{name}", False
            return self._expand(qualifier + name, scope), False
        if before.endswith((b"->", b"::")):
            return None
        is_class = role == "type" or content[end : end + 2] == b"::" or _OF_CLASS.search(before) is not None
        if is_class:
            return None
        number = self._uses.get(name)
        return (f"I{number}" if number is not None else f"G{self._space(scope)}{name}"), False

    def _variable(self, scope: Scope, name: str) -> tuple[str, bool]:
        found: Scope | None = scope
        while found is not None:
            if found.names.get(name) == "":
                return found.values.get(name, ""), True
            if found.symbol >= 0 and self._symbols[found.symbol].kind in FUNCTION_KINDS:
                break
            found = found.parent
        return "", True

    def give(self, scope: Scope, start: int, path: str, /) -> bool:
        """Let a property that has no type of its own have a value: `$this->x = …`."""
        if not self._content.startswith(b"$this->", start):
            return self._content.startswith(b"$", start)
        match = _WORD.match(self._content, start + 7)
        owner = scope.owner_class()
        if match is not None and owner >= 0:
            name = match[0].decode("utf-8", "replace")
            for ordinal, symbol in enumerate(self._symbols):
                if symbol.parent == owner and symbol.name == name and symbol.kind == "property":
                    if path:
                        self.links.types.setdefault(ordinal, path)
                    return True
            self.have(owner, name, start + 7, path)
        return True

    def _space(self, scope: Scope) -> str:
        """The namespace around a place, with what follows it."""
        found: Scope | None = scope
        while found is not None:
            if found.symbol >= 0 and self._symbols[found.symbol].kind == "namespace":
                return self._symbols[found.symbol].qualified.replace(".", "\\") + "\\"
            found = found.parent
        return f"{self.links.package}\\" if self.links.package else ""

    def _expand(self, name: str, scope: Scope) -> str:
        """The reference of a name of a class as it is written."""
        if name.startswith("\\"):
            return f"N{name[1:]}"
        first, _, rest = name.partition("\\")
        number = self._uses.get(first)
        if number is None:
            return f"N{self._space(scope)}{name}"
        if not rest:
            return f"I{number}"
        row = self._imports[number]
        return "N" + "\\".join(part.strip("\\") for part in (row.module, row.name, rest) if part)
