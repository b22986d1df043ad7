"""What happens to names between their uses: types, values, base classes, each from a place on.

Main call: `collect_events`; what the captures mean stands in `binding`.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import Any

Event = tuple[int, str, int, Any]  # from where on, what, whom it is about, and what it gives


def collect_events(captures: dict[str, list[Any]], bound: list[int]) -> list[Event]:
    """All events of a blob in order of place; `bound` are the places of names that are bound, in order."""
    found: list[Event] = []
    typed = sorted((node.start_byte, node.end_byte) for node in captures.get("typed", ()))
    for node in captures.get("typed.type", ()):
        start = innermost(typed, node.start_byte, node.end_byte)
        if start >= 0:
            names = bound[bisect_right(bound, start - 1) : bisect_right(bound, node.start_byte - 1)]
            found += [(node.end_byte, "typed", name, node.end_byte) for name in names or [start]]
    values = {node.end_byte: ("", node.end_byte) for node in captures.get("assign.value", ())}
    types = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.type", ()))
    called = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.fn", ()))
    for node in captures.get("assign", ()):
        value = _first_in(types, node, "^") or values.get(node.end_byte) or _first_in(called, node, "(")
        if value is not None:
            found.append((node.end_byte, "assigned", node.start_byte, value))
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


def _first_in(spans: list[tuple[int, int]], node: Any, step: str) -> tuple[str, int] | None:
    """The first span that starts within a node, as what is done with it and where it ends."""
    at = bisect_right(spans, (node.start_byte, sys.maxsize))
    return (step, spans[at][1]) if at < len(spans) and spans[at][1] <= node.end_byte else None
