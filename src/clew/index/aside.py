"""Writes the segments of a store in a process of its own, while this one resolves the graph and stores its edges.

Both take seconds of a large tree and need nothing of each other. The process only reads the database: the flip puts
what it has written into use. It ends when its parent was killed. What it could not do is done here. Main call:
`segments_aside`; started as `python -m clew.index.aside`.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from clew.errors import ClewError
from clew.index import spare
from clew.lifecycle.log import log
from clew.processes import own_command
from clew.store import derive, exact
from clew.store.store import Store
from clew.types import ModelName

_WORTH_CHUNKS = 10_000  # a process takes 0.3 s to begin; the segments of so many take 0.6 s
_NICE = 4  # once names are resolved it has a core for half a second; before that it needs a third of one
_PATIENCE_S = 1.0  # that the flip waits for it while nobody else can write
_LATE_S = 15.0  # that the run waits for it after the flip: there was little to resolve, or others keep the cores busy

Note = Callable[[apsw.Connection], None]


@contextlib.contextmanager
def segments_aside(store: Store, *, processes: int, is_late: bool) -> Iterator[Note]:
    """Tails that grew too long become segments, many while the block runs: it calls what it is given in the flip's
    transaction, and that puts them into use."""
    is_large = derive.tail_size(store.connection()) >= _WORTH_CHUNKS
    process = _begin(store) if is_large and processes > 1 and not is_late else None
    if process is None:
        catch_up(store, is_late=is_late)
        yield lambda _: None
        return
    try:
        yield lambda connection: _note(store, connection, process)
        try:
            _note_late(store, process)
            catch_up(store)
        except (ClewError, OSError) as error:  # the index is whole, be its tail long: that is no failure
            what = "segments could not be made, so questions take longer until the next run: %s"
            log(str(store.directory)).warning(what, error)
    finally:
        process.kill()  # unless it has ended
        spare.end(process)


def _note(store: Store, connection: apsw.Connection, process: subprocess.Popen[bytes]) -> None:
    """In the flip's transaction: put what the process wrote into use, if it ends soon. Others wait for the lock."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE_S)
        _take(store, connection, process)


def _note_late(store: Store, process: subprocess.Popen[bytes]) -> None:
    """The same after the flip, with more patience; what is not written then is done here."""
    if process.stdout is None or process.stdout.closed:
        return  # that was done
    try:
        process.wait(_LATE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with store.write() as connection:
        _take(store, connection, process)


def _take(store: Store, connection: apsw.Connection, process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    with process.stdout as told:
        for line in told.read().splitlines():
            kind, ahead = json.loads(line)
            (derive if kind == "lexical" else exact).note(store, connection, derive.Ahead(*ahead))
    if process.returncode > 0:
        what = "the process that makes segments ended with %d: this one does it"
        log(str(store.directory)).warning(what, process.returncode)


def catch_up(store: Store, *, is_late: bool = False) -> None:
    """Move tails that grew too long into segments; `is_late` when vectors came after a segment was made."""
    connection = store.connection()
    if is_late or derive.is_due(connection):
        with store.exclusive() as held:
            derive.catch_up(store, held)
    if exact.is_due(connection):
        with store.exclusive() as held:
            exact.catch_up(store, held)


def _begin(store: Store) -> subprocess.Popen[bytes] | None:
    """The process; None where the system has no room for another."""
    task = {"directory": str(store.directory), "model": store.model, "encode": store.encode is not None}
    with contextlib.suppress(OSError):
        return subprocess.Popen(
            own_command("clew.index.aside", json.dumps(task)),
            stdin=subprocess.PIPE,  # nothing is written: it ends with this process
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what went wrong is told by the one who then does it
            # Ctrl-C is the parent's to handle. No session of its own: Linux gives each the same share, however nice.
            process_group=0,
        )
    return None


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing ever comes but the end
    os._exit(1)  # segments are written whole or not at all


def main() -> None:
    """Do what `segments_aside` began."""
    from clew.embed.static import StaticEncoder

    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    task = json.loads(sys.argv[1])
    model = ModelName(*task["model"])
    store = Store(Path(task["directory"]), lambda: model, StaticEncoder().encode_packed if task["encode"] else None)
    if not store.exists:  # it was removed meanwhile: nothing is made there again
        sys.exit(1)
    with store.read() as connection:
        for kind, written in (("lexical", derive.write_ahead), ("exact", exact.write_ahead)):
            for ahead in written(store, connection):
                sys.stdout.write(json.dumps([kind, ahead]) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
