"""Source that nobody wrote, as much as is asked for: Python modules with the words of Django. Main call: `modules`.

Words are drawn as often as Django has them, so few are everywhere and most are rare. Each package has words of its
own that half of its text is made of: files differ in what they are about, as real ones do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.types import FileContent

FUNCTIONS = 10  # of a module on average: as many chunks
STATEMENTS = 7  # of a function on average
FILES = 40  # of a package
TOPIC = 120  # words of a package
_WORDS_OF_STATEMENT = 7
_WORD = re.compile(r"(?<![A-Za-z])[a-z]{3,14}(?![a-z])")
_KEYWORDS = frozenset(
    "and assert async await break class continue def del elif else except finally for from global if import lambda "
    "nonlocal not pass raise return try while with yield None True False".split()
)


class Words:
    """Words and how often each is used; draws come in the thousands, since one by one they are slow."""

    def __init__(self, counts: Counter[str], seed: int) -> None:
        import numpy as np

        common = [(word, count) for word, count in counts.most_common() if word not in _KEYWORDS]
        self._words = np.array([word for word, _ in common], dtype=object)
        self._bounds = np.cumsum([count for _, count in common])
        self.random = np.random.default_rng(seed)

    def __len__(self) -> int:
        return len(self._words)

    def at(self, number: int) -> str:
        """One word after the other, round and round."""
        return str(self._words[number % len(self._words)])

    def often(self, count: int) -> list[str]:
        """Words as often as they are used."""
        drawn = self.random.integers(0, self._bounds[-1], count)
        return list(self._words[self._bounds.searchsorted(drawn, side="right")])

    def evenly(self, count: int) -> list[str]:
        """Words, each as likely as any other: most are rare ones."""
        return list(self._words[self.random.integers(0, len(self._words), count)])


def words_of(tree: Path) -> Counter[str]:
    """The lower-case words of the Python files of a tree."""
    counts: Counter[str] = Counter()
    for path in sorted(tree.rglob("*.py")):
        counts.update(_WORD.findall(path.read_text("utf-8", "replace")))
    return counts


def modules(words: Words) -> Iterator[FileContent]:
    """Modules without end, package by package; the third word of their names makes the paths differ."""
    number = 0
    while True:
        topic = [*words.evenly(TOPIC // 2), *words.often(TOPIC // 2)]
        folder = "/".join(words.often(2))
        for _ in range(FILES):
            number += 1
            name = f"{'_'.join(words.often(2))}_{words.at(number)}.py"
            yield FileContent(f"{folder}/{name}", module(words, topic).encode())


def module(words: Words, topic: list[str]) -> str:
    """One module: what it is about, what it imports, its functions."""
    functions = max(1, int(words.random.poisson(FUNCTIONS)))
    statements = 1 + words.random.poisson(STATEMENTS - 1, functions)
    drawn = _mixed(words, topic, 20 + int((statements + 3).sum()) * _WORDS_OF_STATEMENT)
    take = iter(drawn)
    head = f'"""{" ".join(_next(take, 12)).capitalize()}."""\n\nfrom {next(take)}.{next(take)} import {next(take)}\n'
    return head + "".join(_function(take, int(count)) for count in statements)


def _function(take: Iterator[str], statements: int) -> str:
    name, first, second = (f"{next(take)}_{next(take)}" for _ in range(3))
    lines = [f"\n\ndef {name}({first}, {second}):", f'    """{" ".join(_next(take, 7)).capitalize()}."""']
    lines += [_statement(take) for _ in range(statements)]
    return "\n".join([*lines, f"    return {next(take)}({first})\n"])


def _statement(take: Iterator[str]) -> str:
    a, b, c, d, e, f, g = _next(take, _WORDS_OF_STATEMENT)
    return f"    {a}_{b} = {c}.{d}({e}_{f}, {g})"


def _next(take: Iterator[str], count: int) -> list[str]:
    return [next(take) for _ in range(count)]


def _mixed(words: Words, topic: list[str], count: int) -> list[str]:
    """Half from the language, half from the topic, in no order."""
    import numpy as np

    drawn: Any = np.array(words.often(count), dtype=object)
    own = words.random.random(count) < 0.5
    drawn[own] = np.array(topic, dtype=object)[words.random.integers(0, len(topic), int(own.sum()))]
    return list(drawn)
