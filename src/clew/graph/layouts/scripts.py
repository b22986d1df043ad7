"""Where modules of Ruby, Lua, Zig and the shell live: a name is a path below some directory of the tree."""

from __future__ import annotations

import posixpath
import re

from clew.graph.layouts.tree import Place, Tree, join, nearest

_ENDINGS = {"php": (".php",), "ruby": (".rb",), "lua": (".lua", "/init.lua"), "bash": ("", ".sh", ".bash")}
LANGUAGES = frozenset({*_ENDINGS, "zig"})
_STATIC = re.compile(r"(?:.*(?:[)}]|\$\w+)(?=/))?([\w./-]+)", re.DOTALL)
_OWN_DIRECTORY = re.compile(r"dirname[^/]*(?:\$0|BASH_SOURCE)|\$\{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\}")
_VARIABLE = re.compile(r"\$\{?(\w+)\}?/?")
_LUA_ROOTS = ("lua/", "src/", "lib/")
_RUBY_ROOTS = ("lib/", "app/", "test/", "spec/")


class ScriptLayout:
    """Modules that are found by a part of their path."""

    def __init__(self, tree: Tree, language: str) -> None:
        self._tree, self._language = tree, language

    def find(self, importer: str, module: str) -> Place | None:
        """The file of a module."""
        language = self._language
        if language == "lua":
            return self._of_lua(importer, module)
        if language == "ruby":
            return self._of_ruby(importer, module)
        if language == "bash":
            return self._of_shell(importer, module)
        if language == "zig":
            beside = importer if module == "self" else join(posixpath.dirname(importer), module)
            return Place(beside) if beside in self._tree.files else None
        return None  # PHP's names are declared, not found

    def _of_ruby(self, importer: str, module: str) -> Place | None:
        """A path from the importer, or from a directory that is commonly looked in."""
        name = module if module.endswith(".rb") else f"{module}.rb"
        if name.startswith((".", "/")):
            beside = join(posixpath.dirname(importer), name)
            return Place(beside) if beside in self._tree.files else None
        found = [path for path in self._ending(name) if path.removesuffix(name).endswith(_RUBY_ROOTS) or path == name]
        nearest_one = nearest(found, importer)
        return Place(nearest_one) if nearest_one is not None else None

    def _of_lua(self, importer: str, module: str) -> Place | None:
        """The file of a module below a directory that is commonly looked in, or else any with several names in it."""
        names = [module.replace(".", "/") + ending for ending in _ENDINGS["lua"]]
        found = [(path, path.removesuffix(name)) for name in names for path in self._ending(name)]
        known = [path for path, before in found if not before or before.endswith(_LUA_ROOTS)]
        known = known or [path for path, _ in found if "." in module]
        nearest_one = nearest(known, importer)
        return Place(nearest_one) if nearest_one is not None else None

    def _of_shell(self, importer: str, module: str) -> Place | None:
        """A path from the script's directory or from the root; behind other variables, one that a single file has."""
        match = _STATIC.fullmatch(module)
        if match is None:
            return None
        rest, before = match[1].lstrip("/"), module[: match.start(1)]
        directory = posixpath.dirname(importer)
        if not before and not match[1].startswith("/"):
            found = [path for path in (join(directory, rest), join("", rest)) if not path.startswith("../")]
        elif _OWN_DIRECTORY.search(before) or self._is_own_directory(importer, before):
            found = [join(directory, rest)]
        else:
            found = self._ending(rest) if "/" in rest and ".." not in rest else []
            found = found if len(found) == 1 else []
        for path in found:
            for ending in _ENDINGS["bash"]:
                if path + ending in self._tree.files:
                    return Place(path + ending)
        return None

    def _is_own_directory(self, importer: str, before: str) -> bool:
        """Whether a variable was given the directory of the script that uses it."""
        match = _VARIABLE.fullmatch(before)
        value = re.search(rf"(?m)^\s*(?:\w+\s+)*{match[1]}=(.*)$", self._tree.text(importer)) if match else None
        return value is not None and _OWN_DIRECTORY.search(value[1]) is not None and ".." not in value[1]

    def inside(self, _place: Place, _name: str, _importer: str) -> Place | None:
        """Nothing: a file's directory does not belong to it."""
        return None

    def siblings(self, path: str) -> tuple[str, list[str]]:
        """The files of a directory, which PHP takes for a namespace."""
        directory = posixpath.dirname(path)
        files = self._tree.by_directory.get(directory, ())
        return directory, [file for file in files if file.endswith(_ENDINGS[self._language][0])]

    def _ending(self, name: str) -> list[str]:
        files = self._tree.by_name.get(posixpath.basename(name), ())
        return [path for path in files if path == name or path.endswith(f"/{name}")]
