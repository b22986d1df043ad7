"""`clew grep` and `search_text`: ripgrep's output and exit codes, the contract's shape, gates and budgets."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from clew import Engine
from clew.serve import tools
from tests.conftest import write_tree
from tests.serve.command import clew, one_message

FILES = {
    "src/alpha.py": "import os\n\n\ndef alpha(values):\n    return sum(values)\n\n\ndef Alpha_two():\n    pass\n",
    "src/beta.js": "export function beta() {\n  return alpha;\n}\n",
    "notes.md": "# alpha\n\nalpha und öäü alpha\n",
    "long.txt": "x" * 5_000 + "alpha\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "tree", FILES)
    assert clew("index", str(root)).code == 0
    return root


def test_in_a_pipe_the_output_is_ripgreps(tree: Path) -> None:
    ran = clew("grep", "alpha", str(tree), "--include", "*.md", "--include", "*.js")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "notes.md:1:3:# alpha",
        "notes.md:3:1:alpha und öäü alpha",
        "src/beta.js:2:10:  return alpha;",
    ]
    assert clew("grep", "-l", "-w", "alpha", str(tree / "src")).out.split() == ["src/alpha.py", "src/beta.js"]
    assert clew("grep", "-c", "-i", "ALPHA", str(tree / "src")).out.split() == ["src/alpha.py:2", "src/beta.js:1"]
    assert clew("grep", "-n", "-F", "sum(v", str(tree)).out == "src/alpha.py:5:12:    return sum(values)\n"
    assert clew("grep", "-U", r"values\):\n\s+return", str(tree)).out.splitlines() == [
        "src/alpha.py:4:11:def alpha(values):",
        "src/alpha.py:5:1:    return sum(values)",
    ]


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("context", ["0", "1", "3"])
def test_lines_around_matches_are_printed_like_ripgreps(tree: Path, context: str) -> None:
    ours = clew("grep", "-C", context, r"alpha|pass", str(tree), "--exclude", "long.txt").out
    command = ["rg", "-n", "--column", "--no-heading", "--sort", "path", "-g", "!long.txt", "-C", context]
    theirs = subprocess.run(
        [*command, r"alpha|pass"], cwd=tree, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert ours == theirs.stdout


def test_exit_codes_and_messages(tree: Path) -> None:
    assert clew("grep", "nowhere_at_all", str(tree)).code == 1
    for pattern, words in (("(alpha", "character 1"), ("a{2,1}", "character"), (r"a\nb", "multiline")):
        ran = clew("grep", pattern, str(tree))
        assert (ran.code, ran.out) == (2, "")
        assert words in one_message(ran)
    refused = clew("grep", "(alpha", str(tree), "--json")
    assert refused.code == 2
    assert {"matches": [], "total": 0, "truncated": False, "status": "error"}.items() <= refused.envelope.items()
    assert clew("grep", "alpha", str(tree), "--limit", "0").code == 2
    assert clew("grep", "alpha", str(tree), "-C", "101").code == 2


def test_a_page_that_is_cut_and_a_line_that_is_cut_say_so(tree: Path) -> None:
    ran = clew("grep", "alpha", str(tree), "--limit", "2")
    assert len(ran.out.splitlines()) == 2 and "more" in ran.err
    assert "[5005 characters in this line]" in ran.out


def test_a_tree_without_an_index(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "new", FILES)
    ran = clew("grep", "alpha", str(root), "--no-index", "--json")
    assert (ran.code, ran.envelope["status"], ran.envelope["reason"]) == (3, "not_indexed", "not_indexed")
    ran = clew("grep", "alpha und", str(root))
    assert ran.code == 0 and "indexing it first" in ran.err


def test_the_tool_has_the_contracts_shape_and_defaults(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    engine.index(str(root))
    envelope = tools.call(engine, "search_text", {"query": "ALPHA(", "path": str(root), "context_lines": 1})
    assert envelope["status"] == "ok" and (envelope["total"], envelope["truncated"]) == (1, False)
    assert {"scope", "freshness", "warnings", "codebaseRoot", "session_id"} <= envelope.keys()
    match = {
        "line": 4,
        "column": 5,
        "text": "def alpha(values):",
        "before": ("",),
        "after": ("    return sum(values)",),
    }
    assert envelope["matches"] == [{"codebase": str(root), "path": "src/alpha.py", **match}]
    several = tools.call(
        engine, "search_text", {"query": "alpha", "path": str(root), "paths": ["*.md"], "include_globs": ["src"]}
    )
    assert {item["path"] for item in several["matches"]} == {"notes.md"}
    files = tools.call(
        engine, "search_text", {"query": "alpha", "path": str(root), "output": "files", "max_results": 1}
    )
    assert files["matches"] == [{"codebase": str(root), "path": "long.txt"}] and files["truncated"]
    wrong = tools.call(engine, "search_text", {"query": "alpha", "path": str(root), "output": "poems"})
    assert (wrong["status"], wrong["matches"]) == ("error", [])


def test_an_answer_for_a_program_stays_within_its_tokens(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"many.txt": ("word " * 100 + "\n") * 2_000})
    engine.index(str(root))
    asked = {"query": "word", "path": str(root), "max_results": 2_000, "max_tokens": 10**9}
    envelope = tools.call(engine, "search_text", asked)
    assert envelope["truncated"] and 100 < len(envelope["matches"]) < 200
    assert len(str(envelope)) < 100_000
