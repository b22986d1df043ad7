"""What each use of a name says within its file: the local meaning of its first part, and the steps from there.

`self.session.get(url)` inside class 5 is the reference `S5.session.get`; with `s = Session()` before it, where
`Session` is import 3, `s.get` is `I3(.get`. What an import or a base class leads to is the graph's business:
here are only scopes, and nothing outside the blob. What the captures of the queries mean is said in `parse/events.py`.
Main call: `collect_links`.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from operator import itemgetter

from clew.parse.bound import NO_FREE_METHODS, TYPES_BEFORE_NAMES, Read
from clew.parse.dialects import NAMES
from clew.parse.ecmascript import ECMASCRIPT, is_pure_type, read_export, read_parts
from clew.parse.events import Event, collect_events, collect_free_events, collect_rebound, innermost
from clew.parse.links import ABOVE, AWAITED, CALLED, MACRO, NOWHERE, Links
from clew.parse.names import MARKS_CALLS, Names
from clew.parse.packaged import PACKAGED
from clew.parse.promises import promise_all, promise_of
from clew.parse.receivers import ENDS_OF_SIGNS, read_calls, receiver_end, skip_space, word_end
from clew.parse.referring import MAX_STEPS, Rules, Tables, refer
from clew.parse.scopes import FREE_FORM, Scope, read_outside
from clew.parse.uses import ROLES, Uses

_SUPER = re.compile(rb"\(\s*([\w.]+)\s*,")
_TYPE, _CALL = ROLES.index("type"), ROLES.index("call")


def collect_links(blob: Read, uses: Uses) -> Links:
    """The references of a blob."""
    return _Binder(blob, uses).run()


class _Binder:
    """One sweep over a blob in order of place, with the scopes that are open."""

    def __init__(self, blob: Read, uses: Uses) -> None:
        self._content, self._language, self._symbols, self._imports, self._captures = blob
        self._uses, language, imports, captures = uses, blob.language, blob.imports, blob.captures
        self._is_ecmascript, self._is_free = language in ECMASCRIPT, language in FREE_FORM
        self._is_rust = language == "rust"
        self._marks_calls = language in MARKS_CALLS
        self._is_marked = self._marks_calls or self._is_rust or language in NO_FREE_METHODS
        self._is_dialect = language in NAMES
        self._names = NAMES.get(language, Names)(blob)
        self._scopes, self._by_name_byte = self._names.scopes, self._names.by_name_byte
        self._paths, self._links = self._names.paths, self._names.links
        self._first_rows = {row.start_byte: number for number, row in reversed([*enumerate(imports)])}  # of statements
        self._given = {node.start_byte for node in captures.get("given", ())}
        self._declared: set[tuple[Scope, str]] = set()
        self._skipped = {node.start_byte for node in captures.get("skip", ())}
        self._given_back: dict[int, str] = {}
        self._awaited = {node.end_byte for node in captures.get("awaited", ())}
        bases = captures.get("base", ()) if language in PACKAGED | NO_FREE_METHODS else ()
        self._bases = {node.start_byte for node in bases}  # looked for around the class
        self._narrowed: dict[tuple[Scope, str], list[tuple[str, str]]] = {}  # what names were, and what they are now
        self._outside = read_outside(captures, uses.starts)
        self._literals = sorted((node.start_byte, node.end_byte) for node in captures.get("literal", ()))
        self._literal_names = {node.start_byte for node in captures.get("literal.name", ())}

    def run(self) -> Links:
        """Bind, then refer."""
        events = self._events()
        self._called = read_calls(self._content, self._language, self._captures)
        links, numbers = self._links, {"": 0}
        is_plain = not (self._is_dialect or self._is_marked or self._language == "cpp")
        rules = Rules(self._happen, self._path, is_plain, self._language == "python")
        tables = Tables(self._known(), self._outside, self._given, self._literal_names, self._paths, numbers)
        referred = refer(self._content, self._uses, events, self._scopes, rules, tables)
        for event in events[referred.happened :]:
            self._happen(event)
        links.refs[:] = numbers
        links.of_use.extend(referred.of_use)
        links.callers.extend(referred.callers)
        links.attributes.extend(self._names.attributes.values())
        for caller, path in self._given_back.items():
            if path:  # all that it gives back is the same
                links.returns.setdefault(caller, path)
        if self._language == "python":
            promise_all(self._content, self._symbols, links)
        return links

    # -- events ------------------------------------------------------------------------------------

    def _events(self) -> list[Event]:
        if not self._is_free:
            events = collect_events(self._captures)
            if self._language == "python":
                events = sorted(events + collect_rebound(self._content, self._captures, *self._told(events)))
            return events
        bound = sorted({*self._names.bound_here, *self._by_name_byte})
        events = collect_free_events(self._captures, bound, types_first=self._language in TYPES_BEFORE_NAMES)
        if self._is_dialect:  # what binds a name again and says nothing of its value
            told = {event[2] for event in events}
            events += [(place, "assigned", place, -1, "") for place in self._names.bound_here - told]
            events.sort(key=itemgetter(0))
        return events

    def _told(self, events: list[Event]) -> tuple[set[int], set[bytes]]:
        """Where names are given something that an event tells of, or are parameters with a meaning; and all names that
        have a value anywhere, by an event or as such a parameter."""
        content, captures = self._content, self._captures
        told = {start for _, kind, start, _, _ in events if kind in ("typed", "assigned")}
        told.update(node.start_byte for node in captures.get("self", ()))
        names = {content[start : word_end(content, start)] for start in {event[2] for event in events}}
        for role in ("self", "class.self", "static"):
            names.update(content[node.start_byte : node.end_byte] for node in captures.get(role, ()))
        return told, names

    def _happen(self, event: Event) -> None:
        _, kind, start, end, step = event
        scope, path = self._scopes.at(start), self._paths.get(end, "")
        if self._is_dialect and kind in ("assigned", "gives"):
            path = self._given_by_call(end) or path
        if kind == "assigned":
            step += AWAITED if end in self._awaited else ""
            self._give(scope, start, path + step if path and path != "?" else "", is_declared=False)
        elif kind == "typed":
            self._give(scope, start, path + step if path and path != "?" else "", is_declared=True)
        elif kind in ("returns", "gives"):
            self._give_back(scope, event, path)
        elif kind == "base":
            owner = scope.symbol if scope.is_class else scope.owner_class()
            path = path or ("?" if self._language == "python" else "")  # one that is not known comes in its place too
            if owner >= 0 and path:
                self._links.bases.setdefault(owner, []).append(path)
                if self._language == "go":  # what a struct embeds is a field, too
                    name = self._text(start, end).rpartition(".")[2]
                    self._names.have(owner, name, end - len(name.encode()), f"{path}^")
        elif kind in ("extended", "prepended"):
            taken = self._links.extended if kind == "extended" else self._links.prepended
            if scope.symbol >= 0 and path:
                taken.setdefault(scope.symbol, []).append(path)
        elif kind == "cast":
            if path and path != "?":
                self._paths[start] = path + step
        elif kind in ("narrowed", "widened"):
            self._narrow(scope, event, path)
        elif kind == "exported":
            self._export(start, end, step)

    def _give_back(self, scope: Scope, event: Event, path: str) -> None:
        """Let the function around a place give back what it says it does, or what its return statements say."""
        _, kind, _, end, step = event
        giver = scope.giver()
        if self._is_late_static(end):
            path, step = f"S{scope.owner_class()}", ""
        if giver == NOWHERE:
            return
        if kind == "returns":
            if path:
                self._links.returns[giver] = path + step if path[0] != "S" else path
        elif not self._links.returns.get(giver, "").endswith("^"):
            promise = promise_of(self._content, self._symbols[giver]) if self._is_ecmascript else ""
            path = path + step + promise if path not in ("", "?") else ""
            before = self._given_back.setdefault(giver, path)
            self._given_back[giver] = path if before == path else ""

    def _give(self, scope: Scope, start: int, path: str, *, is_declared: bool) -> None:
        """Let what stands at a place have a value from here on; what is declared stays."""
        if self._is_dialect and self._names.give(scope, start, path):
            return
        ordinal = self._by_name_byte.get(start)
        if ordinal is not None:
            if path and (is_declared or ordinal not in self._links.types):
                self._links.types[ordinal] = path
            return
        if start in self._skipped:
            return
        content = self._content
        if content.startswith(b"{", start):
            for member, variable in read_parts(self._content, start):
                if scope.names.get(variable) == "" and path:
                    scope.values[variable] = f"{path}.{member}"
            return
        end = word_end(content, start)
        name = content[start:end].decode("utf-8", "replace")
        if content.startswith(b".", end):  # self.x = …
            base = self._paths.get(end, "") if name == "this" else self._names.look_up(scope, name, start)[0]
            last = word_end(self._content, end + 1)
            is_own = base[:1] in ("S", "C") and base[1:].isdigit()
            if is_own and self._content[last : last + 1] not in (b".", b"(", b"["):
                self._names.have(int(base[1:]), self._text(end + 1, last), end + 1, path)
                self._names.compare(int(base[1:]), self._text(end + 1, last), path, is_declared=is_declared)
            return
        while scope.is_block and name not in scope.names and scope.parent is not None:
            scope = scope.parent
        if scope.names.get(name) != "" or path.count(".") + path.count("(") >= MAX_STEPS:
            return
        if is_declared and path and not self._is_free:
            self._declared.add((scope, name))
        elif (scope, name) in self._declared:
            return
        scope.values[name] = path

    def _is_late_static(self, end: int) -> bool:
        """Whether PHP's `static` stands before a place: an object of whatever class the method is asked of."""
        return self._language == "php" and self._content[end - 6 : end].lower() == b"static"

    def _narrow(self, scope: Scope, event: Event, path: str) -> None:
        """Let a variable be of a type, or what it was before if nothing else has been made of it."""
        _, kind, start, _, step = event
        name = self._text(start, word_end(self._content, start))
        if scope.names.get(name) != "" or path in ("", "?"):
            return
        held = self._narrowed.setdefault((scope, name), [])
        if kind == "narrowed":
            held.append((scope.values.get(name, ""), path + step))
            scope.values[name] = path + step
        elif held:
            before, since = held.pop()
            if scope.values[name] == since:
                scope.values[name] = before

    def _export(self, start: int, end: int, step: str) -> None:
        found = read_export(self._content[start:end])
        if found is None:
            return
        name = {"default": "default", "whole": "="}.get(step, found.name)
        ordinal = self._by_name_byte.get(start + found.start)
        path = f"D{ordinal}" if ordinal is not None else self._paths.get(start + found.end, "")
        exports = self._links.exports
        if step == "=":
            exports.setdefault("=", "")  # a module of CommonJS shows what it defines by other ways too
        is_second = ordinal is not None and is_pure_type(self._symbols[ordinal]) and name in exports
        if path and not is_second:
            exports[name] = path

    # -- uses --------------------------------------------------------------------------------------

    def _known(self) -> dict[int, str]:
        """What uses are that need not be looked up: names in imports, and "" for those that refer to nothing."""
        skipped = self._skipped | self._names.bound_here
        for role in ("free", "self", "class.self", "static", *(("package",) if self._is_free else ())):
            skipped |= {node.start_byte for node in self._captures.get(role, ())}
        found = dict.fromkeys(skipped, "")
        starts, ends, _ = self._uses
        spans = sorted((node.start_byte, node.end_byte) for node in self._captures.get("import", ()))
        following = [*(start for start, _ in spans[1:]), sys.maxsize]
        for at, (first, last) in enumerate(spans):
            for use in range(bisect_left(starts, first), bisect_left(starts, min(last, following[at]))):
                path = self._import_of(starts[use], ends[use], spans, at)
                if path and not (self._is_free and starts[use] in skipped):
                    found[starts[use]] = path
        return found

    def _given_by_call(self, end: int) -> str:
        """What the call that ends here gives, where a language's calls are all known by their ends."""
        if end in self._names.stands_for:
            return self._paths.get(self._names.stands_for[end], "")
        function = self._called.get(end)
        path = self._paths.get(function, "") if function is not None else ""
        return f"{path}(" if path and path[0] not in "?P" else ""

    def _import_of(self, start: int, end: int, spans: list[tuple[int, int]], at: int) -> str:
        """The import that a name inside an import statement stands for."""
        while at and spans[at][0] not in self._first_rows and spans[at - 1][1] > start:
            at -= 1  # `local x = require(y)` has one within it
        first = self._first_rows.get(spans[at][0], len(self._imports))
        name = self._text(start, end)
        if self._is_rust and self._content[start - 2 : start] == b"::":
            return ""
        for number in range(first, len(self._imports)):
            row = self._imports[number]
            if row.start_byte != spans[at][0]:
                break
            if name == row.name or (self._is_ecmascript and name == row.alias and row.name not in ("", "*")):
                return f"J{number}"
            if not row.name and name == row.alias:
                return "?"
            if self._is_rust:
                names = row.module.split("::")
                if name in names:
                    is_whole = len(names) == 1 and not row.name
                    before = names[: names.index(name) + 1]
                    return f"J{number}" if is_whole else self._names.follow(before, start, f"I{number}")
            elif not self._is_ecmascript and self._ends_module(row.module, name, end):
                return f"M{number}"
        return "?"

    def _ends_module(self, module: str, name: str, end: int) -> bool:
        """Whether a name is the last part of a module's name where it is written."""
        return module.endswith(name) and self._content[end : end + 1] not in b".:/\\" and name != ""

    def _path(self, scope: Scope, start: int, end: int, role: int) -> tuple[str, bool]:
        content = self._content
        name, is_type = content[start:end].decode("utf-8", "replace"), role == _TYPE
        if self._is_dialect:
            name = self._names.name_at(start, end)
            own = self._names.own_path(scope, start, end, ROLES[role])
            if own is not None:
                return own
        if self._is_marked:
            name, is_type = self._mark(name, start, end, role)
        if start in self._literal_names:
            at = innermost(self._literals, start, start + 1) - 1  # its type ends before it
            path = self._paths.get(skip_space(content, at), "")
            return (f"{path}^.{name}" if path and path[0] != "?" else "?"), False
        before = receiver_end(content, start, self._language) if content[start - 1] in ENDS_OF_SIGNS else -1
        if before >= 0:
            return self._member(name, start, end, before), False
        if start in self._bases and scope.is_class and scope.parent is not None:
            scope = scope.parent  # what a class inherits is not known before its bases are
        path, is_variable = self._names.look_up(scope, name, start, is_type=is_type)
        if self._is_rust:
            path = self._rust_name(scope, path, name, end, role)
        elif self._language == "csharp":
            is_variable = is_variable or self._is_both(path, name, end)
        return path or "?", is_variable

    def _mark(self, name: str, start: int, end: int, role: int) -> tuple[str, bool]:
        """A name with what tells it from others that are written alike, and whether it can only be a type."""
        is_type = role == _TYPE or (role == _CALL and self._is_made(start))
        is_named = self._language == "java" and self._content[start - 2 : start] == b"::"  # a method that is not called
        if (is_named or (role == _CALL and self._marks_calls)) and start not in self._bases and not is_type:
            name += CALLED
        if self._is_rust and self._content[end : end + 1] == b"!" and self._content[end + 1 : end + 2] != b"=":
            name += MACRO
        return name, is_type

    def _member(self, name: str, start: int, end: int, before: int) -> str:
        """What the member at a place is, of what ends before it."""
        path, is_python = self._paths.get(before, ""), self._language == "python"
        if path[:1] == "P" and is_python and path[1:].isdigit():
            path = "Gsuper"  # that is not called
        if not path:
            function = self._called.get(before)
            path = self._paths.get(function, "") if function is not None else ""
            if path[:1] == "P" and is_python:
                path = self._above(path, function or 0, before)
            elif path and path[0] != "P":
                path += f"({AWAITED}" if function in self._awaited else "("
        if not path or path[0] == "?" or path.count(".") + path.count("(") >= MAX_STEPS:
            return f"?.{name}"
        if start in self._given and path[0] in "SC" and path[1:].isdigit():
            self._names.have(int(path[1:]), name, start, "")
        if self._is_rust:
            if path[0] == "C" and path[1:].isdigit():  # `Self::x`: what the block around has comes first
                return self._names.held_by(int(path[1:]), name) or f"{path}.{name}"
            if self._content[start - 1] == 46 and self._content[end : end + 1] in b"(:":
                name += CALLED
        return f"{path}.{name}"

    def _is_made(self, start: int) -> bool:
        """Whether an object is made of what stands here, where that can only be a type."""
        return self._language in NO_FREE_METHODS and self._content[max(0, start - 40) : start].rstrip().endswith(b"new")

    def _is_both(self, path: str, name: str, end: int) -> bool:
        """Whether `Color.x` may be of the property `Color Color` or of its type."""
        if path[:1] != "D" or not path[1:].isdigit() or self._content[end : end + 1] != b".":
            return False
        symbol = self._symbols[int(path[1:])]
        return name.encode() in self._content[symbol.start_byte : symbol.name_byte].split()

    def _above(self, path: str, start: int, end: int) -> str:
        """What `super` is by its arguments: of the class around, or what is above the class that it names."""
        named = _SUPER.match(self._content, start, end)
        kind = self._paths.get(named.end(1), "") if named is not None else ""
        return f"{kind}{ABOVE}" if kind not in ("", "?", f"D{path[1:]}") else path

    def _rust_name(self, scope: Scope, path: str, name: str, end: int, role: int) -> str:
        """A bare name by what follows it: a path begins with a crate, for all that the file says; `x: 1` is a field."""
        after = self._content[end : end + 2]
        if after == b"::":
            return f"N{name}" if path[:1] == "G" else path
        if path == f"G{name}" and name[-1] != MACRO and role != _CALL:  # given to a macro it may be another
            path = self._names.look_up(scope, name + MACRO)[0].replace(MACRO, "")
        return "" if after[:1] == b":" else path

    def _text(self, start: int, end: int) -> str:
        return self._content[start:end].decode("utf-8", "replace")
