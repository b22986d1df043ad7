"""Types of C# by namespace: which file's type a name means, and in which files the parts of a class are.

Main calls: `Namespaces.find`, `Namespaces.parts`.
"""

from __future__ import annotations

from clew.graph.layout import Layout
from clew.graph.modules import Find, Module
from clew.parse.symbols import SPACE_KINDS


class Namespaces:
    """Looks for types in the files that may have them."""

    def __init__(self, layout: Layout, find: Find) -> None:
        self._layout, self._find = layout, find
        self._known_parts: dict[tuple[str, int], list[tuple[Module, int]]] = {}

    def find(self, module: Module, name: str) -> tuple[Module, int] | None:
        """The type that a name means in a file: of its own namespace, of one around it, of one that it uses."""
        own = module.links.package
        seen = [own, *(own[:at] for at in range(len(own) - 1, -1, -1) if own[at : at + 1] == "."), ""]
        used = {row.module for row in module.imports if not row.alias}
        found = None
        for path in self._layout.candidates(module.path, name, module.language):
            other = self._find(path)
            ordinal = other.top_types.get(name) if other is not None else None
            if other is None or ordinal is None:
                continue
            if other.links.package == own:
                return other, ordinal
            if found is None and (other.links.package in used or other.links.package in seen):
                found = (other, ordinal)
        return found

    def static(self, module: Module) -> list[tuple[Module, int]]:
        """The types whose members a file sees by `using static`."""
        found = []
        for row in module.imports:
            package, _, name = row.module.rpartition(".")
            if not package or row.alias:
                continue
            for path in self._layout.candidates(module.path, name, module.language):
                other = self._find(path)
                ordinal = other.top_types.get(name) if other is not None and other.links.package == package else None
                if other is not None and ordinal is not None:
                    found.append((other, ordinal))
        return found

    def outermost(self, module: Module, ordinal: int) -> str:
        """The name of the type around a type that no other is around."""
        return _chain(module, ordinal)[-1]

    def parts(self, module: Module, ordinal: int) -> list[tuple[Module, int]]:
        """The other parts of a class."""
        key = (module.path, ordinal)
        if key not in self._known_parts:
            self._known_parts[key] = self._parts(module, ordinal)
        return self._known_parts[key]

    def _parts(self, module: Module, ordinal: int) -> list[tuple[Module, int]]:
        chain = _chain(module, ordinal)
        found = []
        for path in self._layout.candidates(module.path, chain[-1], module.language):
            other = self._find(path)
            if other is None or other is module or other.links.package != module.links.package:
                continue
            part = other.top_types.get(chain[-1])
            for name in chain[-2::-1]:
                part = other.members.get(part, {}).get(name) if part is not None else None
            if part is not None and other.is_class(part):
                found.append((other, part))
        return found


def _chain(module: Module, ordinal: int) -> list[str]:
    """The names of a type and of those around it, the innermost first."""
    chain, at = [module.names[ordinal]], module.parents[ordinal]
    while at >= 0 and module.kinds[at] not in SPACE_KINDS:
        chain.append(module.names[at])
        at = module.parents[at]
    return chain
