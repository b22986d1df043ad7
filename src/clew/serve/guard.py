"""Who may ask over HTTP: checks of Host, Origin and token before anything else is looked at.

A page in a browser on this machine can send requests here, and by DNS rebinding under a name of its own: Host and
Origin betray both. Beyond this machine a token is needed.
"""

from __future__ import annotations

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.errors import BadInput
from clew.serve import gates

_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
_OPEN = frozenset({"/health"})  # says whether the server is well, and nothing of any codebase


class Guard:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, host: str, token: str) -> None:
        self._app, self._token = app, token
        self._hosts = _LOCAL | {host.lower()} if is_local(host) else None  # None: any, since the token protects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refusal(scope["path"], Headers(scope=scope)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> Response | None:
        host, origin = _name(f"//{headers.get('host', '')}"), headers.get("origin")
        if not host or (self._hosts is not None and host not in self._hosts):
            return problem("bad_host", 421, "this server is not known by that name; ask it as localhost")
        if origin is not None and _name(origin) not in {*_LOCAL, host}:
            return problem("bad_origin", 403, "pages from elsewhere may not ask this server")
        if self._token and path not in _OPEN:
            kind, _, given = headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self._token.encode()):
                return problem("unauthorized", 401, "show the server's token: Authorization: Bearer TOKEN")
        return None


def is_local(host: str) -> bool:
    """Whether only this machine can ask a server that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def require_safe(host: str, token: str) -> None:
    """Refuse to listen to other machines without a token."""
    if not is_local(host) and not token:
        raise BadInput(f"{host} can be reached from elsewhere: set CLEW_TOKEN, which clients must show, first")


def problem(kind: str, status: int, detail: str) -> Response:
    """RFC 9457."""
    extra = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    content = gates.problem(kind, status, detail)
    return JSONResponse(content, status, headers=extra, media_type="application/problem+json")


def _name(url: str) -> str:
    """The host in an address, without its port; nothing if there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
