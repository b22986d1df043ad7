"""Counts and times of tool calls, in the text format that Prometheus reads.

Main calls: `Metrics.note`, `Metrics.as_text`.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """What a server has done since it began; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._times: dict[str, list[int]] = {}  # by tool: how many calls up to each bound, and above the last
        self._seconds: dict[str, float] = {}

    def note(self, tool: str, status: str, seconds: float) -> None:
        """Count a call."""
        with self._lock:
            self._calls[tool, status] += 1
            self._times.setdefault(tool, [0] * (len(BOUNDS_S) + 1))[bisect_left(BOUNDS_S, seconds)] += 1
            self._seconds[tool] = self._seconds.get(tool, 0.0) + seconds

    def as_text(self, active_sessions: int) -> str:
        """All of it as lines."""
        with self._lock:
            lines = [
                *_head("clew_active_sessions", "gauge", "Sessions that have a scope."),
                f"clew_active_sessions {active_sessions}",
                *_head("clew_tool_calls_total", "counter", "Tool calls by tool and status of the answer."),
            ]
            for (tool, status), count in sorted(self._calls.items()):
                lines.append(f'clew_tool_calls_total{{tool="{tool}",status="{status}"}} {count}')
            lines += _head("clew_tool_seconds", "histogram", "How long tool calls took.")
            for tool, counts in sorted(self._times.items()):
                lines += _histogram(tool, counts, self._seconds[tool])
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, words: str) -> list[str]:
    return [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]


def _histogram(tool: str, counts: list[int], seconds: float) -> list[str]:
    lines, so_far = [], 0
    for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), counts, strict=True):
        so_far += count
        lines.append(f'clew_tool_seconds_bucket{{tool="{tool}",le="{bound}"}} {so_far}')
    lines.append(f'clew_tool_seconds_sum{{tool="{tool}"}} {seconds:.6f}')
    return [*lines, f'clew_tool_seconds_count{{tool="{tool}"}} {so_far}']
