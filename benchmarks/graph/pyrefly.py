"""References as pyrefly knows them, from the report that it writes for Glean.

The report has a JSON file a module. In it, `XRefsByFile` maps spans of bytes to (file, dotted name). A name that an
import gives to something appears twice: as the import's name and as what it stands for. Where pyrefly knows no type,
the dotted name is only the text (`Session._r.headers`), so each name is looked up among the definitions of its file.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.graph.facts import CACHE
from benchmarks.graph.projects import Project
from benchmarks.graph.python_environment import environment, installed

VERSION = "1.4.0"


class Target(NamedTuple):
    """What a span refers to: a dotted name of a file; `path` is empty when pyrefly found no file."""

    path: str
    name: str


class Report(NamedTuple):
    """The module of each file, and the targets of each span (path, first byte, length)."""

    modules: dict[str, str]
    references: dict[str, dict[tuple[int, int], set[Target]]]


def run(project: Project) -> Report:
    """Run pyrefly on a project, or take the report of the last run of this version."""
    out = CACHE / "work" / f"pyrefly-{VERSION}-{project.name}"
    if not out.exists():
        partial = out.with_name(out.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        # A configuration of our own: the project's may be for another checker, and leave code unchecked.
        config = partial.with_suffix(".toml")
        config.write_text("use-ignore-files = false\ncheck-unannotated-defs = true\n", encoding="utf-8")
        program = installed("pyrefly", f"pyrefly=={VERSION}") / "bin" / "pyrefly"
        command = [str(program), "check", "--config", str(config), "--report-glean", str(partial)]
        command += ["--python-interpreter-path", str(environment(project) / "bin" / "python")]
        command += [word for folder in project.search for word in ("--search-path", str(project.root / folder))]
        command += ["--disable-search-path-heuristics", "--output-format", "omit-errors", "--threads", "2"]
        command += [str(project.root / folder) for folder in project.folders]
        # It exits with 1 when the project has type errors, which all of them have.
        done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not any(partial.iterdir()):
            raise RuntimeError(f"pyrefly failed on {project.name}: {done.stderr[-2000:]}")
        partial.rename(out)
    return _read(out)


def _read(folder: Path) -> Report:
    report = Report({}, {})
    for path in folder.glob("*.json"):
        for block in json.loads(path.read_bytes()):
            predicate = block.get("predicate", "")
            if predicate.startswith("python.DefinitionLocation."):
                for fact in block["facts"]:
                    module = fact["key"]["definition"].get("module")
                    if module is not None:
                        report.modules[_file(fact["key"])] = module["key"]["module"]["key"]["name"]["key"]
            elif predicate.startswith("python.xrefs.XRefsByFile."):
                for fact in block["facts"]:
                    found = report.references.setdefault(_file(fact["key"]), {})
                    for span, target in _references(fact["key"]["xrefs"]):
                        found.setdefault(span, set()).add(target)
    return report


def _references(rows: list[dict[str, Any]]) -> Iterator[tuple[tuple[int, int], Target]]:
    for row in rows:
        span, target = row["source"], row["target"]
        yield (span["start"], span["length"]), Target(_file(target), target["name"]["key"])


def _file(key: dict[str, Any]) -> str:
    name: str = key.get("file", {}).get("key", "")
    return name
