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
from clew.graph.members import MAX_DEPTH, NO_CIRCLE
from clew.graph.modules import Find, Module
from clew.graph.packages import Packages
from clew.graph.scripts import OPEN, Scripts
from clew.graph.units import Unit
from clew.graph.values import Known, Meaning, Tier, Value
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import ABOVE, CALLED, ONE_OF, SEVERAL
from clew.parse.packaged import PACKAGED
from clew.parse.scopes import FREE_FORM

_STEPS = (".", "(", "^", SEVERAL, ONE_OF, ABOVE)
_NAME_PART = re.compile(r"[./\\\\:]+")


class Resolver(Packages, Scripts):
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

    def spelled_out(self, keys: set[str]) -> set[str]:
        """Keys without those for what a file includes: the files and names instead that this rests on."""
        found = {key for key in keys if not key.startswith("i:")}
        for key in keys - found:
            module = self._find(key[2:])
            found |= self._includes.keys(module) if module is not None else set()
        return found

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
        cut = max(map(ref.rfind, _STEPS))
        if cut <= 0:
            found = self._base(module, ref, depth)
        else:
            held = self._meaning(module, ref[:cut], depth + 1)
            found = self._step(held, ref[cut], ref[cut + 1 :], depth) if held is not None else None
            if held is not None and module.language == "kotlin" and ref[cut] == ".":
                found = self._or_extending(module, held, found, ref[cut + 1 :], depth)
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
        if module.language in OPEN and letter in "VNIJMG":
            return self._open_base(module, letter, rest, depth)
        if letter == "D":
            return Meaning(Value("definition", module, int(rest)), "proven", "scope")
        if letter in ("I", "J", "M") and module.language in PACKAGED:
            return self._import_of(module, int(rest), depth)
        if letter in ("I", "J"):
            return self._imported(module, int(rest), depth)
        if letter == "M":
            held = self._find_module(module, module.imports[int(rest)].module, depth)
            return Meaning(held, "proven", f"import:{module.imports[int(rest)].line}") if held is not None else None
        if letter == "N":
            value = self._find_module(module, rest, depth)
            found = self._global(module, rest, depth) if value is None and rest.isidentifier() else None
            return found or Meaning(value or Value("external", name=rest), "proven", "package")
        if letter == "S":
            return Meaning(Value("object", module, int(rest)), "proven", "self")
        if letter == "C":
            held = self._owner(module, int(rest), depth) if module.is_part(int(rest)) else None
            if held is not None and held.kind == "definition":
                return Meaning(held, "proven", "self")
            is_outside = module.language == "swift" and module.is_part(int(rest))  # an extension of a library's type
            return Meaning(Value("object" if is_outside else "definition", module, int(rest)), "proven", "self")
        if letter == "P":
            return Meaning(Value("above", module, int(rest)), "proven", "super")
        if letter == "V":
            owner, _, name = rest.partition(":")
            return self._visible(module, int(owner), name, depth)
        if letter in ("O", "W"):
            number, _, name = rest.partition(":")
            return self._of_owner(module, int(number), name, depth)
        return self._global(module, rest, depth) if letter == "G" else None

    def _visible(self, module: Module, owner: int, name: str, depth: int) -> Meaning | None:
        """A bare name in a class whose members need no `this`: its own, of one around it, or global."""
        outside: Value | None = None
        while owner >= 0:
            value = self._of_class(module, owner, name, depth)
            if value is not None and value.kind != "external":
                return Meaning(value, "proven", "self")
            outside = outside or value
            owner = module.symbols[owner].parent if module.language not in FREE_FORM else -1
        found = self._global(module, name, depth)
        return found or (Meaning(outside, "proven", "self") if outside is not None else None)

    def _of_owner(self, module: Module, ordinal: int, name: str, depth: int) -> Meaning | None:
        """An object of the type that a definition belongs to, or what a bare name in it is: a member or global."""
        around = self._owner(module, ordinal, depth)
        if not name:
            is_table = module.language == "lua"
            held = around if is_table or around is None else self._object_of(around, depth)
            return Meaning(held, "proven", "self") if held is not None else None
        value = self._of(around, name, depth + 1) if around is not None else None
        if value is not None and value.kind != "external":
            return Meaning(value, "proven", "self")
        parent = module.symbols[ordinal].parent
        if parent >= 0 and module.language in PACKAGED:
            return self._visible(module, parent, name, depth)
        return self._global(module, name, depth) or (Meaning(value, "proven", "self") if value is not None else None)

    def _global(self, module: Module, name: str, depth: int) -> Meaning | None:
        """A name that the file does not bind: from an import of everything, or built in."""
        if module.language in includes.LANGUAGES:
            return self._included(module, name)
        if module.language in PACKAGED:
            return self._in_package(module, name, depth)
        is_kept = module.language in ECMASCRIPT or (module.language == "go" and not name[:1].isupper())
        for number in module.star_imports if not is_kept else ():
            held = self._module_of(module, number, depth)
            is_own = module.language == "rust" and held == Value("module", module)
            value = self._of(held, name, depth) if held is not None and not is_own else None
            if value is not None:
                return Meaning(value, "proven", f"import:{module.imports[number].line}")
        name = name.removesuffix(CALLED)
        found = self._of_package(module, name, depth)
        if found is not None:
            return Meaning(found, "proven", "package")
        if name in BUILTINS.get(module.language, ()):
            return Meaning(Value("external", name=name), "proven", "builtin")
        return None

    def _of_package(self, module: Module, name: str, depth: int) -> Value | None:
        """What a file sees without an import since it is of the same package."""
        if module.language == "csharp":
            return self._of_namespaces(module, name, depth)
        if module.language in FREE_FORM:
            unit = self._units.of(module.path, module.language, module.links.package)
            return (self._of_unit(unit, name) or self._package_called(module, name, depth)) if unit else None
        if not module.links.package:
            return None
        found = self._find_module(module, f"{module.links.package}.{name}", depth)
        return found if found is not None and found.kind != "directory" else None

    def _included(self, module: Module, name: str) -> Meaning | None:
        """A name of C from what the file includes."""
        if name in BUILTINS.get(module.language, ()):
            return Meaning(Value("external", name=name), "proven", "builtin")
        self._depends(f"i:{module.path}")
        if module.language == "cpp" and self._includes.is_opened(module, name):
            return Meaning(Value("space", module, name=name), "proven", "package")
        found = self._includes.named(module, name)
        tier: Tier = "proven"
        source = self._includes.source_of(module) if found is None else None
        if source is not None:
            self._depends(f"i:{source.path}")
            found, tier = self._includes.named(source, name), "unique"
        return Meaning(Value("definition", *found), tier, "package") if found is not None else None

    def _of_unit(self, unit: Unit, name: str) -> Value | None:
        """What the files of a package call by a name; of several, for other systems say, the first."""
        self._depends(unit.key)
        found = unit.names.get(name)
        return Value("definition", *found[0]) if found else None

    def _package_called(self, module: Module, name: str, depth: int) -> Value | None:
        """An imported package whose name is not the last part of its path."""
        for number, row in enumerate(module.imports if module.language == "go" else ()):
            held = self._module_of(module, number, depth) if not row.alias and not row.name else None
            siblings = self._layout.siblings(held.name, "go") if held is not None and held.kind == "directory" else None
            first = next((self._find(path) for path in siblings[1]), None) if siblings is not None else None
            if first is not None and first.links.package.removesuffix("_test") == name:
                return held
        return None

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

    def _imported(self, module: Module, number: int, depth: int) -> Meaning | None:
        row = module.imports[number]
        evidence = f"import:{row.line}"
        if number in module.links.paths:
            followed = self._meaning(module, module.links.paths[number], depth + 1)
            return followed._replace(evidence=evidence) if followed is not None else None
        held = self._module_of(module, number, depth)
        space, _, last = row.module.rpartition("\\")
        if module.language == "php" and held is not None and held.module is not None:
            held = held if held.module.links.package == space else None  # a library's, though their paths are alike
        if held is None and module.language == "csharp" and row.alias:
            found = self._of_namespaces(module, row.module.rpartition(".")[2], depth)
            if found is not None:
                return Meaning(found, "proven", evidence)
        if held is None:
            name = ".".join(part for part in (row.module, row.name) if part)
            if module.language == "python" and not row.name and not row.alias:
                name = row.module.partition(".")[0]
            return Meaning(Value("external", name=name), "proven", evidence)
        if module.language == "php" and not row.name:  # it names a class
            value = self._of(held, last, depth)
            return Meaning(value, "proven", evidence) if value is not None else None
        if not row.name or row.name == "*":
            whole = held.module.links.exports.get("=") if held.module is not None else None
            if held.kind == "module" and held.module is not None and whole:
                return self._meaning(held.module, whole, depth + 1)
            return Meaning(held, "proven", evidence)
        value = self._of(held, row.name, depth)
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
        place = self._layout.find(module.path, module.language, name)
        parts = [part for part in _NAME_PART.split(name) if part]
        stem = name.replace("\\", "/").rpartition("/")[2].partition(".")[0]
        self._trails[-1].update({f"m:{part}" for part in (*parts[:1], *parts[1:][-1:], stem) if part})
        self._trails[-1].update(self._layout.keys(module.path, module.language, name))
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
            value = self._of(value, name, depth + 1) if value is not None else None
        return value

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, held: Meaning, step: str, name: str, depth: int) -> Meaning | None:
        value, tier, evidence = held
        if value.kind == "external":
            more = f".{name.removesuffix(CALLED)}" if step == "." else "()"
            return Meaning(value._replace(name=value.name + more), tier, evidence)
        made = value.receiver if value.kind == "definition" else None
        if step == "." and made is not None and made.kind == "definition":  # Ruby's `T.new.x`
            value, tier = Value("object", made.module, made.ordinal), "typed"
        if step == ".":
            if value.kind == "definition" and value.module is not None and not value.module.is_class(value.ordinal):
                own = value.module.own(value.ordinal, name)
                if own is not None:
                    self._depends(f"f:{value.module.path}")
                    return Meaning(Value("definition", value.module, own), tier, evidence)
                if value.module.is_function(value.ordinal) and value.ordinal not in value.module.properties:
                    inner = self._called(value, depth) if value.module.language == "scala" else None
                else:
                    inner = self._content(value, depth)
                if inner is None:
                    return None
                value, tier = inner, "typed"
                if value.kind == "external":
                    return Meaning(value._replace(name=f"{value.name}.{name.removesuffix(CALLED)}"), tier, evidence)
            found = self._of(value, name, depth)
            if found is not None and value.kind == "object" and found.kind == "definition":
                found = found._replace(receiver=value)
        elif step == "(":
            found, tier = self._called(value, depth), "typed"
        elif step == ABOVE:
            is_class = value.kind == "definition" and value.module is not None and value.module.is_class(value.ordinal)
            found, evidence = (value._replace(kind="above") if is_class else None), "super"
        elif step == ONE_OF:
            found, tier = self._one_of(value, depth), "typed"
        else:
            found, tier = self._object_of(value, depth), "typed"
            if step == SEVERAL and found is not None:
                found = found._replace(kind="several")
        return Meaning(found, tier, evidence) if found is not None else None

    def _of(self, value: Value, name: str, depth: int, *, wanted: str = "") -> Value | None:
        """A member of a value."""
        if depth > MAX_DEPTH:
            return None
        if value.kind == "directory":
            unit = self._units.of(value.name, value.module.language) if value.module is not None else None
            if unit is not None:
                return self._of_unit(unit, name)
            return self._inside(Place(value.name, True), name, value.module, depth)
        module = value.module
        if module is None:
            return None
        self._depends(f"f:{module.path}")
        if module.language in OPEN and value.kind != "module":
            return self._member(value, name, depth + 1)
        if module.language == "lua" and value.kind == "definition":
            own = module.own(value.ordinal, name)
            return Value("definition", module, own) if own is not None else None
        if module.language == "rust" and (value.kind == "object" or name.endswith(CALLED)):
            wanted = wanted or ("method" if name.endswith(CALLED) else "field")
            name = name.removesuffix(CALLED)
        if value.kind == "several":
            return Value("external", name=f"?.{name}")  # a list's own
        if value.kind == "space":
            self._depends(f"i:{module.path}")
            held = self._includes.in_space(module, value.name, name) or self._includes.in_opened(module, name)
            return Value("definition", *held) if held is not None else None
        if value.kind == "module":
            return self._of_module(module, name, depth + 1)
        if value.kind == "above":
            return self._above(module, value.ordinal, name, depth + 1)
        if value.kind == "package":
            return self._in_space(module, value.name, name)
        ordinal = value.ordinal
        if module.language == "scala" and value.kind == "definition":
            ordinal = module.companion(ordinal, is_object=True)
        return self._of_class(module, ordinal, name, depth + 1, wanted=wanted)

    def _of_module(self, module: Module, name: str, depth: int) -> Value | None:
        """What a module shows under a name: its own, what it imports, what lies in its directory."""
        if depth > MAX_DEPTH:
            return None
        self._depends(f"f:{module.path}")
        if module.language in ECMASCRIPT:
            return self._exported(module, name, depth)
        ordinal = module.members.get(-1, {}).get(name)
        if ordinal is not None:
            return Value("definition", module, ordinal)
        if module.language == "lua":
            return None  # what it gives back is no table with a name
        return self._brought_in(module, name, depth)

    def _brought_in(self, module: Module, name: str, depth: int) -> Value | None:
        """What a file's imports and its place give it."""
        number = module.imported.get(name)
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
