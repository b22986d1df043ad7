"""Which codebases exist and in which store directory each lives: the way in, never proof of anything.

A codebase's state is in its store alone. Main call: `Registry`.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Container
from pathlib import Path
from typing import NamedTuple

from clew.store.database import Database, fetch_all, fetch_one, identity, transaction, translated
from clew.types import PROJECT


class Known(NamedTuple):
    """Where a codebase lives, and what was last known of it."""

    store: Path
    state: str
    files: int
    chunks: int


class Registry:
    """The list of codebases under one `CLEW_HOME`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._path = home / "registry.db"
        self._database = Database(self._path, "registry_migrations", creates=True)
        self._stores: dict[str, Path] = {}  # that were asked for: a path takes longer to make than to look up

    def store_directory(self, family: str) -> Path:
        """Where the store of a repository family lives; the name shows the folder it is for."""
        label = re.sub(r"[^\w.-]+", "-", os.path.basename(family.removesuffix("/.git")))[:40] or "root"
        digest = hashlib.sha256(family.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return self.home / "stores" / f"{label}-{digest}"

    def add(self, root: str, store: Path) -> None:
        """Note that `root` lives in `store`."""
        relative = store.relative_to(self.home).as_posix()
        with translated(self._path), transaction(self._database.connection()) as connection:
            connection.execute(
                "INSERT INTO codebase (root, store) VALUES (?, ?)"
                " ON CONFLICT (root) DO UPDATE SET store = excluded.store",
                (root, relative),
            )

    def note(self, root: str, state: str, files: int, chunks: int) -> None:
        """Keep what is known of a codebase, for when its store cannot be asked."""
        with translated(self._path), transaction(self._database.connection()) as connection:
            connection.execute(
                "UPDATE codebase SET state = ?, files = ?, chunks = ? WHERE root = ?", (state, files, chunks, root)
            )

    def remove(self, root: str) -> None:
        """Forget a codebase."""
        with translated(self._path), transaction(self._database.connection()) as connection:
            connection.execute("DELETE FROM codebase WHERE root = ?", (root,))

    def all(self) -> dict[str, Path]:
        """Every codebase with its store directory, sorted by root."""
        return {root: known.store for root, known in self.known().items()}

    def holding(self, path: str) -> tuple[str, Path] | None:
        """The deepest codebase that contains `path`, with its store directory: every question asks for that alone."""
        if identity(self._path) is None:
            return None
        with translated(self._path):
            stores = dict(fetch_all(self._database.connection(), "SELECT root, store FROM codebase"))
        root = containing(path, stores)
        if root is None:
            return None
        name = stores[root]
        return root, self._stores.get(name) or self._stores.setdefault(name, self.home / name)

    def known(self) -> dict[str, Known]:
        """Every codebase with what was last known of it, sorted by root."""
        if identity(self._path) is None:
            return {}
        with translated(self._path):
            rows = fetch_all(
                self._database.connection(), "SELECT root, store, state, files, chunks FROM codebase ORDER BY root"
            )
        return {root: Known(self.home / store, *rest) for root, store, *rest in rows}

    def dimension(self, model: str) -> int:
        """How long the vectors of a provider's model are, if that was ever learned; 0 if not."""
        if identity(self._path) is None:
            return 0
        with translated(self._path):
            row = fetch_one(self._database.connection(), "SELECT dimension FROM model WHERE name = ?", (model,))
        return int(row[0]) if row else 0

    def note_dimension(self, model: str, dimension: int) -> None:
        """Keep what was learned of a provider's model, for processes that do not ask it."""
        with translated(self._path), transaction(self._database.connection()) as connection:
            connection.execute("INSERT OR REPLACE INTO model VALUES (?, ?)", (model, dimension))

    def close(self) -> None:
        """Close this thread's connection."""
        self._database.close()


def containing(path: str, roots: Container[str]) -> str | None:
    """The deepest codebase that contains `path`."""
    if path.startswith(PROJECT):
        return path if path in roots else None
    while path not in roots:
        parent = os.path.dirname(path)
        if parent == path:
            return None
        path = parent
    return path
