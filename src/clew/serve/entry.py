"""The way in: a question goes to the daemon, if one runs that would give the same answer; all else to the command line.

Loads nothing heavy before it has asked: the daemon's answer is here before click would be. Main call: `main`.
"""

from __future__ import annotations

import io
import os
import sys

from clew.serve import wire

_ABOUT_CODE = "search grep symbol refs calls map imports slice outline paths read similar"
QUESTIONS = frozenset((*_ABOUT_CODE.split(), "status", "jobs", "list"))
INTERRUPTED = "interrupted; run the same command again to go on where it stopped"
LOST = "clew: the daemon ended, and this connection with it; start `clew mcp` again"
TYPE_CHECKING = False

if TYPE_CHECKING:
    import socket


def main() -> None:
    """Run a command: its answer comes from the daemon, or is made in this process."""
    _open_streams()
    arguments = sys.argv[1:]
    code = None
    if arguments and (arguments[0] in QUESTIONS or arguments[0] == "mcp") and not {"-h", "--help"} & {*arguments}:
        try:
            code = _through_daemon(arguments)
        except KeyboardInterrupt:
            if arguments[0] == "mcp":
                sys.exit(0)
            print(f"\n{INTERRUPTED}", file=sys.stderr)
            sys.exit(130)
    if code is None:
        from clew.serve import cli

        cli.main()
    sys.exit(code)


def _open_streams() -> None:
    """Let what was started without a stream have one that leads nowhere, in the place where files would be opened; and
    let nothing fail because nobody reads what is said beside the answer."""
    given = sys.stderr
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - for as long as it runs
    if isinstance(given, io.TextIOWrapper):  # which Python keeps, and with it the file below
        sys.stderr = _Beside(given.buffer, given.encoding, given.errors, line_buffering=True)


class _Beside(io.TextIOWrapper):
    """Standard error: progress, notes, warnings. When its reader has gone, as `head` does, or the disk is full, what is
    said is lost and the work goes on."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            return self._lose(len(text))

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            self._lose()

    def _lose(self, length: int = 0) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return length


def _through_daemon(arguments: list[str]) -> int | None:
    """The exit code of a command that the daemon did; None if this process has to do it."""
    home = wire.find_home()
    kind = "mcp" if arguments[0] == "mcp" else "ask"
    connection = wire.reach(kind, arguments, home) if home else None
    if connection is None:
        return None
    with connection:
        try:
            if wire.receive(connection)[0] != wire.ACCEPTED:
                return None
            connection.settimeout(None)
            return _pump(connection) if kind == "mcp" else _answer(connection)
        except (OSError, EOFError):  # it ended before its answer did: nothing was printed yet
            return None


def _answer(connection: socket.socket) -> int | None:
    """Print an answer that came whole."""
    found = {wire.OUT: b"", wire.ERR: b""}
    while True:
        kind, content = wire.receive(connection)
        if kind == wire.DECLINED:
            return None
        if kind == wire.EXIT:
            return _write(found[wire.OUT], found[wire.ERR], int.from_bytes(content, "big"))
        found[kind] = content


def _write(out: bytes, err: bytes, code: int) -> int:
    """Write to this process's streams; a reader that went away is no failure, a full disk is."""
    try:
        sys.stderr.buffer.write(err)
        sys.stderr.flush()
        sys.stdout.buffer.write(out)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        if not isinstance(error, BrokenPipeError):
            print(f"clew: cannot write the answer: {error.strerror}", file=sys.stderr)
            return 4
    return code


def _pump(connection: socket.socket) -> int:
    """Hand bytes on, both ways, until the client or the daemon goes."""
    import socket
    import threading

    is_over = threading.Event()

    def forward() -> None:
        try:
            while content := os.read(0, 1 << 16):
                connection.sendall(content)
            is_over.set()
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # the daemon went: the other direction says so
            return

    threading.Thread(target=forward, daemon=True).start()
    try:
        while content := connection.recv(1 << 16):
            _write_all(content)
    except OSError:
        return 0 if is_over.is_set() else _lost()
    return 0 if is_over.is_set() else _lost()


def _write_all(content: bytes) -> None:
    while content:
        content = content[os.write(1, content) :]


def _lost() -> int:
    print(LOST, file=sys.stderr)
    return 4
