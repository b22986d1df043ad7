"""How a client starts Clew: the command that runs now, and whether one that is configured still runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clew.processes import SAFELY

_TIMEOUT_S = 10.0
# What may stand before `mcp` if the command is to be tried.
_RUNNABLE: tuple[list[str], ...] = ([], ["-m", "clew"], [*SAFELY, "clew"])


def own_launch(program: str | None = None, interpreter: str | None = None) -> tuple[str, ...]:
    """The running `clew` with `mcp`, by its full path; as a module if it was started as one.

    A link is not followed: it may stay where it is when what it leads to moves.
    """
    started = os.path.abspath(program if program is not None else sys.argv[0])
    if Path(started).name in ("clew", "clew.exe"):
        for candidate in (started, f"{started}.exe"):  # launchers on Windows name themselves without the ending
            if os.path.isfile(candidate):
                return candidate, "mcp"
    return os.path.abspath(interpreter or sys.executable), *SAFELY, "clew", "mcp"


def trouble_with(entry: Mapping[str, Any]) -> str | None:
    """Why a client could not start Clew with this entry, without starting anything; None if nothing is wrong."""
    command, arguments = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(arguments, list) or "mcp" not in arguments:
        return "the entry does not start `clew mcp`"
    if shutil.which(command) is None:
        return f"{command} does not exist or cannot be run"
    return None


def try_version(entry: Mapping[str, Any], tried: dict[tuple[str, ...], str | None]) -> str | None:
    """Why the configured command does not tell its version, or None; each command is run once, `tried` remembers.

    Only Clew itself is run: not what somebody wrapped around it, which might do or fetch anything.
    """
    before = entry["args"][: entry["args"].index("mcp")]
    if before not in _RUNNABLE:
        return None
    command = (entry["command"], *before, "--version")
    if command not in tried:
        tried[command] = _run(command)
    return tried[command]


def _run(command: tuple[str, ...]) -> str | None:
    shown = " ".join(command)
    try:
        done = subprocess.run(  # from the top, where no directory can pass for a module of that name
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False, cwd=os.sep
        )
    except subprocess.TimeoutExpired:
        return f"{shown} did not answer within {_TIMEOUT_S:.0f} s"
    except (OSError, ValueError) as error:
        return f"{shown} cannot be run: {error}"
    if done.returncode or not done.stdout.startswith(b"clew"):
        return f"{shown} ended with {done.returncode} and told no version"
    return None
