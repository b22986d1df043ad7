"""Sets of characters as ripgrep means them, spelled as RE2 reads them.

`\\w`, `\\d` and `\\s` are Unicode's here, as in Rust's `regex`; RE2's own are ASCII. Where RE2 has no way to write a
set (`[a-z&&[^b]]`, `[^\\W_]`), it is asked which characters the parts have, and all are written out. Main calls:
`union`, `opposite`, `combined`, `spelled`.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

Range = tuple[int, int]
LAST = 0x10FFFF
_LAST_CASED = 0x1FFFF  # no character beyond has an upper and a lower case
POSIX = {
    "alnum": "09AZaz", "alpha": "AZaz", "ascii": "\x00\x7f", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f",
    "digit": "09", "graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ",
    "word": "09AZ__az", "xdigit": "09AFaf",
}  # fmt: skip
# Alphabetic, Mark, Decimal_Number, Connector_Punctuation and Join_Control; the ranges are letters in circles and
# squares, which are Alphabetic, but no Letter.
WORD = (
    r"\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}"
    r"\x{200C}-\x{200D}"
)
SPACE = r"\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}-\x{2029}\x{202F}\x{205F}\x{3000}"
_PERL = {"d": r"\p{Nd}", "s": SPACE, "w": WORD}
_CATEGORIES = {
    "letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt", "modifierletter": "Lm",
    "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me",
    "number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P",
    "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps", "closepunctuation": "Pe",
    "initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm",
    "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z", "spaceseparator": "Zs",
    "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C", "control": "Cc", "format": "Cf",
    "privateuse": "Co",
}  # fmt: skip


class Chars(NamedTuple):
    """One character of a set, as a whole RE2 expression; `ranges` where the set is written out in the pattern."""

    text: str
    ranges: tuple[Range, ...] | None
    any_case: bool


class Members(NamedTuple):
    """What stands between RE2's brackets; `negated` for all other characters."""

    items: str
    ranges: tuple[Range, ...] | None = None
    negated: bool = False

    @classmethod
    def of(cls, first: int, last: int) -> Members:
        return _written([(first, last)])


def perl(sign: str) -> Members:
    """The set of a class such as `d` or `D`."""
    return Members(_PERL[sign.lower()], negated=sign.isupper())


def posix(name: str, *, negated: bool) -> Members:
    ends = [ord(char) for char in POSIX[name]]
    return _written(list(zip(ends[::2], ends[1::2], strict=True)))._replace(negated=negated)


def unicode(name: str, *, negated: bool) -> Members | None:
    """The set of a general category or a script, or None where there is none of that name."""
    if name.startswith("^"):
        name, negated = name[1:], not negated
    kind, sign, value = name.replace("!=", "\0").replace(":", "=").replace("\0", "!=").partition("=")
    if sign:
        if kind.endswith("!"):
            kind, negated = kind[:-1], not negated
        if kind.lower().replace("_", "") not in ("gc", "generalcategory", "sc", "script"):
            return None
        name = value
    plain = re.sub(r"[\s_-]", "", name).lower()
    titled = "_".join(word.capitalize() for word in re.split(r"[\s_-]+", name))
    for known in (_CATEGORIES.get(plain), name, titled):
        if known and re.fullmatch(r"\w+", known) and _is_known(known):
            return Members(rf"\p{{{known}}}", negated=negated)
    return None


@lru_cache(maxsize=64)
def _is_known(name: str) -> bool:
    return name != "Any" and _try(rf"\p{{{name}}}") is not None


def union(sets: Sequence[Members], *, any_case: bool) -> Members:
    if len(sets) == 1:
        return sets[0]
    if any(part.negated for part in sets):
        return _written(_joined(span for part in sets for span in _ranges(part, any_case=any_case)))
    ranges = [span for part in sets for span in part.ranges or ()]
    is_written = all(part.ranges is not None for part in sets)
    return Members("".join(part.items for part in sets), tuple(ranges) if is_written else None)


def opposite(members: Members) -> Members:
    return members._replace(negated=not members.negated)


def combined(left: Members, sign: str, right: Members, *, any_case: bool) -> Members:
    """`&&`: in both; `--`: only in the left one; `~~`: in one of them."""
    ours, theirs = (_ranges(part, any_case=any_case) for part in (left, right))
    only_ours = _shared(ours, _others(theirs))
    if sign == "--":
        return _written(only_ours)
    return _written(_shared(ours, theirs) if sign == "&&" else _joined([*only_ours, *_shared(theirs, _others(ours))]))


def spelled(members: Members, *, any_case: bool) -> Chars:
    if not members.items:
        text = "(?s:.)" if members.negated else rf"[^\x{{0}}-\x{{{LAST:X}}}]"
    else:
        text = f"[{'^' if members.negated else ''}{members.items}]"
    return Chars(f"(?i:{text})" if any_case else text, None if members.negated else members.ranges, any_case)


def _written(ranges: Sequence[Range]) -> Members:
    items = "".join(rf"\x{{{a:X}}}" if a == b else rf"\x{{{a:X}}}-\x{{{b:X}}}" for a, b in ranges)
    return Members(items, tuple(ranges))


def _ranges(members: Members, *, any_case: bool) -> tuple[Range, ...]:
    """Every character of a set, ascending."""
    if members.ranges is not None and not any_case:
        found = _joined(members.ranges)
        return _others(found) if members.negated else found
    return asked(spelled(members, any_case=any_case).text)


@lru_cache(maxsize=256)
def cases_of(code: int) -> tuple[int, ...]:
    """A character and those that equal it in another case."""
    if code > _LAST_CASED:
        return (code,)
    return tuple(char for first, last in asked(rf"(?i:\x{{{code:X}}})", _LAST_CASED) for char in range(first, last + 1))


@lru_cache(maxsize=64)
def asked(text: str, end: int = LAST) -> tuple[Range, ...]:
    """The characters up to an end that an RE2 class has, by letting it read them all."""
    codes = array("I", [*range(min(0xD800, end + 1)), *range(0xE000, end + 1)])
    every = codes.tobytes().decode(f"utf-32-{sys.byteorder[0]}e").encode()
    found: list[Range] = []
    for match in _try(f"{text}+").finditer(every):
        first = ord(every[match.start() : match.start() + 4].decode(errors="ignore")[0])
        last = ord(every[max(match.end() - 4, match.start()) : match.end()].decode(errors="ignore")[-1])
        found += [(first, 0xD7FF), (0xE000, last)] if first < 0xD800 <= last else [(first, last)]
    return tuple(found)


def _try(text: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error:
        return None


def _joined(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Ascending, and none touches another."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def _others(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Every character that is in none of these ascending ranges."""
    firsts = [0, *(last + 1 for _, last in ranges)]
    lasts = [*(first - 1 for first, _ in ranges), LAST]
    return tuple((first, last) for first, last in zip(firsts, lasts, strict=True) if first <= last)


def _shared(ours: Sequence[Range], theirs: Sequence[Range]) -> tuple[Range, ...]:
    """What is in both, of ascending ranges."""
    found: list[Range] = []
    one, other = 0, 0
    while one < len(ours) and other < len(theirs):
        first, last = max(ours[one][0], theirs[other][0]), min(ours[one][1], theirs[other][1])
        if first <= last:
            found.append((first, last))
        if ours[one][1] < theirs[other][1]:
            one += 1
        else:
            other += 1
    return tuple(found)
