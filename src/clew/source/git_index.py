"""git's index: which files are tracked, and which of its hashes may stand for a file's bytes.

Parses versions 2 to 4; split and sparse indexes are listed by git itself and give no hashes. A hash is
trusted only where the index proves that the file has not changed and no filter can stand between the
file and its blob. Reads neither blobs nor the files themselves.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

from clew.source import git
from clew.types import Stat

_HEADER = Struct(">4sII")
_LIST_TIMEOUT_S = 60
_MAX_INDEX_BYTES = 1 << 30
_GITLINK = 0o160000
_EMPTY_BLOB = bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
_ASSUME_VALID, _EXTENDED, _STAGE, _NAME = 0x8000, 0x4000, 0x3000, 0x0FFF
_FILTERS = re.compile(rb"(?:^|\s)[-!]?(?:filter|ident|working-tree-encoding)(?=[\s=]|\Z)", re.MULTILINE)
_SYSTEM_ATTRIBUTES = ("/etc/gitattributes", "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes")
_MAX_ATTRIBUTES_BYTES = 1 << 24


class IndexEntry(NamedTuple):
    """One entry: what git saw of a file when it last hashed it. Times in ns, numbers of 32 bits."""

    sha: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int
    stage: int
    is_special: bool  # assume-valid, skip-worktree or intent-to-add


class TrustedHash(NamedTuple):
    """A blob hash that git vouches for; with `needs_size_check` only if the blob has the file's size."""

    hash: bytes
    needs_size_check: bool


class UnsupportedIndex(Exception):
    """An index that only git can read (split, sparse, or a later version)."""


class GitIndex:
    """The entries of one index file: offsets by path, unpacked one at a time when asked for."""

    __slots__ = ("_data", "_hash_bytes", "_modes", "_offsets", "_paths", "mtime_ns")

    def __init__(self, data: bytes, *, mtime_ns: int, hash_bytes: int = 20) -> None:
        self._data = data
        self._hash_bytes = hash_bytes
        self._modes: dict[bytes, int] | None = None
        self._paths: list[bytes] | None = None
        self.mtime_ns = mtime_ns
        if len(data) < 12 + hash_bytes or data[:4] != b"DIRC":
            raise UnsupportedIndex("not an index file")
        version = _HEADER.unpack_from(data)[1]
        if version not in (2, 3, 4):
            raise UnsupportedIndex(f"version {version}")
        try:
            self._offsets, end = self._parse_prefixed() if version == 4 else self._parse_padded()
            self._check_extensions(end)
        except (IndexError, ValueError) as error:
            raise UnsupportedIndex("damaged index file") from error

    @classmethod
    def listed(cls, listing: bytes) -> GitIndex:
        """From `git ls-files -z -s`: tracked paths and modes, nothing to trust a hash by."""
        index = cls.__new__(cls)
        index._data, index._hash_bytes, index.mtime_ns = b"", 20, 0
        index._offsets, index._paths = {}, None
        index._modes = {}
        for line in listing.split(b"\0"):
            words, _, path = line.partition(b"\t")
            if path:
                index._modes[path] = int(words.split(b" ", 1)[0], 8)
        return index

    def paths(self) -> list[bytes]:
        """All paths, sorted by bytes as git has them."""
        if self._paths is None:
            self._paths = sorted(self._offsets if self._modes is None else self._modes)
        return self._paths

    def is_tracked(self, path: bytes) -> bool:
        return path in (self._offsets if self._modes is None else self._modes)

    def tracks_below(self, directory: bytes) -> bool:
        """Whether any tracked path lies below `directory`."""
        prefix = directory + b"/"
        paths = self.paths()
        at = bisect_left(paths, prefix)
        return at < len(paths) and paths[at].startswith(prefix)

    def is_submodule(self, path: bytes) -> bool:
        if self._modes is not None:
            return self._modes.get(path) == _GITLINK
        entry = self.entry(path)
        return entry is not None and entry.mode == _GITLINK

    def entry(self, path: bytes) -> IndexEntry | None:
        """What the index records of `path`; of a path in conflict, one of its stages."""
        at = self._offsets.get(path)
        if at is None:
            return None
        record = _record(self._hash_bytes)
        c_s, c_ns, m_s, m_ns, _, inode, mode, _, _, size, sha, flags = record.unpack_from(self._data, at)
        special = bool(flags & _ASSUME_VALID)
        if flags & _EXTENDED:
            after = at + record.size
            special |= bool(int.from_bytes(self._data[after : after + 2], "big"))
        mtime_ns, ctime_ns = m_s * 1_000_000_000 + m_ns, c_s * 1_000_000_000 + c_ns
        return IndexEntry(sha, size, mtime_ns, ctime_ns, inode, mode, (flags & _STAGE) >> 12, special)

    def trusted_hash(self, path: bytes, stat: Stat) -> bytes | None:
        """git's hash of `path`, if the index proves that the file is what git hashed."""
        if self._hash_bytes != 20:
            return None
        entry = self.entry(path)
        if entry is None or entry.stage or entry.is_special or entry.mode & 0o170000 != 0o100000:
            return None
        if entry.mtime_ns != _truncated_ns(stat.mtime_ns) or entry.size != stat.size & 0xFFFFFFFF:
            return None
        if entry.mtime_ns >= _truncated_ns(self.mtime_ns):  # racy: it may have changed since, unseen
            return None
        if entry.ctime_ns and entry.ctime_ns != _truncated_ns(stat.ctime_ns):
            return None
        if entry.inode and entry.inode != stat.inode & 0xFFFFFFFF:
            return None
        if stat.size == 0 and entry.sha != _EMPTY_BLOB:  # git sets the size of racy entries to 0
            return None
        return entry.sha

    def _parse_padded(self) -> tuple[dict[bytes, int], int]:
        data, at = self._data, 12
        fixed = 42 + self._hash_bytes
        offsets: dict[bytes, int] = {}
        for _ in range(_HEADER.unpack_from(data)[2]):
            high = data[at + fixed - 2]
            name = at + fixed + (2 if high & 0x40 else 0)
            length = (high & 0x0F) << 8 | data[at + fixed - 1]
            if length == _NAME:  # a name of 4095 bytes or more
                length = data.index(0, name) - name
            offsets[data[name : name + length]] = at
            at += (name - at + length + 8) & ~7
        return offsets, at

    def _parse_prefixed(self) -> tuple[dict[bytes, int], int]:
        data, at = self._data, 12
        fixed = 42 + self._hash_bytes
        offsets: dict[bytes, int] = {}
        path = b""
        for _ in range(_HEADER.unpack_from(data)[2]):
            name = at + fixed + (2 if data[at + fixed - 2] & 0x40 else 0)
            byte = data[name]
            drop = byte & 0x7F
            while byte & 0x80:
                name += 1
                byte = data[name]
                drop = (drop + 1) << 7 | byte & 0x7F
            end = data.index(0, name + 1)
            path = path[: len(path) - drop] + data[name + 1 : end]
            offsets[path] = at
            at = end + 1
        return offsets, at

    def _check_extensions(self, at: int) -> None:
        """Extensions whose names start in lower case change what the entries mean."""
        end = len(self._data) - self._hash_bytes
        if at > end:
            raise ValueError("entries run into the checksum")
        while at + 8 <= end:
            if not self._data[at : at + 1].isupper():
                raise UnsupportedIndex(repr(self._data[at : at + 4]))
            at += 8 + int.from_bytes(self._data[at + 4 : at + 8], "big")


def read_index(repository: git.Repository) -> GitIndex | None:
    """The index of a repository: empty when there is none yet, None when it cannot be read."""
    path = os.path.join(repository.git_dir, "index")
    try:
        found = os.stat(path)
    except OSError:
        return GitIndex.listed(b"")
    return _read_index(repository, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


@lru_cache(maxsize=8)
def _read_index(repository: git.Repository, *_identity: int) -> GitIndex | None:
    try:
        with open(os.path.join(repository.git_dir, "index"), "rb") as file:
            data = file.read(_MAX_INDEX_BYTES)
            mtime_ns = os.fstat(file.fileno()).st_mtime_ns
        return GitIndex(data, mtime_ns=mtime_ns, hash_bytes=_hash_bytes(repository))
    except OSError:
        return None
    except UnsupportedIndex:
        return list_index(repository)


def list_index(repository: git.Repository) -> GitIndex | None:
    """The index as git lists it, for those that only git can read."""
    listing = git.run(repository, "ls-files", "-z", "-s", timeout_s=_LIST_TIMEOUT_S)
    return None if listing is None else GitIndex.listed(listing)


class AttributeEffect(NamedTuple):
    """What attributes can do to files: `filters` forbid trust, `converts` demands a check of sizes."""

    filters: bool
    converts: bool


def attribute_effect(repository: git.Repository, seen: Iterable[str], config: dict[str, str] | None) -> AttributeEffect:
    """Judge every source of attributes: `seen` files of the tree, the repository's and the user's."""
    settings = config or {}
    user = settings.get("core.attributesfile")
    sources = [os.path.join(repository.common_dir, "info", "attributes"), *_SYSTEM_ATTRIBUTES, *seen]
    sources.append(git.user_file("attributes") if user is None else git.git_path(user, repository.top))
    filters = "attr.tree" in settings
    autocrlf = settings.get("core.autocrlf")
    converts = config is None or git.is_true(autocrlf) or autocrlf == "input"
    for source in sources:
        try:
            with open(source, "rb") as file:
                data = file.read(_MAX_ATTRIBUTES_BYTES)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            continue
        except OSError:
            return AttributeEffect(True, True)
        converts |= bool(data.strip())
        filters |= bool(_FILTERS.search(data))
    return AttributeEffect(filters, converts)


@lru_cache(maxsize=4)
def _record(hash_bytes: int) -> Struct:
    return Struct(f">10I{hash_bytes}sH")


def _hash_bytes(repository: git.Repository) -> int:
    try:
        with open(os.path.join(repository.common_dir, "config"), "rb") as file:
            sha256 = re.search(rb"(?im)^\s*objectformat\s*=\s*\"?sha256", file.read(1 << 20))
    except OSError:
        return 20
    return 32 if sha256 else 20


def _truncated_ns(time_ns: int) -> int:
    seconds, rest = divmod(time_ns, 1_000_000_000)
    return (seconds & 0xFFFFFFFF) * 1_000_000_000 + rest
