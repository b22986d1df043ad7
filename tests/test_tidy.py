"""The house rules that a machine can check: size, layers, names, and that documents and code agree."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from clew.config import Config
from clew.parse.languages import LANGUAGES
from clew.serve.cli import app

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "clew"
MODULES = sorted(path.relative_to(SRC).as_posix() for path in SRC.rglob("*.py"))
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 70
MAX_DOCUMENT_LINES = {"ARCHITECTURE.md": 250, "README.md": 200}

HEAVY = (
    "numpy",
    "tree_sitter",
    "apsw",
    "rich",
    "lz4",
    "mcp",
    "pydantic",
    "starlette",
    "uvicorn",
    "anyio",
)
# Each of these may read the environment, and why.
ENVIRONMENT_READERS = {
    "config.py": "the settings",
    "source/git.py": "git's own variables say which configuration and which home git has",
    "serve/install/clients.py": "where other programs keep their files is for their variables to say",
    "serve/wire.py": "what the daemon must have in common with a command, before any setting is read",
    "serve/terminal.py": "NO_COLOR, FORCE_COLOR and TERM are conventions of terminals, not settings of Clew",
}
# The one module that may import each of these.
SOLE_IMPORTERS = {"tree_sitter": "parse/grammars.py", "click": "serve/"}
APSW_LAYERS = ("graph/", "store/", "lifecycle/", "index/", "search/", "engine.py")
SQL = re.compile(
    r"\b(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+TABLE\s)"
)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((SRC / module).read_text("utf-8"))


def nodes(module: str) -> Iterator[ast.AST]:
    yield from ast.walk(tree_of(module))


def imported(module: str) -> set[str]:
    """The top-level packages that a module imports anywhere."""
    found: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def documentation() -> str:
    return "\n".join((ROOT / name).read_text("utf-8") for name in DOCUMENTS)


def project() -> dict[str, list[str]]:
    """Runtime and development requirements, as written."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {"runtime": table["dependencies"], **table["optional-dependencies"]}


def name_of(requirement: str) -> str:
    return re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]


# -- size and shape --------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_module_is_short(module: str) -> None:
    lines = len((SRC / module).read_text("utf-8").splitlines())
    assert lines <= MAX_MODULE_LINES, f"{module} has {lines} lines: split it by idea"


@pytest.mark.parametrize("module", MODULES)
def test_functions_are_short(module: str) -> None:
    functions = [node for node in nodes(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    sizes = {f.name: (f.end_lineno or f.lineno) - f.lineno + 1 for f in functions}
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}


@pytest.mark.parametrize("module", MODULES)
def test_module_says_what_it_does(module: str) -> None:
    assert ast.get_docstring(tree_of(module)), f"{module} has no docstring"


def test_no_module_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [m for m in MODULES if drawers & {*Path(m).with_suffix("").parts}] == []


# -- layers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("store/")])
def test_only_the_store_speaks_sql(module: str) -> None:
    texts = [n.value for n in nodes(module) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    assert [text for text in texts if SQL.search(text)] == []
    attributes = [n.attr for n in nodes(module) if isinstance(n, ast.Attribute)]
    assert {"execute", "executemany"}.isdisjoint(attributes)
    assert "apsw" not in imported(module) or module.startswith(APSW_LAYERS)


@pytest.mark.parametrize(("package", "home"), SOLE_IMPORTERS.items())
def test_one_module_knows_the_package(package: str, home: str) -> None:
    importers = [m for m in MODULES if package in imported(m)]
    assert importers and all(m.startswith(home) for m in importers)


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("serve/")])
def test_only_interfaces_print(module: str) -> None:
    calls = [n.func for n in nodes(module) if isinstance(n, ast.Call)]
    assert "print" not in {f.id for f in calls if isinstance(f, ast.Name)}


@pytest.mark.parametrize("module", [m for m in MODULES if m not in ENVIRONMENT_READERS])
def test_only_the_configuration_reads_the_environment(module: str) -> None:
    attributes = {n.attr for n in nodes(module) if isinstance(n, ast.Attribute)}
    assert attributes.isdisjoint({"environ", "environb", "getenv"})


def test_parse_opens_no_files() -> None:
    for module in (m for m in MODULES if m.startswith("parse/")):
        calls = [n.func for n in nodes(module) if isinstance(n, ast.Call)]
        assert "open" not in {f.id for f in calls if isinstance(f, ast.Name)}, module
        assert {"pathlib", "io", "shutil", "subprocess"}.isdisjoint(imported(module)), module


def test_the_command_line_starts_light() -> None:
    code = f"import sys, clew.serve.cli; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- documents -------------------------------------------------------------------------------------


def code_map() -> set[str]:
    """The paths that ARCHITECTURE.md's code map names, relative to `src/clew`."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    section = re.search(r"^## Code map$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert section, "ARCHITECTURE.md has no code map"
    return set(re.findall(r"`([\w/]+(?:\.(?:py|sql)|/))`", section[1]))


def test_code_map_names_what_exists() -> None:
    assert sorted(path for path in code_map() if not (SRC / path).exists()) == []


def test_code_map_names_every_module() -> None:
    wanted = {m for m in MODULES if not m.endswith("/__init__.py")}
    assert sorted(wanted - code_map()) == []


@pytest.mark.parametrize(("name", "limit"), MAX_DOCUMENT_LINES.items())
def test_document_is_short(name: str, limit: int) -> None:
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= limit


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_links_lead_somewhere(name: str) -> None:
    path = ROOT / name
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_names_no_place_on_one_machine(name: str) -> None:
    assert not re.search(r"(?<![\w.])/(?:work|root|tmp|home/\w+|Users/\w+)/", (ROOT / name).read_text("utf-8"))


def test_every_setting_is_documented() -> None:
    settings = [f"CLEW_{item.name.upper()}" for item in dataclasses.fields(Config) if item.name != "sources"]
    text = documentation()
    assert [name for name in [*settings, "CLEW_CONFIG"] if not re.search(rf"\b{name}\b", text)] == []


def test_every_command_has_its_section() -> None:
    headings = set(re.findall(r"^## `clew ([\w-]+)`", (ROOT / "docs" / "cli.md").read_text("utf-8"), re.MULTILINE))
    assert isinstance(app, click.Group)
    assert headings == set(app.commands)


@pytest.mark.parametrize("group", ["runtime", "model2vec", "sentence-transformers", "dev"])
def test_every_dependency_is_explained(group: str) -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    explained = set(re.findall(r"^\| `([\w.-]+)` \|", text, re.MULTILINE))
    assert sorted({name_of(r) for r in project()[group]} - explained) == []
    assert sorted(explained - {name_of(r) for group in project().values() for r in group}) == []


def test_every_dependency_has_an_upper_bound() -> None:
    assert [r for group in project().values() for r in group if "<" not in r] == []


# -- languages -------------------------------------------------------------------------------------


def test_every_grammar_has_a_query_and_a_requirement() -> None:
    required = {name_of(requirement).replace("-", "_") for requirement in project()["runtime"]}
    for language in LANGUAGES.values():
        if language.grammar is not None:
            for name in language.query.split():
                assert (SRC / "parse" / "queries" / f"{name}.scm").is_file(), language.name
            assert language.grammar.partition(":")[0] in required, language.name


def test_every_query_is_used() -> None:
    used = {name for language in LANGUAGES.values() for name in language.query.split()}
    assert [path.stem for path in (SRC / "parse" / "queries").glob("*.scm") if path.stem not in used] == []


def test_every_grammar_has_a_sample_and_a_golden() -> None:
    samples = ROOT / "tests" / "parse" / "samples"
    for language in (item.name for item in LANGUAGES.values() if item.grammar):
        assert (samples / f"{language}.json").is_file(), language
        assert [path for path in samples.glob(f"{language}.*") if path.suffix != ".json"], language
