"""The provider `openai`: any server that speaks OpenAI's /embeddings, over the standard library's HTTP.

Covers OpenAI, Ollama, vLLM, LM Studio, llama.cpp and text-embeddings-inference. What may pass by itself (too
many requests, a server's error, a lost connection) is asked for again with growing pauses; what cannot is
an error that says what to check. The key is in no message. Main call: `OpenAIBackend`.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from clew.embed.provider import Patience
from clew.errors import ProviderError

FIRST_PAUSE_S = 1.0  # before the second attempt; doubled for each one after it
MOST_PAUSE_S = 30.0
MOST_ASKED_PAUSE_S = 120.0  # a server that wants a longer one is left alone, and that is said
MAX_ANSWER_BYTES = 256_000_000
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_CHECK = {
    400: "check embedding_model and embedding_dimension",
    401: "check embedding_key",
    403: "check embedding_key and what it may be used for",
    404: "check embedding_url (it ends before /embeddings) and that the server has embedding_model",
    405: "check embedding_url (it ends before /embeddings)",
    413: "make embedding_batch smaller",
    422: "check embedding_model, and make embedding_batch smaller",
}
_SHOWN_BYTES = 300  # of what a server says of an error


class _Passing(Exception):
    """A failure that may be over by the next attempt; `pause_s` is what the server asked for."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: the key would go along to whatever place it names."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class OpenAIBackend:
    """One model behind one address."""

    provider = "openai"
    is_plain = True

    def __init__(self, url: str, model: str, *, key: str = "", dimension: int = 0, lanes: int = 4) -> None:
        self.model, self.lanes = model, lanes
        self.place = url.rstrip("/")
        self._key, self._dimension = key, dimension
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if _is_here(url):  # a proxy for the outside does not know this machine
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def embed(self, texts: Sequence[str], patience: Patience, *, is_query: bool) -> list[Any]:  # noqa: ARG002
        """A row for each text, in their order, whatever order they came in."""
        body: dict[str, Any] = {"model": self.model, "input": list(texts)}
        if self._dimension:
            body["dimensions"] = self._dimension
        packed = json.dumps(body).encode()
        attempt = 1
        while True:
            try:
                return self._rows(self._post(packed, patience), len(texts))
            except _Passing as failure:
                if attempt >= patience.attempts or patience.cancelled.is_set():
                    raise self._refused(f"{failure}, {attempt} times", "try again later") from failure
                if failure.pause_s is not None and failure.pause_s > MOST_ASKED_PAUSE_S:
                    cure = f"it wants to be asked again in {failure.pause_s:.0f} s"
                    raise self._refused(str(failure), cure) from failure
                patience.cancelled.wait(max(failure.pause_s or 0.0, _pause(attempt)))
                attempt += 1

    def _post(self, packed: bytes, patience: Patience) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "clew"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(f"{self.place}/embeddings", packed, headers, method="POST")
        deadline = time.monotonic() + patience.timeout_s
        try:
            with self._opener.open(request, timeout=patience.timeout_s) as answer:
                return _read(answer, deadline)
        except urllib.error.HTTPError as error:
            raise self._answered(error) from error
        except (TimeoutError, urllib.error.URLError, http.client.HTTPException, OSError) as error:
            reason = getattr(error, "reason", None) or error
            if isinstance(reason, TimeoutError):
                raise _Passing(f"did not answer within {patience.timeout_s:.0f} s") from error
            raise _Passing(f"could not be reached ({reason if str(reason) else type(reason).__name__})") from error

    def _answered(self, error: urllib.error.HTTPError) -> _Passing | ProviderError:
        """What an answer that is an error means."""
        with contextlib.closing(error):
            try:
                said = _message(error.read(_SHOWN_BYTES * 20))
            except (OSError, http.client.HTTPException):
                said = ""
        if self._key:
            said = said.replace(self._key, "…")
        what = f"answered {error.code}" + (f" ({said})" if said else "")
        if error.code in _AGAIN:
            return _Passing(what, _asked_pause(error.headers.get("Retry-After")))
        return self._refused(what, _CHECK.get(error.code, "check embedding_url"))

    def _rows(self, body: bytes, count: int) -> list[Any]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            if body.lstrip()[:1] == b"<":
                raise self._refused("answered with a web page", _CHECK[404]) from error
            raise _Passing("answered with what is no JSON") from error
        found = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(found, list) or not all(isinstance(item, dict) and "embedding" in item for item in found):
            said = _message(body)
            raise self._refused("gave no embeddings" + (f" ({said})" if said else ""), _CHECK[404])
        if len(found) != count:
            raise self._refused(f"gave {len(found)} vectors for {count} texts", "nothing of it was kept")
        places = [item.get("index", place) for place, item in enumerate(found)]
        if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
            raise self._refused("gave vectors without saying which text each is of", "nothing of it was kept")
        rows: list[Any] = [None] * count
        for place, item in zip(places, found, strict=True):
            rows[place] = item["embedding"]
        return rows

    def _refused(self, what: str, cure: str) -> ProviderError:
        return ProviderError(f"the embedding provider at {self.place} {what}; {cure}")


def _read(answer: http.client.HTTPResponse, deadline: float) -> bytes:
    """The whole body, or a failure: one that trickles in is not waited for longer than one that does not come."""
    parts: list[bytes] = []
    size = 0
    while part := answer.read(65_536):
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise ProviderError(f"an embedding provider's answer is larger than {MAX_ANSWER_BYTES} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(parts)


def _message(body: bytes) -> str:
    """What a server says of an error, in one short line; nothing of a web page."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return "" if body.lstrip()[:1] == b"<" else _line(body.decode("utf-8", "replace"))
    error = found.get("error", found.get("detail", found.get("message", ""))) if isinstance(found, dict) else ""
    return _line(str(error.get("message", "")) if isinstance(error, dict) else str(error))


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_SHOWN_BYTES]


def _asked_pause(value: str | None) -> float | None:
    """The seconds of a Retry-After, which may be a date."""
    if not value:
        return None
    try:
        return max(float(value), 0.0) if value.strip().replace(".", "", 1).isdigit() else _until(value)
    except (ValueError, TypeError, OverflowError):
        return None


def _until(date: str) -> float:
    return max(email.utils.parsedate_to_datetime(date).timestamp() - time.time(), 0.0)


def _pause(attempt: int) -> float:
    """Longer each time, and never the same for two that were refused together."""
    return min(FIRST_PAUSE_S * 2.0 ** (attempt - 1), MOST_PAUSE_S) * random.uniform(0.5, 1.0)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    with contextlib.suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")
