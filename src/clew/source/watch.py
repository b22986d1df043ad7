"""Tells which files of a set of directories were touched, and never guesses.

On Linux the kernel queues an event before the call that caused it returns, so an empty queue is proof that
nothing was touched. Elsewhere events come late and in any order: there they only wake the waiter, and prove
nothing. Knows nothing of ignore rules. Main call: `open_watch`.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import select
import struct
import sys
import threading
from collections.abc import Iterable
from typing import NamedTuple, Protocol

_LOCAL = frozenset(
    "ext2 ext3 ext4 xfs btrfs tmpfs zfs f2fs overlay bcachefs jfs reiserfs ramfs rootfs vfat exfat ntfs3".split()
)
_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_UNMOUNT, _OVERFLOW, _IGNORED = 0x2000, 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW, _EXCL_UNLINK, _ISDIR = 0x1000000, 0x2000000, 0x4000000, 0x40000000
_MASK = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
    | _ONLYDIR | _DONT_FOLLOW | _EXCL_UNLINK
)  # fmt: skip
_LOST = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW | _IGNORED
_EVENT = struct.Struct("iIII")
_ESCAPE = re.compile(r"\\([0-7]{3})")  # how the kernel writes spaces in the names of mounts
_BUFFER_BYTES = 1 << 20


class Touched(NamedTuple):
    """What happened since the last look; `whole`: only a look at everything can tell."""

    keys: frozenset[str]
    whole: bool


class Watch(Protocol):
    """Watches directories of one root; safe to share between threads."""

    proves: bool  # whether an empty `drain` means that nothing was touched

    def add(self, prefixes: Iterable[str]) -> int:
        """Watch these directories (`""`, `src/`) too; how many were not watched before."""
        ...

    def drain(self) -> Touched:
        """Everything that happened up to now, once."""
        ...

    def wait(self, timeout_s: float) -> bool:
        """Wait until something happens, or `wake` is called."""
        ...

    def wake(self) -> None: ...

    def close(self) -> None: ...


def open_watch(root: str) -> Watch:
    """A watch on a canonical root; `OSError` when the system has none to give for this place."""
    if sys.platform == "linux":
        if not is_local(root):
            raise OSError(errno.ENOTSUP, "changes on a remote file system are not reported", root)
        return InotifyWatch(root)
    return NotifyWatch(root)


class InotifyWatch:
    """The kernel's own queue (Linux)."""

    proves = True

    def __init__(self, root: str) -> None:
        self._root = root
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._prefixes: dict[int, str] = {}
        self._watched: set[str] = set()
        self._whole = False
        self._lock = threading.Lock()
        self._queue: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), root)
        self._bell, self._pull = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        for descriptor in (self._queue, self._bell):
            self._poll.register(descriptor, select.POLLIN)

    def add(self, prefixes: Iterable[str]) -> int:
        before = len(self._watched)
        for prefix in prefixes:
            if prefix in self._watched:
                continue
            path = os.fsencode(os.path.join(self._root, prefix[:-1]) if prefix else self._root)
            found: int = self._libc.inotify_add_watch(self._queue, path, _MASK)  # a slash at its end follows a link
            if found >= 0:
                self._whole |= found in self._prefixes  # one directory by two names: events tell only one of them
                self._prefixes[found] = prefix
                self._watched.add(prefix)
            elif (number := ctypes.get_errno()) in (errno.ENOENT, errno.ENOTDIR):
                self._whole = True  # gone since it was listed
            else:
                raise OSError(number, os.strerror(number), f"{self._root}/{prefix}")
        return len(self._watched) - before

    def drain(self) -> Touched:
        keys: set[str] = set()
        with self._lock:
            whole, self._whole = self._whole, False
            while True:
                try:
                    data = os.read(self._queue, _BUFFER_BYTES)
                except BlockingIOError:
                    return Touched(frozenset(keys), whole)
                at = 0
                while at < len(data):
                    watch, mask, _, size = _EVENT.unpack_from(data, at)
                    at += _EVENT.size
                    name = data[at : at + size].rstrip(b"\0")
                    at += size
                    prefix = self._prefixes.get(watch)
                    if mask & (_LOST | _ISDIR) or prefix is None:
                        whole = True
                    else:
                        keys.add(prefix + os.fsdecode(name))

    def wait(self, timeout_s: float) -> bool:
        ready = {descriptor for descriptor, _ in self._poll.poll(max(0, int(timeout_s * 1000)))}
        if self._bell in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._bell, 4096)
        return bool(ready)

    def wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._pull, b".")

    def close(self) -> None:
        with self._lock:
            for descriptor in (self._queue, self._bell, self._pull):
                os.close(descriptor)


class NotifyWatch:
    """watchfiles, where the kernel's queue is not to be had: wakes, but proves nothing."""

    proves = False

    def __init__(self, root: str) -> None:
        self._root = root
        self._prefixes: set[str] = set()
        self._event, self._stop = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, prefixes: Iterable[str]) -> int:
        before = len(self._prefixes)
        self._prefixes.update(prefixes)
        if self._thread is None and self._prefixes:
            self._thread = threading.Thread(target=self._run, name="clew-notify", daemon=True)
            self._thread.start()
        return len(self._prefixes) - before

    def drain(self) -> Touched:
        return Touched(frozenset(), True)

    def wait(self, timeout_s: float) -> bool:
        found = self._event.wait(timeout_s)
        self._event.clear()
        return found

    def wake(self) -> None:
        self._event.set()

    def close(self) -> None:
        self._stop.set()
        self._event.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        import watchfiles

        try:
            for _ in watchfiles.watch(self._root, watch_filter=None, stop_event=self._stop, debounce=200, step=50):
                self._event.set()
        except OSError:
            self._event.set()  # it can only not wake any more: nothing was promised


def is_local(root: str) -> bool:
    """Whether everything below a root is on file systems whose changes this kernel sees."""
    covering = ""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            rows = [line.split(" - ", 1) for line in mounts]
    except OSError:
        return False
    kinds: dict[str, str] = {}
    for left, right in rows:
        place = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), left.split(" ")[4])
        kinds[place] = right.split(" ", 1)[0]  # a later mount hides an earlier one
        if (root == place or root.startswith(place.rstrip("/") + "/")) and len(place) >= len(covering):
            covering = place
    inside = [kind for place, kind in kinds.items() if place.startswith(root.rstrip("/") + "/")]
    return all(kind in _LOCAL for kind in [kinds.get(covering, "unknown"), *inside])
