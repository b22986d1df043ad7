"""Members of types: a type's own, those of its parts elsewhere, of what it stands for, of the classes above it.

`Resolver` builds upon it and says what references and other values lead to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from clew.graph import includes
from clew.graph.layout import Layout
from clew.graph.modules import Find, Module
from clew.graph.units import Part, Units
from clew.graph.values import Meaning, Value
from clew.parse.symbols import SPACE_KINDS

NO_CIRCLE = 1 << 30
MAX_DEPTH = 40  # of imports of imports, of classes above classes


class Members(ABC):
    """What types hold, with a note of whatever was looked at."""

    def __init__(self, layout: Layout, find: Find, named: includes.Named | None) -> None:
        self._layout, self._find = layout, find
        self._units, self._includes = Units(layout, find), includes.Includes(layout, find, named)
        self._parts: dict[tuple[str, int], tuple[list[Part], frozenset[str]]] = {}
        self._trails: list[set[str]] = [set()]
        self._circle = NO_CIRCLE  # the outermost of the references that were met again on the way

    @abstractmethod
    def _meaning(self, module: Module, ref: str, depth: int) -> Meaning | None: ...

    @abstractmethod
    def _of(self, value: Value, name: str, depth: int, *, wanted: str = "") -> Value | None: ...

    @abstractmethod
    def _brought_in(self, module: Module, name: str, depth: int) -> Value | None: ...

    def _depends(self, key: str) -> None:
        self._trails[-1].add(key)

    def _defined(self, meaning: Meaning) -> Meaning:
        """For a function that is only declared, where it is defined, if that is in one place."""
        module, ordinal = meaning.value.module, meaning.value.ordinal
        if module is None or ordinal not in module.declared:
            return meaning
        self._depends(f"n:{module.name(ordinal)}")
        parent = module.symbols[ordinal].parent
        is_member = parent >= 0 and module.kind(parent) not in SPACE_KINDS
        found = []
        for one, body in self._includes.definitions(module, ordinal):
            if is_member:
                owner = self._owner(one, body, 0)
                if owner is not None and owner[1:3] == (module, parent):
                    found.append((one, body))
            elif body not in one.links.owners and one.space_of(body) == module.space_of(ordinal):
                found.append((one, body))
        return meaning._replace(value=Value("definition", *found[0])) if len(found) == 1 else meaning

    def _of_class(self, module: Module, ordinal: int, name: str, depth: int, *, wanted: str = "") -> Value | None:
        """A member of a class, its own or of one above it; external when one above is and has it, for all we know."""
        if depth > MAX_DEPTH or not module.is_class(ordinal):
            return None
        self._depends(f"f:{module.path}")
        found = module.members.get(ordinal, {}).get(name)
        other = {"field": module.is_function, "method": module.is_field}.get(wanted)
        if found is not None and not (other and other(found)):
            return Value("definition", module, found)
        if module.kind(ordinal) in SPACE_KINDS:
            if module.language == "cpp":
                space = f"{module.space_of(ordinal)}.{module.name(ordinal)}".strip(".")
                inner = self._includes.in_space(module, space, name)
                if inner is None and self._includes.is_opened(module, space):
                    inner = self._includes.in_opened(module, name)
                return Value("definition", *inner) if inner is not None else None
            return self._brought_in(module, name, depth)
        if module.is_part(ordinal):
            held = self._owner(module, ordinal, depth)
            if held is not None and held.kind == "external":
                return self._above(module, ordinal, name, depth) or held._replace(name=f"{held.name}.{name}")
            is_found = held is not None and held.module is not None and not held.module.is_part(held.ordinal)
            return self._of(held, name, depth + 1, wanted=wanted) if held is not None and is_found else None
        parts = self._parts_of(module, ordinal, depth) if wanted != "field" else []
        for part in parts:
            if name in part.members:
                return Value("definition", part.module, part.members[name])
        value = self._above(module, ordinal, name, depth) or self._of_alias(module, ordinal, name, depth)
        for part in parts if value is None or value.kind == "external" else ():
            above = self._above(part.module, part.ordinal, name, depth + 1)
            value = above if value is None or (above is not None and above.kind != "external") else value
        return value

    def _owner(self, module: Module, ordinal: int, depth: int) -> Value | None:
        """The type that a definition belongs to without standing in it."""
        ref = module.links.owners.get(ordinal)
        meaning = self._meaning(module, ref, depth + 1) if ref else None
        return meaning.value if meaning is not None else None

    def _parts_of(self, module: Module, ordinal: int, depth: int) -> list[Part]:
        """What belongs to a type and stands elsewhere in its package."""
        known = self._parts.get((module.path, ordinal))
        if known is None:
            unit = self._units.of(module.path, module.language, module.links.package)
            if unit is None:
                return []
            self._trails.append({unit.key})
            found = []
            for part in unit.parts.get(module.name(ordinal), ()):
                meaning = self._meaning(part.module, part.ref, depth + 1)
                if meaning is not None and meaning.value[1:3] == (module, ordinal):
                    self._depends(f"f:{part.module.path}")
                    found.append(part)
            known = (found, frozenset(self._trails.pop()))
            if self._circle == NO_CIRCLE:
                self._parts[module.path, ordinal] = known
        self._trails[-1].update(known[1])
        return known[0]

    def _of_alias(self, module: Module, ordinal: int, name: str, depth: int) -> Value | None:
        """A member of the type that another name stands for."""
        ref = module.links.types.get(ordinal, "") if module.kind(ordinal) == "type" else ""
        meaning = self._meaning(module, ref, depth + 1) if ref else None
        if meaning is None or meaning.value.kind != "external":
            return self._of(meaning.value, name, depth + 1) if meaning is not None else None
        return meaning.value._replace(name=f"{meaning.value.name}.{name}")

    def _above(self, module: Module, ordinal: int, name: str, depth: int) -> Value | None:
        outside: Value | None = None
        for base in module.links.bases.get(ordinal, ()):
            meaning = self._meaning(module, base, depth + 1)
            value = meaning.value if meaning is not None else None
            if value is None:
                outside = outside or Value("external", name=f"?.{name}")
            elif value.kind == "external":
                outside = outside or Value("external", name=f"{value.name}.{name}")
            elif value.kind == "definition" and value.module is not None:
                found = self._of_class(value.module, value.ordinal, name, depth + 1)
                if found is not None and found.kind != "external":
                    return found
                outside = outside or found
        return outside
