"""Python's modules: packages, source roots, namespace packages; never a library of the same name."""

from __future__ import annotations

import posixpath
import sys
from functools import cached_property
from itertools import groupby
from operator import itemgetter

from clew.graph.layouts.tree import Place, Tree

_SOURCE_ROOTS = frozenset({"", "src", "lib", "python", "source"})
_Rank = tuple[bool, int, bool]  # not around the importer, how near, no source root of the whole tree


class PythonLayout:
    """What module names mean in Python."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._found: dict[tuple[str, str], Place | None] = {}

    def find(self, importer: str, module: str) -> Place | None:
        """A module by its name, with dots in front of a relative one."""
        key = (posixpath.dirname(importer), module)  # all files of a directory mean the same
        if key not in self._found:
            self._found[key] = self._find(importer, module)
        return self._found[key]

    def _find(self, importer: str, module: str) -> Place | None:
        rest = module.lstrip(".")
        dots = len(module) - len(rest)
        if dots:
            directory = posixpath.dirname(importer)
            for _ in range(dots - 1):
                if not directory:
                    return None
                directory = posixpath.dirname(directory)
            return self._module(posixpath.join(directory, *rest.split(".")) if rest else directory)
        top, *below = module.split(".")
        for _, group in groupby(self._roots(importer, top), key=itemgetter(0)):
            held = [self._module(posixpath.join(root, top, *below)) for _, root in group]
            found = [place for place in held if place is not None]
            if found:  # of several that are as likely none: a directory in which nothing is
                return found[0] if len(found) == 1 else Place(posixpath.join(top, *below), True)
        return None

    def inside(self, place: Place, name: str, _importer: str) -> Place | None:
        """A module within a directory or a package."""
        directory = place.path if place.is_directory else posixpath.dirname(place.path)
        if not place.is_directory and posixpath.basename(place.path) not in ("__init__.py", "__init__.pyi"):
            return None
        return self._module(posixpath.join(directory, name))

    def keys(self, module: str) -> set[str]:
        """What it depends on where a module is, beside the names in its name: which directories are packages."""
        return {f"p:{module.partition('.')[0]}"} if not module.startswith(".") else set()

    def keys_of(self, path: str) -> set[str]:
        """What depends on whether there is a file: where `__init__.py` is, no name begins that others import."""
        directory, name = posixpath.split(path)
        if name != "__init__.py":
            return set()
        inside = [posixpath.basename(file) for file in self._tree.by_directory.get(directory, ())]
        inside += [posixpath.basename(each) for each in self._tree.directories if posixpath.dirname(each) == directory]
        return {f"p:{each.rpartition('.')[0] or each}" for each in inside if each}

    def _module(self, path: str) -> Place | None:
        for candidate in (f"{path}.py", f"{path}/__init__.py", f"{path}.pyi", f"{path}/__init__.pyi", f"{path}.pyx"):
            if candidate.lstrip("/") in self._tree.files:
                return Place(candidate.lstrip("/"))
        return Place(path, True) if path in self._tree.directories else None

    def _roots(self, importer: str, top: str) -> list[tuple[_Rank, str]]:
        """Directories in which a top module may be meant, the likeliest first: around the importer, else a source root.

        A library of the same name is never taken for a lone file in some corner of the tree."""
        found: list[tuple[_Rank, str]] = []
        for root in self._tops.get(top, ()):
            is_around = root == "" or importer == root or importer.startswith(f"{root}/")
            is_package = f"{posixpath.join(root, top)}/__init__.py" in self._tree.files
            is_source_root = posixpath.basename(root) in _SOURCE_ROOTS
            if top in sys.stdlib_module_names and not (is_around and is_package):
                continue
            if is_around or is_package or is_source_root:
                common = len(posixpath.commonpath([root, importer])) if root and not is_around else len(root)
                found.append(((not is_around, -common, not is_around and root not in _SOURCE_ROOTS), root))
        return sorted(found)

    @cached_property
    def _tops(self) -> dict[str, list[str]]:
        """Directories that are no packages themselves, by the modules in them."""
        rows = [path.rpartition("/") for path in self._tree.files if path.endswith((".py", ".pyi", ".pyx"))]
        packages = {directory for directory, _, name in rows if name == "__init__.py"}
        found: dict[str, set[str]] = {}
        for directory, _, name in rows:
            if directory not in packages:
                found.setdefault(name.rpartition(".")[0], set()).add(directory)
        for holder in {directory for directory, _, name in rows if not name.endswith(".pyx")}:
            while holder:
                parent, _, name = holder.rpartition("/")
                if parent not in packages:
                    found.setdefault(name, set()).add(parent)
                holder = parent
        return {name: sorted(roots) for name, roots in found.items()}
