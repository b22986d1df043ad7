"""Facts about a project from its language's own compiler: `compilers/` has programs that print what it takes names for.

Libraries that are not there cost only the names that need them. Main call: `compiler_truth`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

from benchmarks.graph.facts import Definition, Elsewhere, Site, Truth, fact_of
from benchmarks.graph.projects import Project
from benchmarks.graph.python_environment import installed

CLANG = "libclang==18.1.1"
PROGRAMS = Path(__file__).parent / "compilers"
COMPILERS = {  # name, how its program is run, how it tells its version and where in that
    "java": ("javac", ["java", "Facts.java"], ["java", "--version"], 1),
    "go": ("go/types", ["go", "run", "facts.go"], ["go", "version"], 2),
    "c": ("clang", ["python", "clang_facts.py"], ["python", "-m", "pip", "list", "--format=freeze"], 0),
}
COMPILERS["cpp"] = COMPILERS["c"]


def compiler_truth(project: Project) -> Truth:
    """All facts about a project of Java, Go, C or C++."""
    checker, command, asked, place = COMPILERS[project.language]
    missing = [folder for folder in project.folders if not (project.root / folder).is_dir()]
    if missing:
        raise SystemExit(f"{project.name} is looked for in {project.root}, which has no {', '.join(missing)}")
    given = [str(project.root), *project.folders]
    if checker == "clang":
        python = str(installed("clang", CLANG) / "bin" / "python")
        command, asked = [python, *command[1:]], [python, *asked[1:]]
        folders = [f"-I{project.root / folder}" for folder in project.search]
        given = [given[0], project.language, *project.folders, "--", *folders, *project.settings]
    if shutil.which(command[0]) is None:
        raise SystemExit(f"`{command[0]}` is needed to ask {checker} about {project.name}")
    rows = [line.split("\t") for line in _output([*command, *given]).splitlines()]
    version = _output(asked).split()[place].rpartition("=")[2]
    truth = Truth(project.name, project.language, {checker: version}, sorted({row[1] for row in rows}))
    definitions = _definitions(rows)
    truth.definitions = sorted(definitions.values())
    for record, path, line, column, name, *rest in rows:
        if record == "definition":
            continue
        where, site = (int(line), int(column)), Site(name, rest[0], rest[0] == "call")
        meant = definitions.get((rest[1], rest[2])) if record == "fact" else None
        if meant is not None:
            truth.facts.append(fact_of(path, where, site, meant, by=(checker,)))
        elif record != "fact":
            truth.elsewhere.append(Elsewhere(path, *where, name, record, site.role, site.is_call, (checker,)))
    return truth


def _output(command: list[str]) -> str:
    return subprocess.run(command, cwd=PROGRAMS, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def _definitions(rows: list[list[str]]) -> dict[tuple[str, str], Definition]:
    """By file and name; overloads are one."""
    found: dict[tuple[str, str], list[Definition]] = defaultdict(list)
    for record, path, line, *rest in rows:
        if record == "definition":
            column, end, name, kind = rest
            found[path, name].append(Definition(path, int(line), int(column), int(end), name, kind))
    return {
        key: same[0]._replace(also=tuple(sorted({other.line for other in same[1:]} - {same[0].line})))
        for key, same in found.items()
    }
