"""Goes through contents in order and hands on those that match.

Where trigrams cannot narrow them down, what comes after the first few (a page is often full by then) is unpacked and
searched ahead by threads: native work for the most part, the same answers in the same order. Main call: `matching`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import apsw

from clew import deadline
from clew.search.lines import Spot, find_spots
from clew.search.pattern import Pattern
from clew.store import facts
from clew.store.snapshots import TextFile

MAX_THREADS = 4  # one main thread takes what they find
_FIRST = 32  # files that are looked at before any thread is started
_BATCH_FILES = 64
_BATCH_BYTES = 1_000_000  # packed, of the files that one thread takes at a time


class Matching(NamedTuple):
    """A file that matches: its content, the first match and those after it."""

    file: TextFile
    content: bytes
    first: Spot
    others: Iterator[Spot]


def matching(
    connection: apsw.Connection, pattern: Pattern, files: Iterator[TextFile], *, ahead: bool
) -> Generator[Matching, None, None]:
    """The files that match, in their order; `ahead` where most of them will not."""
    read = facts.content_reader(connection)
    for file in islice(files, _FIRST) if ahead else files:
        deadline.check()
        yield from _matches(pattern, file, read(file.blob))
    batches = _batches(connection, files)
    first = next(batches, None)
    if first is None:
        return
    threads = min(MAX_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, "clew-grep")
    try:
        running: deque[Future[list[Matching]]] = deque([pool.submit(_search, pattern, first)])
        for batch in islice(batches, threads):
            running.append(pool.submit(_search, pattern, batch))
        while running:
            deadline.check()
            yield from running.popleft().result()
            for batch in islice(batches, 1):
                running.append(pool.submit(_search, pattern, batch))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


Batch = list[tuple[TextFile, bytes]]


def _batches(connection: apsw.Connection, files: Iterable[TextFile]) -> Iterator[Batch]:
    """Files with what is kept of them, still packed."""
    packed = facts.packed_reader(connection)
    batch: Batch = []
    size = 0
    for file in files:
        batch.append((file, packed(file.blob)))
        size += len(batch[-1][1])
        if len(batch) == _BATCH_FILES or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _search(pattern: Pattern, batch: Batch) -> list[Matching]:
    unpack = facts.unpacker()
    return [found for file, packed in batch for found in _matches(pattern, file, unpack(packed))]


def _matches(pattern: Pattern, file: TextFile, content: bytes) -> Iterator[Matching]:
    """The file, if it matches."""
    spots = find_spots(pattern, content)
    first = next(spots, None)
    if first is not None:
        yield Matching(file, content, first, spots)
