"""How an answer stands to the disk: each hit's file is looked at again before it is shown."""

from __future__ import annotations

import os
from typing import Literal

from clew.types import Stat

Verdict = Literal["same", "doubtful", "gone"]


def look(root: str, path: str, stat: Stat) -> Verdict:
    """Whether the file still has the stat that it had when it was indexed."""
    try:
        found = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError:
        return "doubtful"
    now = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    return "same" if now == stat else "doubtful"
