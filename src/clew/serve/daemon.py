"""The daemon: one warm engine for all commands and agents of a user, behind a Unix socket that no other user can reach.

A thread for each connection. A question runs the very command that the asking process would run, with that process's
directory, streams and terminal; `clew mcp` gets an MCP server on its bytes. What could be answered otherwise than in
the asking process is declined, and done there. Main call: `serve_daemon`.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import logging
import os
import re
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
from concurrent.futures import wait
from functools import partial
from pathlib import Path
from typing import TextIO

import anyio
import click

from clew.config import Config, load_config
from clew.errors import BadInput, ClewError
from clew.serve import caller, cli, mcp, terminal, wire
from clew.serve.caller import Caller
from clew.serve.door import Door
from clew.serve.wire import Request
from clew.serve.workers import Workers

MAX_CLIENTS = 256  # connections at once; who comes then does it alone
_HANDSHAKE_S = 5.0  # for a request to be there
_TICK_S = 2.0  # how often a daemon looks at itself
_PEEK_S = 0.2  # how often it is looked whether a question still has an asker
_CLOSE_S = 5.0  # for what is at work when the daemon ends; then it is cut off, which the store is made for
_MAX_LOG_BYTES = 1 << 20
_log = logging.getLogger("clew.daemon")


def serve_daemon(config: Config) -> None:
    """Serve until told to end, until nobody asks any more, or until Clew or its settings are others."""
    if wire.find_home() is None or Path(wire.find_home() or "") != config.home:
        raise BadInput("a daemon needs places that mean the same everywhere: make CLEW_HOME and CLEW_CONFIG absolute")
    with contextlib.closing(Door(config.home)) as door:
        workers = Workers(config)
        workers.shared_engine.list()  # loads what every answer needs
        gc.freeze()
        print(f"Clew's daemon listens on {door.path}", file=sys.stderr, flush=True)
        try:
            _Daemon(config, workers, door).run()
        finally:
            door.close()
            cut = threading.Timer(_CLOSE_S, os._exit, (0,))
            cut.daemon = True
            cut.start()
            workers.close()
            cut.cancel()


class _Daemon:
    """Takes connections in, and knows when to end."""

    def __init__(self, config: Config, workers: Workers, door: Door) -> None:
        self._config, self._workers, self._door = config, workers, door
        self._own = Request.here("status", [], str(config.home))
        self._files = tuple(sorted(str(file) for file in Path(wire.PACKAGE).rglob("*.py")))
        self._code = _code_of(self._files)
        self._answered = 0
        self._started = self._used = time.monotonic()
        self._clients: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_ending = self._is_retired = False
        self._woken, self._waker = socket.socketpair()

    def run(self) -> None:
        """Take connections in until the end."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._end())
        while not self._is_over():
            doors = [self._door.listening] if self._door.is_open else []
            ready, _, _ = select.select([*doors, self._woken], [], [], _TICK_S)
            if self._woken in ready:
                self._woken.recv(1)
            if self._door.listening in ready:
                self._let_in()
            if self._is_retired or not ready:
                self._look_after_itself()
        with self._lock:
            for connection in self._clients:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _let_in(self) -> None:
        with contextlib.suppress(OSError):  # whoever knocked has gone
            connection, _ = self._door.listening.accept()
            if len(self._clients) >= MAX_CLIENTS:
                connection.close()
                return
            with self._lock:
                self._clients.add(connection)
            threading.Thread(target=self._attend, args=(connection,), daemon=True).start()

    def _is_over(self) -> bool:
        if self._is_ending:
            return True
        is_idle = 0 < self._config.daemon_idle_s < time.monotonic() - self._used
        return not self._clients and (is_idle or not self._door.is_open)

    def _look_after_itself(self) -> None:
        if self._is_retired or not self._door.is_own() or self._code != _code_of(self._files):
            self._door.close()  # who is connected is served on, others find the next daemon, or none
        log = os.fstat(2)
        if stat.S_ISREG(log.st_mode) and log.st_size > _MAX_LOG_BYTES:
            os.ftruncate(2, 0)

    def _end(self) -> None:
        self._is_ending = True
        self._waker.send(b"!")

    def _retire(self) -> None:
        """Let nobody in any more, soon: only the thread that listens closes the door."""
        self._is_retired = True
        self._waker.send(b"!")

    # -- one connection ----------------------------------------------------------------------------

    def _attend(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(_HANDSHAKE_S)
            if _is_of_this_user(connection):
                self._serve(connection, _request(connection))
        except (OSError, EOFError, ValueError, LookupError) as error:
            _log.info("a connection ended early: %r", error)
        finally:
            with self._lock:
                self._clients.discard(connection)
                self._used = time.monotonic()
            connection.close()

    def _serve(self, connection: socket.socket, request: Request) -> None:
        trouble = self._trouble_with(request)
        if request.kind == "status":
            wire.send(connection, wire.OUT, json.dumps(self._state(trouble)).encode())
        elif request.kind == "retire":
            self._retire()
        elif request.kind == "stop":
            with self._lock:
                self._clients.discard(connection)  # its end tells that the process has ended
            self._end()
            time.sleep(2 * _CLOSE_S)
        elif trouble:
            wire.send(connection, wire.DECLINED, trouble.encode())
        elif request.kind == "mcp":
            self._serve_agent(connection, request)
        else:
            wire.send(connection, wire.ACCEPTED)
            self._answer(connection, request)

    def _answer(self, connection: socket.socket, request: Request) -> None:
        """Run a command for its asker; one that has gone before it began is left undone."""
        asker = self._asker(request, _Written(request.out), _Written(request.err))
        with caller.serving(asker):
            work = self._workers.submit(partial(_run, request.arguments))
        connection.setblocking(False)
        while not wait([work], _PEEK_S).done:
            if _is_gone(connection):
                work.cancel()
                return
        connection.setblocking(True)
        error = work.exception()
        if error is not None:
            if not isinstance(error, caller.Declined | click.ClickException):
                _log.error("a command failed here and is left to its process", exc_info=error)
            wire.send(connection, wire.DECLINED)
            return
        with self._lock:
            self._answered += 1
        wire.send(connection, wire.ERR, _bytes_in(asker.err))
        wire.send(connection, wire.OUT, _bytes_in(asker.out))
        wire.send(connection, wire.EXIT, work.result().to_bytes(4, "big"))

    def _serve_agent(self, connection: socket.socket, request: Request) -> None:
        """An MCP server for one connection, which is one session."""
        try:
            profile = cli.mcp.make_context("mcp", request.arguments[1:]).params["profile"]
        except click.ClickException:
            wire.send(connection, wire.DECLINED)
            return
        wire.send(connection, wire.ACCEPTED)
        connection.settimeout(None)
        asked = io.TextIOWrapper(connection.makefile("rb"), encoding="utf-8", errors="replace")
        answers = io.TextIOWrapper(connection.makefile("wb"), encoding="utf-8")
        try:
            with caller.serving(self._asker(request, sys.stderr, sys.stderr)):
                anyio.run(mcp.serve_client, self._workers, profile, asked, answers)
        except ExceptionGroup as error:  # the client went in the middle of an answer
            _log.info("an agent's connection ended early: %r", error)
        finally:
            for stream in (asked, answers):
                with contextlib.suppress(OSError):
                    stream.close()

    def _asker(self, request: Request, out: TextIO, err: TextIO) -> Caller:
        has_colours = terminal.wants_colours(request.variables, request.out.endswith("+"))
        return Caller(request.cwd, out, err, has_colours, self._workers.shared_engine)

    # -- whether this daemon would answer as the asking process would ------------------------------

    def _trouble_with(self, request: Request) -> str:
        """Why this daemon is not for the asker, or nothing. One that is too old lets nobody in any more."""
        if (request.version, request.package) != (self._own.version, self._own.package):
            if _order(request.version) > _order(self._own.version):
                self._retire()
            return f"it is Clew {self._own.version} of {self._own.package}"
        if self._code != _code_of(self._files):
            self._retire()
            return "its code was changed after it started"
        theirs, own = request.settings(), self._own.settings()
        others = sorted(name for name in theirs.keys() | own.keys() if theirs.get(name) != own.get(name))
        if others:
            return f"it was started with another {', '.join(others)}"
        if Path(request.home) != self._config.home or request.names != self._own.names:
            return "it was started for another home, or with another encoding of names"
        try:
            is_same = load_config() == self._config
        except ClewError:
            is_same = False
        if not is_same:
            self._retire()
            return "the config file was changed after it started"
        return ""

    def _state(self, trouble: str) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "version": self._own.version,
            "socket": self._door.path,
            "clients": len(self._clients) - 1,  # who asks this does not count
            "answered": self._answered,
            "uptime_s": round(time.monotonic() - self._started, 1),
            "unused_because": trouble,
        }


class _Written(io.TextIOWrapper):
    """What is written for a stream of another process."""

    def __init__(self, described: str) -> None:
        self._is_terminal = described.endswith("+")
        super().__init__(io.BytesIO(), encoding=described.rstrip("+"), errors="backslashreplace", newline="")

    def isatty(self) -> bool:
        return self._is_terminal


def _bytes_in(stream: object) -> bytes:
    assert isinstance(stream, _Written) and isinstance(stream.buffer, io.BytesIO)
    stream.flush()
    return stream.buffer.getvalue()


def _run(arguments: list[str]) -> int:
    code = cli.app.main(arguments, prog_name="clew", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _request(connection: socket.socket) -> Request:
    size = int.from_bytes(wire.read_exactly(connection, 4), "big")
    if size > wire.MAX_REQUEST_BYTES:
        raise ValueError(f"a request of {size} bytes")
    return Request.parse(wire.read_exactly(connection, size))


def _is_of_this_user(connection: socket.socket) -> bool:
    """Whether the other side is this user; where the system does not tell, the directory's rights must do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", found)
    return bool(user == os.geteuid())


def _is_gone(connection: socket.socket) -> bool:
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True


def _code_of(files: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """What changes when a file of this installation does."""
    try:
        return tuple((found.st_mtime_ns, found.st_size) for found in map(os.stat, files))
    except OSError:
        return ()


def _order(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]
