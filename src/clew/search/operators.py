"""The operators of a query: `lang:`, `path:`, `-path:`, `must:`, `exclude:` and "quoted text". Main call: `split`."""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.errors import BadInput

_OPERATOR = re.compile(
    r'(?<!\S)(?:(?P<name>lang|path|-path|must|exclude):(?P<value>"[^"]+"|[^\s"]+)|"(?P<quoted>[^"]+)")'
    r"(?:(?!\S)|[?.,;:!)]+(?!\S))"  # a sentence goes on, or ends there
)


class Asked(NamedTuple):
    """A query without its operators, and what they ask for."""

    text: str
    languages: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    must: tuple[str, ...] = ()  # texts that a file must have
    without: tuple[str, ...] = ()  # texts that a file must not have
    quoted: tuple[str, ...] = ()  # texts that a file had better have


NOTHING_ASKED = Asked("")


def split(query: str) -> Asked:
    """Take a query apart; quoted text stays among its words, and so does what a file must have."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    at = 0
    for match in _OPERATOR.finditer(query):
        words.append(query[at : match.start()])
        name, value = match["name"] or "quoted", (match["value"] or match["quoted"]).strip('"').strip()
        if value:
            found.setdefault(name, []).append(value)
        if name in ("quoted", "must"):
            words.append(value)
        at = match.end()
    words.append(query[at:])
    text = " ".join(" ".join(words).split())
    if query.strip() and not text:
        raise BadInput("the query has operators only; say what to look for, or list files with `clew paths`")
    keys = ("lang", "path", "-path", "must", "exclude", "quoted")
    return Asked(text, *(tuple(found.get(key, ())) for key in keys))
