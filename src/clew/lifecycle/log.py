"""Log lines that can be read apart: each says which codebase and which run it is about.

Writes to the logger `clew`; where that goes is the interface's business. Main call: `log`.
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

LOGGER = logging.getLogger("clew")
LOGGER.addHandler(logging.NullHandler())


class _Tagged(logging.LoggerAdapter[logging.Logger]):
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[str, MutableMapping[str, Any]]:
        tags = self.extra or {}
        return f"[{tags['root']}] [{tags['run']}] {msg}", kwargs


def log(root: str, run: str = "-") -> logging.LoggerAdapter[logging.Logger]:
    """The log of one codebase, and of one run on it where there is one."""
    return _Tagged(LOGGER, {"root": root, "run": run})
