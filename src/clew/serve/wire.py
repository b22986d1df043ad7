"""What a command and the daemon say to each other: where the socket is, one request, then frames.

Standing between a user and an answer, it loads next to nothing: no click, no JSON, no typing. Main calls: `reach`,
`receive`, `send`.
"""

from __future__ import annotations

import os
import sys

import clew

ACCEPTED, DECLINED, OUT, ERR, EXIT = b"a", b"d", b"o", b"e", b"x"  # kinds of frames
MAX_REQUEST_BYTES = 1 << 24  # more than a system lets a command line and its environment have
ACCEPT_S = 2.0  # a daemon that does not accept by then is as good as none
PACKAGE = os.path.dirname(os.path.abspath(clew.__file__))
_SETTINGS = ("CLEW_", "GIT_CONFIG")
_PLACES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "TERM")
_TEXTS = ("kind", "version", "package", "home", "names", "cwd", "out", "err")
TYPE_CHECKING = False  # what `typing` has costs more than all of this

if TYPE_CHECKING:
    import socket


class Request:
    """What is asked, by which Clew, and where: everything that an answer depends on beside the codebase."""

    kind: str  # ask, mcp, status, retire or stop
    version: str
    package: str
    home: str
    names: str  # the encoding of names of files
    cwd: str
    out: str  # the encoding of the standard output; a terminal's has a + behind it
    err: str
    variables: dict[str, str]
    arguments: list[str]

    @classmethod
    def here(cls, kind: str, arguments: list[str], home: str) -> Request:
        """A request of this process."""
        found = cls()
        found.kind, found.version, found.package, found.home = kind, clew.__version__, PACKAGE, home
        found.names, found.cwd = sys.getfilesystemencoding(), os.getcwd()
        found.out, found.err = _stream(sys.stdout), _stream(sys.stderr)
        found.variables = {
            name: value
            for name, value in os.environ.items()
            if value and (name.startswith(_SETTINGS) or name in _PLACES or name in _TERMINAL)
        }
        found.arguments = arguments
        return found

    @classmethod
    def parse(cls, content: bytes) -> Request:
        """The request in these bytes; a `ValueError` if there is none."""
        fields = os.fsdecode(content).split("\0")
        texts, rest = fields[: len(_TEXTS)], fields[len(_TEXTS) + 1 :]
        count = int(fields[len(_TEXTS)]) if len(fields) > len(_TEXTS) else -1
        if not 0 <= count <= len(rest):
            raise ValueError("no request")
        found = cls()
        for name, text in zip(_TEXTS, texts, strict=True):
            setattr(found, name, text)
        found.variables = {name: value for name, _, value in (item.partition("=") for item in rest[:count])}
        found.arguments = rest[count:]
        return found

    def pack(self) -> bytes:
        """As bytes: no text in it can hold a NUL."""
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        texts = [getattr(self, name) for name in _TEXTS]
        return os.fsencode("\0".join([*texts, str(len(variables)), *variables, *self.arguments]))

    def settings(self) -> dict[str, str]:
        """The variables that must be the same on both sides; the home is compared by its place."""
        return {n: v for n, v in self.variables.items() if n not in _TERMINAL and n != "CLEW_HOME"}


def socket_path(home: str) -> str:
    """Where the daemon of a home listens."""
    return os.path.join(home, "daemon", "socket")


def find_home() -> str | None:
    """Where the state is, guessed without reading all settings; the daemon there knows whether the guess is right.

    None where a place is relative, and so another one in every directory, or where the config file cannot be right."""
    own = config = "~/Library/Application Support"
    if sys.platform != "darwin":
        own, config = (
            os.environ.get("XDG_DATA_HOME") or "~/.local/share",
            os.environ.get("XDG_CONFIG_HOME") or "~/.config",
        )
    file = os.environ.get("CLEW_CONFIG") or os.path.join(os.path.expanduser(config), "clew", "config.toml")
    home = os.path.expanduser(os.environ.get("CLEW_HOME") or os.path.join(own, "clew"))
    if not os.environ.get("CLEW_HOME") and _names_home(file):
        from clew.config import load_config
        from clew.errors import ClewError

        try:
            home = str(load_config().home)
        except ClewError:  # the command line says what is wrong
            return None
    return home if os.path.isabs(home) and os.path.isabs(file) else None


def reach(kind: str, arguments: list[str], home: str) -> socket.socket | None:
    """A connection to the daemon of a home with the request sent; None if there is no daemon of this user.

    Its first frame says whether the daemon accepts."""
    path = socket_path(home)
    try:
        if os.stat(path).st_uid != os.geteuid():  # nobody else is told anything
            return None
        content = Request.here(kind, arguments, home).pack()
    except (OSError, AttributeError, ValueError):  # nothing there, a stream that is closed, no users here at all
        return None
    import socket

    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(ACCEPT_S)
        connection.connect(path)
        connection.sendall(len(content).to_bytes(4, "big") + content)
    except OSError:
        connection.close()
        return None
    return connection


def send(connection: socket.socket, kind: bytes, content: bytes = b"") -> None:
    """Send one frame."""
    connection.sendall(kind + len(content).to_bytes(4, "big") + content)


def receive(connection: socket.socket) -> tuple[bytes, bytes]:
    """The next frame; an `EOFError` if the other side went, an `OSError` if it does not answer."""
    head = read_exactly(connection, 5)
    return head[:1], read_exactly(connection, int.from_bytes(head[1:], "big"))


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """So many bytes, or an `EOFError`."""
    content = bytearray()
    while len(content) < size:
        part = connection.recv(min(size - len(content), 1 << 20))
        if not part:
            raise EOFError
        content += part
    return bytes(content)


def _names_home(file: str) -> bool:
    """Whether a config file may say where the state is."""
    try:
        with open(file, "rb") as settings:
            return b"home" in settings.read(MAX_REQUEST_BYTES)
    except OSError:
        return False


def _stream(stream: object) -> str:
    """How to write for a stream of this process."""
    return f"{stream.encoding}{'+' if stream.isatty() else ''}"  # type: ignore[attr-defined]
