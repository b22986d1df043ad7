"""The scopes of a blob: which one a place is in, what is bound in each. Main call: `Scopes`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from clew.parse.links import NOWHERE
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, SPACE_KINDS
from clew.types import Symbol


class Scope:
    """A function, a class, what else binds names of its own, or the file."""

    __slots__ = ("end", "is_class", "is_closed", "names", "parent", "since", "start", "symbol", "values")

    def __init__(self, start: int, end: int, symbol: int, parent: Scope | None, *, is_class: bool) -> None:
        self.start, self.end, self.symbol, self.parent, self.is_class = start, end, symbol, parent, is_class
        self.is_closed = False  # names from further out mean nothing in it
        self.names: dict[str, str] = {}  # what each is; "" for a variable
        self.values: dict[str, str] = {}  # of variables, what is known of them so far
        self.since: dict[str, int] = {}  # of variables, from where on they are bound, if that matters

    def owner(self) -> int:
        """The definition that this is part of."""
        scope: Scope | None = self
        while scope is not None and scope.symbol < 0:
            scope = scope.parent
        return scope.symbol if scope is not None else NOWHERE

    def holder(self, name: str) -> Scope:
        """The scope of a variable, this one or another of the same function."""
        scope = self
        while scope.symbol < 0 and scope.parent is not None and scope.names.get(name) != "":
            scope = scope.parent
        return scope

    def owner_class(self) -> int:
        """The class that this is part of; -1 for none."""
        scope: Scope | None = self
        while scope is not None and not scope.is_class:
            scope = scope.parent
        return scope.symbol if scope is not None else -1


class Scopes:
    """All scopes of a blob, outer before inner."""

    def __init__(self, size: int, symbols: list[Symbol], local: Iterable[Any]) -> None:
        spans = [
            (symbol.start_byte, symbol.end_byte, ordinal, symbol.kind in CLASS_KINDS)
            for ordinal, symbol in enumerate(symbols)
            if symbol.kind in CLASS_KINDS or symbol.kind in FUNCTION_KINDS or symbol.kind in SPACE_KINDS
        ]
        spans += [(node.start_byte, node.end_byte, -1, False) for node in local]
        spans.sort(key=lambda span: (span[0], -span[1], span[2]))
        self.all = [Scope(0, size + 1, -1, None, is_class=False)]
        stack = [self.all[0]]
        for start, end, symbol, is_class in spans:
            while stack[-1].end < end:
                stack.pop()
            scope = Scope(start, end, symbol, stack[-1], is_class=is_class)
            stack.append(scope)
            self.all.append(scope)
        self._starts = [scope.start for scope in self.all]

    def at(self, place: int) -> Scope:
        """The innermost scope around a place."""
        scope: Scope | None = self.all[bisect_right(self._starts, place) - 1]
        while scope is not None and not scope.start <= place < scope.end:
            scope = scope.parent
        return scope or self.all[0]

    def around(self, place: int, kinds: frozenset[str], symbols: list[Symbol]) -> list[Scope]:
        """The scopes around a place that are definitions of some kinds, outer before inner."""
        found: list[Scope] = []
        scope: Scope | None = self.at(place)
        while scope is not None:
            if scope.symbol >= 0 and symbols[scope.symbol].kind in kinds:
                found.insert(0, scope)
            scope = scope.parent
        return found

    def walk(self) -> Walk:
        """The same for places that are asked for in order."""
        return Walk(self.all)


class Walk:
    """A place that moves forward, and the scopes around it."""

    def __init__(self, scopes: list[Scope]) -> None:
        self._scopes, self._stack, self._next = scopes, [scopes[0]], 1

    def to(self, place: int) -> Scope:
        """The innermost scope around a place that is not before the last."""
        stack = self._stack
        while self._next < len(self._scopes) and self._scopes[self._next].start <= place:
            stack.append(self._scopes[self._next])
            self._next += 1
        while stack[-1].end <= place and len(stack) > 1:
            stack.pop()
        for scope in reversed(stack):  # one that has ended may be below one that was just opened
            if scope.start <= place < scope.end:
                return scope
        return stack[0]
