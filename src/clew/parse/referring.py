"""Goes over the uses of a blob in order of place and says what each refers to, and which definition it is part of.

What a use means by the rules of its language, and what happens between uses, is the binder's to say; what bare names
and members are most often is settled in C, where that is built. Main call: `refer`.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from clew import native
from clew.parse.events import Event
from clew.parse.links import NOWHERE
from clew.parse.scopes import Scope, Scopes
from clew.parse.uses import Uses

MAX_STEPS = 12  # a longer chain says nothing that could be followed
_OWN_CLASS = re.compile(r"\AS(\d+)\.__class__\Z")  # `self.__class__`


Meaning = Callable[[Scope, int, int, int], tuple[str, bool]]  # of a scope, where a use starts and ends, and its role


class Rules(NamedTuple):
    """What the binder does for the sweep."""

    happen: Callable[[Event], None]
    meaning: Meaning  # the path of a use, and whether that is a variable of a function
    is_plain: bool  # the language has no rules of its own for all bare names and members
    has_late_names: bool  # a function sees what is bound after it, and what nothing binds is global: Python


class Tables(NamedTuple):
    """What is known of places and names; the last two grow."""

    known: dict[int, str]  # of uses that need not be looked up, what they are; "" for what refers to nothing
    outside: dict[int, int]  # of uses in the head of a definition, where the part starts that is read outside of it
    given: set[int]  # members that are assigned to
    apart: set[int]  # uses whose place says what they are
    paths: dict[int, str]  # what an expression is, by where it ends
    numbers: dict[str, int]  # of references, in the order in which they get them


class Referred(NamedTuple):
    of_use: Sequence[int]  # numbers of references; 0 for what refers to nothing outside its function
    callers: Sequence[int]
    happened: int  # events before the last use


def refer(content: bytes, uses: Uses, events: list[Event], scopes: Scopes, rules: Rules, tables: Tables) -> Referred:
    """What every use refers to; events happen where they stand, in order."""
    if native.kernels is None:
        return _refer(uses, events, scopes, rules, tables)
    every = tuple(scopes.all)
    spans = array("q", [scope.start for scope in every]), array("q", [scope.end for scope in every])
    around = (every, *spans, array("H", [scope.owner() for scope in every]))
    steps = (rules.happen, rules.meaning, _own_class)
    of_use, callers, happened = native.kernels.refer(
        content, uses, tuple(events), around, steps, tables, rules.is_plain, rules.has_late_names, MAX_STEPS
    )
    return Referred(array("I", of_use), array("H", callers), happened)


def _refer(uses: Uses, events: list[Event], scopes: Scopes, rules: Rules, tables: Tables) -> Referred:
    known, outside, _, _, paths, numbers = tables
    of_use: list[int] = []
    callers: list[int] = []
    walk, around, owner, until = scopes.walk(), scopes.all[0], NOWHERE, 0
    happened, places = 0, [*(event[0] for event in events), sys.maxsize]
    for start, end, role in zip(uses.starts, uses.ends, uses.roles, strict=True):
        while places[happened] <= start:
            rules.happen(events[happened])
            happened += 1
        if start >= until:
            around, until = walk.to(start)
            owner = around.owner()
        callers.append(owner)
        path, is_variable = known.get(start), False
        if path == "":
            of_use.append(0)
            continue
        if path is None:
            scope = around
            if start in outside and scope.start < outside[start] and scope.parent is not None:
                scope = scope.parent
            path, is_variable = rules.meaning(scope, start, end, role)
        paths[end] = path if not path.endswith(".__class__") else _own_class(path)
        of_use.append(0 if is_variable or path == "?" else numbers.setdefault(path, len(numbers)))
    return Referred(of_use, callers, happened)


def _own_class(path: str) -> str:
    """What the class of an object of its own is."""
    return _OWN_CLASS.sub(r"C\1", path)
