"""The files and directories of a snapshot, and what is written in those that configure it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

Read = Callable[[str], bytes | None]  # the content of a file of the snapshot


class Place(NamedTuple):
    """What an import means: a file, or a directory of them."""

    path: str
    is_directory: bool = False


class Tree:
    """The paths of a snapshot; contents only of files that say where others are."""

    def __init__(self, paths: Iterable[str], read: Read | None = None) -> None:
        self.files = frozenset(paths)
        self._read = read

    def text(self, path: str) -> str:
        """What a file says; nothing when it cannot be read."""
        content = self._read(path) if self._read is not None and path in self.files else None
        return content.decode("utf-8", "replace") if content is not None else ""

    @cached_property
    def directories(self) -> frozenset[str]:
        found: set[str] = {""}
        for path in self.files:
            directory = posixpath.dirname(path)
            while directory not in found:
                found.add(directory)
                directory = posixpath.dirname(directory)
        return frozenset(found)

    @cached_property
    def by_directory(self) -> dict[str, list[str]]:
        """The files of each directory, in order."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(posixpath.dirname(path), []).append(path)
        return found

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """All files of a name, in order."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(posixpath.basename(path), []).append(path)
        return found


def join(directory: str, *names: str) -> str:
    """A path without `.` and `..` in it; "" for the top."""
    path = posixpath.normpath(posixpath.join(directory, *names))
    return "" if path == "." else path
