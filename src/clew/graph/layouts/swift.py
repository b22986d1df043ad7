"""Swift's modules: a target of a package is a directory, all of whose files see each other.

`Package.swift` says which targets there are and where. What lies below no package is one module: an Xcode project does
not say in a way that could be read. Main calls: `SwiftLayout.target`, `SwiftLayout.named`.
"""

from __future__ import annotations

import posixpath
import re
from functools import cached_property

from clew.graph.layouts.tree import Tree, join, nearest

MANIFEST = "Package.swift"
_TARGET = re.compile(r"\.(target|executableTarget|testTarget|macro|plugin)\s*\(\s*name:\s*\"([^\"]+)\"")
_PATH = re.compile(r"\bpath:\s*\"([^\"]+)\"")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_USUAL = ("Sources", "Source", "src", "srcs")


class SwiftLayout:
    """The targets of a tree; each is known by its package's directory and its name."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, str] = {}

    def target(self, path: str) -> str:
        """The module that a file is of."""
        directory = posixpath.dirname(path)
        if directory not in self._known:
            self._known[directory] = self._target(directory)
        return self._known[directory]

    def named(self, name: str, importer: str) -> str | None:
        """The module of this tree that an import names, of several the nearest."""
        package = nearest((f"{package}/" for package, targets in self._packages.items() if name in targets), importer)
        return f"{package[:-1]}:{name}" if package is not None else None

    def _target(self, directory: str) -> str:
        above = directory
        while above not in self._directories:
            if not above:
                break
            above = posixpath.dirname(above)
        package = directory
        while package not in self._packages:
            if not package:
                return "/"
            package = posixpath.dirname(package)
        if above in self._directories and len(above) >= len(package):
            return self._directories[above]
        return f"{package}:/{directory[len(package) :].strip('/').partition('/')[0]}"

    @cached_property
    def _directories(self) -> dict[str, str]:
        return {
            directory: f"{package}:{name}"
            for package, targets in self._packages.items()
            for name, directory in targets.items()
        }

    @cached_property
    def _packages(self) -> dict[str, dict[str, str]]:
        """Of each directory with a manifest, the targets and where they are."""
        found = {}
        for path in self._tree.by_name.get(MANIFEST, ()):
            package = posixpath.dirname(path)
            found[package] = self._targets(package, _COMMENT.sub("", self._tree.text(path)))
        return found

    def _targets(self, package: str, text: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for match in _TARGET.finditer(text):
            own = _PATH.search(_body(text, match.start(1)))
            usual = ("Tests", *_USUAL) if match[1] == "testTarget" else _USUAL
            places = [own[1]] if own else [f"{place}/{match[2]}" for place in usual]
            for place in places:
                directory = join(package, place)
                if directory in self._tree.directories:
                    found.setdefault(match[2], directory)
        return found


def _body(text: str, start: int) -> str:
    """What stands between the parentheses of a call."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0 and text[at] == ")":
            return text[start:at]
    return text[start:]
