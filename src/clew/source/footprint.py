"""What a walk depended on, so that the next check can tell that nothing at all has changed.

A directory whose time stamps are the same has the same entries; rule files, git's index and its
configuration decide which of them count. All that being equal, only the files themselves are left to
look at, which is half the work of a walk. On any doubt it says nothing. Main calls: `take`, `look_again`.
"""

from __future__ import annotations

import json
import os
import stat as modes
import time
from collections.abc import Collection, Mapping
from typing import Any

from clew.source import git
from clew.types import Stat

RACY_NS = 50_000_000  # what changed this recently may change again without a new time stamp
_CONFIG_KEYS = ("core.excludesfile", "core.ignorecase", "core.worktree")
_FORMAT = 2  # raise when the meaning of rules or of this record changes

Identity = tuple[int, int, int]  # time of change, time of status change, inode
_RACY: Identity = (-1, -1, -1)  # changed just now: cannot be believed


def identity(path: str, *, follow: bool = False) -> Identity | None:
    """What tells whether a file or directory was touched; None when there is none."""
    try:
        found = os.stat(path) if follow else os.lstat(path)
    except OSError:
        return None
    if time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < RACY_NS:
        return _RACY
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def take(
    root: str,
    directories: Mapping[str, Identity | None],
    sources: Mapping[str, Identity | None],
    excluded: Collection[str],
) -> str:
    """The record of a walk: the directories it entered, the files its rules came from, the keys it left out."""
    record = {
        "directories": directories,
        "sources": sources,
        "surroundings": _surroundings(root),
        "excluded": sorted(excluded),
    }
    return json.dumps(record, separators=(",", ":"))


def rules_hold(root: str, record: Mapping[str, Any], excluded: Collection[str]) -> bool:
    """Whether the rules that decided which files count are those of a (parsed) record."""
    try:
        return _rules_hold(root, record, excluded)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def look_again(
    root: str, record: str, known: Mapping[str, Stat], excluded: frozenset[str]
) -> Mapping[str, Stat] | None:
    """The files that a walk would find, with their stats, if the record proves that they are those `known`.

    None: only a walk can tell. `known` itself: nothing has changed."""
    try:
        found = json.loads(record)
        if not _rules_hold(root, found, excluded):
            return None
        return _stats(root, known) if _directories_hold(root, found["directories"]) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # damaged or gone: let the walk find out


def _rules_hold(root: str, found: Mapping[str, Any], excluded: Collection[str]) -> bool:
    return (
        found["excluded"] == _inside(root, excluded)
        and found["surroundings"] == _surroundings(root)
        and all(_source_holds(path, expected) for path, expected in found["sources"].items())
    )


def _source_holds(path: str, expected: Any) -> bool:
    if expected is None:
        return not os.path.lexists(path)
    found = identity(path, follow=True)
    return found != _RACY and found == tuple(expected)  # two that cannot be believed are not the same


def _directories_hold(root: str, directories: Mapping[str, Any]) -> bool:
    lstat = os.lstat
    for prefix, expected in directories.items():
        found = lstat(f"{root}/{prefix}")
        if [found.st_mtime_ns, found.st_ctime_ns, found.st_ino] != expected:
            return False
    return True


def _stats(root: str, known: Mapping[str, Stat]) -> Mapping[str, Stat] | None:
    lstat = os.lstat
    changed: dict[str, Stat] = {}
    for key, expected in known.items():
        found = lstat(f"{root}/{key}")
        fields = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        if fields != expected:
            if not modes.S_ISREG(found.st_mode):
                return None
            changed[key] = Stat(*fields)
    return {**known, **changed} if changed else known


def _surroundings(root: str) -> list[Any]:
    """What decides from outside which rules apply: the repository around the root and git's settings."""
    config = git.read_config(root)
    settings = None if config is None else [config.get(key) for key in _CONFIG_KEYS]
    return [_FORMAT, list(git.find_repository(root) or ()), settings, git.user_file("ignore")]


def _inside(root: str, paths: Collection[str]) -> list[str]:
    """Roots inside this one, as keys."""
    top = root.rstrip("/") + "/"
    return sorted(path[len(top) :] for path in paths if path.startswith(top))
