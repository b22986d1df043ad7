"""`tsconfig.json` and `package.json`: read once, with the comments that people put into them.

Main call: `Configurations.mapped`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from clew.graph.layouts.tree import Tree, join

_NAMES = ("tsconfig.json", "jsconfig.json")
_BUILDS = re.compile(r"(?:^|/)[tj]sconfig(?:\.[\w-]+)?\.json\Z")
_MAX_EXTENDS = 12
_MAX_BYTES = 1_000_000  # a longer one is generated and configures nothing
_COMMENTS = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[\]}])')


class Paths(NamedTuple):
    """What a `tsconfig.json` says of module names."""

    base: str | None  # baseUrl
    root: str  # what the targets of `paths` are relative to
    paths: dict[str, list[str]]


class Output(NamedTuple):
    """Where a `tsconfig.json` puts what it makes of files below `sources`."""

    directory: str
    sources: str


class Configurations:
    """The configuration files of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._loaded: dict[str, dict[str, Any]] = {}
        self._of_directory: dict[str, list[Paths]] = {}

    def load(self, path: str) -> dict[str, Any]:
        """A JSON file as an object; empty if there is none or it is none."""
        if path not in self._loaded:
            content = self._tree.read(path) if path in self._tree.files else None
            self._loaded[path] = _parse(content) if content and len(content) <= _MAX_BYTES else {}
        return self._loaded[path]

    def mapped(self, importer: str, module: str) -> Iterator[str]:
        """The paths that `paths` and `baseUrl` name for a module, the most exact pattern first."""
        for paths in self._around(posixpath.dirname(importer)):
            found = []
            for pattern, targets in paths.paths.items():
                before, star, after = pattern.partition("*")
                if not star and module == pattern:
                    found.append((-len(pattern) - 1, targets, ""))
                elif star and module.startswith(before) and module.endswith(after) and len(module) >= len(pattern) - 1:
                    found.append((-len(before), targets, module[len(before) : len(module) - len(after)]))
            for _, targets, middle in sorted(found):
                for target in targets:
                    yield posixpath.normpath(posixpath.join(paths.root, target.replace("*", middle)))
            if paths.base is not None:
                yield posixpath.normpath(posixpath.join(paths.base, module))

    def conditions(self, importer: str) -> list[str]:
        """The conditions of `exports` that a file asks for beside the usual ones: `customConditions`."""
        directory = posixpath.dirname(importer)
        while True:
            for name in _NAMES:
                path = posixpath.join(directory, name)
                if path in self._tree.files:
                    found = self._option(path, "customConditions", _MAX_EXTENDS)[0]
                    return [condition for condition in found if isinstance(condition, str)] if found else []
            if not directory:
                return []
            directory = posixpath.dirname(directory)

    def outputs(self, directory: str) -> list[Output]:
        """Where the files of a package are put, as far as both ends of that are said."""
        found = []
        for name in sorted(self._tree.by_directory.get(directory, ())):
            if _BUILDS.search(name):
                out, of_out = self._option(name, "outDir", _MAX_EXTENDS)
                root, of_root = self._option(name, "rootDir", _MAX_EXTENDS)
                if isinstance(out, str) and isinstance(root, str):
                    found.append(Output(join(of_out, out), join(of_root, root)))
        return found

    def _option(self, path: str, name: str, depth: int) -> tuple[Any, str]:
        """What a configuration says of the compiler, itself or by what it extends; and the directory of who says so."""
        config, directory = self.load(path), posixpath.dirname(path)
        options = config.get("compilerOptions")
        if isinstance(options, dict) and name in options:
            return options[name], directory
        above = config.get("extends")
        for other in reversed([above] if isinstance(above, str) else above if isinstance(above, list) else []):
            if isinstance(other, str) and other.startswith(".") and depth:
                found = self._option(self._config_at(posixpath.join(directory, other)), name, depth - 1)
                if found[0] is not None:
                    return found
        return None, ""

    def _around(self, directory: str) -> list[Paths]:
        """What the nearest configuration above a directory says."""
        if directory not in self._of_directory:
            found: list[Paths] = []
            path = next((p for name in _NAMES if (p := posixpath.join(directory, name)) in self._tree.files), None)
            if path is not None:
                found.append(self._paths(path, _MAX_EXTENDS))
                for row in self.load(path).get("references") or ():  # one that only names others
                    other = row.get("path") if isinstance(row, dict) else None
                    if isinstance(other, str):
                        found.append(self._paths(self._config_at(posixpath.join(directory, other)), _MAX_EXTENDS))
                found = [paths for paths in found if paths.paths or paths.base is not None]
            elif directory:
                found = self._around(posixpath.dirname(directory))
            self._of_directory[directory] = found
        return self._of_directory[directory]

    def _paths(self, path: str, depth: int) -> Paths:
        config, directory = self.load(path), posixpath.dirname(path)
        above = config.get("extends")
        inherited = Paths(None, directory, {})
        for other in [above] if isinstance(above, str) else above if isinstance(above, list) else ():
            if isinstance(other, str) and other.startswith(".") and depth:
                found = self._paths(self._config_at(posixpath.join(directory, other)), depth - 1)
                inherited = found if found.paths or found.base is not None else inherited
        options = config.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        base, root, paths = inherited
        if isinstance(options.get("baseUrl"), str):
            base = root = posixpath.normpath(posixpath.join(directory, options["baseUrl"])).removeprefix("./")
            base = root = "" if base == "." else base
        if isinstance(options.get("paths"), dict):
            root = base if base is not None else directory
            paths = {
                key: [target for target in targets if isinstance(target, str)]
                for key, targets in options["paths"].items()
                if isinstance(targets, list)
            }
        return Paths(base, root, paths)

    def _config_at(self, path: str) -> str:
        path = posixpath.normpath(path)
        if path in self._tree.files:
            return path
        return f"{path}.json" if f"{path}.json" in self._tree.files else posixpath.join(path, "tsconfig.json")


def _parse(content: bytes) -> dict[str, Any]:
    text = content.decode("utf-8-sig", "replace")
    try:
        found = json.loads(text)
    except ValueError:
        text = _COMMAS.sub(_kept, _COMMENTS.sub(_kept, text))
        try:
            found = json.loads(text)
        except ValueError:
            return {}
    return found if isinstance(found, dict) else {}


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""
