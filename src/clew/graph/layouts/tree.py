"""The paths of a snapshot, and the few contents that say what module names mean."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

Read = Callable[[str], bytes | None]  # the content of a file of the snapshot


class Place(NamedTuple):
    """What an import means: a file, a directory of them, or what lies in a file under a dotted name."""

    path: str
    is_directory: bool = False
    inner: str = ""


class Tree:
    """The paths of a snapshot."""

    def __init__(self, paths: Iterable[str], read: Read | None = None) -> None:
        self.files = frozenset(paths)
        self.read: Read = read or (lambda _: None)

    @cached_property
    def directories(self) -> frozenset[str]:
        """All directories, with "" for the root."""
        found: set[str] = {""}
        for path in self.files:
            directory = posixpath.dirname(path)
            while directory not in found:
                found.add(directory)
                directory = posixpath.dirname(directory)
        return frozenset(found)


def nearest(paths: Iterable[str], importer: str) -> str | None:
    """Of several paths the one that shares most directories with the importer; None for none."""
    parts = importer.split("/")
    best, most = None, -1
    for path in sorted(paths):
        common = 0
        for mine, its in zip(parts, path.split("/"), strict=False):
            if mine != its:
                break
            common += 1
        if common > most:
            best, most = path, common
    return best
