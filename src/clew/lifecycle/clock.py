"""The time as it is written everywhere: UTC, ISO 8601, milliseconds. For people; nothing is decided by it."""

from __future__ import annotations

import datetime


def now() -> str:
    """This moment."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
