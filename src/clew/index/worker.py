"""A parsing process: reads batches of (language, content) from standard input, answers with facts.

Started as `python -m clew.index.worker`; ends when its input closes, also when its parent was killed, and when nobody
has asked for long.
"""

from __future__ import annotations

import gc
import pickle
import select
import struct
import sys
import traceback
from dataclasses import replace
from typing import IO, cast

from clew.index.spare import CAN_WAIT
from clew.packing import pack
from clew.parse.extract import extract
from clew.types import Chunk, Facts, Import, Symbol

Task = tuple[str, bytes]  # language, content
Outcome = tuple[Facts | str, bytes]  # facts, or what went wrong; the content compressed
IDLE_S = 120.0  # after which it ends by itself
_LENGTH = struct.Struct("<Q")


def work(tasks: list[Task]) -> list[Outcome]:
    """Facts for each task; a failure costs that file only."""
    return [(_facts(language, content), pack(content)) for language, content in tasks]


def _facts(language: str, content: bytes) -> Facts | str:
    try:
        return _bare(extract(content, language))
    except Exception:  # noqa: BLE001 - one file must not end the run; the trace goes into its diagnostic
        return traceback.format_exc(limit=-3)


def _bare(facts: Facts) -> Facts:
    """The same with plain tuples for its rows: they go through a pipe in half the time, and into the store as well."""
    packed, attributes = facts.links
    return replace(
        facts,
        symbols=cast(list[Symbol], [*map(tuple, facts.symbols)]),
        imports=cast(list[Import], [*map(tuple, facts.imports)]),
        chunks=cast(list[Chunk], [*map(tuple, facts.chunks)]),
        links=(packed, cast(list[tuple[int, str, int, str]], [*map(tuple, attributes)])),
    )


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


def main() -> None:
    """Serve until the input ends."""
    gc.disable()  # extraction makes no cycles; collecting costs a tenth of the time
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    while _is_asked() and (message := receive(sys.stdin.buffer)) is not None:
        tasks: list[Task] = message  # type: ignore[assignment]
        try:
            send(answers, work(tasks))
        except BrokenPipeError:
            return


def _is_asked() -> bool:
    """Whether anything comes, be it the end, within the time that it waits."""
    return not CAN_WAIT or bool(select.select([sys.stdin.buffer], [], [], IDLE_S)[0])


if __name__ == "__main__":
    main()
