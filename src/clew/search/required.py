"""What every match of a regular expression must contain: runs of bytes that an index can be asked for.

Sound, not complete: where it cannot tell, it asks for nothing. Main call: `analyse`, on a parsed expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from clew.search import classes
from clew.search.classes import Chars
from clew.search.syntax import Char, Choice, Look, Node, Repeat, Row
from clew.store.grams import OVERLAP_BYTES, SAME_AS_ASCII, Either, Every, Needs, Run

MAX_NEEDLES = 12  # texts that are looked for side by side in one content
MAX_GROUPS = 4  # of them that must all be there
MAX_BRANCHES = 200  # more alternatives than these are not worth asking for
MAX_CLASS = 64  # characters of one class
MAX_BESIDE = 6  # characters before and after alternatives that are looked at together with each

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


def analyse(tree: Node) -> Required:
    """What every match of a parsed expression has."""
    lowered = _ignores_case(tree)
    parts = _Parts()
    _walk(tree, parts)
    parts.cut()
    if not parts.done:
        return Required(None, (), lowered)
    needs = parts.done[0] if len(parts.done) == 1 else Every(tuple(parts.done))
    return Required(needs, _needles(needs, lowered), lowered)


def _walk(node: Node, parts: _Parts) -> None:
    if isinstance(node, Char):
        _add(parts, _spelled(node))
    elif isinstance(node, Chars):
        choice = _class(node)
        _add(parts, [choice] if choice else None)
    elif isinstance(node, Row):
        for place, part in enumerate(node.parts):
            if isinstance(part, Choice):
                following = node.parts[place + 1 : place + 1 + MAX_BESIDE]
                _branch(part.parts, parts, [*takewhile(_is_one, following)])
            else:
                _walk(part, parts)
    elif isinstance(node, Choice):
        _branch(node.parts, parts, [])
    elif isinstance(node, Repeat):
        _repeat(node, parts)
    else:
        assert isinstance(node, Look)  # it has no width: neighbours stay neighbours


def _is_one(node: Node) -> bool:
    """Whether something stands there once, with nothing optional in it."""
    return isinstance(node, Char | Chars | Look)


def _add(parts: _Parts, places: list[bytes] | None) -> None:
    if places is None:
        parts.cut()
        return
    parts.run += places
    if len(parts.run) >= OVERLAP_BYTES:
        parts.cut()


def _repeat(node: Repeat, parts: _Parts) -> None:
    if node.least == 0:
        parts.cut()
        return
    alone = _Parts()
    _walk(node.part, alone)
    if alone.was_cut or not alone.run:  # what it has is there once at least, but need not have neighbours
        parts.cut()
        alone.cut()
        parts.done += alone.done
        return
    times = min(node.least, max(OVERLAP_BYTES // len(alone.run), 1))
    run = alone.run * times
    _add(parts, run)
    if not node.least == node.most == times:
        parts.cut()
        parts.run += run  # the last ones stand beside what follows


def _branch(alternatives: tuple[Node, ...], parts: _Parts, after: list[Node]) -> None:
    """Each alternative stands between what is before it and the characters after it."""
    before = parts.run[-MAX_BESIDE:]
    parts.cut()
    if len(alternatives) > MAX_BRANCHES:
        return
    found: list[Needs] = []
    for alternative in alternatives:
        alone = _Parts(run=[*before])
        for node in (alternative, *after):
            _walk(node, alone)
        alone.cut()
        if not alone.done:
            return
        found.append(alone.done[0] if len(alone.done) == 1 else Every(tuple(alone.done)))
    parts.done.append(Either(tuple(found)))


def _spelled(char: Char) -> list[bytes] | None:
    """The bytes of a character, or None where several spellings match it."""
    text = chr(char.code)
    if char.any_case:
        plain = _PLAIN.get(text, text.encode())
        return [plain.lower()] if plain.isascii() else _side_by_side(classes.cases_of(char.code))
    return [bytes([byte]) for byte in text.encode()]


def _side_by_side(codes: Iterable[int]) -> list[bytes] | None:
    """For each byte of these characters, those that may stand there; None where they are not equally long."""
    spellings = [chr(code).encode() for code in codes]
    if len({*map(len, spellings)}) > 1:
        return None
    return [bytes(sorted({*column})) for column in zip(*spellings, strict=True)]


def _class(chars: Chars) -> bytes | None:
    """The bytes of a small ASCII class, or None."""
    found = bytearray()
    for first, last in chars.ranges or ():
        if last > 127 or len(found) + last - first >= MAX_CLASS:
            return None
        found += bytes(range(first, last + 1))
    return bytes(sorted({*(bytes(found).lower() if chars.any_case else found)}))


def _ignores_case(node: Node) -> bool:
    """Whether any part of an expression is looked for in any case."""
    if isinstance(node, Char | Chars):
        return node.any_case
    if isinstance(node, Row | Choice):
        return any(map(_ignores_case, node.parts))
    return isinstance(node, Repeat) and _ignores_case(node.part)


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
