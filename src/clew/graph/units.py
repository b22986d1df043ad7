"""What the files of a package share without imports: their names, and the parts of their types.

A Go package is a directory, a Rust crate a tree of files: a type's methods may stand in any of them. Tables are made
once for each unit. Main call: `Units.of`.
"""

from __future__ import annotations

from typing import NamedTuple

from clew.graph.layout import Layout
from clew.graph.modules import Find, Module

_ALL: frozenset[str] = frozenset()
_MACROS = frozenset({"macro"})  # what a Rust crate shares without a path


class Part(NamedTuple):
    """Members of a type that stand apart from it, in a file that calls the type `ref`."""

    module: Module
    ref: str
    ordinal: int  # of the block that holds them; -1 when they stand alone
    members: dict[str, int]


class Unit:
    """The tables of one unit."""

    def __init__(self, key: str, modules: list[Module], kinds: frozenset[str]) -> None:
        self.key = key  # of what depends on the files of a directory (`d:`), or on all below it (`t:`)
        self.names: dict[str, list[tuple[Module, int]]] = {}
        self.parts: dict[str, list[Part]] = {}  # by the name of the type
        for module in modules:
            for name, ordinal in module.members.get(-1, {}).items():
                if not kinds or module.kind(ordinal) in kinds:
                    self.names.setdefault(name, []).append((module, ordinal))
            for (name, ref, block), members in module.parts.items():
                self.parts.setdefault(name, []).append(Part(module, ref, block, members))


class Units:
    """All units of a snapshot, made when they are first needed."""

    def __init__(self, layout: Layout, find: Find) -> None:
        self._layout, self._find = layout, find
        self._known: dict[tuple[str, str, str], Unit] = {}

    def of(self, path: str, language: str, package: str = "") -> Unit | None:
        """The unit of a file or directory; of several packages in it, the one of this name or else that to import."""
        siblings = self._layout.siblings(path, language)
        if siblings is None:
            return None
        directory, paths = siblings
        is_outer = package.endswith("_test")
        key = (language, directory, "_test" if is_outer else "")
        unit = self._known.get(key)
        if unit is None:
            modules = [module for module in map(self._find, paths) if module is not None]
            mine = [module for module in modules if module.links.package.endswith("_test") == is_outer]
            letter, kinds = ("t", _MACROS) if language == "rust" else ("d", _ALL)
            unit = self._known[key] = Unit(f"{letter}:{directory}", mine, kinds)
        return unit
