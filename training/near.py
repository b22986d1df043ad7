"""Text that is kept for evaluation, recognised line by line wherever it turns up again.

A snippet with at least two long lines of which more than 30 % stand in held-out text is a copy of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

MIN_LINE_BYTES = 30  # shorter lines are idioms that anyone writes
MAX_SHARE = 0.3


class HeldOutLines:
    """A set of the long lines of held-out text."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, content: bytes) -> None:
        self._hashes.update(_long_lines(content))

    def save(self, path: Path) -> None:
        np.save(path, np.fromiter(self._hashes, np.uint32))

    def load(self, path: Path) -> None:
        self._hashes = set(np.load(path).tolist())

    def __call__(self, snippet: bytes) -> bool:
        lines = list(_long_lines(snippet))
        return len(lines) >= 2 and sum(line in self._hashes for line in lines) > MAX_SHARE * len(lines)


def _long_lines(content: bytes) -> Iterable[int]:
    for line in content.split(b"\n"):
        text = line.strip()
        if len(text) >= MIN_LINE_BYTES:
            yield zlib.crc32(text)
