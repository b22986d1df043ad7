"""Which repositories are asked about, where their files are, and what is asked. Main call: `load_repos`.

The data is a folder with `repos.json` and `annotations/NAME.json`, the corpora a folder with one checkout for
each, called NAME. Neither is committed or fetched here: a corpus that is absent is named with what to put where.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpora import CACHE
from benchmarks.retrieval.score import Target

ANNOTATIONS = CACHE.parent / "bench" / "retrieval"
CORPORA = CACHE / "retrieval"


class NoData(Exception):
    """The questions are not where they were looked for, or do not have the form expected of them."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the files that answer it."""

    text: str
    category: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Repo:
    """A corpus with its questions; `path` is the folder that is indexed, `prefix` its place in the repository."""

    name: str
    language: str
    repository: str
    revision: str
    folder: Path
    prefix: str
    is_whole: bool
    questions: tuple[Question, ...]

    @property
    def path(self) -> Path:
        return self.folder / self.prefix

    @property
    def is_exact(self) -> bool | None:
        """Whether the checkout is at the pinned revision; None when it is not a git checkout."""
        if not (self.folder / ".git").exists():
            return None
        command = ["git", "-C", str(self.folder), "rev-parse", "HEAD"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == self.revision

    def targets(self) -> set[str]:
        """The paths that any question is after."""
        return {target.path for question in self.questions for target in question.targets}

    def present(self) -> set[str]:
        """Those of `targets` that the indexed folder has."""
        by_name: dict[str, list[str]] = {}
        for directory, _, files in os.walk(self.path):
            place = os.path.relpath(directory, self.folder).replace(os.sep, "/")
            for name in files:
                by_name.setdefault(name, []).append(f"/{place}/{name}")
        return {
            path
            for path in self.targets()
            if any(found.endswith(f"/{path}") for found in by_name.get(path.rpartition("/")[2], ()))
        }


@dataclass(frozen=True, slots=True)
class Loaded:
    """The repositories that can be asked about, and a sentence for each that cannot."""

    repos: tuple[Repo, ...]
    absent: tuple[str, ...]


def load_repos(
    annotations: Path = ANNOTATIONS,
    corpora: Path = CORPORA,
    *,
    whole: bool = False,
    only: Collection[str] = (),
) -> Loaded:
    """The repositories of a folder of questions; `whole`: all of each is indexed, not just the folder it names."""
    listed, folder = _find_data(annotations)
    repos, absent = [], []
    entries = _read(listed)
    if unknown := set(only) - {entry["name"] for entry in entries}:
        raise NoData(f"{listed} does not list {', '.join(sorted(unknown))}")
    for entry in entries:
        name, checkout, questions = entry["name"], corpora / entry["name"], folder / f"{entry['name']}.json"
        prefix = "" if whole else entry.get("root", "").strip("/")
        if only and name not in only:
            continue
        if not questions.is_file():
            absent.append(f"{name}: no questions; {questions} does not exist")
        elif not (checkout / prefix).is_dir():
            wanted = f"{entry['repository']} at {entry['revision']}"
            absent.append(f"{name}: no corpus; put {wanted} into {checkout}, so that {checkout / prefix} exists")
        else:
            asked = tuple(_question(item) for item in _read(questions))
            place = (name, entry["language"], entry["repository"], entry["revision"], checkout, prefix)
            repos.append(Repo(*place, whole, asked))
    return Loaded(tuple(repos), tuple(absent))


def _find_data(given: Path) -> tuple[Path, Path]:
    """`repos.json` and the folder of annotations: inside what was given, or the one beside the other."""
    for listed, folder in (
        (given / "repos.json", given / "annotations"),
        (given / "repos.json", given),
        (given.parent / "repos.json", given),
    ):
        if listed.is_file() and folder.is_dir():
            return listed, folder
    raise NoData(
        f"no questions in {given}: it should hold repos.json and annotations/NAME.json;"
        " name the folder that does with --annotations, or link it there"
    )


def _read(path: Path) -> Sequence[dict[str, Any]]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise NoData(f"{path} cannot be read: {error}") from error
    if not isinstance(found, list):
        raise NoData(f"{path} should hold a list")
    return found


def _question(item: dict[str, Any]) -> Question:
    targets = (*item.get("relevant", ()), *item.get("secondary", ()))
    return Question(item["query"], item.get("category", ""), tuple(_target(target) for target in targets))


def _target(item: str | dict[str, Any]) -> Target:
    if isinstance(item, str):
        return Target(item)
    return Target(item["path"], int(item.get("start_line") or 0), int(item.get("end_line") or 0))
