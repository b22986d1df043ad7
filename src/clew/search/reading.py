"""A pinned, believed state of a codebase to answer from, brought up to date first, checked again after.

Main calls: `Reader.ask`, which every question goes through, and `Reading.check` for each file it names.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, get_args

import apsw

from clew import deadline
from clew.answers import Answer, Freshness
from clew.errors import BadPath, NotFound, StoreError, StoreGone
from clew.lifecycle import freshness, gate
from clew.lifecycle.catalog import Codebase
from clew.lifecycle.clock import now
from clew.lifecycle.freshness import Checked, Freshener
from clew.source.reading import read_file
from clew.store import facts, snapshots, vectors
from clew.store.snapshots import Snapshot
from clew.types import Decision, Stat

_DOUBT = get_args(Decision)  # from none to most
_ATTEMPTS = 3  # a codebase may be judged while its state changes

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Reading:
    """One state of a codebase; nothing that happens meanwhile changes what it says."""

    codebase: Codebase
    connection: apsw.Connection
    snapshot: Snapshot
    fresh: Freshness
    max_file_bytes: int
    build: str | None = None  # which making of the index it is of

    def check(self, path: str, stat: Stat, blob: int, *, is_same: bool = False) -> bool | None:
        """Whether a file still has the indexed content, None when it is gone; counted. `is_same`: somebody has just
        seen that it has that stat."""
        deadline.check()
        found: bool | None = True
        if not is_same and not self.codebase.is_project:
            indexed = partial(snapshots.blob_hash, self.connection, blob)
            found = freshness.verify(self.codebase.root, path, stat, indexed, limit=self.max_file_bytes)
        if found:
            self.fresh.verified += 1
        elif found is None:
            self.fresh.dropped += 1
        else:
            self.fresh.changed += 1
        return found

    def content(self, key: str, blob: int | None) -> bytes:
        """A file's bytes: from the disk, or from the store for what came as content."""
        if self.codebase.is_project and blob is not None:
            return facts.content(self.connection, blob)
        try:
            return read_file(self.codebase.root, key, limit=self.max_file_bytes)[0]
        except (FileNotFoundError, NotADirectoryError) as error:
            raise gone(key) from error
        except OSError as error:
            raise BadPath(f"cannot read {key}: {error.strerror}") from error

    def require_files(self) -> None:
        """An ignored or empty directory is not an empty answer: say so."""
        root, subtree = self.codebase.root, self.codebase.subtree
        if subtree and not snapshots.has_files_below(self.connection, self.snapshot.id, subtree):
            raise NotFound(
                f"{subtree} has no file in the index of {root}: it is empty or ignored;"
                " `clew index` on it gives an ignored directory an index of its own"
            )


def gone(key: str) -> NotFound:
    """What is said of a file that was there when its codebase was indexed."""
    return NotFound(f"{key} is in the index, but is gone from the disk; `clew sync` takes it out")


class Reader:
    """Asks questions of codebases, each against one state that may be believed."""

    def __init__(self, freshener: Freshener, max_file_bytes: int) -> None:
        self.freshener, self._max_file_bytes = freshener, max_file_bytes

    def ask(self, codebase: Codebase, ask: Callable[[Reading], A]) -> A:
        """An answer about the tree as it is. One that meets a file that changed meanwhile is asked for again."""
        answer = self._ask_once(codebase, ask, doubt=False)
        fresh = answer.freshness
        if (fresh.changed or fresh.dropped) and fresh.decision != "failed" and not codebase.is_project:
            answer = self._ask_once(codebase, ask, doubt=True)
        return answer

    def ask_all(self, codebases: Sequence[Codebase], ask: Callable[[tuple[Reading, ...]], A]) -> A:
        """The same about several at once, each in one state."""

        def within(readings: tuple[Reading, ...], checks: list[Checked]) -> A:
            if len(readings) == len(codebases):
                return ask(readings)
            place = len(readings)
            return self._read(codebases[place], lambda reading: within((*readings, reading), checks), checks[place])

        # All are checked before any is read: two may share a store, and a check writes.
        answer = within((), [self._check(codebase, doubt=False) for codebase in codebases])
        fresh = answer.freshness
        if (fresh.changed or fresh.dropped) and fresh.decision != "failed":
            answer = within((), [self._check(codebase, doubt=True) for codebase in codebases])
        return answer

    def _check(self, codebase: Codebase, *, doubt: bool) -> Checked:
        if codebase.is_project:
            return Checked("fresh", at=now())
        return self.freshener.ensure(codebase, doubt=doubt)

    def _ask_once(self, codebase: Codebase, ask: Callable[[Reading], A], *, doubt: bool) -> A:
        return self._read(codebase, ask, self._check(codebase, doubt=doubt))

    def _read(self, codebase: Codebase, ask: Callable[[Reading], A], checked: Checked) -> A:
        deadline.check()
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(StoreGone), codebase.store.read() as connection:
                standing = gate.judge(codebase.store, connection, codebase.root, checked.standing)
                if standing.verdict == "ok":
                    snapshot = gate.require(standing)
                    fresh = Freshness(
                        checked.decision, snapshot.ref, snapshot.head, snapshot.generation, checked.at,
                        trouble=checked.trouble, proof=standing.proof.outcome,
                    )  # fmt: skip
                    return ask(Reading(codebase, connection, snapshot, fresh, self._max_file_bytes, standing.build))
            standing = gate.settle(codebase.store, codebase.root)
            if standing.verdict != "ok":
                raise gate.refusal(standing)
        raise StoreError(f"the index of {codebase.root} changes faster than it can be read; ask again")


def probe_of(codebase: Codebase) -> bytes | None:
    """What tells the provider's model of an index from others; None where there is nothing to ask that model for."""
    if gate.settle(codebase.store, codebase.root).verdict != "ok":
        return None
    return vectors.probe_of(codebase.store.connection(), codebase.store.model)


def together(readings: Sequence[Reading]) -> Freshness:
    """How an answer from several states stands to the disk: as the most doubtful of them, with all counts."""
    worst = max((reading.fresh for reading in readings), key=lambda fresh: _DOUBT.index(fresh.decision))
    if len(readings) == 1:
        return worst
    counts = {
        name: sum(getattr(reading.fresh, name) for reading in readings) for name in ("verified", "dropped", "changed")
    }
    return replace(worst, **counts)
