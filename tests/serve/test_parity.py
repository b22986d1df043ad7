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
    "lib/twice.py": "class Door:\n    def open(self): ...\n\n\nclass Lid:\n    def open(self): ...\n",
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


FILTERED = {"path": "{root}", "include_globs": ["lib"], "exclude_globs": ["other.py"], "languages": ["Python"]}
FLAGS = ["{root}", "--include", "lib", "--exclude", "other.py", "--lang", "Python"]
# What is asked of each tool, and the command that asks the same; {root} is the codebase.
CASES: dict[str, list[tuple[dict[str, Any], list[str]]]] = {
    "search_codebase": [
        ({"query": "alpha", "path": "{root}", "limit": 2}, ["search", "alpha", "{root}", "--limit", "2"]),
        (
            {"query": "alpha", "path": "{root}", "view": "functions", "mode": "lexical", "include_globs": ["lib"]},
            ["search", "alpha", "{root}", "--view", "functions", "--mode", "lexical", "--include", "lib"],
        ),
        ({"query": "alpha", "explain": True, **FILTERED}, ["search", "alpha", *FLAGS, "--explain"]),
        ({"query": "zebra", **FILTERED}, ["search", "zebra", *FLAGS]),
        ({"query": "", "path": "{root}"}, ["search", "", "{root}"]),
        ({"query": "alpha", "path": "{root}", "limit": 0}, ["search", "alpha", "{root}", "--limit", "0"]),
        ({"query": "x", "path": "{root}-elsewhere"}, ["search", "x", "{root}-elsewhere", "--no-index"]),
        ({"query": "x", "path": "{root}", "include_globs": ["[a"]}, ["search", "x", "{root}", "--include", "[a"]),
    ],
    "semantic_search": [
        ({"query": "alpha", "path": "{root}"}, ["search", "alpha", "{root}", "--mode", "semantic"]),
        ({"query": "alpha", "limit": 1, **FILTERED}, ["search", "alpha", *FLAGS, "--mode", "semantic", "--limit", "1"]),
    ],
    "search_text": [
        (
            {"query": "bet.", "path": "{root}", "regex": True, "case_sensitive": True, "max_results": None},
            ["grep", "bet.", "{root}"],
        ),
        (
            {"query": "(", "path": "{root}", "regex": True, "case_sensitive": True, "max_results": None},
            ["grep", "(", "{root}"],
        ),
        (
            {"query": "text", "whole_word": True, "context_lines": 1, "max_results": 2, **FILTERED},
            ["grep", "text", *FLAGS, "-F", "-i", "-w", "-C", "1", "--limit", "2"],
        ),
        (
            {
                "query": "(?s)def.*?return",
                "path": "{root}",
                "regex": True,
                "case_sensitive": True,
                "multiline": True,
                "output": "counts",
                "max_results": None,
            },
            ["grep", "(?s)def.*?return", "{root}", "-U", "-c"],
        ),
    ],
    "find_similar": [
        (
            {"file": "{root}/app.py", "start_line": 1, "end_line": 2},
            ["similar", "{root}/app.py", "--lines", "1:2"],
        ),
        (
            {"file": "{root}/app.py", "start_line": 5, "end_line": 6, "limit": 1},
            ["similar", "{root}/app.py", "--lines", "5:6", "--limit", "1"],
        ),
    ],
    "get_symbol": [
        ({"name": "Box.open", "path": "{root}"}, ["symbol", "Box.open", "{root}"]),
        ({"name": "nobody", "path": "{root}"}, ["symbol", "nobody", "{root}"]),
        ({"name": "alpha_tool", **FILTERED}, ["symbol", "alpha_tool", *FLAGS]),
        (
            {"name": "open", "path": "{root}", "kind": "method", "file": "lib/other.py"},
            ["symbol", "open", "{root}", "--kind", "method", "--file", "lib/other.py"],
        ),
        ({"name": "open", "path": "{root}", "file": "/x.py"}, ["symbol", "open", "{root}", "--file", "/x.py"]),
    ],
    "get_references": [
        ({"name": "alpha_tool", "path": "{root}"}, ["refs", "alpha_tool", "{root}"]),
        ({"name": "nobody", "path": "{root}"}, ["refs", "nobody", "{root}"]),
        ({"name": "open", "path": "{root}"}, ["refs", "open", "{root}"]),
        ({"file": "app.py", "line": 1, "column": 6, "path": "{root}"}, ["refs", "app.py:1:6", "{root}"]),
        (
            {"name": "beta", "file": "app.py", "role": "call", "limit": 1, **FILTERED},
            ["refs", "beta", *FLAGS, "--file", "app.py", "--role", "call", "--limit", "1"],
        ),
    ],
    "call_graph": [
        ({"name": "beta", "path": "{root}"}, ["calls", "beta", "{root}"]),
        ({"name": "nobody", "path": "{root}"}, ["calls", "nobody", "{root}"]),
        ({"file": "app.py", "line": 2, "path": "{root}"}, ["calls", "app.py:2", "{root}"]),
        (
            {"name": "beta", "path": "{root}", "direction": "callees", "depth": 2, "limit": 3},
            ["calls", "beta", "{root}", "--direction", "callees", "--depth", "2", "--limit", "3"],
        ),
    ],
    "repo_map": [
        ({"path": "{root}", "max_tokens": 2000}, ["map", "{root}"]),
        (
            {"path": "{root}", "focus": ["app.py"], "max_tokens": 3000},
            ["map", "{root}", "--focus", "app.py", "--max-tokens", "3000"],
        ),
    ],
    "def_use": [
        ({"file": "{root}/app.py", "line": 2, "variable": "text"}, ["slice", "{root}/app.py:2", "text"]),
        ({"file": "{root}/app.py", "line": 2, "variable": "nothing"}, ["slice", "{root}/app.py:2", "nothing"]),
    ],
    "import_graph": [
        ({"path": "{root}"}, ["imports", "{root}"]),
        ({"path": "{root}", "file": "app.py"}, ["imports", "{root}", "--file", "app.py"]),
        ({"path": "{root}", "file": "none.py"}, ["imports", "{root}", "--file", "none.py"]),
    ],
    "list_paths": [
        ({"path": "{root}", "max_results": 2}, ["paths", "{root}", "--limit", "2"]),
        (FILTERED, ["paths", *FLAGS]),
    ],
    "file_outline": [
        ({"file": "{root}/app.py"}, ["outline", "{root}/app.py"]),
        (
            {"file": "{root}/app.py", "start_line": 5, "end_line": 6},
            ["outline", "{root}/app.py", "--lines", "5:6"],
        ),
        ({"file": "{root}/lib/other.py", "name": "Box"}, ["outline", "{root}/lib/other.py", "--name", "Box"]),
        ({"file": "{root}/lib/twice.py", "name": "open"}, ["outline", "{root}/lib/twice.py", "--name", "open"]),
        ({"file": "{root}/app.py", "name": "nobody"}, ["outline", "{root}/app.py", "--name", "nobody"]),
        ({"file": "project:none/app.py"}, ["outline", "project:none/app.py", "--no-index"]),
    ],
    "read_file": [
        ({"path": "{root}/app.py", "start_line": 1, "end_line": 2}, ["read", "{root}/app.py", "--lines", "1:2"]),
        ({"path": "{root}/app.py", "symbol": "beta"}, ["read", "{root}/app.py", "--symbol", "beta"]),
        ({"path": "{root}/app.py", "mode": "annotated"}, ["read", "{root}/app.py", "--mode", "annotated"]),
        ({"path": "{root}/lib/twice.py", "symbol": "open"}, ["read", "{root}/lib/twice.py", "--symbol", "open"]),
        ({"path": "{root}/gone.py"}, ["read", "{root}/gone.py"]),
        ({"path": "project:none/app.py"}, ["read", "project:none/app.py", "--no-index"]),
    ],
    "manage_index": [({"action": "status", "path": "{root}"}, ["status", "{root}"])],
    "list_codebases": [({}, ["list"])],
}


def test_every_tool_has_a_case() -> None:
    assert CASES.keys() == tools.TOOLS.keys()


def test_every_argument_has_a_case() -> None:
    """Each argument of a tool is given in a case, or has no flag of a command, for a reason."""
    without = {
        "search_codebase": {"continuation"},  # a handle lives in one process
        "get_references": {"continuation"},  # a command has --limit
        "search_text": {"paths", "max_tokens"},  # of agents: a command has --include, and no budget
        "def_use": {"path"},  # a command names a file by itself
        "call_graph": {"note_limit"},  # people get every note that an answer has room for
        "find_similar": {"path"},  # a command takes the file alone
        "file_outline": {"path"},
        "manage_index": {"force"},  # `clew index --force` waits for its run
    }
    for tool, cases in CASES.items():
        given = {name for arguments, _ in cases for name in arguments}
        assert tools.parameters(tool).keys() - given == without.get(tool, set()), tool


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
