"""What each use of a name says within its file: the local meaning of its first part, and the steps from there.

`self.session.get(url)` inside class 5 is the reference `S5.session.get`; with `s = Session()` before it, where
`Session` is import 3, `s.get` is `I3(.get`. What an import or a base class leads to is the graph's business:
here are only scopes, and nothing outside the blob. Main call: `collect_links`.

Beside those of `extract`, queries have for it:
  @bind @free        a name that is bound here; one that is bound further out (`global`)
  @bind.type         a type parameter: of a class too
  @local             opens a scope, as a lambda does
  @this @super       the object itself, and as its base class sees it
  @self @static @class.self   the first parameter of a method; of one that has no object; of one that has its class
  @base              a base class
  @recv @recv.fn     a call that a member is taken of, and the function in it
  @typed @typed.type names that are bound before this type, or one that starts here, declared to have it
  @assign @assign.fn @assign.type @assign.value   starts with a name, ends with what it is given: a call of this, an
                     object of this type, or this
  @literal @literal.name   the body of a literal, after its type; a field that it names
  @given             a member that is assigned to: `x` in `self.x = 1`
  @returns           the type of what the function around it gives back
  @return.fn @return.value   what a function that does not say so gives back: what a call of this gives, or this
  @property          the name of a function that is read like a field
  @skip              a name that refers to nothing here: the `x` of `f(x=1)`
  @package           the name of the file's package
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import Any

from clew.parse.events import collect_events, innermost
from clew.parse.links import NOWHERE, Attribute, Links, no_links
from clew.parse.owners import find_owners, last_part
from clew.parse.scopes import Scope, Scopes
from clew.parse.uses import Uses
from clew.types import Import, Symbol

IMPLICIT_MEMBERS = frozenset("java csharp cpp kotlin scala swift ruby php dart".split())
MEMBERS_ARE_NO_NAMES = frozenset("go rust c zig".split())  # not even inside the type
SEQUENTIAL = frozenset("go rust c cpp zig".split())  # a name is bound from its place on, not in all of its scope
MAX_STEPS = 12  # a longer chain says nothing that could be followed
_SPACE = b" \t\r\n"


def collect_links(
    content: bytes,
    language: str,
    symbols: list[Symbol],
    imports: list[Import],
    captures: dict[str, list[Any]],
    uses: Uses,
) -> Links:
    """The references of a blob."""
    return _Binder(content, language, symbols, imports, captures, uses).run()


class _Binder:
    """One sweep over a blob in order of place, with the scopes that are open."""

    def __init__(
        self,
        content: bytes,
        language: str,
        symbols: list[Symbol],
        imports: list[Import],
        captures: dict[str, list[Any]],
        uses: Uses,
    ) -> None:
        self._content, self._language = content, language
        self._symbols, self._imports, self._captures, self._uses = symbols, imports, captures, uses
        self._implicit = language in IMPLICIT_MEMBERS
        self._scopes = Scopes(len(content), symbols, captures.get("local", ()))
        self._paths: dict[int, str] = {}  # by where the expression ends
        self._by_name_byte = {symbol.name_byte: ordinal for ordinal, symbol in enumerate(symbols)}
        self._attributes: dict[tuple[int, str], Attribute] = {}
        self._links = no_links()
        self._index = {"": 0}
        self._import_starts = [row.start_byte for row in imports]
        self._given = {node.start_byte for node in captures.get("given", ())}
        self._bound_here: set[int] = set()
        self._given_back: dict[int, str] = {}
        self._literals = sorted((node.start_byte, node.end_byte) for node in captures.get("literal", ()))
        self._literal_names = {node.start_byte for node in captures.get("literal.name", ())}

    def run(self) -> Links:
        """Bind, then refer."""
        self._define()
        links = self._links
        for node in self._captures.get("package", ())[:1]:
            links = self._links = links._replace(package=self._text(node.start_byte, node.end_byte))
        events = collect_events(self._captures, sorted({*self._bound_here, *self._by_name_byte}))
        calls = self._calls()
        at, uses = 0, self._uses
        skipped = self._skipped()
        walk = self._scopes.walk()
        inside = self._import_spans()
        for start, end in zip(uses.starts, uses.ends, strict=True):
            while at < len(events) and events[at][0] <= start:
                self._happen(*events[at][1:])
                at += 1
            scope = walk.to(start)
            links.callers.append(scope.owner())
            if start in skipped:
                links.of_use.append(0)
                continue
            path = self._imported(start, end, inside) if inside else ""
            is_variable = False
            if not path:
                path, is_variable = self._path(scope, start, end, calls)
            self._paths[end] = path
            links.of_use.append(0 if is_variable else self._number(path))
        for event in events[at:]:
            self._happen(*event[1:])
        links.attributes.extend(self._attributes.values())
        for caller, path in self._given_back.items():
            if path:  # all that it gives back is the same
                links.returns.setdefault(caller, path)
        return links

    # -- names -------------------------------------------------------------------------------------

    def _define(self) -> None:
        """Give every scope the names that are bound in it."""
        captures = self._captures
        owners = find_owners(self._symbols)
        for ordinal, symbol in enumerate(self._symbols):
            if ordinal in owners:
                continue
            scope = self._scopes.at(symbol.start_byte)
            if scope.symbol == ordinal and scope.parent is not None:
                scope = scope.parent
            scope.names[symbol.name] = f"D{ordinal}"
        for number, row in enumerate(self._imports):
            name = row.alias or (row.name if row.name != "*" else "") or self._module_name(row.module)
            if name and name != "_":
                self._scopes.at(row.start_byte).names.setdefault(name, f"I{number}")
        free = {(node.start_byte, node.end_byte) for node in captures.get("free", ())}
        undone = [(self._scopes.at(start), self._text(start, end)) for start, end in free]
        self._bind({(scope.start, name) for scope, name in undone})
        for ordinal, (first, *rest) in owners.items():
            path, _ = self._look_up(self._scopes.at(self._symbols[ordinal].start_byte), first, sys.maxsize)
            self._links.owners[ordinal] = ".".join([path, *rest])
        for role, letter in (("self", "S"), ("class.self", "C"), ("static", "")):
            for node in captures.get(role, ()):
                scope = self._scopes.at(node.start_byte)
                owner = scope.owner_class()
                name = self._text(node.start_byte, node.end_byte)
                scope.names[name] = ""
                scope.values[name] = f"{letter}{owner}" if letter and owner >= 0 else ""
        for node in captures.get("property", ()):
            if node.start_byte in self._by_name_byte:
                self._links.properties.append(self._by_name_byte[node.start_byte])
        for role, letter in (("this", "S"), ("super", "P")):
            for node in captures.get(role, ()):
                owner = self._scopes.at(node.start_byte).owner_class()
                self._paths[node.end_byte] = f"{letter}{owner}" if owner >= 0 else "?"

    def _bind(self, free: set[tuple[int, str]]) -> None:
        """Give scopes their variables and type parameters."""
        is_late = self._language in SEQUENTIAL
        whole = [*self._captures.get("typed", ()), *self._captures.get("assign", ())] if is_late else []
        ends = {node.start_byte: node.end_byte for node in whole}  # in `x := x.y()` the second is another
        for role in ("bind", "bind.type"):
            for node in self._captures.get(role, ()):
                start, name = node.start_byte, self._text(node.start_byte, node.end_byte)
                scope = self._scopes.at(start)
                if (scope.start, name) in free or scope.names.get(name, "").startswith("D"):
                    continue
                if scope.is_class if role == "bind" else scope.parent is None:
                    continue
                scope.names[name] = ""
                self._bound_here.add(start)
                if is_late:
                    since = ends.get(start, start)
                    scope.since[name] = min(since, scope.since.get(name, since))

    def _module_name(self, module: str) -> str:
        """The name under which a whole module is known when it is given no other."""
        if self._language in ("python", "typescript", "javascript", "tsx"):
            return module.partition(".")[0]
        if self._language == "go":
            return last_part(module)
        return module.replace("::", "/").replace(".", "/").replace("\\", "/").rstrip("/").rpartition("/")[2]

    def _look_up(self, scope: Scope, name: str, place: int) -> tuple[str, bool]:
        """What a bare name means at a place, "" if that is not known, and whether it is a variable of a function."""
        found: Scope | None = scope
        owner = -1
        while found is not None:
            if name in found.names and self._is_seen(found, scope, name) and found.since.get(name, 0) <= place:
                path = found.names[name]
                return (path, False) if path else (found.values.get(name, ""), True)
            if found.is_class and owner < 0:
                owner = found.symbol
            found = found.parent
        if self._implicit and owner >= 0:
            return f"V{owner}:{name}", False
        if name == "super" and self._language == "python":
            owner = scope.owner_class()
            return (f"P{owner}", True) if owner >= 0 else ("", True)
        return f"G{name}", False

    def _is_seen(self, found: Scope, scope: Scope, name: str) -> bool:
        """Whether a name that a scope binds means that within another."""
        if not found.is_class or self._implicit or not found.names[name]:
            return True
        return found is scope and self._language not in MEMBERS_ARE_NO_NAMES

    # -- events ------------------------------------------------------------------------------------

    def _happen(self, kind: str, start: int, value: Any) -> None:
        scope = self._scopes.at(start)
        if kind == "base":
            owner = scope.symbol if scope.is_class else scope.owner_class()
            path = self._paths.get(value, "")
            if owner >= 0 and path:
                self._links.bases.setdefault(owner, []).append(path)
                if self._language == "go":  # what a struct embeds is a field, too
                    self._have(owner, path[1:].rpartition(".")[2], start, f"{path}^")
        elif kind == "returns":
            caller = scope.owner()
            path = self._paths.get(value, "")
            if caller != NOWHERE and path:
                self._links.returns[caller] = path + "^"
        elif kind == "gives":
            caller, (step, end) = scope.owner(), value
            path = self._paths.get(end, "")
            if caller != NOWHERE and not self._links.returns.get(caller, "").endswith("^"):
                path = path + step if path not in ("", "?") else ""
                before = self._given_back.setdefault(caller, path)
                self._given_back[caller] = path if before == path else ""
        else:
            step, end = ("^", value) if kind == "typed" else value
            path = self._paths.get(end, "")
            self._give(scope, start, path + step if path and path != "?" else "")

    def _give(self, scope: Scope, start: int, path: str) -> None:
        """Let what stands at a place have a value from here on."""
        ordinal = self._by_name_byte.get(start)
        if ordinal is not None:
            if path:
                self._links.types.setdefault(ordinal, path)
            return
        end = self._word_end(start)
        name = self._text(start, end)
        if self._content[end : end + 1] == b".":  # self.x = …
            base, _ = self._look_up(scope, name, start)
            last = self._word_end(end + 1)
            is_own = base[:1] in ("S", "C") and base[1:].isdigit()
            if is_own and self._content[last : last + 1] not in (b".", b"(", b"["):
                self._have(int(base[1:]), self._text(end + 1, last), end + 1, path)
        elif path.count(".") + path.count("(") < MAX_STEPS:
            holder = scope.holder(name)
            if holder.names.get(name) == "":
                holder.values[name] = path

    def _have(self, owner: int, name: str, byte: int, path: str) -> None:
        known = self._attributes.get((owner, name))
        if known is None:
            self._attributes[owner, name] = Attribute(owner, name, byte, path)
        elif path and not known.value:
            self._attributes[owner, name] = known._replace(value=path)

    def _word_end(self, start: int) -> int:
        end, content = start, self._content
        while end < len(content) and (chr(content[end]).isalnum() or content[end] in b"_$" or content[end] > 127):
            end += 1
        return end

    # -- uses --------------------------------------------------------------------------------------

    def _skipped(self) -> set[int]:
        skipped = {node.start_byte for node in self._captures.get("skip", ())}
        skipped |= self._bound_here
        skipped |= {node.start_byte for node in self._captures.get("package", ())}
        for role in ("free", "self", "class.self", "static"):
            skipped |= {node.start_byte for node in self._captures.get(role, ())}
        return skipped

    def _calls(self) -> dict[int, int]:
        """Where the function of a call ends, by where the call ends, for calls that a member is taken of."""
        whole = sorted((node.start_byte, node.end_byte) for node in self._captures.get("recv", ()))
        functions = sorted((node.start_byte, node.end_byte) for node in self._captures.get("recv.fn", ()))
        return {call[1]: function[1] for call, function in zip(whole, functions, strict=False)}

    def _import_spans(self) -> list[tuple[int, int]]:
        return sorted((node.start_byte, node.end_byte) for node in self._captures.get("import", ()))

    def _imported(self, start: int, end: int, spans: list[tuple[int, int]]) -> str:
        """The import that a name inside an import statement stands for."""
        at = bisect_right(spans, (start, sys.maxsize)) - 1
        if at < 0 or not spans[at][0] <= start < spans[at][1]:
            return ""
        first = bisect_right(self._import_starts, spans[at][0] - 1)
        name = self._text(start, end)
        for number in range(first, len(self._imports)):
            row = self._imports[number]
            if row.start_byte != spans[at][0]:
                break
            if name == row.name:
                return f"I{number}"
            if not row.name and name == row.alias:
                return "?"
            if self._ends_module(row.module, name, end):
                return f"M{number}"
        return "?"

    def _ends_module(self, module: str, name: str, end: int) -> bool:
        """Whether a name is the last part of a module's name where it is written."""
        return module.endswith(name) and self._content[end : end + 1] not in b".:/\\" and name != ""

    def _path(self, scope: Scope, start: int, end: int, calls: dict[int, int]) -> tuple[str, bool]:
        name = self._text(start, end)
        if start in self._literal_names:
            path = self._paths.get(self._literal_type(start), "")
            return (f"{path}^.{name}" if path and path[0] != "?" else "?"), False
        before = self._receiver_end(start)
        if before < 0:
            path, is_variable = self._look_up(scope, name, start)
            return path or "?", is_variable
        path = self._paths.get(before, "")
        if not path:
            function = calls.get(before)
            path = self._paths.get(function, "") if function is not None else ""
            if path and path[0] != "P":
                path += "("
        if not path or path[0] == "?" or path.count(".") + path.count("(") >= MAX_STEPS:
            return f"?.{name}", False
        owner, is_first = path[1:], "." not in path
        if start in self._given and is_first and path[0] in "SC" and owner.isdigit():
            self._have(int(owner), name, start, "")
        return f"{path}.{name}", False

    def _receiver_end(self, start: int) -> int:
        """Where the expression ends that a member is taken of; -1 when the name stands alone."""
        content, at = self._content, start - 1
        if at < 1:
            return -1
        if content[at] == 46 and content[at - 1] != 46:  # a dot, not two
            at -= 2 if content[at - 1] in b"?!" else 1
        elif content[at - 1 : at + 1] in (b"::", b"->"):
            at -= 2
        else:
            return -1
        return self._before(at)

    def _literal_type(self, place: int) -> int:
        """Where the type of the literal around a place ends."""
        return self._before(innermost(self._literals, place, place + 1) - 1)

    def _before(self, at: int) -> int:
        while at >= 0 and self._content[at] in _SPACE:
            at -= 1
        return at + 1

    def _number(self, path: str) -> int:
        if path == "?":
            return 0
        number = self._index.get(path)
        if number is None:
            number = self._index[path] = len(self._links.refs)
            self._links.refs.append(path)
        return number

    def _text(self, start: int, end: int) -> str:
        return self._content[start:end].decode("utf-8", "replace")
