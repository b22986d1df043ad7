"""Work for a provider in bounded batches, a few under way at once, stopped between two of them.

Whoever takes the results gets them as they come and in its own thread, so that each can be kept before the
next is paid for. Main calls: `grouped`, `encode_all`.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")
TICK_S = 0.2  # how often who waits shows that it lives, and may be stopped


def grouped(items: Iterable[T], *, size: Callable[[T], int], max_items: int, max_size: int) -> Iterator[list[T]]:
    """Every item once, in order, in lists that keep both bounds; an item that is too large goes alone."""
    batch: list[T] = []
    total = 0
    for item in items:
        if batch and (len(batch) >= max_items or total + size(item) > max_size):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch


def encode_all(
    batches: Iterable[list[T]],
    encode: Callable[[list[T], threading.Event], R],
    *,
    lanes: int,
    tick: Callable[[], None],
) -> Iterator[tuple[list[T], R]]:
    """Each batch with what `encode` made of it, in any order; `encode` is told by its event to wait no longer.

    After a failure nothing new is begun; what is under way is still handed out, then the failure is raised. Whatever
    `tick` raises ends all of it at once. The threads die with the process: a request that hangs holds nobody up."""
    lane: _Lanes[T, R] = _Lanes(encode)
    waiting = iter(batches)
    trouble: BaseException | None = None
    under_way = 0
    try:
        while True:
            while trouble is None and under_way < lanes and (batch := next(waiting, None)) is not None:
                lane.begin(batch, lanes)
                under_way += 1
            if not under_way:
                break
            tick()
            with contextlib.suppress(queue.Empty):
                batch, result, failure = lane.done.get(timeout=TICK_S)
                under_way -= 1
                if failure is None:
                    yield batch, result
                elif trouble is None:
                    trouble = failure
                    lane.cancelled.set()
    finally:
        lane.close()
    if trouble is not None:
        raise trouble


class _Lanes(Generic[T, R]):
    """A few threads that encode what they are handed."""

    def __init__(self, encode: Callable[[list[T], threading.Event], R]) -> None:
        self.cancelled = threading.Event()
        self.done: queue.SimpleQueue[tuple[list[T], Any, BaseException | None]] = queue.SimpleQueue()
        self._todo: queue.SimpleQueue[list[T] | None] = queue.SimpleQueue()
        self._encode = encode
        self._threads: list[threading.Thread] = []

    def begin(self, batch: list[T], lanes: int) -> None:
        self._todo.put(batch)
        if len(self._threads) < lanes:
            thread = threading.Thread(target=self._work, name="clew-embed", daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        self.cancelled.set()
        for _ in self._threads:
            self._todo.put(None)

    def _work(self) -> None:
        while (batch := self._todo.get()) is not None:
            try:
                self.done.put((batch, self._encode(batch, self.cancelled), None))
            except BaseException as error:  # noqa: BLE001 - raised where the results are taken
                self.done.put((batch, None, error))
