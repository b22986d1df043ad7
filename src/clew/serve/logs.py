"""Where log lines go: to standard error, since standard output is for answers alone."""

from __future__ import annotations

import logging
from typing import TextIO

from clew.serve import caller


def to_standard_error(level: str) -> None:
    """Send Clew's log lines from this level on to standard error."""
    logger = logging.getLogger("clew")
    for old in [handler for handler in logger.handlers if isinstance(handler, logging.StreamHandler)]:
        logger.removeHandler(old)
    handler = _ToAsker()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False


class _ToAsker(logging.StreamHandler[TextIO]):
    """Writes to the standard error of whoever is being answered."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = caller.err()
        super().emit(record)
