"""From what a name means in its file to the definition it leads to, through imports, classes and types.

It follows what the source says and nothing else: a step that cannot be followed ends the way, and a way into a
library ends there, never at a definition of the project that happens to have the same name. Main call:
`Resolver.resolve`.
"""

from __future__ import annotations

import re

from clew.graph import includes
from clew.graph.builtin import BUILTINS
from clew.graph.layout import Layout, Place
from clew.graph.members import MAX_DEPTH, NO_CIRCLE, Members
from clew.graph.modules import Find, Module
from clew.graph.units import Unit
from clew.graph.values import TIERS, Known, Meaning, Value

__all__ = ["TIERS", "Known", "Meaning", "Resolver", "Value"]
_TABLES = frozenset({"variable", "namespace"})
_NAME_PART = re.compile(r"[./\\\\:]+")


class Resolver(Members):
    """Resolves the references of the files of one snapshot; each distinct one once."""

    def __init__(self, layout: Layout, find: Find, named: includes.Named | None = None) -> None:
        super().__init__(layout, find, named)
        self._open: dict[tuple[str, str], int] = {}  # what is being resolved, and how deep

    def resolve(self, module: Module, ref: str) -> Known:
        """Where a reference of a file leads, None when that cannot be said, and what that depends on."""
        self._trails, self._open, self._circle = [set()], {}, NO_CIRCLE
        meaning = self._meaning(module, ref, 0)
        if meaning is not None and meaning.value.kind == "definition":
            meaning = self._defined(meaning)
        return Known(meaning, frozenset(self._trails[0]))

    def _meaning(self, module: Module, ref: str, depth: int) -> Meaning | None:
        known: Known | None = module.known.get(ref)
        if known is not None:
            self._trails[-1].update(known.inputs)
            return known.meaning
        key = (module.path, ref)
        if depth > MAX_DEPTH or key in self._open:  # a circle leads nowhere
            self._circle = min(self._circle, self._open.get(key, 0))
            return None
        level = self._open[key] = len(self._open)
        self._trails.append(set())
        cut = max(ref.rfind("."), ref.rfind("("), ref.rfind("^"), ref.rfind("!"))
        if cut <= 0:
            found = self._base(module, ref, depth)
        else:
            held = self._meaning(module, ref[:cut], depth + 1)
            found = self._step(held, ref[cut], ref[cut + 1 :], depth) if held is not None else None
        inputs = self._trails.pop()
        self._trails[-1].update(inputs)
        del self._open[key]
        if self._circle >= level:  # else it holds only for whoever asked first, and is not kept
            module.known[ref] = Known(found, frozenset(inputs))
            self._circle = NO_CIRCLE if self._circle == level else self._circle
        return found

    # -- bases -------------------------------------------------------------------------------------

    def _base(self, module: Module, base: str, depth: int) -> Meaning | None:
        letter, rest = base[:1], base[1:]
        if letter == "D":
            return Meaning(Value("definition", module, int(rest)), "proven", "scope")
        if letter == "I":
            return self._imported(module, int(rest), depth)
        if letter == "M":
            held = self._find_module(module, module.imports[int(rest)].module)
            return Meaning(held, "proven", f"import:{module.imports[int(rest)].line}") if held is not None else None
        if letter == "N":
            value = self._find_module(module, rest)
            found = self._global(module, rest, depth) if value is None and rest.isidentifier() else None
            return found or Meaning(value or Value("external", name=rest), "proven", "package")
        if letter == "S":
            return Meaning(Value("object", module, int(rest)), "proven", "self")
        if letter == "C":
            if module.is_part(int(rest)):
                held = self._owner(module, int(rest), depth)
                if held is not None and held.kind == "definition":
                    return Meaning(held, "proven", "self")
            return Meaning(Value("definition", module, int(rest)), "proven", "self")
        if letter == "P":
            return Meaning(Value("above", module, int(rest)), "proven", "super")
        if letter == "V":
            owner, _, name = rest.partition(":")
            value = self._of_class(module, int(owner), name, depth)
            if value is not None and value.kind != "external":
                return Meaning(value, "proven", "self")
            return self._global(module, name, depth) or (Meaning(value, "proven", "self") if value else None)
        if letter in "OW":
            number, _, name = rest.partition(":")
            around = self._owner(module, int(number), depth)
            if letter == "O":
                held = self._object_of(around, depth) if around is not None else None
                return Meaning(held, "proven", "self") if held is not None else None
            value = self._of(around, name, depth + 1) if around is not None else None
            if value is not None and value.kind != "external":
                return Meaning(value, "proven", "self")
            return self._global(module, name, depth) or (Meaning(value, "proven", "self") if value else None)
        return self._global(module, rest, depth) if letter == "G" else None

    def _global(self, module: Module, name: str, depth: int) -> Meaning | None:
        """A name that the file does not bind: from an import of everything, or built in."""
        if module.language in includes.LANGUAGES:
            return self._included(module, name)
        for number in module.star_imports:
            held = self._module_of(module, number, depth)
            value = self._of(held, name, depth + 1) if held is not None and held != Value("module", module) else None
            if value is not None:
                return Meaning(value, "proven", f"import:{module.imports[number].line}")
        unit = self._units.of(module.path, module.language, module.links.package)
        if unit is not None:
            value = self._of_unit(unit, name) or self._package_called(module, name, depth)
            if value is not None:
                return Meaning(value, "proven", "package")
        if name in BUILTINS.get(module.language, ()):
            return Meaning(Value("external", name=name), "proven", "builtin")
        return None

    def _included(self, module: Module, name: str) -> Meaning | None:
        """A name of C from what the file includes."""
        if name in BUILTINS.get(module.language, ()):
            return Meaning(Value("external", name=name), "proven", "builtin")
        self._depends(f"i:{module.path}")
        if module.language == "cpp" and self._includes.is_opened(module, name):
            return Meaning(Value("space", module, name=name), "proven", "package")
        found, tier = self._includes.named(module, name), TIERS[0]
        source = self._includes.source_of(module) if found is None else None
        if source is not None:
            self._depends(f"i:{source.path}")
            found, tier = self._includes.named(source, name), "unique"
        if found is None:
            return None
        self._depends(f"f:{found[0].path}")
        return Meaning(Value("definition", *found), tier, "package")

    def _of_unit(self, unit: Unit, name: str) -> Value | None:
        """What the files of a package call by a name; of several, for other systems say, the first."""
        self._depends(unit.key)
        found = unit.names.get(name)
        return Value("definition", *found[0]) if found else None

    def _package_called(self, module: Module, name: str, depth: int) -> Value | None:
        """An imported package whose name is not the last part of its path."""
        for number, row in enumerate(module.imports if module.links.package else ()):
            held = self._module_of(module, number, depth) if not row.alias and not row.name else None
            if held is not None and held.kind == "directory":
                siblings = self._layout.siblings(held.name, held.language)
                first = next((self._find(path) for path in siblings[1]), None) if siblings is not None else None
                if first is not None and first.links.package.removesuffix("_test") == name:
                    return held
        return None

    def _imported(self, module: Module, number: int, depth: int) -> Meaning | None:
        row = module.imports[number]
        evidence = f"import:{row.line}"
        if number in module.links.paths:
            found = self._meaning(module, module.links.paths[number], depth + 1)
            return found._replace(evidence=evidence) if found is not None else None
        held = self._module_of(module, number, depth)
        space, _, last = row.module.rpartition("\\")
        if held is not None and held.module is not None and held.module.links.package != space:
            held = held if module.language != "php" else None  # a library's, for all that their paths are alike
        if held is None:
            name = ".".join(part for part in (row.module, row.name) if part)
            if module.language == "python" and not row.name and not row.alias:
                name = row.module.partition(".")[0]
            return Meaning(Value("external", name=name), "proven", evidence)
        if module.language == "php" and not row.name:  # it names a class
            value = self._of(held, last, depth)
            return Meaning(value, "proven", evidence) if value is not None else None
        if not row.name or row.name == "*":
            return Meaning(held, "proven", evidence)
        value = self._of(held, row.name, depth)
        return Meaning(value, "proven", evidence) if value is not None else None

    def _module_of(self, module: Module, number: int, depth: int) -> Value | None:
        row = module.imports[number]
        if number in module.links.paths:
            found = self._meaning(module, module.links.paths[number], depth + 1)
            return found.value if found is not None else None
        name = row.module
        if module.language == "python" and not row.name and not row.alias:
            name = name.partition(".")[0]  # `import a.b` gives the file `a`
        return self._find_module(module, name)

    def _find_module(self, module: Module, name: str) -> Value | None:
        """A module by its name; it depends on whatever comes or goes under the first or the last part of that."""
        place = self._layout.find(module.path, module.language, name)
        parts = [part for part in _NAME_PART.split(name) if part]
        for part in parts[:1] + parts[1:][-1:]:
            self._depends(f"m:{part}")
        return self._value_at(place, module.language)

    def _inside(self, place: Place, name: str, language: str) -> Value | None:
        """A module by its name within a directory."""
        self._depends(f"m:{name}")
        return self._value_at(self._layout.inside(place, name, language), language)

    def _value_at(self, place: Place | None, language: str) -> Value | None:
        if place is None:
            return None
        self._depends(f"f:{place.path}")
        if place.is_directory:
            return Value("directory", name=place.path, language=language)
        found = self._find(place.path)
        return Value("module", found) if found is not None else None

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, held: Meaning, step: str, name: str, depth: int) -> Meaning | None:
        value, tier, evidence = held
        if value.kind == "external":
            return Meaning(value._replace(name=value.name + (f".{name}" if step in ".!" else "()")), tier, evidence)
        if step in ".!":
            if value.kind == "definition" and value.module is not None and not value.module.is_class(value.ordinal):
                if value.module.is_function(value.ordinal) and value.ordinal not in value.module.properties:
                    return None
                inner = self._content(value, depth)
                if inner is None:
                    return None
                value, tier = inner, "typed"
                if value.kind == "external":
                    return Meaning(value._replace(name=f"{value.name}.{name}"), tier, evidence)
            found = self._of(value, name, depth, wanted="method" if step == "!" else "")
        elif step == "(":
            found, tier = self._called(value, depth), "typed"
        else:
            found, tier = self._object_of(value, depth), "typed"
        return Meaning(found, tier, evidence) if found is not None else None

    def _of(self, value: Value, name: str, depth: int, *, wanted: str = "") -> Value | None:
        """A member of a value."""
        if depth > MAX_DEPTH:
            return None
        if value.kind == "directory":
            unit = self._units.of(value.name, value.language)
            return self._of_unit(unit, name) if unit else self._inside(Place(value.name, True), name, value.language)
        module = value.module
        if module is None:
            return None
        self._depends(f"f:{module.path}")
        if value.kind == "space":
            held = self._includes.in_space(module, value.name, name) or self._includes.in_opened(module, name)
            return Value("definition", *held) if held is not None else None
        if value.kind == "module":
            return self._of_module(module, name, depth + 1)
        if value.kind == "above":
            return self._above(module, value.ordinal, name, depth + 1)
        if value.kind == "object" and module.language == "rust":
            wanted = wanted or "field"
        return self._of_class(module, value.ordinal, name, depth + 1, wanted=wanted)

    def _of_module(self, module: Module, name: str, depth: int) -> Value | None:
        """What a module shows under a name: its own, what it imports, what lies in its directory."""
        if depth > MAX_DEPTH:
            return None
        self._depends(f"f:{module.path}")
        ordinal = module.members.get(-1, {}).get(name)
        if ordinal is not None:
            return Value("definition", module, ordinal)
        if module.language in ("lua", "php"):  # what a table or a namespace of the file holds
            for holder, held in module.members.items():
                if holder >= 0 and name in held and module.kind(holder) in _TABLES:
                    return Value("definition", module, held[name])
        return self._brought_in(module, name, depth)

    def _brought_in(self, module: Module, name: str, depth: int) -> Value | None:
        """What a file's imports and its place give it."""
        number = module.imported.get(name)
        if number is not None:
            meaning = self._meaning(module, f"I{number}", depth + 1)
            if meaning is not None:
                return meaning.value
        submodule = self._inside(Place(module.path), name, module.language)
        if submodule is not None:
            return submodule
        for number in module.star_imports:
            held = self._module_of(module, number, depth)
            found = self._of(held, name, depth + 1) if held is not None and held.module is not module else None
            if found is not None:
                return found
        return None

    def _content(self, value: Value, depth: int) -> Value | None:
        """What a variable, a field or a property holds."""
        module = value.module
        assert module is not None
        if module.kind(value.ordinal) == "enum_member":
            return Value("object", module, module.symbols[value.ordinal].parent)
        if value.ordinal >= len(module.symbols):
            ref = module.attribute(value.ordinal).value
        elif value.ordinal in module.properties:
            ref = module.links.returns.get(value.ordinal, "")
        else:
            ref = module.links.types.get(value.ordinal, "")
        if not ref or depth > MAX_DEPTH:
            return None
        self._depends(f"f:{module.path}")
        meaning = self._meaning(module, ref, depth + 1)
        found = meaning.value if meaning is not None else None
        if found is None or found.kind != "definition" or found.module is None:
            return found
        is_held = not found.module.is_class(found.ordinal) and not found.module.is_function(found.ordinal)
        return self._content(found, depth + 1) if is_held else found

    def _called(self, value: Value, depth: int) -> Value | None:
        """What a call gives."""
        module = value.module
        if module is None or value.kind != "definition":
            return None
        if module.is_class(value.ordinal):
            return Value("object", module, value.ordinal)
        if module.kind(value.ordinal) == "enum_member":
            return self._content(value, depth)
        ref = module.links.returns.get(value.ordinal, "") or module.links.types.get(value.ordinal, "")
        if not ref or depth > MAX_DEPTH:
            return None
        self._depends(f"f:{module.path}")
        meaning = self._meaning(module, ref, depth + 1)
        return meaning.value if meaning is not None else None

    def _object_of(self, value: Value, depth: int) -> Value | None:
        """An object of a type."""
        if value.kind == "object":  # a type parameter stands for what bounds it
            return value
        if value.kind != "definition" or value.module is None:
            return None
        if value.module.is_class(value.ordinal):
            return Value("object", value.module, value.ordinal)
        inner = self._content(value, depth)  # `Alias = Class`
        return self._object_of(inner, depth + 1) if inner is not None and depth < MAX_DEPTH else None
