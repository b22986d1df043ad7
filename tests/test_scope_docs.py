"""The examples of docs/scope.md, as they stand there, but for the place of the tree and of the server."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import make_engine, write_tree
from tests.serve.serving import Web, web

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "scope.md").read_text("utf-8")
FILES = {
    "src/session.py": "def load_session(request):\n    return request.cookies\n",
    "src/session.ts": "export function loadSession(request) {\n  return request.cookies;\n}\n",
    "tests/test_session.py": "def test_load_session():\n    assert load_session(1)\n",
}


def fences(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(write_tree(tmp_path / "tree", FILES))


@pytest.fixture
def server(tmp_path: Path, root: str) -> Iterator[Web]:
    engine = make_engine(tmp_path / "home")
    engine.index(root)
    engine.close()
    with web(tmp_path / "home") as found:
        yield found


def run(code: str, root: str, url: str = "") -> None:
    placed = code.replace("/path/to/tree", root).replace("http://localhost:8420", url)
    exec(compile(placed, "docs/scope.md", "exec"), {"__name__": "__main__"})


@pytest.mark.slow
def test_the_example_over_stdio_runs(
    root: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    (code,) = [fence for fence in fences("python") if "StdioServerParameters" in fence]
    run(code, root)
    assert capfd.readouterr().out.splitlines() == [
        "['src/session.py'] ['python']",
        "['src/session.py', 'src/session.ts', 'tests/test_session.py']",
        "['tests']",
    ]


def test_the_example_of_stateless_mcp_runs(root: str, server: Web, capfd: pytest.CaptureFixture[str]) -> None:
    (code,) = [fence for fence in fences("python") if "StdioServerParameters" not in fence]
    run(code, root, server.url)
    assert capfd.readouterr().out.splitlines() == ["['src/session.py', 'src/session.ts']", "True"]


def test_the_examples_with_curl_do_what_is_said(root: str, server: Web) -> None:
    (fence,) = fences("sh")
    answers = [curl(line.replace("/path/to/tree", root), server) for line in fence.splitlines()]
    placed, scoped, everything, told, cleared = answers
    assert placed["effective_scope"]["languages"] == ["python"] and placed["session_id"] == "anna"
    assert {hit["language"] for hit in scoped["results"]} == {"python"}
    assert {hit["language"] for hit in everything["results"]} == {"python", "typescript"}
    assert told["effective_scope"]["languages"] == ["python"] and cleared["effective_scope"]["languages"] == []


def curl(line: str, server: Web) -> dict[str, Any]:
    """What curl would get: an address, headers and a body are all that the examples use."""
    program, silent, address, *options = shlex.split(line)
    assert (program, silent) == ("curl", "-s") and address.startswith("localhost:8420/")
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given.keys() == {"-H", "-d"}
    name, _, value = given["-H"].partition(": ")
    reply = server.ask(
        address.removeprefix("localhost:8420"), json.loads(given["-d"]), **{name.replace("-", "_"): value}
    )
    assert reply.status == 200, reply
    return reply.envelope


def test_the_page_is_linked_and_has_a_diagram() -> None:
    home = Path(__file__).resolve().parent.parent
    for page, link in (("README.md", "docs/scope.md"), ("docs/mcp.md", "scope.md"), ("docs/http.md", "scope.md")):
        assert f"]({link})" in (home / page).read_text("utf-8"), page
    assert len(fences("mermaid")) == 1 and fences("mermaid")[0].startswith("sequenceDiagram")
