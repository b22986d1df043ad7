"""One store: the database and the derived indexes of a repository family, with their locks.

Readers never wait: `read` pins a state and keeps it from the sweep. Writers take turns: `write` is short
and whole. Main call: `Store`.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

from clew.errors import StoreError, StoreGone
from clew.store import leases
from clew.store.database import BUSY_TIMEOUT_MS, Database, identity, refused, transaction, translated
from clew.store.grams import GramSegment
from clew.store.locks import FileLock
from clew.store.segments import Encode, MappedFiles, Segment
from clew.types import ModelName

WRITE_TIMEOUT_S = 60.0  # a batch takes well under a second; a minute means that something hangs


class Store:
    """The store in one directory. Safe to share between threads: each gets its own connection."""

    def __init__(
        self, directory: Path, model: Callable[[], ModelName] = ModelName, encode: Encode | None = None
    ) -> None:
        self.directory = directory
        self._model = model
        self.encode = encode  # packed terms as vectors; None: this store has none
        self.database = directory / "clew.db"
        self.leases = directory / "leases"
        self.segments = MappedFiles(directory / "lexical", Segment.open)
        self.grams = MappedFiles(directory / "exact", GramSegment.open)
        self._database = Database(self.database, "migrations")
        self._local = threading.local()
        self._laid_out = identity(self.database)  # the file that all of this is about:
        self.views: dict[Any, Any] = {}  # what readers have laid out of a snapshot, kept for its generation
        self.ranks: dict[Any, Any] = {}  # likewise, of its graph
        self.maps: dict[Any, Any] = {}  # likewise, what was drawn of that
        self.contents: dict[str, bytes] = {}  # that were shown, by their hashes
        self.graphs: dict[int, Any] = {}  # of each snapshot, what the last run knew of its files

    @property
    def model(self) -> ModelName:
        """The model in force; a provider's dimension may be learned while the store is open."""
        return self._model()

    @property
    def proven(self) -> dict[str, Any]:
        """By root, what this thread's questions found out last about a codebase: proven of one state, as its connection
        sees that."""
        found: dict[str, Any] = self._local.__dict__.setdefault("proven", {})
        return found

    @property
    def exists(self) -> bool:
        return identity(self.database) is not None

    def size_bytes(self) -> int:
        """The room that the store takes on disk."""
        total = 0
        for directory, _, names in os.walk(self.directory):
            for name in names:
                with contextlib.suppress(FileNotFoundError):  # leases come and go
                    total += os.stat(os.path.join(directory, name)).st_size
        return total

    def create(self) -> None:
        """Make the store where there is none; nothing else does."""
        self._database.create()

    def connection(self) -> apsw.Connection:
        """This thread's connection, outside any transaction; `StoreGone` where there is no store."""
        leased = getattr(self._local, "leased", None)
        if leased is not None and identity(self.database) != leased:  # what was read from it means nothing elsewhere
            raise StoreGone(f"the index at {self.database} was removed while it was in use; run the command again")
        connection, now = self._database.identified()
        if self._laid_out != now:  # removed and made again: ids begin anew there
            for kept in (self.views, self.ranks, self.maps, self.graphs):
                kept.clear()
            self._laid_out = now
        return connection

    @contextlib.contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """One consistent state, kept from the sweep until the block ends; a block in a block sees the same."""
        if getattr(self._local, "leased", None) is not None and (around := self.connection()).in_transaction:
            yield around
            return
        with translated(self.database), self.lease():
            connection = self.connection()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def lease(self) -> Iterator[None]:
        """Keep what is referred to now, and what a run is about to add, from the sweep."""
        with translated(self.database), leases.hold(self.leases, sweep_count(self.connection())):
            before = getattr(self._local, "leased", None)
            self._local.leased = before or identity(self.database)
            try:
                yield
            finally:
                self._local.leased = before

    @contextlib.contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Wait no longer than this for other writers, in this thread: for those whom somebody waits for."""
        connection = self.connection()
        connection.set_busy_timeout(int(seconds * 1000))
        self._local.wait_s = seconds
        try:
            yield
        finally:
            self._local.wait_s = WRITE_TIMEOUT_S
            with contextlib.suppress(apsw.ConnectionClosedError):  # its file was removed meanwhile
                connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[apsw.Connection]:
        """The right to write to the database and the derived indexes; transactions are the caller's."""
        connection = self.connection()
        lock = FileLock(self.directory / "write.lock")
        wait_s = getattr(self._local, "wait_s", WRITE_TIMEOUT_S)
        try:
            is_ours = lock.acquire(timeout_s=wait_s)
        except OSError as error:
            raise refused(lock.path, error) from error
        if not is_ours:
            raise StoreError(f"another process has been writing to {self.directory} for {wait_s:.0f} s; try again")
        with lock, translated(self.database):
            yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """One transaction on the truth."""
        with self.exclusive() as connection, transaction(connection):
            yield connection

    def close(self) -> None:
        """Close this thread's connection."""
        self._database.close()


def sweep_count(connection: apsw.Connection) -> int:
    """How many sweeps this store has seen."""
    value: int = connection.execute("SELECT value FROM counter WHERE name = 'sweep'").get
    return value
