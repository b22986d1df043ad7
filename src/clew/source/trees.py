"""The walk: every file of a tree with what the file system says of it, git-exact in what it leaves out.

Symbolic links are never followed, so there are no loops and no escapes. Whatever cannot be taken is a
counted diagnostic, never an exception, unless the root itself is gone. Opens no file but ignore rules.
Main calls: `walk`, `look_at`.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterable
from dataclasses import dataclass, field

from clew.answers import Diagnostic
from clew.errors import BadPath
from clew.source.footprint import Identity, identity, take
from clew.source.git_index import AttributeEffect, TrustedHash, attribute_effect
from clew.source.ignore import CONTROL_FILES, DROP, GIT, KEEP, TRACKED, UNNAMEABLE, IgnorePolicy, Place
from clew.source.reading import has_link, stat_of
from clew.source.roots import is_plain_key
from clew.types import Stat

_CONTROLS = CONTROL_FILES | {".gitattributes"}
_KIND = modes.S_IFMT(0xFFFF)  # the bits of a mode that tell files from links
_NOTHING: frozenset[str] = frozenset()
_Todo = tuple[str, str, Place | None, bool]  # path, prefix, place of the parent, only tracked files


@dataclass(slots=True)
class Tree:
    """What a walk found: `files` in order of their keys, and what was left out and why."""

    root: str
    files: dict[str, Stat]
    diagnostics: list[Diagnostic]
    policy: IgnorePolicy | None
    attribute_files: list[str]
    directories: dict[str, Identity | None] = field(default_factory=dict)  # each as it was before it was read
    is_whole: bool = True  # False: only some files were looked at, so attributes elsewhere are unknown
    _effects: dict[str, AttributeEffect] = field(default_factory=dict)

    def trusted_hash(self, key: str) -> TrustedHash | None:
        """git's blob hash of a file that git proves unchanged and unfiltered; None: read the file."""
        if not self.is_whole or self.policy is None:
            return None
        prefix = max((p for p in self.policy.repositories if key.startswith(p)), key=len, default=None)
        stat = self.files.get(key)
        if prefix is None or stat is None:
            return None
        tracked = self.policy.repositories[prefix]
        if tracked.index is None:
            return None
        found = tracked.index.trusted_hash(tracked.path(key), stat)
        if found is None:
            return None
        effect = self._effects.get(prefix)
        if effect is None:
            effect = self._effects[prefix] = self._judge_attributes(prefix)
        return None if effect.filters else TrustedHash(found, effect.converts)

    def footprint(self) -> str | None:
        """What this walk depended on; None when only some files were looked at."""
        if not self.is_whole or self.policy is None:
            return None
        return take(self.root, self.directories, self.policy.sources(), self.policy.excluded)

    def _judge_attributes(self, prefix: str) -> AttributeEffect:
        """One judgement for a whole repository: any filter anywhere in the tree spoils all trust."""
        assert self.policy is not None
        tracked = self.policy.repositories[prefix]
        top = tracked.repository.top
        inside = tracked.above.split("/")[:-1]
        sources = {os.path.join(self.root, key) for key in self.attribute_files}
        sources |= {os.path.join(top, *inside[:i], ".gitattributes") for i in range(len(inside))}
        for path in tracked.index.paths() if tracked.index is not None else ():
            if path.endswith(b".gitattributes") and path.startswith(os.fsencode(tracked.above)):
                place = os.path.join(top, os.fsdecode(path))
                if not os.path.lexists(place):  # git would read it from the index
                    return AttributeEffect(True, True)
                sources.add(place)
        return attribute_effect(tracked.repository, sorted(sources), self.policy.config)


def walk(root: str, *, excluded_roots: frozenset[str] = frozenset(), policy: IgnorePolicy | None = None) -> Tree:
    """All files of the tree at the canonical `root`; `excluded_roots` (canonical) are left out wholly."""
    policy = policy or IgnorePolicy(root, excluded_roots=excluded_roots)
    tree = Tree(root, {}, [], policy, [])
    files: dict[str, Stat] = {}
    stack: list[_Todo] = [(root, "", None, False)]
    try:
        os.stat(os.path.join(root, "."))  # one that can be listed but not entered would seem to be empty
    except OSError as error:
        raise _not_walked(root, error) from None
    while stack:
        path, prefix, parent, tracked_only = stack.pop()
        tree.directories[prefix] = identity(path)
        try:
            with os.scandir(path) as listing:
                entries = list(listing)
        except OSError as error:
            if parent is None:
                raise _not_walked(root, error) from None
            tree.diagnostics.append(_failure(prefix[:-1], "unreadable_directory", error))
            continue
        names = [entry.name for entry in entries]
        controls = _NOTHING if _CONTROLS.isdisjoint(names) else _CONTROLS.intersection(names)
        if ".gitattributes" in controls:
            tree.attribute_files.append(prefix + ".gitattributes")
        place = policy.enter(parent, prefix, tracked_only, controls)
        files_before, directories_before = place.names.files, place.names.directories
        ask_always, ask_of_directories = tracked_only, tracked_only or bool(policy.excluded)
        # The hot loop of the no-change check: a name that the rules left free before costs one look-up.
        for name, entry in zip(names, entries, strict=True):
            is_dir = entry.is_dir(follow_symlinks=False)
            fate = KEEP
            if is_dir:
                if directories_before.get(name, GIT) or ask_of_directories:
                    fate = policy.fate(place, prefix + name, name, True)
                if fate in (KEEP, TRACKED):
                    stack.append((f"{path}/{name}", f"{prefix}{name}/", place, fate == TRACKED))
                    continue
            elif files_before.get(name, GIT) or ask_always:
                fate = policy.fate(place, prefix + name, name, False)
            if fate == KEEP:
                try:
                    found = entry.stat(follow_symlinks=False)
                except OSError as error:
                    tree.diagnostics.append(_failure(prefix + name, "unreadable", error))
                    continue
                if found.st_mode & _KIND != modes.S_IFREG:
                    tree.diagnostics.append(_oddity(prefix + name, entry, fate))
                    continue
                fields = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
                files[prefix + name] = tuple.__new__(Stat, fields)
            elif fate != DROP:
                tree.diagnostics.append(_oddity(prefix + name, entry, fate))
    if not os.path.isdir(root):
        raise BadPath(f"{root} vanished while it was walked; give a directory that stays")
    tree.files = {key: files[key] for key in sorted(files)}
    tree.diagnostics += policy.problems()
    tree.diagnostics.sort(key=lambda found: (found.path, found.reason))
    return tree


def look_at(root: str, keys: Iterable[str], *, excluded_roots: frozenset[str] = frozenset()) -> Tree | None:
    """A tree of these files only, those that exist and are not ignored; None when only a walk can tell.

    That is so when one of them is a directory, a name that cannot be a key, a file that has other names too, or one
    that changes what others mean."""
    policy = IgnorePolicy(root, excluded_roots=excluded_roots)
    files: dict[str, Stat] = {}
    for key in sorted(set(keys)):
        if key.rpartition("/")[2] in _CONTROLS or not is_plain_key(key):
            return None
        try:
            found = os.lstat(os.path.join(root, key))
        except (FileNotFoundError, NotADirectoryError):
            continue
        if modes.S_ISDIR(found.st_mode) or found.st_nlink > 1:
            return None
        if modes.S_ISREG(found.st_mode) and not policy.is_ignored(key, False) and not has_link(root, key):
            files[key] = stat_of(found)
    return Tree(root, files, [], policy, [], is_whole=False)


def _failure(key: str, reason: str, error: OSError) -> Diagnostic:
    vanished = isinstance(error, FileNotFoundError | NotADirectoryError)
    return Diagnostic(key, "vanished" if vanished else reason, error.strerror or "")


def _oddity(key: str, entry: os.DirEntry[str], fate: int) -> Diagnostic:
    """Why an entry that no rule excludes is no file of the tree."""
    if fate == UNNAMEABLE:  # not UTF-8, or it would mean something else as a key: shown with escapes
        return Diagnostic(key.encode("utf-8", "backslashreplace").decode(), "bad_name")
    return Diagnostic(key, "symlink" if entry.is_symlink() else "special")


def _not_walked(root: str, error: OSError) -> BadPath:
    if isinstance(error, FileNotFoundError):
        return BadPath(f"{root} does not exist any more; put it back, or forget its index with `clew clear`")
    return BadPath(f"{root} cannot be walked: {error.strerror}; check that it can be read")
