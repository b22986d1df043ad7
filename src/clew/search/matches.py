"""Matches as they are shown; where there are very many, as arrays until they are looked at.

A complete answer may have millions of lines, and an object for each takes longer than to find it. Main calls:
`Matches`, `shown_line`, `shown_lines`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, overload

from clew import native
from clew.search.bulk import Joined, Rows
from clew.search.lines import Spot
from clew.types import TextMatch

MAX_LINE_CHARS = 1_000  # of a line that is shown; more are cut, and the text says so
_CONTEXT_BEFORE_CHARS = 100  # shown before a match that stands beyond that,
_MATCH_CHARS = 200  # or so near to it that it may not fit
_DECODED_BYTES = 1_000_000  # of a content that is decoded as a whole, if it is ASCII
_BYTES_FOR_A_SHOWN_LINE = 1_000  # and has a match for so many or fewer
_LINE_OF, _COLUMN_OF = itemgetter(0), itemgetter(3)  # of a spot
_MATCH_OF = partial(tuple.__new__, TextMatch)  # native: the type's own constructor takes five times as long


class Matches(Sequence[TextMatch]):
    """Matches in order of path and line. Read like a tuple."""

    def __init__(self) -> None:
        self._parts: list[list[TextMatch] | _Lines] = []
        self._ends: list[int] = []  # how many matches there are up to the end of each part
        self._open: tuple[Joined, list[tuple[str, int, int]]] | None = None  # rows of files that one batch has
        self._size = 0

    def add(self, matches: list[TextMatch]) -> None:
        """Matches that are there already."""
        self._close()
        self._append(matches)
        self._size += len(matches)

    def add_spots(self, path: str, content: bytes, spots: Sequence[Spot]) -> None:
        """Those of one content."""
        if len(spots) * _BYTES_FOR_A_SHOWN_LINE < len(content):
            self.add([
                _MATCH_OF((path, line, column, shown_line(content[start:stop], column), (), ()))
                for line, start, stop, column in spots
            ])  # fmt: skip
        else:
            self.add([*_matches(repeat(path), content, spots)])

    def add_rows(self, path: str, rows: Rows, count: int) -> None:
        """The first few of the rows that a file has in a batch; what they say is picked out with the whole batch."""
        self.add_batch(rows.among, [(path, rows.first, rows.first + count)])

    def add_batch(self, joined: Joined, files: list[tuple[str, int, int]]) -> None:
        """The same for files of one batch: paths, the first of their rows and the one after the last."""
        if self._open is None or self._open[0] is not joined:
            self._close()
            self._open = (joined, [])
        self._open[1].extend(files)
        self._size += sum(stop - start for _, start, stop in files)

    def _close(self) -> None:
        if self._open is not None:
            (joined, files), self._open = self._open, None
            self._append(_picked(joined, files))

    def _append(self, part: list[TextMatch] | _Lines) -> None:
        self._parts.append(part)
        self._ends.append(len(part) + (self._ends[-1] if self._ends else 0))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[TextMatch]:
        self._close()
        return chain.from_iterable(self._parts)

    @overload
    def __getitem__(self, at: int) -> TextMatch: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[TextMatch, ...]: ...
    def __getitem__(self, at: int | slice) -> TextMatch | tuple[TextMatch, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(self._size)))
        place = range(self._size)[at]
        self._close()
        number = bisect_right(self._ends, place)
        part = self._parts[number]
        if not isinstance(part, list):
            part = self._parts[number] = [*part]
        return part[place - self._ends[number]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matches | tuple) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._size} matches>"


@dataclass(slots=True, eq=False)
class _Lines:
    """The lines of the matches of some files, one after the other, and where each match is."""

    text: bytes
    files: list[tuple[str, int]]  # with the number of its matches
    lines: Any
    starts: Any  # in the text
    stops: Any
    columns: Any

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[TextMatch]:
        arrays = (self.lines, self.starts, self.stops, self.columns)
        spots = [*zip(*(array.tolist() for array in arrays), strict=True)]
        paths = chain.from_iterable(repeat(path, count) for path, count in self.files)
        return _matches(paths, self.text, spots)


def _picked(joined: Joined, files: Sequence[tuple[str, int, int]]) -> _Lines:
    """The rows of some files of a batch, without the rest of its contents."""
    import numpy as np

    first, last = files[0][1], files[-1][2]
    rows: Any = slice(first, last)
    if sum(stop - start for _, start, stop in files) < last - first:  # some are not wanted
        rows = np.concatenate([np.arange(start, stop) for _, start, stop in files])
    lines, starts, stops, columns = (array[rows] for array in joined.rows)
    sizes = stops - starts
    ends = np.cumsum(sizes)
    shift = starts - (ends - sizes)  # from where a line stands now to where it stood
    if native.kernels is not None:
        text = native.kernels.pick(joined.content, starts, stops)
    else:
        places = np.repeat(shift, sizes)
        places += np.arange(len(places))
        text = np.frombuffer(joined.content, np.uint8).take(places).tobytes()
    return _Lines(text, [(path, stop - start) for path, start, stop in files], lines, starts - shift, ends, columns)


def _matches(paths: Iterator[str], content: bytes, spots: Sequence[Spot]) -> Iterator[TextMatch]:
    """Matches of the paths beside them, made natively."""
    lines, columns = map(_LINE_OF, spots), map(_COLUMN_OF, spots)
    shown = shown_lines(content, spots)
    return map(_MATCH_OF, zip(paths, lines, columns, shown, repeat(()), repeat(()), strict=False))


def shown_lines(content: bytes, spots: Sequence[Spot]) -> list[str]:
    """The lines of many spots."""
    if len(content) <= _DECODED_BYTES and content.isascii():
        text = content.decode("ascii")
        shown = [text[start:stop] for _, start, stop, _ in spots]
    else:
        shown = [content[start:stop].decode("utf-8", "replace") for _, start, stop, _ in spots]
    if b"\r" in content or (shown and max(map(len, shown)) > MAX_LINE_CHARS):
        return [_cut(line, spot[3]) for line, spot in zip(shown, spots, strict=True)]
    return shown


def shown_line(content: bytes, column: int = 1) -> str:
    """A line, or the lines of a match, as they are shown."""
    return _cut(content.decode("utf-8", "replace"), column)


def _cut(text: str, column: int) -> str:
    """Each line without the carriage return at its end, and not without end itself."""
    if "\n" in text:
        head, *others = text.split("\n")
        return "\n".join((_cut(head, column), *(_cut(line, 1) for line in others)))
    text = text.removesuffix("\r")
    if len(text) <= MAX_LINE_CHARS:
        return text
    first = max(0, column - _CONTEXT_BEFORE_CHARS) if column > MAX_LINE_CHARS - _MATCH_CHARS else 0
    shown = text[first : first + MAX_LINE_CHARS]
    return f"{'… ' if first else ''}{shown} … [{len(text)} characters in this line]"
