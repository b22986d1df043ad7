"""The one code tokeniser, for documents and queries alike.

A word of source text becomes terms: its camelCase and snake_case parts, lower-cased and stemmed, and the
whole identifier when it has more than one part. It knows nothing of syntax. Main calls: `pack_document`
for a chunk, `pack_text` for other texts, `terms_of` for a word of a query.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

from clew import native

# Everything but ASCII letters, digits, `_` and bytes above 127 becomes a space: translating and splitting
# UTF-8 bytes is four times as fast as a regular expression on text.
_TO_SPACES = bytes(c if chr(c).isalnum() or c == 95 or c > 127 else 32 for c in range(256))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CJK_RANGES = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK = f"[{_CJK_RANGES}]"
_RUN = rf"[{_CJK_RANGES}]+|[^\W\d_{_CJK_RANGES}]+|\d+"  # of letters of one kind, or of digits

_QUALIFIER = re.compile(r"::|->|[.:#\\/]")

MAX_WORD_BYTES = 128  # longer words are data (hashes, base64), not names
MAX_PARTS = 12  # a word with more parts is data too: only the whole is kept
MIN_STEM_LETTERS = 4  # shorter words are left as they are

_MEMO_LIMIT = 400_000  # words; bounds a process's memory at about 60 MB


class _TermsOfWord(dict[bytes, tuple[str, ...]]):
    """Word → terms, worked out once: a look-up inside `map` is then native code."""

    def __missing__(self, word: bytes) -> tuple[str, ...]:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        terms = self[word] = _expand(word)
        return terms


class _HashOfTerm(dict[str, bytes]):
    """Term → hash, worked out once."""

    def __missing__(self, term: str) -> bytes:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        found = self[term] = zlib.crc32(term.encode()).to_bytes(4, "little")
        return found


_terms_of_word = _TermsOfWord()
_hash_of_term = _HashOfTerm()


def text_terms(text: bytes) -> list[str]:
    """The terms of a stretch of source, each as often as it occurs, in order."""
    return list(chain.from_iterable(map(_terms_of_word.__getitem__, text.translate(_TO_SPACES).split())))


def document_terms(scope: str, text: bytes) -> list[str]:
    """The terms of a chunk: its text under a header that names the definitions around it."""
    return text_terms(scope.encode() + b"\n" + text if scope else text)


def pack_document(scope: str, text: bytes) -> tuple[int, bytes, bytes]:
    """How many terms a chunk has, and those as `pack_terms` packs them."""
    if native.kernels is not None:
        packed: tuple[int, bytes, bytes] = _native_terms().pack(scope.encode(), text)
        return packed
    terms = document_terms(scope, text)
    return len(terms), *pack_terms(terms)


def pack_text(text: bytes) -> tuple[bytes, bytes]:
    """The terms of a text without a header, packed."""
    return pack_document("", text)[1:]


@lru_cache(maxsize=1)
def _native_terms() -> Any:
    assert native.kernels is not None
    return native.kernels.Terms(_hashes_of_word, _MEMO_LIMIT, MAX_WORD_BYTES, MAX_PARTS)


def _hashes_of_word(word: bytes) -> bytes:
    if word.islower() and word.isalpha() and len(word) <= MAX_WORD_BYTES:  # most: one part, and asked for once
        text = word.decode()
        stem = text if len(text) < MIN_STEM_LETTERS else _stemmer().stemWord(text)
        return zlib.crc32(stem.encode()).to_bytes(4, "little")
    return b"".join(map(_hash_of_term.__getitem__, _expand(word)))


def pack_terms(terms: list[str]) -> tuple[bytes, bytes]:
    """Distinct term hashes and their frequencies (at most 255) as two parallel byte strings."""
    counts = Counter(map(_hash_of_term.__getitem__, terms))
    packed = b"".join(counts)
    try:
        return packed, bytes(counts.values())
    except ValueError:
        return packed, bytes([min(n, 255) for n in counts.values()])


def term_hash(term: str) -> bytes:
    """Four bytes that stand for a term in a chunk's term list (a checksum: the same on every machine)."""
    return _hash_of_term[term]


def term_number(term: str) -> int:
    """The same as a number."""
    return int.from_bytes(_hash_of_term[term], "little")


def words(text: str) -> list[str]:
    """The raw words of a text, in order."""
    return [w.decode("utf-8", "replace") for w in text.encode("utf-8", "replace").translate(_TO_SPACES).split()]


def terms_of(word: str) -> tuple[str, ...]:
    """The terms of one word: the parts first, the whole identifier last."""
    return _terms_of_word[word.encode("utf-8", "replace")]


def parts_of(word: str) -> list[str]:
    """The camelCase and snake_case parts of a word, lower-cased, not stemmed."""
    return [part.lower() for part in _parts(word)]


def split_qualified(name: str) -> list[str]:
    """The parts of a qualified name, whatever the language puts between them."""
    return [part for part in _QUALIFIER.split(name) if part]


def _expand(word: bytes) -> tuple[str, ...]:
    if len(word) > MAX_WORD_BYTES:
        return ()
    text = word.decode("utf-8", "replace")
    if text.isalpha() and text.islower() and text.isascii():
        return (_stem_of[text],)
    parts = _parts(text)
    whole = text.lower()
    if len(parts) > MAX_PARTS or not parts:
        return (whole,) if whole.strip("_") else ()
    if text.isascii():
        terms = [_stem_of[part.lower()] for part in parts]
    else:
        terms = [term for part in parts for term in _part_terms(part.lower())]
    if len(parts) > 1 or whole != parts[0].lower():
        terms.append(whole)
    return tuple(dict.fromkeys(terms)) if len(terms) > 1 else tuple(terms)


def _parts(text: str) -> list[str]:
    if text.isascii():
        return _PART.findall(text)
    return [part for run in _compiled(_RUN).findall(text) for part in (_PART.findall(run) if run.isascii() else [run])]


@lru_cache(maxsize=2)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Of large ranges, when they are needed: it takes 4 ms, and most trees are ASCII."""
    return re.compile(pattern)


def _part_terms(part: str) -> Iterable[str]:
    if _compiled(_CJK).search(part):
        # No spaces between words: pairs of characters stand in for words.
        return [part[i : i + 2] for i in range(max(1, len(part) - 1))]
    return (_stem_of[part],)


class _StemOfWord(dict[str, str]):
    """Lower-case word → stem, worked out once."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
        stem = self[word] = word if len(word) < MIN_STEM_LETTERS else _stemmer().stemWord(word)
        return stem


_stem_of = _StemOfWord()


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)
