"""JavaScript's and TypeScript's modules: relative files, `tsconfig.json`, packages of the tree by name.

Built output is seldom in the tree: a package that exports `./dist/x.js` is read from its `src/x.ts`, unless one of its
conditions names a file that is there. Main call: `EcmascriptLayout.find`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from clew.graph.layouts.configuration import Configurations
from clew.graph.layouts.tree import Place, Tree, join, nearest

_TYPED = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts")
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_SOURCES = {  # what a file that is named with the extension of the output is made of
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_OUTPUT = frozenset({"dist", "lib", "build", "out", "output", "esm", "cjs", "es", "types", "umd", "module", "commonjs"})
_SOURCE = ("src", "source", "lib", "")


class EcmascriptLayout:
    """What module specifiers mean."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._configurations = Configurations(tree)
        self._known: dict[tuple[str, str], Place | None] = {}

    def find(self, importer: str, module: str) -> Place | None:
        """The file that a specifier means."""
        key = (posixpath.dirname(importer) + ("/" if importer.endswith(_PLAIN) else ""), module)
        if key not in self._known:
            path = self._find(importer, module.partition("?")[0])
            self._known[key] = Place(path) if path is not None else None
        return self._known[key]

    def inside(self, _place: Place, _name: str, _importer: str) -> Place | None:
        """Nothing: a directory holds only what its index exports."""
        return None

    def _find(self, importer: str, module: str) -> str | None:
        is_plain = importer.endswith(_PLAIN)
        if module in (".", "..") or module.startswith(("./", "../")):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
            return self._file("" if path == "." else path, is_plain=is_plain)
        if not module or module.startswith(("/", "node:")):
            return None
        for candidate in self._configurations.mapped(importer, module):
            found = self._file(candidate, is_plain=is_plain)
            if found is not None:
                return found
        return self._in_package(importer, module)

    # -- files -------------------------------------------------------------------------------------

    def _file(self, path: str, *, is_plain: bool = False) -> str | None:
        """The file that a path means which may lack its extension, have that of the output, or be a directory."""
        if path.startswith(".."):
            return None
        files = self._tree.files
        stem, extension = posixpath.splitext(path)
        if path in files and (is_plain or extension not in _SOURCES):
            return path if path.endswith((*_TYPED, *_PLAIN, ".vue", ".svelte")) else None
        for source in _SOURCES.get(extension, ()):
            if stem + source in files:
                return stem + source
        if path in files:
            return path
        endings = (*_PLAIN, *_TYPED) if is_plain else (*_TYPED, *_PLAIN)
        for candidate in (path, posixpath.join(path, "index")):
            for ending in endings:
                if candidate + ending in files:
                    return candidate + ending
        if path in self._tree.directories and posixpath.join(path, "package.json") in files:
            return self._entry(path, "")
        return None

    # -- packages ----------------------------------------------------------------------------------

    @cached_property
    def _packages(self) -> dict[str, list[str]]:
        """Directories of packages by name."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._tree.files):
            if posixpath.basename(path) == "package.json" and "node_modules/" not in path:
                name = self._configurations.load(path).get("name")
                if isinstance(name, str) and name:
                    found.setdefault(name, []).append(posixpath.dirname(path))
        return found

    def _in_package(self, importer: str, module: str) -> str | None:
        parts = module.split("/")
        cut = 2 if module.startswith("@") else 1
        if module.startswith("#"):
            return self._imported(importer, module)
        directory = nearest(self._packages.get("/".join(parts[:cut]), ()), importer)
        if directory is None:
            return None
        return self._entry(directory, "/".join(parts[cut:]), self._configurations.conditions(importer))

    def _imported(self, importer: str, module: str) -> str | None:
        """What a package calls its own with `imports`."""
        directory = posixpath.dirname(importer)
        while directory and posixpath.join(directory, "package.json") not in self._tree.files:
            directory = posixpath.dirname(directory)
        table = self._configurations.load(posixpath.join(directory, "package.json")).get("imports")
        if not isinstance(table, dict):
            return None
        return self._first(directory, _targets(table, module, self._configurations.conditions(importer)))

    def _entry(self, directory: str, rest: str, conditions: Sequence[str] = ()) -> str | None:
        """The file that a package gives for itself, or for a path below its name."""
        package = self._configurations.load(posixpath.join(directory, "package.json"))
        exports = package.get("exports")
        if exports is not None:
            is_map = isinstance(exports, dict) and any(key.startswith(".") for key in exports)
            table = exports if is_map else {".": exports}
            found = self._first(directory, _targets(table, f"./{rest}" if rest else ".", conditions))
            if found is not None:
                return found
        if not rest:
            fields = [package.get(key) for key in ("source", "types", "typings", "module", "main")]
            found = self._first(directory, (field for field in fields if isinstance(field, str)))
            if found is not None:
                return found
        for source in _SOURCE:
            found = self._plain_file(posixpath.join(directory, source, rest or "index"))
            if found is not None:
                return found
        return None

    def _first(self, directory: str, targets: Iterable[str]) -> str | None:
        """The first target that there is as it is; else the first whose source is: where the configuration says that it
        is made of, or under the usual name."""
        targets = list(targets)
        for target in targets:
            found = self._plain_file(join(directory, target))
            if found is not None:
                return found
        outputs = self._configurations.outputs(directory) if targets else []
        for target in targets:
            path = join(directory, target)
            for output, sources in outputs:
                rest = path.removeprefix(f"{output}/") if output else path
                if output == "" or rest != path:
                    found = self._plain_file(join(sources, _without_extension(rest)))
                    if found is not None:
                        return found
            parts = posixpath.normpath(target).split("/")
            stem = _without_extension(parts[-1])
            while len(parts) > 1 and parts[0] in _OUTPUT:
                parts = parts[1:]
                for source in _SOURCE:
                    found = self._plain_file(posixpath.join(directory, source, *parts[:-1], stem))
                    if found is not None:
                        return found
        return None

    def _plain_file(self, path: str) -> str | None:
        """A file, but not by way of the package it may be in: that may be what is being looked for."""
        found = self._file(path) if posixpath.join(path, "package.json") not in self._tree.files else None
        return found or (self._file(posixpath.join(path, "index")) if path in self._tree.directories else None)


def _targets(table: dict[str, Any], wanted: str, conditions: Sequence[str]) -> Iterator[str]:
    """The files that a table of exports or imports names for a path, in the order of its conditions; those that the
    importer asks for come first."""
    if wanted in table:
        yield from _strings(table[wanted], conditions)
        return
    for pattern, value in table.items():
        before, star, after = pattern.partition("*")
        if star and wanted.startswith(before) and wanted.endswith(after) and len(wanted) >= len(pattern):
            middle = wanted[len(before) : len(wanted) - len(after)]
            yield from (target.replace("*", middle) for target in _strings(value, conditions))


def _strings(value: Any, conditions: Sequence[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for condition in sorted(value, key=lambda condition: condition not in conditions):
            yield from _strings(value[condition], conditions)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, conditions)


def _without_extension(name: str) -> str:
    for ending in sorted((*_TYPED, *_PLAIN), key=len, reverse=True):
        if name.endswith(ending):
            return name[: -len(ending)]
    return name
