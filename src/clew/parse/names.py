"""The names of a blob: what definitions and imports are in their scopes, and what a bare name means at a place.

Main calls: `Names.look_up`, `Names.this`, `Names.follow`; what the captures mean stands in `parse/events.py`.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property

from clew.parse.bound import NO_FREE_METHODS, SEQUENTIAL, TYPES_FIRST, Bound, Read
from clew.parse.ecmascript import MEMBER_KINDS, has_own_this, is_bare, is_pure_type, owner_name
from clew.parse.links import CALLED, MACRO, NEVER, TYPE, Attribute
from clew.parse.owners import PART_KINDS, find_owners
from clew.parse.packaged import PACKAGED, is_called, look_out, this_of
from clew.parse.paths import is_mod, path_base, qualifier
from clew.parse.scopes import FREE_FORM, Scope
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, SPACE_KINDS
from clew.types import Symbol

MARKS_CALLS = PACKAGED | {"java", "php"}  # a field and a method may have the same name
IMPLICIT_MEMBERS = frozenset("java csharp cpp kotlin scala swift ruby dart".split())
_HIDDEN_KINDS = frozenset({"function", "variable", "constant"})  # what a member of a class hides in it
MEMBERS_ARE_NO_NAMES = frozenset("go rust c".split())  # not even inside the type

_OWN_CONSTANTS = re.compile(rb"enum\s+(?:class|struct)\b")


class Names(Bound):
    """What the names of a blob mean."""

    def __init__(self, blob: Read) -> None:
        super().__init__(blob)
        self._implicit = blob.language in IMPLICIT_MEMBERS
        self._has_marks = blob.language in MARKS_CALLS or blob.language == "rust"
        self._closed: set[int] = set()  # enums whose constants are their own
        self._sees_class = self._implicit or self._is_ecmascript  # where a class has type parameters, but no members
        self._holders: dict[int, int] = {}  # of functions that are assigned to a member, whose
        self.attributes: dict[tuple[int, str], Attribute] = {}
        self._member_types: dict[tuple[int, str], str] = {}  # of members, the type that is declared
        self._members_given: dict[tuple[int, str], str] = {}  # the one type of all that they are given; "" if not known
        self._twofold: set[str] = set()  # members of a type that its objects have another of the same name as
        self.stands_for: dict[int, int] = {}  # of expressions that are what another is, by where both end
        self._define()

    def _define(self) -> None:
        """Give every scope the names that are bound in it."""
        captures = self._captures
        is_free = self._language in FREE_FORM
        owners = find_owners(self._symbols, captures.get("part", ())) if is_free or self._is_packaged else {}
        stand_ins = self._stand_ins() if self._language == "python" else set()
        if self._language == "cpp":  # the constants of `enum class` are its own
            enums = ((o, symbol.start_byte) for o, symbol in enumerate(self._symbols) if symbol.kind == "enum")
            self._closed = {o for o, start in enums if _OWN_CONSTANTS.match(self._content, start)}
            self.links.static.extend(sorted(self._closed))
        for ordinal, symbol in enumerate(self._symbols):
            if ordinal in owners or ordinal in stand_ins or (symbol.name == "std" and self._language == "cpp"):
                continue
            scope = self.scopes.at(symbol.start_byte)
            if scope.symbol == ordinal and scope.parent is not None:
                scope = scope.parent
            self._name(scope, ordinal, symbol)
        for number, row in enumerate(self._imports):
            name = row.alias or (row.name if row.name != "*" else "") or self._module_name(row.module)
            if self._language == "swift" or (self._is_packaged and row.name == "*" and not row.alias):
                continue  # what it opens is for the graph to say
            if self._is_ecmascript and self._content.startswith(b"export", row.start_byte):
                if name and (row.name or row.alias):
                    self.links.exports[name] = f"I{number}"
            elif name and (name != "_" or self._language not in SEQUENTIAL):
                self.scopes.at(row.start_byte).names.setdefault(name, f"I{number}")
        free = {(node.start_byte, node.end_byte) for node in captures.get("free", ())}
        undone = {(self.scopes.at(start), self._text(start, end)) for start, end in free}
        undone |= {(self.scopes.all[0], self._symbols[ordinal].name) for ordinal in stand_ins}
        if is_free:
            self._bind_free(undone)
        else:
            self._bind(undone)
        self._own(owners)
        for role, letter in (("self", "S"), ("class.self", "C"), ("static", "")):
            for node in captures.get(role, ()):
                scope = self.scopes.at(node.start_byte)
                if self._language == "python" and (scope.parent is None or not scope.parent.is_class):
                    continue  # the first parameter of a function that is no method
                owner = scope.owner_class()
                name = self._text(node.start_byte, node.end_byte)
                scope.names[name] = ""
                scope.values[name] = f"{letter}{owner}" if letter and owner >= 0 else ""
        if self._is_packaged:
            self._note_implicit()
        named = {node.start_byte for node in captures.get("property", ())}
        self.links.properties.extend(sorted(self.by_name_byte[byte] for byte in named if byte in self.by_name_byte))
        for node in captures.get("never", ()):
            if node.start_byte in self.by_name_byte:
                self.links.types[self.by_name_byte[node.start_byte]] = NEVER
        if self._is_ecmascript or self._language == "swift":
            self.links.static.extend(o for o, symbol in enumerate(self._symbols) if is_static(self._content, symbol))
            self._note_twofold()
        self._place_keywords()
        if self._language in TYPES_FIRST:
            self._declare()
            self._note_conditional()
        if self._language == "python":
            self._put_in_order()
        if self._language == "rust":
            self._follow_imports()
            self._bound_types()

    def _own(self, owners: dict[int, list[str]]) -> None:
        """Say which types definitions belong to that do not stand in them."""
        for ordinal, names in owners.items():
            symbol = self._symbols[ordinal]
            if symbol.kind == "impl":
                names = [*qualifier(self._content, symbol.name_byte), *names]
            place = symbol.start_byte
            if self._is_packaged and symbol.kind in PART_KINDS:
                place -= 1  # what it adds to is not looked for in it
            path = self.follow(names, place) if names != ["?"] else "?"
            if path or self._is_packaged:
                self.links.owners[ordinal] = path or "?"

    def follow(self, names: list[str], place: int, own: str = "") -> str:
        """The reference that a path of names is at a place; `own` is what it would itself bind."""
        if self._language == "rust":
            around = [scope.symbol for scope in self.scopes.around(place, SPACE_KINDS, self._symbols)]
            found = path_base(names, around)
            if found is not None:
                return ".".join([found[0], *found[1]])
        path, is_variable = self.look_up(self.scopes.at(place), names[0])
        if own and (path == own or path[:1] in ("G", "")):
            path = f"N{names[0]}"
        return ".".join([path, *names[1:]]) if path and not is_variable else ""

    def _follow_imports(self) -> None:
        """Say what Rust's imports mean as paths; a module without `use super::*` sees no names around it."""
        for scope in self.scopes.all:
            if scope.symbol >= 0 and not scope.is_class:
                scope.is_closed = self._symbols[scope.symbol].kind in SPACE_KINDS
        for row in self._imports:
            if row.name == "*" and row.module == "super":
                self.scopes.at(row.start_byte).is_closed = False
        for number, row in enumerate(self._imports):
            names = row.module.split("::")
            if is_mod(self._content, row):
                around = self.scopes.around(row.start_byte, SPACE_KINDS, self._symbols)
                inside = [self._symbols[scope.symbol].name for scope in around]
                self.links.paths[number] = "N/" + "/".join([*inside, row.module])
            else:
                names += [row.name] if row.name not in ("", "*") else []
                self.links.paths[number] = self.follow(names, row.start_byte, f"I{number}")

    def _bound_types(self) -> None:
        """Give type parameters what a `where` says of them: it stands after their uses."""
        names = sorted((node.start_byte, node.end_byte) for node in self._captures.get("where.name", ()))
        types = sorted((node.start_byte, node.end_byte) for node in self._captures.get("where.type", ()))
        for (start, end), (first, last) in zip(names, types, strict=False):
            scope, name = self.scopes.at(start), self._text(start, end)
            path, is_variable = self.look_up(scope, self._text(first, last), start)
            if scope.names.get(name) == "" and path and not is_variable:
                scope.values[name] = f"{path}^"

    def _place_keywords(self) -> None:
        """Say what `this`, `super` and the like are where they stand."""
        content, is_rust = self._content, self._language == "rust"
        for role, letter in (("this", "S"), ("super", "P"), ("root", "")):
            for node in self._captures.get(role, ()):
                start, end = node.start_byte, node.end_byte
                if is_rust and (not letter or content[end : end + 2] == b"::"):
                    self.paths[end] = self.follow([*qualifier(content, start), self._text(start, end)], start)
                    continue
                scope = self.scopes.at(start)
                if self._is_packaged:
                    label = self._text(start, end).partition("@")[2]
                    path = this_of(scope, letter, label, self._symbols, self.links.owners)
                    self.paths[end] = self._or_class(scope, path)
                    continue
                if self._language == "java" and content[start - 1 : start] == b".":
                    self.paths[end] = self._this_of(scope, letter, start)
                    continue
                owner = self.this(scope)
                self.paths[end] = self._or_class(scope, f"{letter}{owner}") if owner >= 0 else "?"
                if owner < 0 and letter == "S" and scope.owner() in self.links.owners:
                    self.paths[end] = f"O{scope.owner()}"

    def _this_of(self, scope: Scope, letter: str, start: int) -> str:
        """What Java's `Outer.this`, `Outer.super` and `Interface.super` are."""
        head = self._content[max(0, start - 200) : start - 1].decode("utf-8", "replace").split()
        name = head[-1].rpartition("(")[2] if head else ""
        around: Scope | None = scope
        while around is not None and name.isidentifier():
            if around.is_class and around.symbol >= 0 and self._symbols[around.symbol].name == name:
                return f"{letter}{around.symbol}"
            around = around.parent
        if letter == "S" or not name.isidentifier():
            return "?"
        path, is_variable = self.look_up(scope, name, start, is_type=True)
        return f"{path}^" if path and not is_variable else "?"

    def _note_twofold(self) -> None:
        """Find the names that a type has both as a static member and as one of its objects: bare, either is meant."""
        static = set(self.links.static)
        keys = {(self._symbols[o].parent, self._symbols[o].name) for o in static}
        rows = [(o, (symbol.parent, symbol.name)) for o, symbol in enumerate(self._symbols)] if keys else []
        both = keys & {key for o, key in rows if o not in static}
        self._twofold = {f"D{o}" for o, key in rows if key in both}

    def _or_class(self, scope: Scope, path: str) -> str:
        """What `this` is: in a static method the class itself."""
        around: Scope | None = scope if self.links.static and path[0] == "S" else None
        while around is not None and not around.is_class:
            if around.symbol in self.links.static:
                return f"C{path[1:]}"
            around = around.parent
        return path

    def _is_apart(self, scope: Scope, symbol: Symbol) -> bool:
        """Whether a definition of C++ is not to be had by its bare name: a constructor's is that of its class (also of
        one that a macro keeps from being read), and what a type without a name has is had of its object."""
        is_nameless = symbol.kind == "field" and not scope.is_class and scope.parent is not None
        before = scope.names.get(symbol.name, "")
        is_like_class = before[:1] == "D" and self._symbols[int(before[1:])].kind in CLASS_KINDS
        return symbol.kind == "constructor" or is_nameless or (is_like_class and symbol.kind in FUNCTION_KINDS)

    def _name(self, scope: Scope, ordinal: int, symbol: Symbol) -> None:
        """Give a scope the name of a definition in it."""
        if self._language in NO_FREE_METHODS:
            if symbol.kind == "constructor":
                return  # the name is that of its class
            if scope.is_class or symbol.kind not in MEMBER_KINDS:  # those of a class without a name are not to be seen
                is_marked = self._language in MARKS_CALLS and symbol.kind == "method"
                scope.names.setdefault(symbol.name + (CALLED if is_marked else ""), f"D{ordinal}")
            if symbol.kind in CLASS_KINDS or symbol.kind == "type":
                scope.types.setdefault(symbol.name, f"D{ordinal}")
        elif self._is_packaged:
            if symbol.kind != "constructor" and symbol.kind not in PART_KINDS:
                scope.names.setdefault(symbol.name + (CALLED if is_called(symbol) else ""), f"D{ordinal}")
        elif self._language == "cpp" and self._is_apart(scope, symbol):
            return
        elif not self._is_ecmascript:
            is_macro = symbol.kind == "macro" and self._language == "rust"
            scope.names[symbol.name + (MACRO if is_macro else "")] = f"D{ordinal}"
            is_known_around = symbol.kind == "enum_member" and scope.symbol not in self._closed
            if is_known_around and scope.parent is not None and self._language in TYPES_FIRST:
                scope.parent.names.setdefault(symbol.name, f"D{ordinal}")
        elif is_bare(symbol, self._content):
            before = scope.names.get(symbol.name, "")
            if is_pure_type(symbol):
                scope.types[symbol.name] = f"D{ordinal}"
            if not before.startswith("D") or not is_pure_type(symbol):
                scope.names[symbol.name] = f"D{ordinal}"
        else:
            name = owner_name(self._content, symbol.name_byte)
            base = self.look_up(scope, name)[0] if name and name != "this" else ""
            owner = int(base[1:]) if base[:1] == "D" else self.this(scope) if name == "this" else -1
            if owner >= 0:
                self._holders[ordinal] = owner
                self.have(owner, symbol.name, symbol.name_byte, f"D{ordinal}")

    def this(self, scope: Scope) -> int:
        """The class whose object `this` is; -1 for none."""
        if not self._is_ecmascript:
            return scope.owner_class()
        found: Scope | None = scope
        while found is not None and not found.is_class:
            above = found.parent
            if found.symbol in self._holders:
                return self._holders[found.symbol]
            is_object = found.symbol >= 0 and self._symbols[found.symbol].kind == "method"
            if is_object and (above is None or not above.is_class):
                return -1
            if has_own_this(self._content, found.start) and (above is None or above.symbol not in self._holders):
                return found.symbol if found.symbol in self._holders.values() else -1
            found = above
        return found.symbol if found is not None else -1

    def look_up(self, scope: Scope, name: str, place: int = sys.maxsize, *, is_type: bool = False) -> tuple[str, bool]:
        """What a bare name means at a place, "" if that is not known, and whether it is a variable of a function."""
        if self._is_packaged:
            path, is_variable = look_out(scope, name, place, self._language, self._symbols, self.links.owners)
            return path if path not in self._twofold else "", is_variable
        if scope.names.get(name) == "" and name not in scope.since and not is_type:  # most are variables
            return scope.values.get(name, ""), True
        found: Scope | None = scope
        owner, is_clear = -1, True  # the innermost class; whether all classes on the way have names
        plain, is_apart = name, False  # the name without its mark; whether what has it shares no name with what has not
        if self._has_marks:
            is_apart = name.endswith(MACRO) or self._language == "java"
            plain = name.removesuffix(MACRO) if name.endswith(MACRO) else name.removesuffix(CALLED)
        while found is not None:
            names = found.names
            if plain != name and name not in names and plain in names and (not is_apart or names[plain][:1] == "I"):
                name = plain  # of a type, or imported
            if name in names:
                if self._language == "cpp" and self._may_be_hidden(found, name):
                    break  # a member that the class has or inherits comes first
                if self._is_meant(found, scope, name, place, is_type):
                    path = (is_type and found.types.get(name)) or names[name]
                    is_far = found.is_class and self._language in NO_FREE_METHODS and path[:1] == "D"
                    if is_far and not is_type and name not in found.types and (owner >= 0 or not is_clear):
                        # What an inner class inherits may hide it; of one without a name that is not known.
                        return (f"V{owner}:{name}" if is_clear else ""), False
                    return (path, False) if path else (found.values.get(name, ""), True)
            if found.is_class and owner < 0:
                owner = found.symbol
                is_clear = is_clear and owner >= 0
            found = found.parent if not found.is_closed else None
        if not is_clear and not is_type and not plain[:1].isupper():
            return "", False
        if self._implicit and owner >= 0:
            return f"V{owner}:{name}{TYPE if is_type and self._language in NO_FREE_METHODS else ''}", False
        if self._implicit and self.links.owners and scope.owner() in self.links.owners:
            return f"W{scope.owner()}:{name}", False
        if found is not None:
            return found.names[name], False
        if name == "Self" and self._language == "rust":
            owner = scope.owner_class()
            return (f"C{owner}", False) if owner >= 0 else ("", True)
        if name == "super" and self._language == "python":
            owner = scope.owner_class()
            return (f"P{owner}", True) if owner >= 0 else ("", True)
        return f"G{name}", False

    def _may_be_hidden(self, scope: Scope, name: str) -> bool:
        """Whether a name is a function or a variable of the file or of a namespace."""
        is_open = scope.parent is None or (scope.symbol >= 0 and self._symbols[scope.symbol].kind in SPACE_KINDS)
        path = scope.names.get(name, "") if is_open else ""
        return path[:1] == "D" and self._symbols[int(path[1:])].kind in _HIDDEN_KINDS

    def _is_meant(self, found: Scope, scope: Scope, name: str, place: int, is_type: bool) -> bool:
        """Whether a name at a place in a scope means what another around it, or itself, has under that name."""
        if found.since.get(name, 0) > place and (self._language != "python" or found is scope):
            return False  # not bound yet; what is asked for in a function of Python may come later
        is_told = is_type and self._language in NO_FREE_METHODS and name not in found.types
        if is_told and found.names[name].startswith("D"):
            return False  # a member or a method: no type is meant by that
        if not found.is_class or self._sees_class or not found.names[name]:
            return True
        return found is scope and self._language not in MEMBERS_ARE_NO_NAMES

    def held_by(self, owner: int, name: str) -> str:
        """The definition that another holds under a name, the first; "" for none."""
        return self._held.get((owner, name), "")

    @cached_property
    def _held(self) -> dict[tuple[int, str], str]:
        symbols = reversed([*enumerate(self._symbols)])
        return {(symbol.parent, symbol.name): f"D{ordinal}" for ordinal, symbol in symbols}

    def name_at(self, start: int, end: int) -> str:
        """The name that is used at a place."""
        return self._text(start, end)

    def own_path(self, _scope: Scope, _start: int, _end: int, _role: str, /) -> tuple[str, bool] | None:
        """What a language says of a name at a place before all else; nothing for most."""
        return None

    def give(self, _scope: Scope, _start: int, _path: str, /) -> bool:
        """Whether what stands at a place is no plain name, and was given a value by the language's own rules."""
        return False

    def have(self, owner: int, name: str, byte: int, path: str) -> None:
        """Let the objects of a class have a member, at its first place."""
        known = self.attributes.get((owner, name))
        if known is None:
            self.attributes[owner, name] = Attribute(owner, name, byte, path)
        elif path and not known.value:
            self.attributes[owner, name] = known._replace(value=path)

    def compare(self, owner: int, name: str, path: str, *, is_declared: bool) -> None:
        """Let a member of Python's that is given unlike things be of no type, unless one is declared."""
        key = (owner, name)
        if self._language != "python":
            return
        if is_declared and path:
            self._member_types[key] = path
        kind = path.removesuffix("(") + "^" if path.endswith("(") else path
        if self._members_given.setdefault(key, kind) != kind:
            self._members_given[key] = ""
        value = self._member_types.get(key, self.attributes[key].value if self._members_given[key] else "")
        self.attributes[key] = self.attributes[key]._replace(value=value)


def is_static(content: bytes, symbol: Symbol) -> bool:
    """Whether a member is one of the type itself."""
    words = content[symbol.start_byte : symbol.name_byte].split()
    is_told = b"static" in words or (b"class" in words and symbol.kind in FUNCTION_KINDS)
    return is_told and symbol.parent >= 0 and symbol.kind not in CLASS_KINDS
