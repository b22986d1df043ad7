"""What a walk depended on, so that the next check can tell that nothing at all has changed.

A directory whose time stamps are the same has the same entries; rule files, git's index and its
configuration decide which of them count. All that being equal, only the files themselves are left to
look at, which is half the work of a walk. It never says "unchanged" on doubt. Main calls: `take`,
`still_holds`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from clew.source import git
from clew.types import Stat

RACY_NS = 50_000_000  # what changed this recently may change again without a new time stamp
_CONFIG_KEYS = ("core.excludesfile", "core.ignorecase", "core.worktree")
_FORMAT = 1  # raise when the meaning of rules or of this record changes

Identity = tuple[int, int, int]  # time of change, time of status change, inode; -1: cannot be believed


def identity(path: str, *, follow: bool = False) -> Identity | None:
    """What tells whether a file or directory was touched; None when there is none."""
    try:
        found = os.stat(path) if follow else os.lstat(path)
    except OSError:
        return None
    if time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < RACY_NS:
        return (-1, -1, -1)
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def take(root: str, directories: Mapping[str, Identity | None], sources: Mapping[str, Identity | None]) -> str:
    """The record of a walk: the directories it entered and the files its rules came from."""
    return json.dumps(
        {"directories": directories, "sources": sources, "surroundings": _surroundings(root)}, separators=(",", ":")
    )


def still_holds(root: str, record: str, known: Mapping[str, Stat], excluded: frozenset[str]) -> bool:
    """Whether a walk would find exactly the files `known`, each as it was."""
    try:
        found = json.loads(record)
        if found["surroundings"] != _surroundings(root) or any(_is_below(root, path) for path in excluded):
            return False
        for path, expected in found["sources"].items():
            if expected is None or identity(path, follow=True) != tuple(expected):
                if expected is None and not os.path.lexists(path):
                    continue
                return False
        return _directories_hold(root, found["directories"]) and _files_hold(root, known)
    except (OSError, ValueError, KeyError, TypeError):
        return False  # damaged or gone: let the walk find out


def _directories_hold(root: str, directories: Mapping[str, Any]) -> bool:
    lstat = os.lstat
    for prefix, expected in directories.items():
        found = lstat(f"{root}/{prefix}")
        if [found.st_mtime_ns, found.st_ctime_ns, found.st_ino] != expected:
            return False
    return True


def _files_hold(root: str, known: Mapping[str, Stat]) -> bool:
    lstat = os.lstat
    for key, expected in known.items():
        found = lstat(f"{root}/{key}")
        if (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino) != expected:
            return False
    return True


def _surroundings(root: str) -> list[Any]:
    """What decides from outside which rules apply: the repository around the root and git's settings."""
    config = git.read_config(root)
    settings = None if config is None else [config.get(key) for key in _CONFIG_KEYS]
    return [_FORMAT, list(git.find_repository(root) or ()), settings, git.user_file("ignore")]


def _is_below(root: str, path: str) -> bool:
    return path.startswith(root.rstrip("/") + "/")
