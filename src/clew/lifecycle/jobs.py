"""Background work: a few threads that do begun runs, in order; a limit on how many may wait.

Closing asks the runs to stop at their next sign of progress. What they have done is kept, and they count as
interrupted. Main call: `Jobs.start`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from clew.errors import ClewError, Stopped, TooManyJobs
from clew.types import Progress

THREADS = 2
Work = Callable[[Callable[[Progress], None]], object]


class Jobs:
    """The background work of one engine."""

    def __init__(self, limit: int, release: Callable[[], None]) -> None:
        self._limit, self._release = limit, release
        self._pool: ThreadPoolExecutor | None = None
        self._open: set[Future[None]] = set()
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def start(self, work: Work) -> None:
        """Have it done soon; `work` records its own failures."""
        with self._lock:
            self._require_room()
            if self._pool is None:
                self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="clew-job")
            future = self._pool.submit(self._do, work)
            self._open.add(future)
        future.add_done_callback(self._open.discard)

    def require_room(self) -> None:
        """Refuse more work than the limit, before anything of it is begun."""
        with self._lock:
            self._require_room()

    def _require_room(self) -> None:
        waiting = sum(not future.done() for future in list(self._open))  # one that is done leaves a moment later
        if waiting >= self._limit or self._stopping.is_set():
            raise TooManyJobs(f"{waiting} jobs are at work or waiting, the limit is max_jobs; try again later")

    def wait(self) -> None:
        """Until nothing is left to do."""
        for future in list(self._open):
            future.result()

    def close(self) -> None:
        """Stop what runs, drop what waits, and return when both are done."""
        self._stopping.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def _do(self, work: Work) -> None:
        try:
            work(self._seen)
        except ClewError:
            return  # recorded in the job
        finally:
            self._release()

    def _seen(self, _: Progress) -> None:
        if self._stopping.is_set():
            raise Stopped("the server is shutting down")
