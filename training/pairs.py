"""From the bytes of a file to (first doc sentence, definition without its docs) pairs, with Clew's own parser.

A function that is not documented gives the words of its name and its body without the name; a file that says what it
is gives that sentence and the names it defines. Both sides leave as packed term hashes, exactly as a chunk of the index
has them. Main call: `definitions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew import tokens
from clew.parse import grammars
from clew.parse.comments import Comments, clean, head_comment
from clew.parse.extract import line_starts
from clew.parse.languages import LANGUAGES
from clew.parse.symbols import CLASS_KINDS, FUNCTION_KINDS, collect_symbols

MAX_BODY_BYTES = 3_000
MIN_TERMS = 8  # of a body: fewer are forwarders and prototypes
MIN_WORDS = 3  # of a query
MIN_PARTS = 3  # of a name that says what a function does
MIN_NAMES, MAX_NAMES = 3, 300  # of a file that says what it is
MAX_LINE_BYTES = 2_000  # longer lines are minified or data
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z(`])|\s+(?=[@\\:](?:param|return|throws|brief|type|since|see)\b)|\s-{3,}|\s={3,}"
)
_INLINE_TAG = re.compile(r"\{@\w+\s+([^}]*)\}|</?\w+(?:\s[^>]*)?/?>|[`*]{1,2}|\\[a-z]\s|:\w+:(?=`)")
_NOISE = re.compile(
    r"^\W*(?:@|\\|todo|fixme|xxx|eslint|tslint|istanbul|noqa|type:|pylint|nolint|copyright|licen[sc]ed?|spdx|generated"
    r"|this file is|#(?:region|pragma|if|end)|export:|go:|c8 |prettier|jshint|deprecated|internal\b|see )",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]{2,}")


KINDS = ("function", "type", "name", "file")  # what a pair's query is: a doc of either, a name, a file's own words
DOCUMENTED = KINDS[:2]


class Definition(NamedTuple):
    """A function, a type or a file; `query` is empty when nothing usable is said of it."""

    name: str
    kind: str
    query: str
    terms: bytes
    freqs: bytes


def definitions(content: bytes, language: str, held_out: Callable[[bytes], bool]) -> Iterator[Definition]:
    """The functions and types of a file, without those `held_out`. Types are cut to the same length as functions."""
    grammar = grammars.load(LANGUAGES[language])
    lines = content.split(b"\n")
    if grammar is None or max(map(len, lines)) > MAX_LINE_BYTES or content.count(b"(") < 2:
        return
    try:
        captures = grammar.captures(grammar.parse(content))
    except UnicodeDecodeError:
        return
    starts = line_starts(content)
    comments = Comments(content, starts, captures.get("comment", []))
    symbols = collect_symbols(content, starts, captures, comments)
    docs = sorted((n.start_byte, n.end_byte) for key in ("doc", "doc.before") for n in captures.get(key, ()))
    for symbol in symbols:
        is_type = symbol.kind in CLASS_KINDS
        if not is_type and symbol.kind not in FUNCTION_KINDS:
            continue
        query = sentence(symbol.doc, symbol.name, language)
        if is_type and not query:
            continue
        body = _without(content, symbol.start_byte, min(symbol.end_byte, symbol.start_byte + 2 * MAX_BODY_BYTES), docs)
        if held_out(body):
            continue
        body = body[:MAX_BODY_BYTES]
        terms = tokens.document_terms(symbol.qualified, body)
        if len(terms) >= MIN_TERMS and (b"\n" in body.strip() or len(terms) >= 2 * MIN_TERMS):
            kind = "type" if is_type else "function"
            yield Definition(symbol.qualified, kind, query, *tokens.pack_terms(terms))
            parts = tokens.parts_of(symbol.name)
            if not query and MIN_PARTS <= len(parts) <= tokens.MAX_PARTS:
                rest = tokens.text_terms(body.replace(symbol.name.encode(), b" "))
                if len(rest) >= 2 * MIN_TERMS:
                    yield Definition(symbol.qualified, "name", " ".join(parts), *tokens.pack_terms(rest))
    names = [symbol.name for symbol in symbols][:MAX_NAMES]
    if len(names) >= MIN_NAMES and not held_out(content):
        about = clean(head_comment(content, starts, comments.lines).decode("utf-8", "replace"))
        query = sentence(about, "", language)
        if query and not any(query in symbol.doc for symbol in symbols):
            yield Definition("", "file", query, *tokens.pack_terms(tokens.text_terms("\n".join(names).encode())))


def sentence(doc: str, own_name: str, language: str) -> str:
    """The first sentence of what is said about a definition, without its own name in front; else nothing."""
    doc = _INLINE_TAG.sub(lambda m: m[1] or "", doc).strip()
    if not doc or _NOISE.match(doc):
        return ""
    first = _SENTENCE.split(doc, maxsplit=1)[0].strip()
    head, _, rest = first.partition(" ")
    name = head.strip("():,.-")
    if name.lower() == own_name.lower() and (language == "go" or name != name.capitalize()):
        first = rest.lstrip("-:– ")
    found = _WORD.findall(first)
    if len(found) < MIN_WORDS or sum(map(len, found)) < 0.5 * len(first):
        return ""
    return first


def _without(content: bytes, start: int, end: int, docs: list[tuple[int, int]]) -> bytes:
    pieces = []
    for first, last in docs:
        if start <= first < end:
            pieces.append(content[start:first])
            start = min(last, end)
    pieces.append(content[start:end])
    return b"".join(pieces)
