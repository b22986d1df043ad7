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

    def text(self, path: str) -> str:
        """What a file says; nothing when it cannot be read."""
        content = self.read(path) if path in self.files else None
        return content.decode("utf-8", "replace") if content is not None else ""

    @cached_property
    def directories(self) -> frozenset[str]:
        """All directories, with "" for the root."""
        found: set[str] = {""}
        for path in self.files:
            directory = path.rpartition("/")[0]
            while directory not in found:
                found.add(directory)
                directory = directory.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def by_directory(self) -> dict[str, list[str]]:
        """The files of each directory, in order."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """All files of a name, in order."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found


def join(directory: str, *names: str) -> str:
    """A path without `.` and `..` in it; "" for the top."""
    path = posixpath.normpath(posixpath.join(directory, *names))
    return "" if path == "." else path


def nearest(paths: Iterable[str], importer: str) -> str | None:
    """Of several paths the one that shares most directories with the importer; None for none."""
    return next(iter(all_nearest(paths, importer)), None)


def all_nearest(paths: Iterable[str], importer: str) -> list[str]:
    """Those of some paths that share most directories with the importer, in order."""
    parts = importer.split("/")[:-1]
    found: list[str] = []
    most = -1
    for path in sorted(paths):
        common = 0
        for mine, its in zip(parts, path.split("/"), strict=False):
            if mine != its:
                break
            common += 1
        if common > most:
            found, most = [], common
        if common == most:
            found.append(path)
    return found
