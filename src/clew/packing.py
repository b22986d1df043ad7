"""Bytes made smaller for the store, and back: LZ4 blocks, each with its size before it.

Contents are unpacked for every exact search, so what counts is how fast that is: 2 GB/s and more, twice as fast as
zstd at its fastest, which would take a tenth less room. Main calls: `pack`, `unpack`, `unpack_texts`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

import lz4.block

from clew import native
from clew.errors import StoreCorrupt

pack: Callable[[bytes], bytes] = lz4.block.compress


def unpack(packed: bytes) -> bytes:
    """The inverse of `pack`; anything else is damage."""
    try:
        content: bytes = lz4.block.decompress(packed)
    except (lz4.block.LZ4BlockError, ValueError) as error:
        raise _damaged(error) from error
    return content


def unpacked_size(packed: bytes) -> int:
    """How large a content was, as far as what is packed tells."""
    return int.from_bytes(packed[:4], "little")


def unpack_texts(packed: list[bytes]) -> tuple[bytes, list[int]]:
    """Contents as they are searched, one after the other with a line end after each, and their sizes: a byte order mark
    at the beginning of one is no part of its first line."""
    if native.kernels is None:
        contents = [without_mark(unpack(each)) for each in packed]
        return b"\n".join([*contents, b""]), [*map(len, contents)]
    try:
        joined, sizes = native.kernels.unpack_all(packed)
    except ValueError as error:
        raise _damaged(error) from error
    return joined, memoryview(sizes).cast("q").tolist()


def without_mark(content: bytes) -> bytes:
    """A content as it is searched."""
    return content.removeprefix(codecs.BOM_UTF8)


def _damaged(error: Exception) -> StoreCorrupt:
    return StoreCorrupt(f"what the index has packed is damaged ({error}); run `clew clear`, then `clew index`")


def repacked(*values: Any) -> Any:
    """What an earlier version packed with zstd, as it is packed now; a function of one value for migrations."""
    (packed,) = values
    if not packed:
        return packed
    try:
        import zstandard
    except ImportError as error:
        raise StoreCorrupt(
            "the index was made by an earlier version of Clew; install the Python package zstandard and run the command"
            " again, or run `clew clear`, then `clew index`"
        ) from error
    try:
        return pack(zstandard.ZstdDecompressor().decompress(packed))
    except zstandard.ZstdError:
        return packed  # damaged, as it was; the rest is not
