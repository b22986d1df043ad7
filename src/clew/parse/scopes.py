"""The scopes of a blob: which one a place is in, what is bound in each. Main call: `Scopes`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import NOWHERE
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, SPACE_KINDS
from clew.types import Symbol

# Declarations that need not begin with the name they are about; types whose members may stand elsewhere.
FREE_FORM = frozenset("go rust c cpp ruby php lua elixir zig bash".split())
MODULES_ARE_TYPES = frozenset({"ruby", "elixir"})  # what stands in a module is a member of it
_LONG_BLOCKS = frozenset({"scala", "haskell"})
_BLOCK = -2


class Scope:
    """A function, a class, what else binds names of its own, or the file."""

    __slots__ = (
        "end", "has_receiver", "is_block", "is_class", "is_closed", "names", "parent", "since", "start", "symbol",
        "types", "values",
    )  # fmt: skip

    def __init__(
        self, start: int, end: int, symbol: int, parent: Scope | None, *, is_class: bool, is_block: bool = False
    ) -> None:
        self.start, self.end, self.symbol, self.parent = start, end, symbol, parent
        self.is_class, self.is_block = is_class, is_block
        self.is_closed = False  # names from further out mean nothing in it
        self.has_receiver = False  # names from further out may be members of an object that is not known
        self.names: dict[str, str] = {}  # what each is; "" for a variable
        self.types: dict[str, str] = {}  # of names that are a value and a type, the type
        self.values: dict[str, str] = {}  # of variables, what is known of them so far
        self.since: dict[str, int] = {}  # of variables, from where on they are bound, if that matters

    def owner(self) -> int:
        """The definition that this is part of."""
        scope: Scope | None = self
        while scope is not None and scope.symbol < 0:
            scope = scope.parent
        return scope.symbol if scope is not None else NOWHERE

    def giver(self) -> int:
        """The function that a return statement here is of; none for a function without a name."""
        scope: Scope = self
        while scope.is_block and scope.parent is not None:
            scope = scope.parent
        above = scope.parent
        if scope.symbol < 0 and above is not None and above.end == scope.end:  # const f = () => …
            scope = above
        return scope.symbol if scope.symbol >= 0 and not scope.is_class else NOWHERE

    def owner_class(self) -> int:
        """The class that this is part of; -1 for none."""
        scope: Scope | None = self
        while scope is not None and not scope.is_class:
            scope = scope.parent
        return scope.symbol if scope is not None else -1


class Scopes:
    """All scopes of a blob, outer before inner."""

    def __init__(self, size: int, symbols: list[Symbol], captures: dict[str, list[Any]], language: str) -> None:
        is_free = language in FREE_FORM
        classes = CLASS_KINDS | {"type"} if language in ECMASCRIPT else CLASS_KINDS
        classes = classes | {"module"} if language in MODULES_ARE_TYPES else classes
        kinds = classes | FUNCTION_KINDS | (SPACE_KINDS if is_free or language in ECMASCRIPT else frozenset())
        spans = [
            (symbol.start_byte, symbol.end_byte, ordinal, symbol.kind in classes)
            for ordinal, symbol in enumerate(symbols)
            if symbol.kind in kinds
        ]
        spans += [(node.start_byte, node.end_byte, -1, False) for node in captures.get("local", ())]
        spans += [(node.start_byte, node.end_byte, _BLOCK, False) for node in captures.get("block", ())]
        spans += [(node.start_byte, node.end_byte, -1, True) for node in captures.get("anonymous", ())]
        spans.sort(key=lambda span: (span[0], -span[1], (span[2] < 0) != is_free))  # a template is around its class
        self.all = [Scope(0, size + 1, -1, None, is_class=False)]
        stack = [self.all[0]]
        for start, end, symbol, is_class in spans:
            if symbol < 0 and language in _LONG_BLOCKS:  # an indented block has the blank lines after its function
                while stack[-1].end <= start:
                    stack.pop()
                end = min(end, stack[-1].end)
            while stack[-1].end < end:
                stack.pop()
            scope = Scope(start, end, max(symbol, -1), stack[-1], is_class=is_class, is_block=symbol == _BLOCK)
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

    def to(self, place: int) -> tuple[Scope, int]:
        """The innermost scope around a place that is not before the last, and the place up to which that stays so."""
        stack = self._stack
        while self._next < len(self._scopes) and self._scopes[self._next].start <= place:
            stack.append(self._scopes[self._next])
            self._next += 1
        while stack[-1].end <= place and len(stack) > 1:
            stack.pop()
        scope = next((scope for scope in reversed(stack) if scope.end > place), stack[0])  # some below may have ended
        following = self._scopes[self._next].start if self._next < len(self._scopes) else scope.end
        return scope, min(scope.end, following)


def read_outside(captures: dict[str, list[Any]], starts: Sequence[int]) -> dict[int, int]:
    """Of uses in the head of a definition, where the part starts that is read outside of it."""
    found: dict[int, int] = {}
    for first, last in sorted((node.start_byte, node.end_byte) for node in captures.get("outside", ())):
        for at in range(bisect_left(starts, first), bisect_left(starts, last)):
            found[starts[at]] = first
    return found
