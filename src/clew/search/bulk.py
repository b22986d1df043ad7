"""Where a frequent literal stands in many contents at once: the same lines and columns as one by one, and sooner.

Contents are joined, a line end after each. Occurrences and line ends become arrays, so Python sees no line but those
that RE2 has to judge. Main calls: `is_frequent`, `find_in_all`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clew.search.lines import WORD_BYTES, Spot, characters, column_in, searched
from clew.search.pattern import Pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

BYTES_FOR_A_LINE = 3_000  # a literal in a line for so many or fewer is frequent: arrays then cost less than loops
_SAMPLE = 8  # one content of so many is looked at to tell
_IS_WORD = bytes(byte in WORD_BYTES for byte in range(256))


def is_frequent(pattern: Pattern, contents: Sequence[bytes]) -> bool:
    """Whether a pattern is a literal that stands in many lines, as far as a sample tells."""
    if pattern.literal is None:
        return False
    sample = b"\n".join(contents[::_SAMPLE])
    haystack, is_sure = searched(pattern, sample)
    return is_sure and haystack.count(pattern.needles[0][0]) * BYTES_FOR_A_LINE > len(sample)


class Joined(NamedTuple):
    """Contents joined, and what spots have of all their matches: lines of each content, the rest of the joined one."""

    content: bytes
    rows: tuple[Ints, Ints, Ints, Ints]


@dataclass(slots=True, eq=False)
class Rows:
    """The spots of one content: some rows of those of all, made when they are looked at."""

    among: Joined
    first: int
    last: int
    base: int  # where the content stands among the joined

    def __len__(self) -> int:
        return self.last - self.first

    def __iter__(self) -> Iterator[Spot]:
        lines, starts, stops, columns = (array[self.first : self.last] for array in self.among.rows)
        starts, stops = starts - self.base, stops - self.base
        return zip(lines.tolist(), starts.tolist(), stops.tolist(), columns.tolist(), strict=True)


def find_in_all(pattern: Pattern, contents: Sequence[bytes]) -> Iterator[tuple[int, Rows]] | None:
    """For each content that has the literal, its number and what `find_spots` would say of it, in order.

    None where needles cannot be relied on: see `searched`."""
    import numpy as np

    joined = b"\n".join([*contents, b""])
    haystack, is_sure = searched(pattern, joined)
    if not is_sure:
        return None
    ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == ord("\n"))
    lines, starts, stops, columns = _rows(pattern, joined, haystack, ends)
    sizes = np.fromiter(map(len, contents), np.int64, len(contents)) + 1
    bases = np.cumsum(sizes) - sizes
    firsts = starts.searchsorted(bases)  # rows of each content
    counts = np.diff(firsts, append=len(starts))
    lines -= np.repeat(ends.searchsorted(bases) - 1, counts)
    among = Joined(joined, (lines, starts, stops, columns))
    numbers = np.flatnonzero(counts)
    found = (array[numbers].tolist() for array in (firsts, firsts + counts, bases))
    return ((number, Rows(among, *rows)) for number, *rows in zip(numbers.tolist(), *found, strict=True))


def _rows(pattern: Pattern, content: bytes, haystack: bytes, ends: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """What spots have, lines from 0: the first occurrence in a line, unless a word is wanted and it may be none."""
    import numpy as np

    text = np.frombuffer(content, np.uint8)
    (needle,) = pattern.needles[0]
    places = _occurrences(haystack, needle)
    lines = ends.searchsorted(places)
    is_first = np.diff(lines, prepend=-1) > 0
    places, lines = places[is_first], lines[is_first]
    starts, stops = np.where(lines > 0, ends[lines - 1] + 1, 0), ends[lines]
    columns = places - starts + 1
    if not content.isascii():
        beyond = np.flatnonzero(text > 127)
        for row in np.flatnonzero(beyond.searchsorted(starts) < beyond.searchsorted(places)).tolist():
            columns[row] = characters(content[starts[row] : places[row]]) + 1
    if pattern.whole_word:
        is_word = np.frombuffer(_IS_WORD, np.bool_)  # beside the first place and the last one stand line ends
        for row in np.flatnonzero(is_word[text[places - 1]] | is_word[text[places + len(needle)]]).tolist():
            columns[row] = column_in(pattern, content, int(starts[row]), int(stops[row]), is_plain=False)
        matches = columns > 0
        lines, starts, stops, columns = lines[matches], starts[matches], stops[matches], columns[matches]
    return lines, starts, stops, columns


def _occurrences(haystack: bytes, needle: bytes) -> Ints:
    """Where a needle stands, ascending, found by its first bytes at once: numbers that are equal at every other place,
    or at every fourth."""
    import numpy as np

    width = 4 if len(needle) >= 4 else 2 if len(needle) >= 2 else 1
    wanted, text = np.frombuffer(needle, f"<u{width}", 1), np.frombuffer(haystack, np.uint8)
    found = []
    for offset in range(min(width, len(haystack))):
        numbers = np.frombuffer(haystack, f"<u{width}", (len(haystack) - offset) // width, offset)
        found.append(np.flatnonzero(numbers == wanted) * width + offset)
    places = np.concatenate(found)
    places = places[places <= len(haystack) - len(needle)]
    for at in range(width, len(needle)):
        places = places[text[places + at] == needle[at]]
    places.sort()
    return places
