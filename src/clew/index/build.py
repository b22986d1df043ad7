"""The core of indexing: contents in, facts stored once per blob, entries for the flip out.

Batches are committed as they are parsed, so a run that dies has not worked for nothing: the next one
finds the facts by hash and goes on. It reads no files. Main call: `store_contents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from clew.answers import Diagnostic, RunStats
from clew.errors import ClewError
from clew.index import classify
from clew.index.pool import ParsePool
from clew.index.worker import Outcome
from clew.packing import pack
from clew.parse.languages import LANGUAGES, language_of
from clew.source.git import git_blob_hash
from clew.store import facts
from clew.store.facts import FactsKey
from clew.store.snapshots import Entry
from clew.store.store import Store
from clew.types import Facts, FileContent, Skip, Stat
from clew.uncollected import uncollected

_COMMIT_BYTES = 2_000_000  # of parsed source a transaction: what a kill can cost

NO_STAT = Stat(0, 0, 0, 0)
Report = Callable[[int, int], None]  # files and bytes done so far
Embed = Callable[[set[int], RunStats], bool]  # gives facts their vectors; whether some may be in segments without


@dataclass(slots=True)
class Stored:
    """What a pass over contents brought: the entries to flip, and what was met on the way."""

    entries: list[Entry] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    is_late: bool = False  # vectors came after segments were made


class _Known(NamedTuple):
    blob: int | None
    facts: int | None


class _Parsed(NamedTuple):
    key: FactsKey
    size: int
    outcome: tuple[Facts | str | None, bytes]  # None: only the bytes are kept


def store_contents(
    store: Store,
    files: Iterable[FileContent],
    *,
    generations: Mapping[str, int],
    processes: int,
    stats: RunStats,
    report: Report,
    embed: Embed,
) -> Stored:
    """Store every content that is new; `generations` are those of the entries that exist already."""
    run = _Run(store, generations, stats, report)
    with uncollected(), ParsePool[FactsKey](processes) as pool:
        for file in files:
            task = run.take(file)
            if task is not None:
                for key, outcome in pool.submit(*task):
                    run.parsed(key, outcome)
        for key, outcome in pool.finish():
            run.parsed(key, outcome)
    return run.finish(embed)


class _Run:
    """The bookkeeping of one pass: what is known, in flight, parsed and written."""

    def __init__(self, store: Store, generations: Mapping[str, int], stats: RunStats, report: Report) -> None:
        self._store, self._generations = store, generations
        self._stats, self._report = stats, report
        self._connection = store.connection()
        self._stored = Stored()
        self._known: dict[FactsKey, _Known] = {}
        self._waiting: dict[FactsKey, list[tuple[FileContent, Skip | None]]] = {}
        self._sizes: dict[FactsKey, int] = {}
        self._parsed: list[_Parsed] = []
        self._parsed_bytes = 0
        self._files = self._bytes = 0

    def take(self, file: FileContent) -> tuple[FactsKey, tuple[str, bytes]] | None:
        """Settle a file from what is known, or return what must be parsed for it."""
        content, skip = file.content, file.skip
        language = file.language or language_of(file.path, content or b"")
        if content is not None and skip is None:
            skip = classify.skip_reason(file.path, content, language)
        if skip is not None:
            self._stored.diagnostics.append(Diagnostic(file.path, skip))
            if skip != "minified" or content is None:
                self._add_entry(file, _Known(None, None), language, skip)
                return None
        key = FactsKey(file.blob_hash or git_blob_hash(content or b""), language, LANGUAGES[language].extractor)
        wants_facts = skip is None and classify.wants_facts(key.language)
        if key in self._waiting:
            self._waiting[key].append((file, skip))
            return None
        known = self._known.get(key) or self._look_up(key)
        if known is not None and (known.facts is not None or not wants_facts):
            self._known[key] = known
            self._add_entry(file, known, language, skip)
            return None
        if content is None:
            raise ClewError(f"{file.path}: its content was named by hash only, but the store does not know it")
        self._waiting[key] = [(file, skip)]
        self._sizes[key] = len(content)
        if wants_facts:
            return key, (key.language, content)
        self._buffer(key, (None, pack(content)))
        return None

    def parsed(self, key: FactsKey, outcome: Outcome) -> None:
        """Take a parse result."""
        self._stats.parsed += 1
        self._buffer(key, outcome)

    def _buffer(self, key: FactsKey, outcome: tuple[Facts | str | None, bytes]) -> None:
        """Write when enough have come together."""
        size = self._sizes.pop(key)
        self._parsed.append(_Parsed(key, size, outcome))
        self._parsed_bytes += size
        if self._parsed_bytes >= _COMMIT_BYTES:
            self._write()

    def finish(self, embed: Embed) -> Stored:
        """Write what is left and have it embedded."""
        self._write()
        facts = {entry.facts for entry in self._stored.entries if entry.facts is not None}
        self._stored.is_late = embed(facts, self._stats)
        return self._stored

    def _write(self) -> None:
        batch, self._parsed, self._parsed_bytes = self._parsed, [], 0
        if not batch:
            return
        with self._store.write() as connection:
            for key, size, (result, compressed) in batch:
                blob = facts.add_blob(connection, key.blob_hash, size, compressed)
                if not isinstance(result, Facts):
                    self._known[key] = _Known(blob, None)
                    continue
                self._known[key] = _Known(blob, facts.add_facts(connection, blob, key, result))
        for key, _, (result, _) in batch:
            for file, skip in self._waiting.pop(key):
                if isinstance(result, Facts):
                    self._stored.diagnostics += [Diagnostic(file.path, note) for note in result.diagnostics]
                if isinstance(result, str):
                    self._stats.failed += 1
                    self._stored.diagnostics.append(Diagnostic(file.path, "failed", result))
                    skip = "failed"
                self._add_entry(file, self._known[key], key.language, skip)

    def _look_up(self, key: FactsKey) -> _Known | None:
        blob = facts.find_blob(self._connection, key.blob_hash)
        if blob is None:
            return None
        found = facts.find_facts(self._connection, blob.id, key.language, key.extractor)
        if blob.tombstone is not None or (found and found[1] is not None):
            with self._store.write() as connection:
                facts.revive(connection, [blob.id], [found[0]] if found else [])
            return self._look_up(key)  # a sweep may have been faster
        return _Known(blob.id, found[0] if found else None)

    def _add_entry(self, file: FileContent, known: _Known, language: str, skip: Skip | None) -> None:
        generation = self._generations.get(file.path, 0) + 1
        self._stored.entries.append(
            Entry(
                file.path,
                *known,
                language,
                skip,
                file.stat or NO_STAT._replace(size=len(file.content or b"")),
                generation,
            )
        )
        self._files += 1
        self._bytes += file.stat.size if file.stat else len(file.content or b"")
        self._report(self._files, self._bytes)
