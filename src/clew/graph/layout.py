"""Where modules live: from what an import says to the file it means, by the rules of each language.

It knows paths, and of contents only the few files that say what names mean, as `tsconfig.json` does. A module that is
no file of the tree is external. Main call: `Layout.find`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from clew.graph.layouts.csharp import CsharpLayout
from clew.graph.layouts.ecmascript import EcmascriptLayout
from clew.graph.layouts.java import JavaLayout
from clew.graph.layouts.python import PythonLayout
from clew.graph.layouts.tree import Place, Read, Tree

__all__ = ["Layout", "Place", "is_configuration"]

_CONFIGURATION = re.compile(r"(?:^|/)(?:package\.json|[^/]*config[^/]*\.json|go\.mod|go\.work|Cargo\.toml)\Z")


def is_configuration(path: str) -> bool:
    """Whether a file may say what the names of modules mean in others."""
    return _CONFIGURATION.search(path) is not None


class _Family(Protocol):
    def find(self, importer: str, module: str, /) -> Place | None: ...
    def inside(self, place: Place, name: str, importer: str, /) -> Place | None: ...


class Layout:
    """The paths of a snapshot; `read` gives the content of a file that configures how names are found."""

    def __init__(self, paths: Iterable[str], read: Read | None = None) -> None:
        tree = Tree(paths, read)
        ecmascript, self._csharp = EcmascriptLayout(tree), CsharpLayout(tree)
        self._families: dict[str, _Family] = {
            "python": PythonLayout(tree),
            "javascript": ecmascript,
            "typescript": ecmascript,
            "tsx": ecmascript,
            "java": JavaLayout(tree),
            "csharp": self._csharp,
        }

    def find(self, importer: str, language: str, module: str) -> Place | None:
        """What `module` means in a file; None if it is not of this tree."""
        family = self._families.get(language)
        return family.find(importer, module) if family is not None else None

    def inside(self, place: Place, name: str, language: str, importer: str = "") -> Place | None:
        """A module within a directory or a package, by its name; of several the nearest to the importer."""
        family = self._families.get(language)
        return family.inside(place, name, importer) if family is not None else None

    def candidates(self, importer: str, name: str, language: str) -> list[str]:
        """Files that may define a type, for languages whose imports do not say in which file it is."""
        return self._csharp.candidates(importer, name) if language == "csharp" else []
