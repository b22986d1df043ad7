"""Starts and stops the daemon, and tells its state, from another process. Main call: `act`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from clew.config import Config
from clew.errors import BadInput, ClewError, NotFound
from clew.processes import own_command
from clew.serve import wire
from clew.serve.gates import Envelope

_START_S = 30.0
_STOP_S = 12.0
_POLL_S = 0.05
_LOG_CHARS = 2_000  # of the end of the log, for a daemon that did not start


def act(config: Config, action: str) -> Envelope:
    """Start or stop the daemon of this home, or tell its state."""
    require_sockets()
    found = _state(config)
    if action == "start":
        return _start(config, found)
    if action == "stop":
        if found is not None:
            _stop(config, found["pid"])
        return {"status": "ok", "running": False, "message": "stopped" if found else "no daemon runs"}
    if found is None:
        raise NotFound("no daemon runs; `clew daemon start` starts one")
    return found


def as_text(envelope: Envelope) -> str:
    """The state of the daemon for people."""
    if not envelope["running"]:
        return str(envelope["message"])
    text = f"the daemon runs: process {envelope['pid']}, Clew {envelope['version']}, {envelope['clients']} connected"
    unused = f"\nit is not used here: {envelope['unused_because']}" if envelope["unused_because"] else ""
    return text + unused


def require_sockets() -> None:
    """Refuse where the system has none; there every process answers by itself."""
    if sys.platform == "win32":
        raise BadInput("there is no daemon on this system; every command works without one")


def _state(config: Config) -> Envelope | None:
    """What the running daemon tells of itself, or None."""
    connection = wire.reach("status", [], str(config.home))
    if connection is None:
        return None
    with connection:
        try:
            told = json.loads(wire.receive(connection)[1])
        except (OSError, EOFError, ValueError):
            return None
    return {"status": "ok", "running": True, **told}


def _start(config: Config, found: Envelope | None) -> Envelope:
    if found is not None and not found["unused_because"]:
        return found
    _retire(config)
    from clew.serve.door import private_directory

    directory = private_directory(config.home)
    log = os.open(directory / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    try:
        process = subprocess.Popen(
            own_command("clew", "daemon", "run"),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)
    deadline = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < deadline:
        found = _state(config)
        if found is not None and found["pid"] == process.pid:
            return found
        time.sleep(_POLL_S)
    process.kill()
    process.wait()
    said = (directory / "log").read_text("utf-8", "replace")[-_LOG_CHARS:].strip()
    raise ClewError(f"the daemon did not start: {said or 'it took too long'}")


def _retire(config: Config) -> None:
    """Have the daemon that is not for us let nobody in any more; who is connected to it is served on."""
    deadline = time.monotonic() + _STOP_S
    while (connection := wire.reach("retire", [], str(config.home))) is not None and time.monotonic() < deadline:
        connection.close()
        time.sleep(_POLL_S)


def _stop(config: Config, process: int) -> None:
    connection = wire.reach("stop", [], str(config.home))
    if connection is None:
        return
    with connection:
        connection.settimeout(_STOP_S)
        try:
            while True:
                wire.receive(connection)
        except TimeoutError:
            raise ClewError(f"the daemon does not end; end process {process} yourself") from None
        except (OSError, EOFError):
            return
