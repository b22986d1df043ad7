"""Parsing processes and the work in flight between them, bounded.

Own processes on pipes rather than multiprocessing: they need no importable main module, fork no threads,
and end when their parent is killed. Little work is done in this process. Main call: `ParsePool`.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, Generic, TypeVar

from clew.errors import ClewError
from clew.index.worker import Outcome, Task, receive, send, work

_BATCH_BYTES = 256_000
_BATCH_FILES = 48
_START_BYTES = 1_500_000  # less than this is parsed here: a process costs about 0.2 s to start

Tag = TypeVar("Tag")


class ParsePool(Generic[Tag]):
    """Give it tasks with a tag each; take outcomes back with their tags, in any order."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._batch: list[tuple[Tag, Task]] = []
        self._batch_bytes = 0
        self._seen_bytes = 0
        self._idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        self._workers: list[subprocess.Popen[bytes]] = []
        self._threads: ThreadPoolExecutor | None = None
        self._flying: dict[Future[list[Outcome]], list[Tag]] = {}

    def __enter__(self) -> ParsePool[Tag]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            for worker in self._workers:
                worker.kill()  # whoever waits for its answer sees the end of the pipe
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            assert worker.stdin is not None and worker.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                worker.stdin.close()
            worker.wait()
            worker.stdout.close()

    def submit(self, tag: Tag, task: Task) -> Iterator[tuple[Tag, Outcome]]:
        """Take a task; yields outcomes that are ready (all but a bounded number are waited for)."""
        self._batch.append((tag, task))
        self._batch_bytes += len(task[1])
        self._seen_bytes += len(task[1])
        if self._batch_bytes >= _BATCH_BYTES or len(self._batch) >= _BATCH_FILES:
            yield from self._dispatch()

    def finish(self) -> Iterator[tuple[Tag, Outcome]]:
        """All outcomes still owed."""
        yield from self._dispatch()
        while self._flying:
            yield from self._collect()

    def _dispatch(self) -> Iterator[tuple[Tag, Outcome]]:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        if not batch:
            return
        tags, tasks = [tag for tag, _ in batch], [task for _, task in batch]
        if self._threads is None and (self._processes < 2 or self._seen_bytes < _START_BYTES):
            yield from zip(tags, work(tasks), strict=True)
            return
        if self._threads is None:
            self._start()
        assert self._threads is not None
        self._flying[self._threads.submit(self._ask, tasks)] = tags
        while len(self._flying) >= 2 * self._processes:
            yield from self._collect()

    def _collect(self) -> Iterator[tuple[Tag, Outcome]]:
        done, _ = wait(self._flying, return_when=FIRST_COMPLETED)
        for future in done:
            yield from zip(self._flying.pop(future), future.result(), strict=True)

    def _start(self) -> None:
        self._threads = ThreadPoolExecutor(self._processes, thread_name_prefix="clew-parse")
        for _ in range(self._processes):
            worker = subprocess.Popen(
                [sys.executable, "-m", "clew.index.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is the parent's to handle; the worker ends with its input
            )
            self._workers.append(worker)
            self._idle.put(worker)

    def _ask(self, tasks: list[Task]) -> list[Outcome]:
        worker = self._idle.get()
        assert worker.stdin is not None and worker.stdout is not None
        try:
            send(worker.stdin, tasks)
            answer: Any = receive(worker.stdout)
        except BrokenPipeError:
            answer = None
        finally:
            self._idle.put(worker)
        if answer is None:
            raise ClewError(f"a parsing process ended early (exit {worker.poll()}); run the command again to go on")
        outcomes: list[Outcome] = answer
        return outcomes
