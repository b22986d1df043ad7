"""Tools for servers that wait for many at once: calls run in threads, each with a time limit.

A call that is given up, by its client or for its time, ends at its next look at the deadline and frees its thread.
The engine is made for the first call, so that a server starts at once. Main call: `Workers.call`.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from clew.config import Config
from clew.deadline import Deadline, within
from clew.serve import gates, tools
from clew.serve.gates import Envelope
from clew.serve.metrics import Metrics
from clew.serve.sessions import Sessions

if TYPE_CHECKING:
    from clew.engine import Engine
    from clew.serve.service import Service

T = TypeVar("T")
THREADS = 8  # calls at work; more wait, and their time counts
_UNLIMITED = frozenset({"manage_index"})  # its long work is done by jobs


class Workers:
    """One service behind an event loop."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.metrics = Metrics()
        self.sessions = Sessions(max_age_s=config.session_max_age_seconds)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="clew-tool")
        self._lock = threading.Lock()
        self._made: Service | None = None

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, header: str | None = None, connection: str | None = None
    ) -> Envelope:
        """`Service.call`, counted, and given up when it takes too long."""
        started = time.perf_counter()
        envelope = await self.ask(tool, arguments, header=header, connection=connection)
        name = tool if tool in tools.TOOLS or tool.endswith("_scope") else "unknown"
        self.metrics.note(name, envelope["status"], time.perf_counter() - started)
        return envelope

    async def ask(
        self, tool: str, arguments: Mapping[str, Any], *, header: str | None = None, connection: str | None = None
    ) -> Envelope:
        """The same, not counted."""
        limit_s = self.config.query_timeout_s
        deadline = None if tool in _UNLIMITED else Deadline(limit_s)
        work = partial(self._answer, deadline, tool, arguments, header=header, connection=connection)
        if deadline is None:
            return await asyncio.wrap_future(self.submit(work))
        try:
            with anyio.move_on_after(limit_s):
                return await asyncio.wrap_future(self.submit(work))
        finally:
            deadline.expire()  # also for one who does not wait any more
        named = arguments.get("session_id")
        identity = self.sessions.identify(header, None if named is None else str(named), connection)
        envelope = gates.failure(tools.asked(arguments), deadline.error(), tool)
        return sendable({**envelope, "session_id": identity.id})

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have something done in one of the threads, for the same caller as here."""
        return self._pool.submit(copy_context().run, work)

    @property
    def shared_engine(self) -> Engine:
        """The one engine, made when it is first needed."""
        return self._service().engine

    def close(self) -> None:
        """Wait for what is at work, drop what waits, and stop everything in the background."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._made is not None:
            self._made.close()

    def _answer(
        self, deadline: Deadline | None, tool: str, arguments: Mapping[str, Any], **who: str | None
    ) -> Envelope:
        with within(deadline):
            return sendable(self._service().call(tool, arguments, **who))

    def _service(self) -> Service:
        with self._lock:
            if self._made is None:
                from clew.engine import Engine
                from clew.serve.service import Service

                self._made = Service(Engine(self.config, watching=True), self.sessions)
                self.sessions.start_pruning()
            return self._made


def sendable(envelope: Envelope) -> Envelope:
    """An envelope that can be written as UTF-8: names of files need not be."""
    text = json.dumps(envelope, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        found: Envelope = json.loads(text.encode("utf-8", "replace"))
        return found
    return envelope
