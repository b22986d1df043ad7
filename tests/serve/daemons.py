"""A daemon to ask in tests: a real process, a real socket, and commands that may or may not use it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.serve.serving import SETTINGS

PATIENCE_S = 30.0


class Daemon:
    """The daemon of one home, and commands with the settings it was started with."""

    def __init__(self, home: Path, **more: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
        self.home, self.env = home, {**kept, **SETTINGS, "CLEW_HOME": str(home), **more}

    def run(self, *arguments: str | bytes, cwd: Path, **more: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a command as a user does, in a process of its own; `env` adds to the daemon's environment."""
        env = {**self.env, **more.pop("env", {})}
        command = [sys.executable, "-m", "clew", *arguments]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, timeout=60, **more)

    def open(self, *arguments: str, cwd: Path) -> subprocess.Popen[bytes]:
        """The same, without waiting; what takes longer than anything should is killed."""
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [sys.executable, "-m", "clew", *arguments], cwd=cwd, env=self.env, stdin=pipe, stdout=pipe, stderr=pipe
        )
        watchdog = threading.Timer(60, process.kill)
        watchdog.daemon = True
        watchdog.start()
        return process

    def state(self, **env: str) -> dict[str, Any] | None:
        """What the daemon tells of itself; None if none runs."""
        done = self.run("daemon", "status", "--json", cwd=self.home.parent, env=env)
        found: dict[str, Any] = json.loads(done.stdout)
        return found if found["status"] == "ok" else None

    @property
    def answered(self) -> int:
        state = self.state()
        assert state is not None
        return int(state["answered"])

    def start(self) -> int:
        """Start it; the number of its process."""
        done = self.run("daemon", "start", "--json", cwd=self.home.parent)
        assert done.returncode == 0, done
        return int(json.loads(done.stdout)["pid"])

    def stop(self) -> None:
        assert self.run("daemon", "stop", cwd=self.home.parent).returncode == 0


@contextlib.contextmanager
def running(home: Path, **env: str) -> Iterator[Daemon]:
    """A daemon that is stopped in the end, whatever happened to it."""
    daemon = Daemon(home, **env)
    started = daemon.start()
    try:
        yield daemon
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(started, signal.SIGCONT)
        daemon.stop()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        if Path("/proc").is_dir():
            return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
