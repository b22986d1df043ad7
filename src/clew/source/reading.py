"""Reads single files safely: no link below the root is followed, not even one that appears meanwhile.

Main calls: `FileReader` for many files of one tree, `read_file` for one.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from pathlib import Path
from types import TracebackType

from clew.errors import BadPath
from clew.source.roots import file_key
from clew.types import Stat

_FLAGS = os.O_RDONLY  # and, where the system knows them: no link, no waiting for a FIFO's writer
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)


class FileReader:
    """Reads files below `root`; the directory of the last one stays open, since neighbours come next."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._directory = ""
        self._descriptor: int | None = None

    def __enter__(self) -> FileReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the directory back."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def read(self, key: str, *, limit: int) -> tuple[bytes, Stat]:
        """At most `limit` + 1 bytes of a regular file and the stat they belong to.

        Raises BadPath for links and special files, else the OSError of the file system; a file that
        changes under each of two attempts is a BlockingIOError."""
        key = file_key(key)
        for _ in range(2):
            descriptor = self._open(key)
            try:
                before = os.fstat(descriptor)
                if not modes.S_ISREG(before.st_mode):
                    raise BadPath(f"{key} is not a regular file; only files can be read")
                content = _read_up_to(descriptor, before.st_size, limit + 1)
                after = stat_of(os.fstat(descriptor))
            finally:
                os.close(descriptor)
            now = os.lstat(os.path.join(self._root, key))
            is_whole = len(content) == min(after.size, limit + 1)
            if is_whole and after == stat_of(before) and os.path.samestat(now, before):
                return content, after
            self.close()  # the directory itself may have been replaced
        raise BlockingIOError(errno.EAGAIN, "changes while it is read", key)

    def _open(self, key: str) -> int:
        directory, _, name = key.rpartition("/")
        if os.open not in os.supports_dir_fd:
            path = os.path.join(self._root, *key.split("/"))
            if os.path.realpath(path) != os.path.normpath(path):
                raise BadPath(f"{key} goes through a symbolic link, which is not followed")
            return os.open(path, _FLAGS)
        try:
            if self._descriptor is None or directory != self._directory:
                self._enter(directory)
            return os.open(name, _FLAGS, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and has_link(self._root, key)):
                raise BadPath(f"{key} goes through a symbolic link, which is not followed") from None
            raise OSError(error.errno, error.strerror, key) from None

    def _enter(self, directory: str) -> None:
        """Open a directory by walking down from the root, so that no component can be a link."""
        self.close()
        here = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in directory.split("/") if directory else ():
                below = os.open(name, _FLAGS | os.O_DIRECTORY, dir_fd=here)
                os.close(here)
                here = below
        except OSError:
            os.close(here)
            raise
        self._directory, self._descriptor = directory, here


def read_file(root: str, key: str, *, limit: int) -> tuple[bytes, Stat]:
    """One file, as `FileReader.read`."""
    with FileReader(root) as reader:
        return reader.read(key, limit=limit)


def has_link(root: str, key: str) -> bool:
    """Whether the file or a directory on the way to it is a symbolic link."""
    parts = key.split("/")
    return any(Path(root, *parts[:i]).is_symlink() for i in range(1, len(parts) + 1))


def stat_of(found: os.stat_result) -> Stat:
    """What Clew keeps of a stat."""
    return Stat(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _read_up_to(descriptor: int, size: int, limit_bytes: int) -> bytes:
    """At most so many bytes; of a file of this size at most one that should not be there, and none after its end."""
    parts: list[bytes] = []
    got, most = 0, min(size + 1, limit_bytes)
    while got < most and (part := os.read(descriptor, min(most - got, 1 << 24))):
        parts.append(part)
        got += len(part)
        if got == size:  # if there is more, it is not the size any more, and the next look at it tells
            break
    return b"".join(parts)
