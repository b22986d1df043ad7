"""What people see of a run while it goes on: seldom enough, each phase by its name, and nothing that is not known."""

from __future__ import annotations

import io
import sys

import pytest

from clew.serve.progress import ProgressView
from clew.types import Progress

FILES, BYTES = 1_000, 2_000_000


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    moment = [100.0]
    monkeypatch.setattr("clew.serve.progress.time.monotonic", lambda: moment[0])
    return moment


def run(view: ProgressView, clock: list[float], seconds: float) -> None:
    """A run that reads files for so long, one after the other, then resolves names."""
    for number in range(1, FILES + 1):
        clock[0] += seconds / FILES
        view(Progress("parse", number, FILES, number * BYTES // FILES, BYTES))
    view(Progress("flip", FILES, FILES, BYTES, BYTES))


def test_lines_are_few_and_tell_each_phase(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    with ProgressView("indexing") as view:
        run(view, clock, 11.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "indexing: 37/1000 files (4 %), 0.2 MB/s", "indexing: 492/1000 files (49 %), 0.2 MB/s",
        "indexing: 947/1000 files (95 %), 0.2 MB/s", "resolving names: 1000 files",
    ]  # fmt: skip


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str], clock: list[float]) -> None:
    with ProgressView("indexing") as view:
        run(view, clock, 0.3)
    assert capsys.readouterr().err == ""


def test_a_bar_is_drawn_ten_times_a_second_and_ends_with_the_last_phase(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    drawn: list[tuple[str, str]] = []
    show = ProgressView._show_bar

    def noted(view: ProgressView, seen: Progress, what: str, done: str, rate: str) -> None:
        drawn.append((what, done))
        show(view, seen, what, done, rate)

    monkeypatch.setattr(ProgressView, "_show_bar", noted)
    with ProgressView("indexing") as view:
        run(view, clock, 3.0)
    assert 20 <= len(drawn) <= 30
    assert drawn[-2][0] == "indexing" and drawn[-1] == ("resolving names", "1000 files")
