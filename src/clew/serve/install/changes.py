"""One change of a client's file: planned from what it says now, shown as a diff, written whole or not at all.

`plan_change` reads and decides, and writes nothing. `write_change` keeps a copy of the file as it first was, and
replaces it in one step if nobody changed it since. Symbolic links stay; what they lead to is replaced.
"""

from __future__ import annotations

import difflib
import os
import stat
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from clew.errors import BadInput, FileChanged
from clew.serve.install.clients import NAME, Client
from clew.serve.install.jsontext import JsonText, Malformed
from clew.serve.install.tomltext import TomlText

MAX_FILE_BYTES = 32 * 1024 * 1024
_SHOWN_LINE = 300  # characters of one line of a diff
_BOM = "\ufeff"
_REMOTE = ("url", "httpUrl", "serverUrl")  # an entry with one of these names a server that runs elsewhere


class Dialect(Protocol):
    """A format of configuration: read as data, edited as text."""

    def data(self, text: str) -> dict[str, Any]: ...
    def put(self, text: str, at: tuple[str, str], fields: Mapping[str, Any]) -> str: ...
    def take(self, text: str, at: tuple[str, str], *, keep_empty: bool) -> str: ...


DIALECTS: dict[str, Dialect] = {"json": JsonText(), "jsonc": JsonText(lenient=True), "toml": TomlText()}


@dataclass(frozen=True, slots=True)
class Change:
    """What a file is and what it is to become."""

    file: Path
    before: bytes | None  # None: there is no file
    after: bytes | None
    status: os.stat_result | None  # when it was read

    @property
    def backup(self) -> Path:
        target = _target(self.file)
        return target.with_name(f"{target.name}.clew-backup")

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """What changes, without the lines around it: those may hold keys of other servers."""
        old, new = (_lines(content) for content in (self.before, self.after))
        name = os.devnull if self.before is None else str(self.file)
        lines = difflib.unified_diff(old, new, name, str(self.file), n=0, lineterm="")
        return "\n".join(line if len(line) <= _SHOWN_LINE else f"{line[:_SHOWN_LINE]}…" for line in lines)


def read_entry(client: Client, file: Path) -> dict[str, Any] | None:
    """Clew's entry in a client's file, or None; a file that cannot be read as its client does is a `BadInput`."""
    content, _ = _read(file)
    if content is None:
        return None
    with _refusing(client, file):
        return _entry(client, DIALECTS[client.dialect].data(_text(content)[1]))


def mentions_clew(file: Path) -> bool:
    """Whether a file that could not be read as its client does has Clew's name in it."""
    try:
        return NAME.encode() in (_read(file)[0] or b"")
    except (BadInput, OSError):
        return False


def plan_change(client: Client, file: Path, launch: tuple[str, ...] | None) -> Change:
    """The change that makes a client start Clew like this; None takes the entry out."""
    try:
        " ".join(launch or ()).encode()
    except UnicodeEncodeError:
        raise BadInput(f"{launch!r} has a path that is no text, which no client can be told; move Clew") from None
    content, status = _read(file)
    with _refusing(client, file):
        bom, text = _text(content or b"")
        dialect, at = DIALECTS[client.dialect], (client.container, NAME)
        known = _entry(client, dialect.data(text))
        if launch is None:
            after = dialect.take(text, at, keep_empty=_had_container(client, file))
        else:
            after = dialect.put(text, at, wanted_fields(client, launch, known))
        _check(client, text, after, launch)
    if content is None and after == text:
        return Change(file, None, None, status)
    return Change(file, content, (bom + after).encode(), status)


def wanted_fields(client: Client, launch: tuple[str, ...], known: Mapping[str, Any] | None) -> dict[str, Any]:
    """What an entry must say; arguments that somebody added behind `mcp` are kept."""
    command, *arguments = launch
    told = (known or {}).get("args")
    if isinstance(told, list) and "mcp" in told:
        arguments += told[told.index("mcp") + 1 :]
    return {**client.fields, "command": command, "args": arguments}


def write_change(change: Change) -> Path | None:
    """Write a planned change; tells the backup, if there is one."""
    assert change.after is not None
    target = _target(change.file)
    target.parent.mkdir(parents=True, exist_ok=True)
    if change.before is not None and change.status is not None and not change.backup.exists():
        _replace(change.backup, change.before, change.status)
    now, status = _read(change.file)
    if now != change.before or _identity(status) != _identity(change.status):
        raise FileChanged(f"{change.file} was changed by another program just now; run the same command again")
    _replace(target, change.after, change.status)
    if change.backup.exists() and change.backup.read_bytes() == change.after:
        change.backup.unlink()  # everything is as it first was
    return change.backup if change.backup.exists() else None


def _read(file: Path) -> tuple[bytes | None, os.stat_result | None]:
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # looked at first: a pipe would keep `open` waiting
            raise BadInput(f"{file} is no regular file; it is left as it is")
        with open(file, "rb") as stream:
            status = os.fstat(stream.fileno())
            if status.st_size > MAX_FILE_BYTES:
                raise BadInput(f"{file} has more than {MAX_FILE_BYTES // 2**20} MiB; it is left as it is")
            return stream.read(), status
    except (FileNotFoundError, NotADirectoryError):
        return None, None


def _text(content: bytes) -> tuple[str, str]:
    """The mark at the beginning, if any, and the text."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start} is not UTF-8") from None
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _entry(client: Client, data: Mapping[str, Any]) -> dict[str, Any] | None:
    container = data.get(client.container, {})
    if not isinstance(container, dict):
        raise Malformed(f"{client.container} holds no entries")
    entry = container.get(NAME)
    if NAME in container and not isinstance(entry, dict):
        raise Malformed(f"{client.container}.{NAME} is no entry")
    return entry


def _check(client: Client, before: str, after: str, launch: tuple[str, ...] | None) -> None:
    """Hold an edit against what it was to do; one that did anything else is not used."""
    dialect = DIALECTS[client.dialect]
    old, new = dialect.data(before), dialect.data(after)
    known, made = _entry(client, old), _entry(client, new)
    if launch is not None and known and any(name in known for name in _REMOTE):
        raise Malformed(f"{client.container}.{NAME} names a server elsewhere; --uninstall removes it")
    expected = None if launch is None else {**(known or {}), **wanted_fields(client, launch, known)}
    if made != expected or repr(_others(client, old)) != repr(_others(client, new)):
        raise Malformed(f"{client.container} is written in a way that Clew cannot edit")


def _others(client: Client, data: Mapping[str, Any]) -> dict[str, Any]:
    """Everything but Clew's entry, and the container if it holds nothing else."""
    servers = {name: entry for name, entry in data.get(client.container, {}).items() if name != NAME}
    left = {name: servers if name == client.container else value for name, value in data.items()}
    return left if servers else {name: value for name, value in left.items() if name != client.container}


def _had_container(client: Client, file: Path) -> bool:
    """Whether the object that holds the entries was there before Clew came, or nobody knows."""
    content, _ = _read(Change(file, None, None, None).backup)
    try:
        return content is None or client.container in DIALECTS[client.dialect].data(_text(content)[1])
    except Malformed:
        return True


@contextmanager
def _refusing(client: Client, file: Path) -> Iterator[None]:
    """Makes what is wrong with a text a refusal that names the file."""
    try:
        yield
    except Malformed as error:
        name = {"toml": "TOML", "json": "JSON"}.get(client.dialect, "JSON with comments")
        what = f"{file} cannot be edited as {name}: {error}"
        raise BadInput(f"{what}; it is left as it is: mend it, or edit it by hand") from None


def _target(file: Path) -> Path:
    return Path(os.path.realpath(file))


def _identity(status: os.stat_result | None) -> tuple[int, ...] | None:
    return status and (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _replace(target: Path, content: bytes, like: os.stat_result | None) -> None:
    """Write a file beside its place and move it there, with the rights and the owner of another."""
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}")
    mode = stat.S_IMODE(like.st_mode) if like else 0o666
    try:
        with open(beside, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if like is not None:
            os.chmod(beside, mode)
            if hasattr(os, "chown"):
                with suppress(PermissionError):  # only a privileged user may give files away
                    os.chown(beside, like.st_uid, like.st_gid)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _lines(content: bytes | None) -> list[str]:
    lines = [line.rstrip("\r") for line in (content or b"").decode().split("\n")]
    return lines if lines[-1] else lines[:-1]
