"""Segments: immutable files that say which chunks hold a term, how often, and what each chunk's vector is.

A segment covers a range of facts and knows nothing of snapshots: who reads it masks what is not theirs, so
nothing is ever deleted from one. It is mapped into memory, not loaded, and shared between processes. All of
it can be made again from the database. Main calls: `write_segment`, `Segment`.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from clew.errors import StoreCorrupt
from clew.ordering import in_order
from clew.types import ModelName

S = TypeVar("S")  # what a mapped file is opened as

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]

CHUNK_BITS = 16  # a chunk's id is its facts' id shifted by this, plus its ordinal
_MAGIC = b"clewseg1"
_ALIGN = 64
_BLOCK = 16_384  # rows of bytes that are widened at once

Packed = tuple[bytes, bytes]  # distinct term hashes and their frequencies
Encode = Callable[[Sequence[bytes], Sequence[bytes]], "Floats"]  # one row for each packed text


def identity(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from another at the same path, or from what is left of it."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class ChunkRow(NamedTuple):
    id: int
    length: int
    symbol: int
    terms: bytes
    freqs: bytes


class FactsRow(NamedTuple):
    id: int
    symbols: int
    names: Packed
    about: Packed


class Field:
    """Which documents hold a term, and how often: the inverted form of one kind of text."""

    __slots__ = ("_documents", "_frequencies", "_offsets", "_terms")

    def __init__(self, terms: Any, offsets: Any, documents: Any, frequencies: Any) -> None:
        # For a single look-up the bare memory is three times as fast as an array.
        self._terms, self._offsets = memoryview(terms), memoryview(offsets)
        self._documents, self._frequencies = documents, frequencies

    def terms(self) -> list[int]:
        """Every term, for checks; slow."""
        return self._terms.tolist()

    def postings(self, term: int) -> tuple[Any, Any]:
        """Ordinals of the documents that hold a term, in order, and its frequency in each."""
        place = bisect_left(self._terms, term)
        if place == len(self._terms) or self._terms[place] != term:
            return self._documents[:0], self._frequencies[:0]
        first, last = self._offsets[place], self._offsets[place + 1]
        return self._documents[first:last], self._frequencies[first:last]


class Segment:
    """One segment, mapped from its file or made in memory (the tail)."""

    def __init__(self, arrays: dict[str, Any], model: str) -> None:
        self.model = model  # that made the vectors
        self.chunks: Ints = arrays["chunks"]  # ids, ascending
        self.lengths = arrays["lengths"]
        self.owners = arrays["owners"]  # ordinal of the definition a chunk belongs to, -1 for none
        self.facts: Ints = arrays["facts"]  # ids, ascending
        self.symbols = arrays["symbols"]
        self.about_lengths = arrays["about_lengths"]
        self.vectors = arrays["vectors"]  # int8, one row a chunk; of width 0 without a model
        self.name_vectors = arrays["name_vectors"]  # int8, one row a facts
        provided = arrays.get("provided")  # a provider's vectors, likewise; older files have none
        self.provided = self.vectors[:, :0] if provided is None else provided
        self.body = Field(*(arrays[f"body_{part}"] for part in _PARTS))
        self.about = Field(*(arrays[f"about_{part}"] for part in _PARTS))

    @cached_property
    def vector_lengths(self) -> Floats:
        """The length of each row of `vectors`."""
        return lengths_of(self.vectors)

    @cached_property
    def provided_lengths(self) -> Floats:
        """The length of each row of `provided`."""
        return lengths_of(self.provided)

    @classmethod
    def open(cls, path: Path) -> Segment:
        """Map a file; a damaged or missing one is `StoreCorrupt`."""
        try:
            return cls(*map_arrays(path))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreCorrupt(f"the search index at {path} is damaged ({error}); `clew repair` rebuilds it") from error


_PARTS = ("terms", "offsets", "documents", "frequencies")


class MappedFiles(Generic[S]):
    """The files of one kind in a store, each opened once."""

    def __init__(self, directory: Path, kind: Callable[[Path], S]) -> None:
        self._directory, self._kind = directory, kind
        self._opened: dict[str, tuple[Path, Any, S]] = {}  # every question asks for them: paths are not made anew

    def path(self, name: str) -> Path:
        return self._directory / f"{name}.seg"

    def open(self, name: str) -> S:
        """A file by its name; a damaged or missing one is `StoreCorrupt`."""
        kept = self._opened.get(name)
        path = kept[0] if kept is not None else self.path(name)
        now = identity(path)
        if kept is not None and kept[1] == now:  # else it was removed or cut: what is mapped must not be touched
            return kept[2]
        self._opened.pop(name, None)
        found = self._kind(path)
        self._opened[name] = (path, now, found)
        return found

    def drop_others(self, names: Sequence[str]) -> None:
        """Remove the files that are not among these."""
        for path in self._directory.glob("*"):
            if path.stem not in names or path.suffix != ".seg":
                path.unlink(missing_ok=True)
        self.forget_others(names)

    def forget_others(self, names: Sequence[str]) -> None:
        """Close those that are not among these: other processes replace them too."""
        for name in [name for name in self._opened if name not in names]:
            self._opened.pop(name, None)


def tag_of(model: ModelName) -> str:
    """What tells the segments of one model from those of another."""
    return f"{model.base} and {model.provider}/{model.model}/{model.dimension}" if model.base else model.model


def make_arrays(
    facts: Sequence[FactsRow], chunks: Sequence[ChunkRow], encode: Encode | None, provided: Any = None
) -> dict[str, Any]:
    """The arrays of a segment over these rows, both in order of id; `provided` has a provider's row for each chunk."""
    import numpy as np

    arrays: dict[str, Any] = {
        "chunks": np.fromiter((row.id for row in chunks), np.int64, len(chunks)),
        "lengths": np.fromiter((row.length for row in chunks), np.uint32, len(chunks)),
        "owners": np.fromiter((row.symbol for row in chunks), np.int32, len(chunks)),
        "facts": np.fromiter((row.id for row in facts), np.int64, len(facts)),
        "symbols": np.fromiter((row.symbols for row in facts), np.uint32, len(facts)),
        "about_lengths": np.fromiter((sum(row.about[1]) for row in facts), np.uint32, len(facts)),
    }
    for name, packed in (
        ("body", [(row.terms, row.freqs) for row in chunks]),
        ("about", [row.about for row in facts]),
    ):
        arrays |= {f"{name}_{part}": array for part, array in zip(_PARTS, _invert(packed), strict=True)}
    bodies = encode([row.terms for row in chunks], [row.freqs for row in chunks]) if encode else None
    arrays["vectors"] = quantised(bodies) if bodies is not None else np.zeros((len(chunks), 0), np.int8)
    names = encode([row.names[0] for row in facts], [row.names[1] for row in facts]) if encode else None
    arrays["name_vectors"] = quantised(names) if names is not None else np.zeros((len(facts), 0), np.int8)
    arrays["provided"] = provided if provided is not None else np.zeros((len(chunks), 0), np.int8)
    return arrays


def merge_arrays(segments: Sequence[Segment], keep: Ints) -> dict[str, Any]:
    """The arrays of one segment with what `keep` (facts ids, ascending) names of these, in order of id."""
    import numpy as np

    def held(ids: Any) -> Any:
        place = np.minimum(np.searchsorted(keep, ids), max(len(keep) - 1, 0))
        return keep[place] == ids if len(keep) else np.zeros(len(ids), bool)

    chunk_masks = [held(segment.chunks >> CHUNK_BITS) for segment in segments]
    facts_masks = [held(segment.facts) for segment in segments]

    def join(name: str, masks: list[Any]) -> Any:
        return np.concatenate([getattr(segment, name)[mask] for segment, mask in zip(segments, masks, strict=True)])

    arrays = {name: join(name, chunk_masks) for name in ("chunks", "lengths", "owners", "vectors", "provided")}
    arrays |= {name: join(name, facts_masks) for name in ("facts", "symbols", "about_lengths", "name_vectors")}
    for name, masks in (("body", chunk_masks), ("about", facts_masks)):
        joined = _join_fields([getattr(segment, name) for segment in segments], masks)
        arrays |= {f"{name}_{part}": array for part, array in zip(_PARTS, joined, strict=True)}
    return arrays


def write_segment(path: Path, arrays: dict[str, Any], model: str) -> None:
    """Write a segment whole and durable, or not at all."""
    import numpy as np

    header, at = [], 0
    blocks = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    for name, array in blocks.items():
        header.append([name, array.dtype.str, list(array.shape), at])
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    text = json.dumps({"arrays": header, "size": at, "model": model}).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % _ALIGN)
    draft = path.with_suffix(".draft")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(draft, "wb") as file:
        file.write(_MAGIC + len(text).to_bytes(8, "little") + text)
        for array in blocks.values():
            file.write(array.tobytes() if array.nbytes else b"")
            file.write(b"\0" * (-array.nbytes % _ALIGN))
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def map_arrays(path: Path) -> tuple[dict[str, Any], str]:
    """The arrays of a file that `write_segment` wrote, mapped, and its model; ValueError when it is not whole."""
    import numpy as np

    size = os.path.getsize(path)
    with open(path, "rb") as file:
        start = file.read(len(_MAGIC) + 8)
        if start[: len(_MAGIC)] != _MAGIC:
            raise ValueError("not a segment")
        length = int.from_bytes(start[len(_MAGIC) :], "little")
        header = json.loads(file.read(min(length, size)))
    base = len(_MAGIC) + 8 + length
    if base + header["size"] != size:
        raise ValueError(f"{size} bytes instead of {base + header['size']}")
    whole = np.asarray(np.memmap(path, np.uint8, "r"))  # the plain class: a slice of a memmap costs microseconds
    arrays = {
        name: whole[base + at : base + at + _bytes(dtype, shape)].view(dtype).reshape(shape)
        for name, dtype, shape, at in header["arrays"]
    }
    return arrays, str(header["model"])


def _bytes(dtype: str, shape: list[int]) -> int:
    import numpy as np

    count = 1
    for side in shape:
        count *= side
    return count * np.dtype(dtype).itemsize


def _invert(packed: Sequence[Packed]) -> tuple[Any, Any, Any, Any]:
    """From terms of documents to documents of terms."""
    import numpy as np

    terms = np.frombuffer(b"".join([terms for terms, _ in packed]), "<u4")
    frequencies = np.frombuffer(b"".join([freqs for _, freqs in packed]), np.uint8)
    counts = np.fromiter((len(freqs) for _, freqs in packed), np.int64, len(packed))
    documents = np.repeat(np.arange(len(packed), dtype=np.uint32), counts)
    return _grouped(terms, documents, frequencies)


def _grouped(terms: Any, documents: Any, frequencies: Any) -> tuple[Any, Any, Any, Any]:
    """Postings in order of term, then document; `documents` ascend within each term already."""
    import numpy as np

    terms, order = in_order(terms)
    starts = np.flatnonzero(np.concatenate([[True], terms[1:] != terms[:-1]])) if len(terms) else np.zeros(0, np.int64)
    offsets = np.concatenate([starts, [len(terms)]]).astype(np.uint64)
    return terms[starts], offsets, documents[order], frequencies[order]


def _join_fields(fields: Sequence[Field], masks: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    import numpy as np

    terms, documents, frequencies, base = [], [], [], 0
    for field, mask in zip(fields, masks, strict=True):
        renumbered = np.cumsum(mask, dtype=np.int64) - 1 + base
        offsets: Ints = np.asarray(field._offsets).astype(np.int64)
        spelled = np.repeat(np.asarray(field._terms), offsets[1:] - offsets[:-1])
        kept = mask[field._documents]
        terms.append(spelled[kept])
        documents.append(renumbered[field._documents[kept]].astype(np.uint32))
        frequencies.append(field._frequencies[kept])
        base += int(mask.sum())
    return _grouped(np.concatenate(terms), np.concatenate(documents), np.concatenate(frequencies))


def lengths_of(rows: Any) -> Floats:
    """The length of each row of bytes, at least 1, so that one may divide by it."""
    import numpy as np

    found = np.ones(len(rows), np.float32)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK].astype(np.float32)
        found[first : first + _BLOCK] = np.sqrt(np.einsum("ij,ij->i", block, block))
    return np.maximum(found, np.float32(1))


def quantised(vectors: Any) -> Any:
    """Vectors as bytes, row by row: only the angle counts, so no scale is kept."""
    import numpy as np

    if not vectors.size:
        return vectors.astype(np.int8)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors * (127.0 / np.maximum(largest, 1e-12))).astype(np.int8)
