"""Identity: canonical roots of trees and relative keys of files, two different operations.

`canonical_root` asks the file system, `file_key` is pure text. Neither indexes nor reads anything.
"""

from __future__ import annotations

import os
import re

from clew.errors import BadPath
from clew.source import git

_DRIVE = re.compile(r"[A-Za-z]:")


def canonical_root(path: str | os.PathLike[str]) -> str:
    """The one name of the directory `path`: real, normalised, without a trailing separator."""
    given = os.fspath(path)
    if not given or "\0" in given:
        raise BadPath(f"{given!r} is no directory name; give the path of a directory")
    try:
        root = os.path.realpath(given, strict=True)
    except FileNotFoundError:
        raise BadPath(f"{given} does not exist; give the path of a directory") from None
    except PermissionError:
        raise BadPath(f"{given} may not be entered; check its permissions") from None
    except OSError as error:
        raise BadPath(f"{given} cannot be resolved: {error.strerror}") from None
    if not os.path.isdir(root):
        raise BadPath(f"{given} is not a directory; give the directory that contains it")
    if not os.access(root, os.R_OK | os.X_OK):
        raise BadPath(f"{given} may not be read; check its permissions")
    if not is_text(root):
        raise BadPath(f"{given!r} is not valid UTF-8; rename the directory or reach it by another name")
    return root


def file_key(path: str) -> str:
    """The key of a file below its root: forward slashes, no `.` segments; refuses what could escape."""
    key = path.replace("\\", "/")
    if not key or "\0" in key or not is_text(key):
        raise BadPath(f"{path!r} is no file key; give a path relative to the root")
    if key.startswith("/") or _DRIVE.match(key):
        raise BadPath(f"{path} is absolute; give a path relative to the root")
    parts = [part for part in key.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadPath(f"{path} leaves the root with '..'; give a path inside it")
    if not parts or _DRIVE.match(parts[0]):
        raise BadPath(f"{path} names no file below the root")
    return "/".join(parts)


def is_plain_key(key: str) -> bool:
    """Whether `key` is its own file key and can be stored as UTF-8."""
    if "\\" in key or (key[1:2] == ":" and _DRIVE.match(key)):
        return False
    return key.isascii() or is_text(key)


def is_text(name: str) -> bool:
    """Whether `name` came from valid UTF-8 (os.fsdecode marks other bytes with surrogates)."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def default_root(cwd: str | os.PathLike[str]) -> str:
    """What a first index takes when no path was given: the git top level of `cwd`, else `cwd`."""
    root = canonical_root(cwd)
    return git.find_top_level(root) or root


def guard_root(root: str, *, force: bool) -> None:
    """Refuse a home directory or a file-system root, which nobody means to index, unless forced."""
    what = "" if force else kind_too_large(root)
    if what:
        raise BadPath(f"{root} is a {what}; give a directory inside it, or --force")


def kind_too_large(root: str) -> str:
    """What a root is that nobody means to index; nothing for all others."""
    if os.path.dirname(root) == root:
        return "file-system root"
    return "home directory" if root == os.path.realpath(os.path.expanduser("~")) else ""


def contains(root: str, path: str) -> bool:
    """Whether `path` is `root` or lies below it, segment by segment: `apps` never holds `apps-legacy`."""
    base = root.rstrip("/" + os.sep)
    if not path.startswith(base):
        return False
    rest = path[len(base) :]
    return not rest or rest[0] in ("/", os.sep)


def family_of(root: str) -> str:
    """Identity of the store: the git common directory, which worktrees share, else the root itself."""
    repository = git.find_repository(root)
    return repository.common_dir if repository else root
