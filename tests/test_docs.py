"""The documents tell the truth: their examples run, and what is generated in them is up to date.

A block between `<!-- NAME -->` and `<!-- /NAME -->` is generated; `CLEW_UPDATE_DOCS=1` writes it anew. In a
```console fence every line that starts with `$ clew` is run, in order, on a copy of this project's source.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from clew.parse.languages import LANGUAGES, Language
from clew.serve import schemas
from clew.serve.cli import app
from clew.serve.install.clients import CLIENTS, Machine
from tests.embed.server import serving

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "index.json"
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/cli.md",
    "docs/contract.md",
    "docs/install.md",
    "docs/lifecycle.md",
    "docs/search.md",
    "docs/graph.md",
    "docs/benchmarks.md",
]
UPDATE = bool(os.environ.get("CLEW_UPDATE_DOCS"))  # read here: tests themselves see no CLEW_* variable
HELP_WIDTH = 100


def help_of(command: str) -> str:
    arguments = [*([command] if command else []), "--help"]
    done = CliRunner().invoke(app, arguments, prog_name="clew", terminal_width=HELP_WIDTH)
    return f"```text\n{done.output.rstrip()}\n```"


def language_names() -> str:
    """Three rows for the start page: what Clew gets from which languages."""
    named: dict[str, list[str]] = {}
    for language in sorted(LANGUAGES.values(), key=lambda item: (_rank(item), item.name)):
        if language.name != "other":
            named.setdefault(_gives(language), []).append(language.name)
    rows = [f"| {gives} | {', '.join(names)} |" for gives, names in named.items()]
    return "\n".join(["| what Clew gets | languages |", "|---|---|", *rows])


def languages() -> str:
    """The table of languages, the ones with symbols first."""
    rows = ["| language | files | what Clew gets |", "|---|---|---|"]
    rows += [
        f"| {language.name} | {_files(language)} | {_gives(language)} |"
        for language in sorted(LANGUAGES.values(), key=lambda item: (_rank(item), item.name))
        if language.name != "other"
    ]
    return "\n".join(rows)


def _files(language: Language) -> str:
    extensions = [f"`.{extension}`" for extension in language.extensions]
    return " ".join([*extensions, *(f"`{name}`" for name in language.filenames)])


def _rank(language: Language) -> int:
    return 0 if language.grammar else 2 if language.role == "data" else 1


def _gives(language: Language) -> str:
    return ("symbols, imports, search", "search", "listed, not searched")[_rank(language)]


def results() -> str:
    """The last recorded run of `make bench`, flat."""
    if not RESULTS.exists():
        return "No run is recorded yet: `make bench` makes one."
    rows = [f"| `{name}` | {value} |" for name, value in _flat(json.loads(RESULTS.read_text("utf-8")))]
    return "\n".join(["| measurement | value |", "|---|---|", *rows])


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _flat(item, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", item


def clients() -> str:
    """Where each client keeps its configuration."""
    rows = ["| client | your own file | of a project | under |", "|---|---|---|---|"]
    for client in CLIENTS.values():
        files: dict[str, list[str]] = {}
        for system, platform in (("Linux", "linux"), ("macOS", "darwin"), ("Windows", "win32")):
            file = client.file(Machine(platform, Path("~"), {}), None).as_posix()
            files.setdefault(file.replace("~/AppData/Roaming", "%APPDATA%"), []).append(system)
        own = [f"`{file}`" + (f" ({', '.join(on)})" if len(files) > 1 else "") for file, on in files.items()]
        project = f"`{client.project}`" if client.project else ""
        rows.append(f"| `{client.name}` | {'<br>'.join(own)} | {project} | `{client.container}` |")
    return "\n".join(rows)


def tools() -> str:
    """The tools as an agent sees them."""
    rows = [f"| `{spec.name}` | {spec.profile} | {spec.description} |" for spec in schemas.specs()]
    return "\n".join(["| tool | profile | what |", "|---|---|---|", *rows])


def commands() -> list[str]:
    assert isinstance(app, click.Group)
    return sorted(app.commands)


BLOCKS = [
    ("README.md", "language names"),
    ("docs/languages.md", "languages"),
    ("docs/benchmarks.md", "results"),
    ("docs/mcp.md", "tools"),
    ("docs/install.md", "clients"),
    ("docs/cli.md", "help"),
    *(("docs/cli.md", f"help {name}") for name in commands()),
]


def generate(name: str) -> str:
    if name.startswith("help"):
        return help_of(name.removeprefix("help").strip())
    blocks = {"language names": language_names, "languages": languages, "results": results, "clients": clients}
    blocks["tools"] = tools
    return blocks[name]()


@pytest.mark.parametrize(("document", "name"), BLOCKS)
def test_generated_block_is_up_to_date(document: str, name: str) -> None:
    path = ROOT / document
    text = path.read_text("utf-8")
    block = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=\n<!-- /{name} -->)", re.DOTALL)
    found = block.findall(text)
    assert len(found) == 1, f"{document} needs one block `{name}`"
    if UPDATE and found[0] != generate(name):
        path.write_text(block.sub(lambda _: generate(name), text), encoding="utf-8")
    elif not UPDATE:
        assert found[0] == generate(name), f"run `CLEW_UPDATE_DOCS=1 pytest {Path(__file__).name}`"


@pytest.mark.skipif(not RESULTS.exists(), reason="no run is recorded")
def test_every_part_of_the_benchmark_is_explained() -> None:
    parts = [key for key, value in json.loads(RESULTS.read_text("utf-8")).items() if isinstance(value, dict)]
    text = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    assert [part for part in parts if f"\n| `{part}` |" not in text] == []


def examples(document: str) -> list[str]:
    fences = re.findall(r"^```console\n(.*?)^```", (ROOT / document).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for fence in fences for line in fence.splitlines() if line.startswith("$ ")]


@pytest.fixture
def copy_of_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This project's source in a folder of its own, where the examples are run."""
    copy = tmp_path / "clew"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("README.md", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    monkeypatch.chdir(copy)
    monkeypatch.setenv("CLEW_WORKERS", "1")
    monkeypatch.setenv("CLEW_EMBEDDING", "static")  # as users have it
    return copy


@pytest.mark.usefixtures("copy_of_source")
@pytest.mark.parametrize("document", [name for name in DOCUMENTS if examples(name)])
def test_examples_run(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    run_examples(document, capsys)


@pytest.mark.usefixtures("copy_of_source")
def test_examples_with_a_provider_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with serving() as server:
        server.model = "nomic-embed-text"
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        run_examples("docs/embedding.md", capsys)


def run_examples(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    for example in examples(document):
        program, *arguments = shlex.split(example)
        assert program == "clew", f"{document}: a console fence runs clew only, not {example}"
        code = app.main(arguments, prog_name="clew", standalone_mode=False)
        printed = capsys.readouterr()
        assert code in (0, None), f"{document}: `{example}` exits {code}\n{printed.err}"
        assert printed.out.strip(), f"{document}: `{example}` prints nothing"


def test_the_start_page_and_the_reference_have_examples() -> None:
    shown = {example.split()[1] for name in ("README.md", "docs/cli.md") for example in examples(name)}
    assert shown >= set(commands())
