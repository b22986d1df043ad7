"""Which codebases there are, and which one a path belongs to: the deepest that contains it.

Knows nothing of states; a codebase found here may have no believable index. Main call: `Catalog`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clew.errors import BadPath, NotIndexed
from clew.source import git, roots
from clew.source.ignore import IgnorePolicy
from clew.store.registry import Registry, containing
from clew.store.segments import Encode
from clew.store.store import Store
from clew.types import PROJECT, ModelName

Place = str | os.PathLike[str]  # how programs name a directory or a file


@dataclass(frozen=True, slots=True)
class Codebase:
    """A codebase that a request resolved to, and the part of it that the request is about."""

    root: str
    store: Store
    subtree: str = ""

    @property
    def is_project(self) -> bool:
        """Whether it came as content: then there are no files to look at."""
        return self.root.startswith(PROJECT)


class Catalog:
    """The codebases under one `CLEW_HOME`."""

    def __init__(
        self, registry: Registry, model: Callable[[], ModelName] = ModelName, encode: Encode | None = None
    ) -> None:
        self.registry = registry
        self._model, self._encode = model, encode
        self._stores: dict[Path, Store] = {}

    def close(self) -> None:
        """Close this thread's connections."""
        for store in list(self._stores.values()):
            store.close()
        self.registry.close()

    def store(self, directory: Path) -> Store:
        """The store in a directory; one object for each."""
        found = self._stores.get(directory)
        if found is None:
            found = self._stores.setdefault(directory, Store(directory, self._model, self._encode))
        return found

    def stores(self) -> dict[Path, list[str]]:
        """Every store with the codebases that share it."""
        found: dict[Path, list[str]] = {}
        for root, directory in self.registry.all().items():
            found.setdefault(directory, []).append(root)
        return found

    def drop_store(self, directory: Path) -> None:
        """Forget a store whose directory is about to go."""
        store = self._stores.pop(directory, None)
        if store is not None:
            store.close()

    def store_for(self, root: str) -> Store:
        """The store that a codebase would live in: its repository family's."""
        family = root if root.startswith(PROJECT) else roots.family_of(root)
        return self.store(self.registry.store_directory(family))

    def root_for_index(self, path: Place | None, *, force: bool = False) -> str:
        """The root that `index` would work on: the codebase around the path, else the path itself."""
        asked = roots.canonical_root(_text_of(path) if path is not None else roots.default_root(os.getcwd()))
        known = containing(asked, self.registry.all())
        if known is not None and (known == asked or not _stands_alone(known, asked)):
            return known
        roots.guard_root(asked, force=force)
        return asked

    def root_for_question(self, path: Place | None) -> str:
        """The root to index for a question about a path in none: its repository, so that the answer does not depend on
        what was asked first; a directory that is no part of that is indexed by itself."""
        asked = self.root_for_index(path)
        around = git.find_top_level(asked)
        if around in (None, asked) or asked in self.registry.all() or _stands_alone(around, asked):
            return asked
        return asked if roots.kind_too_large(around) else around

    def resolve(self, path: Place | None = None) -> Codebase:
        """The codebase that a path belongs to, or `NotIndexed`."""
        asked = _text_of(path) if path is not None else os.getcwd()
        asked = asked if asked.startswith(PROJECT) else os.path.realpath(asked)
        held = self.registry.holding(asked)
        if held is None:
            raise NotIndexed(f"{asked} is not indexed; run `clew index {asked}`", asked)
        root, directory = held
        subtree = "" if root == asked else os.path.relpath(asked, root).replace(os.sep, "/")
        return Codebase(root, self.store(directory), subtree)

    def resolve_file(self, file: Place) -> tuple[Codebase, str]:
        """The codebase of a file, and the file's key in it; the file need not exist."""
        file = _text_of(file)
        if file.startswith(PROJECT):
            return self._resolve_in_project(file)
        absolute = os.path.abspath(file)
        if os.path.isdir(absolute):
            raise BadPath(f"{file!r} is a directory; name a file")
        directory, name = os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute)
        codebase = self.resolve(directory)
        return codebase, roots.file_key(os.path.relpath(os.path.join(directory, name), codebase.root))

    def _resolve_in_project(self, file: str) -> tuple[Codebase, str]:
        """The same for `project:NAME/PATH`; a name may have slashes, so the longest one counts."""
        known = self.registry.all()
        if file in known:
            raise BadPath(f"{file} is a project; name a file in it: {file}/PATH")
        root = file
        while root := root.rpartition("/")[0]:
            if root in known:
                return Codebase(root, self.store(known[root])), roots.file_key(file[len(root) + 1 :])
        raise NotIndexed(f"{file} is in no project that is indexed; `clew list` has those that are", file)

    def nested(self, root: str) -> frozenset[str]:
        """Repositories inside this tree that are indexed on their own, and so are no part of it."""
        inside = (other for other in self.registry.all() if other != root and roots.contains(root, other))
        return frozenset(other for other in inside if git.find_top_level(other) == other)


def _text_of(path: Place) -> str:
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or "\0" in text:
        raise BadPath(f"{path!r} is no path; give text, or a `Path`, without a NUL")
    return text


def _stands_alone(root: str, directory: str) -> bool:
    """Whether a directory inside a codebase can be one of its own: a repository, or ignored there."""
    if git.find_top_level(directory) == directory:
        return True
    key = os.path.relpath(directory, root).replace(os.sep, "/")
    return IgnorePolicy(root).is_ignored(key, is_dir=True)
