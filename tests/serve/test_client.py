"""The official client drives every tool over stdio against a real repository: Clew's own source, with its history.

What is tried on each tool follows from its input schema, so a new tool is tried as soon as it has a row in `ASKED`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew import Engine
from clew.serve import schemas
from clew.serve.budget import CHARS_PER_TOKEN, MAX_TOKENS
from tests.conftest import git, make_engine, write_tree
from tests.lifecycle import situations
from tests.serve.serving import Agent, agent

pytestmark = pytest.mark.slow
SOURCE = Path(__file__).resolve().parent.parent.parent / "src" / "clew"
FILE = "src/clew/serve/sessions.py"
# What each tool is asked, and what of the answer must not be empty.
ASKED: dict[str, tuple[dict[str, Any], str]] = {
    "search_codebase": ({"query": "how is an interrupted run taken over"}, "results"),
    "semantic_search": ({"query": "stop two programs from writing at once"}, "results"),
    "search_text": ({"query": "class Sessions"}, "matches"),
    "get_symbol": ({"name": "Sessions.prune"}, "symbols"),
    "get_references": ({"name": "Sessions.prune"}, "references"),
    "call_graph": ({"name": "Sessions.prune", "direction": "callers"}, "edges"),
    "repo_map": ({"focus": [FILE]}, "symbols"),
    "import_graph": ({"file": FILE}, "imports"),
    "def_use": ({"file": FILE, "line": 122, "variable": "oldest"}, "depends_on"),
    "file_outline": ({"file": FILE}, "symbols"),
    "read_file": ({"path": f"{{root}}/{FILE}"}, "content"),
    "list_paths": ({}, "items"),
    "find_similar": ({"file": FILE, "start_line": 60, "end_line": 110}, "results"),
    "manage_index": ({"action": "status"}, "counts"),
    "list_codebases": ({}, "codebases"),
    "set_scope": ({"scope": {"languages": ["python"]}}, "effective_scope"),
    "get_scope": ({}, "effective_scope"),
    "clear_scope": ({}, "effective_scope"),
}
TOOLS = [spec.name for spec in schemas.specs()]
ABOUT_FILES = ("file_outline", "find_similar", "def_use", "import_graph")
GATED = [
    tool for tool in TOOLS if tool not in ("list_paths", "manage_index", "list_codebases") and "_scope" not in tool
]


class Site(NamedTuple):
    root: str
    home: Path
    agent: Agent

    def ask(self, tool: str, **more: Any) -> dict[str, Any]:
        given = {**ASKED[tool][0], **more}
        filled = {
            key: item.replace("{root}", self.root) if isinstance(item, str) else item for key, item in given.items()
        }
        envelope = self.agent.call(tool, **filled)
        assert len(json.dumps(envelope, ensure_ascii=False)) <= MAX_TOKENS * CHARS_PER_TOKEN
        return envelope


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    base = tmp_path_factory.mktemp("client")
    repository = base / "repository"
    ignored = shutil.ignore_patterns("__pycache__", "*.bin", "*.npy", "model")
    shutil.copytree(SOURCE, repository / "src" / "clew", ignore=ignored)
    write_tree(repository, {".gitignore": "*.secret\n", "key.secret": "hunter2\n"})
    (base / "outside.py").write_text("not_yours = 1\n")
    (repository / "way-out").symlink_to(base)
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "-c", "user.name=A", "-c", "user.email=a@example.invalid", "commit", "-qm", "all of it")
    engine = make_engine(base / "home", embedding="static")
    engine.index(str(repository))
    engine.close()
    with agent(base / "home", repository, "--profile", "full", CLEW_EMBEDDING="static") as client:
        yield Site(str(repository), base / "home", client)


def takes(name: str) -> list[str]:
    """The tools that have such an argument."""
    return [spec.name for spec in schemas.specs() if name in spec.input_schema["properties"]]


def test_every_tool_is_asked() -> None:
    assert sorted(ASKED) == sorted(TOOLS)


@pytest.mark.parametrize("tool", TOOLS)
def test_happy_path(site: Site, tool: str) -> None:
    envelope = site.ask(tool, session_id="happy")
    assert envelope["status"] == "ok" and envelope[ASKED[tool][1]], envelope
    if tool in GATED:
        assert envelope["codebaseRoot"] == site.root and envelope["freshness"]["decision"] in ("fresh", "synced")
        assert len(envelope["freshness"]["head"]) == 40


@pytest.mark.parametrize("tool", GATED)
def test_each_gate(site: Site, tool: str, tmp_path: Path) -> None:
    gated = write_tree(tmp_path / "gated", situations.FILES)
    root = str(gated)
    place = {"path": f"{root}/{situations.FILE}" if tool == "read_file" else root}
    if tool in ABOUT_FILES:
        place["file"] = situations.FILE
    about: dict[str, Any] = {
        "find_similar": {"start_line": 1, "end_line": 2},
        "get_references": {"name": "beta"},
        "call_graph": {"name": "beta"},
        "def_use": {"line": 2, "variable": "none_there"},
    }
    lines = about.get(tool, {})
    answered = "not_found" if tool == "def_use" else "ok"

    def ask() -> dict[str, Any]:
        return site.ask(tool, **place, **lines)

    assert (ask()["status"], ask()["reason"]) == ("not_indexed", "not_indexed")
    engine: Engine = make_engine(site.home, embedding="static")
    try:
        situations.make_root(engine, gated)
        assert ask()["status"] == answered
        with situations.indexing(engine, root):
            assert (ask()["status"], ask()["reason"]) == ("not_ready", "indexing")
        assert (ask()["status"], ask()["reason"]) == ("error", "interrupted")
        engine.index(root, force=True)
        situations.change_marker(engine, root, situations.STALE["path_mismatch"])
        assert ask()["hints"]["staleLocal"]["completionProof"] == "path_mismatch"
        engine.index(root, force=True)
        with pytest.MonkeyPatch.context() as patch:
            situations.another_version(patch)
            situations.manage(engine, "sync", root)
        assert (ask()["status"], ask()["hints"]["reindex"]["args"]["action"]) == ("requires_reindex", "reindex")
        engine.clear(root)
    finally:
        engine.close()


# -- bad input, each on every tool that can be given it --------------------------------------------


def refused(envelope: dict[str, Any], *words: str) -> None:
    assert (envelope["status"], envelope["reason"], envelope["problem"]["status"]) == ("error", "bad_input", 400), (
        envelope
    )
    for word in words:
        assert word in envelope["message"], envelope["message"]


@pytest.mark.parametrize("tool", takes("path"))
def test_a_relative_path_is_refused(site: Site, tool: str) -> None:
    refused(site.ask(tool, path="src"), "absolute")


@pytest.mark.parametrize("tool", takes("path"))
@pytest.mark.parametrize("way", ["..", "way-out", "src/../..", "way-out/../.."])
def test_a_path_out_of_the_root_leads_nowhere(site: Site, tool: str, way: str) -> None:
    path = f"{site.root}/{way}/outside.py" if tool == "read_file" else f"{site.root}/{way}"
    envelope = site.ask(tool, path=path)
    assert envelope["status"] == "not_indexed" and "not_yours" not in json.dumps(envelope), envelope


@pytest.mark.parametrize("tool", takes("file"))
def test_a_file_out_of_the_root_is_refused(site: Site, tool: str) -> None:
    for file in ("../outside.py", "clew/../../outside.py", "C:\\outside.py"):
        refused(site.ask(tool, file=file))
    if tool in ABOUT_FILES:
        for file in ("way-out/outside.py", f"{site.root}/way-out/outside.py"):
            assert site.ask(tool, file=file)["status"] in ("not_indexed", "not_found")


def test_an_ignored_file_is_never_served(site: Site) -> None:
    for envelope in (
        site.ask("read_file", path=f"{site.root}/key.secret"),
        site.ask("file_outline", file="key.secret"),
        site.ask("search_text", query="hunter2"),
        site.ask("list_paths", include_globs=["*.secret"]),
    ):
        assert "hunter2" not in json.dumps(envelope) or envelope.get("matches") == []
        assert envelope["status"] == "not_found" or not (envelope.get("matches") or envelope.get("items"))


@pytest.mark.parametrize("tool", takes("session_id"))
def test_an_unknown_session_has_no_scope(site: Site, tool: str) -> None:
    envelope = site.ask(tool, session_id=f"never-seen-{tool}")
    assert envelope["status"] == "ok"
    if tool != "list_codebases":
        assert envelope["session_id"] == f"never-seen-{tool}"
        ignored = site.ask(tool, session_id="not a name")
        assert ignored["status"] == "ok" and ignored["session_id"] != "not a name"
        assert "SESSION_ID_IGNORED" in [item["code"] for item in ignored["warnings"]]


@pytest.mark.parametrize("tool", takes("include_globs"))
def test_a_malformed_glob_is_named(site: Site, tool: str) -> None:
    for field in ("include_globs", "exclude_globs"):
        refused(site.ask(tool, **{field: ["{clew"]}), "{clew")
    refused(site.ask(tool, languages=["klingon"]), "klingon", "python")
    refused(site.ask("set_scope", scope={"include_globs": ["[clew"], "languages": ["klingon"]}), "[clew", "klingon")


@pytest.mark.parametrize(("tool", "name"), [(t, n) for n in ("limit", "max_results") for t in takes(n)])
def test_limits(site: Site, tool: str, name: str) -> None:
    for wrong in (0, -1):
        refused(site.ask(tool, **{name: wrong}), "limit")
    refused(site.ask(tool, **{name: "many"}), name)
    assert site.ask(tool, **{name: 10**12})["status"] == "ok"
    one = site.ask(tool, **{name: 1})
    assert len(one[ASKED[tool][1]]) == 1


@pytest.mark.parametrize("tool", takes("max_tokens"))
def test_budgets(site: Site, tool: str) -> None:
    for wrong in (0, 499, "few"):
        refused(site.ask(tool, max_tokens=wrong), "max_tokens")
    small = site.ask(tool, max_tokens=500)
    assert small["status"] == "ok" and len(json.dumps(small, ensure_ascii=False)) <= 500 * CHARS_PER_TOKEN


@pytest.mark.parametrize("tool", takes("query"))
def test_empty_and_endless_queries(site: Site, tool: str) -> None:
    refused(site.ask(tool, query=""))
    refused(site.ask(tool, query="x" * 10_001))
    endless = site.ask(tool, query="x" * 10_000)
    if tool == "search_text":  # a text may be as long as that
        assert (endless["status"], endless["matches"]) == ("ok", [])
    else:
        refused(endless)


def test_empty_and_endless_names(site: Site) -> None:
    for odd in ("", "x" * 10_000, "\0", "..", "::"):
        assert site.ask("get_symbol", name=odd)["symbols"] == []
        assert site.ask("file_outline", name=odd)["status"] in ("not_found", "ambiguous", "ok")
        assert site.ask("read_file", symbol=odd)["status"] in ("not_found", "ambiguous", "ok")


def test_an_invalid_expression_is_refused(site: Site) -> None:
    for wrong in ("(", "[z-a]", "*", "(?<=a)b", "\\"):
        refused(site.ask("search_text", query=wrong, regex=True))


@pytest.mark.parametrize("tool", TOOLS)
def test_an_argument_that_no_tool_has_is_refused(site: Site, tool: str) -> None:
    refused(site.ask(tool, colour="red"), "colour" if tool != "set_scope" else "scope")
