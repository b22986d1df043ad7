"""What the files of a tree declare for all of it, by full name: classes of Ruby and PHP, modules of Elixir.

Imports of such languages name what they want, not where it is. Main calls: `Declared.all`, `Declared.main`.
"""

from __future__ import annotations

import re

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
        self._known: dict[tuple[str, str], list[Definition]] = {}
        self._mains: dict[tuple[str, str], Definition | None] = {}

    def all(self, language: str, full: str) -> list[Definition]:
        """Every definition of a name, in order of path."""
        key = (language, full)
        if key not in self._known:
            found: list[Definition] = []
            for path in self._named(last_name(full)) if self._named is not None else ():
                module = self._find(path)
                if module is not None and module.language == language:
                    found += [(module, int(ref[1:])) for ref in module.links.exports.get(full, "").split()]
            self._known[key] = found
        return self._known[key]

    def main(self, module: Module, full: str) -> Definition | None:
        """What a name means for a file; of several definitions the one that is more than an addition, if that shows."""
        found = self.all(module.language, full)
        if len(found) < 2 and module.language != "ruby":
            return found[0] if found else None
        if module.language != "ruby":
            near = all_nearest({one.path for one, _ in found}, module.path)
            mine = [one for one in found if one[0].path in near]
            return mine[0] if len(mine) == 1 else None
        key = (module.path, full)
        if key not in self._mains:
            self._mains[key] = _main_part(found, module, full)
        return self._mains[key]


def _main_part(found: list[Definition], module: Module, full: str) -> Definition | None:
    """Of the parts of a class of Ruby: one of the same file that says something, that of the file of its name, or the
    only one near by."""
    own = [one for one in found if one[0] is module]
    for one, ordinal in own:
        if ordinal in one.links.bases or any(
            one.is_function(member) for member in one.members.get(ordinal, {}).values()
        ):
            return one, ordinal
    found = [one for one in found if "." in full or "core_ext/" not in one[0].path]  # additions to what Ruby has
    path = _HUMP.sub("_", full.replace(".", "/")).lower() + ".rb"
    named = [one for one in found if one[0].path == path or one[0].path.endswith(f"/{path}")]
    if named:
        near = all_nearest({one.path for one, _ in named}, module.path)
        return next(one for one in named if one[0].path == near[0])
    if own:
        return own[0]
    apart = [one for one in found if is_test(one[0].path) <= is_test(module.path)]
    near = all_nearest({one.path for one, _ in apart}, module.path)
    mine = [one for one in apart if one[0].path in near]
    return mine[0] if len(mine) == 1 else None


def is_test(path: str) -> bool:
    """Whether a file is part of tests or examples, by its path: others do not use what it declares."""
    return _TEST.search(path) is not None


def last_name(full: str) -> str:
    """The last part of a full name."""
    return _SEPARATOR.split(full)[-1]
