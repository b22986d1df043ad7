"""Facts about a Java project, from javac itself: `java/Facts.java` prints what it takes each name for.

Libraries that are not there cost only the names that need them. Main call: `java_truth`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

from benchmarks.graph.facts import Definition, Elsewhere, Site, Truth, fact_of
from benchmarks.graph.projects import Project

CHECKER = "javac"
PROGRAM = Path(__file__).parent / "java" / "Facts.java"


def java_truth(project: Project) -> Truth:
    """All facts about a Java project."""
    java = shutil.which("java")
    if java is None:
        raise SystemExit("a JDK, 17 or newer, is needed to ask javac")
    command = [java, str(PROGRAM), str(project.root), *project.folders]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    rows = [line.split("\t") for line in printed.splitlines()]
    version = subprocess.run([java, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    truth = Truth(project.name, project.language, {CHECKER: version}, sorted({row[1] for row in rows}))
    definitions = _definitions(rows)
    truth.definitions = sorted(definitions.values())
    for record, path, line, column, name, *rest in rows:
        if record == "definition":
            continue
        place, site = (int(line), int(column)), Site(name, rest[0], rest[0] == "call")
        meant = definitions.get((rest[1], rest[2])) if record == "fact" else None
        if meant is not None:
            truth.facts.append(fact_of(path, place, site, meant, by=(CHECKER,)))
        elif record != "fact":
            truth.elsewhere.append(Elsewhere(path, *place, name, record, site.role, site.is_call, (CHECKER,)))
    return truth


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
