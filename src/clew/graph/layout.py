"""Where modules live: from what an import says to the file it means, by the rules of each language.

It knows paths, and of contents only the few files that say what names mean, as `tsconfig.json` and `go.mod` do. A
module that is no file of the tree is external. Main call: `Layout.find`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

from clew.graph.layouts.c import CLayout
from clew.graph.layouts.csharp import CsharpLayout
from clew.graph.layouts.ecmascript import EcmascriptLayout
from clew.graph.layouts.golang import GoLayout
from clew.graph.layouts.java import JavaLayout
from clew.graph.layouts.python import PythonLayout
from clew.graph.layouts.rust import RustLayout
from clew.graph.layouts.scripts import LANGUAGES, ScriptLayout
from clew.graph.layouts.swift import SwiftLayout
from clew.graph.layouts.tree import Place, Read, Tree

__all__ = ["Layout", "Place", "is_configuration"]

_CONFIGURATION = re.compile(
    r"(?:^|/)(?:package\.json|[^/]*config[^/]*\.json|go\.mod|go\.work|Cargo\.toml|Package\.swift)\Z"
)
_PACKAGED = (".kt", ".kts", ".scala", ".sc", ".swift", ".java")


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
        self._tree, self.swift = tree, SwiftLayout(tree)
        ecmascript, self._csharp = EcmascriptLayout(tree), CsharpLayout(tree)
        self._go, self._rust, self._c = GoLayout(tree), RustLayout(tree), CLayout(tree)
        scripts = {language: ScriptLayout(tree, language) for language in LANGUAGES}
        self._python = PythonLayout(tree)
        self._families: dict[str, _Family] = {
            "python": self._python,
            "javascript": ecmascript,
            "typescript": ecmascript,
            "tsx": ecmascript,
            "java": JavaLayout(tree),
            "csharp": self._csharp,
            "go": self._go,
            "rust": self._rust,
            "c": self._c,
            "cpp": self._c,
            **scripts,
        }
        self._units: dict[str, GoLayout | RustLayout | ScriptLayout] = {
            "go": self._go, "rust": self._rust, "php": scripts["php"],
        }  # fmt: skip

    def read_with(self, read: Read) -> None:
        """Let files that configure be read so from now on."""
        self._tree.read = read

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

    def siblings(self, path: str, language: str) -> tuple[str, list[str]] | None:
        """The directory whose files share their names with a file without imports, and those files."""
        family = self._units.get(language)
        return family.siblings(path) if family is not None else None

    def sources(self) -> list[str]:
        """The files of C and C++, which declare here what they define there."""
        return self._c.sources()

    def packaged(self) -> list[str]:
        """The files of languages that know packages by what files say."""
        return sorted(path for path in self._tree.files if path.endswith(_PACKAGED))

    def has_folder(self, path: str) -> bool:
        """Whether some directory has a path that ends so."""
        return path.rpartition("/")[2] in self._folders and any(
            f"/{directory}".endswith(f"/{path}") for directory in self._folders[path.rpartition("/")[2]]
        )

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for directory in self._tree.directories:
            found.setdefault(directory.rpartition("/")[2], []).append(directory)
        return found

    def keys(self, importer: str, language: str, module: str) -> set[str]:
        """What else it depends on where a module is, beside the names in its name: keys as `Known` has them."""
        if language == "go":
            return {f"d:{directory}" for directory in self._go.candidates(importer, module)}
        if language == "python":
            return self._python.keys(module)
        if language != "rust":
            return set()
        return {f"m:{name}" for name in (*self._rust.root_names(), *importer.split("/")[:-1])}

    def keys_of(self, path: str) -> set[str]:
        """What else a file touches that came or went, beside its name and its directories."""
        return self._python.keys_of(path)
