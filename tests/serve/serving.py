"""Servers to ask in tests: the MCP server as a client starts it, and the HTTP server on a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.server.lowlevel.server import Server

from clew.config import load_config
from clew.serve.http import make_app
from clew.serve.mcp import make_server
from clew.serve.workers import Workers

Envelope = dict[str, Any]
SETTINGS = {"CLEW_WORKERS": "1", "CLEW_EMBEDDING": "none", "CLEW_RECHECK_MS": "0", "CLEW_QUERY_TIMEOUT_S": "60"}


class Agent:
    """The official client, for tests that do not wait."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal, self.client = portal, client

    def run(self, act: Callable[[Client], Awaitable[Any]]) -> Any:
        """Do something with the client."""

        async def done() -> Any:
            return await act(self.client)

        return self._portal.call(done)

    def call(self, tool: str, **arguments: Any) -> Envelope:
        """A tool's envelope, which must be in the text too."""
        result = self.run(lambda client: client.call_tool(tool, arguments))
        assert not result.is_error
        found: Envelope = result.structured_content
        assert json.loads(result.content[0].text) == found
        return found


@contextlib.contextmanager
def agent(home: Path, cwd: Path, *flags: str, mode: str = "auto", **env: str) -> Iterator[Agent]:
    """A client with a server of its own: `clew mcp` on standard input and output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "clew", "mcp", *flags],
        env={**kept, **SETTINGS, "CLEW_HOME": str(home), "CLEW_CONFIG": "", **env},
        cwd=cwd,
    )
    with connected(server, mode=mode) as found:
        yield found


@contextlib.contextmanager
def connected(server: Any, *, mode: str = "auto") -> Iterator[Agent]:
    """A client of any server: how to start one, an address, or one in this process."""
    client = Client(server, mode=mode)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Agent(portal, client)


class Reply(NamedTuple):
    """What came back over HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def envelope(self) -> Envelope:
        found: Envelope = json.loads(self.body)
        return found


class Web(NamedTuple):
    """An HTTP server that listens."""

    url: str
    workers: Workers

    def ask(self, path: str, body: Any = None, *, method: str | None = None, **headers: str) -> Reply:
        """One request; names of headers have _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(self.url + path, data, named, method=method)
        try:
            with build_opener(ProxyHandler({})).open(request, timeout=60) as reply:
                return Reply(reply.status, _lower(reply.headers.items()), reply.read())
        except HTTPError as error:
            with error:
                return Reply(error.code, _lower(error.headers.items()), error.read())

    def call(self, tool: str, *, session: str | None = None, **arguments: Any) -> Reply:
        """Ask a tool."""
        return self.ask(f"/tools/{tool}", arguments, **({"X_Session_ID": session} if session else {}))


@contextlib.contextmanager
def web(
    home: Path, *, host: str = "127.0.0.1", make: Callable[[Workers], Server[Any]] | None = None, **flags: Any
) -> Iterator[Web]:
    """The HTTP server, in a thread; `host` is where it believes to listen, `make` gives the MCP server in it."""
    defaults = {"workers": 1, "recheck_ms": 0, "query_timeout_s": 60}
    workers = Workers(load_config({"home": str(home), **defaults, **flags}))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = (make or partial(make_server, profile="full"))(workers)
        config = uvicorn.Config(make_app(workers, host, server), log_config=None, access_log=False)
        listener = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(listener.serve(sockets=[listening])))
        thread.start()
        while not listener.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield Web(f"http://127.0.0.1:{listening.getsockname()[1]}", workers)
        finally:
            listener.should_exit = True
            thread.join()
            workers.close()


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers}
