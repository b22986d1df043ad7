"""Makes the segments of a store in a process of its own, while this one resolves the graph.

Both take seconds of a large tree and need nothing of each other. The process takes the store's lock as any writer
does, and ends when its parent was killed. What it could not do is done here. Main call: `segments_aside`; started as
`python -m clew.index.aside`.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from clew.lifecycle.log import log
from clew.processes import own_command
from clew.store import derive, exact
from clew.store.store import Store
from clew.types import ModelName

_WORTH_CHUNKS = 10_000  # a process takes 0.3 s to begin; the segments of so many take 0.6 s


@contextlib.contextmanager
def segments_aside(store: Store, *, processes: int, is_late: bool) -> Iterator[None]:
    """While the block runs, tails that grew too long become segments; after it they are."""
    is_large = derive.tail_size(store.connection()) >= _WORTH_CHUNKS
    aside = _begin(store) if is_large and processes > 1 and not is_late else None
    try:
        yield
    except BaseException:
        if aside is not None:
            aside.kill()
        raise
    finally:
        if aside is not None:
            aside.wait()
            assert aside.stdin is not None
            aside.stdin.close()
    if aside is not None and aside.returncode:
        what = "the process that makes segments ended with %d: this one does it"
        log(str(store.directory)).warning(what, aside.returncode)
    catch_up(store, is_late=is_late)


def catch_up(store: Store, *, is_late: bool = False) -> None:
    """Move tails that grew too long into segments; `is_late` when vectors came after a segment was made."""
    connection = store.connection()
    if is_late or derive.tail_size(connection) > derive.TAIL_CHUNKS:
        with store.exclusive() as held:
            derive.catch_up(store, held)
    if exact.tail_bytes(connection) > exact.TAIL_BYTES:
        with store.exclusive() as held:
            exact.catch_up(store, held)


def _begin(store: Store) -> subprocess.Popen[bytes]:
    task = {"directory": str(store.directory), "model": store.model, "encode": store.encode is not None}
    return subprocess.Popen(
        own_command("clew.index.aside", json.dumps(task)),
        stdin=subprocess.PIPE,  # nothing is written: it ends with this process
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # what went wrong is told by the one who then does it
        start_new_session=True,  # Ctrl-C is the parent's to handle
    )


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing ever comes but the end
    os._exit(1)  # segments are written whole or not at all


def main() -> None:
    """Do what `segments_aside` began."""
    from clew.embed.static import StaticEncoder

    threading.Thread(target=_end_with_parent, daemon=True).start()
    task = json.loads(sys.argv[1])
    model = ModelName(*task["model"])
    store = Store(Path(task["directory"]), lambda: model, StaticEncoder().encode_packed if task["encode"] else None)
    if store.exists:  # else it was removed meanwhile: nothing is made there again
        catch_up(store)


if __name__ == "__main__":
    main()
