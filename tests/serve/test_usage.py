"""What a wrong command line, and a defect, look like to a person and to a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import Engine
from clew.serve import tools
from tests.conftest import write_tree
from tests.serve.command import clew


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}():\n    return {i}\n" for i in range(5)})
    write_tree(root, {"tests/test_m.py": "def test_alpha():\n    assert alpha_1()\n"})
    assert clew("index", str(root)).code == 0
    return root


@pytest.mark.parametrize(
    "command", [("search",), ("search", "x", "--bogus"), ("bogus",), ("grep", "x", "--limit", "y")]
)
def test_a_wrong_command_line_is_an_envelope_too(command: tuple[str, ...]) -> None:
    ran = clew(*command, "--json")
    assert (ran.code, ran.envelope["status"], ran.envelope["reason"]) == (2, "error", "bad_input")
    assert ran.envelope["message"] in ran.err.replace("\n", " ")
    assert clew(*command).out == ""


def test_a_defect_is_no_answer(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect once: Python's own exit code, 1, which means that nothing was found."""

    def fails(*_: object, **__: object) -> None:
        raise ValueError("played")

    monkeypatch.setattr(Engine, "search", fails)
    ran = clew("search", "alpha", str(tree), "--json")
    assert (ran.code, ran.envelope["reason"]) == (4, "internal")
    assert "ValueError: played" in ran.envelope["message"] and "defect of Clew" in ran.err
    assert clew("search", "alpha", str(tree)).code == 4


def test_a_query_may_begin_with_an_operator(tree: Path) -> None:
    for query in ("-path:tests alpha", "alpha -path:tests"):
        ran = clew("search", query, str(tree), "--limit", "9", "--json")
        assert ran.code == 0 and len(ran.envelope["results"]) == 5
    assert clew("search", "-p", "alpha", str(tree)).code == 2


def test_what_more_there_is_and_how_to_see_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = clew("grep", "alpha", str(tree), "--limit", "2")
    assert (len(ran.out.splitlines()), ran.err) == (2, "2 shown, there are more; --limit shows more\n")
    for module in (tools, "clew.serve.matches"):
        monkeypatch.setattr(*((f"{module}.MAX_MATCHES", 3) if isinstance(module, str) else (module, "MAX_MATCHES", 3)))
    ran = clew("grep", "alpha", str(tree), "--limit", "9")
    assert (len(ran.out.splitlines()), ran.err) == (3, "3 shown, there are more; --include or a directory asks less\n")
    ran = clew("similar", str(tree / "m0.py"), "--lines", "1:2", "--limit", "2")
    assert ran.out.rstrip().endswith("2 hits, there are others; --limit shows more")
    ran = clew("search", "alpha", str(tree), "--limit", "2")
    assert ran.out.rstrip().endswith("2 of 6 hits; --limit shows more")
