"""What a wrong command line, and a defect, look like to a person and to a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clew import Engine
from clew.serve import tools
from tests.conftest import git, write_tree
from tests.mortal import without_rights
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
    apart = clew("search", "alpha", "-path:tests", "--json", cwd=tree)
    assert apart.code == 0 and len(apart.envelope["results"]) == 5
    assert clew("search", "-p", "alpha", str(tree)).code == 2


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_full_disk_is_no_defect() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "clew", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode and "defect" not in done.stderr and "Traceback" not in done.stderr


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


def test_a_part_of_a_repository_is_asked_as_a_part(tmp_path: Path) -> None:
    """A defect once: the first question made a codebase of the directory, so paths depended on what was asked first."""
    root = write_tree(tmp_path / "tree", {"src/a.py": "def alpha(): ...\n", "b.py": "def alpha(): ...\n"})
    write_tree(root, {".gitignore": "out/\n", "out/c.py": "def alpha(): ...\n"})
    git(root, "init", "-q")
    for place, found in ((root / "out", ["c.py"]), (root / "src", ["src/a.py"])):  # the first is no part of it
        ran = clew("grep", "-l", "alpha", str(place))
        assert (ran.code, ran.out.split()) == (0, found)
    assert clew("grep", "-l", "alpha", str(root / "src")).out.split() == ["src/a.py"]
    roots = [row["root"] for row in clew("list", "--json").envelope["codebases"]]
    assert roots == [str(root), str(root / "out")]


def test_a_home_that_is_a_repository_is_not_indexed_for_a_part_of_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "me", {"work/a.py": "def alpha(): ...\n", "secret.py": "def alpha(): ...\n"})
    git(root, "init", "-q")
    assert clew("grep", "-l", "alpha", str(root / "work"), HOME=str(root)).out.split() == ["a.py"]


def test_a_file_of_nowhere_is_not_indexed_with_all_that_lies_beside_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "etc", {"hosts.py": "localhost = 1\n", "shadow": "secret\n"})
    elsewhere = write_tree(tmp_path / "here", {"x.py": "x = 1\n"})
    for command in (("read", str(root / "hosts.py")), ("outline", str(root / "hosts.py"))):
        ran = clew(*command, "--json", cwd=elsewhere)
        assert (ran.code, ran.envelope["status"]) == (3, "not_indexed")
        assert ran.envelope["hints"]["create"]["args"]["path"] == str(root)
    assert clew("list", "--json").envelope["codebases"] == []
    inner = write_tree(root / "inner", {"deep.py": "x = 1\n"})
    assert clew("read", str(inner / "deep.py"), cwd=root).code == 0, "who is there means it"
    assert [row["root"] for row in clew("list", "--json").envelope["codebases"]] == [str(root)]


def test_hits_that_cannot_be_looked_at_are_not_nothing(tree: Path) -> None:
    with without_rights(tree):
        ran = clew("grep", "alpha_3", str(tree))
    assert ran.code == 1 and "but for 1 that had it" in ran.err
