"""Where modules of PHP, Ruby and Lua live: a name is a path below some directory of the tree."""

from __future__ import annotations

import posixpath

from clew.graph.layouts.tree import Place, Tree, join, nearest

_ENDINGS = {"php": (".php",), "ruby": (".rb",), "lua": (".lua", "/init.lua"), "bash": ("", ".sh", ".bash")}
LANGUAGES = frozenset(_ENDINGS)
_RUBY_ROOTS = ("lib/", "app/", "test/", "spec/")


class ScriptLayout:
    """Modules that are found by a part of their path."""

    def __init__(self, tree: Tree, language: str) -> None:
        self._tree, self._language = tree, language

    def find(self, importer: str, module: str) -> Place | None:
        """The file of a module: beside the importer, else the nearest whose path ends with its name."""
        language = self._language
        if language == "ruby":
            return self._of_ruby(importer, module)
        path = module.replace("\\", "/")
        path = path.replace(".", "/") if language == "lua" else path
        for ending in _ENDINGS[language]:
            name = path if ending and path.endswith(ending) else path + ending
            beside = join(posixpath.dirname(importer), name)
            if language == "bash" and beside in self._tree.files:
                return Place(beside)
            while name.startswith(("./", "../")):
                name = name.partition("/")[2]
            found = self._ending(name) if "/" in name or language != "php" else []
            if language == "php" and not found:  # `Vendor\\Package\\Class` may be `src/Package/Class.php`
                found = self._ending("/".join(name.split("/")[-2:])) if name.count("/") > 1 else []
            nearest_one = nearest(found, importer)
            if nearest_one is not None:
                return Place(nearest_one)
        return None

    def _of_ruby(self, importer: str, module: str) -> Place | None:
        """A path from the importer, or from a directory that is commonly looked in."""
        name = module if module.endswith(".rb") else f"{module}.rb"
        if name.startswith((".", "/")):
            beside = join(posixpath.dirname(importer), name)
            return Place(beside) if beside in self._tree.files else None
        found = [path for path in self._ending(name) if path.removesuffix(name).endswith(_RUBY_ROOTS) or path == name]
        nearest_one = nearest(found, importer)
        return Place(nearest_one) if nearest_one is not None else None

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
