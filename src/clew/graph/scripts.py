"""Names and members where classes belong to the tree and not to files: Ruby, PHP and Elixir.

Modules of Haskell do, too: `graph/haskell.py`.

`Resolver` asks it first for files of these languages; what it says of them is all there is to say.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from clew.graph import includes
from clew.graph.builtin import BUILTINS
from clew.graph.declared import Declared, is_test, last_name
from clew.graph.haskell import Haskell
from clew.graph.layout import Layout
from clew.graph.members import MAX_DEPTH, Members
from clew.graph.modules import Find, Module
from clew.graph.values import Key, Meaning, Value
from clew.parse.links import CALLED

OPEN = frozenset({"ruby", "php", "elixir", "haskell"})


class Scripts(Members):
    """What full names lead to, and what types have that may be declared in many files."""

    def __init__(self, layout: Layout, find: Find, named: includes.Named | None) -> None:
        super().__init__(layout, find, named)
        self._declared = Declared(find, named)
        self._haskell = Haskell(self._declared, self._meaning, self._depends)
        self._full: dict[str, dict[int, str]] = {}
        self._part_of: dict[tuple[str, int], tuple[list[tuple[Module, int]], set[Key]]] = {}
        self._base_of: dict[tuple[str, str], tuple[Value | None, frozenset[Key]]] = {}
        self._above_of: dict[tuple[str, int], tuple[list[Value | None], frozenset[Key]]] = {}

    # -- bases -------------------------------------------------------------------------------------

    def _open_base(self, module: Module, letter: str, rest: str, depth: int) -> Meaning | None:
        """What a reference begins with, for the letters that mean something else here."""
        if module.language == "haskell":
            return self._haskell.base(module, letter, rest, depth)
        if letter == "V":
            owner, _, name = rest.partition(":")
            return self._seen_in(module, int(owner), name, depth)
        if letter == "N":
            return self._called_so(module, rest) or Meaning(Value("external", name=rest), "proven", "package")
        if letter == "M" and module.language != "elixir" and "\\" not in module.imports[int(rest)].module:
            return self._file_called(module, int(rest))
        if letter in ("I", "J", "M"):
            row = module.imports[int(rest)]
            if module.language == "elixir":
                meaning = self._meaning(module, module.links.paths.get(int(rest), ""), depth + 1)
                return meaning._replace(evidence=f"import:{row.line}") if meaning is not None else None
            full = "\\".join(part.strip("\\") for part in (row.module, row.name) if part)
            found = self._called_so(module, full)
            return (found or Meaning(Value("external", name=full), "proven", ""))._replace(
                evidence=f"import:{row.line}"
            )
        if letter == "G":
            is_constant = module.language == "ruby" and rest[:1].isupper()
            if is_constant:
                return self._at_top(module, rest)
            return self._called_so(module, rest) or self._outside(module, rest)
        return None

    def _file_called(self, module: Module, number: int) -> Meaning | None:
        """The file that a `require` names."""
        row = module.imports[number]
        self._depends(f"m:{posixpath.basename(row.module).partition('.')[0]}")
        place = self._layout.find(module.path, module.language, row.module)
        found = self._find(place.path) if place is not None else None
        return Meaning(Value("module", found), "proven", f"import:{row.line}") if found is not None else None

    def _called_so(self, module: Module, full: str) -> Meaning | None:
        """What the tree declares under a full name."""
        full = full.replace("/", ".") if module.language == "elixir" else full
        self._depends(f"n:{last_name(full)}")
        self._trails[-1].add(module.key_of(last_name(full)))
        found = self._declared.main(module, full)
        if found is None:
            is_space = module.language == "ruby" and bool(self._declared.all("ruby", full))
            return Meaning(Value("space", module, name=full), "proven", "package") if is_space else None
        self._depends(f"f:{found[0].path}")
        return Meaning(Value("definition", *found), "proven", "scope" if found[0] is module else "package")

    def _outside(self, module: Module, name: str) -> Meaning | None:
        """A bare name that nothing here declares: a function of the file, a global one, or a library's."""
        if module.language == "ruby":
            ordinal = module.members.get(-1, {}).get(name) if not name[:1].isupper() else None
            if ordinal is not None and module.is_function(ordinal):
                return Meaning(Value("definition", module, ordinal), "proven", "scope")
            is_constant = name[:1].isupper()
            return Meaning(Value("external", name=name), "proven", "package") if is_constant else None
        plain = name.rpartition("\\")[2]
        return self._called_so(module, plain) if plain != name else None

    def _seen_in(self, module: Module, owner: int, name: str, depth: int) -> Meaning | None:
        """A bare name within a class: a constant of what is around it, or a method of its objects."""
        if module.language == "elixir":
            return self._local_call(module, owner, name, depth)
        if not name[:1].isupper():
            value = self._member(Value("object", module, owner), name, depth)
            if value is None or value.kind == "external":
                return self._outside(module, name) or (Meaning(value, "proven", "self") if value is not None else None)
            return Meaning(value, "proven", "self")
        found = self._around(module, owner, name)
        if found is not None:
            return found
        above = self._inherited_constant(module, owner, name)
        return Meaning(above, "proven", "package") if above is not None else self._at_top(module, name)

    def _local_call(self, module: Module, owner: int, name: str, depth: int) -> Meaning | None:
        """A call by a bare name in a module of Elixir: of its own function, or of an imported one."""
        own = self._of_elixir(module, owner, name)
        if own is not None:
            return Meaning(own, "proven", "scope")
        for number, row in enumerate(module.imports):
            if row.name not in ("*", name):
                continue
            held = self._meaning(module, module.links.paths.get(number, ""), depth + 1)
            value = held.value if held is not None else None
            if value is not None and value.kind == "definition" and value.module is not None:
                found = self._of_elixir(value.module, value.ordinal, name)
                if found is not None:
                    return Meaning(found, "proven", f"import:{row.line}")
            elif value is not None and row.name == name:
                return Meaning(Value("external", name=f"{value.name}.{name}"), "proven", f"import:{row.line}")
        return None

    def _of_elixir(self, module: Module, ordinal: int, name: str) -> Value | None:
        """A function of a module, or an attribute of it: `@name`."""
        self._reads(module, name, module.name(ordinal))
        plain = name.removeprefix("@")
        for found in module.namesakes_in(ordinal, plain):
            if module.is_function(found) if plain == name else module.kind(found) == "constant":
                return Value("definition", module, found)
        return None

    def _around(self, module: Module, owner: int, name: str) -> Meaning | None:
        """A constant of the classes and modules around a place."""
        while owner >= 0:
            full = self._full_name(module, owner)
            found = self._called_so(module, f"{full}.{name}") if full else None
            if found is not None:
                return found
            owner = module.parents[owner]
        return None

    def _at_top(self, module: Module, name: str) -> Meaning | None:
        """A constant that stands in no class or module."""
        if name in BUILTINS["ruby"]:
            return Meaning(Value("external", name=name), "proven", "builtin")
        return self._called_so(module, name) or self._outside(module, name)

    def _full_name(self, module: Module, ordinal: int) -> str:
        names = self._full.get(module.path)
        if names is None:
            exports = module.links.exports.items()
            names = self._full[module.path] = {int(ref[1:]): full for full, refs in exports for ref in refs.split()}
        return names.get(ordinal, "")

    def _inherited_constant(self, module: Module, ordinal: int, name: str) -> Value | None:
        self._depends(f"n:{name}")
        names = self._declared.ending_in(module.language, name)
        for value in self._ancestors(module, ordinal):
            if value is not None and value.kind == "definition" and value.module is not None:
                full = f"{self._full_name(value.module, value.ordinal)}.{name}"
                found = self._called_so(value.module, full) if full in names else None
                if found is not None:
                    return found.value
        return None

    # -- members -----------------------------------------------------------------------------------

    def _member(self, value: Value, name: str, depth: int) -> Value | None:
        """A member of a class, of its objects or of what is above it."""
        module = value.module
        if module is not None and value.kind == "space":
            return self._of_space(module, value.name, name)
        if module is None or depth > MAX_DEPTH or value.ordinal >= module.count:
            return None
        self._reads(module, name, module.name(value.ordinal))
        if module.language == "elixir":
            return self._of_elixir(module, value.ordinal, name)
        if value.kind == "above":
            return self._from_above(value, name, depth)
        if module.language == "php":
            ordinal = module.members.get(value.ordinal, {}).get(name)
            if ordinal is not None:
                return Value("definition", module, ordinal)
            return self._from_above(value, name, depth)
        if name[:1].isupper():
            full = self._full_name(module, value.ordinal)
            found = self._called_so(module, f"{full}.{name}") if full else None
            if found is not None:
                return found.value
            return self._inherited_constant(module, value.ordinal, name)
        if value.kind == "object":
            first = self._of_prepended(module, value.ordinal, name)
            return first or self._of_part(value, name, of_class=False) or self._from_above(value, name, depth)
        return self._of_class_itself(value, name, depth)

    def _of_space(self, module: Module, full: str, name: str) -> Value | None:
        """What a module of Ruby has of which no file is the main one."""
        if name[:1].isupper():
            found = self._called_so(module, f"{full}.{name}")
            return found.value if found is not None else None
        parts = self._declared.all("ruby", full)
        held = [self._of_part(Value("definition", *part), name, of_class=True) for part in parts]
        distinct = {one for one in held if one is not None}
        return distinct.pop() if len(distinct) == 1 else None

    def _of_part(self, value: Value, name: str, *, of_class: bool) -> Value | None:
        """What the parts of a class of Ruby hold themselves: the nearest of them."""
        assert value.module is not None
        for one, ordinal in self._all_parts(value.module, value.ordinal):
            held = one.members.get(ordinal, {}).get(name)
            if held is not None and self._is_of_level(one, ordinal, held, of_class=of_class):
                self._depends(f"f:{one.path}")
                return Value("definition", one, held)
            others = [*one.namesakes_in(ordinal, name)] if held is not None else []
            if name.endswith("="):  # what `attr_writer` declares
                others += [each for each in one.namesakes_in(ordinal, name[:-1]) if one.kind(each) == "property"]
            for other in others:
                if self._is_of_level(one, ordinal, other, of_class=of_class):
                    self._depends(f"f:{one.path}")
                    return Value("definition", one, other)
        return None

    def _is_of_level(self, module: Module, owner: int, ordinal: int, *, of_class: bool) -> bool:
        is_static = ordinal in module.statics
        return is_static == of_class or (of_class and owner in module.statics)

    def _of_class_itself(self, value: Value, name: str, depth: int) -> Value | None:
        """A method of a class of Ruby, not of its objects; `new` makes one of them."""
        module = value.module
        assert module is not None
        found = self._of_part(value, name, of_class=True)
        if found is not None:
            return found
        if name == "new" and module.kind(value.ordinal) == "class":
            made = self._member(Value("object", module, value.ordinal), "initialize", depth)
            if made is not None and made.kind == "definition":
                return made._replace(receiver=value)
            return value._replace(receiver=value)
        return self._of_extended(module, value.ordinal, name) or self._from_above(value, name, depth)

    def _of_extended(self, module: Module, ordinal: int, name: str) -> Value | None:
        """What a class or module of Ruby has by `extend`."""
        return self._of_modules(module, module.links.extended.get(ordinal, ()), name)

    def _of_prepended(self, module: Module, ordinal: int, name: str) -> Value | None:
        """What objects of a class of Ruby have by `prepend`, the last first."""
        for one, part in self._all_parts(module, ordinal):
            found = self._of_modules(one, reversed(one.links.prepended.get(part, ())), name)
            if found is not None:
                return found
        return None

    def _of_modules(self, module: Module, refs: Iterable[str], name: str) -> Value | None:
        """What these modules of Ruby give to those that take them in."""
        for ref in refs:
            held = self._base_value(module, ref)
            if held is None or held.kind != "definition" or held.module is None:
                continue
            for one in [held, *self._ancestors(held.module, held.ordinal)]:
                found = (
                    self._of_part(one, name, of_class=False) if one is not None and one.kind == "definition" else None
                )
                if found is not None:
                    return found
        return None

    def _from_above(self, value: Value, name: str, depth: int) -> Value | None:
        """What classes above have; external when one of them is and has it, for all we know."""
        module = value.module
        assert module is not None
        outside: Value | None = None
        is_ruby = module.language == "ruby"
        bases = self._ancestors(module, value.ordinal) if is_ruby else self._bases(module, value.ordinal, depth)
        given = self._given_by_traits(bases, name, depth) if not is_ruby and value.kind != "above" else set()
        if given:
            return given.pop() if len(given) == 1 else None  # `insteadof` says which
        for base in bases:
            if base is None or base.kind != "definition" or base.module is None:
                before = base.name if base is not None and base.kind == "external" else "?"
                outside = outside or Value("external", name=f"{before}.{name.removesuffix(CALLED)}")
                continue
            if is_ruby:
                found = self._of_ancestor(base, name, of_class=value.kind == "definition")
            elif base.module.kind(base.ordinal) == "trait":
                continue  # `parent` is the class above, and for others they came before
            else:
                found = self._member(Value("object", base.module, base.ordinal), name, depth + 1)
            if found is not None and found.kind != "external":
                return found
            outside = outside or found
        return outside

    def _given_by_traits(self, bases: list[Value | None], name: str, depth: int) -> set[Value]:
        """What the traits that a class of PHP uses have under a name: it counts before what is above the class."""
        given = set()
        for base in bases:
            if base is not None and base.module is not None and base.module.kind(base.ordinal) == "trait":
                found = self._member(Value("object", base.module, base.ordinal), name, depth + 1)
                given |= {found} if found is not None and found.kind != "external" else set()
        return given

    def _of_ancestor(self, base: Value, name: str, *, of_class: bool) -> Value | None:
        """What objects have of one above their class, or a class of it: of a module, what is in its `ClassMethods`."""
        module = base.module
        assert module is not None
        if not of_class:
            return self._of_part(base, name, of_class=False)
        if module.kind(base.ordinal) == "class":
            return self._of_part(base, name, of_class=True) or self._of_extended(module, base.ordinal, name)
        inner = module.members.get(base.ordinal, {}).get("ClassMethods")
        return self._of_part(Value("definition", module, inner), name, of_class=False) if inner is not None else None

    def _bases(self, module: Module, ordinal: int, depth: int) -> list[Value | None]:
        """What the classes, interfaces and traits above a class of PHP are."""
        found: list[Value | None] = []
        for ref in module.links.bases.get(ordinal, []):
            meaning = self._meaning(module, ref, depth + 1) if depth < MAX_DEPTH else None
            found.append(meaning.value if meaning is not None else None)
        return found

    def _ancestors(self, module: Module, ordinal: int) -> list[Value | None]:
        """All that is above a class of Ruby, the nearest first; of included modules the last first."""
        key = (module.path, ordinal)
        known = self._above_of.get(key)
        if known is None:
            self._trails.append(set())
            found: list[Value | None] = []
            self._climb(module, ordinal, found, {key})
            known = self._above_of[key] = (found, frozenset(self._trails.pop()))
        self._trails[-1].update(known[1])
        return known[0]

    def _climb(self, module: Module, ordinal: int, found: list[Value | None], seen: set[tuple[str, int]]) -> None:
        for one, part in self._all_parts(module, ordinal):
            for ref in reversed(one.links.bases.get(part, [])):
                value = self._base_value(one, ref)
                if value is None or value.kind != "definition" or value.module is None:
                    found.append(value)
                elif (value.module.path, value.ordinal) not in seen:
                    seen.add((value.module.path, value.ordinal))
                    found.append(value)
                    self._climb(value.module, value.ordinal, found, seen)

    def _all_parts(self, module: Module, ordinal: int) -> list[tuple[Module, int]]:
        """A class of Ruby and its other parts: those of the file first, those of tests only for tests."""
        known = self._part_of.get((module.path, ordinal))
        if known is None:
            full = self._full_name(module, ordinal)
            others = self._declared.all("ruby", full) if full else []
            parts = [(module, ordinal), *(one for one in others if one[0] is module and one[1] != ordinal)]
            parts += [one for one in others if one[0] is not module and is_test(one[0].path) <= is_test(module.path)]
            keys: set[Key] = {f"n:{last_name(full)}"} if full else set()
            known = self._part_of[module.path, ordinal] = (parts, keys | {module.key_of(module.name(ordinal))})
        self._trails[-1].update(known[1])
        return known[0]

    def _base_value(self, module: Module, ref: str) -> Value | None:
        """What a base of a class of Ruby is: constants of what is around it, not of what is above it."""
        known = self._base_of.get((module.path, ref))
        if known is None:
            self._trails.append(set())
            value = self._follow_base(module, ref)
            known = self._base_of[module.path, ref] = (value, frozenset(self._trails.pop()))
        self._trails[-1].update(known[1])
        return known[0]

    def _follow_base(self, module: Module, ref: str) -> Value | None:
        self._depends(f"f:{module.path}")
        first, *rest = ref.split(".")
        owner, _, name = first[1:].partition(":") if first[0] == "V" else ("-1", "", first[1:])
        if first[0] not in "VG" or not all(word[:1].isupper() for word in (name, *rest)):
            return None
        self._reads(module, name, *rest)
        meaning = self._around(module, int(owner), name) or self._at_top(module, name)
        for word in rest:
            value = meaning.value if meaning is not None else None
            if value is None or value.kind == "external" or value.module is None:
                more = f"{value.name}.{word}" if value is not None else "?"
                meaning = Meaning(Value("external", name=more), "proven", "package")
                continue
            full = value.name if value.kind == "space" else self._full_name(value.module, value.ordinal)
            meaning = self._called_so(module, f"{full}.{word}") if full else None
        return meaning.value if meaning is not None else None
