"""Which files a question is about: one glob matcher and one language filter for every tool.

A pattern without `/` matches a name at any depth, one with `/` is anchored at the root; a matched
directory includes all below it. Main call: `make_filter`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

from clew.errors import BadInput
from clew.parse.languages import LANGUAGES, resolve_language
from clew.search.operators import Asked

MAX_GLOB_CHARS = 1_000
MAX_BRACES = 20  # within each other
_ENDING = re.compile(r"(?:\*\*/)*\*([^*?{}\[\]/,]+)")
_BEGINNING = re.compile(r"[^*?{}\[\]]*")


class Glob(NamedTuple):
    """A glob as an anchored expression; one like `*.py`, which most are, also as what a name must end with."""

    regex: re.Pattern[str]
    ending: str = ""
    beginning: str = ""  # what every path that matches begins with: `src/app/` of `src/app/**`

    def match(self, path: str) -> bool:
        return self.regex.match(path) is not None


class _File(Protocol):
    """A path with its language."""

    @property
    def path(self) -> str: ...
    @property
    def language(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """Which files a question is about, as the user wrote it."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on files; the empty one lets everything pass."""

    include: tuple[Glob, ...] = ()
    exclude: tuple[Glob, ...] = ()
    languages: frozenset[str] = frozenset()
    subtree: str = ""  # with a trailing slash, or empty
    within: Filter | None = None  # that files must pass too

    @property
    def is_empty(self) -> bool:
        mine = self.include or self.exclude or self.languages or self.subtree
        return not mine and (self.within is None or self.within.is_empty)

    def allows(self, path: str, language: str) -> bool:
        """Whether a file passes."""
        return (
            (not self.subtree or path.startswith(self.subtree))
            and (not self.languages or language in self.languages)
            and (not self.include or any(glob.regex.match(path) for glob in self.include))
            and not any(glob.regex.match(path) for glob in self.exclude)
            and (self.within is None or self.within.allows(path, language))
        )

    def places(self, files: Sequence[_File]) -> list[int]:
        """Where those stand that pass: `allows` for many at once, in a fifth of the time."""
        kept = list(range(len(files))) if self.within is None else self.within.places(files)
        if self.subtree:
            kept = [at for at in kept if files[at].path.startswith(self.subtree)]
        if self.languages:
            kept = [at for at in kept if files[at].language in self.languages]
        if self.include:
            kept = sorted(set().union(*(_matching(glob, files, kept) for glob in self.include)))
        for glob in self.exclude:
            left_out = set(_matching(glob, files, kept))
            kept = [at for at in kept if at not in left_out] if left_out else kept
        return kept


def _matching(glob: Glob, files: Sequence[_File], places: list[int]) -> list[int]:
    """Which of these match."""
    if ending := glob.ending:
        below = f"{ending}/"  # a directory of such a name
        return [at for at in places if (path := files[at].path).endswith(ending) or below in path]
    if beginning := glob.beginning:
        places = [at for at in places if files[at].path.startswith(beginning)]  # in two thirds of the time
    match = glob.regex.match
    return [at for at in places if match(files[at].path)]


def make_filter(
    *, include: Iterable[str] = (), exclude: Iterable[str] = (), languages: Iterable[str] = (), subtree: str = ""
) -> Filter:
    """A filter from what the user wrote; bad globs and unknown languages are a `BadInput` that names them."""
    chosen: set[str] = set()
    for name in languages:
        language = resolve_language(name)
        if language is None:
            raise BadInput(f"unknown language {name!r}; known: {', '.join(sorted(LANGUAGES))}")
        chosen.add(language)
    return Filter(
        tuple(compile_glob(pattern) for pattern in include),
        tuple(compile_glob(pattern) for pattern in exclude),
        frozenset(chosen),
        subtree.rstrip("/") + "/" if subtree.strip("/") else "",
    )


def narrowed(where: Filter, asked: Asked) -> Filter:
    """A filter that also does what the operators of a query say."""
    if not (asked.languages or asked.include or asked.exclude):
        return where
    mine = make_filter(include=asked.include, exclude=asked.exclude, languages=asked.languages)
    return replace(mine, within=where)


@lru_cache(maxsize=1_024)
def compile_glob(pattern: str) -> Glob:
    """A glob as an anchored regular expression on paths with forward slashes."""
    if len(pattern) > MAX_GLOB_CHARS:
        raise BadInput(f"the glob {pattern[:40]!r}… has {len(pattern)} characters, more than {MAX_GLOB_CHARS}")
    glob = pattern.replace("\\", "/")
    glob = glob[1:] if glob.startswith("./") else glob
    if glob.startswith("!"):
        raise BadInput(f"the glob {pattern!r} starts with `!`; use the exclude patterns instead")
    anchored = "/" in glob
    body = glob.strip("/")
    if not body or "\0" in body:
        raise BadInput(f"the glob {pattern!r} is empty or holds a NUL")
    prefix = "" if anchored else "(?:.*/)?"
    regex = re.compile(f"{prefix}{_translate(body, pattern)}(?:/.*)?\\Z", re.DOTALL)
    simple = _ENDING.fullmatch(body) if not anchored or body.startswith("**/") else None
    beginning = _BEGINNING.match(body) if anchored else None
    return Glob(regex, simple[1] if simple is not None else "", beginning[0] if beginning is not None else "")


def _translate(glob: str, pattern: str) -> str:
    out: list[str] = []
    depth = position = 0
    while position < len(glob):
        char = glob[position]
        if glob.startswith("**/", position) and (position == 0 or glob[position - 1] in "/{,"):
            while glob.startswith("**/", position):
                position += 3
            out.append("(?:[^/]+/)*")
        elif char == "*":
            text, position = _stars(glob, position, pattern)
            out.append(text)
        elif char == "{":
            depth, position = depth + 1, position + 1
            if depth > MAX_BRACES:
                raise BadInput(f"a glob opens more than {MAX_BRACES} braces within each other")
            out.append("(?:")
        elif char == "}":
            depth, position = depth - 1, position + 1
            if depth < 0:
                raise BadInput(f"the glob {pattern!r} closes a brace that it did not open")
            out.append(")")
        elif char == "," and depth:
            position += 1
            out.append("|")
        else:
            text, position = _one_character(glob, position, pattern)
            out.append(text)
    if depth:
        raise BadInput(f"the glob {pattern!r} opens a brace that it does not close")
    return "".join(out)


def _stars(glob: str, position: int, pattern: str) -> tuple[str, int]:
    """A run of stars, with the characters up to the next run where that is near.

    Those need to be found once only, since the next run takes whatever follows: without the atomic group a
    pattern of many stars would take exponential time."""
    after = position
    while glob[after : after + 1] == "*":
        after += 1
    is_wide = after - position > 1  # crosses slashes
    star = ".*" if is_wide else "[^/]*"
    parts: list[str] = []
    end = after
    while end < len(glob) and glob[end] not in "*/{},":
        text, end = _one_character(glob, end, pattern)
        parts.append(text)
    if parts and glob.startswith("**" if is_wide else "*", end):
        return f"(?>{star}?{''.join(parts)})", end
    return star, after


def _one_character(glob: str, position: int, pattern: str) -> tuple[str, int]:
    """What stands for exactly one character; returns its expression and where the glob goes on."""
    char = glob[position]
    if char == "[":
        return _character_class(glob, position + 1, pattern)
    return "[^/]" if char == "?" else re.escape(char), position + 1


def _character_class(glob: str, position: int, pattern: str) -> tuple[str, int]:
    """The class that starts after `[`; returns its expression and where the glob goes on."""
    negated = glob[position : position + 1] in ("!", "^")
    start = position + negated
    end = glob.find("]", start + 1)
    if end < 0:
        raise BadInput(f"the glob {pattern!r} opens a bracket that it does not close")
    body = glob[start:end].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^").replace("&&", "&\\&")
    body = body.replace("||", "|\\|").replace("~~", "~\\~").replace("--", "-\\-")
    expression = f"(?!/)[{'^' if negated else ''}{body}]"
    try:
        re.compile(expression)
    except re.error as error:
        raise BadInput(f"the glob {pattern!r} has a bad character class: {error}") from error
    return expression, end + 1
