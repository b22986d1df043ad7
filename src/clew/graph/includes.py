"""C and C++: what a file sees through its includes, and where what is declared is defined.

Main calls: `Includes.visible`, `Includes.named`, `Includes.definitions`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from clew.graph.layout import Layout
from clew.graph.layouts.tree import all_nearest
from clew.graph.modules import Find, Module

LANGUAGES = frozenset({"c", "cpp"})
Named = Callable[[str], Iterable[str]]  # the files that define a name


class Includes:
    """The includes of a snapshot's files, followed once for each."""

    def __init__(self, layout: Layout, find: Find, named: Named | None) -> None:
        self._layout, self._find, self._named = layout, find, named
        self._included: dict[str, list[str]] = {}  # by the file itself
        self._seen: dict[str, list[Module]] = {}
        self._places: dict[str, dict[str, int]] = {}  # of what a file sees, by path: how near
        self._keys: dict[str, frozenset[str]] = {}
        self._open: dict[str, list[tuple[Module, int]]] = {}  # what has a name, of all files that any has seen
        self._within: dict[tuple[str, str], list[tuple[Module, int]]] = {}  # the same in a namespace
        self._opened: dict[str, frozenset[str]] = {}  # namespaces that macros open which a file sees
        self._table: dict[str, list[str]] | None = None

    def visible(self, module: Module) -> list[Module]:
        """A file and all that it includes, directly or not, the nearest first."""
        known = self._seen.get(module.path)
        if known is None:
            known = [module]
            places = {module.path: 0}
            for one in known:  # it grows
                for path in self._of(one):
                    if path not in places:
                        found = self._find(path)
                        assert found is not None  # else it is none of those
                        places[path] = len(known)
                        known.append(found)
            self._seen[module.path], self._places[module.path] = known, places
        return known

    def _of(self, module: Module) -> list[str]:
        """The files that a file includes itself; met for the first time, it shows its names."""
        found = self._included.get(module.path)
        if found is None:
            places = (self._layout.find(module.path, module.language, row.module) for row in module.imports)
            paths = dict.fromkeys(place.path for place in places if place is not None)
            found = self._included[module.path] = [path for path in paths if self._find(path) is not None]
            for name, ordinal in module.open_names.items():
                self._open.setdefault(name, []).append((module, ordinal))
            for space, blocks in module.spaces.items():
                for block in blocks:
                    for name, ordinal in module.members.get(block, {}).items():
                        self._within.setdefault((space, name), []).append((module, ordinal))
        return found

    def keys(self, module: Module) -> set[str]:
        """What it depends on which files a file sees, and what they show."""
        found: set[str] = set()
        for one in self.visible(module):
            keys = self._keys.get(one.path)
            if keys is None:
                names = {f"m:{posixpath.basename(row.module).partition('.')[0]}" for row in one.imports}
                keys = self._keys[one.path] = frozenset({f"f:{one.path}", *names})
            found |= keys
        if posixpath.splitext(module.path)[1].startswith(".h"):
            found.add(f"m:{posixpath.basename(module.path).partition('.')[0]}")  # the source beside it
        return found

    def named(self, module: Module, name: str) -> tuple[Module, int] | None:
        """What a file sees under a name: of namespaces the outermost counts."""
        return self._outermost(module, name)

    def in_opened(self, module: Module, name: str) -> tuple[Module, int] | None:
        """What a name means in a namespace that a macro opens: something that is included, or else of the file."""
        return self._outermost(module, name, is_last=True)

    def _outermost(self, module: Module, name: str, *, is_last: bool = False) -> tuple[Module, int] | None:
        """Where the nearest file has a name that one sees, outside of namespaces if any has it there; the file itself
        may come last."""
        visible = self.visible(module)
        places, having = self._places[module.path], self._open.get(name, [])
        if len(having) <= len(visible):
            seen = [(one, found) for one, found in having if one.path in places]
        else:  # a name like `main`
            seen = [(one, one.open_names[name]) for one in visible if name in one.open_names]

        def distance(held: tuple[Module, int]) -> tuple[bool, int]:
            one, found = held
            place = len(places) if is_last and one.path == module.path else places[one.path]
            return one.parents[found] >= 0, place

        return min(seen, key=distance, default=None)

    def in_space(self, module: Module, space: str, name: str) -> tuple[Module, int] | None:
        """What a file sees under a name in a namespace, which many files may open."""
        self.visible(module)
        places = self._places[module.path]
        seen = (held for held in self._within.get((space, name), ()) if held[0].path in places)
        return min(seen, key=lambda held: places[held[0].path], default=None)

    def is_opened(self, module: Module, space: str) -> bool:
        """Whether a macro that a file sees opens a namespace."""
        found = self._opened.get(module.path)
        if found is None:
            found = self._opened[module.path] = frozenset(one.links.package for one in self.visible(module))
        return space in found

    def source_of(self, module: Module) -> Module | None:
        """The source beside a header of the same name: what it includes, the header may rely on."""
        stem, _, extension = module.path.rpartition(".")
        if not extension.startswith("h"):
            return None
        found = (self._find(f"{stem}.{other}") for other in ("c", "cc", "cpp", "cxx"))
        return next((one for one in found if one is not None), None)

    def definitions(self, module: Module, ordinal: int) -> list[tuple[Module, int]]:
        """The bodies that a declaration may have, in the files nearest to it."""
        name = module.names[ordinal]
        found: dict[str, tuple[Module, int]] = {}
        for path in self._defining(name):
            one = self._find(path)
            if one is None or one.language not in LANGUAGES:
                continue
            for place in one.bodies.get(name, ()):
                found[one.path] = (one, place)
        return [found[path] for path in all_nearest(found, module.path)]

    def _defining(self, name: str) -> Iterable[str]:
        if self._named is not None:
            return self._named(name)
        if self._table is None:
            self._table = {}
            for module in map(self._find, self._layout.sources()):
                for one in module.bodies if module is not None else ():
                    self._table.setdefault(one, []).append(module.path)  # type: ignore[union-attr]
        return self._table.get(name, ())
