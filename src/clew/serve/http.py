"""The HTTP server: MCP at /mcp, every tool at POST /tools/NAME, and what those who run it look at.

One process, one engine, one set of sessions for both. Main calls: `serve_http`, `make_app`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Mapping
from typing import Any

import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clew.config import Config
from clew.errors import BadInput
from clew.serve import gates, guard, openapi, tools
from clew.serve.gates import Envelope
from clew.serve.mcp import make_server
from clew.serve.schemas import Profile
from clew.serve.sessions import Sessions
from clew.serve.workers import Workers

SESSION_HEADER = "X-Session-ID"
_STATUSES = {"ok": 200, "not_found": 404, "ambiguous": 422, "unsupported": 422}
_GATE = 409


def serve_http(config: Config, host: str, port: int, profile: Profile) -> None:
    """Listen until told to end."""
    guard.require_safe(host, config.token)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    workers = Workers(config)
    try:
        with socket.create_server((host, port), family=family, backlog=128) as listening:
            app = make_app(workers, host, make_server(workers, profile))
            server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False))
            place = f"[{host}]" if ":" in host else host
            print(f"Clew listens on http://{place}:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
            asyncio.run(server.serve(sockets=[listening]))
    finally:
        workers.close()


def make_app(workers: Workers, host: str, mcp: Server[Any]) -> Starlette:
    """The application around an MCP server; `host` is where it will listen."""

    async def tool(request: Request) -> Response:
        return await _call(workers, request)

    async def health(_: Request) -> Response:
        is_well = workers.sessions.is_healthy
        shown = {"status": "ok" if is_well else "error", "sessions": len(workers.sessions)}
        return JSONResponse(shown, 200 if is_well else 503)

    async def metrics(_: Request) -> Response:
        text = workers.metrics.as_text(len(workers.sessions))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def described(_: Request) -> Response:
        return JSONResponse(openapi.document())

    app = mcp.streamable_http_app(
        max_request_body_size=workers.config.max_request_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does it
        custom_starlette_routes=[
            Route("/tools/{tool}", tool, methods=["POST"]),
            Route("/health", health),
            Route("/metrics", metrics),
            Route("/openapi.json", described),
        ],
    )
    app.add_middleware(_Named, sessions=workers.sessions)
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=workers.config.max_request_bytes)
    app.add_middleware(guard.Guard, host=host, token=workers.config.token)
    return app


class _Named:
    """Gives the session's name back in a header where MCP answers, which knows nothing of it."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app, self._sessions = app, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = Headers(scope=scope).get(SESSION_HEADER) if scope.get("path") == "/mcp" else None
        if name is None or self._sessions.identify(name).id != name:
            await self._app(scope, receive, send)
            return

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[SESSION_HEADER] = name
            await send(message)

        await self._app(scope, receive, named)


def http_status(envelope: Envelope) -> int:
    """The HTTP status of an answer."""
    if envelope["status"] == "error":
        return int(envelope["problem"]["status"])
    return _STATUSES.get(envelope["status"], _GATE)


async def _call(workers: Workers, request: Request) -> Response:
    name, header = request.path_params["tool"], request.headers.get(SESSION_HEADER)
    try:
        arguments = _arguments(await request.body())
    except BadInput as error:
        identity = workers.sessions.identify(header)
        envelope = {**gates.failure(tools.asked({}), error, name), "session_id": identity.id}
    else:
        envelope = await workers.call(name, arguments, header=header)
    headers = {SESSION_HEADER: envelope["session_id"]} if envelope.get("session_id") else {}
    if "retryAfterMs" in envelope and envelope["status"] == "not_ready":
        headers["Retry-After"] = str(-(-envelope["retryAfterMs"] // 1000))
    return JSONResponse(envelope, http_status(envelope), headers=headers)


def _arguments(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadInput("the body must be a JSON object with the tool's arguments")
    return found
