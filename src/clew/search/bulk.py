"""Where a frequent literal stands in many contents at once: the same lines and columns as one by one, and sooner.

Contents are joined, a line end after each. Occurrences and line ends become arrays, so Python sees no line but those
that RE2 has to judge. Main calls: `is_frequent`, `find_in_all`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from clew.search.lines import WORD_BYTES, Spot, characters, column_in, searched
from clew.search.pattern import Pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

BYTES_FOR_A_LINE = 1_500  # a literal in a line for so many or fewer is frequent: arrays then cost less than loops
_SAMPLE = 8  # one content of so many is looked at to tell
_IS_WORD = bytes(byte in WORD_BYTES for byte in range(256))


def is_frequent(pattern: Pattern, contents: Sequence[bytes]) -> bool:
    """Whether a pattern is a literal that stands in many lines, as far as a sample tells."""
    if pattern.literal is None:
        return False
    sample = b"\n".join(contents[::_SAMPLE])
    haystack, is_sure = searched(pattern, sample)
    return is_sure and haystack.count(pattern.needles[0][0]) * BYTES_FOR_A_LINE > len(sample)


def find_in_all(pattern: Pattern, contents: Sequence[bytes]) -> Iterator[tuple[int, Iterator[Spot]]] | None:
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
    owners = bases.searchsorted(starts, "right") - 1
    lines -= ends.searchsorted(bases)[owners] - 1
    starts -= bases[owners]
    stops -= bases[owners]
    spots = zip(lines.tolist(), starts.tolist(), stops.tolist(), columns.tolist(), strict=True)
    numbers, counts = np.unique(owners, return_counts=True)
    return zip(numbers.tolist(), (iter([*islice(spots, count)]) for count in counts.tolist()), strict=True)


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
    """Where a needle stands, ascending; of those that overlap, the first."""
    import numpy as np

    parts = haystack.split(needle)
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    return np.cumsum(sizes[:-1] + len(needle)) - len(needle)
