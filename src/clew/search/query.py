"""What a query asks for: its terms, its telling words, and which of them name something in code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args

from clew import tokens
from clew.errors import BadInput
from clew.search import operators
from clew.search.operators import NOTHING_ASKED, Asked

View = Literal["files", "functions"]
Mode = Literal["hybrid", "lexical", "semantic"]
VIEWS: tuple[View, ...] = get_args(View)
MODES: tuple[Mode, ...] = get_args(Mode)
C = TypeVar("C", bound=str)
MAX_QUERY_CHARS = 2_000
MAX_TERMS = 64
INITIALS = (3, 4)  # letters; two would be found everywhere
FADE = 0.2  # a word counts 1 / (1 + FADE × how many words it comes after the first telling one)
_STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from get gets had has have how i if in into is it "
    "its me of on or our should so that the their them then there these they this to use used using was we were what "
    "when where which while who why will with would you your".split()
)
# Words that say that something is asked about code, and nothing of what.
_SOFT_WORDS = frozenset(
    "work works working handle handles handled handling implement implements implemented implementation define "
    "defines defined definition code logic mechanism support supports supported".split()
)
_NAME = r"[^\W\d][\w$]*"
_IDENTIFIER = re.compile(rf"(?<![\w$])(?:{_NAME}|\$[\w$]+)(?:(?:\.|::|#|->)[$~]?{_NAME})*[?!]?(?![\w$])")
_PATH = re.compile(r"(?:\.{0,2}/)?[\w.+-]+(?:/[\w.+-]+)+/?|[\w+-]*(?:\.[\w+-]+)*\.[A-Za-z][\w-]{0,19}")
_AROUND_PATH = re.compile(
    r"^[(\[<{`'\"]+|(?::\d+)*[)\]>}`'\",;:?!.]*$"
)  # what a sentence puts around one; a line's number
_LINE = re.compile(r":(\d{1,9})(?::\d+)*[)\]>}`'\",;:?!.]*$")
_LOOKS_LIKE_CODE = re.compile(r"_|::|\.|#|->|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")


@dataclass(frozen=True, slots=True)
class Query:
    """A query understood."""

    text: str
    terms: tuple[str, ...]  # to look up
    identifiers: tuple[str, ...]  # that may be defined somewhere
    words: tuple[str, ...]  # without the empty ones, as they were written
    content: tuple[str, ...]  # lower-case parts of the telling words, in order
    joined: tuple[str, ...] = ()  # telling words of several parts as one: `OpenAPI` may be called openapi
    initials: frozenset[str] = frozenset()  # of words in a row: server-sent events may be called sse
    paths: tuple[str, ...] = ()  # words that may be a path or the end of one
    asked: Asked = NOTHING_ASKED
    counts: Mapping[str, float] = field(default_factory=dict)  # of each word, its parts and them joined: see `_fading`
    lines: Mapping[str, int] = field(default_factory=dict)  # of paths that have a line after them

    @property
    def told(self) -> str:
        """The words that tell something: measured, files are found better by them, functions by the whole text."""
        return " ".join(self.words)

    @property
    def weights(self) -> tuple[float, ...]:
        """What each of these words counts."""
        return tuple(self.count(word) for word in self.words)

    def count(self, word: str) -> float:
        """What a word, a part of one or its parts joined count."""
        return self.counts.get(word, 1.0)

    @property
    def is_one_name(self) -> bool:
        """Whether the query is a name and nothing else."""
        return len(self.identifiers) == 1 and (
            len(self.words) == 1 or self.identifiers[0] == self.text.removesuffix("()")
        )


def parse_query(text: str, *, root: str = "") -> Query:
    """Understand a query; an empty or endless one is a `BadInput`.

    Words that name the codebase (its `root`) say nothing within it, if enough others are left."""
    text = text.strip()
    if not text:
        raise BadInput("the query is empty; say what to look for")
    if len(text) > MAX_QUERY_CHARS:
        raise BadInput(f"the query has {len(text)} characters, more than {MAX_QUERY_CHARS}; shorten it")
    asked = operators.split(text)
    text = asked.text
    words = tokens.words(text)
    if not words and text.isprintable():  # signs alone are looked for as they are
        signs = (*asked.quoted, *asked.must) or text.split()
        asked = asked._replace(quoted=tuple(dict.fromkeys(signs)))
    kept = [word for word in words if word.lower() not in _STOP_WORDS] or words
    if root and len(kept) > 2:
        named = _names_of(root)
        others = [word for word in kept if word.lower() not in named]
        telling = [word for word in others if word.lower() not in _SOFT_WORDS]
        kept = others if len(telling) >= 2 else kept
    telling = [word for word in kept if word.lower() not in _SOFT_WORDS] or kept
    terms = list(dict.fromkeys(term for word in kept for term in tokens.terms_of(word)))
    found = _IDENTIFIER.findall(text)
    identifiers = [name for name in found if len(found) == 1 or _LOOKS_LIKE_CODE.search(name)]
    if len(found) > 1:  # `e.g` is no name in a sentence
        identifiers = [name for name in identifiers if any(len(part) > 1 for part in tokens.split_qualified(name))]
    paths = _paths(text, root)
    content = dict.fromkeys(part for word in telling for part in tokens.parts_of(word) if len(part) > 1)
    return Query(
        text,
        tuple(terms[:MAX_TERMS]),
        tuple(dict.fromkeys(identifiers)),
        tuple(kept),
        tuple(content)[:MAX_TERMS],
        tuple("".join(parts) for parts in map(tokens.parts_of, telling[:MAX_TERMS]) if len(parts) > 1),
        _initials([word.lower() for word in words if word.lower() not in _STOP_WORDS][:MAX_TERMS]),
        tuple(paths),
        asked,
        _fading(words, kept),
        {path: line for path, line in paths.items() if line},
    )


def _paths(text: str, root: str) -> dict[str, int]:
    """The words of a query that may be a path or the end of one, from the root on and in lower case; with the line that
    follows it, else 0."""
    found: dict[str, int] = {}
    words = text.split()
    for word in words:
        path = _AROUND_PATH.sub("", word).replace("\\", "/")
        path = path.removeprefix(f"{root}/") if root else path
        if path.strip("./") and (len(words) == 1 or _PATH.fullmatch(path)) and len(found) < MAX_TERMS:
            line = _LINE.search(word)
            found.setdefault(path.removeprefix("./").strip("/").lower(), int(line[1]) if line else 0)
    return found


def like_code(text: str) -> Query:
    """A stretch of code as a query: what it is made of, not what it asks."""
    terms = list(dict.fromkeys(tokens.text_terms(text.encode("utf-8", "replace"))))
    return Query(text, tuple(terms[: 4 * MAX_TERMS]), (), (), ())


def _fading(words: Sequence[str], telling: Iterable[str]) -> dict[str, float]:
    """What the words of a question count from the first telling one on: it begins with what it is about, and goes on
    with when, where and what with. Empty words make what follows them later, as those that begin a clause do."""
    found: dict[str, float] = {}
    wanted = frozenset(telling)
    first = next((place for place, word in enumerate(words) if word in wanted), 0)
    for place, word in enumerate(words[first:]):
        parts = tokens.parts_of(word)
        for each in (word, *parts, "".join(parts)):
            found.setdefault(each, 1 / (1 + FADE * place))
    return found


def _initials(words: list[str]) -> frozenset[str]:
    """What three or four words in a row are called for short."""
    firsts = "".join(word[0] for word in words)
    return frozenset(firsts[at : at + size] for size in INITIALS for at in range(len(firsts) - size + 1))


def _names_of(root: str) -> frozenset[str]:
    """What a codebase is called: the last directories of its root, whole and in parts."""
    found: set[str] = set()
    for name in root.replace("\\", "/").rstrip("/").split("/")[-2:]:
        parts = tokens.parts_of(name)
        found.update((name.lower(), "".join(parts)))
        found.update(part for part in parts if len(part) > 2 and len(parts) <= 2)
    return frozenset(found - {""})


def one_of(name: str, value: str, allowed: tuple[C, ...]) -> C:
    """A choice, or a `BadInput` that lists the choices."""
    for choice in allowed:
        if value == choice:
            return choice
    raise BadInput(f"{name} {value!r} is unknown; known: {', '.join(allowed)}")
