"""One SQLite database: opened with the right pragmas, migrated by number, errors made plain.

Main calls: `connect`, `translated` (turns apsw's errors into Clew's), `transaction`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from copy import copy
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import apsw

from clew.errors import StoreCorrupt, StoreError, StoreFull, StoreGone, StoreTooNew
from clew.packing import repacked
from clew.store import packs

BUSY_TIMEOUT_MS = 10_000
_NEEDED_BYTES = 65_536  # with less, SQLite cannot share memory and calls that an input/output error
_OPENINGS = 5  # of a file that others remove and make again meanwhile


def connect(path: Path, migrations: str, *, create: bool = True) -> apsw.Connection:
    """Open (or create) a database and bring its schema up to date."""
    with translated(path):
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        connection = apsw.Connection(str(path), flags=flags)
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "temp_store = MEMORY",
            "cache_size = -16000",
            "mmap_size = 268435456",
            "wal_autocheckpoint = 4000",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        _migrate(connection, path, migrations)
        return connection


class Database:
    """One database file, with a connection for each thread that asks. Where there is none, asking makes none, unless it
    `creates`: it would come to life in a directory that is being removed."""

    def __init__(self, path: Path, migrations: str, *, creates: bool = False) -> None:
        self.path = path
        self._migrations, self._creates = migrations, creates
        self._local = threading.local()

    def connection(self) -> apsw.Connection:
        """This thread's connection."""
        return self.identified()[0]

    def identified(self) -> tuple[apsw.Connection, tuple[int, int] | None]:
        """The same, and which file it is of."""
        found: apsw.Connection | None = getattr(self._local, "connection", None)
        if found is not None and self._local.identity != identity(self.path):
            self.close()  # the file was removed, or replaced, by another process
            found = None
        if found is not None and found.readonly("main"):
            found = None  # it may be written to by now; whoever uses the old one may go on
        return (self._open(create=self._creates) if found is None else found), self._local.identity

    def create(self) -> None:
        """Make the file, its directory too, where there is none."""
        if identity(self.path) is None:
            self.close()
            self._open(create=True)

    def _open(self, *, create: bool) -> apsw.Connection:
        """A connection to the file that is there, and no other: it may be removed, and made again, meanwhile. What is
        made here is opened once more: only then it was there before."""
        if create:
            make_private(self.path.parent)
        for _ in range(_OPENINGS):
            before = identity(self.path)
            if before is None and not create:
                raise _removed(self.path)
            connection = connect(self.path, self._migrations, create=create)
            now = identity(self.path)
            if now is not None and now == before:
                self._local.connection, self._local.identity = connection, now
                return connection
            connection.close()
        raise StoreError(f"the index at {self.path} is removed and made again all the time; try again")

    def close(self) -> None:
        """Close this thread's connection."""
        found: apsw.Connection | None = getattr(self._local, "connection", None)
        self._local.connection = self._local.identity = None
        if found is not None:
            found.close()


def identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from another of the same name; None when there is none."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise refused(path, error) from error
    return found.st_dev, found.st_ino


def refused(path: str | Path, error: OSError) -> StoreError:
    """What the system refused to do with a file of a store, as an error of Clew's."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(f"no room left on the disk for {path}; free some and run the command again")
    if error.errno == errno.ENOENT:
        return _removed(path)
    return StoreError(f"cannot use the index at {path}: {error.strerror}; check rights and space there")


def _is_gone(path: Path) -> bool:
    """Whether there is no such file; one that may not be looked at may well be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _removed(path: str | Path) -> StoreGone:
    return StoreGone(f"the index at {path} was removed while it was in use; run the command again")


def schema_version(migrations: str) -> int:
    """The newest schema this program knows."""
    return len(_migrations(migrations))


@contextlib.contextmanager
def transaction(connection: apsw.Connection) -> Iterator[apsw.Connection]:
    """A write transaction that is committed whole or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def decoded(text: str) -> Any:
    """What a column says in JSON, one's own copy of the outermost level: each question reads the same few."""
    return copy(_decoded(text))


@lru_cache(maxsize=256)
def _decoded(text: str) -> Any:
    return json.loads(text)


def state_seen(connection: apsw.Connection) -> tuple[apsw.Connection, int, int] | None:
    """What differs between any two states that are seen; None while the connection writes, which may be taken back.

    Both numbers, of what others changed and of what it changed itself, count from the same for every connection."""
    if connection.txn_state("main") == apsw.SQLITE_TXN_WRITE:
        return None
    return connection, connection.execute("PRAGMA data_version").get, connection.total_changes()


def fetch_all(connection: apsw.Connection, sql: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every row of a query."""
    return connection.execute(sql, bindings).fetchall()


def fetch_one(connection: apsw.Connection, sql: str, bindings: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
    """The first row of a query, or None."""
    return connection.execute(sql, bindings).fetchone()


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Errors of SQLite as Clew's own, each with what to do."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError) as error:
        cure = "remove it with `clew clear`" if path.name == "clew.db" else "delete that file"
        raise StoreCorrupt(f"the index at {path} is damaged ({error}); {cure} and index again") from error
    except apsw.FullError as error:
        raise StoreFull(f"no room left on the disk for {path}; free some and run the command again") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError) as error:
        if _is_gone(path):
            raise _removed(path) from error
        if isinstance(error, apsw.IOError) and shutil.disk_usage(path.parent).free < _NEEDED_BYTES:
            raise StoreFull(f"no room left on the disk for {path}; free some and run the command again") from error
        raise StoreError(f"cannot use the index at {path}: {error}; check rights and space there") from error
    except apsw.ConnectionClosedError as error:  # what it was of is gone, so this thread let go of it
        raise _removed(path) from error
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise StoreError(f"the index at {path} is being written to by another process; try again") from error


def _migrate(connection: apsw.Connection, path: Path, migrations: str) -> None:
    scripts = _migrations(migrations)
    if _version(connection) == len(scripts):
        return
    connection.create_scalar_function("repacked", repacked, 1)
    connection.create_aggregate_function("packed_edges", packs.EdgesInRows, 6)
    connection.create_aggregate_function("packed_loose", packs.LooseInRows, 4)
    with transaction(connection):
        found = _version(connection)
        if found > len(scripts):
            raise StoreTooNew(
                f"the index at {path} was written by a newer Clew (schema {found}, this one knows {len(scripts)}); "
                "update Clew, or set CLEW_HOME to another directory"
            )
        for number, script in enumerate(scripts[found:], start=found + 1):
            for _ in connection.execute(script):
                raise StoreError(f"migration {number} returns rows: the rest of it would not run")
        connection.execute(f"PRAGMA user_version = {len(scripts)}")


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


@cache
def _migrations(folder: str) -> tuple[str, ...]:
    files = [
        item for item in resources.files("clew.store").joinpath(folder).iterdir() if re.match(r"\d{4}_", item.name)
    ]
    return tuple(item.read_text(encoding="utf-8") for item in sorted(files, key=lambda item: item.name))


def make_private(directory: Path) -> None:
    """Create a directory of Clew's own, readable by its owner alone."""
    try:
        for path in (*reversed(directory.parents), directory):  # mkdir(parents=True) would leave those open to all
            if not path.is_dir():
                path.mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not path.parent.is_dir():  # one that was there
            raise _removed(directory) from error
        raise StoreError(
            f"cannot create {directory}: {error.strerror}; set CLEW_HOME to a directory you may write"
        ) from error
