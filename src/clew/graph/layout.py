"""Where modules live: from what an import says to the file it means, by the rules of each language.

It knows paths, and of contents only those that say where modules are (`go.mod`, `Cargo.toml`). A module that is no
file of the tree is external. Main call: `Layout.find`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from clew.graph.layouts.c import CLayout
from clew.graph.layouts.golang import GoLayout
from clew.graph.layouts.python import PythonLayout
from clew.graph.layouts.rust import RustLayout
from clew.graph.layouts.scripts import LANGUAGES, ScriptLayout
from clew.graph.layouts.tree import Place, Read, Tree

__all__ = ["Layout", "Place"]


class Layout:
    """The paths of a snapshot, and a way to read the files that configure it."""

    def __init__(self, paths: Iterable[str], read: Read | None = None) -> None:
        self._tree = Tree(paths, read)

    def find(self, importer: str, language: str, module: str) -> Place | None:
        """What `module` means in a file; None if it is not of this tree."""
        if language == "python":
            return self._python.find(importer, module)
        if language == "go":
            return self._go.find(importer, module)
        if language == "rust":
            return self._rust.find(importer, module)
        if language in ("c", "cpp"):
            return self._c.find(importer, module)
        return self._scripts.find(importer, language, module) if language in LANGUAGES else None

    def inside(self, place: Place, name: str, language: str) -> Place | None:
        """A module within a directory or a package, by its name."""
        if language == "python":
            return self._python.inside(place, name)
        return self._rust.find(place.path, f"/{name}") if language == "rust" else None

    def siblings(self, path: str, language: str) -> tuple[str, Iterable[str]] | None:
        """The directory whose files share their names with a file without imports, and those files."""
        if language == "go":
            return self._go.siblings(path)
        if language == "rust":
            return self._rust.siblings(path)
        return self._scripts.siblings(path, language) if language == "php" else None

    def sources(self) -> list[str]:
        """The files of C and C++, which declare here what they define there."""
        return self._c.sources()

    @cached_property
    def _c(self) -> CLayout:
        return CLayout(self._tree)

    @cached_property
    def _scripts(self) -> ScriptLayout:
        return ScriptLayout(self._tree)

    @cached_property
    def _python(self) -> PythonLayout:
        return PythonLayout(self._tree)

    @cached_property
    def _go(self) -> GoLayout:
        return GoLayout(self._tree)

    @cached_property
    def _rust(self) -> RustLayout:
        return RustLayout(self._tree)
