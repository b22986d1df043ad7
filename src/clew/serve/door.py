"""The daemon's socket: in a directory of the user's own, one for each home, never in the way after a crash."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from pathlib import Path

from clew.errors import BadInput, ClewError
from clew.serve import wire

_MAX_PATH_BYTES = 100  # what every system takes as the address of a socket


class Door:
    """Listens as long as it is open; a lock that dies with the process says that there is one."""

    def __init__(self, home: Path) -> None:
        self.path = wire.socket_path(str(home))
        if len(os.fsencode(self.path)) > _MAX_PATH_BYTES:
            raise BadInput(f"{self.path} is too long for the address of a socket; give CLEW_HOME a shorter name")
        self._lock = _locked(private_directory(home))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)  # left by one that was killed: a living one would have the lock
        self.listening = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            self.listening.bind(self.path)
        finally:
            os.umask(before)
        self.listening.listen(128)
        self.listening.setblocking(False)
        self._number = os.stat(self.path).st_ino
        self.is_open = True

    def is_own(self) -> bool:
        """Whether the way in still leads here."""
        try:
            return os.stat(self.path).st_ino == self._number
        except OSError:
            return False

    def close(self) -> None:
        """Let nobody in any more, and make room for the next daemon."""
        if not self.is_open:
            return
        self.is_open = False
        if self.is_own():
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self.listening.close()
        os.close(self._lock)


def private_directory(home: Path) -> Path:
    """Where the daemon of a home keeps socket, lock and log; nobody else may enter."""
    directory = home / "daemon"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory.mkdir(mode=0o700, exist_ok=True)
    if directory.is_symlink() or directory.stat().st_uid != os.geteuid():
        raise BadInput(f"{directory} is not yours alone; remove it, or set CLEW_HOME")
    directory.chmod(0o700)
    return directory


def _locked(directory: Path) -> int:
    descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ClewError("a daemon runs already; `clew daemon status` shows it") from None
    return descriptor
