"""Real trees, from PyPI and npm: what Clew says is what git, the files and Python's own parser say."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from clew import Engine
from clew.types import Symbol
from tests.conftest import git, make_engine

PACKAGES = ("click", "rich", "hypothesis")
QUESTIONS = (
    "parse options", "console", "how is text wrapped", "render table", "error message", "read file", "default value",
    "request handler", "router", "response status", "regular expression", "iterate", "draw", "cache", "environment",
)  # fmt: skip


def python_package(name: str, target: Path) -> Path:
    source = Path(sysconfig.get_paths()["purelib"]) / name
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return target


def npm_package(target: Path) -> Path:
    from benchmarks.corpora import npm

    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    try:
        source = npm("express", "4.21.2")
    except (subprocess.CalledProcessError, OSError, StopIteration) as error:
        pytest.skip(f"express cannot be fetched with npm (offline?): {error}")
    shutil.copytree(source, target)
    return target


def checked_tree(engine: Engine, root: Path) -> None:
    """What must hold for any tree."""
    git(root, "init", "-q")
    stats = engine.index(str(root))
    assert stats.failed == 0 and "extractor_error" not in stats.skipped
    files = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=root, capture_output=True, check=True
    ).stdout.decode()
    listed = [item.path for item in engine.paths(str(root), limit=100_000).items]
    assert listed == sorted(path for path in files.split("\0") if path)
    contents = {path: (root / path).read_bytes().decode("utf-8", "replace").split("\n") for path in listed}
    hits_everywhere_match(engine, root, contents)
    names_stand_where_they_are_said_to(engine, root, contents)
    assert engine.doctor().orphans == 0


def hits_everywhere_match(engine: Engine, root: Path, contents: dict[str, list[str]]) -> None:
    found = 0
    wrong = []
    for question in QUESTIONS:
        for hit in engine.search(question, str(root), limit=40).hits:
            found += 1
            assert hit.fresh
            lines = contents[hit.path][hit.start_line - 1 : hit.end_line]
            if "\n".join(lines).rstrip("\r\n") != hit.snippet:
                wrong.append((question, hit.path, hit.start_line, hit.end_line))
    assert found >= 50
    assert not wrong, (len(wrong), wrong[:5])


def names_stand_where_they_are_said_to(engine: Engine, root: Path, contents: dict[str, list[str]]) -> None:
    wrong = []
    for path in contents:
        for symbol in engine.outline(str(root / path)).symbols:
            lines = contents[path][symbol.start_line - 1 : symbol.end_line]
            if not any(symbol.name in line for line in lines) or not 1 <= symbol.start_line <= symbol.end_line:
                wrong.append((path, symbol.name, symbol.kind, symbol.start_line))
    assert not wrong, wrong[:5]


def same_as_ast(engine: Engine, root: Path) -> None:
    """Functions and classes with their lines: the set from Python's own parser, and nothing else."""
    compared = 0
    for file in sorted(root.rglob("*.py")):
        tree = ast.parse(file.read_bytes())
        expected = {
            (node.name, node.lineno)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        lines = file.read_bytes().split(b"\n")
        symbols = engine.outline(str(file)).symbols
        found = {
            (s.name, _line_of_name(lines, s))
            for s in symbols
            if s.kind in ("class", "function", "method", "constructor")
        }
        assert found == expected, (file.relative_to(root), sorted(found ^ expected))
        compared += len(expected)
    assert compared > 200


def _line_of_name(lines: list[bytes], symbol: Symbol) -> int:
    """The line of the name itself: a definition may begin with its decorators."""
    end = 0
    for number, line in enumerate(lines, start=1):
        end += len(line) + 1
        if symbol.name_byte < end:
            return number
    raise AssertionError(f"{symbol.name} stands beyond the end of its file")


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_from_pypi(tmp_path: Path, name: str) -> None:
    root = python_package(name, tmp_path / name)
    engine = make_engine(tmp_path / "home")
    checked_tree(engine, root)
    same_as_ast(engine, root)
    engine.close()


@pytest.mark.slow
def test_a_package_from_npm(tmp_path: Path) -> None:
    root = npm_package(tmp_path / "express")
    engine = make_engine(tmp_path / "home")
    checked_tree(engine, root)
    names = {found.symbol.name for found in engine.symbol("createApplication", str(root)).symbols}
    assert names == {"createApplication"}
    engine.close()
