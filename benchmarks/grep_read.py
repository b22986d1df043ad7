"""What an agent reads that has ripgrep and a file reader, and no index. Main calls: `GrepReader.order`, `tokens_until`.

It greps for each telling word of the question, in any case, opens the files with the most different words first (then
those with the most matches), and reads on until it has read a file that answers the question. The lists of names that
grep prints are not counted, and it knows the answer when it sees it: both are in its favour.
"""

from __future__ import annotations

import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrieval.score import CHARACTERS_PER_TOKEN, Target, matches
from clew.search.query import parse_query

WINDOW_LINES = 200
_GREP = ("rg", "--no-config", "--no-ignore-parent", "-i", "-F", "--count-matches", "--null")


class Reading(NamedTuple):
    """A stretch of a file that was read, or a hit that was shown."""

    path: str
    start_line: int
    end_line: int
    size: int  # characters
    snippet: str = ""  # not kept: only its size counts


class Spent(NamedTuple):
    """What was read until the answer came, or in vain."""

    tokens: float
    is_found: bool


def require_ripgrep() -> None:
    """Before minutes are spent on the rest."""
    if shutil.which("rg") is None:
        raise SystemExit("there is no `rg`, which is measured too; install it (Debian: ripgrep), then run this again")


def tokens_until(readings: Iterable[Reading], targets: Sequence[Target], prefix: str = "") -> Spent:
    """Read from the top until something shows one of the targets; it is read too."""
    size = 0
    for reading in readings:
        size += reading.size
        if any(matches(reading, target, prefix) for target in targets):
            return Spent(size / CHARACTERS_PER_TOKEN, True)
    return Spent(size / CHARACTERS_PER_TOKEN, False)


class GrepReader:
    """An agent in one tree; what grep said of a word is kept."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._counts: dict[str, dict[str, int]] = {}

    def order(self, question: str) -> list[str]:
        """The files to read, in order."""
        return ordered([self.count(word) for word in words_of(question)])

    def count(self, word: str) -> dict[str, int]:
        """How often each file has a word."""
        if word not in self._counts:
            done = subprocess.run([*_GREP, "-e", word, "."], cwd=self._tree, capture_output=True, check=False)
            rows = (line.partition(b"\0") for line in done.stdout.splitlines())
            self._counts[word] = {
                path.decode("utf-8", "replace").removeprefix("./"): int(count) for path, _, count in rows
            }
        return self._counts[word]

    def whole(self, question: str) -> Iterable[Reading]:
        """Every file of the order from its first line to its last."""
        for path in self.order(question):
            text = self.text(path)
            yield Reading(path, 1, text.count("\n") + 1, len(text))

    def windows(self, question: str) -> Iterable[Reading]:
        """Of every file the `WINDOW_LINES` lines that have the most lines with a word in them."""
        words = words_of(question)
        for path in self.order(question):
            lines = self.text(path).split("\n")
            first = densest([n for n, line in enumerate(lines) if any(word in line.lower() for word in words)])
            shown = lines[first : first + WINDOW_LINES]
            yield Reading(path, first + 1, first + len(shown), sum(len(line) + 1 for line in shown))

    def text(self, path: str) -> str:
        return (self._tree / path).read_bytes().decode("utf-8", "replace")


def words_of(question: str) -> list[str]:
    """The telling words of a question, lower-case, each once."""
    return list(dict.fromkeys(word.lower() for word in parse_query(question).words))


def ordered(counts: Sequence[dict[str, int]]) -> list[str]:
    """Files by how many different words they have, then by how many matches, then by name."""
    words: dict[str, int] = {}
    total: dict[str, int] = {}
    for found in counts:
        for path, count in found.items():
            words[path] = words.get(path, 0) + 1
            total[path] = total.get(path, 0) + count
    return sorted(words, key=lambda path: (-words[path], -total[path], path))


def densest(lines: Sequence[int], window: int = WINDOW_LINES) -> int:
    """The first line of the window that has the most of these ascending lines; the earliest of equals."""
    held = [(bisect_left(lines, first + window) - place, -place) for place, first in enumerate(lines)]
    return lines[-max(held)[1]] if held else 0
