"""Where Go's packages live: a directory is a package, `go.mod` says what its path is called."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property

from clew.graph.layouts.tree import Place, Tree, join

_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)', re.MULTILINE)
_REPLACED = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.\.?(?:/\S*)?)\s*(?://.*)?$", re.MULTILINE)


class GoLayout:
    """Go's packages in a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def find(self, importer: str, module: str) -> Place | None:
        """The directory of a package by its import path."""
        return next((Place(found, True) for found in self.candidates(importer, module) if self._has_code(found)), None)

    def inside(self, _place: Place, _name: str, _importer: str) -> Place | None:
        """Nothing: a package has its own name wherever it is."""
        return None

    def candidates(self, importer: str, module: str) -> list[str]:
        """The directories that an import path may mean: the first counts that has code in it."""
        if module.startswith("."):
            return [join(posixpath.dirname(importer), module)]
        own = self._around(posixpath.dirname(importer))
        for name, directory in self._replaced.get(own, ()) if own is not None else ():
            if module == name or module.startswith(f"{name}/"):
                return [join(directory, module[len(name) + 1 :])]
        return [
            join(directory, module[len(name) + 1 :])
            for name, directories in self._modules
            if module == name or module.startswith(f"{name}/")
            for directory in sorted(directories, key=lambda directory: directory != own)
        ]

    def siblings(self, path: str) -> tuple[str, list[str]]:
        """The files of a package; those of its outer tests are told apart by their package's name."""
        directory = path if path in self._tree.by_directory else posixpath.dirname(path)
        return directory, [file for file in self._tree.by_directory.get(directory, ()) if file.endswith(".go")]

    def _has_code(self, directory: str) -> bool:
        return any(path.endswith(".go") for path in self._tree.by_directory.get(directory, ()))

    def _around(self, directory: str) -> str | None:
        """The directory of the `go.mod` that a directory is under."""
        while f"{directory}/go.mod".lstrip("/") not in self._tree.files:
            if not directory:
                return None
            directory = posixpath.dirname(directory)
        return directory

    @cached_property
    def _modules(self) -> list[tuple[str, list[str]]]:
        """The paths of modules with their directories, the longest first: `a/b/v2` is not within `a/b`."""
        found: dict[str, list[str]] = {}
        for path in self._tree.by_name.get("go.mod", ()):
            match = _MODULE.search(self._tree.text(path))
            if match:
                found.setdefault(match[1], []).append(posixpath.dirname(path))
        return sorted(found.items(), key=lambda item: -len(item[0]))

    @cached_property
    def _replaced(self) -> dict[str, list[tuple[str, str]]]:
        """Of each `go.mod`'s directory, modules that it takes from a directory of this tree."""
        return {
            posixpath.dirname(path): [
                (match[1], join(posixpath.dirname(path), match[2]))
                for match in _REPLACED.finditer(self._tree.text(path))
            ]
            for path in self._tree.by_name.get("go.mod", ())
        }
