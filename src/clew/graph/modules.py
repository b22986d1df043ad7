"""A file as the resolver sees it: its definitions by name, its imports, what its names mean in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from clew.parse.links import Attribute, Links
from clew.parse.owners import PART_KINDS
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, SPACE_KINDS
from clew.types import Import

TYPE_KINDS = CLASS_KINDS | SPACE_KINDS | {"type", "record", "union"}


class Named(NamedTuple):
    """What the resolver needs of a definition."""

    kind: str
    name: str
    parent: int


class Module:
    """One file of a snapshot. An ordinal above its definitions stands for an attribute that methods give."""

    def __init__(
        self, path: str, number: int, language: str, symbols: list[Named], imports: list[Import], links: Links
    ) -> None:
        self.path, self.number, self.language = path, number, language
        self.symbols, self.imports, self.links = symbols, imports, links
        self.known: dict[str, Any] = {}  # references that were resolved already

    def __repr__(self) -> str:
        return f"Module({self.path})"

    @cached_property
    def members(self) -> dict[int, dict[str, int]]:
        """Of each definition, and of the file (-1), what it holds by name; of several the last with a body counts."""
        found: dict[int, dict[str, int]] = {}
        for ordinal, symbol in enumerate(self.symbols):
            owner = self.links.owners.get(ordinal)
            if owner is None:
                held = found.setdefault(symbol.parent, {})
                if symbol.name not in held or ordinal not in self.declared:
                    held[symbol.name] = ordinal
            elif owner[0] == "D" and owner[1:].isdigit() and symbol.kind not in PART_KINDS:
                found.setdefault(int(owner[1:]), {})[symbol.name] = ordinal
        if self.language in ("c", "cpp"):  # what an enum names is known around it
            for ordinal, symbol in enumerate(self.symbols):
                if symbol.kind == "enum_member" and symbol.parent >= 0:
                    found.setdefault(self.symbols[symbol.parent].parent, {}).setdefault(symbol.name, ordinal)
        for place, attribute in enumerate(self.links.attributes):
            held = found.setdefault(attribute.owner, {})
            held.setdefault(attribute.name, len(self.symbols) + place)
        return found

    @cached_property
    def parts(self) -> dict[tuple[str, str, int], dict[str, int]]:
        """What belongs to types that do not hold it, by the type's name, what leads to it, and the block around."""
        found: dict[tuple[str, str, int], dict[str, int]] = {}
        for ordinal, ref in self.links.owners.items():
            symbol = self.symbols[ordinal]
            if symbol.kind in PART_KINDS:
                found[symbol.name, ref, ordinal] = self.members.get(ordinal, {})
            elif ref[0] != "D" or not ref[1:].isdigit():
                found.setdefault((self._last_name(ref), ref, -1), {})[symbol.name] = ordinal
        return found

    def _last_name(self, ref: str) -> str:
        _, dot, name = ref.rpartition(".")
        if dot:
            return name
        if name[0] in "DI" and name[1:].isdigit():
            number = int(name[1:])
            return self.symbols[number].name if name[0] == "D" else self.imports[number].name
        return name[1:]

    @cached_property
    def declared(self) -> frozenset[int]:
        return frozenset(self.links.declared)

    @cached_property
    def spaces(self) -> dict[str, list[int]]:
        """The blocks of each namespace by its whole name."""
        found: dict[str, list[int]] = {}
        names: dict[int, str] = {-1: ""}
        for ordinal, symbol in enumerate(self.symbols):
            if symbol.kind in SPACE_KINDS and symbol.parent in names:
                names[ordinal] = f"{names[symbol.parent]}.{symbol.name}".strip(".")
                found.setdefault(names[ordinal], []).append(ordinal)
        return found

    @cached_property
    def open_names(self) -> dict[str, int]:
        """What stands in no type and no function, by name; what is in no namespace either counts most."""
        blocks = sorted(block for blocks in self.spaces.values() for block in blocks)
        found: dict[str, int] = {}
        for block in [-1, *blocks]:
            for name, ordinal in self.members.get(block, {}).items():
                found.setdefault(name, ordinal)
        return found

    @cached_property
    def bodies(self) -> dict[str, list[int]]:
        """The functions that are defined here and known elsewhere, by name."""
        found: dict[str, list[int]] = {}
        hidden = {*self.links.hidden, *self.links.declared}
        for ordinal, symbol in enumerate(self.symbols):
            if symbol.kind in FUNCTION_KINDS and ordinal not in hidden and symbol.kind != "macro":
                found.setdefault(symbol.name, []).append(ordinal)
        return found

    def space_of(self, ordinal: int) -> str:
        """The whole name of the namespace around a definition."""
        parent, names = self.symbols[ordinal].parent, []
        while parent >= 0:
            names.append(self.symbols[parent].name)
            parent = self.symbols[parent].parent
        return ".".join(reversed(names))

    @cached_property
    def imported(self) -> dict[str, int]:
        """Which import gives the file a name; the first of several counts: others are for when it fails."""
        found: dict[str, int] = {}
        for number, row in enumerate(self.imports):
            name = row.alias or row.name
            if not name and number in self.links.paths:
                name = row.module.rpartition("::")[2]
            if name and name != "*":
                found.setdefault(name, number)
        return found

    @cached_property
    def star_imports(self) -> list[int]:
        return [number for number, row in enumerate(self.imports) if row.name == "*"]

    @cached_property
    def attribute_places(self) -> dict[int, int]:
        """The ordinal of each attribute by its first place."""
        return {held.byte: len(self.symbols) + place for place, held in enumerate(self.links.attributes)}

    @cached_property
    def properties(self) -> frozenset[int]:
        return frozenset(self.links.properties)

    def kind(self, ordinal: int) -> str:
        return self.symbols[ordinal].kind if ordinal < len(self.symbols) else "attribute"

    def name(self, ordinal: int) -> str:
        return self.symbols[ordinal].name if ordinal < len(self.symbols) else self.attribute(ordinal).name

    def attribute(self, ordinal: int) -> Attribute:
        return self.links.attributes[ordinal - len(self.symbols)]

    def is_part(self, ordinal: int) -> bool:
        return self.kind(ordinal) in PART_KINDS

    def is_class(self, ordinal: int) -> bool:
        return self.kind(ordinal) in TYPE_KINDS

    def is_field(self, ordinal: int) -> bool:
        return self.kind(ordinal) == "field"

    def is_function(self, ordinal: int) -> bool:
        return self.kind(ordinal) in FUNCTION_KINDS


Find = Callable[[str], Module | None]  # a file of the snapshot by its path
