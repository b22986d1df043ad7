"""Judgements: disagreements that somebody read, with who is right and why, kept as data in `judged.json`.

A judgement names its site by path, line, column and the text of the line, so that one about code that has changed is
not used. `target` is what the edge or, where Clew has none, the checker points at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmarks.graph.edges import Edge

FILE = Path(__file__).with_name("judged.json")


class Judgement(NamedTuple):
    """`right` is `clew`, `checker`, `both` (two ways to see it) or `neither`."""

    project: str
    path: str
    line: int
    column: int
    text: str
    target_path: str
    target_name: str
    is_missing: bool
    right: Literal["clew", "checker", "both", "neither"]
    why: str


@dataclass(slots=True)
class Judgements:
    """All judgements, by what they are about."""

    edges: dict[tuple[str, str, int, int, str, str], Judgement] = field(default_factory=dict)
    missing: dict[tuple[str, str, int, int], Judgement] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.edges) + len(self.missing)

    def add(self, judgement: Judgement) -> None:
        site = (judgement.project, judgement.path, judgement.line, judgement.column)
        if judgement.is_missing:
            self.missing[site] = judgement
        else:
            self.edges[(*site, judgement.target_path, judgement.target_name)] = judgement

    def edge_is_right(self, project: str, edge: Edge) -> bool:
        """Whether a disputed edge was judged to be right."""
        if not self.edges:
            return False
        site = (project, edge.path, edge.line, edge.column)
        found = self.edges.get((*site, edge.target_path, edge.target_name))
        return found is not None and found.right in ("clew", "both")

    def fact_is_wrong(self, project: str, key: tuple[str, int, int]) -> bool:
        """Whether a fact that Clew has not was judged to be none."""
        found = self.missing.get((project, *key))
        return found is not None and found.right in ("clew", "both", "neither")


def read_judgements(roots: dict[str, Path], file: Path = FILE) -> Judgements:
    """Those in the file that are about the code as it is."""
    judgements = Judgements()
    rows: list[dict[str, Any]] = json.loads(file.read_text("utf-8")) if file.exists() else []
    for row in rows:
        judgement = Judgement(**row)
        root = roots.get(judgement.project)
        if root is not None and source_line(root, judgement.path, judgement.line) == judgement.text:
            judgements.add(judgement)
    return judgements


def source_line(root: Path, path: str, line: int) -> str:
    """A line of a project's file without the white space around it; empty if there is none."""
    try:
        lines = (root / path).read_text("utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""
