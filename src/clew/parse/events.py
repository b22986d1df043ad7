"""What happens to names between their uses: types, values, base classes, each from a place on.

Main call: `collect_events`; what the captures mean stands in `binding`.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import Any

_SEVERAL = frozenset({"declaration", "field_declaration"})  # `T a, b;`
Event = tuple[int, str, int, Any]  # from where on, what, whom it is about, and what it gives


def collect_events(captures: dict[str, list[Any]], bound: list[int], *, types_first: bool) -> list[Event]:
    """All events of a blob in order of place; `bound` are the places of names that are bound, in order."""
    found: list[Event] = []
    typed = sorted((node.start_byte, node.end_byte) for node in captures.get("typed", ()))
    ends = {node.start_byte: node.end_byte for node in captures.get("typed", ())} if types_first else {}
    lists = {node.start_byte for node in captures.get("typed", ()) if node.type in _SEVERAL}
    for node in captures.get("typed.type", ()):
        start = innermost(typed, node.start_byte, node.end_byte)
        if start >= 0:
            names = bound[bisect_right(bound, start - 1) : bisect_right(bound, node.start_byte - 1)]
            if types_first:
                last = ends.get(start, 0) if start in lists else sys.maxsize
                names = bound[bisect_right(bound, node.end_byte - 1) : bisect_right(bound, last)]
                names = names if start in lists else names[:1]
            found += [(node.end_byte, "typed", name, node.end_byte) for name in names or [start]]
    found += _assignments(captures, bound)
    found += [(node.end_byte, "returns", node.start_byte, node.end_byte) for node in captures.get("returns", ())]
    found += [(node.end_byte, "gives", node.start_byte, ("(", node.end_byte)) for node in captures.get("return.fn", ())]
    found += [
        (node.end_byte, "gives", node.start_byte, ("", node.end_byte)) for node in captures.get("return.value", ())
    ]
    found += [(node.end_byte, "base", node.start_byte, node.end_byte) for node in captures.get("base", ())]
    return sorted(found, key=lambda event: event[0])


def innermost(spans: list[tuple[int, int]], start: int, end: int) -> int:
    """Where the innermost of some spans starts that holds this one; -1 for none."""
    at = bisect_right(spans, (start, sys.maxsize)) - 1
    while at >= 0:
        if spans[at][1] >= end:
            return spans[at][0]
        at -= 1
    return -1


def first_bound(bound: list[int], start: int, end: int) -> int:
    """The first name that is bound from a place to another; else what starts at the first."""
    at = bisect_right(bound, start - 1)
    return bound[at] if at < len(bound) and bound[at] < end else start


def _assignments(captures: dict[str, list[Any]], bound: list[int]) -> list[Event]:
    found: list[Event] = []
    values = {node.end_byte: node.start_byte for node in captures.get("assign.value", ())}
    types = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.type", ()))
    called = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.fn", ()))
    for node in captures.get("assign", ()):
        start, end = node.start_byte, node.end_byte
        last = end if end in values else end - 1  # a semicolon may follow
        if last in values:
            found.append((end, "assigned", first_bound(bound, start, values[last]), ("", last)))
            continue
        kind, call = _first_in(types, start, end), _first_in(called, start, end)
        if kind is not None and (call is None or kind[0] <= call[1] + 1):  # `new(T)` gives a T
            found.append((end, "assigned", first_bound(bound, start, kind[0]), ("^", kind[1])))
        elif call is not None:
            found.append((end, "assigned", first_bound(bound, start, call[0]), ("(", call[1])))
    return found


def _first_in(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """The first span within another."""
    at = bisect_right(spans, (start, sys.maxsize))
    return spans[at] if at < len(spans) and spans[at][1] <= end else None
