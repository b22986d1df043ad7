"""The MCP server as the official client sees it, over standard input and output."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from clew import Engine
from clew.serve import schemas, tools
from tests.conftest import make_engine, write_tree
from tests.lifecycle import situations
from tests.serve.serving import SETTINGS, Agent, agent

FILES = {
    "app.py": "def alpha():\n    return beta()\n\n\ndef beta(): ...\n\n\nclass Box:\n    def open(self): ...\n",
    "lib/tool.py": "def gamma(text):\n    return text.strip()\n",
    "README.md": "# A small tree\n\nalpha calls beta.\n",
    ".gitignore": ".env\n",
    ".env": "PASSWORD=hunter2\n",
}
HAPPY: list[tuple[str, dict[str, Any], str]] = [
    ("search_codebase", {"query": "alpha"}, "results"),
    ("semantic_search", {"query": "alpha"}, "results"),
    ("search_text", {"query": "beta"}, "matches"),
    ("get_symbol", {"name": "Box.open"}, "symbols"),
    ("file_outline", {"file": "app.py"}, "symbols"),
    ("list_paths", {}, "items"),
    ("find_similar", {"file": "app.py", "start_line": 1, "end_line": 2}, "results"),
]


class Place:
    """A small tree, where its index is, and a client of a server that runs in the tree."""

    def __init__(self, root: Path, home: Path, client: Agent) -> None:
        self.root, self.home, self.agent = str(root), home, client

    @contextlib.contextmanager
    def engine(self) -> Iterator[Engine]:
        """Another process's view of the same home, as it were."""
        made = make_engine(self.home)
        try:
            yield made
        finally:
            made.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("mcp")
    root = write_tree(base / "tree", FILES)
    (base / "secret.txt").write_text("not yours\n")
    (root / "way-out").symlink_to(base)
    with agent(base / "home", root, "--profile", "full") as client:
        assert client.call("manage_index", action="create", path=str(root))["status"] == "ok"
        found = Place(root, base / "home", client)
        wait_until_ready(found)
        yield found


def wait_until_ready(place: Place) -> None:
    while place.agent.call("manage_index", action="status")["state"] == "indexing":
        pass


# -- what is listed --------------------------------------------------------------------------------


def test_core_profile_leaves_a_client_room() -> None:
    listed = [
        {"name": spec.name, "description": spec.description, "inputSchema": spec.input_schema}
        for spec in schemas.specs("core")
    ]
    assert len(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) < 6_000  # as it is sent


def test_every_tool_has_one_description() -> None:
    assert {spec.name for spec in schemas.specs()} == {*tools.TOOLS, "set_scope", "get_scope", "clear_scope"}
    assert all(spec.output_schema["required"] == ["status"] for spec in schemas.specs())


def test_listed_actions_are_those_of_the_engine() -> None:
    from clew.engine import MANAGED_ACTIONS

    assert {*MANAGED_ACTIONS, "status"} == {*schemas.ACTIONS}


def test_schemas_are_schemas() -> None:
    from jsonschema import Draft202012Validator

    for spec in schemas.specs():
        Draft202012Validator.check_schema(spec.input_schema)
        Draft202012Validator.check_schema(spec.output_schema)


def test_full_profile_lists_every_tool(place: Place) -> None:
    listed = place.agent.run(lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == [spec.name for spec in schemas.specs()]
    assert all(tool.input_schema["properties"]["session_id"] for tool in listed)
    assert {tool.name for tool in listed if not tool.annotations.read_only_hint} == {
        "manage_index",
        "set_scope",
        "clear_scope",
    }
    assert [tool.name for tool in listed if tool.annotations.destructive_hint] == ["manage_index"]


# -- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tool", "arguments", "key"), HAPPY, ids=[case[0] for case in HAPPY])
def test_answers(place: Place, tool: str, arguments: dict[str, Any], key: str) -> None:
    for path in ({}, {"path": place.root}):
        envelope = place.agent.call(tool, **arguments, **path)
        assert envelope["status"] == "ok", envelope
        assert envelope["codebaseRoot"] == place.root
        assert envelope[key] or tool in ("semantic_search", "find_similar")  # which have no model here


def test_reads_a_file(place: Place) -> None:
    envelope = place.agent.call("read_file", path=f"{place.root}/app.py", symbol="alpha")
    assert (envelope["status"], envelope["content"]) == ("ok", "def alpha():\n    return beta()")


def test_lists_codebases(place: Place) -> None:
    envelope = place.agent.call("list_codebases", session_id="x")
    assert [item["root"] for item in envelope["codebases"]] == [place.root] and "session_id" not in envelope


def test_a_connection_is_a_session(place: Place) -> None:
    try:
        placed = place.agent.call("set_scope", scope={"include_globs": ["lib"], "repos": ["tree"]})
        assert placed["effective_scope"]["repos"] == [place.root]
        scoped = place.agent.call("list_paths")
        assert [item["path"] for item in scoped["items"]] == ["lib/tool.py"]
        assert scoped["session_id"] == placed["session_id"] == place.agent.call("get_scope")["session_id"]
        other = place.agent.call("list_paths", session_id="another")
        assert other["total"] > 1 and other["session_id"] == "another"
    finally:
        assert place.agent.call("clear_scope")["effective_scope"]["repos"] == []
    assert place.agent.call("list_paths")["total"] == other["total"]


# -- gates -----------------------------------------------------------------------------------------


def test_gates_are_answers(place: Place, tmp_path: Path) -> None:
    unknown = place.agent.call("search_codebase", query="x", path=str(tmp_path))
    assert (unknown["status"], unknown["reason"]) == ("not_indexed", "not_indexed")
    assert unknown["hints"]["create"]["tool"] == "manage_index"


def test_each_gate_comes_through(place: Place, tmp_path: Path) -> None:
    gated = write_tree(tmp_path / "gated", situations.FILES)
    root = str(gated)

    def ask() -> dict[str, Any]:
        return place.agent.call("search_codebase", query="alpha", path=root)

    with place.engine() as engine:
        situations.make_root(engine, gated)
        assert ask()["status"] == "ok"
        with situations.indexing(engine, root):
            assert (ask()["status"], ask()["retryAfterMs"]) == ("not_ready", 2_000)
        interrupted = ask()
        assert (interrupted["status"], interrupted["reason"]) == ("error", "interrupted")
        engine.index(root, force=True)
        situations.change_marker(engine, root, situations.STALE["missing_marker_doc"])
        assert ask()["hints"]["staleLocal"]["completionProof"] == "missing_marker_doc"
        engine.index(root, force=True)
        with pytest.MonkeyPatch.context() as patch:
            situations.another_version(patch)
            assert situations.manage(engine, "sync", root)["status"] == "requires_reindex"
        assert ask()["hints"]["reindex"]["args"]["action"] == "reindex"
        engine.clear(root)


# -- bad input -------------------------------------------------------------------------------------


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "relative path": ("search_codebase", {"query": "x", "path": "src"}, "error"),
    "relative file": ("read_file", {"path": "app.py"}, "error"),
    "file that escapes": ("file_outline", {"file": "../secret.txt"}, "error"),
    "path that escapes": ("read_file", {"path": "{root}/../secret.txt"}, "not_indexed"),
    "link that escapes": ("read_file", {"path": "{root}/way-out/secret.txt"}, "not_indexed"),
    "ignored file": ("read_file", {"path": "{root}/.env"}, "not_found"),
    "malformed glob": ("search_codebase", {"query": "x", "include_globs": ["[a"]}, "error"),
    "unknown language": ("list_paths", {"languages": ["klingon"]}, "error"),
    "limit 0": ("search_codebase", {"query": "x", "limit": 0}, "error"),
    "limit of another type": ("search_codebase", {"query": "x", "limit": "many"}, "error"),
    "empty query": ("search_codebase", {"query": ""}, "error"),
    "empty text": ("search_text", {"query": ""}, "error"),
    "no query": ("search_codebase", {}, "error"),
    "invalid expression": ("search_text", {"query": "(", "regex": True}, "error"),
    "unknown argument": ("get_symbol", {"name": "alpha", "colour": "red"}, "error"),
    "unknown action": ("manage_index", {"action": "destroy"}, "error"),
    "scope without scope": ("set_scope", {}, "error"),
    "scope with wrong fields": ("set_scope", {"scope": {"languages": ["klingon"], "commit": "x", "nope": 1}}, "error"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_an_answer(place: Place, case: str) -> None:
    tool, arguments, status = BAD[case]
    given = {
        key: value.replace("{root}", place.root) if isinstance(value, str) else value
        for key, value in arguments.items()
    }
    envelope = place.agent.call(tool, **given)
    assert envelope["status"] == status, envelope
    assert "hunter2" not in json.dumps(envelope) and "not yours" not in json.dumps(envelope)
    if status == "error":
        assert (envelope["reason"], envelope["problem"]["status"]) == ("bad_input", 400)


def test_odd_input_is_answered(place: Place) -> None:
    assert place.agent.call("search_codebase", query="alpha", limit=10_000_000)["status"] == "ok"
    for tool in ("search_codebase", "search_text"):
        assert place.agent.call(tool, query="alpha beta " * 910)["reason"] == "bad_input"  # 10,010 characters
    assert place.agent.call("get_scope", session_id="never seen")["warnings"][0]["code"] == "SESSION_ID_IGNORED"
    assert place.agent.call("get_scope", session_id="unseen")["session_id"] == "unseen"


def test_unknown_tool_is_an_error_of_the_protocol(place: Place) -> None:
    with pytest.raises(MCPError, match="Unknown tool"):
        place.agent.call("make_coffee")


# -- progress, cancelling, time --------------------------------------------------------------------


def test_progress_is_reported_to_those_who_ask(place: Place, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "more", FILES)
    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert total == 100 and message
        seen.append(progress)

    arguments = {"action": "create", "path": str(root)}
    result = place.agent.run(lambda client: client.call_tool("manage_index", arguments, progress_callback=note))
    envelope = result.structured_content
    assert (envelope["status"], envelope["progress"], envelope["stats"]["files"]) == ("ok", 100, 4)
    assert seen == sorted(set(seen)) and seen[-1] == 100
    assert place.agent.call("manage_index", action="clear", path=str(root))["status"] == "ok"


def test_a_request_can_be_cancelled(place: Place) -> None:
    """The client's side gives up, tells the server, and the next request is answered."""

    async def cancel(client: Any) -> None:
        with anyio.move_on_after(0.001):
            await client.call_tool("search_text", {"query": "."})

    place.agent.run(cancel)
    assert place.agent.call("get_scope")["status"] == "ok"


# -- resources and prompts -------------------------------------------------------------------------


def test_resources(place: Place) -> None:
    def read(uri: str) -> str:
        text: str = place.agent.run(lambda client: client.read_resource(uri)).contents[0].text
        return text

    base = f"clew://file/{quote(place.root, safe='')}"
    assert json.loads(read("clew://codebases"))["codebases"][0]["root"] == place.root
    assert read(f"{base}/lib/tool.py").startswith("def gamma")
    for uri in (f"{base}/.env", f"{base}/../secret.txt", f"{base}/way-out/secret.txt", f"{base}/", "clew://nothing"):
        with pytest.raises(MCPError, match="Resource not found"):
            read(uri)
    templates = place.agent.run(lambda client: client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["clew://file/{root}/{+path}", "clew://map/{root}"]
    assert "gamma" in read(f"clew://map/{quote(place.root, safe='')}")
    with pytest.raises(MCPError, match="Resource not found"):
        read("clew://map/nowhere")
    assert [item.uri for item in place.agent.run(lambda client: client.list_resources()).resources] == [
        "clew://codebases"
    ]


def test_prompts(place: Place) -> None:
    def get(name: str, given: dict[str, str]) -> str:
        found = place.agent.run(lambda client: client.get_prompt(name, given))
        text: str = found.messages[0].content.text
        return text

    for prompt in place.agent.run(lambda client: client.list_prompts()).prompts:
        assert "{the} thing" in get(prompt.name, {argument.name: "{the} thing" for argument in prompt.arguments})
        with pytest.raises(MCPError, match="missing"):
            get(prompt.name, {})
    with pytest.raises(MCPError, match="Unknown prompt"):
        get("sing", {})


# -- the protocol as it is written -----------------------------------------------------------------


def test_older_clients_are_served_at_once_and_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    """A handshake and a list, by hand: what is on standard output is the protocol alone."""
    code = (
        "import sys; from clew.serve import cli; sys.argv = ['clew', 'mcp']\n"
        "try: cli.main()\n"
        "finally: print([n for n in ('numpy', 'tree_sitter', 'apsw', 'clew.engine') if n in sys.modules], "
        "file=sys.stderr)"
    )
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **SETTINGS, "CLEW_HOME": str(tmp_path)},
    )
    assert process.stdin is not None and process.stdout is not None
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    process.stdin.write("".join(json.dumps(message) + "\n" for message in messages).encode())
    process.stdin.flush()
    begun, listed = (json.loads(process.stdout.readline()) for _ in range(2))
    rest, errors = process.communicate()
    watchdog.cancel()
    assert begun["result"]["protocolVersion"] == "2025-11-25" and begun["result"]["serverInfo"]["name"] == "clew"
    assert [tool["name"] for tool in listed["result"]["tools"]] == [spec.name for spec in schemas.specs("core")]
    assert (rest, errors.decode().strip()) == (b"", "[]")
