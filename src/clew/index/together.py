"""Resolves the graph of a large tree in several processes: what a name leads to needs no other answer but the files.

This process works too; the others take files from the other end of the list, read them from the same store and send
back edges. What one of them could not do is done here. Main call: `sharing`; started as
`python -m clew.index.together`.
"""

from __future__ import annotations

import contextlib
import gc
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from clew.graph.build import MAX_MODULES, Edges, Files, Share, edges_of_first
from clew.index import spare
from clew.index.pipes import receive, send
from clew.lifecycle.log import log
from clew.processes import own_command
from clew.store.store import Store

MAX_PROCESSES = 4  # each holds the files that it needs
_AT_ONCE = 24  # files of one turn
_MOST_TURNS = 8  # that a process is given at once, while much is left to do
LIMIT_S = 120.0  # for what is given at once, which takes well under a second; at first the process begins
_WORTH_FILES = 1_000  # a process takes 0.3 s to begin; so many files take one second

Task = tuple[str, int, dict[str, tuple[int, str]], int]  # directory of the store, snapshot, its files, how many to hold


def sharing(store: Store, *, processes: int) -> Share | None:
    """How a first graph of this store is shared out; None where one process is all there is."""
    helpers = min(processes, MAX_PROCESSES) - 1
    if helpers < 1:
        return None

    def share(
        snapshot: int, files: Files, paths: Sequence[str], here: Callable[[Sequence[str]], None]
    ) -> Iterator[Edges]:
        if len(paths) < _WORTH_FILES:
            here(paths)
            return
        turns = deque(paths[first : first + _AT_ONCE] for first in range(0, len(paths), _AT_ONCE))
        task = (str(store.directory), snapshot, dict(files), MAX_MODULES // (helpers + 1))
        with _Helpers(helpers, task, turns) as others:
            _resolve(turns, here)
            others.join()
            _resolve(turns, here)  # what one of them has given back
        if others.failures:
            what = "%d of the processes that resolve names ended early: this one did their part"
            log(str(store.directory)).warning(what, others.failures)
        yield from others.found

    return share


def _resolve(turns: deque[Sequence[str]], here: Callable[[Sequence[str]], None]) -> None:
    while True:
        try:
            turn = turns.popleft()
        except IndexError:  # others may have taken the last
            return
        here(turn)


class _Helpers:
    """Processes that take turns from the end of a list until it is empty, each driven by a thread."""

    def __init__(self, count: int, task: Task, turns: deque[Sequence[str]]) -> None:
        self.found: list[Edges] = []
        self.failures = 0
        self._count, self._task, self._turns = count, task, turns
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> _Helpers:
        try:
            for _ in range(self._count):
                try:
                    process = _begin()
                except OSError:  # the system has no room for another
                    self.failures += 1
                    continue
                self._processes.append(process)
                thread = threading.Thread(target=self._drive, args=(process, self._task), name="clew-resolve")
                thread.start()
                self._threads.append(thread)
        except BaseException:
            self.__exit__()
            raise
        return self

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def __exit__(self, *_: object) -> None:
        self._turns.clear()
        for process in self._processes:
            process.kill()  # whoever waits for its answer sees the end of the pipe
        self.join()
        for process in self._processes:
            spare.end(process)

    def _drive(self, process: subprocess.Popen[bytes], task: Task) -> None:
        """Whatever ends this, files that were not answered for are given back."""
        taken: Sequence[str] | None = ()
        try:
            answer = _ask(process, task)
            while isinstance(answer, Edges):
                self.found.append(answer)
                taken = None  # that was answered, whatever becomes of the next
                taken = self._take()
                if taken is None:
                    return
                answer = _ask(process, taken)
        finally:
            if taken is not None:
                self.failures += 1
            if taken:
                self._turns.append(taken)

    def _take(self) -> Sequence[str] | None:
        """Files from the end of the list. Many while many are left: this process resolves too, and whoever has answered
        may have to wait for the next ones."""
        taken: list[str] = []
        with contextlib.suppress(IndexError):  # others may have taken the last
            for _ in range(min(_MOST_TURNS, 1 + len(self._turns) // (4 * (self._count + 1)))):
                taken += self._turns.pop()
        return taken or None


def _ask(process: subprocess.Popen[bytes], asked: object) -> object:
    """What a process answers; None when it is gone."""
    assert process.stdin is not None and process.stdout is not None
    timer = threading.Timer(LIMIT_S, process.kill)
    timer.start()
    try:
        with contextlib.suppress(BrokenPipeError):
            send(process.stdin, asked)
            return receive(process.stdout)
        return None
    finally:
        timer.cancel()


def _begin() -> subprocess.Popen[bytes]:
    # Ctrl-C is the parent's to handle; it ends with its input.
    return subprocess.Popen(
        own_command("clew.index.together"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what went wrong is told by the one who then does it
        process_group=0,
    )


def main() -> None:
    """Serve until the input ends: first the task, then files."""
    gc.disable()  # millions of small tuples, and it ends soon
    answers, questions = sys.stdout.buffer, sys.stdin.buffer
    sys.stdout = sys.stderr
    task: Task | None = receive(questions)  # type: ignore[assignment]
    if task is None:
        return
    directory, snapshot, files, most = task
    store = Store(Path(directory))
    if not store.exists:  # it was removed meanwhile: nothing is made there again
        return
    resolve = edges_of_first(store, snapshot, files, most)
    paths: Sequence[str] | None = ()
    while paths is not None:
        try:
            send(answers, resolve(paths))
        except BrokenPipeError:
            return
        paths = receive(questions)  # type: ignore[assignment]


if __name__ == "__main__":
    main()
