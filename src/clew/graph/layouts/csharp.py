"""C#'s files: a namespace is no directory, so a type is looked for in the files that have its name.

`Mapper.Async.cs` holds a part of `Mapper`, as `Mapper.cs` does. Main call: `CsharpLayout.candidates`.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

from clew.graph.layouts.tree import Place, Tree

_NEIGHBOURS = 40  # files of a directory that are looked into; a larger one names its files after their types


class CsharpLayout:
    """Where types of C# may be."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def find(self, _importer: str, _module: str) -> Place | None:
        """Nothing: a namespace has no place."""
        return None

    def inside(self, _place: Place, _name: str, _importer: str) -> Place | None:
        """Nothing: a namespace has no place."""
        return None

    def candidates(self, importer: str, name: str) -> list[str]:
        """Files that may define a type, the likeliest first: those of its name, then the neighbours of the importer."""
        named = sorted(self._stems.get(name, ()), key=lambda path: (-_common(path, importer), len(path), path))
        beside = self._folders.get(posixpath.dirname(importer), ())
        return named + [path for path in beside if path not in named] if len(beside) <= _NEIGHBOURS else named

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._tree.files):
            if path.endswith((".cs", ".csx")):
                stem = posixpath.basename(path).partition(".")[0].partition("{")[0].partition("`")[0]
                found.setdefault(stem, []).append(path)
        return found

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for paths in self._stems.values():
            for path in paths:
                found.setdefault(posixpath.dirname(path), []).append(path)
        return found


def _common(path: str, other: str) -> int:
    return len(posixpath.commonprefix([posixpath.dirname(path).split("/"), posixpath.dirname(other).split("/")]))
