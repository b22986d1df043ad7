"""Which codebases exist and in which store directory each lives: the way in, never proof of anything.

A codebase's state is in its store alone. Main call: `Registry`.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from pathlib import Path

import apsw

from clew.errors import StoreError
from clew.store.database import connect, fetch_all, transaction, translated


class Registry:
    """The list of codebases under one `CLEW_HOME`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._path = home / "registry.db"
        self._local = threading.local()

    def store_directory(self, family: str) -> Path:
        """Where the store of a repository family lives; the name shows the folder it is for."""
        label = re.sub(r"[^\w.-]+", "-", os.path.basename(family.removesuffix("/.git")))[:40] or "root"
        digest = hashlib.sha256(family.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return self.home / "stores" / f"{label}-{digest}"

    def add(self, root: str, store: Path) -> None:
        """Note that `root` lives in `store`."""
        relative = store.relative_to(self.home).as_posix()
        with translated(self._path), transaction(self._connection()) as connection:
            connection.execute("INSERT OR REPLACE INTO codebase VALUES (?, ?)", (root, relative))

    def remove(self, root: str) -> None:
        """Forget a codebase."""
        with translated(self._path), transaction(self._connection()) as connection:
            connection.execute("DELETE FROM codebase WHERE root = ?", (root,))

    def all(self) -> dict[str, Path]:
        """Every codebase with its store directory, sorted by root."""
        if not self._path.exists():
            return {}
        with translated(self._path):
            rows = fetch_all(self._connection(), "SELECT root, store FROM codebase ORDER BY root")
        return {root: self.home / store for root, store in rows}

    def containing(self, path: str) -> str | None:
        """The deepest codebase that contains `path`."""
        roots = self.all()
        while path not in roots:
            parent = os.path.dirname(path)
            if parent == path:
                return None
            path = parent
        return path

    def close(self) -> None:
        """Close this thread's connection."""
        found: apsw.Connection | None = getattr(self._local, "connection", None)
        if found is not None:
            found.close()
            self._local.connection = None

    def _connection(self) -> apsw.Connection:
        found: apsw.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            make_private(self.home)
            found = self._local.connection = connect(self._path, "registry_migrations")
        return found


def make_private(directory: Path) -> None:
    """Create a directory of Clew's own, readable by its owner alone."""
    try:
        for path in (*reversed(directory.parents), directory):  # mkdir(parents=True) would leave those open to all
            if not path.is_dir():
                path.mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(
            f"cannot create {directory}: {error.strerror}; set CLEW_HOME to a directory you may write"
        ) from error
