"""Runs the command line, its streams kept apart: in this process, or as a user does in another."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Env = Mapping[str, str]
NOTHING: Env = {}


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The standard output as the one JSON object that it must be."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def clew(*arguments: str | bytes, cwd: Path | None = None, env: Env = NOTHING, **more: str) -> Ran:
    """Run `clew` in this process, which is quick, with streams and an environment of its own."""
    from clew.serve import cli, terminal

    terminal._colours.cache_clear()
    out, err = _stream("strict"), _stream("backslashreplace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["clew", *(os.fsdecode(argument) for argument in arguments)])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        for name, value in {"CLEW_WORKERS": "1", **env, **more}.items():
            patch.setenv(name, value)
        if cwd is not None:
            patch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            cli.main()
    code = ended.value.code
    assert isinstance(code, int)
    return Ran(code, _text(out), _text(err))


def clew_process(*arguments: str | bytes, cwd: Path | None = None, env: Env = NOTHING, **more: str) -> Ran:
    """Run `clew` as a process of its own; a traceback is a failure wherever it comes up."""
    done = subprocess.run(
        [sys.executable, "-m", "clew", *arguments],
        cwd=cwd,
        env={**os.environ, "CLEW_WORKERS": "1", **env, **more},
        capture_output=True,
        timeout=60,
    )
    ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in ran.err, ran.err
    return ran


def _stream(errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def one_message(ran: Ran) -> str:
    """The one line on standard error that says what is wrong."""
    lines = [line for line in ran.err.splitlines() if line.strip()]
    assert len(lines) == 1 and lines[0].startswith("clew: "), ran
    return lines[0]
