"""Shows how far a run is: a bar on a terminal, a line now and then elsewhere; on standard error only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from clew.types import Progress

_QUIET_S = 0.4  # shorter runs show nothing
_LINE_EVERY_S = 5.0


class ProgressView:
    """A callable for `Engine`'s `watch`; use it as a context manager."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = self._last_line = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._terminal = sys.stderr.isatty()
        self._announced = False

    def __enter__(self) -> ProgressView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        elapsed = time.monotonic() - self._started
        if elapsed < _QUIET_S or not progress.files_total:
            return
        if self._terminal:
            self._show_bar(progress)
        elif not self._announced or time.monotonic() - self._last_line > _LINE_EVERY_S:
            self._announced = True
            self._last_line = time.monotonic()
            rate = progress.bytes_done / 1e6 / max(elapsed, 1e-9)
            share = 100 * progress.bytes_done / max(progress.bytes_total, 1)
            print(
                f"{self._title}: {progress.files_done}/{progress.files_total} files ({share:.0f} %), {rate:.1f} MB/s",
                file=sys.stderr,
                flush=True,
            )

    def _show_bar(self, progress: Progress) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                TextColumn,
                TimeRemainingColumn,
                TransferSpeedColumn,
            )
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[files]} files"),
                TransferSpeedColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self._title, total=progress.bytes_total, files="")
            self._bar.start()
        files = f"{progress.files_done}/{progress.files_total}"
        self._bar.update(self._task, completed=progress.bytes_done, total=progress.bytes_total, files=files)
