"""Exact search over one snapshot: candidates from trigrams, then every line read and judged.

Files come in order of path and are looked at only until the page is full. Each is compared with the disk before it
is shown: one that changed is searched as it is there, one that is gone is dropped. Main call: `search`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from clew.errors import BadInput
from clew.search.filters import Filter
from clew.search.pattern import Pattern
from clew.search.reading import Reading
from clew.store import exact, facts, snapshots
from clew.store.grams import SAME_AS_ASCII
from clew.store.snapshots import TextFile
from clew.types import FileMatches, TextFound, TextMatch, TextMode

MAX_CONTEXT_LINES = 100  # around each match
MAX_LINE_CHARS = 1_000  # of a line that is shown; more are cut, and the text says so
_CONTEXT_BEFORE_CHARS = 100  # shown before a match that stands beyond that
_ENTRY_CHARS = 100  # of an entry in an answer beside its texts
_FEW_FILES = 2_000  # so many candidates are looked up one by one, else all files are gone through in order


class Spot(NamedTuple):
    """A match: its first line, the bytes of its lines, and where in them it begins."""

    line: int
    start: int
    end: int  # of the last line that it touches, without the line end
    column: int  # 1-based, in characters


@dataclass(frozen=True, slots=True)
class Page:
    """How much of the answer is wanted, and in which form."""

    limit: int = 50
    mode: TextMode = "matches"
    context: int = 0
    max_chars: int | None = None  # of all texts together

    def __post_init__(self) -> None:
        if self.limit < 1 or not 0 <= self.context <= MAX_CONTEXT_LINES:
            raise BadInput(f"the limit must be at least 1, and the lines of context 0 to {MAX_CONTEXT_LINES}")


def search(reading: Reading, pattern: Pattern, where: Filter, page: Page) -> TextFound:
    """The first matches in order of path and line."""
    finder = _Finder(reading, pattern, page)
    for file in _files(reading, pattern, where):
        if finder.is_full_after(file):
            break
    root, fresh = reading.codebase.root, reading.fresh
    return TextFound(root, fresh, tuple(finder.matches), tuple(finder.files), finder.total, finder.is_cut)


class _Finder:
    """Collects matches until the page is full."""

    def __init__(self, reading: Reading, pattern: Pattern, page: Page) -> None:
        self._reading, self._pattern, self._page = reading, pattern, page
        self._content = facts.content_reader(reading.connection)
        self.matches: list[TextMatch] = []
        self.files: list[FileMatches] = []
        self.total = self._chars = 0
        self.is_cut = False

    def is_full_after(self, file: TextFile) -> bool:
        """Search one more file; whether nothing further is wanted."""
        content = self._content(file.blob)
        spots = find_spots(self._pattern, content)
        first = next(spots, None)
        if first is None:
            return False
        is_fresh = self._reading.check(file.path, file.stat, file.blob)
        if is_fresh is None:
            return False
        if not is_fresh:
            content = self._reading.content(file.path, file.blob)
            spots = find_spots(self._pattern, content)
            first = next(spots, None)
            if first is None:
                return False
        if self._page.mode == "files":
            return self._count(file.path, 1)
        if self._page.mode == "counts":
            return self._count(file.path, _lines_with(self._pattern, content) or 1 + sum(1 for _ in spots))
        return self._take(file.path, content, first) or any(self._take(file.path, content, spot) for spot in spots)

    def _count(self, path: str, count: int) -> bool:
        if len(self.files) == self._page.limit or (self._overflows(path) and self.files):
            self.is_cut = True
            return True
        self.files.append(FileMatches(path, count))
        self.total += count
        return False

    def _take(self, path: str, content: bytes, spot: Spot) -> bool:
        """Add a match, unless the page is full; whether it was."""
        if len(self.matches) == self._page.limit:
            self.is_cut = True
            return True
        match = _shown(path, content, spot, self._page.context)
        if self._overflows(match.path, match.text, *match.before, *match.after) and self.matches:
            self.is_cut = True
            return True
        self.matches.append(match)
        self.total += 1
        return False

    def _overflows(self, *texts: str) -> bool:
        """Whether these texts go beyond what the answer may have."""
        if self._page.max_chars is None:
            return False
        self._chars += sum(map(len, texts)) + len(self._reading.codebase.root) + _ENTRY_CHARS
        return self._chars > self._page.max_chars


def _files(reading: Reading, pattern: Pattern, where: Filter) -> Iterator[TextFile]:
    """The files that may match, in order of path."""
    connection, snapshot = reading.connection, reading.snapshot.id
    found = exact.candidates(reading.codebase.store, connection, pattern.needs)
    if found.blobs is not None and len(found.blobs) <= _FEW_FILES:
        wanted = [*found.blobs.tolist(), *exact.tail(connection, found.applied)]
        files = snapshots.text_files_of(connection, snapshot, wanted)
        is_wanted: Callable[[int], bool] = bool  # ids start at 1
    else:
        files = snapshots.text_files(connection, snapshot, where.subtree)
        held = None if found.blobs is None else frozenset(found.blobs.tolist())
        is_wanted = (lambda _: True) if held is None else (lambda blob: blob > found.applied or blob in held)
    wanted_files = (file for file in files if is_wanted(file.blob))
    if where.is_empty:
        return wanted_files
    return (file for file in wanted_files if where.allows(file.path, file.language))


# -- one content -----------------------------------------------------------------------------------


def find_spots(pattern: Pattern, content: bytes) -> Iterator[Spot]:
    """The matches in a content, in order; without `multiline`, one for each line that has any."""
    if pattern.scan is not None:
        ends = pattern.scan(content)
        if ends is not None:
            return _by_ends(pattern, content, ends) if ends else iter(())
    haystack = content
    is_sure = True  # that needles are in every match
    if pattern.lowered:
        haystack = content.lower()
        is_sure = content.isascii() or not any(letter in content for letter, _ in SAME_AS_ASCII)
    if pattern.needles and is_sure:
        counts = [sum(map(haystack.count, group)) for group in pattern.needles]
        if not all(counts):
            return iter(())
        if pattern.is_per_line:
            rarest = pattern.needles[counts.index(min(counts))]
            return _by_needles(pattern, content, haystack, rarest)
    return _by_expression(pattern, content)


def _lines_with(pattern: Pattern, content: bytes) -> int:
    """How many lines have a literal, in one pass; 0 where each must be judged."""
    if not pattern.is_literal:
        return 0
    [[needle]] = pattern.needles
    return len(re.findall(re.escape(needle) + rb"[^\n]*", content))


def _by_ends(pattern: Pattern, content: bytes, ends: list[int]) -> Iterator[Spot]:
    """Only lines in which something ends that may be a match are judged."""
    number, counted, stop = 1, 0, -1
    for end in ends:
        if end <= stop:
            continue
        start = content.rfind(b"\n", 0, end - 1) + 1
        stop = content.find(b"\n", end - 1)
        stop = len(content) if stop < 0 else stop
        found = pattern.expression.search(_text(content[start:stop]))
        if found is not None:
            number += content.count(b"\n", counted, start)
            counted = start
            yield Spot(number, start, stop, found.start() + 1)


def _by_needles(pattern: Pattern, content: bytes, haystack: bytes, needles: tuple[bytes, ...]) -> Iterator[Spot]:
    """Only lines that have one of these needles are judged."""
    number, counted, end = 1, 0, len(content)
    following = [haystack.find(needle) for needle in needles]
    others = [group for group in pattern.needles if group is not needles]
    while True:
        at = following[0] if len(following) == 1 else min((place for place in following if place >= 0), default=-1)
        if at < 0:
            return
        start = content.rfind(b"\n", 0, at) + 1
        stop = content.find(b"\n", at)
        stop = end if stop < 0 else stop
        column = 0
        if pattern.is_literal:
            column = _characters(content[start:at]) + 1
        elif all(any(haystack.find(needle, start, stop) >= 0 for needle in group) for group in others):
            found = pattern.expression.search(_text(content[start:stop]))
            if found is not None:
                column = found.start() + 1
        if column:
            number += content.count(b"\n", counted, start)
            counted = start
            yield Spot(number, start, stop, column)
        for place, needle in enumerate(needles):
            if 0 <= following[place] <= stop:
                following[place] = haystack.find(needle, stop + 1)


def _by_expression(pattern: Pattern, content: bytes) -> Iterator[Spot]:
    """The whole content is gone through."""
    text = _text(content)
    is_plain = len(text) == len(content)  # then characters are bytes
    number, counted, counted_bytes = 1, 0, 0
    at, end = 0, len(text)
    while at <= end:
        found = pattern.expression.search(text, at)
        if found is None:
            return
        first = text.rfind("\n", 0, found.start()) + 1
        if first == end and (end == 0 or text[-1] == "\n"):
            return  # after the last line end there is no line
        last = found.end() - 1 if pattern.is_multiline and found.end() > found.start() else found.start()
        stop = text.find("\n", last)
        stop = end if stop < 0 else stop
        number += text.count("\n", counted, first)
        counted_bytes += first - counted if is_plain else len(_bytes(text[counted:first]))
        counted = first
        length = stop - first if is_plain else len(_bytes(text[first:stop]))
        yield Spot(number, counted_bytes, counted_bytes + length, found.start() - first + 1)
        at = max(stop + 1, found.end())


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _characters(content: bytes) -> int:
    return len(content) if content.isascii() else len(_text(content))


def _shown(path: str, content: bytes, spot: Spot, context: int) -> TextMatch:
    """A match with its lines and those around it, as text."""
    if not context:
        return TextMatch(path, spot.line, spot.column, _line(content[spot.start : spot.end], spot.column))
    before: list[str] = []
    start = spot.start
    while len(before) < context and start > 0:
        above = content.rfind(b"\n", 0, start - 1) + 1
        before.insert(0, _line(content[above : start - 1]))
        start = above
    after: list[str] = []
    stop = spot.end + 1
    while len(after) < context and stop < len(content):
        below = content.find(b"\n", stop)
        below = len(content) if below < 0 else below
        after.append(_line(content[stop:below]))
        stop = below + 1
    text = _line(content[spot.start : spot.end], spot.column)
    return TextMatch(path, spot.line, spot.column, text, tuple(before), tuple(after))


def _line(content: bytes, column: int = 1) -> str:
    """A line as it is shown: without the carriage return at its end, and not without end itself."""
    text = content.decode("utf-8", "replace").removesuffix("\r")
    if len(text) <= MAX_LINE_CHARS:
        return text
    first = max(0, column - _CONTEXT_BEFORE_CHARS) if column > MAX_LINE_CHARS else 0
    shown = text[first : first + MAX_LINE_CHARS]
    return f"{'… ' if first else ''}{shown} … [{len(text)} characters in this line]"
