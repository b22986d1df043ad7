"""The HTTP server on a real socket: envelopes and statuses, sessions, who may ask, and what is shown of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clew.errors import BadInput
from clew.serve import schemas
from clew.serve.guard import require_safe
from clew.serve.http import http_status
from clew.serve.sessions import MAX_HEALTHY, SessionScope
from tests.conftest import make_engine, write_tree
from tests.lifecycle import situations
from tests.serve.serving import SETTINGS, Web, connected, web

FILES = {
    "app.py": "def alpha():\n    return 1\n",
    "lib/tool.py": "def gamma(): ...\n",
    ".gitignore": ".env\n",
    ".env": "K=1",
}


class Site:
    """A server and the small tree that it has indexed."""

    def __init__(self, server: Web, root: Path, home: Path) -> None:
        self.web, self.root, self.home = server, str(root), home


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base = tmp_path_factory.mktemp("http")
    root = write_tree(base / "tree", FILES)
    engine = make_engine(base / "home", embedding="none")
    engine.index(str(root))
    engine.close()
    with web(base / "home", embedding="none") as server:
        yield Site(server, root, base / "home")


# -- tools -----------------------------------------------------------------------------------------


def test_answers_with_the_status_of_the_envelope(site: Site, tmp_path: Path) -> None:
    found = site.web.call("search_codebase", query="alpha", path=site.root)
    assert (found.status, found.envelope["status"]) == (200, "ok")
    assert found.headers["x-session-id"] == found.envelope["session_id"]
    assert site.web.call("read_file", path=f"{site.root}/nothing.py").status == 404
    assert site.web.call("read_file", path=f"{site.root}/.env").status == 404
    assert site.web.call("search_codebase", query="x", path=str(tmp_path)).status == 409
    assert site.web.call("search_codebase", query="x", path="relative").status == 400
    assert site.web.call("make_coffee").status == 400


def test_a_run_at_work_says_when_to_ask_again(site: Site, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "busy", situations.FILES)
    engine = make_engine(site.home, embedding="none")
    try:
        situations.make_root(engine, root)
        with situations.indexing(engine, str(root)):
            busy = site.web.call("search_codebase", query="alpha", path=str(root))
        assert (busy.status, busy.envelope["status"], busy.headers["retry-after"]) == (409, "not_ready", "2")
        engine.clear(str(root))
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("status", "code"),
    [("ok", 200), ("not_found", 404), ("ambiguous", 422), ("unsupported", 422), ("blocked", 409), ("not_ready", 409)],
)
def test_each_status_has_its_code(status: str, code: int) -> None:
    assert http_status({"status": status}) == code


def test_an_error_has_the_code_of_its_problem() -> None:
    assert http_status({"status": "error", "problem": {"status": 507}}) == 507


@pytest.mark.parametrize("body", [b"{", b"[1]", b'"text"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(site: Site, body: bytes) -> None:
    refused = site.web.ask("/tools/get_scope", body)
    assert (refused.status, refused.envelope["reason"]) == (400, "bad_input")
    assert refused.headers["x-session-id"]


def test_a_body_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with web(tmp_path, max_request_bytes=1_024) as server:
        assert [server.ask(path, b" " * 1_025).status for path in ("/tools/get_scope", "/mcp")] == [413, 413]
        assert server.ask("/tools/get_scope", b" " * 1_024).status == 200


def test_only_what_is_there_is_served(site: Site) -> None:
    assert [site.web.ask(path).status for path in ("/", "/tools", "/tools/", "/../etc/passwd")] == [404] * 4
    assert site.web.ask("/tools/get_scope").status == 405


# -- sessions --------------------------------------------------------------------------------------


def test_sessions_by_header(site: Site) -> None:
    placed = site.web.call("set_scope", session="mine", scope={"include_globs": ["lib"], "repos": ["tree"]})
    assert placed.headers["x-session-id"] == "mine"
    mine = site.web.call("list_paths", session="mine").envelope
    assert [item["path"] for item in mine["items"]] == ["lib/tool.py"]
    other = site.web.call("list_paths", path=site.root).envelope
    assert other["total"] > 1 and other["session_id"] not in ("mine", None)
    by_argument = site.web.call("list_paths", session_id="mine").envelope
    assert by_argument["items"] == mine["items"]
    refused = site.web.call("get_scope", session="x" * 200)
    assert refused.envelope["warnings"][0]["code"] == "SESSION_ID_IGNORED"
    assert refused.headers["x-session-id"] == refused.envelope["session_id"] != "x" * 200
    site.web.call("clear_scope", session="mine")


# -- MCP at /mcp -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_mcp_over_http(site: Site, mode: str) -> None:
    with connected(f"{site.web.url}/mcp", mode=mode) as client:
        listed = client.run(lambda asked: asked.list_tools()).tools
        assert [tool.name for tool in listed] == [spec.name for spec in schemas.specs()]
        assert client.call("get_symbol", name="alpha", path=site.root)["symbols"][0]["path"] == "app.py"
        scoped = client.call("set_scope", scope={"languages": ["python"]}, session_id=f"by-argument-{mode}")
        assert scoped["session_id"] == f"by-argument-{mode}"
        ids = {client.call("get_scope")["session_id"] for _ in range(2)}
        assert len(ids) == (1 if mode == "legacy" else 2)  # only the older revision has sessions of its own


def test_mcp_gives_the_session_header_back(site: Site) -> None:
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content_Type": "application/json",
        "MCP_Protocol_Version": "2026-07-28",
        "Mcp_Method": "tools/call",
        "Mcp_Name": "get_scope",
    }
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "by hand", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "get_scope", "arguments": {}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    named = site.web.ask("/mcp", body, **headers, X_Session_ID="mine")
    assert (named.status, named.headers["x-session-id"]) == (200, "mine")
    assert b'"session_id":"mine"' in named.body
    assert "x-session-id" not in site.web.ask("/mcp", body, **headers, X_Session_ID="not a name").headers


# -- who may ask -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/tools/get_scope", "/mcp", "/metrics", "/health"])
def test_names_and_pages_from_elsewhere_are_refused(site: Site, path: str) -> None:
    assert site.web.ask(path, {}, Host="evil.example").status == 421
    assert site.web.ask(path, {}, Origin="https://evil.example").status == 403
    assert site.web.ask(path, {}, Origin="null").status == 403


def test_pages_of_this_machine_may_ask(site: Site) -> None:
    assert site.web.ask("/tools/get_scope", {}, Origin="http://localhost:3000", Host="localhost:8420").status == 200


def test_a_token_is_needed_beyond_this_machine() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(BadInput, match="CLEW_TOKEN"):
            require_safe(host, "")
        require_safe(host, "secret")
    for host in ("127.0.0.1", "::1", "localhost", "127.0.0.2"):
        require_safe(host, "")


def test_a_token_is_checked(tmp_path: Path) -> None:
    with web(tmp_path, host="0.0.0.0", token="secret-token") as server:
        for authorization in ("", "Bearer wrong", "Basic secret-token", "Bearer"):
            refused = server.ask("/tools/get_scope", {}, Authorization=authorization)
            assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert server.ask("/mcp", {}, Authorization=authorization).status == 401
        allowed = server.ask("/tools/get_scope", {}, Authorization="Bearer secret-token", Host="box.example:8420")
        assert allowed.status == 200
        assert server.ask("/health").status == 200


def test_a_query_has_a_time_limit(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    workers = site.web.workers
    monkeypatch.setattr(workers, "config", make_config(query_timeout_s=1))
    monkeypatch.setattr(workers._service(), "call", lambda *_, **__: held.wait(30) and {"status": "ok"})
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(site.web.call, "search_codebase", query="alpha", path=site.root, session="me")
        assert site.web.ask("/health").status == 200  # the server goes on
        late = asked.result()
        held.set()
    assert (late.status, late.envelope["reason"], late.envelope["results"]) == (504, "timed_out", [])
    assert late.envelope["session_id"] == "me" and "1 s" in late.envelope["message"]


def make_config(**flags: Any) -> Any:
    from clew.config import load_config

    return load_config(flags)


# -- what is shown of it ---------------------------------------------------------------------------


def test_health_fails_when_sessions_pile_up(site: Site) -> None:
    assert site.web.ask("/health").envelope["status"] == "ok"
    names = [f"s{number}" for number in range(MAX_HEALTHY + 1)]
    try:
        for name in names:
            site.web.workers.sessions.set(name, SessionScope(languages=("python",)))
        assert site.web.ask("/health").status == 503
        assert f"clew_active_sessions {len(site.web.workers.sessions)}\n" in site.web.ask("/metrics").body.decode()
    finally:
        for name in names:
            site.web.workers.sessions.clear(name)


def test_metrics_are_lines_that_prometheus_reads(site: Site) -> None:
    told = site.web.call("get_symbol", name="alpha", path=site.root).envelope["status"]
    site.web.call('nobody"s{tool}')
    text = site.web.ask("/metrics").body.decode()
    line = re.compile(r'[a-z_]+(?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? [0-9.e+-]+')
    assert [found for found in text.splitlines() if not found.startswith("# ") and not line.fullmatch(found)] == []
    assert f'clew_tool_calls_total{{tool="get_symbol",status="{told}"}}' in text
    assert 'clew_tool_calls_total{tool="unknown",status="error"}' in text
    buckets = [int(n) for n in re.findall(r'clew_tool_seconds_bucket\{tool="get_symbol",le="[^"]+"\} (\d+)', text)]
    count = re.search(r'clew_tool_seconds_count\{tool="get_symbol"\} (\d+)', text)
    assert count and buckets == sorted(buckets) and buckets[-1] == int(count[1])


def test_openapi_describes_every_tool_and_the_session_header(site: Site) -> None:
    described = site.web.ask("/openapi.json").envelope
    for spec in schemas.specs():
        operation = described["paths"][f"/tools/{spec.name}"]["post"]
        assert operation["requestBody"]["content"]["application/json"]["schema"] == spec.input_schema
        assert operation["parameters"] == [{"$ref": "#/components/parameters/Session"}]
    assert described["components"]["parameters"]["Session"]["name"] == "X-Session-ID"


# -- the command -----------------------------------------------------------------------------------


def test_the_command_listens_and_ends(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", "serve", "--port", "0"],
        stderr=subprocess.PIPE,
        env={**os.environ, **SETTINGS, "CLEW_HOME": str(tmp_path)},
    )
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    assert process.stderr is not None
    url = process.stderr.readline().decode().rpartition(" ")[2].strip()
    for _ in range(600):
        try:
            health = Web(url, None).ask("/health")  # type: ignore[arg-type]
            break
        except OSError:
            time.sleep(0.05)
    assert json.loads(health.body)["status"] == "ok"
    process.terminate()
    _, errors = process.communicate()
    watchdog.cancel()
    assert b"Traceback" not in errors


def test_the_command_says_why_it_cannot_listen(site: Site) -> None:
    from tests.serve.command import clew

    port = site.web.url.rpartition(":")[2]
    taken = clew("serve", "--port", port)
    assert taken.code == 4 and "listens there already" in taken.err and "--port" in taken.err
    open_to_all = clew("serve", "--host", "0.0.0.0", "--port", "0")
    assert open_to_all.code == 2 and "CLEW_TOKEN" in open_to_all.err
