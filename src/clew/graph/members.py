"""Members of types, a type's own, those of its parts elsewhere, of what it stands for, of the classes above it; and
what is held, called or made of a type.

`Resolver` builds upon it and says what references and other values lead to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from clew.graph import includes
from clew.graph.layout import Layout, Place
from clew.graph.modules import Find, Module
from clew.graph.namespaces import Namespaces
from clew.graph.order import is_bare, may_own, merge
from clew.graph.units import Part, Units
from clew.graph.values import Key, Meaning, Value
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import CALLED, NEVER
from clew.parse.packaged import PACKAGED
from clew.parse.scopes import FREE_FORM
from clew.parse.symbols import SPACE_KINDS

NO_CIRCLE = 1 << 30
MAX_DEPTH = 40  # of imports of imports, of classes above classes


class Members(ABC):
    """What types hold, with a note of whatever was looked at."""

    def __init__(self, layout: Layout, find: Find, named: includes.Named | None) -> None:
        self._layout, self._find = layout, find
        self._namespaces = Namespaces(layout, find)
        self._units, self._includes = Units(layout, find), includes.Includes(layout, find, named)
        self._parts: dict[tuple[str, int], tuple[list[Part], frozenset[Key]]] = {}
        self._orders: dict[tuple[str, int], tuple[list[Value] | None, frozenset[Key]]] = {}
        self._places: dict[tuple[str, str], tuple[Place | None, frozenset[str]]] = {}  # modules by name, in a file
        self._trails: list[set[Key]] = [set()]
        self._circle = NO_CIRCLE  # the outermost of the references that were met again on the way

    @abstractmethod
    def _meaning(self, module: Module, ref: str, depth: int) -> Meaning | None: ...

    @abstractmethod
    def _of(self, value: Value, name: str, depth: int, *, wanted: str = "") -> Value | None: ...

    @abstractmethod
    def _brought_in(self, module: Module, name: str, depth: int) -> Value | None: ...

    def _depends(self, key: str) -> None:
        self._trails[-1].add(key)

    def _reads(self, module: Module, *names: str) -> None:
        """It depends on what a file has under these names, and on what belongs to no name."""
        trail = self._trails[-1]
        trail.add(module.key)
        for name in names:
            trail.add(module.key_of(name))

    def _defined(self, meaning: Meaning) -> Meaning:
        """For a function that is only declared, where it is defined, if that is in one place."""
        module, ordinal = meaning.value.module, meaning.value.ordinal
        if module is None or ordinal not in module.declared:
            return meaning
        self._depends(f"n:{module.name(ordinal)}")
        parent = module.parents[ordinal]
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
        if depth > MAX_DEPTH or not (module.is_class(ordinal) or ordinal in module.holders):
            return None
        self._reads(module, name, module.name(ordinal))
        if module.language in FREE_FORM:
            return self._of_type(module, ordinal, name, depth, wanted=wanted)
        found = module.own(ordinal, name)
        if found is not None and found < module.count:
            return Value("definition", module, found)
        if module.language == "csharp":
            self._depends(f"n:{self._namespaces.outermost(module, ordinal)}")  # another part of it may come
            return self._of_parts(module, ordinal, self._namespaces.parts(module, ordinal), name, depth)
        above = self._above(module, ordinal, name, depth)
        if found is not None and (above is None or above.module is None or not above.module.is_declared(above.ordinal)):
            return Value("definition", module, found)  # what methods give it is declared nowhere above
        return above

    def _of_parts(
        self, module: Module, ordinal: int, parts: list[tuple[Module, int]], name: str, depth: int
    ) -> Value | None:
        """A member that a class itself does not have: of its parts elsewhere, then of what is above any of them."""
        for other, part in parts:
            found = other.own(part, name)
            if found is not None:
                self._depends(f"f:{other.path}")
                return Value("definition", other, found)
        outside = None
        for other, part in [(module, ordinal), *parts]:
            value = self._above(other, part, name, depth)
            if value is not None and value.kind != "external":
                return value
            outside = outside or value
        return outside

    def _of_type(self, module: Module, ordinal: int, name: str, depth: int, *, wanted: str) -> Value | None:
        """A member of a type whose parts may stand elsewhere; `wanted` tells fields from methods where both may be."""
        found = module.members.get(ordinal, {}).get(name)
        other = {"field": module.is_function, "method": module.is_field}.get(wanted)
        if found is not None and not (other and other(found)):
            return Value("definition", module, found)
        if module.kind(ordinal) in SPACE_KINDS:
            if module.language == "cpp":
                self._depends(f"i:{module.path}")
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
        having = [part for part in parts if name in part.members]
        if len(having) > 1 and module.language == "rust":
            own = [part for part in having if not part.module.bases(part.ordinal)]  # before what traits give
            having = own or having
            if len(having) > 1:
                return None  # for this `T` or that, for this system or that
        if having:
            return Value("definition", having[0].module, having[0].members[name])
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
        if module.language == "python":
            return self._next_above(module, ordinal, name, depth)
        outside: Value | None = None
        inside: list[Value] = []
        # Of a union any may be meant; of Scala's traits the last that has it, if no other is above that one.
        is_one_of = (module.language in ECMASCRIPT and module.kind(ordinal) == "type") or module.language == "scala"
        for base in module.bases(ordinal):
            meaning = self._meaning(module, base, depth + 1)
            value = meaning.value if meaning is not None else None
            if value is None:
                outside = outside or Value("external", name=f"?.{name.removesuffix(CALLED)}")
            elif value.kind == "external":
                outside = outside or Value("external", name=f"{value.name}.{name.removesuffix(CALLED)}")
            elif value.kind == "definition" and value.module is not None:
                found = self._of_class(value.module, value.module.as_type(value.ordinal), name, depth + 1)
                if found is None or found.module is None:
                    outside = outside or found
                elif found.module.links.types.get(found.ordinal) != NEVER:  # else another of the union has it
                    if not is_one_of:
                        return found
                    inside.append(found)
        if len({(found.module, found.ordinal) for found in inside}) > 1:
            return None
        return inside[0] if inside else outside

    def _next_above(self, module: Module, ordinal: int, name: str, depth: int) -> Value | None:
        """What the classes above one of Python have under a name, up to the first that may have it for all we know."""
        given: Value | None = None  # by a method; what is declared further up counts more
        order = self._order(Value("definition", module, ordinal), depth, ())
        for value in order[1:] if order is not None else [Value("external", name="?")]:
            if value.module is None:
                if given is None and may_own(value.name, name):
                    return Value("external", name=f"{value.name.partition(' ')[0]}.{name}")
                continue
            if not value.module.is_class(value.ordinal):
                return given  # a variable, and who knows what is in it
            self._reads(value.module, name)
            found = value.module.own(value.ordinal, name)
            if found is not None and found < value.module.count:
                return Value("definition", value.module, found)
            if found is not None and given is None:
                given = Value("definition", value.module, found)
        return given

    def _order(self, value: Value, depth: int, below: tuple[Value, ...]) -> list[Value] | None:
        """A class of Python and those above it as Python looks through them; None if they are in no order."""
        if value in below or depth > MAX_DEPTH:
            return None
        module = value.module
        if module is None or not module.is_class(value.ordinal):
            return [value]
        key = (module.path, value.ordinal)
        known = self._orders.get(key)
        if known is None:
            self._trails.append(set())
            self._reads(module, module.name(value.ordinal))
            order = self._merged(module, value, depth, below)
            known = order, frozenset(self._trails.pop())
            if self._circle == NO_CIRCLE and order is not None and depth < MAX_DEPTH // 2:  # so it is for whoever asks
                self._orders[key] = known
        self._trails[-1].update(known[1])
        return known[0]

    def _merged(self, module: Module, value: Value, depth: int, below: tuple[Value, ...]) -> list[Value] | None:
        bases: list[Value] = []
        for place, ref in enumerate(module.bases(value.ordinal)):
            meaning = self._meaning(module, ref, depth + 1)
            base = meaning.value if meaning is not None else None
            if base is None or base.kind not in ("external", "definition"):
                base = Value("external", name=f"? {module.path} {value.ordinal} {place}")  # no two need be the same
            if base.module is not None:
                base = Value("definition", base.module, base.module.as_type(base.ordinal))
            if base.module is not None or not is_bare(base.name):
                bases.append(base)
        above = [self._order(base, depth + 1, (*below, value)) for base in bases]
        known = [order for order in above if order is not None]
        merged = merge([*known, bases]) if len(known) == len(above) else None
        return [value, *merged] if merged is not None else None

    def _content(self, value: Value, depth: int) -> Value | None:
        """What a variable, a field or a property holds."""
        module = value.module
        assert module is not None
        if module.kind(value.ordinal) == "enum_member" and module.language in FREE_FORM | PACKAGED:
            return Value("object", module, module.parents[value.ordinal])
        if value.ordinal >= module.count:
            ref = module.attribute(value.ordinal).value
        elif value.ordinal in module.properties:
            ref = module.links.returns.get(value.ordinal, "")
        else:
            ref = module.links.types.get(value.ordinal, "")
        if not ref or depth > MAX_DEPTH:
            return None
        self._reads(module, module.name(value.ordinal))
        meaning = self._meaning(module, ref, depth + 1)
        found = meaning.value if meaning is not None else None
        if found is None or found.kind != "definition" or found.module is None:
            return found
        is_held = not found.module.is_class(found.ordinal) and not found.module.is_function(found.ordinal)
        is_held = is_held and not (found.module.language == "lua" and found.ordinal in found.module.members)  # a table
        return self._content(found, depth + 1) if is_held else found

    def _called(self, value: Value, depth: int) -> Value | None:
        """What a call gives."""
        module = value.module
        if module is None or value.kind != "definition":
            return None
        if module.is_class(value.ordinal):
            return Value("object", module, value.ordinal)
        if value.receiver is not None and value.receiver.kind == "definition":  # what makes an object of a class
            return Value("object", value.receiver.module, value.receiver.ordinal)
        if module.kind(value.ordinal) == "enum_member" and module.language in FREE_FORM:
            return self._content(value, depth)
        ref = module.returned(value.ordinal)
        if not ref and module.language in FREE_FORM and module.language != "cpp":
            ref = module.links.types.get(value.ordinal, "")  # `T f(void);` has a type as `T x;` has
        if not ref and value.ordinal in module.holders:
            return Value("object", module, value.ordinal)
        if depth > MAX_DEPTH:
            return None
        if not ref:
            inner = self._content(value, depth) if not module.is_function(value.ordinal) else None
            return self._called(inner, depth + 1) if inner is not None else None
        if value.receiver is not None and ref[0] == "S" and ref[1:].isdigit():
            return value.receiver  # a method that gives back its object
        self._reads(module, module.name(value.ordinal))
        meaning = self._meaning(module, ref, depth + 1)
        return meaning.value if meaning is not None else None

    def _one_of(self, value: Value, depth: int) -> Value | None:
        """What a loop over something gives: one of several, or what the object says."""
        if value.kind == "definition" and value.module is not None and not value.module.is_class(value.ordinal):
            is_called = value.module.is_function(value.ordinal) and value.ordinal not in value.module.properties
            inner = self._content(value, depth) if not is_called else None
            return self._one_of(inner, depth + 1) if inner is not None and depth < MAX_DEPTH else None
        if value.kind == "object":
            giver = self._of(value, "__iter__", depth + 1)
            given = self._called(giver, depth + 1) if giver is not None and depth < MAX_DEPTH else None
            value = given if given is not None else value
        return value._replace(kind="object") if value.kind == "several" else None

    def _promised(self, value: Value) -> Value | None:
        """A promise of an object."""
        return value._replace(kind="promise") if value.kind in ("object", "external", "promise") else None

    def _awaited(self, value: Value, depth: int) -> Value | None:
        """What a promise is of; anything else is what it is."""
        module = value.module
        if value.kind == "definition" and module is not None and not module.is_class(value.ordinal):
            inner = self._content(value, depth) if not module.is_function(value.ordinal) else None
            return self._awaited(inner, depth + 1) if inner is not None and depth < MAX_DEPTH else None
        if value.kind == "promise":
            return value._replace(kind="object" if module is not None else "external")
        is_known = value.name != "Promise()" and (module is None or module.language != "python")
        return value if is_known else None  # what else can be awaited in Python is a library's

    def _of_its_side(self, found: Value, name: str, held: Value) -> Value | None:
        """Of a static member and one of objects that have the same name, the one that is meant."""
        module, is_object = found.module, held.kind == "object"
        if module is None or not module.statics or found.kind != "definition" or not module.is_declared(found.ordinal):
            return found
        names = [other for other in module.namesakes(found.ordinal) if module.name(other) == name.removesuffix(CALLED)]
        static = [other for other in names if other in module.statics]
        fitting = [other for other in names if (other in module.statics) != is_object]
        if held.module is not None and held.module.is_part(held.ordinal):  # a library's type is held as its objects are
            return found if len(static) in (0, len(names)) else None
        if found.ordinal in fitting or (not is_object and not static):
            return found
        return found._replace(ordinal=fitting[0]) if fitting else None

    def _type_of(self, value: Value) -> Value | None:
        """The type among what a class has under one name."""
        if value.kind != "definition" or value.module is None:
            return value
        value = value._replace(ordinal=value.module.as_type(value.ordinal))
        return value if value.module.is_class(value.ordinal) else None  # type: ignore[union-attr]

    def _object_of(self, value: Value, depth: int) -> Value | None:
        """An object of a type."""
        if value.kind == "object" and value.module is not None and value.module.language in FREE_FORM:
            return value  # a type parameter stands for what bounds it
        if value.kind == "module" and value.module is not None and value.module.language == "zig":
            return value  # a file is a type, too
        if value.kind != "definition" or value.module is None:
            return None
        value = value._replace(ordinal=value.module.as_type(value.ordinal))
        assert value.module is not None
        if value.module.is_class(value.ordinal):
            return Value("object", value.module, value.ordinal)
        inner = self._content(value, depth)  # `Alias = Class`
        return self._object_of(inner, depth + 1) if inner is not None and depth < MAX_DEPTH else None
