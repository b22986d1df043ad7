"""In which order Python looks through the classes above a class. Main calls: `merge`, `may_own`."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Hashable
from typing import TypeVar

_T = TypeVar("_T", bound=Hashable)
_BARE = frozenset(
    {"object", "abc.ABC", *(f"{m}.{n}" for m in ("typing", "typing_extensions") for n in ("Generic", "Protocol"))}
)


def merge(orders: list[list[_T]]) -> list[_T] | None:
    """One order that keeps each of several (C3); None if there is none."""
    found: list[_T] = []
    waiting = [order[::-1] for order in orders if order]  # what comes next stands last
    later = Counter(each for order in waiting for each in order[:-1])  # how many have it behind what comes next
    while waiting:
        first = next((order[-1] for order in waiting if not later[order[-1]]), None)
        if first is None:
            return None
        found.append(first)
        for order in waiting:
            if order[-1] == first:
                order.pop()
                if order:
                    later[order[-1]] -= 1
        waiting = [order for order in waiting if order]
    return found


def is_bare(name: str) -> bool:
    """Whether a library's class has no members of its own that code would name."""
    return name in _BARE


def may_own(base: str, name: str) -> bool:
    """Whether a class outside the project may have a member, for all that is known; of built-in ones that is known."""
    known = getattr(builtins, base, None)
    return not isinstance(known, type) or hasattr(known, name)
