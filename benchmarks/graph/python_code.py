"""A Python project's files, and how to get from a dotted name to the definition it stands for.

Re-exports are followed to the end, so that all checkers name the same place. Main call: `Code.resolve`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.graph.facts import Definition, Place
from benchmarks.graph.projects import Project
from benchmarks.graph.python_source import Source, read_source

_FOLLOW = 12  # re-exports of re-exports; a longer chain is a circle


class Code:
    """All files of a project, and how to get from a dotted name to a definition."""

    def __init__(self, project: Project, modules: dict[str, str] | None = None) -> None:
        self.root = project.root
        self.texts: dict[str, str] = {}
        self.lines: dict[str, list[str]] = {}
        self.sources: dict[str, Source] = {}
        for path in _files(project):
            text = (project.root / path).read_bytes().decode("utf-8", "surrogateescape")
            read = read_source(path, text.removeprefix("\ufeff"))
            if read is not None:
                self.texts[path], self.sources[path] = text, read
        self.classes: dict[str, list[tuple[str, str]]] = defaultdict(list)  # by name, where they are
        for path, source in self.sources.items():
            for qualified in source.bases:
                self.classes[qualified.rpartition(".")[2]].append((path, qualified))
        self.modules: dict[str, str] = {}  # dotted name -> path, for each folder that imports start in
        for folder in reversed(project.search):
            prefix = "" if folder == "." else folder + "/"
            for path in self.sources:
                if path.startswith(prefix):
                    self.modules[_module(path[len(prefix) :])] = path
        self.names: dict[str, str] = {path: name for name, path in self.modules.items()}
        for path, name in (modules or {}).items():
            if path in self.sources and not name.startswith("__unknown__"):
                self.modules.setdefault(name, path)
                self.names[path] = name

    def place(self, path: str, line: int, units: int) -> Place:
        """From a 0-based line and column in UTF-16 units."""
        if path not in self.lines:
            self.lines[path] = re.split(r"\r\n|\r|\n", self.texts[path].removeprefix("\ufeff"))
        text = self.lines[path][line] if line < len(self.lines[path]) else ""
        if text[:units].isascii():
            return line + 1, units + 1
        before = text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "replace")
        return line + 1, len(before) + 1

    def resolve(self, path: str, name: str, depth: int = 0) -> list[Definition] | None:
        """Definitions that a qualified name of a file stands for: None if unknown, an empty list if a library's.

        A name that is imported in one branch and defined in another stands for both."""
        source = self.sources.get(path)
        if source is None or depth > _FOLLOW:
            return None
        found = source.definitions.get(name)
        head, _, rest = name.partition(".")
        imported = self._imported(path, head, rest, depth) if head in source.imports else None
        if found is not None:
            # `self.x = ...` defines nothing where a base class declares x.
            declared = self._declared(path, name, depth) if found.kind == "attribute" else None
            return [declared or found, *(imported or ())]
        if head in source.imports:
            return imported
        submodule = self.modules.get(f"{self.names.get(path, '')}.{head}")
        if submodule is not None and path.endswith("__init__.py"):
            return self.resolve(submodule, rest, depth + 1)
        for star in source.stars:
            target = self.modules.get(self._absolute(path, star))
            if target is not None:
                definitions = self.resolve(target, name, depth + 1)
                if definitions:
                    return definitions
        owner, _, last = name.rpartition(".")
        return self._inherited(path, owner, last, depth) if owner in source.bases else None

    def inherited_here(self, path: str, name: str) -> list[Definition] | None:
        """A member that a class of another file inherits from one of this file, as pyrefly names it.

        The file is that of the member, but the class is the one that was asked: `C.get`, where a base of C is here."""
        owner, _, member = name.rpartition(".")
        asked = owner.rpartition(".")[2]
        source = self.sources[path]
        if asked not in self.classes or owner in source.definitions:  # no class: pyrefly knows only the text
            return None
        here = [found for base in source.bases if (found := source.definitions.get(f"{base}.{member}")) is not None]
        if len(here) > 1:
            inherited = [self._inherited(other, qualified, member, 0) for other, qualified in self.classes[asked]]
            here = [found for found in here if any(found in (row or ()) for row in inherited)]
        return here if len(here) == 1 else None

    def is_contested(self, path: str, name: str) -> bool:
        """Whether a name is a library's in one branch and the project's own in another."""
        source = self.sources[path]
        is_both = name in source.definitions and name in source.imports
        return is_both and self._imported(path, name, "", 0) == []

    def _imported(self, path: str, head: str, rest: str, depth: int) -> list[Definition] | None:
        found: list[Definition] = []
        known = False
        for binding in self.sources[path].imports[head]:
            module = self._absolute(path, binding.module)
            wanted = ".".join(part for part in (binding.name, rest) if part)
            target = self.modules.get(module)
            if target is None:
                known = True  # a library's
                continue
            if target == path and wanted == head:
                continue
            definitions = self.resolve(target, wanted, depth + 1)
            known = known or definitions is not None
            found += definitions or []
        return found if known else None

    def _inherited(self, path: str, owner: str, last: str, depth: int) -> list[Definition] | None:
        for base in self.sources[path].bases.get(owner, ()):
            for definition in self.resolve(path, base, depth + 1) or []:
                if definition.kind == "class":
                    found = self.resolve(definition.path, f"{definition.name}.{last}", depth + 1)
                    if found:
                        return found
        return None

    def _declared(self, path: str, name: str, depth: int) -> Definition | None:
        owner, _, last = name.rpartition(".")
        inherited = self._inherited(path, owner, last, depth) or ()
        return next((definition for definition in inherited if definition.kind != "attribute"), None)

    def _absolute(self, path: str, module: str) -> str:
        level = len(module) - len(module.lstrip("."))
        if not level:
            return module
        package = self.names.get(path, "").split(".")
        kept = package[: len(package) - level + (1 if path.endswith("__init__.py") else 0)]
        return ".".join([*kept, module[level:]] if module[level:] else kept)


def _files(project: Project) -> Iterator[str]:
    for folder in project.folders:
        for path in sorted((project.root / folder).rglob("*.py")):
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(project.root).as_posix()


def _module(path: str) -> str:
    parts = Path(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def places_of(text: str) -> Callable[[int], Place]:
    """From a byte of a file to its line and column."""
    raw = text.encode("utf-8", "surrogateescape")
    starts = [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", raw))]
    mark = len(b"\xef\xbb\xbf") if raw.startswith(b"\xef\xbb\xbf") else 0

    def place_of(byte: int) -> Place:
        line = bisect_right(starts, byte)
        start = starts[line - 1] + (mark if line == 1 else 0)
        return line, len(raw[start:byte].decode("utf-8", "replace")) + 1

    return place_of
