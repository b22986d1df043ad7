"""Where a pattern matches in one content.

Lines are found natively and by needles where there are any; only lines that may match are looked at one by one. What
RE2 cannot be believed about, words beyond ASCII and bytes that are no UTF-8, is judged line by line in a marked text.
Main call: `find_spots`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.search import spell
from clew.search.pattern import Pattern
from clew.store.grams import SAME_AS_ASCII

Spot = tuple[int, int, int, int]  # line, bytes of its lines (without the last line end), 1-based column in characters
_BYTES_FOR_A_LINE = 4_000  # RE2 goes through so many in the time that one line takes by itself
_WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz") | frozenset(range(128, 256))


def find_spots(pattern: Pattern, content: bytes) -> Iterator[Spot]:
    """The matches in a content, in order; without `multiline`, one for each line that has any."""
    haystack = content
    is_sure = True  # that needles are in every match
    if pattern.lowered:
        haystack = content.lower()
        is_sure = content.isascii() or not any(letter in content for letter, _ in SAME_AS_ASCII)
    if is_sure and pattern.literal is not None:
        return _by_literal(pattern, pattern.literal, content, haystack)
    if is_sure and pattern.needles:
        few = len(content) // _BYTES_FOR_A_LINE
        counts = [_places(haystack, group, few) for group in pattern.needles]
        if not all(counts):
            return iter(())
        if min(counts) <= few and not pattern.is_multiline:
            return _by_needles(pattern, content, haystack, pattern.needles[counts.index(min(counts))])
    return _across_lines(pattern, content) if pattern.is_multiline else _by_scan(pattern, content)


def count_lines(pattern: Pattern, content: bytes) -> int | None:
    """How many lines have a literal, in one pass; None where each must be judged."""
    if pattern.literal is None or pattern.lowered or pattern.whole_word:
        return None
    return len(pattern.literal.findall(content))


def parts_of(pattern: Pattern, line: str) -> Iterator[tuple[int, int]]:
    """What matches in a line that is shown, in characters; nothing where that takes more than RE2."""
    content = line.encode("utf-8", "replace")
    if pattern.has_words and not content.isascii():
        return
    at = 0
    while at < len(content):
        found = pattern.alone.search(content, at)
        if found is None:
            return
        start, stop = found.span(pattern.group)
        if stop > start:
            yield _characters(content[:start]), _characters(content[:stop])
        at = max(stop, start + 1)


def _places(haystack: bytes, needles: tuple[bytes, ...], few: int) -> int:
    """How often one of these occurs, not counted beyond a few."""
    count = 0
    for needle in needles:
        at = haystack.find(needle)
        while at >= 0:
            count += 1
            if count > few:
                return count
            at = haystack.find(needle, at + 1)
    return count


def _by_literal(pattern: Pattern, literal: re.Pattern[bytes], content: bytes, haystack: bytes) -> Iterator[Spot]:
    """A line with the needle matches; only words have to be looked at."""
    needle = pattern.needles[0][0]
    at = haystack.find(needle)
    if at < 0:
        return
    is_plain, size = content.isascii(), len(needle)
    number, counted, end = 1, 0, len(content)
    for found in literal.finditer(haystack, at):
        at, stop = found.span()
        start = content.rfind(b"\n", 0, at) + 1
        if pattern.whole_word and (
            (at > start and content[at - 1] in _WORD_BYTES) or (at + size < end and content[at + size] in _WORD_BYTES)
        ):
            column = _column(pattern, content, start, stop, is_plain=is_plain)
            if not column:
                continue
        else:
            column = at - start + 1 if is_plain else _characters(content[start:at]) + 1
        number += content.count(b"\n", counted, start)
        counted = start
        yield number, start, stop, column


def _by_needles(pattern: Pattern, content: bytes, haystack: bytes, needles: tuple[bytes, ...]) -> Iterator[Spot]:
    """Only lines that have one of these needles are judged."""
    number, counted, end, is_plain = 1, 0, len(content), content.isascii()
    following = [haystack.find(needle) for needle in needles]
    others = [group for group in pattern.needles if group is not needles]
    while True:
        at = following[0] if len(following) == 1 else min((place for place in following if place >= 0), default=-1)
        if at < 0:
            return
        start = content.rfind(b"\n", 0, at) + 1
        stop = content.find(b"\n", at)
        stop = end if stop < 0 else stop
        if all(any(haystack.find(needle, start, stop) >= 0 for needle in group) for group in others):
            column = _column(pattern, content, start, stop, is_plain=is_plain)
            if column:
                number += content.count(b"\n", counted, start)
                counted = start
                yield number, start, stop, column
        for place, needle in enumerate(needles):
            if 0 <= following[place] <= stop:
                following[place] = haystack.find(needle, stop + 1)


def _by_scan(pattern: Pattern, content: bytes) -> Iterator[Spot]:
    """RE2 goes through the whole content."""
    is_plain = content.isascii()
    is_exact = is_plain or (not pattern.has_words and _is_text(content))
    expression, group = (pattern.scan, pattern.group) if is_exact else (pattern.loose, 0)
    number, counted, stop, end = 1, 0, -1, len(content)
    for found in expression.finditer(content):
        at = found.start(group)
        if at <= stop:
            continue  # the end of a line that was told of, or what follows a byte in it that is no UTF-8
        start = content.rfind(b"\n", 0, at) + 1
        if start == end and (end == 0 or content.endswith(b"\n")):
            return  # after the last line end there is no line
        stop = found.end()
        if not is_exact:
            stop = content.find(b"\n", stop)
            stop = end if stop < 0 else stop
            column = _column(pattern, content, start, stop, is_plain=False)
            if not column:
                continue
        else:
            column = at - start + 1 if is_plain else _characters(content[start:at]) + 1
        number += content.count(b"\n", counted, start)
        counted = start
        yield number, start, stop, column


def _column(pattern: Pattern, content: bytes, start: int, stop: int, *, is_plain: bool) -> int:
    """Where the first match in a line begins, in characters from 1; 0 where there is none."""
    if not is_plain:
        line = content[start:stop]
        if not line.isascii() and (pattern.has_words or not _is_text(line)):
            return _marked_column(pattern, content, start, stop)
    found = pattern.scan.search(content, start, stop)
    if found is None:
        return 0
    at: int = found.start(pattern.group)
    return at - start + 1 if is_plain else _characters(content[start:at]) + 1


def _marked_column(pattern: Pattern, content: bytes, start: int, stop: int) -> int:
    """The same by the marked line; it stands between line ends where it is not the first or the last."""
    before, after = b"\n" if start else b"", b"\n" if stop < len(content) else b""
    marked = spell.mark(content[start:stop])
    found = pattern.marked.match(before + marked + after, len(before), len(before) + len(marked))
    return 0 if found is None else _characters(marked[: found.start(1) - len(before)]) // 3 + 1


# -- across lines ----------------------------------------------------------------------------------


def _across_lines(pattern: Pattern, content: bytes) -> Iterator[Spot]:
    """Matches that may span lines, each with all lines that it touches."""
    find = _finder(pattern, content)
    number, counted, at, end = 1, 0, 0, len(content)
    while at <= end:
        found = find(at)
        if found is None:
            return
        first = content.rfind(b"\n", 0, found[0]) + 1
        if first == end and (end == 0 or content.endswith(b"\n")):
            return
        stop = content.find(b"\n", max(found[0], found[1] - 1))
        stop = end if stop < 0 else stop
        number += content.count(b"\n", counted, first)
        counted = first
        yield number, first, stop, _characters(content[first : found[0]]) + 1
        at = max(stop + 1, found[1])


def _finder(pattern: Pattern, content: bytes) -> Callable[[int], tuple[int, int] | None]:
    """The first match from a place on."""
    if content.isascii() or (not pattern.has_words and _is_text(content)):

        def plain(at: int) -> tuple[int, int] | None:
            found = pattern.scan.search(content, at)
            return None if found is None else found.span(pattern.group)

        return plain
    marked = spell.mark(content)
    done_bytes = done_chars = 0

    def by_marks(at: int) -> tuple[int, int] | None:
        nonlocal done_bytes, done_chars
        done_chars += _characters(content[done_bytes:at])
        done_bytes = at
        base = at + 2 * done_chars
        found = pattern.marked.match(marked, base)
        if found is None:
            return None
        chars = [_characters(marked[base:offset]) // 3 for offset in found.span(1)]
        first, last = (offset - 2 * (done_chars + more) for offset, more in zip(found.span(1), chars, strict=True))
        return first, last

    return by_marks


def _is_text(content: bytes) -> bool:
    """Whether all of it is UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _characters(content: bytes) -> int:
    return len(content) if content.isascii() else len(content.decode("utf-8", "surrogateescape"))
