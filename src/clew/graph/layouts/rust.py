"""Where Rust's modules live: `crate`, `super`, a module within a file, and the crates of a workspace.

A path of Rust is followed name by name, so that what is asked for here is only its first part, or `/name` for the
file of `mod name;`.
"""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import Any

from clew.graph.layouts.tree import Place, Tree, join

_ROOTS = ("lib.rs", "main.rs")
_OWN_CRATES = frozenset({"tests", "examples", "benches", "bin"})  # each file in them is a crate
_WORD = re.compile(r"\W")


class RustLayout:
    """Rust's modules in a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._manifests: dict[str, dict[str, Any]] = {}

    def find(self, importer: str, module: str) -> Place | None:
        """The file of a module: `crate`, `self`, `super`, `super::super`, `/name` or the name of a crate."""
        if module == "self":
            return Place(importer)
        if module == "crate":
            return Place(self._root(importer))
        if module.startswith("super"):
            path: str | None = importer
            for _ in module.split("::"):
                path = self._parent(path) if path is not None else None
            return Place(path) if path is not None else None
        if module.startswith("/"):
            return self._file(join(self._below(importer), module[1:]))
        found = self._crates.get(module)
        return Place(found) if found is not None else None

    def inside(self, place: Place, name: str, _importer: str) -> Place | None:
        """A module of a module."""
        return self.find(place.path, f"/{name}") if not place.is_directory else None

    def crate(self, path: str) -> str:
        """The directory of the crate that a file is part of."""
        directory = posixpath.dirname(path)
        while directory and f"{directory}/Cargo.toml" not in self._tree.files:
            directory = posixpath.dirname(directory)
        return directory

    def siblings(self, path: str) -> tuple[str, list[str]]:
        """The files of a crate: any of them may add to a type."""
        crate = self.crate(path)
        return crate, self._by_crate.get(crate, [])

    def _is_root(self, path: str) -> bool:
        directory, name = posixpath.split(path)
        if name in _ROOTS or path in self._named_roots:
            return True
        above, last = posixpath.split(directory)
        if last not in _OWN_CRATES or name == "mod.rs":
            return False
        return self.crate(path) == (above if last != "bin" else posixpath.dirname(above))

    def _root(self, path: str) -> str:
        """The file that a file's crate begins with."""
        while not self._is_root(path):
            parent = self._parent(path)
            if parent is None or parent == path:
                break
            path = parent
        return path

    def _below(self, path: str) -> str:
        """The directory in which the modules of a module are."""
        directory, name = posixpath.split(path)
        return directory if name == "mod.rs" or self._is_root(path) else join(directory, name.removesuffix(".rs"))

    def _parent(self, path: str) -> str | None:
        directory, name = posixpath.split(path)
        if self._is_root(path):
            return None
        if name == "mod.rs":
            directory = posixpath.dirname(directory)
        roots = [f"{directory}/{root}" for root in _ROOTS]
        roots += [root for root in self._named_roots if posixpath.dirname(root) == directory]
        for candidate in (f"{directory}/mod.rs", f"{directory}.rs", *roots):
            if candidate.lstrip("/") in self._tree.files and candidate != path:
                return candidate.lstrip("/")
        return None

    def _file(self, path: str) -> Place | None:
        for candidate in (f"{path}.rs", f"{path}/mod.rs"):
            if candidate in self._tree.files:
                return Place(candidate)
        return None

    @cached_property
    def _by_crate(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._tree.files):
            if path.endswith(".rs"):
                found.setdefault(self.crate(path), []).append(path)
        return found

    def root_names(self) -> set[str]:
        """The names of the files that crates begin with."""
        return {"lib", "main", "mod", *(posixpath.basename(path).removesuffix(".rs") for path in self._named_roots)}

    @cached_property
    def _named_roots(self) -> list[str]:
        """The files that manifests name as the beginning of a crate, libraries first."""
        found: dict[str, None] = {}
        for kind in ("lib", "bin", "test", "example", "bench"):
            for path in self._tree.by_name.get("Cargo.toml", ()):
                held = self._manifest(path).get(kind)
                for target in held if isinstance(held, list) else [held]:
                    first = target.get("path") if isinstance(target, dict) else None
                    if isinstance(first, str):
                        found[join(posixpath.dirname(path), first)] = None
        return [path for path in found if path in self._tree.files]

    def _manifest(self, path: str) -> dict[str, Any]:
        if path not in self._manifests:
            self._manifests[path] = _read_toml(self._tree.text(path))
        return self._manifests[path]

    @cached_property
    def _crates(self) -> dict[str, str]:
        """The first file of each library of the tree by the crate's name."""
        found: dict[str, str] = {}
        for path in self._tree.by_name.get("Cargo.toml", ()):
            manifest = self._manifest(path)
            package, library = manifest.get("package"), manifest.get("lib")
            package = package if isinstance(package, dict) else {}
            library = library if isinstance(library, dict) else {}
            name = library.get("name") or package.get("name")
            first = join(posixpath.dirname(path), str(library.get("path") or "src/lib.rs"))
            if isinstance(name, str) and first in self._tree.files:
                found.setdefault(_WORD.sub("_", name), first)
        return found


def _read_toml(text: str) -> dict[str, Any]:
    import tomllib  # it takes long, and most trees have none

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
