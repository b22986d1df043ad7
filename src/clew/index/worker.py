"""A parsing process: reads batches of (language, content) from standard input, answers with facts.

Started as `python -m clew.index.worker`; ends when its input closes, also when its parent was killed, when nobody has
asked for long, and when a parser does not end.
"""

from __future__ import annotations

import gc
import select
import signal
import sys
import traceback
from collections.abc import Callable
from typing import cast

from clew.index.pipes import receive, send
from clew.packing import pack
from clew.parse.extract import extract
from clew.processes import CAN_WAIT
from clew.types import Chunk, Facts, Import, Symbol

Task = tuple[str, bytes]  # language, content
Outcome = tuple[Facts | str, bytes]  # facts, or what went wrong; the content compressed
IDLE_S = 120.0  # after which it ends by itself
BUSY_S = 10.0  # of the processor's time for a file, and twice that for each megabyte: it takes 1 s, or 10 if dense
KNOWS_BUSY = hasattr(signal, "setitimer")  # whether it ends by itself when a parser takes longer than that


def work(tasks: list[Task], before: Callable[[bytes], None] = lambda _: None) -> list[Outcome]:
    """Facts for each task, `before` which something may be done; a failure costs that file only."""
    found: list[Outcome] = []
    for language, content in tasks:
        before(content)
        found.append((_facts(language, content), pack(content)))
    return found


def _facts(language: str, content: bytes) -> Facts | str:
    try:
        return _bare(extract(content, language))
    except Exception:  # noqa: BLE001 - one file must not end the run; the trace goes into its diagnostic
        return traceback.format_exc(limit=-3)


def _bare(facts: Facts) -> Facts:
    """The same with plain tuples for its rows: they go through a pipe in half the time, and into the store as well."""
    packed, attributes = facts.links
    return facts._replace(
        symbols=cast(list[Symbol], [*map(tuple, facts.symbols)]),
        imports=cast(list[Import], [*map(tuple, facts.imports)]),
        chunks=cast(list[Chunk], [*map(tuple, facts.chunks)]),
        links=(packed, cast(list[tuple[int, str, int, str]], [*map(tuple, attributes)])),
    )


def main() -> None:
    """Serve until the input ends."""
    gc.disable()  # extraction makes no cycles; collecting costs a tenth of the time
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    if KNOWS_BUSY:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # whoever began this may have ignored it, or held it back
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPROF])
    while _is_asked() and (message := receive(sys.stdin.buffer)) is not None:
        tasks: list[Task] = message  # type: ignore[assignment]
        try:
            send(answers, work(tasks, _end_if_busy))
        except BrokenPipeError:
            return


def _end_if_busy(content: bytes) -> None:
    """A parser may never end, and no Python can stop it: its process ends then. Only time that it has the processor
    counts: a file must not lose its symbols, for good, because the machine was busy or asleep."""
    if KNOWS_BUSY:
        signal.setitimer(signal.ITIMER_PROF, BUSY_S * (1 + 2 * len(content) / 1e6))


def _is_asked() -> bool:
    """Whether anything comes, be it the end, within the time that it waits."""
    return not CAN_WAIT or bool(select.select([sys.stdin.buffer], [], [], IDLE_S)[0])


if __name__ == "__main__":
    main()
