"""THE ignore policy: which paths of a tree belong to it. The walk, reads and the watcher all ask here.

Rules in rising precedence: default excludes, git's global excludes file, `info/exclude`, then in every
directory from the top level down `.gitignore` and `.clewignore`. The last match decides; what lies below
an excluded directory stays excluded. A file that git tracks is not ignored by git's rules, as git has it,
but is by `.clewignore` and the defaults. A policy is a snapshot: make a new one when a rule file changes.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

from clew.answers import Diagnostic
from clew.source import git
from clew.source.footprint import Identity, identity
from clew.source.git_index import GitIndex, read_index
from clew.source.patterns import NameMatcher, RuleSet, compile_rules, subject
from clew.source.roots import contains, file_key, is_plain_key

# What nobody wants in a code index, whether or not a .gitignore says so: the metadata of other version
# control systems, installed dependencies, caches and compiled leftovers. `.git` itself can never be had.
DEFAULT_EXCLUDES = """\
.hg/
.svn/
.bzr/
.jj/
CVS/
node_modules/
__pycache__/
.venv/
venv/
.tox/
.nox/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.hypothesis/
.DS_Store
*.pyc
"""
CONTROL_FILES = frozenset((".git", ".gitignore", ".clewignore"))
_MAX_RULES_BYTES = 1 << 24
_MAX_KNOWN_NAMES = 50_000

# What the rules say of a name: nothing, ignored by git's rules, ignored by Clew's, or oddly spelled.
FREE, GIT, HARD, ODD = 0, 1, 2, 3
# What becomes of an entry: taken, dropped, only what git tracks below it, or it has no valid key.
KEEP, DROP, TRACKED, UNNAMEABLE = 0, 1, 2, 3


Matchers = tuple[tuple[NameMatcher, int], ...]  # in rising precedence, with what a match means


class Layer(NamedTuple):
    """One rule file: `above` leads from its directory to the root, or `depth` from the root to it."""

    rules: RuleSet
    verdict: int
    above: str
    depth: int


class TrackedFiles:
    """What the index of one repository tracks, in keys of the tree; read at the first question."""

    __slots__ = ("_index", "_is_read", "above", "depth", "identity", "repository")

    def __init__(self, repository: git.Repository, *, above: str, depth: int) -> None:
        self.repository = repository
        self.above = above
        self.depth = depth
        self._index: GitIndex | None = None
        self._is_read = False
        self.identity = identity(self.index_path, follow=True)  # of the index file, before it is read

    @property
    def index_path(self) -> str:
        return os.path.join(self.repository.git_dir, "index")

    @property
    def is_unreadable(self) -> bool:
        """Whether the index was needed and could not be read: nothing counts as tracked then."""
        return self._is_read and self._index is None

    @property
    def index(self) -> GitIndex | None:
        if not self._is_read:
            self._index = read_index(self.repository)
            self._is_read = True
        return self._index

    def path(self, key: str) -> bytes:
        """`key` as this repository's index spells it."""
        return os.fsencode(self.above + key[self.depth :])

    def fate(self, key: str, is_dir: bool) -> int:
        """What becomes of an entry that git's rules exclude."""
        if self.index is None:
            return DROP
        path = self.path(key)
        if not is_dir:
            return KEEP if self.index.is_tracked(path) else DROP
        if self.index.is_submodule(path):
            return KEEP
        return TRACKED if self.index.tracks_below(path) else DROP


class Names:
    """The rules that are active in one directory, and what they said of each name so far."""

    __slots__ = ("_matchers", "directories", "files")

    def __init__(self, matchers: Matchers) -> None:
        self._matchers = matchers[::-1]
        self.directories: dict[str, int] = {}
        self.files: dict[str, int] = {}

    def verdict(self, name: str, is_dir: bool) -> int:
        known = self.directories if is_dir else self.files
        found = known.get(name)
        if found is None:
            if len(known) >= _MAX_KNOWN_NAMES:
                known.clear()
            found = known[name] = self._judge(name, is_dir)
        return found

    def _judge(self, name: str, is_dir: bool) -> int:
        if name == ".git":
            return HARD
        seen = subject(name)
        for matcher, verdict in self._matchers:
            ignored = matcher.match(seen, is_dir)
            if ignored is not None:
                if ignored:
                    return verdict
                break
        return FREE if is_plain_key(name) else ODD


# Kept from walk to walk: the same rules say the same of the same names.
_names_of = lru_cache(maxsize=64)(Names)


class Chain:
    """The rule files that apply in a directory, and the repository it belongs to."""

    __slots__ = ("_names", "is_static", "layers", "tracked")

    def __init__(self, layers: tuple[Layer, ...], tracked: TrackedFiles | None) -> None:
        self.layers = layers
        self.tracked = tracked
        self.is_static = all(layer.rules.is_static for layer in layers)
        self._names = self._names_at("") if self.is_static else None

    def names(self, prefix: str) -> Names:
        """What holds for names in the directory `prefix` (a key with a final slash, or empty)."""
        return self._names or self._names_at(subject(prefix))

    def _names_at(self, prefix: str) -> Names:
        found = ((layer.rules.at(layer.above + prefix[layer.depth :]), layer.verdict) for layer in self.layers)
        return _names_of(tuple((matcher, verdict) for matcher, verdict in found if matcher is not None))


class Place(NamedTuple):
    """A directory of the tree as the policy sees it."""

    chain: Chain
    names: Names
    tracked_only: bool


class IgnorePolicy:
    """The policy of one root; `excluded_roots` are directories that are indexed on their own."""

    def __init__(
        self,
        root: str,
        *,
        excluded_roots: frozenset[str] = frozenset(),
        default_excludes: str = DEFAULT_EXCLUDES,
    ) -> None:
        self.root = root
        self._problems: dict[str, Diagnostic] = {}
        self._rule_files: dict[str, Identity | None] = {}
        self.repositories: dict[str, TrackedFiles] = {}  # by prefix; the outer one has ""
        below = (path for path in excluded_roots if path != root and contains(root, path))
        self.excluded = frozenset(os.path.relpath(path, root).replace(os.sep, "/") for path in below)
        self._default_excludes = default_excludes
        self._places: dict[str, Place | None] = {}
        repository = git.find_repository(root)
        self.config = git.read_config(root)
        self._ignore_case = git.is_true((self.config or {}).get("core.ignorecase"))
        self._base = self._base_chain(repository)

    def is_ignored(self, key: str, is_dir: bool) -> bool:
        """Whether the tree leaves out `key`; a directory of which only parts are taken is not ignored."""
        key = file_key(key)
        parent, _, name = key.rpartition("/")
        place = self._place(parent)
        return place is None or self.fate(place, key, name, is_dir) in (DROP, UNNAMEABLE)

    def fate(self, place: Place, key: str, name: str, is_dir: bool) -> int:
        """What becomes of the entry `name` of `place`; the one decision behind every answer."""
        verdict = place.names.verdict(name, is_dir)
        if verdict == HARD or (is_dir and key in self.excluded):
            return DROP
        fate = KEEP
        if verdict == GIT or place.tracked_only:
            tracked = place.chain.tracked
            fate = tracked.fate(key, is_dir) if tracked is not None else DROP
        if fate != DROP and verdict != FREE and not is_plain_key(key):
            return UNNAMEABLE
        return fate

    def enter(self, parent: Place | None, prefix: str, tracked_only: bool, controls: frozenset[str]) -> Place:
        """The place of the directory `prefix`, which holds the CONTROL_FILES among `controls`."""
        chain = self._base if parent is None else parent.chain
        if controls:
            chain = self._extend(chain, prefix, controls, is_root=parent is None)
        elif parent is not None and chain.is_static and tracked_only is parent.tracked_only:
            return parent
        return Place(chain, chain.names(prefix), tracked_only)

    def problems(self) -> list[Diagnostic]:
        """Rule files and git indexes that could not be read, so that rules or tracked files are missing."""
        broken = [tracked.repository for tracked in self.repositories.values() if tracked.is_unreadable]
        return [
            *self._problems.values(),
            *(Diagnostic(self._shown(os.path.join(r.git_dir, "index")), "unreadable_git_index") for r in broken),
        ]

    def sources(self) -> dict[str, Identity | None]:
        """The files that decisions come from, as they were before they were read.

        git's index is one even when nothing was ignored yet: the next file that comes may be ignored but tracked."""
        indexes = {tracked.index_path: tracked.identity for tracked in self.repositories.values()}
        return self._rule_files | indexes

    def _shown(self, path: str) -> str:
        shown = os.path.relpath(path, self.root) if contains(self.root, path) else path
        return shown.encode("utf-8", "backslashreplace").decode()

    def _place(self, directory: str) -> Place | None:
        """The place of a directory, found from the root down; None when it is left out."""
        if directory in self._places:
            return self._places[directory]
        place: Place | None
        if not directory:
            place = self.enter(None, "", False, CONTROL_FILES)
        else:
            above, _, name = directory.rpartition("/")
            parent, place = self._place(above), None
            if parent is not None:
                fate = self.fate(parent, directory, name, True)
                if fate in (KEEP, TRACKED):
                    place = self.enter(parent, directory + "/", fate == TRACKED, CONTROL_FILES)
        self._places[directory] = place
        return place

    def _base_chain(self, repository: git.Repository | None) -> Chain:
        """What applies to the root from outside: defaults, the user's file, the repository above it."""
        layers = [self._layer(self._default_excludes.encode(), HARD, "", 0)]
        top = repository.top if repository else self.root
        above = "" if top == self.root else os.path.relpath(self.root, top).replace(os.sep, "/") + "/"
        user = (self.config or {}).get("core.excludesfile")
        path = git.user_file("ignore") if user is None else git.git_path(user, top)
        if user != "":
            layers += self._load(path, GIT, above, 0, follow=True)
        tracked = None
        if repository:
            path = os.path.join(repository.common_dir, "info", "exclude")
            layers += self._load(path, GIT, above, 0, follow=True)
            tracked = self.repositories[""] = TrackedFiles(repository, above=above, depth=0)
        steps = above.split("/")[:-1]
        for i in range(len(steps)):
            directory, rest = os.path.join(top, *steps[:i]), subject("/".join(steps[i:]) + "/")
            layers += self._load(os.path.join(directory, ".gitignore"), GIT, rest, 0)
            layers += self._load(os.path.join(directory, ".clewignore"), HARD, rest, 0)
        return Chain(tuple(layers), tracked)

    def _extend(self, chain: Chain, prefix: str, controls: frozenset[str], *, is_root: bool) -> Chain:
        """`chain` with the rule files of a directory, and its repository if one starts there."""
        layers, tracked = list(chain.layers), chain.tracked
        directory, depth = os.path.join(self.root, prefix), len(subject(prefix))
        nested = git.open_repository(directory.rstrip("/")) if ".git" in controls and not is_root else None
        if nested is not None:
            pointer = directory.rstrip("/") + "/.git"
            if os.path.isfile(pointer):  # of a submodule or worktree; a directory's own changes mean nothing here
                self._rule_files[pointer] = identity(pointer, follow=True)
            exclude = os.path.join(nested.common_dir, "info", "exclude")
            layers += self._load(exclude, GIT, "", depth, follow=True)
            tracked = TrackedFiles(nested, above="", depth=len(prefix))
            tracked = self.repositories.setdefault(prefix, tracked)
        if ".gitignore" in controls:
            layers += self._load(directory + "/.gitignore", GIT, "", depth)
        if ".clewignore" in controls:
            layers += self._load(directory + "/.clewignore", HARD, "", depth)
        if nested is None and len(layers) == len(chain.layers):
            return chain
        return Chain(tuple(layers), tracked)

    def _load(self, path: str, verdict: int, above: str, depth: int, *, follow: bool = False) -> list[Layer]:
        """The layer of a rule file, if there is one with rules; as git does, a link in the tree is none."""
        self._rule_files[path] = identity(path, follow=True)
        flags = getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
        try:
            with open(path, "rb", opener=lambda name, mode: os.open(name, mode | flags)) as file:
                data = file.read(_MAX_RULES_BYTES)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return []
        except OSError as error:
            self._problems[path] = Diagnostic(self._shown(path), "unreadable_ignore_file", error.strerror or "")
            return []
        layer = self._layer(data, verdict, above, depth)
        return [layer] if layer.rules.rules else []

    def _layer(self, data: bytes, verdict: int, above: str, depth: int) -> Layer:
        return Layer(compile_rules(data, self._ignore_case), verdict, above, depth)
