"""Where log lines go: to standard error, since standard output is for answers alone."""

from __future__ import annotations

import logging
import sys


def to_standard_error(level: str) -> None:
    """Send Clew's log lines from this level on to standard error."""
    logger = logging.getLogger("clew")
    for old in [handler for handler in logger.handlers if isinstance(handler, logging.StreamHandler)]:
        logger.removeHandler(old)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False
