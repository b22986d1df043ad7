"""What each use of a name says within its file: the local meaning of its first part, and the steps from there.

`self.session.get(url)` inside class 5 is the reference `S5.session.get`; with `s = Session()` before it, where
`Session` is import 3, `s.get` is `I3(.get`. What an import or a base class leads to is the graph's business:
here are only scopes, and nothing outside the blob. Main call: `collect_links`.

Beside those of `extract`, queries have for it:
  @bind @free        a name that is bound here; one that is bound further out (`global`)
  @bind.type         a type parameter: of a class too
  @local             opens a scope, as a lambda does
  @this @super       the object itself, and as its base class sees it
  @root              Rust's `crate` and `super` in a path
  @self @static @class.self   the first parameter of a method; of one that has no object; of one that has its class
  @base              a base class
  @block             what holds members of a type and may have no name
  @recv @recv.fn     a call that a member is taken of, and the function in it
  @typed @typed.type names that are bound before this type, or one that starts here, declared to have it
  @assign @assign.fn @assign.type @assign.value   starts with a name, ends with what it is given: a call of this, an
                     object of this type, or this
  @literal @literal.name   the body of a literal, after its type; a field that it names
  @given             a member that is assigned to: `x` in `self.x = 1`
  @returns           the type of what the function around it gives back
  @return.fn @return.value   what a function that does not say so gives back: what a call of this gives, or this
  @property          the name of a function that is read like a field
  @bound @bound.name a type parameter and what it is said to be further down
  @skip              a name that refers to nothing here: the `x` of `f(x=1)`
  @package           the name of the file's package
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import Any

from clew.parse.events import collect_events, innermost
from clew.parse.links import NOWHERE, Attribute, Links
from clew.parse.names import TYPES_BEFORE_NAMES, Names
from clew.parse.owners import opened_space
from clew.parse.scopes import Scope
from clew.parse.uses import Uses
from clew.types import Import, Symbol

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


class _Binder(Names):
    """One sweep over a blob in order of place, with the scopes that are open."""

    def run(self) -> Links:
        """Bind, then refer."""
        self._define()
        links = self._links
        for node in self._captures.get("package", ())[:1]:
            links = self._links = links._replace(package=self._text(node.start_byte, node.end_byte))
        if self._language == "cpp":
            links = self._links = links._replace(package=opened_space(self._content))
        events = collect_events(
            self._captures,
            sorted({*self._bound_here, *self._by_name_byte}),
            types_first=self._language in TYPES_BEFORE_NAMES,
        )
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
            self._give(scope, start, path + step if path and path != "?" else "", kind)

    def _give(self, scope: Scope, start: int, path: str, kind: str) -> None:
        """Let what stands at a place have a value from here on."""
        ordinal = self._by_name_byte.get(start)
        if ordinal is not None:
            if path and (kind == "typed" or ordinal not in self._links.types):
                self._links.types[ordinal] = path
            return
        end = self._word_end(start)
        name = self._text(start, end)
        if self._content[end : end + 1] == b".":  # self.x = …
            base, _ = self._look_up(scope, name, start)
            last = self._word_end(end + 1)
            is_own = base[:1] in ("S", "C") and base[1:].isdigit()
            if is_own and self._content[last : last + 1] not in (b".", b"(", b"["):
                self._have(int(base[1:]), self._text(end + 1, last), end + 1, path)
        elif _steps(path) < MAX_STEPS:
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
        is_path = self._language == "rust"
        if is_path and self._content[start - 2 : start] == b"::":
            return ""
        for number in range(first, len(self._imports)):
            row = self._imports[number]
            if row.start_byte != spans[at][0]:
                break
            if name == row.name:
                return f"I{number}"
            if not row.name and name == row.alias:
                return "?"
            names = row.module.split("::")
            if is_path and name in names:
                is_whole = len(names) == 1 and not row.name
                return f"I{number}" if is_whole else self._follow(names[: names.index(name) + 1], start, f"I{number}")
            if not is_path and self._ends_module(row.module, name, end):
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
            if self._language == "rust":
                path = self._rust_name(path, name, end)
            return path or "?", is_variable
        path = self._paths.get(before, "")
        if not path:
            function = calls.get(before)
            path = self._paths.get(function, "") if function is not None else ""
            if path and path[0] != "P":
                path += "("
        if not path or path[0] == "?" or _steps(path) >= MAX_STEPS:
            return f"?.{name}", False
        owner, is_first = path[1:], "." not in path
        if start in self._given and is_first and path[0] in "SC" and owner.isdigit():
            self._have(int(owner), name, start, "")
        is_method = (
            self._language == "rust" and self._content[start - 1] == 46 and self._content[end : end + 1] in b"(:"
        )
        return f"{path}{'!' if is_method else '.'}{name}", False

    def _rust_name(self, path: str, name: str, end: int) -> str:
        """A bare name by what follows it: a path begins with a crate, for all that the file says; `x: 1` is a field."""
        after = self._content[end : end + 2]
        if after == b"::":
            return f"N{name}" if path[:1] == "G" else path
        return "" if after[:1] == b":" else path

    def _receiver_end(self, start: int) -> int:
        """Where the expression ends that a member is taken of; -1 when the name stands alone."""
        content, at = self._content, start - 1
        if at < 1:
            return -1
        if content[at] == 46 and content[at - 1] != 46:  # a dot, not two
            at -= 2 if content[at - 1] in b"?!" else 1
        elif content[at - 1 : at + 1] in (b"::", b"->"):
            at -= 2
        elif content[at] == 58 and self._language == "lua":
            at -= 1
        else:
            return -1
        at = self._before(at)
        return at - 6 if content[at - 6 : at] == b".await" else at

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


def _steps(path: str) -> int:
    return path.count(".") + path.count("(") + path.count("!")
