"""A server on this machine that speaks OpenAI's /embeddings, counts what it is given, and fails on demand."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from clew.embed.provider import PROBE

KEY = "sk-very-secret-0123456789"
ALIKE = {"purloin": "steal", "purloined": "steal", "vehicle": "car"}  # what the model knows and no word match does


def vector_of(text: str, dimension: int, seed: str = "") -> list[float]:
    """Words by their hashes, so that texts that share some are near."""
    row = [0.0] * dimension
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        row[zlib.crc32((seed + ALIKE.get(word, word)).encode()) % dimension] += 1.0
    return row


Answer = tuple[int, dict[str, str], bytes]
Fault = Callable[["EmbeddingServer", dict[str, Any]], Answer | None]  # None: answer as usual


class EmbeddingServer:
    """`faults` are used up one a request, in order; `always` holds for the rest."""

    def __init__(self, dimension: int = 64) -> None:
        self.dimension, self.seed = dimension, ""
        self.model = "tiny"
        self.key = ""
        self.texts: Counter[str] = Counter()  # that were given vectors, the probe left out
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.lock = threading.Lock()
        self.at_once = self.most_at_once = 0
        self.hold = threading.Event()  # set: nobody waits
        self.hold.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._serve(self)

            def do_GET(self) -> None:
                self.send_error(405)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # clients that went away

        self._http = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def settings(self, **more: object) -> dict[str, object]:
        return {"embedding": "openai", "embedding_url": self.url, "embedding_model": self.model, **more}

    def environment(self, **more: str) -> dict[str, str]:
        found = {f"CLEW_{name.upper()}": str(value) for name, value in self.settings().items()}
        return {**found, **more}

    def close(self) -> None:
        self.hold.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def rows(self, texts: list[str]) -> list[dict[str, Any]]:
        return [
            {"object": "embedding", "index": place, "embedding": vector_of(text, self.dimension, self.seed)}
            for place, text in enumerate(texts)
        ]

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            self.requests.append(body)
            self.headers.append(dict(handler.headers))
            fault = self.faults.pop(0) if self.faults else self.always
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            self.hold.wait(30)
            answer = fault(self, body) if fault is not None else None
            status, headers, payload = answer if answer is not None else self._usual(handler, body)
        finally:
            with self.lock:
                self.at_once -= 1
        with contextlib.suppress(OSError):  # a client that went away
            handler.send_response(status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(payload)), **headers}
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(payload)
            if int(headers["Content-Length"]) != len(payload):
                handler.close_connection = True

    def _usual(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> Answer:
        if self.key and handler.headers.get("Authorization") != f"Bearer {self.key}":
            return refusal(401, "Incorrect API key provided: " + str(handler.headers.get("Authorization")))(self, body)  # type: ignore[return-value]
        if handler.path != "/v1/embeddings" or body["model"] != self.model:
            return refusal(404, f"model {body['model']!r} not found")(self, body)  # type: ignore[return-value]
        with self.lock:
            self.texts.update(text for text in body["input"] if text != PROBE)
        return 200, {}, json.dumps({"object": "list", "data": self.rows(body["input"])}).encode()


def refusal(status: int, message: str = "no", **headers: str) -> Fault:
    """An error as such servers give it."""
    payload = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda *_: (status, named, payload)


def body(payload: bytes, status: int = 200, **headers: str) -> Fault:
    """These very bytes."""
    return lambda *_: (status, {name.replace("_", "-"): value for name, value in headers.items()}, payload)


def data(change: Callable[[list[dict[str, Any]]], Any]) -> Fault:
    """The usual answer with its rows changed."""

    def act(server: EmbeddingServer, asked: dict[str, Any]) -> Answer:
        return 200, {}, json.dumps({"data": change(server.rows(asked["input"]))}).encode()

    return act


def silence(_: EmbeddingServer, __: dict[str, Any]) -> None:
    """No answer for as long as the client waits."""
    threading.Event().wait(2.0)


@contextlib.contextmanager
def serving(**more: Any) -> Iterator[EmbeddingServer]:
    server = EmbeddingServer(**more)
    try:
        yield server
    finally:
        server.close()
