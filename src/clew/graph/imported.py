"""What imports lead to and what modules show: by the name of a module, by what it exports, by all it brings in.

`Resolver` builds upon it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clew.graph.layout import Place
from clew.graph.members import MAX_DEPTH, Members
from clew.graph.modules import Module
from clew.graph.units import Unit
from clew.graph.values import Meaning, Value
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import CALLED, MACRO

_NAME_PART = re.compile(r"[./\\\\:]+")


class Imported(Members):
    """Modules, what names them and what they have."""

    # -- imports -----------------------------------------------------------------------------------

    def _imported(self, module: Module, number: int, depth: int) -> Meaning | None:
        row = module.imports[number]
        evidence = f"import:{row.line}"
        if number in module.links.paths:
            followed = self._meaning(module, module.links.paths[number], depth + 1)
            return followed._replace(evidence=evidence) if followed is not None else None
        held = self._module_of(module, number, depth)
        if held is None and module.language == "csharp" and row.alias:
            found = self._of_namespaces(module, row.module.rpartition(".")[2], depth)
            if found is not None:
                return Meaning(found, "proven", evidence)
        if held is None:
            name = ".".join(part for part in (row.module, row.name) if part)
            if module.language == "python" and not row.name and not row.alias:
                name = row.module.partition(".")[0]
            return Meaning(Value("external", name=name), "proven", evidence)
        if not row.name or row.name == "*":
            whole = held.module.links.exports.get("=") if held.module is not None else None
            if held.kind == "module" and held.module is not None and whole:
                meaning = self._meaning(held.module, whole, depth + 1)
                return meaning._replace(evidence=evidence) if meaning is not None else None
            return Meaning(held, "proven", evidence)
        value = self._by_import(held, row.name, depth)
        return Meaning(value, "proven", evidence) if value is not None else None

    def _module_of(self, module: Module, number: int, depth: int) -> Value | None:
        row = module.imports[number]
        if number in module.links.paths:
            followed = self._meaning(module, module.links.paths[number], depth + 1)
            return followed.value if followed is not None else None
        name = row.module
        if module.language == "python" and not row.name and not row.alias:
            name = name.partition(".")[0]  # `import a.b` gives the file `a`
        return self._find_module(module, name, depth)

    def _find_module(self, module: Module, name: str, depth: int) -> Value | None:
        """A module by its name; it depends on whatever comes or goes under the first or the last part of that."""
        known = self._places.get((module.path, name))
        if known is None:
            place = self._layout.find(module.path, module.language, name)
            keys = _keys(name) | self._layout.keys(module.path, module.language, name)
            known = self._places[module.path, name] = place, keys
        place, keys = known
        self._trails[-1].update(keys)
        return self._value_at(place, module, depth)

    def _value_at(self, place: Place | None, importer: Module, depth: int) -> Value | None:
        if place is None:
            return None
        self._depends(f"f:{place.path}")
        if place.is_directory:
            return Value("directory", importer, name=place.path)
        found = self._find(place.path)
        value = Value("module", found) if found is not None else None
        for name in place.inner.split(".") if place.inner else ():
            value = self._by_import(value, name, depth + 1) if value is not None else None
        return value

    def _by_import(self, value: Value, name: str, depth: int) -> Value | None:
        """A member by the name that an import gives: Java's names fields and methods alike."""
        found = self._of(value, name, depth)
        is_java = value.module is not None and value.module.language == "java"
        if is_java and (found is None or found.kind == "external"):
            return self._of(value, name + CALLED, depth) or found
        return found

    def _of_namespaces(self, module: Module, name: str, depth: int) -> Value | None:
        self._depends(f"n:{name}")
        found = self._namespaces.find(module, name)
        if found is not None:
            self._depends(f"f:{found[0].path}")
            return Value("definition", *found)
        for other, ordinal in self._namespaces.static(module):
            value = self._of_class(other, ordinal, name, depth + 1)
            if value is not None and value.kind != "external":
                return value
        return None

    # -- modules -----------------------------------------------------------------------------------

    def _of_module(self, module: Module, name: str, depth: int) -> Value | None:
        """What a module shows under a name: its own, what it imports, what lies in its directory."""
        if depth > MAX_DEPTH:
            return None
        if module.language in ECMASCRIPT:
            return self._exported(module, name, depth)
        held = module.members.get(-1, {})
        ordinal = held.get(name, held.get(name + MACRO))  # an import names both alike
        if ordinal is not None:
            return Value("definition", module, ordinal)
        if name.endswith(MACRO):  # those that are exported are the crate's
            unit = self._units.of(module.path, module.language)
            shared = self._of_unit(unit, name) if unit is not None else None
            if shared is not None:
                return shared
        if module.language == "lua":
            return None  # what it gives back is no table with a name
        return self._brought_in(module, name, depth)

    def _of_unit(self, unit: Unit, name: str) -> Value | None:
        """What the files of a package call by a name; of several, for other systems say, the first."""
        self._depends(unit.key)
        found = unit.names.get(name)
        is_told = found and (len(found) == 1 or found[0][0].language != "rust")  # macros of several modules are others
        return Value("definition", *found[0]) if found and is_told else None

    def _brought_in(self, module: Module, name: str, depth: int) -> Value | None:
        """What a file's imports and its place give it."""
        number = module.imported.get(name.removesuffix(MACRO))
        if number is not None:
            meaning = self._meaning(module, f"I{number}", depth + 1)
            if meaning is not None:
                return meaning.value
        submodule = self._inside(Place(module.path), name, module, depth)
        if submodule is not None:
            return submodule
        return self._of_stars(module, name, depth)

    def _exported(self, module: Module, name: str, depth: int) -> Value | None:
        """What a module that says what it exports shows under a name."""
        exports = module.links.exports
        ref = exports.get(name) or (exports.get("=", "") if name == "default" else "")
        if ref:
            meaning = self._meaning(module, ref, depth + 1)
            return meaning.value if meaning is not None else None
        ordinal = module.members.get(-1, {}).get(name) if not exports or "=" in exports else None
        if ordinal is not None:
            return Value("definition", module, ordinal)
        if exports.get("="):
            meaning = self._meaning(module, f"{exports['=']}.{name}", depth + 1)
            return meaning.value if meaning is not None else None
        return self._of_stars(module, name, depth) if name != "default" else None

    def _inside(self, place: Place, name: str, importer: Module | None, depth: int) -> Value | None:
        if importer is None:
            return None
        self._depends(f"m:{name}")
        found = self._layout.inside(place, name, importer.language, importer.path)
        return self._value_at(found, importer, depth)

    def _of_stars(self, module: Module, name: str, depth: int) -> Value | None:
        for number in module.star_imports:
            held = self._module_of(module, number, depth)
            found = self._of(held, name, depth + 1) if held is not None and held.module is not module else None
            if found is not None:
                return found
        return None


@lru_cache(maxsize=65_536)
def _keys(name: str) -> frozenset[str]:
    """The parts of a module's name that it depends on, whether there is such a file."""
    parts = [part for part in _NAME_PART.split(name) if part]
    stem = name.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return frozenset(f"m:{part}" for part in (*parts[:1], *parts[1:][-1:], stem) if part)
