"""What a type checker knows, in one form for all of them, and the file it is kept in.

Lines and columns are 1-based and columns count characters. `README.md` says what is a fact and what is not.
Main calls: `write_truth`, `read_truth`.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

CACHE = Path(__file__).resolve().parent.parent.parent / ".cache" / "graph"

Place = tuple[int, int]  # line and column


class Site(NamedTuple):
    """A name that stands somewhere. `local` is true where scopes alone show it to be a parameter or local variable."""

    name: str
    role: str  # import, call, write, ref; key: of an object; string: in quotes
    is_call: bool
    local: bool = False


class Definition(NamedTuple):
    """A symbol that an edge can go to. `name` is qualified within its file, and empty for the file itself."""

    path: str
    line: int
    column: int
    end_line: int
    name: str
    kind: str  # module, class, type, namespace, function, method, variable, field; attribute: see README.md
    also: tuple[int, ...] = ()  # lines that define the same name again: overloads, branches, later assignments


class Fact(NamedTuple):
    """At this place stands a name, and it means that definition of the project."""

    path: str
    line: int
    column: int
    target_path: str
    target_line: int
    target_column: int
    name: str  # qualified, as in its Definition
    kind: str
    role: str
    is_call: bool
    also: tuple[int, ...] = ()
    by: tuple[str, ...] = ()  # the checkers that say so


class Elsewhere(NamedTuple):
    """At this place stands a name, and it means nothing of the project's that an edge could go to."""

    path: str
    line: int
    column: int
    name: str
    where: str  # library or local
    role: str
    is_call: bool
    by: tuple[str, ...] = ()


@dataclass(slots=True)
class Truth:
    """All that is known of one project."""

    project: str
    language: str
    checkers: dict[str, str]
    files: list[str] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    elsewhere: list[Elsewhere] = field(default_factory=list)


def fact_of(path: str, place: Place, site: Site, target: Definition, *, by: tuple[str, ...]) -> Fact:
    """That the name at a site means a definition."""
    return Fact(
        path,
        place[0],
        place[1],
        target.path,
        target.line,
        target.column,
        target.name,
        target.kind,
        site.role,
        site.is_call,
        target.also,
        by,
    )


def truth_path(project: str) -> Path:
    """Where the truth of a project is kept."""
    return CACHE / "truth" / f"{project}.jsonl.gz"


def write_truth(truth: Truth, path: Path) -> None:
    """One JSON object a line; `record` says which of the nouns above it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {
        "record": "project",
        "project": truth.project,
        "language": truth.language,
        "checkers": truth.checkers,
        "files": sorted(truth.files),
    }
    partial = path.with_suffix(".partial")
    with gzip.open(partial, "wt", encoding="utf-8", compresslevel=6) as out:
        out.write(json.dumps(head) + "\n")
        for definition in sorted(truth.definitions):
            out.write(json.dumps({"record": "definition", **definition._asdict()}) + "\n")
        for fact in sorted(truth.facts):
            out.write(json.dumps({"record": "fact", **fact._asdict()}) + "\n")
        for row in sorted(truth.elsewhere):
            out.write(json.dumps({"record": "elsewhere", **row._asdict()}) + "\n")
    partial.replace(path)


def read_truth(path: Path) -> Truth:
    """The inverse of `write_truth`."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        head = json.loads(next(lines))
        truth = Truth(head["project"], head["language"], head["checkers"], head["files"])
        for line in lines:
            row = json.loads(line)
            record = row.pop("record")
            for name in ("also", "by"):
                if name in row:
                    row[name] = tuple(row[name])
            if record == "definition":
                truth.definitions.append(Definition(**row))
            elif record == "fact":
                truth.facts.append(Fact(**row))
            else:
                truth.elsewhere.append(Elsewhere(**row))
    return truth
