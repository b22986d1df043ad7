"""Trigrams of contents: immutable files that say which blocks of which blobs may hold a text.

A content is cut into blocks of 8 KB that overlap. A gram is three neighbouring bytes, each folded to one of 64
classes: case does not count, rare punctuation shares classes, line ends belong to no gram. So a block that lacks
a gram lacks the text, and one that has them all must be looked at. Main calls: `keys_of`, `make_arrays`,
`GramSegment.blobs`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clew import native
from clew.errors import StoreCorrupt
from clew.store.segments import map_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Keys = NDArray[np.uint32]

BLOCK_BYTES = 8_192  # on Linux 0.19 of the source; 32 KB take 0.13, but leave more candidates
OVERLAP_BYTES = 256  # a run up to this long lies whole in some block
BLOCK_BITS = 14  # of a key (gram, block): what is left of 32 bits beside the gram
MAX_BLOCKS = 1 << BLOCK_BITS
_BLOCKS_OF_ONE = 1_024  # at the most, whatever the limit on the size of files; then blocks are longer
MAX_WINDOW_GRAMS = 1_024  # a window that could be more grams than these is in nearly every block
MAX_WINDOWS = 24  # of the rarest grams; more hardly narrow it down
_FEW_BLOCKS = 64  # for so many all bits are looked at in one go
_DENSE_SHARE = 16  # a gram in more than one of this many blocks is kept as bits, else as a list


class Run(NamedTuple):
    """Bytes that stand side by side: for each place, those that may stand there."""

    places: tuple[bytes, ...]


class Every(NamedTuple):
    """All of these are in every match."""

    parts: tuple[Needs, ...]


class Either(NamedTuple):
    """One of these is in every match."""

    parts: tuple[Needs, ...]


Needs = Run | Every | Either


class Windows(NamedTuple):
    """What trigrams can say of a run."""

    sure: Any  # grams that must all be there, ascending
    choices: tuple[Any, ...]  # of each, one gram must be there; ascending


def _classes() -> bytes:
    """The class of each byte; 0 is in no gram."""
    table = bytearray(256)
    groups = [bytes([letter, letter - 32]) for letter in range(ord("a"), ord("z") + 1)]
    groups += [bytes([char]) for char in b"0123456789_"]
    groups += [b" \t", *(bytes([char]) for char in b"()*+,-./:;<=>[]{}\"'#&"), b"%?", b"\\|", b"$@!", b"^~`"]
    for number, group in enumerate(groups, start=1):
        for byte in group:
            table[byte] = number
    first, count = 38, len(groups) - 37  # bytes of other alphabets share the classes of what is no letter or digit
    for byte in range(128, 256):
        table[byte] = first + byte * 11 % count
    return bytes(table)


CLASSES = _classes()
# Letters that may equal an ASCII letter in another case. In ripgrep only the last two do; a fold too many costs a look.
SAME_AS_ASCII = ((b"\xc4\xb0", b"i"), (b"\xc4\xb1", b"i"), (b"\xc5\xbf", b"s"), (b"\xe2\x84\xaa", b"k"))


def folded(content: bytes) -> bytes:
    """A content with the letters that stand for ASCII letters replaced by them; case is left to the classes."""
    if not content.isascii():
        for letter, plain in SAME_AS_ASCII:
            content = content.replace(letter, plain)
    return content


def blocks_of(content: bytes) -> Iterator[bytes]:
    """The blocks of a folded content; the last may be shorter, none is missing."""
    step = max(BLOCK_BYTES, -(-len(content) // _BLOCKS_OF_ONE))
    for start in range(0, max(len(content) - OVERLAP_BYTES, 1), step):
        yield content[start : start + step + OVERLAP_BYTES]


def keys_of(block: bytes, number: int) -> Keys:
    """The distinct grams of a block as keys, in order."""
    import numpy as np

    if native.kernels is not None:
        return np.frombuffer(native.kernels.grams(block, CLASSES, number, BLOCK_BITS), np.uint32)
    classes = np.frombuffer(block.translate(CLASSES), np.uint8).astype(np.uint32)
    if len(classes) < 3:
        return np.zeros(0, np.uint32)
    grams = classes[:-2] << np.uint32(12)
    grams |= classes[1:-1] << np.uint32(6)
    grams |= classes[2:]
    is_whole = (classes[:-2] != 0) & (classes[1:-1] != 0) & (classes[2:] != 0)
    if not is_whole.all():
        grams = grams[is_whole]
    grams.sort()
    distinct = grams[np.concatenate([[True], grams[1:] != grams[:-1]])] if len(grams) else grams
    return (distinct << np.uint32(BLOCK_BITS)) | np.uint32(number)


def make_arrays(blobs: Sequence[int], keys: list[Keys]) -> dict[str, Any]:
    """The arrays of a segment: `blobs` names the blob of each block; `keys`, in any order, are used up."""
    import numpy as np

    grams = np.concatenate([*keys, np.zeros(0, np.uint32)])
    keys.clear()  # a large segment has some 30 million: no copy too many
    grams.sort()
    blocks = grams.astype(np.uint16)
    blocks &= np.uint16(MAX_BLOCKS - 1)
    grams >>= np.uint32(BLOCK_BITS)
    starts = np.flatnonzero(np.concatenate([[True], grams[1:] != grams[:-1]])) if len(grams) else np.zeros(0, np.int64)
    counts = np.diff(np.concatenate([starts, [len(grams)]]))
    is_dense = counts * _DENSE_SHARE > len(blobs)
    in_list = np.repeat(~is_dense, counts)
    bits = np.zeros((int(is_dense.sum()), -(-len(blobs) // 8)), np.uint8)
    row = np.zeros(len(blobs), bool)
    for place, index in enumerate(np.flatnonzero(is_dense)):
        held = blocks[starts[index] : starts[index] + counts[index]]
        row[held] = True
        bits[place] = np.packbits(row, bitorder="little")
        row[held] = False
    return {
        "blobs": np.asarray(blobs, np.int64),
        "grams": grams[starts],
        "counts": counts.astype(np.uint16),
        "offsets": _offsets(counts, is_dense),
        "blocks": blocks[in_list],
        "bits": bits,
    }


def _offsets(counts: Any, is_dense: Any) -> Any:
    """Where each gram's list begins; for bits, the number of its row, made negative."""
    import numpy as np

    lists = np.cumsum(np.where(is_dense, 0, counts)) - np.where(is_dense, 0, counts)
    return np.where(is_dense, -np.cumsum(is_dense), lists).astype(np.int32)


class GramSegment:
    """One file of trigrams, mapped."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self.owners: Ints = arrays["blobs"]  # the blob of each block, ascending
        self._grams, self._counts, self._offsets = arrays["grams"], arrays["counts"], arrays["offsets"]
        self._blocks, self._bits = arrays["blocks"], arrays["bits"]

    @classmethod
    def open(cls, path: Path) -> GramSegment:
        """Map a file; a damaged or missing one is `StoreCorrupt`."""
        try:
            return cls(map_arrays(path)[0])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreCorrupt(f"the exact index at {path} is damaged ({error}); `clew repair` rebuilds it") from error

    def blobs(self, windows: Windows) -> Ints:
        """The blobs with a block that has every sure gram and, for every choice, one of its grams; ascending."""
        import numpy as np

        places = self._grams.searchsorted(windows.sure)
        if len(places) and (places[-1] == len(self._grams) or (self._grams[places] != windows.sure).any()):
            return np.zeros(0, np.int64)  # `sure` ascends, so the last place is the greatest
        order = places[np.argsort(self._counts[places], kind="stable")].tolist()
        choices = [self._present(choice) for choice in windows.choices]
        blocks = self._list(order[0]) if order else np.flatnonzero(self._mask(choices.pop()))
        for done, place in enumerate(order[1:MAX_WINDOWS], 1):
            if not len(blocks):
                break
            if len(blocks) <= _FEW_BLOCKS and self._offsets[place] < 0:  # and so have all that are more frequent
                rows = -self._offsets[order[done:MAX_WINDOWS]] - 1
                bits = self._bits[rows[:, None], blocks >> 3] >> (blocks & 7).astype("u1")
                blocks = blocks[(bits & 1).all(axis=0)]
                break
            blocks = blocks[self._has(place, blocks)]
        for choice in choices:
            if not len(blocks):
                break
            blocks = blocks[self._mask(choice)[blocks]]
        found = self.owners[blocks]
        is_first = np.ones(len(found), bool)
        np.not_equal(found[1:], found[:-1], out=is_first[1:])  # they ascend, which np.unique does not know
        return found[is_first]

    def keys(self, numbers: Any) -> Keys:
        """All keys again, each block under its number in `numbers`; those below zero are left out."""
        import numpy as np

        lists = self._offsets >= 0
        grams = np.repeat(self._grams[lists], self._counts[lists])
        parts = [_renumbered(grams, numbers[self._blocks])]
        rows = np.flatnonzero(~lists).tolist()
        parts += [_renumbered(self._grams[place], numbers[self._list(place)]) for place in rows]
        return np.concatenate(parts)

    def _present(self, grams: Any) -> Any:
        """Where those of these grams stand that this segment has."""
        places = self._grams.searchsorted(grams)
        places = places[places < len(self._grams)] if len(places) else places
        if len(places) < len(grams):
            grams = grams[: len(places)]  # both ascend, so those past the end are the last
        return places[self._grams[places] == grams]

    def _list(self, place: int) -> Any:
        """The blocks that have a gram, ascending."""
        import numpy as np

        offset = int(self._offsets[place])
        if offset < 0:
            return np.flatnonzero(np.unpackbits(self._bits[-offset - 1], bitorder="little", count=len(self.owners)))
        return self._blocks[offset : offset + int(self._counts[place])]

    def _has(self, place: int, blocks: Any) -> Any:
        """Which of these blocks have a gram."""
        import numpy as np

        offset = int(self._offsets[place])
        if offset < 0:
            return (self._bits[-offset - 1][blocks >> 3] >> (blocks & 7).astype("u1")) & 1 == 1
        held = self._list(place)
        return held[np.minimum(held.searchsorted(blocks), len(held) - 1)] == blocks

    def _mask(self, places: Any) -> Any:
        """The blocks that have one of these grams, as a mask of all blocks."""
        import numpy as np

        offsets = self._offsets[places]
        rows = -offsets[offsets < 0] - 1
        if len(rows):
            bits = np.bitwise_or.reduce(self._bits[rows], axis=0)
            mask = np.unpackbits(bits, bitorder="little", count=len(self.owners)).view(bool)
        else:
            mask = np.zeros(len(self.owners), bool)
        for place in places[offsets >= 0].tolist():
            mask[self._list(place)] = True
        return mask


def _renumbered(grams: Any, numbers: Any) -> Keys:
    import numpy as np

    kept = numbers >= 0
    keys: Keys = ((grams << np.uint32(BLOCK_BITS)) | numbers.astype(np.uint32))[kept]
    return keys


def _folded_places(run: Run) -> list[bytes]:
    """The places of a run as `folded` would leave them."""
    places: list[bytes] = []
    for place in run.places:
        places.append(place)
        for letter, plain in SAME_AS_ASCII:
            if places[-len(letter) :] == [letter[i : i + 1] for i in range(len(letter))]:
                places[-len(letter) :] = [plain]
    return places


@lru_cache(maxsize=256)
def windows_of(run: Run) -> Windows | None:
    """The grams that every block with this run has; None where there is none to ask for."""
    import numpy as np

    choices = [tuple(sorted({CLASSES[byte] for byte in place})) for place in _folded_places(run)[:OVERLAP_BYTES]]
    sure: set[int] = set()
    unsure = []
    for three in dict.fromkeys(zip(choices, choices[1:], choices[2:], strict=False)):
        size = math.prod(map(len, three))
        if any(0 in choice for choice in three) or size > MAX_WINDOW_GRAMS:
            continue
        first, second, third = (np.array(choice, np.uint32) for choice in three)
        grams = ((first[:, None, None] << 12) | (second[None, :, None] << 6) | third[None, None, :]).ravel()
        if size == 1:
            sure.add(int(grams[0]))
        else:
            unsure.append(grams)
    unsure.sort(key=len, reverse=True)
    return Windows(np.array(sorted(sure), np.uint32), tuple(unsure)) if sure or unsure else None
