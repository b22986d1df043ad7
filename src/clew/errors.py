"""Every error Clew raises on purpose, so that each edge translates them in one place.

ClewError                    exit 4, problem status 500
├── BadInput                 exit 2: what was asked cannot be right (path, option, pattern)
│   ├── BadPath              a path that does not exist, escapes, or is of the wrong kind
│   └── Ambiguous            more than one thing has that name; `candidates` lists them
├── NotFound                 exit 1: a well-formed question about something that is not there
├── Gated                    exit 3: the codebase cannot be asked now; each says what to do
│   ├── RequiresReindex      the index cannot be read or mixed with today's configuration
│   ├── Busy                 a living run holds that codebase
│   ├── Interrupted          a run died on it; the next create takes over
│   └── NotIndexed           no believable index for that codebase
├── Stopped                  exit 130: a run was asked to end; the next one goes on where it stopped
├── TooManyJobs              exit 4: the queue of background work is full
├── FileChanged              exit 4: somebody else changed a file that was to be edited; nothing was written
├── TimedOut                 exit 4: no answer within the time limit of a query
├── ProviderError            exit 4: an embedding provider did not answer, or not as it must
│   └── OtherDimension       its vectors are longer or shorter than those of the index
└── StoreError               exit 4: the store itself is at fault
    ├── StoreCorrupt         damaged files; the message says how to recover
    ├── StoreTooNew          written by a newer Clew
    ├── StoreGone            removed while it was in use, by `clew clear` or by hand
    └── StoreFull            no room on the disk

Each message says what happened, to what, and what to do next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.answers import Heartbeat


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


class Gated(ClewError):
    """The codebase at `root` cannot be asked; `proof` says why an index that is claimed is not believed."""

    def __init__(
        self,
        message: str,
        root: str,
        *,
        proof: str | None = None,
        marker_present: bool = False,
        probe_failed: bool = False,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        super().__init__(message)
        self.root = root
        self.proof = proof
        self.marker_present = marker_present
        self.probe_failed = probe_failed
        self.heartbeat = heartbeat


class RequiresReindex(Gated):
    """The index was made in a way that today's configuration cannot read."""


class Busy(Gated):
    """A living run holds the codebase; `heartbeat` says how far it is, where that is known."""


class Interrupted(Gated):
    """A run died before its index was whole; nothing of it is lost."""


class NotIndexed(Gated):
    """No believable index exists."""


class Stopped(ClewError):
    """Somebody asked a run to end; what it has done is kept."""


class TooManyJobs(ClewError):
    """More background work is waiting than the limit allows."""


class FileChanged(ClewError):
    """A file is not what it was when its change was planned; it is left as it is."""


class TimedOut(ClewError):
    """A query took longer than a server lets one take."""


class ProviderError(ClewError):
    """An embedding provider that is down, refuses, or gives what is no vector; nothing of its answer is kept."""


class OtherDimension(ProviderError):
    """A provider's vectors have another length than it had when the run began."""


class StoreError(ClewError):
    """The store could not do what it must."""


class StoreCorrupt(StoreError):
    """The store's files are damaged."""


class StoreTooNew(StoreError):
    """The store was written by a newer Clew than this one."""


class StoreGone(StoreError):
    """The store was removed; whoever looks again finds that nothing is indexed."""


class StoreFull(StoreError):
    """The disk that holds the store is full."""
