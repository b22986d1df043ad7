"""Parsing processes and the work in flight between them, bounded.

Own processes on pipes rather than multiprocessing: they need no importable main module, fork no threads,
and end when their parent is killed. A parser that crashes or never ends costs its file's symbols, nothing
else. Little work is done in this process. Main call: `ParsePool`.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Generic, TypeVar, cast

from clew.errors import ClewError
from clew.index import spare
from clew.index.pipes import receive, send
from clew.index.worker import KNOWS_BUSY, Outcome, Task, work
from clew.parse.languages import LANGUAGES
from clew.processes import own_command

_BATCH_BYTES = 256_000
_BATCH_FILES = 48
_INLINE_TOTAL_BYTES = 1_500_000  # less than this is parsed here, when all has come: a process takes 0.2 s to begin
# Larger files of a language with a parser are not: it cannot be interrupted, a process can, and on text that is none of
# its language some take the square of its size: 16 s for 8 KB of `->` as JavaScript, 77 s for 16 KB.
_INLINE_FILE_BYTES = 16_000
WORKER = "clew.index.worker"  # the module that a parsing process runs
LIMIT_S = 300.0 if KNOWS_BUSY else 30.0  # for a batch, then for each of its files, whatever else the machine does

Tag = TypeVar("Tag")


class ParsePool(Generic[Tag]):
    """Give it tasks with a tag each; take outcomes back with their tags, in any order."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._batch: list[tuple[Tag, Task]] = []
        self._batch_bytes = 0
        self._held: list[list[tuple[Tag, Task]]] = []  # batches, while they are too few for processes
        self._held_bytes = self._largest = 0
        self._may_hang = False
        self._idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        self._workers: list[subprocess.Popen[bytes]] = []
        self._threads: ThreadPoolExecutor | None = None
        self._flying: dict[Future[list[Outcome]], list[Tag]] = {}
        self._starting = threading.Lock()
        self._closing = False
        self._old: subprocess.Popen[bytes] | None = None  # a worker that another run left
        self._works = False  # whether a worker has ever answered

    def __enter__(self) -> ParsePool[Tag]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        if kind is not None:
            for worker in self._workers:
                worker.kill()  # whoever waits for its answer sees the end of the pipe
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            if kind is not None or not spare.keep(worker):
                spare.end(worker)

    def submit(self, tag: Tag, task: Task) -> Iterator[tuple[Tag, Outcome]]:
        """Take a task; yields outcomes that are ready (all but a bounded number are waited for)."""
        self._batch.append((tag, task))
        self._batch_bytes += len(task[1])
        language = LANGUAGES.get(task[0])
        if language is not None and language.grammar is not None:
            self._largest = max(self._largest, len(task[1]))
            self._may_hang = self._may_hang or language.may_hang
        if self._batch_bytes >= _BATCH_BYTES or len(self._batch) >= _BATCH_FILES:
            self._hold()
            if self._threads is not None or not self._is_little():
                yield from self._dispatch()

    def finish(self) -> Iterator[tuple[Tag, Outcome]]:
        """All outcomes still owed."""
        self._hold()
        if self._threads is not None or not self._is_little():
            yield from self._dispatch()
            while self._flying:
                yield from self._collect()
            return
        for batch in self._held:
            yield from zip([tag for tag, _ in batch], work([task for _, task in batch]), strict=True)

    def _hold(self) -> None:
        if self._batch:
            self._held.append(self._batch)
            self._held_bytes += self._batch_bytes
            self._batch, self._batch_bytes = [], 0

    def _is_little(self) -> bool:
        is_small = self._held_bytes < _INLINE_TOTAL_BYTES and self._largest < _INLINE_FILE_BYTES
        return is_small and not self._may_hang

    def _dispatch(self) -> Iterator[tuple[Tag, Outcome]]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._processes, thread_name_prefix="clew-parse")
        held, self._held = self._held, []
        for batch in held:
            self._flying[self._threads.submit(self._ask, [task for _, task in batch])] = [tag for tag, _ in batch]
            while len(self._flying) >= 2 * self._processes:
                yield from self._collect()

    def _collect(self) -> Iterator[tuple[Tag, Outcome]]:
        done, _ = wait(self._flying, return_when=FIRST_COMPLETED)
        for future in done:
            yield from zip(self._flying.pop(future), future.result(), strict=True)

    def _ask(self, tasks: list[Task]) -> list[Outcome]:
        worker = self._free_worker()
        answer = _answer_of(worker, tasks)
        if answer is not None:
            self._works = True
            self._idle.put(worker)
            return answer
        if self._closing:
            raise ClewError("the run was ended")
        self._bury(worker)
        if worker is self._old and worker.returncode == 0:  # by itself, for nobody had asked it for long
            return self._ask(tasks)
        if len(tasks) > 1:
            return [outcome for task in tasks for outcome in self._ask([task])]
        self._require_processes()
        return [_as_plain_text(tasks[0])]

    def _require_processes(self) -> None:
        """Before a file is blamed: a process that cannot even begin would cost every file its symbols, and for good."""
        if not self._works:
            worker = _begin(own_command(WORKER))
            self._works = _answer_of(worker, []) is not None
            spare.end(worker)
            if not self._works:
                raise ClewError(
                    f"no parsing process can be started (exit code {worker.returncode}), so nothing new is indexed; it"
                    " said why on standard error; run the command again when that is mended, or install Clew again"
                )

    def _free_worker(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._idle.empty() and len(self._workers) < self._processes:
                command = own_command(WORKER)
                if self._old is None:
                    self._old = spare.take(command)
                    worker = self._old or _begin(command)
                else:
                    worker = _begin(command)
                self._workers.append(worker)
                return worker
        return self._idle.get()

    def _bury(self, worker: subprocess.Popen[bytes]) -> None:
        """Take a worker that is dead, or was killed for taking too long, out of the pool."""
        with self._starting:
            self._workers.remove(worker)
        worker.kill()
        spare.end(worker)


def _begin(command: list[str]) -> subprocess.Popen[bytes]:
    # Ctrl-C is the parent's to handle; the worker ends with its input.
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)


def _answer_of(worker: subprocess.Popen[bytes], tasks: list[Task]) -> list[Outcome] | None:
    """What a worker makes of tasks; None where it dies over them or takes too long, for which it is killed."""
    assert worker.stdin is not None and worker.stdout is not None
    timer = threading.Timer(LIMIT_S, worker.kill)
    timer.start()
    answer: list[Outcome] | None = None
    with contextlib.suppress(BrokenPipeError):
        send(worker.stdin, tasks)
        answer = cast(list[Outcome] | None, receive(worker.stdout))
    timer.cancel()
    return answer


def _as_plain_text(task: Task) -> Outcome:
    """A file whose parser crashed or never ended: searchable, without symbols, and it says so."""
    [(facts, compressed)] = work([("text", task[1])])
    if not isinstance(facts, str):
        facts = facts._replace(diagnostics=("parser_failed",))
    return facts, compressed
