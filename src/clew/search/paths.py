"""What the paths of a snapshot say: words of file names and directories, depth, tests, what is left behind.

A path belongs to the file, not to its content, so none of this is in an index. Worked out once for each path
and kept. Main call: `PathTable`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from functools import cached_property, lru_cache
from operator import or_
from typing import Any, NamedTuple

from clew import tokens

_EMPTY_STEMS = frozenset("index mod lib init main package".split())  # the directory says what they are
_TEST = re.compile(
    r"(?:^|/)(?:[Tt]ests?|[Tt]esting|[Ss]pecs?|__tests__|testdata|test-resources|[Ff]ixtures|[Bb]ench(?:e|mark)?s?"
    r"|[Ee]xamples?|[Ss]amples?|[Dd]emos?)/|[a-z.]Tests?/|(?:^|/)test_[^/]*$"
    r"|[._-](?:test|spec)s?\.[^/]*$|(?:^|/)conftest\.py$|Tests?\.\w+$",
)
_LEGACY = re.compile(
    r"(?:^|[/_.-])(?:legacy|compat|deprecated|vendor|vendored|third_party|generated|node_modules|old)(?:[/_.-]|$)"
    r"|\.d\.ts$|(?:^|/)_?compat\.\w+$|\.min\.\w+$|_pb2\.py$|\.pb\.\w+$",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"\.(?:md|mdx|markdown|rst|txt|adoc|org)$|(?:^|/)(?:changelog|changes|news|history)[^/]*$"
    r"|(?:^|/)(?:docs?|docs_src|documentation|website|www)/",
    re.IGNORECASE,
)
_EMPTY_STEM_PARTS = [[stem] for stem in sorted(_EMPTY_STEMS)]
_SUFFIX = re.compile(r"\.(?:tests?|spec|d|min|module|config|stories)$", re.IGNORECASE)  # says of what kind a file is
_VOWELS = frozenset("aeiouy")
_HEADER = (".h", ".hh", ".hpp", ".hxx", ".h++")
_SOURCE = (".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm")
_VERSION = re.compile(r"(?:^|/)v(\d+)(?=/)")
PREFIX_LETTERS = 5  # similar words share these, unless one is the beginning of the other or has no vowels
UNVERSIONED = 1 << 30  # newer than any number
MAX_SHORT = 5  # letters of a word without its vowels
MAX_LIKE = 2_000  # words of questions whose like is kept


class PathWords(NamedTuple):
    stem: tuple[str, ...]  # lower-case words of the file's name
    directories: tuple[str, ...]  # terms
    depth: int
    is_test: bool
    is_legacy: bool
    is_prose: bool


@lru_cache(maxsize=200_000)
def path_words(path: str) -> PathWords:
    """What one path says."""
    directory, _, name = path.rpartition("/")
    stem = _SUFFIX.sub("", name.strip(".").rpartition(".")[0] or name.strip("."))
    words = tokens.parts_of(stem)
    if len(words) == 1 and words[0] in _EMPTY_STEMS and directory:
        words = tokens.parts_of(directory.rpartition("/")[2]) or words
    around = _kinds_below(f"{directory}/") if directory else (False, False, False)
    return PathWords(
        tuple(dict.fromkeys(words)),
        _directory_terms(directory),
        directory.count("/") + 1 if directory else 0,
        *map(or_, around, _kinds(f"/{name}")),
    )


def _kinds(text: str) -> tuple[bool, bool, bool]:
    """Whether a path, or the part of it up to its name or behind it, is of a test, left behind, prose: no expression
    goes across the last slash, so that the many files of a directory need not be asked what it is."""
    return _TEST.search(text) is not None, _LEGACY.search(text) is not None, _PROSE.search(text) is not None


_kinds_below = lru_cache(maxsize=50_000)(_kinds)


@lru_cache(maxsize=50_000)
def _directory_terms(directory: str) -> tuple[str, ...]:
    return tuple(
        term for part in directory.split("/") for word in tokens.parts_of(part) for term in tokens.terms_of(word)[:1]
    )


def speaks_for_directory(path: str) -> bool:
    """Whether a file is what its directory shows to others: `mod.rs`, `index.ts`, `__init__.py`."""
    return tokens.parts_of(path.rpartition("/")[2].partition(".")[0]) in _EMPTY_STEM_PARTS


class PathTable:
    """The paths of a snapshot, inverted: which files have a word in their name or their directories."""

    def __init__(self, paths: Sequence[str]) -> None:
        import numpy as np

        self._paths = paths
        self._like: dict[str, tuple[tuple[str, float], ...]] = {}
        found = [path_words(path) for path in paths]
        depths = sorted(words.depth for words in found) or [0]
        middle = (depths[(len(depths) - 1) // 2] + depths[len(depths) // 2]) / 2  # numpy's would import what is masked
        depth = np.fromiter((words.depth for words in found), np.float32, len(found))
        self.depth_beyond = depth - np.float32(middle)  # directories more than most files have
        self.is_test = np.fromiter((words.is_test for words in found), bool, len(found))
        self.is_legacy = np.fromiter((words.is_legacy for words in found), bool, len(found))
        self.superseded = _superseded(paths)  # place → the version it is of, where there is a newer one
        self.old_versions = frozenset(self.superseded.values())
        self.is_prose = np.fromiter((words.is_prose for words in found), bool, len(found))
        beside = _sources_of_headers(paths)
        self.is_header = np.zeros(len(found), bool)
        self.is_header[list(beside)] = True
        pairs = [(header, source) for header, source in beside.items() if source is not None]
        self.headers, self.sources = np.array(pairs, np.int64).reshape(-1, 2).T  # a header and what does what it says
        self._stems = _Inverted([words.stem for words in found])
        self._directories = _Inverted([words.directories for words in found])
        self._words = sorted(self._stems.words)
        self._by_term: dict[str, list[str]] = {}
        for word in self._words:
            self._by_term.setdefault(term_of(word), []).append(word)
        self._by_hash = {tokens.term_number(term): words for term, words in self._by_term.items()}
        self._shorts: dict[str, list[str]] = {}  # by their first letter
        for word in self._words:
            if _is_short(word):
                self._shorts.setdefault(word[0], []).append(word)
        lengths = np.fromiter((len(words.directories) for words in found), np.float32, len(found))
        self.directory_lengths = lengths / max(float(lengths.mean()) if found else 1.0, 1.0)  # as shares of the mean
        self.count = len(found)
        self._weights = {word: idf(len(found), count) for word, count in self._stems.counts()}
        totals = (sum(self._weights[word] for word in words.stem) for words in found)
        self.stem_weights = np.maximum(np.fromiter(totals, np.float32, len(found)), 1e-9)

    def files_having(self, text: str) -> Any:
        """Files whose path has a text, in lower case between a slash and a line end."""
        import numpy as np

        text_of_all, starts = self._written
        found, at = [], text_of_all.find(text)
        while at >= 0:
            found.append(at)
            at = text_of_all.find(text, at + 1)
        return np.unique(np.searchsorted(starts, found, side="right") - 1)

    def has(self, text: str) -> bool:
        """Whether any path has a text, in lower case."""
        return text in self._written[0]

    @cached_property
    def _written(self) -> tuple[str, Any]:
        """All paths as one text, and where each begins in it."""
        import numpy as np

        lines = [f"/{path.lower()}\n" for path in self._paths]
        return "".join(lines), np.cumsum([0, *map(len, lines)])[:-1]

    def files_with_stem(self, word: str) -> Any:
        """Files whose name has this word."""
        return self._stems.of(word)[0]

    def files_in(self, term: str) -> tuple[Any, Any]:
        """Files whose directories have this term, and how often."""
        return self._directories.of(term)

    def stem_words_like(self, wanted: str) -> Sequence[tuple[str, float]]:
        """Words of file names that are similar to this one, and how close they are; questions use the same words."""
        found = self._like.get(wanted)
        if found is None:
            if len(self._like) >= MAX_LIKE:
                self._like.clear()
            found = self._like[wanted] = tuple(self._find_like(wanted))
        return found

    def _find_like(self, wanted: str) -> Iterator[tuple[str, float]]:
        candidates = {wanted[:size] for size in range(2, len(wanted))} & self._stems.words
        candidates.update(self._by_term.get(term_of(wanted), ()))
        prefix = wanted[:1] if _is_short(wanted) else wanted[:PREFIX_LETTERS]
        at = bisect_left(self._words, prefix)
        while at < len(self._words) and self._words[at].startswith(prefix):
            candidates.add(self._words[at])
            at += 1
        candidates.update(self._shorts.get(wanted[0], ()))
        for word in candidates:
            value = similarity(word, wanted)
            if value:
                yield word, value

    def stem_words_of(self, term: int) -> Sequence[str]:
        """Words of file names whose stem has this hash."""
        return self._by_hash.get(term, ())

    def weight(self, word: str) -> float:
        """How telling a word of file names is."""
        return self._weights.get(word, 0.0)


@lru_cache(maxsize=50_000)
def term_of(word: str) -> str:
    """The stem of a lower-case word."""
    return (*tokens.terms_of(word), word)[0]


@lru_cache(maxsize=50_000)
def similarity(word: str, wanted: str) -> float:
    """How close two lower-case words are, from 0 to 1."""
    if word == wanted or term_of(word) == term_of(wanted):
        return 1.0
    shorter, longer = (word, wanted) if len(word) <= len(wanted) else (wanted, word)
    if longer.startswith(shorter):
        if len(shorter) >= 4:
            return 0.8
        if len(shorter) >= 2 and len(longer) >= 5:
            return 0.4
    if _is_short_for(shorter, longer):
        return 0.6
    least = max(5, math.ceil(0.7 * len(longer)))  # letters that they begin with alike
    return 0.6 if len(shorter) >= least and shorter[:least] == longer[:least] else 0.0


def _is_short(word: str) -> bool:
    """Whether a word may be one without its vowels: ctx, msg."""
    return 2 <= len(word) <= MAX_SHORT and _VOWELS.isdisjoint(word[1:])


def _is_short_for(short: str, word: str) -> bool:
    letters = iter(word)
    return _is_short(short) and len(word) > MAX_SHORT and short[0] == word[0] and all(x in letters for x in short)


def idf(total: float, count: float) -> float:
    """How telling something is that `count` of `total` have."""
    return math.log(1 + max(total - count + 0.5, 0.5) / (count + 0.5))


class _Inverted:
    """Which rows have a word. Arrays are made of them when a word is first asked for."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self._places: dict[str, list[int]] = {}
        self._arrays: dict[str, tuple[Any, Any]] = {}
        for place, words in enumerate(rows):
            for word in words:
                self._places.setdefault(word, []).append(place)

    @property
    def words(self) -> Set[str]:
        return self._places.keys()

    def counts(self) -> Iterator[tuple[str, int]]:
        """How often each word occurs."""
        return ((word, len(places)) for word, places in self._places.items())

    def of(self, word: str) -> tuple[Any, Any]:
        """The rows that have a word, in order, and how often each does."""
        import numpy as np

        if word not in self._arrays:
            if word not in self._places:  # not kept: there is no end of words
                return np.zeros(0, np.int64), np.zeros(0, np.int64)
            places = np.array(self._places[word], np.int64)  # ascending
            if (places[1:] == places[:-1]).any():
                self._arrays[word] = np.unique(places, return_counts=True)
            else:
                self._arrays[word] = places, np.ones(len(places), np.int64)
        return self._arrays[word]


def _sources_of_headers(paths: Sequence[str]) -> dict[int, int | None]:
    """C headers whose source is there too, which says what they say and does it: the one beside a header, or the only
    one of that name; None where several may be it."""
    sources: dict[str, list[int]] = {}
    for place, path in enumerate(paths):
        if path.endswith(_SOURCE):
            sources.setdefault(path.rpartition("/")[2].rpartition(".")[0], []).append(place)
    found: dict[int, int | None] = {}
    for place, path in enumerate(paths):
        if not path.endswith(_HEADER):
            continue
        directory, _, name = path.rpartition("/")
        same = sources.get(name.rpartition(".")[0], ())
        beside = [source for source in same if paths[source].rpartition("/")[0] == directory]
        if same:
            found[place] = beside[0] if beside else same[0] if len(same) == 1 else None
    return found


def _newest(numbers: set[int]) -> int:
    """The newest of some versions; the one without a number counts when it stands beside one alone."""
    numbered = numbers - {UNVERSIONED}
    return UNVERSIONED if len(numbers) > len(numbered) == 1 else max(numbered)


def _superseded(paths: Sequence[str]) -> dict[int, str]:
    """Files in a directory v1 beside a v2, or beside the same file without a version; each with its version."""
    every = frozenset(paths)
    versions: dict[str, set[int]] = {}
    found: list[tuple[int, str, int]] = []
    for place, path in enumerate(paths):
        match = _VERSION.search(path)
        if match:
            before, number = path[: match.start(1)], int(match[1])
            versions.setdefault(before, set()).add(number)
            found.append((place, before, number))
            without = before[:-1] + path[match.end() + 1 :]
            if without in every and not speaks_for_directory(without):
                versions[before].add(UNVERSIONED)
    newest = {before: _newest(numbers) for before, numbers in versions.items()}
    return {place: f"v{number}" for place, before, number in found if number < newest[before]}
