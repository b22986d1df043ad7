"""Kotlin, Scala and Swift: what the files of a package or a module share, what imports open, what extends a type.

A package is what files say they are of, wherever they lie, so a name is looked for in the files that define it. Of
several functions that are equally near none is meant, unless there is one for all platforms. `Resolver` builds upon it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.graph import includes
from clew.graph.layout import Layout
from clew.graph.layouts.tree import all_nearest
from clew.graph.members import MAX_DEPTH, NO_CIRCLE, Members
from clew.graph.modules import IMPORTS, Find, Module
from clew.graph.values import Key, Meaning, Value
from clew.parse.links import CALLED
from clew.parse.packaged import PACKAGED

_FAMILIES = {
    "kotlin": frozenset({"kotlin", "java"}),
    "scala": frozenset({"scala", "java"}),
    "swift": frozenset({"swift"}),
}
_Found = tuple[Module, int]
_SHARED = re.compile(r"(?:^|/)common(?:Main)?/")  # what each platform has a definition of its own for
_ON_JVM = frozenset("jvm jvmMain jvmTest android androidMain".split())  # directories of sources, by platform
_OFF_JVM = frozenset(
    "js jsMain jsTest wasmJs wasmJsMain web webMain native nativeMain nativeTest posix nix linux linuxMain darwin "
    "darwinMain macos apple appleMain ios iosMain mingwX64 windows androidNative".split()
)


class Packages(Members):
    """Names by package, and the types of these languages."""

    def __init__(self, layout: Layout, find: Find, named: includes.Named | None) -> None:
        super().__init__(layout, find, named)
        self._named, self._table = named, dict[str, list[str]]()
        self._known: dict[tuple[str, str], list[Module]] = {}
        self._extended: dict[tuple[str, int], tuple[list[_Found], frozenset[Key]]] = {}

    # -- names -------------------------------------------------------------------------------------

    def _in_package(self, module: Module, name: str, depth: int) -> Meaning | None:
        """A name that no scope of a file binds: of the file, of its imports, of its package, of what is opened."""
        own = module.own(-1, name) if module.links.package != "?" else None
        if own is not None:
            return Meaning(Value("definition", module, own), "proven", "scope")
        number = module.openly_imported.get(name.removesuffix(CALLED))
        if number is not None:
            return self._meaning(module, f"I{number}", depth + 1)
        if module.language != "scala":
            return self._of_own_package(module, name) or self._opened(module, name, depth)
        return self._opened(module, name, depth) or self._of_own_package(module, name)

    def _of_own_package(self, module: Module, name: str) -> Meaning | None:
        for space in self._spaces(module):
            value = self._in_space(module, space, name)
            if value is not None:
                return Meaning(value, "proven", "package")
        return None

    def _in_space(self, module: Module, space: str, name: str) -> Value | None:
        """What a package has under a name, or in Scala the object of that package."""
        found = self._top(module, space, name)
        if found is None and module.language == "scala":
            outer, _, last = space.rpartition(".")
            held = self._top(module, outer, last) if outer else None
            if held is not None and held[0].kind(held[1]) == "object":
                self._reads(held[0], name, last)
                own = held[0].own(held[1], name)
                found = (held[0], own) if own is not None else None
        return Value("definition", *found) if found is not None else None

    def _opened(self, module: Module, name: str, depth: int) -> Meaning | None:
        """What an import of everything brings in, if only one has it."""
        found: dict[tuple[str, int], Meaning] = {}
        for number, row in enumerate(module.imports):
            if module.language != "swift" and (row.name != "*" or row.alias):
                continue
            held = self._import_of(module, number, depth)
            value = self._of(held.value, name, depth + 1) if held.value.kind != "external" else None
            for space in ("", *self._spaces(module)) if module.language == "scala" and value is None else ():
                value = value or self._in_space(module, f"{space}.{row.module}".strip("."), name)
            if value is not None and value.kind == "definition" and value.module is not None:
                place = (value.module.path, value.ordinal)
                found.setdefault(place, Meaning(value, "proven", f"import:{row.line}"))
            elif module.language == "swift" and row.module == name:
                return held
        return next(iter(found.values())) if len(found) == 1 else None

    def _import_of(self, module: Module, number: int, depth: int) -> Meaning:
        """What an import names."""
        row = module.imports[number]
        evidence = f"import:{row.line}"
        name = row.module if row.name in ("", "*") else f"{row.module}.{row.name}"
        if module.language == "swift":
            self._depends(f"m:{row.module.partition('.')[0]}")
            target = self._layout.swift.named(row.module.partition(".")[0], module.path)
            value = Value("package", module, name=target) if target is not None else None
        else:
            value = self._followed(module, name.split("."), number, depth)
            if value is None:
                self._depends(f"m:{name.rpartition('.')[2]}")
                is_package = row.name == "*" or self._layout.has_folder(name.replace(".", "/"))
                value = Value("package", module, name=name) if is_package else None
        return Meaning(value or Value("external", name=name), "proven", evidence)

    def _followed(self, module: Module, parts: list[str], number: int, depth: int) -> Value | None:
        """The definition that a dotted name leads to, from a package or, in Scala, from a name that the file knows."""
        if depth > MAX_DEPTH:
            return None
        if module.language == "scala":
            value = self._first(module, parts[0], number, depth)
            if value is not None and value.kind in ("definition", "package") and len(parts) > 1:
                return self._down(value, parts[1:], depth)
            for space in self._spaces(module)[::-1]:
                value = self._from_root(module, [*space.split("."), *parts], depth, at_least=space.count(".") + 2)
                if value is not None:
                    return value
        return self._from_root(module, parts, depth)

    def _from_root(self, module: Module, parts: list[str], depth: int, *, at_least: int = 1) -> Value | None:
        for length in range(len(parts) - 1, at_least - 1, -1):
            space = ".".join(parts[:length])
            found = self._top(module, space, parts[length])
            if found is None and length == len(parts) - 1:
                found = self._extension_of(module, space, parts[length])
            if found is not None:
                return self._down(Value("definition", *found), parts[length + 1 :], depth)
        return None

    def _first(self, module: Module, name: str, number: int, depth: int) -> Value | None:
        """What the first part of an import may mean in its own file."""
        own = module.own(-1, name)
        if own is not None:
            return Value("definition", module, own)
        other = module.openly_imported.get(name)
        if other is not None and other != number:
            meaning = self._meaning(module, f"I{other}", depth + 1)
            return meaning.value if meaning is not None else None
        meaning = self._of_own_package(module, name)
        return meaning.value if meaning is not None else None

    def _down(self, value: Value | None, names: list[str], depth: int) -> Value | None:
        for name in names:
            value = self._of(value, name, depth + 1) if value is not None else None
        return value

    def _space(self, module: Module) -> str:
        """The package or module that a file is of; "" where files share nothing."""
        if module.language == "swift":
            return self._layout.swift.target(module.path)
        return module.links.package.replace(":", ".")

    def _spaces(self, module: Module) -> list[str]:
        """The packages whose names a file sees, the innermost first."""
        if module.language == "swift":
            return [self._space(module)]
        parts = module.links.package.split(":")
        found = [".".join(parts[: at + 1]) for at in range(len(parts) - 1, -1, -1)] if parts[0] not in ("", "?") else []
        if module.path.endswith("package.scala"):
            inner = [name for kind, name, parent in module.definitions() if parent < 0 and kind == "object"]
            found[:0] = [f"{found[0]}.{inner[0]}"] if len(inner) == 1 and found else []
        return found

    def _top(self, module: Module, space: str, name: str) -> _Found | None:
        """What stands in no type and is called so in a package, as a file sees it."""
        plain = name.removesuffix(CALLED)
        self._depends(f"n:{plain}")
        self._trails[-1].add(module.key_of(plain))
        found: dict[str, _Found] = {}
        is_exact = False
        for other in self._defining(plain, module.language):
            ordinal = other.own(-1, name) if space == self._space(other) else None
            if ordinal is None or (ordinal in other.links.hidden and other is not module):
                continue
            exact = name in other.members.get(-1, {})
            if exact and not is_exact:
                found, is_exact = {}, True
            if exact == is_exact:
                found[other.path] = (other, ordinal)
        return _only(found, module)

    def _defining(self, name: str, language: str) -> list[Module]:
        """The files that define a name, in the languages that see each other's."""
        if self._named is None and not self._table:
            for module in map(self._find, self._layout.packaged()):
                for one in dict.fromkeys(module.names) if module is not None else ():
                    self._table.setdefault(one, []).append(module.path)  # type: ignore[union-attr]
        known = self._known.get((name, language))
        if known is None:
            paths: Iterable[str] = self._named(name) if self._named is not None else self._table.get(name, ())
            modules = [module for module in map(self._find, paths) if module is not None]
            known = [module for module in modules if module.language in _FAMILIES[language]]
            self._known[name, language] = known
        return known

    # -- types -------------------------------------------------------------------------------------

    def _of_class(self, module: Module, ordinal: int, name: str, depth: int, *, wanted: str = "") -> Value | None:
        if module.language not in PACKAGED:
            return super()._of_class(module, ordinal, name, depth, wanted=wanted)
        if depth > MAX_DEPTH or not module.is_class(ordinal):
            return None
        self._reads(module, name, module.name(ordinal))
        found = module.own(ordinal, name)
        if found is None and name == "Companion" and module.language == "kotlin":
            found = ordinal  # one without a name of its own: what it holds counts as the class's
        if found is not None:
            return Value("definition", module, found)
        if module.is_part(ordinal):
            held = self._owner(module, ordinal, depth) if module.language == "swift" else None
            if held is not None and held.kind == "definition" and held.module is not None:
                return self._of_class(held.module, held.ordinal, name, depth + 1)
            return self._above(module, ordinal, name, depth)
        parts = self._extensions_of(module, ordinal, depth) if module.language == "swift" else []
        return self._of_parts(module, ordinal, parts, name, depth) or self._of_alias(module, ordinal, name, depth)

    def _extensions_of(self, module: Module, ordinal: int, depth: int) -> list[_Found]:
        """The extensions of a type of Swift."""
        known = self._extended.get((module.path, ordinal))
        if known is None:
            name = module.name(ordinal)
            self._trails.append({f"n:{name}"})
            found = []
            for other in self._defining(name, module.language):
                for part, ref in other.links.owners.items():
                    meaning = self._meaning(other, ref, depth + 1) if other.name(part) == name else None
                    if meaning is not None and meaning.value[1:3] == (module, ordinal):
                        found.append((other, part))
            known = (found, frozenset(self._trails.pop()))
            if self._circle == NO_CIRCLE:
                self._extended[module.path, ordinal] = known
        self._trails[-1].update(known[1])
        return known[0]

    def _called(self, value: Value, depth: int) -> Value | None:
        module = value.module
        if module is None or value.kind != "definition":
            return super()._called(value, depth)
        is_scala = module.language == "scala"
        if is_scala and module.is_class(value.ordinal):
            value = value._replace(ordinal=module.companion(value.ordinal, is_object=True))
        if module.kind(value.ordinal) != "object":
            return super()._called(value, depth)
        if not is_scala:
            return None
        apply = module.own(value.ordinal, f"apply{CALLED}")
        if apply is not None:
            return super()._called(Value("definition", module, apply), depth + 1)
        other = module.companion(value.ordinal, is_object=False)
        return Value("object", module, other) if other != value.ordinal else None

    # -- Kotlin's extensions -----------------------------------------------------------------------

    def _extension_of(self, module: Module, space: str, name: str) -> _Found | None:
        """A function or property that extends a type, by its package and name."""
        found = {
            other.path: (other, other.extensions[name][0])
            for other in self._defining(name, module.language)
            if name in other.extensions and space == self._space(other)
        }
        return _only(found, module)

    def _extending(self, module: Module, held: Value, name: str, depth: int) -> Value | None:
        """What a file sees of this name that extends the type of an object, or one above it."""
        name = name.removesuffix(CALLED)
        self._depends(f"n:{name}")
        self._reads(module, name, IMPORTS)
        mine, opened = self._spaces(module), {row.module for row in module.imports if row.name == "*"}
        rows = {row.module for row in module.imports if row.name != "*" and (row.alias or name) == name}
        kinds = self._kinds_of(held, depth)
        found: dict[str, _Found] = {}
        for other in self._defining(name, module.language):
            space = self._space(other)
            is_seen = other is module or space in opened or f"{space}.{name}" in rows or space in mine
            for ordinal in other.extensions.get(name, ()) if is_seen else ():
                owner = self._owner(other, ordinal, depth)
                if owner is None or (ordinal in other.links.hidden and other is not module):
                    continue
                if (owner.module, owner.ordinal, owner.name) in kinds:
                    found.setdefault(other.path, (other, ordinal))
        one = _only(found, module)
        return Value("definition", *one) if one is not None else None

    def _or_extending(
        self, module: Module, held: Meaning, found: Meaning | None, name: str, depth: int
    ) -> Meaning | None:
        """A member, or else what extends the type of the object; neither where there are both: arguments tell."""
        value: Value | None = held.value
        if value is not None and value.kind == "definition" and value.module is not None:
            value = self._content(value, depth) if not value.module.is_class(value.ordinal) else None
        extending = self._extending(module, value, name, depth) if value is not None else None
        if extending is None:
            return found
        is_member = found is not None and found.value.kind == "definition"
        return Meaning(extending, "typed", held.evidence) if not is_member else None

    def _kinds_of(self, held: Value, depth: int) -> set[tuple[Module | None, int, str]]:
        """The type of an object and those above it."""
        if held.kind == "external":
            return {(None, -1, held.name.removesuffix("()"))}
        found: set[tuple[Module | None, int, str]] = set()
        waiting = [held] if held.kind == "object" else []
        while waiting and len(found) < MAX_DEPTH:
            value = waiting.pop()
            key = (value.module, value.ordinal, value.name)
            if key in found:
                continue
            found.add(key)
            if value.module is not None:
                self._reads(value.module, value.module.name(value.ordinal))
            for base in value.module.bases(value.ordinal) if value.module is not None else ():
                meaning = self._meaning(value.module, base, depth + 1)  # type: ignore[arg-type]
                if meaning is not None and meaning.value.kind in ("definition", "external"):
                    above, home = meaning.value, meaning.value.module
                    waiting.append(above._replace(ordinal=home.as_type(above.ordinal)) if home is not None else above)
        return found


def _is_elsewhere(path: str, other: str) -> bool:
    """Whether of two files of Kotlin one is for the Java virtual machine and one for something else."""
    mine, its = set(path.split("/")), set(other.split("/"))
    return bool((mine & _ON_JVM and its & _OFF_JVM) or (mine & _OFF_JVM and its & _ON_JVM))


def _only(found: dict[str, _Found], module: Module) -> _Found | None:
    """The nearest of some definitions; of several that are equally near the one for all platforms, else a type."""
    if module.path in found:
        return found[module.path]
    if module.language == "kotlin":
        found = {path: one for path, one in found.items() if not _is_elsewhere(path, module.path)}
    paths = all_nearest(found, module.path)
    shared = [path for path in paths if _SHARED.search(path)] if len(paths) > 1 else paths
    paths = shared if len(shared) == 1 else [path for path in paths if found[path][0].is_class(found[path][1])]
    return found[paths[0]] if paths else None
