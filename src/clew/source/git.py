"""What git's own files say: where repositories are, HEAD, the branch, the configuration.

Reads files without running git, except for the configuration (includes, conditions and system paths are
git's to know) and for reference formats that only git can read. Never writes, never raises for a broken
repository: that one counts as no repository.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
from functools import lru_cache
from typing import NamedTuple

NO_HEAD = "no-head"
_TIMEOUT_S = 10
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_SMALL_FILE_BYTES = 1 << 16
_PACKED_REFS_BYTES = 1 << 28


class Repository(NamedTuple):
    """A work tree and its git directories; worktrees differ in `git_dir` and share `common_dir`."""

    top: str
    git_dir: str
    common_dir: str


def open_repository(top: str) -> Repository | None:
    """The repository whose work tree starts exactly at `top`."""
    directory = git_dir(top)
    return None if directory is None else Repository(top, directory, common_dir(directory))


def find_repository(path: str) -> Repository | None:
    """The repository of the nearest work tree that contains `path`."""
    while True:
        found = open_repository(path)
        parent = os.path.dirname(path)
        if found is not None or parent == path:
            return found
        path = parent


def find_top_level(path: str) -> str | None:
    """The nearest ancestor of `path`, itself included, that is the top of a work tree."""
    found = find_repository(path)
    return found.top if found else None


def git_dir(top: str) -> str | None:
    """`top`'s git directory: `.git`, or what a `.git` file of a worktree or submodule points to."""
    place = os.path.join(top, ".git")
    try:
        if os.path.isfile(place):
            text = _read(place).rstrip("\r\n")
            if not text.startswith("gitdir: "):
                return None
            place = os.path.join(top, text.removeprefix("gitdir: "))
        os.lstat(os.path.join(place, "HEAD"))
    except (OSError, ValueError):
        return None
    return os.path.realpath(place)


def common_dir(directory: str) -> str:
    """The directory that a repository's worktrees share; `directory` itself outside a worktree."""
    try:
        text = _read(os.path.join(directory, "commondir")).rstrip("\r\n")
    except OSError:
        return directory
    return os.path.realpath(os.path.join(directory, text))


def head(root: str) -> str:
    """The commit of HEAD as hexadecimal digits; `no-head` when unborn or without git."""
    repository = find_repository(root)
    if repository is None:
        return NO_HEAD
    if os.path.isdir(os.path.join(repository.common_dir, "reftable")):
        answer = run(repository, "rev-parse", "--verify", "-q", "HEAD^{commit}")
        text = (answer or b"").decode("ascii", "replace").strip()
        return text if _SHA.match(text) else NO_HEAD
    name = "HEAD"
    for _ in range(6):  # git's own limit of symbolic references is 5
        text = _reference(repository, name)
        if not text.startswith("ref: "):
            return text if _SHA.match(text) else NO_HEAD
        name = text.removeprefix("ref: ").strip()
    return NO_HEAD


def branch(root: str) -> str | None:
    """The branch that HEAD names, even an unborn one; None when detached or without git."""
    repository = find_repository(root)
    if repository is None:
        return None
    if os.path.isdir(os.path.join(repository.common_dir, "reftable")):
        answer = run(repository, "symbolic-ref", "-q", "HEAD")
        text = "ref: " + os.fsdecode(answer or b"")
    else:
        text = _reference(repository, "HEAD")
    prefix = "ref: refs/heads/"
    return text.removeprefix(prefix).strip() if text.startswith(prefix) else None


def changed_files(root: str) -> list[str]:
    """Files below a root that differ from the last commit or are not in it yet, as git says; none without git."""
    repository = find_repository(root)
    if repository is None:
        return []
    changed = run(repository, "diff", "--name-only", "-z", "HEAD") or b""
    untracked = run(repository, "ls-files", "--others", "--exclude-standard", "-z") or b""
    paths = {os.path.join(repository.top, os.fsdecode(name)) for name in (changed + untracked).split(b"\0") if name}
    inside = os.path.realpath(root) + os.sep
    return sorted(path.removeprefix(inside).replace(os.sep, "/") for path in paths if path.startswith(inside))


def git_blob_hash(content: bytes) -> bytes:
    """The name git gives to this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).digest()


def read_config(root: str) -> dict[str, str] | None:
    """git's configuration as it holds in `root` (last value of each lower-case key); None without git.

    Kept per process and read again when a file it came from, or the environment, has changed.
    """
    repository = find_repository(root)
    where = repository or Repository(root, "", "")
    key = (where, tuple(sorted((k, v) for k, v in os.environ.items() if _concerns_config(k))))
    known = _configs.get(key)
    if known is None or known.stats != _stats(known.files):
        if len(_configs) > 64:
            _configs.clear()
        known = _configs[key] = _load_config(where)
    return known.values


def run(repository: Repository, *arguments: str, timeout_s: float = _TIMEOUT_S) -> bytes | None:
    """The output of a read-only git command in `repository`; None when it fails or git is missing."""
    environment = {k: v for k, v in os.environ.items() if k not in _REPOSITORY_VARIABLES}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    if repository.git_dir:
        environment |= {"GIT_DIR": repository.git_dir, "GIT_WORK_TREE": repository.top}
    command = ["git", "-c", "core.fsmonitor=false", *arguments]  # a hook of the tree must not run
    try:
        done = subprocess.run(
            command,
            cwd=repository.top,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def is_true(value: str | None) -> bool:
    """Whether a value of the configuration means yes."""
    return value is not None and value.lower() in ("true", "yes", "on", "1")


def git_path(value: str, top: str) -> str:
    """A path of the configuration, as git expands it."""
    return os.path.join(top, os.path.expanduser(value))


def user_file(name: str) -> str:
    """git's default place of a user's `ignore` or `attributes` file."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, "git", name)


class _Config(NamedTuple):
    values: dict[str, str] | None
    files: tuple[str, ...]
    stats: tuple[tuple[int, int, int] | None, ...]


_configs: dict[object, _Config] = {}
_REPOSITORY_VARIABLES = frozenset(
    ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")
)


def _concerns_config(variable: str) -> bool:
    return variable.startswith("GIT_CONFIG") or variable in ("HOME", "XDG_CONFIG_HOME", "PATH")


def _load_config(where: Repository) -> _Config:
    home = os.path.expanduser("~")
    files = {"/etc/gitconfig", os.path.join(home, ".gitconfig"), user_file("config")}
    files |= {os.environ[v] for v in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM") if os.environ.get(v)}
    if where.git_dir:  # HEAD, because a condition may depend on the branch
        files |= {os.path.join(where.common_dir, "config"), os.path.join(where.git_dir, "config.worktree")}
        files.add(os.path.join(where.git_dir, "HEAD"))
    stats = _stats(tuple(sorted(files)))
    answer = run(where, "config", "--list", "-z", "--show-origin")
    if answer is None:
        return _Config(None, tuple(sorted(files)), stats)
    fields = os.fsdecode(answer).split("\0")
    values: dict[str, str] = {}
    origins = set(files)
    for origin, field in zip(fields[::2], fields[1::2], strict=False):
        if origin.startswith("file:"):
            origins.add(os.path.join(where.top, origin.removeprefix("file:")))
        name, has_value, value = field.partition("\n")
        values[name] = value if has_value else "true"
    every = tuple(sorted(origins))
    return _Config(values, every, _stats(every))


def _stats(files: tuple[str, ...]) -> tuple[tuple[int, int, int] | None, ...]:
    return tuple(map(_stat, files))


def _stat(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _reference(repository: Repository, name: str) -> str:
    """The text of a reference, loose or packed; empty when there is none."""
    own = name == "HEAD" or name.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
    with contextlib.suppress(OSError, ValueError):  # not loose: then packed, or not born yet
        return _read(os.path.join(repository.git_dir if own else repository.common_dir, name)).strip()
    path = os.path.join(repository.common_dir, "packed-refs")
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return _packed(path, found.st_mtime_ns, found.st_size, found.st_ino).get(name, "")


@lru_cache(maxsize=8)
def _packed(path: str, _mtime_ns: int, _size: int, _inode: int) -> dict[str, str]:
    try:
        text = _read(path, _PACKED_REFS_BYTES)
    except OSError:
        return {}
    lines = (line.partition(" ") for line in text.splitlines() if line[:1] not in ("#", "^"))
    return {name: sha for sha, _, name in lines}


def _read(path: str, limit_bytes: int = _SMALL_FILE_BYTES) -> str:
    with open(path, "rb") as file:
        return os.fsdecode(file.read(limit_bytes))
