"""Goes through contents in order and hands on those that match.

The first few are looked at one by one, since a page is often full by then. After them literals, which may be frequent,
are looked for in batches that grow. Where trigrams cannot leave files out, batches are unpacked and searched ahead by
threads: native work for the most part, the same answers in the same order. Main call: `matching`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import NamedTuple

import apsw

from clew import deadline
from clew.search import bulk
from clew.search.lines import Spot, find_spots
from clew.search.pattern import Pattern
from clew.store import facts
from clew.store.snapshots import TextFile

MAX_THREADS = 4  # one main thread takes what they find
_FIRST = 32  # files that are looked at one by one
_BATCH_BYTES = 50_000  # packed, of the first batch; each is twice as large as the one before,
_MAX_BATCH_BYTES = 400_000  # up to this: some 2 MB of source


class Matching(NamedTuple):
    """A file that matches: its content and where."""

    file: TextFile
    content: bytes
    spots: Iterator[Spot]


def matching(
    connection: apsw.Connection, pattern: Pattern, files: Iterator[TextFile], *, ahead: bool
) -> Generator[Matching, None, None]:
    """The files that match, in their order; `ahead` where most of them will not."""
    with facts.packed_reader(connection) as packed:
        unpack = facts.unpacker()
        for file in islice(files, _FIRST) if ahead or pattern.literal is not None else files:
            deadline.check()
            content = unpack(packed(file.blob))
            spots = find_spots(pattern, content)
            for spot in islice(spots, 1):
                yield Matching(file, content, chain((spot,), spots))
        batches = _batches(files, packed)
        yield from _ahead(pattern, batches) if ahead else _in_turn(pattern, batches)


Batch = list[tuple[TextFile, bytes]]


def _in_turn(pattern: Pattern, batches: Iterator[Batch]) -> Iterator[Matching]:
    for batch in batches:
        deadline.check()
        yield from _search(pattern, batch)


def _ahead(pattern: Pattern, batches: Iterator[Batch]) -> Iterator[Matching]:
    """What the batches have, in order, while threads search the next ones."""
    first = next(batches, None)
    if first is None:
        return
    threads = min(MAX_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, "clew-grep")
    try:
        running: deque[Future[list[Matching]]] = deque()
        for batch in chain((first,), batches):
            running.append(pool.submit(_search, pattern, batch))
            if len(running) > threads:
                deadline.check()
                yield from running.popleft().result()
        while running:
            deadline.check()
            yield from running.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _batches(files: Iterator[TextFile], packed: Callable[[int], bytes]) -> Iterator[Batch]:
    """Files with what is kept of them, still packed."""
    batch: Batch = []
    size, most = 0, _BATCH_BYTES
    for file in files:
        batch.append((file, packed(file.blob)))
        size += len(batch[-1][1])
        if size > most:
            yield batch
            batch, size, most = [], 0, min(2 * most, _MAX_BATCH_BYTES)
    if batch:
        yield batch


def _search(pattern: Pattern, batch: Batch) -> list[Matching]:
    unpack = facts.unpacker()
    contents = [unpack(packed) for _, packed in batch]
    together = bulk.find_in_all(pattern, contents) if bulk.is_frequent(pattern, contents) else None
    if together is not None:
        return [Matching(batch[place][0], contents[place], spots) for place, spots in together]
    found = []
    for (file, _), content in zip(batch, contents, strict=True):
        spots = [*find_spots(pattern, content)]
        if spots:
            found.append(Matching(file, content, iter(spots)))
    return found
