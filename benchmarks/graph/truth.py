"""Ask the checkers about a project and keep what they say: `python -m benchmarks.graph.truth --project NAME`."""

from __future__ import annotations

import argparse
from collections import Counter

from benchmarks.graph.compiler_truth import COMPILERS, compiler_truth
from benchmarks.graph.facts import Truth, truth_path, write_truth
from benchmarks.graph.projects import Project, projects
from benchmarks.graph.python_truth import python_truth
from benchmarks.graph.typescript_truth import typescript_truth


def main() -> None:
    """Make the truth of the named project, or of all."""
    known = projects()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph.truth", description=__doc__)
    parser.add_argument("--project", choices=sorted(known), action="append")
    parser.add_argument("--quick", action="store_true", help="Python projects by pyrefly alone")
    asked = parser.parse_args()
    for name in asked.project or known:
        truth = make(known[name], quick=asked.quick)
        write_truth(truth, truth_path(name))
        print(describe(truth))


def make(project: Project, *, quick: bool = False) -> Truth:
    """What is known of a project, from the checkers of its language."""
    if project.language == "python":
        return python_truth(project, quick=quick)
    return compiler_truth(project) if project.language in COMPILERS else typescript_truth(project)


def describe(truth: Truth) -> str:
    """Counts, one line a kind of record."""
    kinds = Counter(fact.kind for fact in truth.facts)
    roles = Counter(fact.role for fact in truth.facts)
    where = Counter(row.where for row in truth.elsewhere)
    lines = [
        f"{truth.project}: {len(truth.files)} files, {len(truth.definitions)} definitions, {len(truth.facts)} facts",
        *(f"  {title}: {_counted(counts)}" for title, counts in (("kinds", kinds), ("roles", roles), ("else", where))),
    ]
    return "\n".join(lines)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


if __name__ == "__main__":
    main()
