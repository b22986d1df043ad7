"""Where a literal stands in many contents at once: the same lines and columns as one by one, and sooner.

Contents are joined, a line end after each, and searched in C; Python sees no line but those that RE2 has to judge.
Without C, occurrences and line ends become arrays, which is worth it where they are frequent. Main calls: `Texts`,
`is_worth_it`, `find_in_all`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from clew import native
from clew.packing import unpack_texts
from clew.search.lines import WORD_BYTES, Spot, characters, column_in, searched
from clew.search.pattern import Pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

BYTES_FOR_A_LINE = 3_000  # a literal in a line for so many or fewer is frequent: arrays then cost less than loops
_SAMPLE = 8  # one content of so many is looked at to tell
_IS_WORD = bytes(byte in WORD_BYTES for byte in range(256))
_APART, _WITHIN, _UNSURE = range(3)  # what a byte counts beside a word: in none, in one, or its character must be read
_KINDS = bytes(_UNSURE if byte > 127 else _WITHIN if byte in WORD_BYTES else _APART for byte in range(256))


class Texts(Sequence[bytes]):
    """The contents of some files, joined."""

    def __init__(self, packed: list[bytes]) -> None:
        self.joined, self.sizes = unpack_texts(packed)
        self.bases = [*accumulate((size + 1 for size in self.sizes[:-1]), initial=0)][: len(self.sizes)]

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> bytes:  # type: ignore[override]  # nobody wants some of them
        base = self.bases[number]
        return self.joined[base : base + self.sizes[number]]


def is_worth_it(pattern: Pattern, texts: Texts) -> bool:
    """Whether a pattern is a literal that is found sooner in all at once; without C, one that a sample has often."""
    if pattern.literal is None or native.kernels is not None:
        return pattern.literal is not None
    sample = b"\n".join(texts[number] for number in range(0, len(texts), _SAMPLE))
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


def find_in_all(pattern: Pattern, texts: Texts) -> Iterator[tuple[int, Rows]] | None:
    """For each content that has the literal, its number and what `find_spots` would say of it, in order.

    None where needles cannot be relied on: see `searched`."""
    import numpy as np

    haystack, is_sure = searched(pattern, texts.joined)
    if not is_sure:
        return None
    bases = np.array(texts.bases, np.int64)
    find = _rows if native.kernels is None else _native_rows
    rows = find(pattern, texts, haystack)
    firsts = rows[1].searchsorted(bases)  # rows of each content
    counts = np.diff(firsts, append=len(rows[1]))
    among = Joined(texts.joined, rows)
    numbers = np.flatnonzero(counts)
    found = (array[numbers].tolist() for array in (firsts, firsts + counts, bases))
    return ((number, Rows(among, *rows)) for number, *rows in zip(numbers.tolist(), *found, strict=True))


def find_in_one(pattern: Pattern, content: bytes) -> list[Spot] | None:
    """The same for a single content, without arrays; None where somebody else must tell."""
    if native.kernels is None or pattern.literal is None:
        return None
    haystack, is_sure = searched(pattern, content)
    if not is_sure:
        return None
    packed = _native_lines(pattern, haystack + b"\n", [len(haystack)])
    if not packed:
        return []
    lines, starts, stops, columns = _quarters(memoryview(packed).cast("q").tolist())
    return None if 0 in columns else [*zip(lines, starts, stops, columns, strict=True)]


def _quarters(numbers: list[int]) -> Iterator[list[int]]:
    size = len(numbers) // 4
    return (numbers[part * size : (part + 1) * size] for part in range(4))


def _native_lines(pattern: Pattern, haystack: bytes, sizes: list[int]) -> bytes:
    assert native.kernels is not None
    kinds = _KINDS if pattern.whole_word else b""
    packed: bytes = native.kernels.literal_lines(haystack, pattern.needles[0][0], array("q", sizes), kinds)
    return packed


def _native_rows(pattern: Pattern, texts: Texts, haystack: bytes) -> tuple[Ints, Ints, Ints, Ints]:
    """What spots have; only what C cannot tell is judged here, what stands beside or behind characters beyond ASCII."""
    import numpy as np

    packed = _native_lines(pattern, haystack, texts.sizes)
    lines, starts, stops, columns = np.frombuffer(packed, np.int64).reshape(4, -1)
    unsure = np.flatnonzero(columns == 0)
    if len(unsure):
        columns = columns.copy()
        for row, start, stop in zip(unsure.tolist(), starts[unsure].tolist(), stops[unsure].tolist(), strict=True):
            if pattern.whole_word:
                columns[row] = column_in(pattern, texts.joined, start, stop, is_plain=False)
            else:
                columns[row] = characters(texts.joined[start : haystack.find(pattern.needles[0][0], start)]) + 1
        if not columns.all():
            matches = columns > 0
            return lines[matches], starts[matches], stops[matches], columns[matches]
    return lines, starts, stops, columns


def _rows(pattern: Pattern, texts: Texts, haystack: bytes) -> tuple[Ints, Ints, Ints, Ints]:
    """The same by arrays: the first occurrence in a line, unless a word is wanted and it may be none."""
    import numpy as np

    content = texts.joined
    text = np.frombuffer(content, np.uint8)
    (needle,) = pattern.needles[0]
    ends = np.flatnonzero(text == ord("\n"))
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
    bases = np.array(texts.bases, np.int64)
    before = ends.searchsorted(bases)  # lines of all contents before each
    return lines - before[bases.searchsorted(starts, side="right") - 1] + 1, starts, stops, columns


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
