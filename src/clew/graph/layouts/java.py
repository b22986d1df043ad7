"""Java's classes: a package is a directory below any source root, a public class a file in it.

Of equal names in several roots the nearest to the importer is meant. Main call: `JavaLayout.find`.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

from clew.graph.layouts.tree import Place, Tree, nearest


class JavaLayout:
    """What qualified names mean in Java."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[tuple[str, str], Place | None] = {}

    def find(self, importer: str, module: str) -> Place | None:
        """A class, what lies in it, or a package."""
        key = (posixpath.dirname(importer), module)
        if key not in self._known:
            self._known[key] = self._find(importer, module.split("."))
        return self._known[key]

    def inside(self, place: Place, name: str, importer: str) -> Place | None:
        """A class of a package."""
        found = self.find(importer, f"{place.path.replace('/', '.')}.{name}") if place.is_directory else None
        return found if found is not None and found.inner == name else None

    def _find(self, importer: str, parts: list[str]) -> Place | None:
        for length in range(len(parts), 0, -1):
            folder = "/" + "/".join(parts[: length - 1]) if length > 1 else ""
            paths = [
                path
                for path in self._files.get(parts[length - 1], ())
                if length == 1 or f"/{posixpath.dirname(path)}".endswith(folder)
            ]
            path = nearest(paths, importer) if length > 1 else None
            if path is not None:
                return Place(path, inner=".".join(parts[length - 1 :]))
        package = "/".join(parts)
        return Place(package, True) if package in self._packages else None

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._tree.files):
            if path.endswith(".java"):
                found.setdefault(posixpath.basename(path)[:-5], []).append(path)
        return found

    @cached_property
    def _packages(self) -> frozenset[str]:
        """Every end of a directory that has classes in it: which of them is the package, its imports say."""
        directories = {posixpath.dirname(path) for paths in self._files.values() for path in paths}
        found: set[str] = set()
        for directory in directories:
            parts = directory.split("/")
            found.update("/".join(parts[at:]) for at in range(len(parts)))
        return frozenset(found)
