"""The nouns of Clew that come by the thousand, through its pipes, to its store and from it: tuples, without behaviour.

Lines are 1-based and inclusive; byte offsets are half-open and never leave the engine. Rows are
handed to SQLite as they are. What is told to who asks is in `answers.py`, which the processes that parse need not load.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

PROJECT = "project:"  # the root of a codebase that came as content has this prefix

Skip = Literal["binary", "huge", "minified", "unreadable", "failed"]
TextMode = Literal["matches", "files", "counts"]
JobState = Literal["running", "completed", "failed", "interrupted"]
Decision = Literal[
    "fresh", "synced", "coalesced", "skipped_recent", "skipped_indexing", "skipped_requires_reindex", "failed"
]
State = Literal["not_found", "indexing", "indexed", "sync_completed", "indexfailed", "requires_reindex"]


class ModelName(NamedTuple):
    """Which model made the vectors of a store; the default is none."""

    provider: str = "none"
    model: str = "none"
    dimension: int = 0
    base: str = ""  # the bundled model, where that of a provider stands beside it


class Stat(NamedTuple):
    """What the file system says of a file without opening it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Symbol(NamedTuple):
    """A definition; `parent` is the ordinal of the enclosing symbol, -1 at the top."""

    kind: str
    name: str
    qualified: str
    start_byte: int
    end_byte: int
    name_byte: int
    start_line: int
    end_line: int
    signature: str
    doc: str
    parent: int


class Import(NamedTuple):
    """One imported name; `name` is empty when a whole module is imported, `*` for everything."""

    module: str
    name: str
    alias: str
    start_byte: int
    line: int


class Chunk(NamedTuple):
    """A stretch of whole lines; `symbol` is the ordinal of the definition it belongs to, or -1.

    `terms` holds little-endian uint32 term hashes in order of first appearance, `freqs` one byte of frequency for each.
    """

    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    symbol: int
    length: int
    terms: bytes
    freqs: bytes


class Facts(NamedTuple):
    """All that a blob's content and language say, and nothing that its path or neighbours say."""

    symbols: list[Symbol]
    imports: list[Import]
    chunks: list[Chunk]
    uses: bytes
    links: tuple[
        bytes, list[tuple[int, str, int, str]]
    ]  # packed: parse/links.py; attributes (class, name, byte, value)
    interface: bytes
    names: tuple[bytes, bytes] = (b"", b"")  # packed terms of the definitions' names
    about: tuple[bytes, bytes] = (b"", b"")  # packed terms of what the file says of itself at its top
    diagnostics: tuple[str, ...] = ()


class FileContent(NamedTuple):
    """One file handed to the index: content, or a hash of content that the store may have already."""

    path: str
    content: bytes | None
    blob_hash: bytes | None = None
    stat: Stat | None = None
    skip: Skip | None = None
    language: str | None = None


class Progress(NamedTuple):
    """How far a run has come; sent to whoever watches it."""

    phase: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int


class FileItem(NamedTuple):
    path: str
    size: int
    mtime_ns: int
    language: str
    skip: str | None


class TextMatch(NamedTuple):
    """A line that an exact search found (several with multiline), and where in it the match begins."""

    path: str
    line: int
    column: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Transition(NamedTuple):
    """One step of a codebase's state."""

    run: str
    at: str
    old: str
    new: str
    cause: str
