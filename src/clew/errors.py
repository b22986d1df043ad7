"""Every error Clew raises on purpose, so that each edge translates them in one place.

ClewError                    exit 4, problem status 500
├── BadInput                 exit 2: what was asked cannot be right (path, option, pattern)
│   ├── BadPath              a path that does not exist, escapes, or is of the wrong kind
│   └── Ambiguous            more than one thing has that name; `candidates` lists them
├── NotFound                 exit 1: a well-formed question about something that is not there
├── NotIndexed               exit 3: no believable index for that codebase
├── Busy                     exit 3: another process is indexing that codebase
├── RequiresReindex          exit 3: the index cannot be read or mixed with today's configuration
└── StoreError               exit 4: the store itself is at fault
    ├── StoreCorrupt         damaged files; the message says how to recover
    ├── StoreTooNew          written by a newer Clew
    └── StoreFull            no room on the disk

Each message says what happened, to what, and what to do next.
"""

from __future__ import annotations


class ClewError(Exception):
    """The root: catch this and nothing broader at an edge."""


class BadInput(ClewError):
    """The request cannot be right, whatever the state of the index."""


class BadPath(BadInput):
    """A path that does not exist, escapes its root, or is of the wrong kind."""


class Ambiguous(BadInput):
    """A name that fits several things; the caller shows `candidates`."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class NotFound(ClewError):
    """The thing asked for is not in the index or on disk."""


class NotIndexed(ClewError):
    """No believable index exists for `root`; `proof` says why one that is claimed is not believed."""

    def __init__(self, message: str, root: str, *, proof: str | None = None) -> None:
        super().__init__(message)
        self.root = root
        self.proof = proof


class Busy(ClewError):
    """Another process holds the codebase's lock."""

    def __init__(self, message: str, root: str) -> None:
        super().__init__(message)
        self.root = root


class RequiresReindex(ClewError):
    """The index of `root` was made in a way that today's configuration cannot read."""

    def __init__(self, message: str, root: str) -> None:
        super().__init__(message)
        self.root = root


class StoreError(ClewError):
    """The store could not do what it must."""


class StoreCorrupt(StoreError):
    """The store's files are damaged."""


class StoreTooNew(StoreError):
    """The store was written by a newer Clew than this one."""


class StoreFull(StoreError):
    """The disk that holds the store is full."""
