"""From what a name means in its file to the definition it leads to, through imports, classes and types.

It follows what the source says and nothing else: a step that cannot be followed ends the way, and a way into a
library ends there, never at a definition of the project that happens to have the same name. Main call:
`Resolver.resolve`.
"""

from __future__ import annotations

import re
from typing import cast

from clew.graph import includes
from clew.graph.builtin import BUILTINS
from clew.graph.imported import Imported
from clew.graph.layout import Layout, Place
from clew.graph.members import MAX_DEPTH, NO_CIRCLE
from clew.graph.modules import IMPORTS, TOLD_APART, Find, Module
from clew.graph.packages import Packages
from clew.graph.scripts import OPEN, Scripts
from clew.graph.values import Key, Known, Meaning, Tier, Value
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import ABOVE, AWAITED, CALLED, MACRO, ONE_OF, PROMISED, SEVERAL, TYPE
from clew.parse.packaged import PACKAGED
from clew.parse.scopes import FREE_FORM

_TO_LAST_STEP = re.compile(f".+[.(^{SEVERAL}{ONE_OF}{ABOVE}{PROMISED}{AWAITED}]", re.DOTALL)
_OF_DEFINITIONS = frozenset("DSCPVOW")  # bases that begin with the number of a definition
_PARTS = re.compile(r"[./\\\\:]+")  # what parts of names are between


class Resolver(Packages, Scripts, Imported):
    """Resolves the references of the files of one snapshot; each distinct one once."""

    def __init__(self, layout: Layout, find: Find, named: includes.Named | None = None) -> None:
        super().__init__(layout, find, named)
        # Of each file the references that were resolved already; a number is how deep one is that is being resolved.
        self._resolved: dict[str, dict[str, Known | int]] = {}
        self._level = 0  # how many are being resolved

    def let_go(self) -> None:
        """Nothing can be resolved any more, and all that was is freed at once: the parts know it and it knows them, so
        otherwise it would stay until the next look for circles, of which there is none while edges are made."""
        vars(self).clear()

    def resolve(self, module: Module, ref: str, inputs: set[Key]) -> Meaning | None:
        """Where a reference of a file leads, None when that cannot be said; adds to `inputs` what that rests on."""
        self._trails, self._level, self._circle = [inputs], 0, NO_CIRCLE
        if ref[0] == "J" and module.language not in OPEN:
            ref = f"I{ref[1:]}"  # where it is written it is what it is elsewhere
        meaning = self._meaning(module, ref, 0)
        if meaning is None:
            return None
        kind, module_of, _, name, _ = meaning[0]
        if kind == "external" and name.endswith(MACRO):
            return meaning._replace(value=meaning.value._replace(name=name.removesuffix(MACRO)))
        if kind != "definition":
            return meaning
        if module_of is None or not (module_of.links.declared or module_of.links.conditional):
            return meaning  # so it is in most languages: all there is of it is defined, and always there
        meaning = self._defined(meaning)
        is_sure = meaning.tier not in ("proven", "typed") or not _is_conditional(meaning.value)
        return meaning if is_sure else meaning._replace(tier="unique")

    def spelled_out(self, keys: set[Key]) -> tuple[set[str], set[int]]:
        """Keys and those of names in files; without those for what a file includes: what this rests on instead."""
        found = {key for key in keys if isinstance(key, str)}
        names = cast(set[int], keys - found)
        for key in [key for key in found if key.startswith("i:")]:
            found.remove(key)
            module = self._find(key[2:])
            found |= self._includes.keys(module) if module is not None else set()
        return found, names

    def _meaning(self, module: Module, ref: str, depth: int) -> Meaning | None:
        of_file = self._resolved.get(module.path)
        if of_file is None:
            of_file = self._resolved[module.path] = {}
        known, trails = of_file.get(ref), self._trails
        if isinstance(known, tuple):
            trails[-1].update(known[1])
            return known[0]
        if depth > MAX_DEPTH or known is not None:  # a circle leads nowhere
            self._circle = min(self._circle, known or 0)
            return None
        level = of_file[ref] = self._level
        self._level += 1
        trails.append(set())
        last = _TO_LAST_STEP.match(ref)
        if last is None:
            found = self._base(module, ref, depth)
        else:
            cut = last.end() - 1
            if ref[cut] == "." and module.language not in TOLD_APART:
                trails[-1].add(module.key_of(ref[cut + 1 :]))
            held = self._meaning(module, ref[:cut], depth + 1)
            found = self._step(held, ref[cut], ref[cut + 1 :], depth) if held is not None else None
            if held is not None and module.language == "kotlin" and ref[cut] == ".":
                found = self._or_extending(module, held, found, ref[cut + 1 :], depth)
        inputs = trails.pop()
        trails[-1].update(inputs)
        self._level -= 1
        if self._circle >= level:  # else it holds only for whoever asked first, and is not kept
            of_file[ref] = found, inputs
            self._circle = NO_CIRCLE if self._circle == level else self._circle
        else:
            del of_file[ref]
        return found

    # -- bases -------------------------------------------------------------------------------------

    def _base(self, module: Module, base: str, depth: int) -> Meaning | None:
        letter, rest = base[:1], base[1:]
        if module.language in OPEN and letter in "VNIJMG":
            return self._open_base(module, letter, rest, depth)
        self._note_base(module, letter, rest)
        if letter == "D":
            return Meaning(Value("definition", module, int(rest)), "proven", "scope")
        if letter in ("I", "J", "M") and module.language in PACKAGED:
            return self._import_of(module, int(rest), depth)
        if letter == "J":
            return self._meaning(module, f"I{rest}", depth)
        if letter == "I":
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

    def _note_base(self, module: Module, letter: str, rest: str) -> None:
        """What a base names, it depends on."""
        if letter in _OF_DEFINITIONS:
            number, _, name = rest.partition(":")
            self._reads(module, module.name(int(number)))
            if name:
                self._reads(module, name)
        if module.language in TOLD_APART or letter in "DSCP":
            return
        self._reads(module, IMPORTS)
        if letter in "IJM":
            row = module.imports[int(rest)]
            self._reads(module, *filter(None, (row.name, row.alias, *_PARTS.split(row.module))))
        elif letter in "GN":
            self._reads(module, *filter(None, _PARTS.split(rest)))

    def _visible(self, module: Module, owner: int, name: str, depth: int) -> Meaning | None:
        """A bare name in a class whose members need no `this`: its own, of one around it, or global."""
        outside: Value | None = None
        first = owner
        is_type, name = name.endswith(TYPE), name.removesuffix(TYPE)
        while owner >= 0:
            value = self._of_class(module, owner, name, depth)
            value = self._type_of(value) if is_type and value is not None else value
            if value is not None and value.kind != "external":
                return Meaning(value, "proven", "self")
            outside = outside or value
            owner = module.parents[owner] if module.language not in FREE_FORM else -1
        found = self._outside_types(module, first, name) or self._global(module, name, depth)
        return found or (Meaning(outside, "proven", "self") if outside is not None else None)

    def _outside_types(self, module: Module, ordinal: int, name: str) -> Meaning | None:
        """What the file or a namespace around a definition of C++ has under a name."""
        while module.language == "cpp" and ordinal >= 0:
            ordinal = module.parents[ordinal]
            found = module.members.get(ordinal, {}).get(name)
            if found is not None:
                return Meaning(Value("definition", module, found), "proven", "scope")
        return None

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
        parent = module.parents[ordinal]
        if parent >= 0 and module.language in PACKAGED:
            return self._visible(module, parent, name, depth)
        found = self._outside_types(module, ordinal, name) or self._global(module, name, depth)
        return found or (Meaning(value, "proven", "self") if value is not None else None)

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
        if name.removesuffix(MACRO) in BUILTINS.get(module.language, ()):
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

    def _package_called(self, module: Module, name: str, depth: int) -> Value | None:
        """An imported package whose name is not the last part of its path."""
        for number, row in enumerate(module.imports if module.language == "go" else ()):
            held = self._module_of(module, number, depth) if not row.alias and not row.name else None
            siblings = self._layout.siblings(held.name, "go") if held is not None and held.kind == "directory" else None
            first = next((self._find(path) for path in siblings[1]), None) if siblings is not None else None
            if first is not None and first.links.package.removesuffix("_test") == name:
                return held
        return None

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, held: Meaning, step: str, name: str, depth: int) -> Meaning | None:
        value, tier, evidence = held
        if step in (PROMISED, AWAITED):
            found = self._promised(value) if step == PROMISED else self._awaited(value, depth)
            return Meaning(found, tier, evidence) if found is not None else None
        if value.kind == "external":
            more = f".{name.removesuffix(CALLED)}" if step == "." else "()"
            return Meaning(value._replace(name=value.name + more), tier, evidence)
        made = value.receiver if value.kind == "definition" else None
        if step == "." and made is not None and made.kind == "definition":  # Ruby's `T.new.x`
            value, tier = Value("object", made.module, made.ordinal), "typed"
        if step == ".":
            if value.kind == "definition" and value.module is not None and not value.module.is_class(value.ordinal):
                self._reads(value.module, name, value.module.name(value.ordinal))
                own = value.module.own(value.ordinal, name)
                if own is not None:
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
            if found is not None and found.kind == "definition":
                if value.kind == "object":
                    found = found._replace(receiver=value)
                elif value.kind == "definition" and value.module is not None and value.module.language == "php":
                    found = found._replace(receiver=value._replace(kind="object"))
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
        self._reads(module, name)
        if module.language in OPEN and value.kind != "module":
            return self._member(value, name, depth + 1)
        if module.language == "lua" and value.kind == "definition":
            own = module.own(value.ordinal, name)
            return Value("definition", module, own) if own is not None else None
        if module.language == "rust" and (value.kind == "object" or name.endswith(CALLED)):
            wanted = wanted or ("method" if name.endswith(CALLED) else "field")
            name = name.removesuffix(CALLED)
        if value.kind == "promise" and module.language == "csharp" and name == "Result":
            return value._replace(kind="object")
        if value.kind in ("several", "promise"):
            return Value("external", name=f"?.{name}")  # a list's own, a coroutine's or a promise's
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
        found = self._of_class(module, ordinal, name, depth + 1, wanted=wanted)
        return self._of_its_side(found, name, value) if found is not None else None


def _is_conditional(value: Value) -> bool:
    """Whether C has a definition, or the type that holds it, under a condition only: else it may be a library's."""
    module, ordinal = value.module, value.ordinal
    if module is None or not module.conditional or ordinal >= module.count:
        return False
    return ordinal in module.conditional or module.parents[ordinal] in module.conditional
