"""One capability, three ways in: the command, the HTTP route and the MCP tool give the same envelope."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew.serve import tools
from tests.conftest import make_engine, write_tree
from tests.serve.command import clew
from tests.serve.serving import Agent, Web, connected, web

FILES = {
    "app.py": "def alpha():\n    return beta()\n\n\ndef beta():\n    return 1\n",
    "lib/tool.py": "def alpha_tool(text):\n    return text.strip()\n",
    "lib/other.py": "class Box:\n    def open(self): ...\n",
}
VOLATILE = ("session_id", "checked_at", "size_bytes")  # the size of a store changes with its log


class Ways(NamedTuple):
    """The ways in to one home."""

    root: str
    home: Path
    web: Web
    agent: Agent


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    base = tmp_path_factory.mktemp("parity")
    root = write_tree(base / "tree", FILES)
    (base / "tree-elsewhere").mkdir()
    engine = make_engine(base / "home", embedding="static")
    engine.index(str(root))
    engine.close()
    with web(base / "home", embedding="static") as server, connected(f"{server.url}/mcp") as agent:
        yield Ways(str(root), base / "home", server, agent)


# What is asked of each tool, and the command that asks the same; {root} is the codebase.
CASES: dict[str, list[tuple[dict[str, Any], list[str]]]] = {
    "search_codebase": [
        ({"query": "alpha", "path": "{root}", "limit": 2}, ["search", "alpha", "{root}", "--limit", "2"]),
        (
            {"query": "alpha", "path": "{root}", "view": "functions", "mode": "lexical", "include_globs": ["lib"]},
            ["search", "alpha", "{root}", "--view", "functions", "--mode", "lexical", "--include", "lib"],
        ),
        ({"query": "", "path": "{root}"}, ["search", "", "{root}"]),
        ({"query": "alpha", "path": "{root}", "limit": 0}, ["search", "alpha", "{root}", "--limit", "0"]),
        ({"query": "x", "path": "{root}-elsewhere"}, ["search", "x", "{root}-elsewhere", "--no-index"]),
        ({"query": "x", "path": "{root}", "include_globs": ["[a"]}, ["search", "x", "{root}", "--include", "[a"]),
    ],
    "semantic_search": [({"query": "alpha", "path": "{root}"}, ["search", "alpha", "{root}", "--mode", "semantic"])],
    "search_text": [
        (
            {"query": "bet.", "path": "{root}", "regex": True, "case_sensitive": True, "max_results": None},
            ["grep", "bet.", "{root}"],
        ),
        (
            {"query": "(", "path": "{root}", "regex": True, "case_sensitive": True, "max_results": None},
            ["grep", "(", "{root}"],
        ),
    ],
    "find_similar": [
        (
            {"file": "{root}/app.py", "start_line": 1, "end_line": 2},
            ["similar", "{root}/app.py", "--lines", "1:2"],
        )
    ],
    "get_symbol": [
        ({"name": "Box.open", "path": "{root}"}, ["symbol", "Box.open", "{root}"]),
        ({"name": "nobody", "path": "{root}"}, ["symbol", "nobody", "{root}"]),
    ],
    "list_paths": [({"path": "{root}", "max_results": 2}, ["paths", "{root}", "--limit", "2"])],
    "file_outline": [({"file": "{root}/app.py"}, ["outline", "{root}/app.py"])],
    "read_file": [
        ({"path": "{root}/app.py", "start_line": 1, "end_line": 2}, ["read", "{root}/app.py", "--lines", "1:2"]),
        ({"path": "{root}/app.py", "symbol": "beta"}, ["read", "{root}/app.py", "--symbol", "beta"]),
        ({"path": "{root}/gone.py"}, ["read", "{root}/gone.py"]),
    ],
    "manage_index": [({"action": "status", "path": "{root}"}, ["status", "{root}"])],
    "list_codebases": [({}, ["list"])],
}


def test_every_tool_has_a_case() -> None:
    assert CASES.keys() == tools.TOOLS.keys()


@pytest.mark.parametrize(
    ("tool", "number"), [(tool, number) for tool, cases in CASES.items() for number in range(len(cases))]
)
def test_all_ways_give_the_same_envelope(ways: Ways, tool: str, number: int) -> None:
    arguments, command = CASES[tool][number]
    given = {
        key: value.replace("{root}", ways.root) if isinstance(value, str) else value for key, value in arguments.items()
    }
    words = [word.replace("{root}", ways.root) for word in command]
    ran = clew(*words, "--json", CLEW_HOME=str(ways.home), CLEW_EMBEDDING="static", CLEW_RECHECK_MS="0")
    over_http = ways.web.call(tool, **given).envelope
    over_mcp = ways.agent.call(tool, **given)
    assert settled(over_mcp) == settled(over_http)
    assert settled(over_http) == settled(ran.envelope)


@pytest.mark.parametrize("tool", ["set_scope", "get_scope", "clear_scope"])
def test_scope_tools_are_the_same_over_both_protocols(ways: Ways, tool: str) -> None:
    for given in ({}, {"scope": {"languages": ["Python"]}}, {"scope": {"nope": 1}}):
        over_http = ways.web.call(tool, session="a", **given).envelope
        assert settled(ways.agent.call(tool, session_id="b", **given)) == settled(over_http)


def settled(envelope: dict[str, Any]) -> dict[str, Any]:
    """An envelope without what tells sessions and moments apart."""
    kept = copy.deepcopy({key: value for key, value in envelope.items() if key not in VOLATILE})
    if "freshness" in kept:
        kept["freshness"] = {key: value for key, value in kept["freshness"].items() if key not in VOLATILE}
    return kept
