"""Exact search over one snapshot: candidates from trigrams, then every line read and judged.

Files come in order of path and are looked at only until the page is full. Each is compared with the disk before it
is shown: one that changed is searched as it is there, one that is gone is dropped. Main call: `search`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from itertools import chain, islice

from clew import deadline
from clew.answers import FileMatches, TextFound
from clew.errors import BadInput, BadPath, NotFound
from clew.packing import without_mark
from clew.search.bulk import Rows
from clew.search.filters import Filter
from clew.search.lines import Spot, count_lines, find_spots
from clew.search.matches import Matches, shown_line
from clew.search.pattern import Pattern
from clew.search.reading import Reading
from clew.search.scan import Matching, matching
from clew.store import exact, snapshots
from clew.store.snapshots import TextFile
from clew.types import TextMatch, TextMode
from clew.uncollected import uncollected

MAX_CONTEXT_LINES = 100  # around each match
_ENTRY_CHARS = 100  # of an entry in an answer beside its texts
_MANY_MATCHES = 10_000  # a page that may have so many is kept as arrays, and made without looks for cycles
_MANY_FILES = 10_000  # more candidates are searched by threads
_FEW_FILES = 2_000  # so many candidates are looked up one by one, else all files are gone through in order


@dataclass(frozen=True, slots=True)
class Page:
    """How much of the answer is wanted, and in which form."""

    limit: int = 50
    mode: TextMode = "matches"
    context: int = 0
    max_chars: int | None = None  # of all texts together

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise BadInput("the limit must be at least 1")
        if not 0 <= self.context <= MAX_CONTEXT_LINES:
            raise BadInput(f"there may be 0 to {MAX_CONTEXT_LINES} lines of context")


def search(reading: Reading, pattern: Pattern, where: Filter, page: Page) -> TextFound:
    """The first matches in order of path and line."""
    finder = _Finder(reading, pattern, page)
    files, is_long = _files(reading, pattern, where)
    root = reading.codebase.root
    found = matching(reading.connection, pattern, files, "" if reading.codebase.is_project else root, is_long=is_long)
    with closing(found), uncollected() if page.limit >= _MANY_MATCHES else nullcontext():
        for matches in found:
            if finder.has_taken(matches):
                continue
            if any(map(finder.is_full_after, matches)):
                break
    return TextFound(root, reading.fresh, finder.matches, tuple(finder.files), finder.total, finder.is_cut)


class _Finder:
    """Collects matches until the page is full."""

    def __init__(self, reading: Reading, pattern: Pattern, page: Page) -> None:
        self._reading, self._pattern, self._page = reading, pattern, page
        self.matches = Matches()
        self.files: list[FileMatches] = []
        self.total = self._chars = 0
        self.is_cut = False

    def has_taken(self, found: Sequence[Matching]) -> bool:
        """Take what some files have, if nothing is to be asked of any of them: there may be tens of thousands."""
        page = self._page
        if page.limit < _MANY_MATCHES or page.mode != "matches" or page.context or page.max_chars is not None:
            return False
        rows = [(each.file.path, each.spots) for each in found if each.is_same and isinstance(each.spots, Rows)]
        count = sum(spots.last - spots.first for _, spots in rows)
        if not rows or len(rows) < len(found) or len(self.matches) + count > page.limit:
            return False
        deadline.check()
        self._reading.fresh.verified += len(rows)
        self.matches.add_batch(rows[0][1].among, [(path, spots.first, spots.last) for path, spots in rows])
        self.total = len(self.matches)
        return True

    def is_full_after(self, found: Matching) -> bool:
        """Take what one more file has; whether nothing further is wanted."""
        file, spots = found.file, found.spots
        is_fresh = self._reading.check(file.path, file.stat, file.blob, is_same=found.is_same)
        if is_fresh is None:
            return False
        if not is_fresh:
            try:
                found = Matching(file, [without_mark(self._reading.content(file.path, file.blob))], 0, ())
            except (NotFound, BadPath):  # gone since that look, which took it for changed
                self._reading.fresh.changed -= 1
                self._reading.fresh.dropped += 1
                return False
            there = find_spots(self._pattern, found.content)
            first = next(there, None)
            if first is None:
                return False
            spots = chain((first,), there)
        if self._page.mode == "files":
            return self._count(file.path, 1)
        if self._page.mode == "counts":
            return self._count(file.path, self._lines(found, spots))
        if self._page.context or self._page.max_chars is not None:
            content = found.content
            return any(self._take(file.path, content, spot) for spot in spots)
        return self._take_all(found, spots)

    def _lines(self, found: Matching, spots: Iterable[Spot]) -> int:
        """How many lines match; a literal's are counted sooner than looked at."""
        if isinstance(spots, Rows):
            return len(spots)
        return count_lines(self._pattern, found.content) or sum(1 for _ in spots)

    def _take_all(self, found: Matching, spots: Iterable[Spot]) -> bool:
        """`_take` for all of them, where only the limit counts: there may be millions."""
        room, path = self._page.limit - len(self.matches), found.file.path
        if isinstance(spots, Rows) and self._page.limit >= _MANY_MATCHES:
            self.is_cut = len(spots) > room
            self.matches.add_rows(path, spots, min(len(spots), room))
        else:
            taken = [*islice(spots, min(room + 1, sys.maxsize))]
            self.is_cut = len(taken) > room
            self.matches.add_spots(path, found.content, taken[:room])
        self.total = len(self.matches)
        return self.is_cut

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
        self.matches.add([match])
        self.total += 1
        return False

    def _overflows(self, *texts: str) -> bool:
        """Whether these texts go beyond what the answer may have."""
        if self._page.max_chars is None:
            return False
        self._chars += sum(map(len, texts)) + len(self._reading.codebase.root) + _ENTRY_CHARS
        return self._chars > self._page.max_chars


def _files(reading: Reading, pattern: Pattern, where: Filter) -> tuple[Iterator[TextFile], bool]:
    """The files that may match, in order of path, and whether trigrams could leave none or too few out."""
    connection, snapshot = reading.connection, reading.snapshot.id
    found = exact.candidates(reading.codebase.store, connection, pattern.needs)
    wanted = None if found.blobs is None else [*found.blobs.tolist(), *exact.tail(connection, found.applied)]
    if wanted is not None and len(wanted) <= _FEW_FILES:
        files = snapshots.text_files_of(connection, snapshot, wanted)
    else:
        files = snapshots.text_files(connection, snapshot, where.subtree, None if wanted is None else frozenset(wanted))
    if not where.is_empty:
        files = (file for file in files if where.allows(file.path, file.language))
    return files, wanted is None or len(wanted) > _MANY_FILES


def _shown(path: str, content: bytes, spot: Spot, context: int) -> TextMatch:
    """A match with its lines and those around it, as text."""
    line, start, stop, column = spot
    text = shown_line(content[start:stop], column)
    if not context:
        return TextMatch(path, line, column, text)
    before: list[str] = []
    while len(before) < context and start > 0:
        above = content.rfind(b"\n", 0, start - 1) + 1
        before.insert(0, shown_line(content[above : start - 1]))
        start = above
    after: list[str] = []
    stop += 1
    while len(after) < context and stop < len(content):
        below = content.find(b"\n", stop)
        below = len(content) if below < 0 else below
        after.append(shown_line(content[stop:below]))
        stop = below + 1
    return TextMatch(path, line, column, text, tuple(before), tuple(after))
