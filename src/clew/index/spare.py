"""One parsing process that is kept for the next run: a save of a large file need not wait until one has begun.

It is for the life of a process that goes on, a server or an editor's; it ends with that, when it is let go, or by
itself when nobody has asked it anything for a while. Main calls: `keep`, `take`, `let_go`.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import subprocess

from clew.processes import CAN_WAIT

_kept: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()


def keep(worker: subprocess.Popen[bytes]) -> bool:
    """Keep a worker that has nothing to do, unless there is one already; whether it is kept."""
    if not CAN_WAIT or not _kept.empty():
        return False
    atexit.unregister(let_go)
    atexit.register(let_go)
    _kept.put(worker)
    return True


def take(command: list[str]) -> subprocess.Popen[bytes] | None:
    """The worker that was kept, if it was begun by this command and still lives."""
    with contextlib.suppress(queue.Empty):
        worker = _kept.get_nowait()
        if worker.args == command and worker.poll() is None:
            return worker
        end(worker)
    return None


def let_go() -> None:
    """End the worker that was kept."""
    with contextlib.suppress(queue.Empty):
        end(_kept.get_nowait())


def end(worker: subprocess.Popen[bytes]) -> None:
    """Close a worker's pipes, upon which it ends, and wait for that."""
    for pipe in (worker.stdin, worker.stdout):
        with contextlib.suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()
    worker.wait()
