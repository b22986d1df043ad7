"""The nouns of Clew that are told to who asks: runs, jobs, hits, and how fresh they are; frozen, slotted.

What an answer has many of is a tuple, which is made in a sixth of the time.

Lines are 1-based and inclusive. What is only counted while a run or a check goes on may change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clew.types import Decision, FileItem, JobState, Symbol, TextMatch, Transition


class Diagnostic(NamedTuple):
    """One file that was not indexed like the others, and why."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last sign of life of a run, as it left it beside its lock."""

    run: str
    action: str
    phase: str
    started_at: str
    updated_at: str
    files_done: int = 0
    files_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0

    @property
    def percent(self) -> int | None:
        """How much is done, never 100 before the end; None before the work is known."""
        return min(99, 100 * self.bytes_done // self.bytes_total) if self.bytes_total else None


@dataclass(slots=True)
class RunStats:
    """What one run did; counts, so that two runs can be compared."""

    files: int = 0
    chunks: int = 0
    symbols: int = 0
    added: int = 0
    modified: int = 0
    removed: int = 0
    moved: int = 0
    failed: int = 0
    parsed: int = 0
    read: int = 0
    embedded: int = 0  # texts that an embedding provider was given
    skipped: dict[str, int] = field(default_factory=dict)
    failures: list[Diagnostic] = field(default_factory=list)  # the first of those that `failed` counts
    job: str = ""  # that recorded it, if one did

    @property
    def changes(self) -> int:
        """How many files differ from what was indexed before."""
        return self.added + self.modified + self.removed + self.moved


@dataclass(frozen=True, slots=True)
class Job:
    """One explicit action on a codebase: a run with a beginning, an end and a result."""

    id: str
    root: str
    action: str
    state: JobState
    started_at: str
    ended_at: str | None = None
    resumes: str | None = None
    error: str | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[Mapping[str, str], ...] = ()
    heartbeat: Heartbeat | None = None


@dataclass(frozen=True, slots=True)
class Managed:
    """The answer to an action on an index: the job that does it, or why none is needed."""

    root: str
    action: str
    job: Job | None = None
    already_indexed: bool = False
    notes: tuple[str, ...] = ()


class Function(NamedTuple):
    """A definition that is shown under the hit of its file."""

    symbol: str
    kind: str
    start_line: int
    end_line: int


class Hit(NamedTuple):
    """One answer of a search; `codebase` is a root."""

    codebase: str
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    language: str
    score: float
    snippet: str
    content_hash: str
    fresh: bool
    functions: tuple[Function, ...] = ()
    also: tuple[str, ...] = ()  # other paths with the same content
    near: tuple[str, ...] = ()  # files that are nearly the same
    why: Mapping[str, float] | None = None
    is_whole: bool = False  # the lines shown are a whole definition


@dataclass(slots=True)
class Freshness:
    """How an answer stands to the disk; the counts grow while its hits are checked."""

    decision: Decision
    snapshot: str
    head: str
    generation: int
    checked_at: str | None  # when the tree was last looked at; None: not in this process
    verified: int = 0
    dropped: int = 0
    changed: int = 0  # hits whose file is no longer what was indexed
    trouble: str = ""  # why a check failed
    proof: str = "valid"


@dataclass(frozen=True, slots=True)
class Answer:
    """What every answer has: the codebase it speaks of, and how fresh it is."""

    root: str
    freshness: Freshness


@dataclass(frozen=True, slots=True)
class Found(Answer):
    """The answer of a search; `terms` are what it looked for, for highlighting."""

    hits: tuple[Hit, ...]
    total: int
    truncated: bool
    terms: tuple[str, ...]
    unasked: str = ""  # why the embedding provider had no part in it, if it should have had
    continuation: str | None = None  # what the next hits are asked for with
    unknown: tuple[str, ...] = ()  # names that the query spells out and nothing has, or all its words


class NamedSymbol(NamedTuple):
    """A definition and the file it stands in."""

    path: str
    language: str
    symbol: Symbol
    fresh: bool


@dataclass(frozen=True, slots=True)
class SymbolsFound(Answer):
    symbols: tuple[NamedSymbol, ...]
    inherited: bool = False  # the class that was named has them from classes above it


@dataclass(frozen=True, slots=True)
class Outline(Answer):
    path: str
    language: str
    skip: str | None
    symbols: tuple[Symbol, ...]
    fresh: bool


@dataclass(frozen=True, slots=True)
class Paths(Answer):
    items: tuple[FileItem, ...]
    total: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Content(Answer):
    path: str
    text: str
    start_line: int
    end_line: int
    total_lines: int
    truncated: bool
    language: str
    symbols: tuple[Symbol, ...] | None = None  # defined in these lines, if that was asked


@dataclass(frozen=True, slots=True)
class FileMatches:
    """How many matches a file has; in a list of files only that it has one."""

    path: str
    count: int


@dataclass(frozen=True, slots=True)
class TextFound(Answer):
    """The answer of an exact search: matches, or files with their counts; `total` counts what was found."""

    matches: Sequence[TextMatch]
    files: tuple[FileMatches, ...]
    total: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class CodebaseState:
    """All that is known of a codebase without asking its files."""

    root: str
    state: str
    proof: str
    verdict: str = "not_indexed"
    message: str = ""
    generation: int = 0
    head: str = ""
    files: int = 0
    chunks: int = 0
    symbols: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    updated_at: str = ""
    run: str = ""
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    store: str = ""
    size_bytes: int = 0
    marker_present: bool = False
    heartbeat: Heartbeat | None = None
    jobs: tuple[Job, ...] = ()
    transitions: tuple[Transition, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at."""

    subject: str
    ok: bool
    message: str
