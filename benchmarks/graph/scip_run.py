"""Runs the SCIP indexers of Python and TypeScript, which node runs; their packages are kept under `.cache/graph`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.graph.facts import CACHE
from benchmarks.graph.projects import Project
from benchmarks.graph.python_environment import environment

PYTHON_VERSION, TYPESCRIPT_VERSION = "0.6.6", "0.4.0"
_MEMORY = "--max-old-space-size=8000"  # MB; Django needs more than node's default
_CRASHES = 5  # files that may be left out; Django has one that scip-python cannot read


def has_node() -> bool:
    """Whether the indexers can run here."""
    return shutil.which("node") is not None and shutil.which("npm") is not None


def index_python(project: Project) -> Path:
    """The index of a Python project by scip-python, which is pyright underneath."""
    out = CACHE / "work" / f"scip-python-{PYTHON_VERSION}-{project.name}.scip"
    if not out.exists():
        program = _program("scip-python", PYTHON_VERSION)
        binaries = environment(project) / "bin"
        variables = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "NODE_OPTIONS": _MEMORY}
        command = ["node", str(program), "index", "--quiet", "--project-name", project.name, "--project-version", "0"]
        # A copy, because where imports start must be said in a file at the root.
        copy = _copy(project)
        settings = {"extraPaths": list(project.search), "include": list(project.folders)}
        (copy / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        _run_without_crashes([*command, "--output", str(out) + ".partial"], cwd=copy, variables=variables)
        Path(f"{out}.partial").rename(out)
    return out


def _run_without_crashes(command: list[str], *, cwd: Path, variables: dict[str, str]) -> None:
    """Index again without the file that the indexer fell over; it has no opinion about that one then."""
    for _ in range(_CRASHES):
        try:
            return _run(command, cwd=cwd, variables=variables)
        except RuntimeError as error:
            named = re.search(r"currentFilepath: '([^']+)'", str(error))
            if named is None:
                raise
            file = Path(named[1])
            print(f"left out: {file.name}, over which the indexer crashed", file=sys.stderr, flush=True)
            file.unlink()
    return _run(command, cwd=cwd, variables=variables)


def index_typescript(project: Project, copy: Path) -> Path:
    """The index of a TypeScript project, whose copy has its dependencies installed and a `tsconfig.json`."""
    out = CACHE / "work" / f"scip-typescript-{TYPESCRIPT_VERSION}-{project.name}.scip"
    if not out.exists():
        program = _program("scip-typescript", TYPESCRIPT_VERSION)
        command = ["node", str(program), "index", "--no-progress-bar", "--output", str(out) + ".partial"]
        command.append("tsconfig.index.json")
        _run(command, cwd=copy, variables={**os.environ, "NODE_OPTIONS": _MEMORY})
        Path(f"{out}.partial").rename(out)
    return out


def npm_install(folder: Path, *packages: str) -> None:
    """Install packages into a folder, without running what they bring."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "package.json"
    if not manifest.exists():
        manifest.write_text(json.dumps({"name": "checkers", "private": True}), encoding="utf-8")
    command = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--ignore-scripts", "--no-package-lock"]
    _run([*command, *packages], cwd=folder, variables=dict(os.environ))


def _copy(project: Project) -> Path:
    copy = CACHE / "work" / f"copy-{project.name}"
    for folder in project.folders:
        shutil.copytree(project.root / folder, copy / folder, dirs_exist_ok=True, symlinks=True)
    return copy


def _program(name: str, version: str) -> Path:
    folder = CACHE / "node" / f"{name}-{version}"
    program = folder / "node_modules" / ".bin" / name
    if not program.exists():
        npm_install(folder, f"@sourcegraph/{name}@{version}")
    return program.resolve()


def _run(command: list[str], *, cwd: Path, variables: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"{command[0]} {Path(command[1]).name} failed in {cwd}: {(done.stderr or done.stdout)[-2000:]}"
        )
