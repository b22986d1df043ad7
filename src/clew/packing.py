"""Bytes made smaller for the store, and back: LZ4 blocks, each with its size before it.

Contents are unpacked for every exact search, so what counts is how fast that is: 2 GB/s and more, twice as fast as
zstd at its fastest, which would take a tenth less room. Main calls: `pack`, `unpack`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lz4.block

from clew.errors import StoreCorrupt

pack: Callable[[bytes], bytes] = lz4.block.compress


def unpack(packed: bytes) -> bytes:
    """The inverse of `pack`; anything else is damage."""
    try:
        content: bytes = lz4.block.decompress(packed)
    except (lz4.block.LZ4BlockError, ValueError) as error:
        raise StoreCorrupt(
            f"what the index has packed is damaged ({error}); run `clew clear`, then `clew index`"
        ) from error
    return content


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
