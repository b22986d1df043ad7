"""Names of Haskell across files: what import lists bring in, what export lists show, which fields a constructor has.

Modules are found by the name that they declare. A name may come from several imports; it is an edge if one of them is
known to give it, since two would be an error. What an import of a whole library gives is not known. References are
those of `parse/dialects/haskell.py`; `Vv name` is what a module shows of a name. Main call: `Haskell.base`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew.graph.declared import Declared, last_name
from clew.graph.modules import Module
from clew.graph.values import Meaning, Value
from clew.parse.dialects.haskell import EXPORT_LIST, escaped, unescaped

Follow = Callable[[Module, str, int], Meaning | None]
_TYPE_KINDS = ("type", "class")
_VALUE_KINDS = ("function", "method", "constructor", "field")
_MAYBE = "?"  # begins the name of what may be, for all that is known


class Item(NamedTuple):
    """What a list names: `t` a type or class, `v` a value, `m` all of a module."""

    space: str
    qualifier: str
    name: str
    inner: tuple[str, ...]  # what it names of the type's own; `..` for all


class Spec(NamedTuple):
    """One import: which module, under which name, and what of it."""

    number: int
    line: int
    is_qualified: bool
    is_foreign: bool  # it names the package
    mode: str  # `*` all, `+` only, `-` all but
    alias: str
    module: str
    items: tuple[Item, ...]


class Table:
    """What a file defines, imports and shows."""

    def __init__(self, module: Module) -> None:
        self.values: dict[str, list[int]] = {}
        self.types: dict[str, int] = {}
        self.inner: dict[int, dict[str, int]] = {}  # of types, their constructors, fields, methods and types
        hidden = frozenset(module.links.hidden)
        for ordinal, (kind, name, parent) in enumerate(module.definitions()):
            if ordinal in hidden or kind not in (*_TYPE_KINDS, *_VALUE_KINDS):
                continue
            if kind in ("function", "method") and parent >= 0 and module.kind(parent) != "class":
                continue  # of a function or an instance
            if parent >= 0:
                self.inner.setdefault(parent, {}).setdefault(f"{_space(kind)}{name}", ordinal)
            if kind in _TYPE_KINDS:
                self.types.setdefault(name, ordinal)
            else:
                self.values.setdefault(name, []).append(ordinal)
        self.imports = [_spec(module, number, text) for number, text in sorted(module.links.paths.items())]
        listed = module.links.exports.get(EXPORT_LIST)
        self.exports = [_item(line) for line in listed.split("\n") if line] if listed is not None else None


class Haskell:
    """What names of Haskell lead to; it asks the resolver for other references, and tells it what that depends on."""

    def __init__(self, declared: Declared, meaning: Follow, depends: Callable[[str], None]) -> None:
        self._declared, self._meaning, self._depends = declared, meaning, depends
        self._tables: dict[str, Table] = {}

    def base(self, module: Module, letter: str, rest: str, depth: int) -> Meaning | None:
        """Where a reference leads; what may be but is not known leads nowhere."""
        if letter == "M":
            return self._named_module(module, _by_number(self._table(module), int(rest)))
        if letter == "I":
            alias = rest.strip().replace("/", ".")
            named = [spec for spec in self._table(module).imports if spec.alias == alias]
            return self._named_module(module, named[0]) if len(named) == 1 else None
        first, name, *wild = (unescaped(word) for word in rest.split(" "))
        if letter == "N":
            return _known(self._field(module, first, name, depth))
        space, place = first[:1], first[1:]
        if letter == "V":
            return self._shown(module, space, name, depth)
        if letter == "J":
            spec = _by_number(self._table(module), int(place))
            return _known(self._given(module, spec._replace(mode="*"), space, name, depth), is_only=True)
        return self._asked(module, space, place.replace("/", "."), name, wild, depth)

    def _asked(
        self, module: Module, space: str, qualifier: str, name: str, wild: list[str], depth: int
    ) -> Meaning | None:
        """A name in the code of a file."""
        for maker in wild:
            fields = self._fields(module, maker, depth)
            if fields is None:
                return None  # it may bind any name
            if name in fields:
                return fields[name]
        found = _known(self._seen(module, space.replace("f", "v"), qualifier, name, depth), is_only=bool(qualifier))
        value = found.value if found is not None else None
        if space == "f" and value is not None and value.module is not None and not value.module.is_field(value.ordinal):
            return None
        return found

    # -- what a file sees ---------------------------------------------------------------------------

    def _seen(self, module: Module, space: str, qualifier: str, name: str, depth: int) -> Meaning | None:
        """What a name means in a file: its own, or from its imports."""
        own = self._own(module, space, name) if qualifier in ("", module.links.package) else None
        if own is not None:
            return own
        table = self._table(module)
        given = [
            self._given(module, spec, space, name, depth)
            for spec in table.imports
            if (spec.alias == qualifier if qualifier else not spec.is_qualified)
        ]
        found = _one_of(given)
        is_open = found is not None and found.value.name.startswith(_MAYBE)
        return _maybe("") if is_open and not qualifier else found  # it may be of the Prelude

    def _own(self, module: Module, space: str, name: str) -> Meaning | None:
        """What a file defines under a name; fields of one name in two types are told apart by nothing."""
        table = self._table(module)
        if space == "t":
            ordinal = table.types.get(name)
            return _meant(module, ordinal) if ordinal is not None else None
        found = table.values.get(name)
        if not found:
            return None
        owners = {module.parents[ordinal] for ordinal in found}
        return _meant(module, found[0]) if len(owners) == 1 else _maybe("")

    def _given(self, module: Module, spec: Spec, space: str, name: str, depth: int) -> Meaning | None:
        """What an import gives a file under a name."""
        held = self._module_called(module, spec)
        listed = any(_names(item, space, name) for item in spec.items)
        of_types = [item for item in spec.items if ".." in item.inner]
        outside = f"{spec.module}.{name}"
        evidence = f"import:{spec.line}"
        if not isinstance(held, Module):
            if spec.mode == "+" and not listed:
                return _maybe("") if of_types and space == "v" else None
            if spec.mode == "-" and (listed or any(_hides(item, name) for item in spec.items)):
                return None
            if held is not None or spec.mode != "+":  # several modules have the name, or it is open what this one has
                return _maybe(outside if held is None else "")
            return Meaning(Value("external", name=outside), "proven", evidence)
        if spec.mode == "-" and (listed or any(_hides(item, name) for item in spec.items)):
            return None
        found = self._meaning(held, f"V{space} {escaped(name)}", depth + 1)
        if found is None:
            return None
        if spec.mode != "*" and not listed:
            among = self._is_among(held, of_types, found, depth)
            if spec.mode == "+" and among is not True:
                return None if among is False else _maybe("")
            if spec.mode == "-" and among is not False:
                return None if among is True else _maybe("")
        return found._replace(evidence=evidence)

    def _is_among(self, held: Module, items: list[Item], found: Meaning, depth: int) -> bool | None:
        """Whether this is what a type that a list names with `(..)` has; None if that cannot be said."""
        is_open = False
        for item in items:
            kind = self._meaning(held, f"Vt {escaped(item.name)}", depth + 1)
            value = kind.value if kind is not None else None
            if value is None or value.module is None:
                is_open = is_open or value is not None
            elif found.value.module is value.module and found.value.ordinal in self._inner(value).values():
                return True
        return None if is_open else False

    # -- what a file shows --------------------------------------------------------------------------

    def _shown(self, module: Module, space: str, name: str, depth: int) -> Meaning | None:
        """What a module exports under a name."""
        self._depends(f"f:{module.path}")
        table = self._table(module)
        if table.exports is None:
            return self._own(module, space, name)
        return _one_of(list(self._by_items(module, table.exports, space, name, depth)))

    def _by_items(
        self, module: Module, items: list[Item], space: str, name: str, depth: int
    ) -> Iterator[Meaning | None]:
        for item in items:
            if item.space == "m":
                if item.name == module.links.package:
                    yield self._own(module, space, name)
                for spec in self._table(module).imports:
                    if spec.alias == item.name and not spec.is_qualified:
                        yield self._given(module, spec, space, name, depth)
            elif item.space == space and item.name == name:
                yield self._seen(module, space, item.qualifier, name, depth)
            elif item.inner:
                kind = self._seen(module, "t", item.qualifier, item.name, depth)
                yield self._of_type(module, item, kind, space, name, depth)

    def _of_type(
        self, module: Module, item: Item, kind: Meaning | None, space: str, name: str, depth: int
    ) -> Meaning | None:
        """What an item such as `T(..)` or `T(a, b)` shows of a name."""
        is_named = name in item.inner
        if kind is not None and kind.value.module is not None and (".." in item.inner or is_named):
            inner = self._inner(kind.value)
            if space + name in inner:
                return _meant(kind.value.module, inner[space + name])
        if is_named:  # a pattern that goes with the type
            return self._seen(module, space, item.qualifier, name, depth)
        is_open = kind is not None and kind.value.module is None
        return _maybe("") if ".." in item.inner and is_open else None

    # -- modules, types and fields ------------------------------------------------------------------

    def _table(self, module: Module) -> Table:
        found = self._tables.get(module.path)
        if found is None:
            found = self._tables[module.path] = Table(module)
        return found

    def _inner(self, value: Value) -> dict[str, int]:
        """What a type holds by its namespace and name."""
        assert value.module is not None
        self._depends(f"f:{value.module.path}")
        return self._table(value.module).inner.get(value.ordinal, {})

    def _module_called(self, module: Module, spec: Spec) -> Module | str | None:
        """The file of a module; a text when there are several and none is the nearest, None for a library's."""
        if spec.is_foreign:
            return None
        self._depends(f"n:{last_name(spec.module)}")
        found = self._declared.main(module, spec.module)
        if found is None:
            return spec.module if self._declared.all("haskell", spec.module) else None
        self._depends(f"f:{found[0].path}")
        return found[0]

    def _named_module(self, module: Module, spec: Spec) -> Meaning | None:
        held = self._module_called(module, spec)
        if isinstance(held, str):
            return None
        value = Value("module", held) if held is not None else Value("external", name=spec.module)
        return Meaning(value, "proven", f"import:{spec.line}")

    def _fields(self, module: Module, maker: str, depth: int) -> dict[str, Meaning] | None:
        """The fields of what a constructor makes; None if it is not of this tree."""
        qualifier, _, name = maker.replace("/", ".").rpartition(".")
        found = _known(self._seen(module, "v", qualifier, name, depth))
        value = found.value if found is not None else None
        if found is None or value is None or value.module is None or value.module.kind(value.ordinal) != "constructor":
            return None
        parent = value.module.parents[value.ordinal]
        if parent < 0:
            return None
        held = self._inner(value._replace(ordinal=parent))
        fields = {key[1:]: ordinal for key, ordinal in held.items() if value.module.is_field(ordinal)}
        return {name: found._replace(value=value._replace(ordinal=ordinal)) for name, ordinal in fields.items()}

    def _field(self, module: Module, maker: str, name: str, depth: int) -> Meaning | None:
        """A field that is named after its constructor."""
        fields = self._fields(module, maker, depth)
        return fields.get(name) if fields is not None else None


def _space(kind: str) -> str:
    return "t" if kind in _TYPE_KINDS else "v"


def _item(line: str) -> Item:
    first, name, *inner = line.split(" ")
    return Item(first[0], first[1:], name, tuple(inner))


def _spec(module: Module, number: int, text: str) -> Spec:
    first, *lines = text.split("\n")
    flags, alias, name = first.split(" ")
    items = tuple(_item(line) for line in lines if line)
    return Spec(number, module.imports[number].line, flags[0] == "q", "p" in flags, flags[1], alias, name, items)


def _by_number(table: Table, number: int) -> Spec:
    return next(spec for spec in table.imports if spec.number == number)


def _names(item: Item, space: str, name: str) -> bool:
    """Whether an item of an import list says a name."""
    return (item.space == space and item.name == name) or (space == "v" and name in item.inner)


def _hides(item: Item, name: str) -> bool:
    """Whether an item hides a name: without a namespace both its type and its constructor."""
    return item.name == name


def _meant(module: Module, ordinal: int) -> Meaning:
    return Meaning(Value("definition", module, ordinal), "proven", "scope")


def _maybe(name: str) -> Meaning:
    """What may be: a library's of this name, or for all we know anything."""
    return Meaning(Value("external", name=_MAYBE + name), "proven", "package")


def _one_of(given: list[Meaning | None]) -> Meaning | None:
    """What several sources say of one name: what is known goes before what may be, and two that differ say nothing."""
    known = {found.value: found for found in given if found is not None and not found.value.name.startswith(_MAYBE)}
    if known:
        return next(iter(known.values())) if len(known) == 1 else _maybe("")
    open_ones = {found.value: found for found in given if found is not None}
    return next(iter(open_ones.values()), None) if len(open_ones) < 2 else _maybe("")


def _known(found: Meaning | None, *, is_only: bool = False) -> Meaning | None:
    """What is known, and if nothing else can give it, a library's that may be."""
    if found is None or not found.value.name.startswith(_MAYBE):
        return found
    name = found.value.name.removeprefix(_MAYBE)
    return found._replace(value=Value("external", name=name)) if is_only and name else None
