"""Goes through contents in order and hands on those that match.

The first few are looked at one by one, since a page is often full by then. After them files are searched in batches
that grow: expressions through a sieve, literals in all of a batch at once. Where trigrams left few files out, threads
unpack, search and look at the disk: native work for the most part, the same answers in the same order. Main call:
`matching`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import NamedTuple

import apsw

from clew import deadline, native
from clew.lifecycle.freshness import unchanged
from clew.packing import unpack, unpacked_size, without_mark
from clew.search import bulk
from clew.search.bulk import Rows, Texts
from clew.search.lines import Spot, find_spots
from clew.search.pattern import Pattern
from clew.store import facts
from clew.store.snapshots import TextFile

MAX_THREADS = 4  # more would wait for each other: what they find is Python's
_FIRST = 32  # files that are looked at one by one
_BATCH_BYTES = 250_000  # of contents in the first batch; each is twice as large as the one before,
_MAX_BATCH_BYTES = 2_000_000  # up to this: a question is given up between batches
_MAX_TURN = 32  # batches that are read before threads search them; turns grow likewise


class Matching(NamedTuple):
    """A file that matches, and where; its content is cut out of a batch when it is asked for."""

    file: TextFile
    texts: Sequence[bytes]
    number: int
    spots: Iterable[Spot]
    is_same: bool = False  # whoever found it has seen that the file has the stat that it had

    @property
    def content(self) -> bytes:
        return self.texts[self.number]


def matching(
    connection: apsw.Connection, pattern: Pattern, files: Iterator[TextFile], root: str, *, is_long: bool
) -> Generator[Sequence[Matching], None, None]:
    """The files that match, in their order, some at once; `is_long` where threads are worth it. They look at the disk,
    too, where the files are on it: below the `root`, if there is one."""
    with facts.packed_reader(connection) as packed:
        for file in islice(files, _FIRST):
            deadline.check()
            content = without_mark(unpack(packed(file.blob)))
            known = bulk.find_in_one(pattern, content)
            spots = find_spots(pattern, content) if known is None else iter(known)
            for spot in islice(spots, 1):
                yield (Matching(file, [content], 0, chain((spot,), spots)),)
        batches = _batches(files, packed)
        for batch in batches:
            deadline.check()
            yield from zip(_find(pattern, batch), strict=True)  # one by one: the page may be full
            if is_long and (native.kernels is not None or pattern.literal is None or pattern.sieve is not None):
                break
        yield from _shared(pattern, batches, root)


Batch = list[tuple[TextFile, bytes]]


def _shared(pattern: Pattern, batches: Iterator[Batch], root: str) -> Iterator[list[Matching]]:
    """What the batches have, in order, by threads. A literal they look for in C, without Python's lock, while the next
    batches are read; for others reading would wait for the lock after each of thousands of short calls, so they search
    what was read before, in turns that grow."""
    first = next(batches, None)
    if first is None:
        return
    is_native = native.kernels is not None and pattern.literal is not None and pattern.sieve is None
    threads = min(MAX_THREADS, os.cpu_count() or 1)
    size = threads
    batches = chain((first,), batches)
    running: deque[Future[list[Matching]]] = deque()
    pool = ThreadPoolExecutor(threads, "clew-grep")
    try:
        while turn := [*islice(batches, 1 if is_native else size)]:
            size = min(2 * size, _MAX_TURN)
            running.extend(pool.submit(_find_all, pattern, batch, root) for batch in turn)
            while len(running) > (2 * threads if is_native else 0):
                deadline.check()
                yield running.popleft().result()
        while running:
            deadline.check()
            yield running.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _batches(files: Iterator[TextFile], packed: Callable[[int], bytes]) -> Iterator[Batch]:
    """Files with what is kept of them, still packed."""
    batch: Batch = []
    size, most = 0, _BATCH_BYTES
    for file in files:
        batch.append((file, packed(file.blob)))
        size += unpacked_size(batch[-1][1])
        if size > most:
            yield batch
            batch, size, most = [], 0, min(2 * most, _MAX_BATCH_BYTES)
    if batch:
        yield batch


def _find(pattern: Pattern, batch: Batch) -> Iterator[Matching]:
    """The files of a batch that match; their spots are found while they are looked at, since a page may be full."""
    texts = Texts([packed for _, packed in batch])
    places: Iterable[tuple[int, Iterable[Spot]]] | None = None
    sifted = None if pattern.sieve is None else pattern.sieve.ends_in_all(texts.joined, texts.bases)
    if sifted is not None:
        places = ((number, find_spots(pattern, texts[number], ends)) for number, ends in sifted)
    elif bulk.is_worth_it(pattern, texts):
        places = bulk.find_in_all(pattern, texts)
    if places is None:
        places = ((number, find_spots(pattern, content)) for number, content in enumerate(texts))
    for number, spots in places:
        if isinstance(spots, Rows):
            yield Matching(batch[number][0], texts, number, spots)
        else:
            there = iter(spots)
            for spot in islice(there, 1):
                yield Matching(batch[number][0], texts, number, chain((spot,), there))


def _find_all(pattern: Pattern, batch: Batch, root: str) -> list[Matching]:
    """The same, found to the end, and each looked for on the disk: by a thread, for another."""
    found = [*_find(pattern, batch)]
    files = [each.file for each in found]
    same = unchanged(root, [file.path for file in files], [file.stat for file in files]) if root else bytes(len(files))
    return [
        Matching(file, texts, number, spots if isinstance(spots, Rows) else [*spots], bool(is_same))
        for (file, texts, number, spots, _), is_same in zip(found, same, strict=True)
    ]
