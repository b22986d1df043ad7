"""What happens between the uses of names: a name gets a type or a value, a function gives something back.

Main call: `collect_events`; `parse/binding.py` says what the captures mean.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import Any, NamedTuple


class Event(NamedTuple):
    """From `at` on, what stands at `start` is what ends at `end`, after one more step."""

    at: int
    kind: str  # typed, assigned, returns, gives, base, exported
    start: int
    end: int
    step: str = ""


def collect_events(captures: dict[str, list[Any]]) -> list[Event]:
    """All events of a blob, in order of the place from which they count."""
    found = _typed(captures) + _assigned(captures) + _cast(captures)
    for capture, kind, step in (
        ("returns", "returns", "^"),
        ("return.fn", "gives", "("),
        ("return.value", "gives", ""),
        ("base", "base", ""),
        ("export", "exported", ""),
        ("export.default", "exported", "default"),
        ("export.common", "exported", "="),
        ("export.whole", "exported", "whole"),
    ):
        for node in captures.get(capture, ()):
            start, end = node.start_byte, node.end_byte
            found.append(Event(end, kind, start, end, step))
    return sorted(found)


def _typed(captures: dict[str, list[Any]]) -> list[Event]:
    """A type belongs to what starts last before it; a name that follows its type, to the type that ends last."""
    found = []
    starts = sorted(node.start_byte for node in captures.get("typed", ()))
    types = captures.get("typed.type", ())
    for node in types:
        at = bisect_right(starts, node.start_byte) - 1
        if at >= 0:
            found.append(Event(node.end_byte, "typed", starts[at], node.end_byte, "^"))
    bounds = sorted(node.start_byte for node in captures.get("bound", ()))
    for node in captures.get("bound.type", ()):
        at = bisect_right(bounds, node.start_byte) - 1
        if at >= 0:
            found.append(Event(node.end_byte, "typed", bounds[at], node.end_byte))
    ends = sorted(node.end_byte for node in types) if "typed.name" in captures else []
    for node in captures.get("typed.name", ()):
        at = bisect_right(ends, node.start_byte) - 1
        if at >= 0:
            found.append(Event(node.end_byte, "typed", node.start_byte, ends[at], "^"))
    return found


def _assigned(captures: dict[str, list[Any]]) -> list[Event]:
    found = []
    values = {node.end_byte for node in captures.get("assign.value", ())}
    called = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.fn", ()))
    spans = [(node.start_byte, node.end_byte) for node in captures.get("assign", ())]
    names = sorted(node.start_byte for node in captures.get("assign.name", ()))
    for node in captures.get("assign.field", ()):
        at = bisect_right(names, node.start_byte - 1)
        if at < len(names):
            spans.append((names[at], node.end_byte))
    entered = sorted(node.end_byte for node in captures.get("entered.fn", ()))
    for node in captures.get("entered.name", ()):
        at = bisect_right(entered, node.start_byte) - 1
        if at >= 0:
            found.append(Event(node.end_byte, "assigned", node.start_byte, entered[at], "("))
    for start, end in spans:
        at = bisect_right(called, (start, sys.maxsize))
        if end in values:
            found.append(Event(end, "assigned", start, end))
        elif at < len(called) and called[at][1] <= end:
            found.append(Event(end, "assigned", start, called[at][1], "("))
    return found


def _cast(captures: dict[str, list[Any]]) -> list[Event]:
    """`start` is where the expression in parentheses ends."""
    found = []
    whole = sorted((node.start_byte, node.end_byte) for node in captures.get("cast.of", ()))
    for node in captures.get("cast", ()):
        at = bisect_right(whole, (node.start_byte, 0)) - 1
        if at >= 0:
            found.append(Event(node.end_byte, "cast", whole[at][1], node.end_byte, "^"))
    return found
