"""Shows how far a run is: a bar on a terminal, a line now and then elsewhere; on standard error only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from clew.types import Progress

_QUIET_S = 0.4  # shorter runs show nothing
_LINE_EVERY_S = 5.0
_BAR_EVERY_S = 0.1  # runs call this for every file
_EMBED, _RESOLVE = "embed", "flip"  # phases that are told by names of their own
_PHASES = {_EMBED: "embedding", _RESOLVE: "resolving names"}


class ProgressView:
    """A callable for `Engine`'s `watch`; use it as a context manager."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = self._last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._terminal = sys.stderr.isatty()
        self._shown = ""  # what the last line, or the bar, was about

    def __enter__(self) -> ProgressView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        moment = time.monotonic()
        elapsed = moment - self._started
        if elapsed < _QUIET_S or not progress.files_total:
            return
        what = _PHASES.get(progress.phase, self._title)
        if what == self._shown and moment - self._last < (_BAR_EVERY_S if self._terminal else _LINE_EVERY_S):
            return
        self._last = moment
        done, rate = self._words(progress, elapsed)
        if self._terminal:
            self._show_bar(progress, what, done, rate)
        else:
            self._shown = what
            print(f"{what}: {done}{', ' if rate else ''}{rate}", file=sys.stderr, flush=True)

    def _words(self, progress: Progress, elapsed: float) -> tuple[str, str]:
        """How much is done, and how fast: files by their bytes, what a provider embeds by chunks. How much of the names
        is resolved nobody can tell."""
        if progress.phase == _RESOLVE:
            return f"{progress.files_total} files", ""
        done = f"{progress.files_done}/{progress.files_total} {'chunks' if progress.phase == _EMBED else 'files'}"
        if not self._terminal:
            done += f" ({100 * progress.bytes_done / max(progress.bytes_total, 1):.0f} %)"
        return done, f"{progress.bytes_done / 1e6 / max(elapsed, 1e-9):.1f} MB/s" if progress.phase != _EMBED else ""

    def _show_bar(self, progress: Progress, what: str, done: str, rate: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[done]}"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self._title, total=progress.bytes_total, done="", rate="")
            self._bar.start()
        if what != self._shown:
            self._shown = what
            is_told = progress.phase != _RESOLVE  # else the bar only moves
            self._bar.reset(self._task, description=what, start=is_told)  # the time left is reckoned anew
        size = {"completed": progress.bytes_done, "total": progress.bytes_total}
        self._bar.update(self._task, done=done, rate=rate, **size)
