"""How Clew starts processes of its own: with nothing of the directory they begin in, which may be a tree that is read.

Python would take a `struct.py` or `pickle.py` that lies there for its own, and run it. Main call: `own_command`.
"""

from __future__ import annotations

import sys

CAN_WAIT = sys.platform != "win32"  # a process there cannot tell that its pipe has been silent for long
SAFELY = ("-P", "-m")  # what Python is told before the name of a module


def own_command(module: str, *arguments: str) -> list[str]:
    """What starts a module of Clew with this Python."""
    return [sys.executable, *SAFELY, module, *arguments]
