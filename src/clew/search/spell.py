"""A parsed expression as RE2 reads it: as it is, without what RE2 cannot judge, or for a marked text.

RE2's `\\b` knows ASCII only. Where that may be wrong, the text is marked: each character becomes three, itself between
two marks that are a letter if it belongs to a word and none otherwise. Between such threes RE2's `\\b` is Unicode's,
and time stays linear. Most contents are of ASCII alone: for those a set is spelled as what it has of ASCII, and `\\w`
is compiled in a tenth of the time or less. Main calls: `scanning`, `plain`, `loose`, `marking`, `mark`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from clew.errors import BadInput
from clew.search import classes
from clew.search.classes import WORD, Chars
from clew.search.syntax import Char, Choice, Look, Node, Repeat, Row

MAX_MEMORY_BYTES = 8_000_000  # of one compiled expression, its cache of states included; 200 `\w` fit in
_MOST_TIMES = 1_000  # RE2's limit for one repetition
_MAX_CHARS = 1_000_000  # of what repetitions beyond that limit are spelled as
_BESIDE_WORD = rf"[^{WORD}\n]"
_BESIDE_PLAIN_WORD = r"[^0-9A-Z_a-z\n]"
_NOTHING = r"[^\x00-\xff]"  # an empty set of bytes
_REST = r"[^\n]*"
# In a marked text: one character or byte that is no UTF-8, and a character that belongs to no word. Beside such a byte
# ripgrep finds no whole word.
_UNIT, _NO_WORD_UNIT = r"(?s:[\n\-w].[\n\-w]|-\C-)", r"(?s:[\n\-].[\n\-])"


def scanning(tree: Node, *, whole_word: bool, multiline: bool) -> Any:
    """What finds matches in contents, whole words in its group 1. Without `multiline` it goes on to the line's end."""
    text = _alone_or_not(f"(?:{_spell(tree)})", _BESIDE_WORD if whole_word else "")
    return _compiled(text if multiline else f"{text}{_REST}", multiline=multiline)


def plain(tree: Node, *, whole_word: bool, multiline: bool) -> Any:
    """The same for contents of ASCII alone."""
    text = _alone_or_not(f"(?:{_spell(tree, is_plain=True)})", _BESIDE_PLAIN_WORD if whole_word else "")
    return _compiled((text if multiline else f"{text}{_REST}").encode("ascii"), multiline=multiline)


def _alone_or_not(text: str, beside: str) -> str:
    return f"(?:(?m:^)|{beside})({text})(?:{beside}|(?m:$))" if beside else text


def loose(tree: Node, *, multiline: bool) -> Any:
    """The same without any condition on words: it finds every line that matches, and perhaps more."""
    return _compiled(f"(?:{_spell(tree, has_words=False)}){_REST}", multiline=multiline)


def marking(tree: Node, *, whole_word: bool, multiline: bool) -> Any:
    """What matches a marked text from its beginning; its group 1 is the first match in it."""
    text = f"({_spell(tree, is_marked=True)})"
    words = f"(?:|{_UNIT}*?{_NO_WORD_UNIT}){text}(?:{_NO_WORD_UNIT}|(?m:$))"
    return _compiled(words if whole_word else f"{_UNIT}*?{text}", multiline=multiline, is_marked=True)


def mark(content: bytes) -> bytes:
    """A text for `marking`. A line end is its own mark, so that lines begin and end where they did."""
    return content.decode("utf-8", "surrogateescape").translate(_MARKS).encode("utf-8", "surrogateescape")


class _Marks(dict[int, str]):
    """Each character as it is in a marked text, found out when it is met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_word = not 0xD800 <= code < 0xE000 and _word().fullmatch(char) is not None
        sign = "\n" if char == "\n" else "w" if is_word else "-"
        self[code] = f"{sign}{char}{sign}"
        return self[code]


_MARKS = _Marks()


@lru_cache(maxsize=1)
def _word() -> Any:
    import re2

    return re2.compile(f"[{WORD}]")


def _compiled(text: str | bytes, *, multiline: bool, is_marked: bool = False) -> Any:
    import re2

    options = re2.Options()
    if isinstance(text, bytes):
        options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = MAX_MEMORY_BYTES * (2 if is_marked else 1)  # so what is not too large for one is for neither
    options.log_errors = False
    options.never_nl = not multiline
    re2.purge()  # it would keep every expression; those in use are kept with their patterns
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        if "too large" in reason or "repetition" in reason:
            raise BadInput(
                "the regular expression is too large: it repeats too much"
                f" ({_MOST_TIMES:,} times in all and {MAX_MEMORY_BYTES // 1_000_000} MB are the most)"
            ) from error
        raise BadInput(f"the regular expression is not supported: {reason}") from error


def _spell(node: Node, *, has_words: bool = True, is_marked: bool = False, is_plain: bool = False) -> str:
    def spell(node: Node) -> str:
        if is_plain and isinstance(node, Char | Chars):
            return _of_ascii(node)
        if isinstance(node, Char):
            one = rf"\x{{{node.code:X}}}"
            return around(f"(?i:{one})" if node.any_case else one)
        if isinstance(node, Chars):
            return around(node.text)
        if isinstance(node, Look):
            return "" if node.at in (r"\b", r"\B") and not has_words else node.at
        if isinstance(node, Row):
            return "".join(map(spell, node.parts))
        if isinstance(node, Choice):
            return f"(?:{'|'.join(map(spell, node.parts))})"
        return repeated(node)

    def around(one: str) -> str:
        return f"(?s:[\\n\\-w]{one}[\\n\\-w])" if is_marked else one

    def repeated(node: Repeat) -> str:
        inner, lazy = f"(?:{spell(node.part)})", "?" if node.lazy else ""
        if node.least > _MOST_TIMES or (node.most or 0) > _MOST_TIMES:
            times, rest = divmod(node.least, _MOST_TIMES)
            more = None if node.most is None else node.most - node.least
            counts = [f"{{{_MOST_TIMES}}}"] * times + [f"{{{rest}}}"]
            while more is not None and more > 0:
                counts.append(f"{{0,{min(more, _MOST_TIMES)}}}{lazy}")
                more -= _MOST_TIMES
            counts += [f"*{lazy}"] if more is None else []
            if len(counts) > 100 or len(counts) * len(inner) > _MAX_CHARS:
                raise BadInput(f"the regular expression repeats too much: {node.most or node.least:,} times")
            return "(?:" + "".join(inner + count for count in counts) + ")"
        most = "" if node.most is None else node.most
        return f"(?:{inner}{{{node.least},{most}}}{lazy})"

    return spell(node)


def _of_ascii(node: Char | Chars) -> str:
    """What a character may be, of ASCII."""
    if isinstance(node, Char) and not node.any_case:
        return rf"\x{node.code:02x}" if node.code < 128 else _NOTHING
    if isinstance(node, Char):
        spans = [(code, code) for code in classes.cases_of(node.code) if code < 128]
    else:
        spans = [*classes.asked(node.text, 127)]
    items = "".join(rf"\x{first:02x}-\x{last:02x}" for first, last in spans)
    return f"[{items}]" if items else _NOTHING
