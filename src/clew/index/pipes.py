"""Messages between Clew's own processes, through pipes. Main calls: `send`, `receive`."""

from __future__ import annotations

import pickle
import struct
from typing import IO

_LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], message: object) -> None:
    """One framed message."""
    payload = pickle.dumps(message, protocol=5)
    stream.write(_LENGTH.pack(len(payload)))
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes]) -> object | None:
    """The next message, or None when the other side is gone."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    size: int = _LENGTH.unpack(header)[0]
    payload = stream.read(size)
    return pickle.loads(payload) if len(payload) == size else None
