"""A file as the resolver sees it: its definitions by name, its imports, what its names mean in it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import CALLED, MACRO, TYPE, Attribute, Links
from clew.parse.names import MARKS_CALLS
from clew.parse.owners import PART_KINDS
from clew.parse.packaged import PACKAGED
from clew.parse.scopes import FREE_FORM
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, SPACE_KINDS
from clew.store.packs import NODE_BITS
from clew.types import Import

TOLD_APART = ECMASCRIPT | {"python"}  # languages where names of a file have nothing to do with those of others
IMPORTS = "*"
_MARKS = f"{CALLED}{MACRO}{TYPE}="  # what may stand behind a name that is looked for
TYPE_KINDS = CLASS_KINDS | {"type", "record", "union"}
_FIRST_COUNTS = PACKAGED | {"java", "csharp"}
_PARTS = TYPE_KINDS | SPACE_KINDS  # what may be declared in several parts
_ONE_PART = FREE_FORM | {"python"}  # languages where not all of one name in one place belong together


Definition = tuple[str, str, int]  # kind, name and parent


class Module:
    """One file of a snapshot. An ordinal above its definitions stands for an attribute that methods give."""

    def __init__(
        self, path: str, number: int, facts: int, language: str, definitions: Iterable[Definition],
        imports: list[Import], links: Links,
    ) -> None:  # fmt: skip
        self.path, self.number, self.facts, self.language = path, number, facts, language
        self.imports, self.links = imports, links
        columns = [*zip(*definitions, strict=True)] or [
            (),
            (),
            (),
        ]  # a tuple for each would be looked at by collections
        self.kinds: tuple[str, ...] = columns[0]
        self.names: tuple[str, ...] = columns[1]
        self.parents: tuple[int, ...] = columns[2]
        self.count = len(self.kinds)
        self.nodes: list[int] | None = None  # of each ordinal its node in the graph; None: the same
        self.key = f"f:{path}"  # of what depends on the file
        self._keys: dict[str, int] = {}
        self._begun = zlib.crc32(f"{path}#".encode("utf-8", "surrogatepass"))  # of keys that are of this file alone

    def __repr__(self) -> str:
        return f"Module({self.path})"

    def definitions(self) -> Iterator[Definition]:
        """Kind, name and parent of each, outer before inner."""
        return zip(self.kinds, self.names, self.parents, strict=True)

    def node(self, ordinal: int) -> int:
        """The node of a definition or an attribute."""
        return self.number << NODE_BITS | (self.nodes[ordinal] if self.nodes is not None else ordinal)

    def key_of(self, name: str) -> int:
        """The key of what depends on a name in the file, and not on the rest of it. Where files share names without
        imports, on what any file has under that name; `IMPORTS` is for what the file imports without naming it."""
        found = self._keys.get(name)
        if found is None:
            is_of_file = self.language in TOLD_APART or name == IMPORTS
            text, begun = (name, self._begun) if is_of_file else (name.lstrip("@").rstrip(_MARKS), 0)
            found = self._keys[name] = zlib.crc32(text.encode("utf-8", "surrogatepass"), begun)
        return found

    def own_keys(self) -> set[int]:
        """All keys that `key_of` has given which are of this file alone."""
        if self.language in TOLD_APART:
            return set(self._keys.values())
        return {self._keys[IMPORTS]} if IMPORTS in self._keys else set()

    @cached_property
    def members(self) -> dict[int, dict[str, int]]:
        """Of each definition, and of the file (-1), what it holds by name; of several the last with a body counts,
        among overloads the first."""
        found: dict[int, dict[str, int]] = {}
        language, owners, declared = self.language, self.links.owners, self.declared
        is_first_kept, is_marking = language in _FIRST_COUNTS, language in MARKS_CALLS
        hidden = frozenset(self.links.hidden) if language == "python" else ()
        for ordinal, (kind, name, parent) in enumerate(self.definitions()):
            owner = owners.get(ordinal)
            if owner is not None:
                if language not in PACKAGED and owner[0] == "D" and owner[1:].isdigit() and kind not in PART_KINDS:
                    found.setdefault(int(owner[1:]), {})[name] = ordinal
                continue
            if kind == "test" or ordinal in hidden:
                continue  # no code can name it, or means it
            if kind == "constructor" and language == "cpp":
                continue  # its name is that of its class
            held = found.get(parent)
            if held is None:
                held = found[parent] = {}
            if not is_first_kept:
                if is_marking and parent >= 0 and kind in FUNCTION_KINDS:
                    name += CALLED
                if kind == "macro" and language == "rust":
                    name += MACRO
                before = held.get(name)
                is_like_class = before is not None and language == "cpp" and self.is_class(before)
                is_later = ordinal not in declared and not (is_like_class and self.is_function(ordinal))
                if before is None or is_later:
                    held[name] = ordinal
            elif kind != "constructor":  # its name is that of its class
                held.setdefault(name + (CALLED if is_marking and kind in FUNCTION_KINDS else ""), ordinal)
        if language in ("c", "cpp"):  # what an enum names is known around it
            for ordinal, (kind, name, parent) in enumerate(self.definitions()):
                if kind == "enum_member" and parent >= 0 and parent not in self.statics:
                    found.setdefault(self.parents[parent], {}).setdefault(name, ordinal)
        for place, attribute in enumerate(self.links.attributes):
            held = found.setdefault(attribute.owner, {})
            held.setdefault(attribute.name, self.count + place)
        return found

    @cached_property
    def parts(self) -> dict[tuple[str, str, int], dict[str, int]]:
        """What belongs to types that do not hold it, by the type's name, what leads to it, and the block around."""
        found: dict[tuple[str, str, int], dict[str, int]] = {}
        for ordinal, ref in self.links.owners.items():
            name = self.names[ordinal]
            if self.kinds[ordinal] in PART_KINDS:
                found[name, ref, ordinal] = self.members.get(ordinal, {})
            elif ref[0] != "D" or not ref[1:].isdigit():
                found.setdefault((self._last_name(ref), ref, -1), {})[name] = ordinal
        return found

    def _last_name(self, ref: str) -> str:
        _, dot, name = ref.rpartition(".")
        if dot:
            return name
        if name[0] in "DI" and name[1:].isdigit():
            number = int(name[1:])
            return self.names[number] if name[0] == "D" else self.imports[number].name
        return name[1:]

    @cached_property
    def declared(self) -> frozenset[int]:
        return frozenset(self.links.declared)

    @cached_property
    def spaces(self) -> dict[str, list[int]]:
        """The blocks of each namespace by its whole name."""
        found: dict[str, list[int]] = {}
        names: dict[int, str] = {-1: ""}
        for ordinal, (kind, name, parent) in enumerate(self.definitions()):
            if kind in SPACE_KINDS and parent in names:
                names[ordinal] = f"{names[parent]}.{name}".strip(".")
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
        for ordinal, (kind, name, _) in enumerate(self.definitions()):
            if kind in FUNCTION_KINDS and ordinal not in hidden and kind != "macro":
                found.setdefault(name, []).append(ordinal)
        return found

    def space_of(self, ordinal: int) -> str:
        """The whole name of the namespace around a definition."""
        parent, names = self.parents[ordinal], []
        while parent >= 0:
            names.append(self.names[parent])
            parent = self.parents[parent]
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
    def openly_imported(self) -> dict[str, int]:
        """The same for languages whose imports name packages with dots."""
        found: dict[str, int] = {}
        for number, row in enumerate(self.imports if self.language != "swift" else ()):
            name = row.alias or row.name or row.module.rpartition(".")[2]
            if name != "*":
                found.setdefault(name, number)
        return found

    @cached_property
    def star_imports(self) -> list[int]:
        return [number for number, row in enumerate(self.imports) if row.name == "*" and not row.alias]

    @cached_property
    def types(self) -> dict[tuple[int, str], int]:
        """Definitions of types by what holds them and name, for names that a value has too."""
        return {
            (parent, name): ordinal
            for ordinal, (kind, name, parent) in enumerate(self.definitions())
            if kind in TYPE_KINDS
        }

    @cached_property
    def top_types(self) -> dict[str, int]:
        """Types that no other holds, by name; of several the first."""
        found: dict[str, int] = {}
        for ordinal, (kind, name, parent) in enumerate(self.definitions()):
            if kind in TYPE_KINDS and (parent < 0 or self.kinds[parent] in SPACE_KINDS):
                found.setdefault(name, ordinal)
        return found

    def as_type(self, ordinal: int) -> int:
        """The type of the same name, if what was found is a value."""
        if self.language == "scala" and ordinal < self.count and self.is_class(ordinal):
            return self.companion(ordinal, is_object=False)
        if ordinal >= self.count or self.is_class(ordinal) or self.language in FREE_FORM:
            return ordinal
        return self.types.get((self.parents[ordinal], self.names[ordinal]), ordinal)

    @cached_property
    def _namesakes(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = {}
        for ordinal, held in enumerate(zip(self.parents, self.names, strict=True)):
            found.setdefault(held, []).append(ordinal)
        return found

    def namesakes(self, ordinal: int) -> list[int]:
        """All definitions of one name in one place: overloads, parts of a class, a type and its value."""
        if ordinal >= self.count:
            return [ordinal]
        return self._namesakes[self.parents[ordinal], self.names[ordinal]]

    def own(self, ordinal: int, name: str) -> int | None:
        """What a definition itself holds under a name, or another part of it does."""
        if self.language in MARKS_CALLS:
            if ordinal >= 0 and self.is_function(ordinal):
                return None
            held, plain = self.members.get(ordinal, {}), name.removesuffix(CALLED)
            if self.language == "java":  # fields and methods are apart, but what a record is made of is both
                both = held.get(plain, -1)
                is_both = both >= 0 and (self.kind(both) == "property" or self.is_class(both))  # Kotlin calls classes
                return held.get(name, both if is_both else None)
            is_type = name[:1].isupper() and self.language in PACKAGED  # a function of its name may stand beside it
            return held.get(name, held.get(plain, held.get(plain + CALLED) if not is_type else None))
        found = self.members.get(ordinal, {}).get(name)
        if found is not None and not self.is_scope_of_own(ordinal):
            return found
        for part in self.namesakes(ordinal) if self.language not in _ONE_PART else ():
            found = self.members.get(part, {}).get(name)
            if found is not None and self.kinds[part] in _PARTS:
                return found
        return None

    @cached_property
    def extensions(self) -> dict[str, list[int]]:
        """What belongs to types that do not hold it, by name, where it can be named like what stands in no type."""
        found: dict[str, list[int]] = {}
        for ordinal in self.links.owners:
            if self.parents[ordinal] < 0 and self.kinds[ordinal] not in PART_KINDS:
                found.setdefault(self.names[ordinal], []).append(ordinal)
        return found

    def companion(self, ordinal: int, *, is_object: bool) -> int:
        """Scala's object of the same name as a class, or the class of an object; else the same."""
        if (self.kind(ordinal) == "object") == is_object:
            return ordinal
        for other in self.namesakes(ordinal):
            if self.is_class(other) and (self.kind(other) == "object") == is_object:
                return other
        return ordinal

    def namesakes_in(self, owner: int, name: str) -> list[int]:
        """All that a definition holds under one name."""
        return self._namesakes.get((owner, name), [])

    @cached_property
    def conditional(self) -> frozenset[int]:
        return frozenset(self.links.conditional)

    @cached_property
    def statics(self) -> frozenset[int]:
        return frozenset(self.links.static)

    def bases(self, ordinal: int) -> list[str]:
        """The classes above a class, of all its parts."""
        bases = self.links.bases
        parts = self.namesakes(ordinal) if self.language not in _ONE_PART | PACKAGED else [ordinal]
        return [base for part in parts for base in bases.get(part, ())]

    def returned(self, ordinal: int) -> str:
        """What a function gives back; of overloads, what all of them do."""
        returns, owners = self.links.returns, self.links.owners
        if self.language in _ONE_PART and self.language != "cpp":  # the last one counts
            return returns.get(ordinal, "")
        if self.language == "cpp":  # `T f(void);` has a type as `T x;` has
            alike = [o for o in self.namesakes(ordinal) if owners.get(o) == owners.get(ordinal) and self.is_function(o)]
            given = {returns.get(other) or self.links.types.get(other, "") for other in (ordinal, *alike)}
        else:
            alike = [o for o in self.namesakes(ordinal) if (o in owners) == (ordinal in owners)]
            is_any = self.language in PACKAGED
            given = {returns.get(other, "") for other in alike if is_any or self.is_function(other)}
        return next(iter(given)) if len(given) == 1 else ""

    @cached_property
    def attribute_places(self) -> dict[int, int]:
        """The ordinal of each attribute by its first place."""
        return {held.byte: self.count + place for place, held in enumerate(self.links.attributes)}

    @cached_property
    def properties(self) -> frozenset[int]:
        return frozenset(self.links.properties)

    def kind(self, ordinal: int) -> str:
        return self.kinds[ordinal] if ordinal < self.count else "attribute"

    def name(self, ordinal: int) -> str:
        return self.names[ordinal] if ordinal < self.count else self.attribute(ordinal).name

    def attribute(self, ordinal: int) -> Attribute:
        return self.links.attributes[ordinal - self.count]

    def is_declared(self, ordinal: int) -> bool:
        """Whether this is a definition, and not an attribute that methods give."""
        return ordinal < self.count

    def is_class(self, ordinal: int) -> bool:
        kind = self.kind(ordinal)
        return kind in TYPE_KINDS or (kind in SPACE_KINDS and self.language in FREE_FORM)

    def is_part(self, ordinal: int) -> bool:
        return self.kind(ordinal) in PART_KINDS

    def is_field(self, ordinal: int) -> bool:
        return self.kind(ordinal) == "field"

    @cached_property
    def holders(self) -> frozenset[int]:
        """Definitions that were given members: classes, and functions that are used as such."""
        return frozenset(attribute.owner for attribute in self.links.attributes)

    def is_scope_of_own(self, ordinal: int) -> bool:
        """Whether what lies in a definition is hidden in it: a function's, unless it was given from outside."""
        return self.is_function(ordinal) and ordinal not in self.holders

    def is_function(self, ordinal: int) -> bool:
        return self.kind(ordinal) in FUNCTION_KINDS


Find = Callable[[str], Module | None]  # a file of the snapshot by its path
