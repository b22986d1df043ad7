"""What every match of a regular expression must contain: runs of bytes that an index can be asked for.

Sound, not complete: where it cannot tell, it asks for nothing. Main call: `analyse`, on the standard library's
parsed expression.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clew.store.grams import OVERLAP_BYTES, SAME_AS_ASCII, Either, Every, Needs, Run

MAX_NEEDLES = 12  # texts that are looked for side by side in one content
MAX_GROUPS = 4  # of them that must all be there
MAX_BRANCHES = 200  # more alternatives than these are not worth asking for
MAX_CLASS = 64  # characters of one class

_op: Any = importlib.import_module("re._constants")
REPEATS = (_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT)
_PLAIN = {letter.decode(): plain for letter, plain in SAME_AS_ASCII}


class Required(NamedTuple):
    needs: Needs | None
    needles: tuple[tuple[bytes, ...], ...]
    lowered: bool  # needles are lower case, and so must be what they are looked for in


@dataclass(slots=True)
class _Parts:
    """What was met so far: finished parts, and the run that the next byte would lengthen."""

    done: list[Needs] = field(default_factory=list)
    run: list[bytes] = field(default_factory=list)
    was_cut: bool = False

    def cut(self) -> None:
        """End the run: what comes next need not stand beside it."""
        self.was_cut = True
        if self.run:
            self.done.append(Run(tuple(self.run)))
            self.run = []


def analyse(tree: Any) -> Required:
    """What every match of a parsed expression has."""
    lowered = _ignores_case(tree, tree.state.flags)
    parts = _Parts()
    _walk(tree.data, tree.state.flags, parts)
    parts.cut()
    if not parts.done:
        return Required(None, (), lowered)
    needs = parts.done[0] if len(parts.done) == 1 else Every(tuple(parts.done))
    return Required(needs, _needles(needs, lowered), lowered)


def _walk(items: Iterable[tuple[Any, Any]], flags: int, parts: _Parts) -> None:
    for op, value in items:
        if op is _op.LITERAL:
            _add(parts, _spelled(value, flags))
        elif op is _op.IN:
            choice = _class(value, flags)
            _add(parts, [choice] if choice else None)
        elif op is _op.SUBPATTERN:
            _, added, removed, inner = value
            _walk(inner.data, (flags | added) & ~removed, parts)
        elif op is _op.ATOMIC_GROUP:
            _walk(value.data, flags, parts)
        elif op is _op.BRANCH:
            _branch(value[1], flags, parts)
        elif op in REPEATS:
            least, most, inner = value
            _repeat(least, most, inner, flags, parts)
        elif op not in (_op.AT, _op.ASSERT, _op.ASSERT_NOT):  # those have no width: neighbours stay neighbours
            parts.cut()


def _add(parts: _Parts, places: list[bytes] | None) -> None:
    if places is None:
        parts.cut()
        return
    parts.run += places
    if len(parts.run) >= OVERLAP_BYTES:
        parts.cut()


def _repeat(least: int, most: Any, inner: Any, flags: int, parts: _Parts) -> None:
    if least == 0:
        parts.cut()
        return
    alone = _Parts()
    _walk(inner.data, flags, alone)
    if alone.was_cut or not alone.run:  # what it has is there once at least, but need not have neighbours
        parts.cut()
        alone.cut()
        parts.done += alone.done
        return
    times = min(least, max(OVERLAP_BYTES // len(alone.run), 1))
    run = alone.run * times
    _add(parts, run)
    if not least == most == times:
        parts.cut()
        parts.run += run  # the last ones stand beside what follows


def _branch(alternatives: list[Any], flags: int, parts: _Parts) -> None:
    parts.cut()
    if len(alternatives) > MAX_BRANCHES:
        return
    found: list[Needs] = []
    for alternative in alternatives:
        alone = _Parts()
        _walk(alternative.data, flags, alone)
        alone.cut()
        if not alone.done:
            return
        found.append(alone.done[0] if len(alone.done) == 1 else Every(tuple(alone.done)))
    parts.done.append(Either(tuple(found)))


def _spelled(char: int, flags: int) -> list[bytes] | None:
    """The bytes of a character, or None where several spellings match it."""
    text = chr(char)
    if flags & re.IGNORECASE:
        plain = _PLAIN.get(text, text.encode("utf-8", "surrogatepass"))
        return [plain.lower()] if plain.isascii() else None
    return [bytes([byte]) for byte in text.encode("utf-8", "surrogatepass")]


def _class(members: list[tuple[Any, Any]], flags: int) -> bytes | None:
    """The bytes of a small ASCII class, or None."""
    found = bytearray()
    for kind, value in members:
        if kind is _op.LITERAL:
            first = last = value
        elif kind is _op.RANGE:
            first, last = value
        else:
            return None
        if last > 127 or len(found) + last - first >= MAX_CLASS:
            return None
        found += bytes(range(first, last + 1))
    return bytes(sorted({*(bytes(found).lower() if flags & re.IGNORECASE else found)}))


def _ignores_case(tree: Any, flags: int) -> bool:
    """Whether any part of an expression is looked for in any case."""
    if flags & re.IGNORECASE:
        return True
    for op, value in tree.data:
        if op is _op.SUBPATTERN and value[1] & re.IGNORECASE:
            return True
        inner = value[1] if op is _op.BRANCH else value if isinstance(value, tuple) else [value]
        if any(_ignores_case(item, 0) for item in inner if hasattr(item, "data")):
            return True
    return False


# -- needles ---------------------------------------------------------------------------------------


def _needles(needs: Needs, lowered: bool) -> tuple[tuple[bytes, ...], ...]:
    """Texts to look for: every match has one of each of these groups; the most telling first."""
    if isinstance(needs, Run):
        best = max(_stretches(needs), key=len)
        return ((best.lower() if lowered else best,),) if best else ()
    found = [_needles(part, lowered) for part in needs.parts]
    if isinstance(needs, Every):
        groups = dict.fromkeys(group for part in found for group in part)
        return tuple(sorted(groups, key=lambda group: (-min(map(len, group)), len(group))))[:MAX_GROUPS]
    together = tuple(dict.fromkeys(needle for part in found for needle in (part[0] if part else ())))
    return (together,) if all(found) and len(together) <= MAX_NEEDLES else ()


def _stretches(run: Run) -> Iterable[bytes]:
    """The parts of a run whose bytes are all known."""
    known = b""
    for place in run.places:
        if len(place) == 1:
            known += place
        else:
            yield known
            known = b""
    yield known
