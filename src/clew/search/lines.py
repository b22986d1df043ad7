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

Place = tuple[int, int, int]  # bytes of a match's lines (without the last line end), 1-based column in characters
Spot = tuple[int, int, int, int]  # the same after the number of the first line
_LONG_BYTES = 8_000  # of a stretch whose lines numpy counts sooner than Python
_BYTES_FOR_A_LINE = 4_000  # RE2 goes through so many in the time that one line takes by itself
WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz") | frozenset(range(128, 256))


def find_spots(pattern: Pattern, content: bytes, ends: list[int] | None = None) -> Iterator[Spot]:
    """The matches in a content, in order; without `multiline`, one for each line that has any.

    `ends`: where one may end, if a sieve told."""
    number, counted = 1, 0
    for start, stop, column in _find_places(pattern, content, ends):
        number += _count_lines(content, counted, start)
        counted = start
        yield number, start, stop, column


def searched(pattern: Pattern, content: bytes) -> tuple[bytes, bool]:
    """What needles are looked for in, and whether every match has them there."""
    if not pattern.lowered:
        return content, True
    return content.lower(), content.isascii() or not _has_other_letters(content)


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
            yield characters(content[:start]), characters(content[:stop])
        at = max(stop, start + 1)


def column_in(pattern: Pattern, content: bytes, start: int, stop: int, *, is_plain: bool) -> int:
    """Where the first match in a line begins, in characters from 1; 0 where there is none."""
    if not is_plain:
        line = content[start:stop]
        is_plain = line.isascii()
        if not is_plain and (pattern.has_words or not _is_text(line)):
            return _marked_column(pattern, content, start, stop)
    found = (pattern.plain if is_plain else pattern.scan).search(content, start, stop)
    if found is None:
        return 0
    at: int = found.start(pattern.group)
    return at - start + 1 if is_plain else characters(content[start:at]) + 1


def characters(content: bytes) -> int:
    """How many characters a part of a content has; a byte that is no UTF-8 counts as one."""
    return len(content) if content.isascii() else len(content.decode("utf-8", "surrogateescape"))


def _find_places(pattern: Pattern, content: bytes, ends: list[int] | None) -> Iterator[Place]:
    """The same without the numbers of lines."""
    if ends is not None and not pattern.is_multiline:
        return _by_ends(pattern, content, ends)
    if pattern.literal is not None:
        haystack, is_sure = searched(pattern, content)
        if is_sure:
            return _by_literal(pattern, pattern.literal, content, haystack)
    elif not pattern.lowered and not pattern.has_prefix:  # RE2 is done before a content is in lower case
        few = len(content) // _BYTES_FOR_A_LINE
        for group in pattern.needles:  # the most telling first
            found = _occurrences(content, group, few)
            if not found:
                return iter(())
            if len(found) <= few and not pattern.is_multiline:
                return _by_needles(pattern, content, sorted(found))
    return _across_lines(pattern, content) if pattern.is_multiline else _by_scan(pattern, content)


def _has_other_letters(content: bytes) -> bool:
    """Whether a letter stands there that equals one of ASCII; single bytes are looked for ten times as fast."""
    return any(all(byte in content for byte in letter) and letter in content for letter, _ in SAME_AS_ASCII)


def _count_lines(content: bytes, start: int, stop: int) -> int:
    if stop - start < _LONG_BYTES:
        return content.count(b"\n", start, stop)
    import numpy as np

    return int(np.count_nonzero(np.frombuffer(content, np.uint8, stop - start, start) == ord("\n")))


def _occurrences(haystack: bytes, needles: tuple[bytes, ...], few: int) -> list[int]:
    """Where these stand; of more than a few, one more than that."""
    found: list[int] = []
    for needle in needles:
        at = haystack.find(needle)
        while at >= 0:
            found.append(at)
            if len(found) > few:
                return found
            at = haystack.find(needle, at + 1)
    return found


def _by_literal(pattern: Pattern, literal: re.Pattern[bytes], content: bytes, haystack: bytes) -> Iterator[Place]:
    """A line with the needle matches; only words have to be looked at."""
    needle = pattern.needles[0][0]
    at = haystack.find(needle)
    if at < 0:
        return
    is_plain, size = content.isascii(), len(needle)
    end = len(content)
    for found in literal.finditer(haystack, at):
        at, stop = found.span()
        start = content.rfind(b"\n", 0, at) + 1
        if pattern.whole_word and (
            (at > start and content[at - 1] in WORD_BYTES) or (at + size < end and content[at + size] in WORD_BYTES)
        ):
            column = column_in(pattern, content, start, stop, is_plain=is_plain)
            if not column:
                continue
        else:
            column = at - start + 1 if is_plain else characters(content[start:at]) + 1
        yield start, stop, column


def _by_needles(pattern: Pattern, content: bytes, places: list[int]) -> Iterator[Place]:
    """Only the lines of these places are judged, if they have a needle of each group."""
    stop, end, is_plain = -1, len(content), content.isascii()
    for at in places:
        if at < stop:
            continue
        start = content.rfind(b"\n", 0, at) + 1
        stop = content.find(b"\n", at)
        stop = end if stop < 0 else stop
        if all(any(content.find(needle, start, stop) >= 0 for needle in group) for group in pattern.needles):
            column = column_in(pattern, content, start, stop, is_plain=is_plain)
            if column:
                yield start, stop, column


def _by_ends(pattern: Pattern, content: bytes, ends: list[int]) -> Iterator[Place]:
    """Only lines are judged in which a match may end."""
    stop, is_plain = -1, content.isascii()
    for end in ends:
        if end <= stop:
            continue
        start = content.rfind(b"\n", 0, end - 1) + 1
        stop = content.find(b"\n", end)
        stop = len(content) if stop < 0 else stop
        column = column_in(pattern, content, start, stop, is_plain=is_plain)
        if column:
            yield start, stop, column


def _by_scan(pattern: Pattern, content: bytes) -> Iterator[Place]:
    """RE2 goes through the whole content."""
    is_plain = content.isascii()
    is_exact = is_plain or not (pattern.has_words or pattern.whole_word)
    group = pattern.group if is_exact else 0
    expression = pattern.plain if is_plain else pattern.scan if is_exact else pattern.loose
    stop, end = -1, len(content)
    for found in expression.finditer(content):
        if stop < 0 and is_exact and not is_plain:
            is_exact = _is_text(content)  # asked when something is found: most contents have nothing
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
            column = column_in(pattern, content, start, stop, is_plain=False)
            if not column:
                continue
        else:
            column = at - start + 1 if is_plain else characters(content[start:at]) + 1
        yield start, stop, column


def _marked_column(pattern: Pattern, content: bytes, start: int, stop: int) -> int:
    """The same by the marked line; it stands between line ends where it is not the first or the last."""
    before, after = b"\n" if start else b"", b"\n" if stop < len(content) else b""
    marked = spell.mark(content[start:stop])
    found = pattern.marked.match(before + marked + after, len(before), len(before) + len(marked))
    return 0 if found is None else characters(marked[: found.start(1) - len(before)]) // 3 + 1


# -- across lines ----------------------------------------------------------------------------------


def _across_lines(pattern: Pattern, content: bytes) -> Iterator[Place]:
    """Matches that may span lines, each with all lines that it touches."""
    find = _finder(pattern, content)
    at, end, told = 0, len(content), -1
    while at <= end:
        found = find(at)
        if found is None:
            return
        first = content.rfind(b"\n", 0, found[0]) + 1
        if first == end and (end == 0 or content.endswith(b"\n")):
            return
        stop = content.find(b"\n", max(found[0], found[1] - 1))
        stop = end if stop < 0 else stop
        if stop > told:  # else all its lines are those of the one before
            yield first, stop, characters(content[first : found[0]]) + 1
            told = stop
        at = found[1] if found[1] > found[0] else _after(content, found[1])


def _after(content: bytes, at: int) -> int:
    """Where the character after the one at a place begins."""
    at += 1
    while at < len(content) and content[at] & 0xC0 == 0x80:
        at += 1
    return at


def _finder(pattern: Pattern, content: bytes) -> Callable[[int], tuple[int, int] | None]:
    """The first match from a place on."""
    if content.isascii() or (not pattern.has_words and _is_text(content)):
        expression = pattern.plain if content.isascii() else pattern.scan

        def plain(at: int) -> tuple[int, int] | None:
            found = expression.search(content, at)
            return None if found is None else found.span(pattern.group)

        return plain
    marked = spell.mark(content)
    done_bytes = done_chars = 0

    def by_marks(at: int) -> tuple[int, int] | None:
        nonlocal done_bytes, done_chars
        done_chars += characters(content[done_bytes:at])
        done_bytes = at
        base = at + 2 * done_chars
        found = pattern.marked.match(marked, base)
        if found is None:
            return None
        chars = [characters(marked[base:offset]) // 3 for offset in found.span(1)]
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
