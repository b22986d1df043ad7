"""What the files of a tree declare for all of it, by full name: classes of Ruby and PHP, modules of Elixir.

Imports of such languages name what they want, not where it is. Main calls: `Declared.all`, `Declared.main`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clew.graph.includes import Named
from clew.graph.layouts.tree import all_nearest
from clew.graph.modules import Find, Module

Definition = tuple[Module, int]
_SEPARATOR = re.compile(r"[.\\/]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TEST = re.compile(r"(?:^|/)(?:tests?|specs?|fixtures|examples?|benchmarks?)/|_(?:test|spec)\.\w+\Z")


class Declared:
    """Looks for full names in the files that define the last part of them."""

    def __init__(self, find: Find, named: Named | None) -> None:
        self._find, self._named = find, named
        self._tables: dict[tuple[str, str], dict[str, list[Definition]]] = {}
        self._exports: dict[str, dict[str, list[str]]] = {}
        self._mains: dict[tuple[str, str], Definition | None] = {}
        self._ruby: dict[str, _Parts] = {}

    def all(self, language: str, full: str) -> list[Definition]:
        """Every definition of a name, in order of path."""
        return self.ending_in(language, last_name(full)).get(full, [])

    def ending_in(self, language: str, last: str) -> dict[str, list[Definition]]:
        """The full names that end in a name, with their definitions."""
        found = self._tables.get((language, last))
        if found is None:
            found = self._tables[language, last] = {}
            for path in self._named(last) if self._named is not None else ():
                module = self._find(path)
                for full in self._exported(module, last) if module is not None and module.language == language else ():
                    refs = module.links.exports[full].split()  # type: ignore[union-attr]
                    found.setdefault(full, []).extend((module, int(ref[1:])) for ref in refs)  # type: ignore[misc]
        return found

    def _exported(self, module: Module, last: str) -> list[str]:
        """The full names of a file that end in a name."""
        names = self._exports.get(module.path)
        if names is None:
            names = self._exports[module.path] = {}
            for full in module.links.exports:
                names.setdefault(last_name(full), []).append(full)
        return names.get(last, [])

    def main(self, module: Module, full: str) -> Definition | None:
        """What a name means for a file; of several definitions the one that is more than an addition, if that shows."""
        found = self.all(module.language, full)
        if not found or (len(found) < 2 and module.language != "ruby"):
            return found[0] if found else None
        if module.language != "ruby":
            near = all_nearest({one.path for one, _ in found}, module.path)
            mine = [one for one in found if one[0].path in near]
            return mine[0] if len(mine) == 1 else None
        key = (module.path, full)
        if key not in self._mains:
            if full not in self._ruby:
                self._ruby[full] = _Parts(found, full)
            self._mains[key] = self._ruby[full].main(module)
        return self._mains[key]


class _Parts:
    """The parts of a class of Ruby."""

    def __init__(self, found: list[Definition], full: str) -> None:
        self._of_file: dict[str, list[Definition]] = {}
        for one in found:
            self._of_file.setdefault(one[0].path, []).append(one)
        # those in `core_ext` are additions to what Ruby has
        self._found = [one for one in found if "." in full or "core_ext/" not in one[0].path]
        path = _HUMP.sub("_", full.replace(".", "/")).lower() + ".rb"
        self._named = [one for one in self._found if f"/{one[0].path}".endswith(f"/{path}")]

    def main(self, module: Module) -> Definition | None:
        """One of the same file that says something, that of the file of its name, or the only one near by."""
        own = self._of_file.get(module.path, [])
        for one, ordinal in own:
            if ordinal in one.links.bases or any(
                one.is_function(member) for member in one.members.get(ordinal, {}).values()
            ):
                return one, ordinal
        if self._named:
            near = all_nearest({one.path for one, _ in self._named}, module.path)
            return next(one for one in self._named if one[0].path == near[0])
        if own:
            return own[0]
        apart = [one for one in self._found if is_test(one[0].path) <= is_test(module.path)]
        near = all_nearest({one.path for one, _ in apart}, module.path)
        mine = [one for one in apart if one[0].path in near]
        return mine[0] if len(mine) == 1 else None


@lru_cache(maxsize=1 << 16)
def is_test(path: str) -> bool:
    """Whether a file is part of tests or examples, by its path: others do not use what it declares."""
    return _TEST.search(path) is not None


def last_name(full: str) -> str:
    """The last part of a full name."""
    return _SEPARATOR.split(full)[-1]
