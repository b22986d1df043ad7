"""What happens between the uses of names: a name gets a type or a value, a function gives something back.

Main call: `collect_events`.

Beside those of `extract`, queries have for the binder:
  @bind @free        a name that is bound here; one that is bound further out (`global`)
  @bind.var @bind.type   one that is bound in the function around it, not in the block; a type parameter: of a class too
  @local @block      opens a scope, as a lambda does; as a block does
  @this @super @root the object itself, and as its base class sees it; Rust's `crate` and `super` in a path
  @self @static @class.self   the first parameter of a method (in Python of any function: its place tells which is one);
                     of one that has no object; of one that has its class
  @base @part        a base class; what holds members of a type and may have no name. @extended and @prepended as
                     `Links` has them; @inner.shell: what is defined in it ends with it
  @recv @recv.fn     a call that a member is taken of, and the function in it
  @recv.args         the arguments of such a call, which has its function right before them; in `dialects` all calls
  @typed @typed.type a name that starts here, or in `FREE_FORM` names that are bound here, and their type
  @typed.several @typed.class   what it is several of; the class that it is itself; so for @returns; @returns.promise
  @typed.name        a name that follows its type
  @bound @bound.type, @where.name @where.type   a type parameter and what bounds it, there or further down
  @assign @assign.fn @assign.type @assign.value   starts with a name, ends with what it is given: a call of this, an
                     object of this type, or this; @assign.await: a call of this, awaited
  @held @held.fn @held.type @held.value   a name, and after it the same
  @anonymous         an object of a class without a name
  @with @plain       a function that may have an object of its own as `this`; one of them that has none
  @implicit          what binds names that are not written: `it`, `error`
  @literal @literal.name   the body of a literal, after its type; a field that it names
  @assign.field @assign.name   the same for what does not start with its name
  @entered.fn @entered.value @entered.name @caught @caught.name   what is entered, a call of this or this, and its name:
                     `with open(x) as f`; the type of what is caught, and its name
  @each @each.of @each.fn   a name that is one after the other of what this has, or a call of this gives
  @narrow @narrow.name @narrow.type   a question whether a name is of a type
  @outside           what stands in a definition and is read outside of it: base classes, values of parameters
  @given             a member that is assigned to: `x` in `self.x = 1`
  @cast @cast.of     the type that an expression in parentheses is taken for
  @returns           the type of what the function around it gives back
  @return.fn @return.value   what a function that does not say so gives back: what a call of this gives, or this
  @export @export.default @export.common @export.whole   what a file exports: `a`, `a as b`; by default;
                     `exports.b = a`; a variable that is all that it exports
  @package           the name of the package that the file is part of
  @awaited           what is awaited, or the function that is called for it
  @property @never   the name of a function that is read like a field; of a field that cannot be there
  @conditional       what C has under a condition only
  @skip              a name that refers to nothing here: the `x` of `f(x=1)`
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from operator import itemgetter
from typing import Any

from clew.parse.links import AWAITED, ONE_OF, PROMISED, SEVERAL

_SEVERAL = frozenset({"declaration", "field_declaration"})  # `T a, b;`
# Python's targets, what is around them, and where the value stands; "" before the target or within it.
_IN_TARGETS = frozenset(
    "attribute pattern_list tuple_pattern list_pattern list_splat_pattern tuple list as_pattern_target dotted_name "
    "case_pattern union_pattern keyword_pattern dict_pattern class_pattern splat_pattern".split()
)
_GIVERS = {
    "assignment": "right", "augmented_assignment": "right", "for_statement": "right", "named_expression": "value",
    "as_pattern": "", "case_clause": "",
}  # fmt: skip


# From the first place on, what stands at the second is what ends at the third, after one more step: (at, kind, start,
# end, step). Kinds: typed, assigned, narrowed, widened, returns, gives, cast, base, exported. There are very many.
Event = tuple[int, str, int, int, str]


def collect_events(captures: dict[str, list[Any]]) -> list[Event]:
    """All events of a blob, in order of the place from which they count."""
    found = _typed(captures) + _assigned(captures) + _held(captures) + _cast(captures) + _simple(captures)
    return sorted(found + _named_late(captures) + _narrowed(captures))


def collect_rebound(content: bytes, captures: dict[str, list[Any]], told: set[int], names: set[bytes]) -> list[Event]:
    """What gives Python's names and members a value of which nothing is known; None is not one.

    `told` are the places of those that are given one of which something is; `names` are those of which anything is
    known anywhere: others have nothing to forget."""
    found: list[Event] = []
    bound = (node for node in captures.get("bind", ()) if content[node.start_byte : node.end_byte] in names)
    for target in (*bound, *(node.parent for node in captures.get("given", ()))):
        if target.start_byte in told:
            continue
        holder = target.parent
        while holder is not None and holder.type in _IN_TARGETS:
            holder = holder.parent
        if holder is None or holder.type not in _GIVERS:
            continue
        value = holder.child_by_field_name(_GIVERS[holder.type]) if _GIVERS[holder.type] else target
        if value is not None and value.type != "none":
            found.append((max(value.end_byte, target.end_byte), "assigned", target.start_byte, -1, ""))
    return found


def collect_free_events(captures: dict[str, list[Any]], bound: list[int], *, types_first: bool) -> list[Event]:
    """The same where a declaration need not begin with its name: `bound` are the places of names, in order."""
    typed = _declared(captures, bound, types_first=types_first)
    # A type counts before a value of the same place.
    return sorted(sorted(typed) + sorted(_given(captures, bound)) + sorted(_simple(captures)), key=itemgetter(0))


def _simple(captures: dict[str, list[Any]]) -> list[Event]:
    found: list[Event] = []
    defaults = {node.start_byte for node in captures.get("export.default", ())}  # not exported by their own name
    for capture, kind, step in (
        ("returns", "returns", "^"),
        ("returns.several", "returns", SEVERAL),
        ("returns.class", "returns", ""),
        ("returns.promise", "returns", f"^{PROMISED}"),
        ("returns.promised", "returns", f"^{PROMISED}"),
        ("return.fn", "gives", "("),
        ("return.value", "gives", ""),
        ("base", "base", ""),
        ("extended", "extended", ""),
        ("prepended", "prepended", ""),
        ("export", "exported", ""),
        ("export.default", "exported", "default"),
        ("export.common", "exported", "="),
        ("export.whole", "exported", "whole"),
    ):
        for node in captures.get(capture, ()):
            start, end = node.start_byte, node.end_byte
            if capture != "export" or start not in defaults:
                found.append((end, kind, start, end, step))
    return found


def _typed(captures: dict[str, list[Any]]) -> list[Event]:
    """A type belongs to what starts last before it; a name that follows its type, to the type that ends last."""
    found: list[Event] = []
    starts = sorted(node.start_byte for node in captures.get("typed", ()))
    types = captures.get("typed.type", ())
    steps = {"typed.type": "^", "typed.several": SEVERAL, "typed.class": "", "typed.promised": f"^{PROMISED}"}
    for capture, step in steps.items():
        for node in captures.get(capture, ()):
            at = bisect_right(starts, node.start_byte) - 1
            if at >= 0:
                found.append((node.end_byte, "typed", starts[at], node.end_byte, step))
    bounds = sorted(node.start_byte for node in captures.get("bound", ()))
    for node in captures.get("bound.type", ()):
        at = bisect_right(bounds, node.start_byte) - 1
        if at >= 0:
            found.append((node.end_byte, "typed", bounds[at], node.end_byte, ""))
    ends = sorted(node.end_byte for node in types) if "typed.name" in captures else []
    for node in captures.get("typed.name", ()):
        at = bisect_right(ends, node.start_byte) - 1
        if at >= 0:
            found.append((node.end_byte, "typed", node.start_byte, ends[at], "^"))
    return found


def _assigned(captures: dict[str, list[Any]]) -> list[Event]:
    found: list[Event] = []
    values = {node.end_byte for node in captures.get("assign.value", ())}
    called = [(node.start_byte, node.end_byte, "(") for node in captures.get("assign.fn", ())]
    called += [(node.start_byte, node.end_byte, f"({AWAITED}") for node in captures.get("assign.await", ())]
    called.sort()
    spans = [(node.start_byte, node.end_byte) for node in captures.get("assign", ())]
    names = sorted(node.start_byte for node in captures.get("assign.name", ()))
    for node in captures.get("assign.field", ()):
        at = bisect_right(names, node.start_byte - 1)
        if at < len(names):
            spans.append((names[at], node.end_byte))
    for start, end in spans:
        at = bisect_right(called, (start, sys.maxsize, ""))
        if end in values:
            found.append((end, "assigned", start, end, ""))
        elif at < len(called) and called[at][1] <= end:
            found.append((end, "assigned", start, called[at][1], called[at][2]))
    return found


def _held(captures: dict[str, list[Any]]) -> list[Event]:
    """What a name is given belongs to the last that starts before it."""
    found: list[Event] = []
    names = sorted(node.start_byte for node in captures.get("held", ()))
    for capture, step in (("held.fn", "("), ("held.type", "^"), ("held.value", "")):
        for node in captures.get(capture, ()):
            at = bisect_right(names, node.start_byte) - 1
            if at >= 0:
                found.append((node.end_byte, "assigned", names[at], node.end_byte, step))
    return found


def _named_late(captures: dict[str, list[Any]]) -> list[Event]:
    """What `with` and `except` give the name that follows, and what a loop gives the name before."""
    found: list[Event] = []
    entered = [(node.end_byte, "(.__enter__(") for node in captures.get("entered.fn", ())]
    entered += [(node.end_byte, ".__enter__(") for node in captures.get("entered.value", ())]
    caught = [(node.end_byte, "^") for node in captures.get("caught", ())]
    for capture, values in (("entered.name", sorted(entered)), ("caught.name", sorted(caught))):
        for node in captures.get(capture, ()):
            at = bisect_right(values, (node.start_byte, "")) - 1
            if at >= 0:
                end, step = values[at]
                found.append((node.end_byte, "assigned", node.start_byte, end, step))
    names = sorted(node.start_byte for node in captures.get("each", ()))
    for capture, step in (("each.of", ONE_OF), ("each.fn", f"({ONE_OF}")):
        for node in captures.get(capture, ()):
            start = names[bisect_right(names, node.start_byte) - 1]
            found.append((node.end_byte, "assigned", start, node.end_byte, step))
    return found


def _narrowed(captures: dict[str, list[Any]]) -> list[Event]:
    """Where a name is of the type that `isinstance` asks for: from there to the end of what the condition guards."""
    found: list[Event] = []
    names = sorted(node.start_byte for node in captures.get("narrow.name", ()))
    types = sorted(node.end_byte for node in captures.get("narrow.type", ()))
    for node in captures.get("narrow", ()):
        start, end = node.start_byte, node.end_byte
        name, kind = names[bisect_right(names, start)], types[bisect_right(types, end) - 1]
        last = _guarded(node)
        if last > end:
            found += [(end, "narrowed", name, kind, "^"), (last, "widened", name, kind, "^")]
    return found


def _guarded(node: Any) -> int:
    """Where what a condition guards ends: the rest of an `and`, and what an `if` does then."""
    last = 0
    while node.parent is not None:
        inner, node = node, node.parent
        if node.type == "boolean_operator" and node.child_by_field_name("operator").type == "and":
            last = node.end_byte
        elif node.type in ("if_statement", "elif_clause") and node.child_by_field_name("condition") == inner:
            return int(node.child_by_field_name("consequence").end_byte)
        elif node.type == "while_statement" and node.child_by_field_name("condition") == inner:
            return int(node.child_by_field_name("body").end_byte)
        elif node.type == "assert_statement" and node.named_child(0) == inner:
            return int(node.parent.end_byte) if node.parent is not None else last
        elif node.type != "parenthesized_expression":
            break
    return last


def _cast(captures: dict[str, list[Any]]) -> list[Event]:
    """`start` is where the expression in parentheses ends."""
    found: list[Event] = []
    whole = sorted((node.start_byte, node.end_byte) for node in captures.get("cast.of", ()))
    for node in captures.get("cast", ()):
        at = bisect_right(whole, (node.start_byte, 0)) - 1
        if at >= 0:
            found.append((node.end_byte, "cast", whole[at][1], node.end_byte, "^"))
    return found


def _declared(captures: dict[str, list[Any]], bound: list[int], *, types_first: bool) -> list[Event]:
    """A type belongs to the names that are bound before it in its declaration, or after it."""
    found: list[Event] = []
    typed = sorted((node.start_byte, node.end_byte) for node in captures.get("typed", ()))
    ends = dict(typed) if types_first else {}
    lists = {node.start_byte for node in captures.get("typed", ()) if node.type in _SEVERAL}
    for node in captures.get("typed.type", ()):
        start = innermost(typed, node.start_byte, node.end_byte)
        if start < 0:
            continue
        names = bound[bisect_right(bound, start - 1) : bisect_right(bound, node.start_byte - 1)]
        if types_first:
            last = ends.get(start, 0) if start in lists else sys.maxsize
            names = bound[bisect_right(bound, node.end_byte - 1) : bisect_right(bound, last)]
            names = names if start in lists else names[:1]
        found += [(node.end_byte, "typed", name, node.end_byte, "^") for name in names or [start]]
    return found


def _given(captures: dict[str, list[Any]], bound: list[int]) -> list[Event]:
    """What is assigned belongs to the first name that is bound before it."""
    found: list[Event] = []
    # Of values that end together the outermost counts: `a = b = c`.
    values = {node.end_byte: node.start_byte for node in reversed(captures.get("assign.value", ()))}
    types = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.type", ()))
    called = sorted((node.start_byte, node.end_byte) for node in captures.get("assign.fn", ()))
    for node in captures.get("assign", ()):
        start, end = node.start_byte, node.end_byte
        last = end if end in values else end - 1  # a semicolon may follow
        if last in values:
            found.append((end, "assigned", first_bound(bound, start, values[last]), last, ""))
            continue
        kind, call = _first_in(types, start, end), _first_in(called, start, end)
        if kind is not None and (call is None or kind[0] <= call[1] + 1):  # `new(T)` gives a T
            found.append((end, "assigned", first_bound(bound, start, kind[0]), kind[1], "^"))
        elif call is not None:
            found.append((end, "assigned", first_bound(bound, start, call[0]), call[1], "("))
    return found


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


def _first_in(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int] | None:
    """The first span within another."""
    at = bisect_right(spans, (start, sys.maxsize))
    return spans[at] if at < len(spans) and spans[at][1] <= end else None
