"""How an answer stands to the disk: each hit's file is looked at again before it is shown."""

from __future__ import annotations

import os

from clew.errors import BadPath
from clew.source.git import git_blob_hash
from clew.source.reading import read_file, stat_of
from clew.types import Stat


def verify(root: str, path: str, stat: Stat, blob_hash: str, *, limit: int) -> bool | None:
    """Whether a file still has the content that was indexed; None when it is gone or cannot be read.

    An equal stat is believed; any other stat means reading the file and comparing its hash."""
    try:
        found = stat_of(os.lstat(os.path.join(root, path)))
        if found == stat:
            return True
        content, _ = read_file(root, path, limit=limit)
    except (OSError, BadPath):
        return None
    return git_blob_hash(content).hex() == blob_hash
