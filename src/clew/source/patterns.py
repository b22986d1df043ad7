"""gitignore syntax: bytes of an ignore file in, a RuleSet that answers for names in a directory out.

Every pattern is cut at its last slash: the part before it decides *where* the rule is active (asked once
per directory), the part after it is matched against names. Matching is by bytes, as git's is: names that
are not ASCII are handed in as Latin-1 views of their bytes (`subject`). Touches no disk, never raises.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import NamedTuple

_LITERAL_PREFIX = re.compile(r"[^*?\[\\]*")
_STAR, _SPAN, _SPAN_SLASH = "star", "span", "span_slash"  # `*`, `**`, `**/`
_SPACE = frozenset(b" \t\n\r")
_CLASSES = {
    "alnum": frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "alpha": frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "blank": frozenset(b" \t"),
    "cntrl": frozenset([*range(32), 127]),
    "digit": frozenset(b"0123456789"),
    "graph": frozenset(range(33, 127)),
    "lower": frozenset(b"abcdefghijklmnopqrstuvwxyz"),
    "print": frozenset(range(32, 127)),
    "punct": frozenset(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    "space": _SPACE,
    "upper": frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "xdigit": frozenset(b"0123456789abcdefABCDEF"),
}


class Piece(NamedTuple):
    """One element of a pattern: a literal character, a set of bytes, or a wildcard."""

    kind: str  # "char", "set" or one of the wildcards
    text: str  # the character, or the regex of the set


class Rule(NamedTuple):
    """A pattern, or a half of one: active where `directory` fits, for names that `name` fits."""

    negated: bool
    dir_only: bool
    directory: tuple[Piece, ...] | None  # None: everywhere below the ignore file
    name: tuple[Piece, ...]


class _Table:
    """Rules for the names of one kind (file or directory): the last one that fits a name wins."""

    __slots__ = ("_literals", "_ranks", "_regex", "_suffixes")

    def __init__(self, rules: list[tuple[int, Rule]], ignore_case: bool) -> None:
        self._literals: dict[str, int] = {}
        self._suffixes: dict[str, int] = {}
        others: list[tuple[int, str]] = []
        for rank, rule in rules:
            literal = _literal(rule.name)
            suffix = _literal(rule.name[1:]) if rule.name and rule.name[0].kind == _STAR else None
            if literal is not None and not ignore_case:
                self._literals[literal] = rank
            elif suffix and suffix[0] == "." and "." not in suffix[1:] and not ignore_case:
                self._suffixes[suffix] = rank
            else:
                others.append((rank, _name_regex(rule.name)))
        others.reverse()  # the first alternative that fits is then git's last
        self._ranks = [rank for rank, _ in others]
        source = "|".join(f"({regex}\\Z)" for _, regex in others)
        self._regex = re.compile(source, _flags(ignore_case)).match if others else None

    def last(self, name: str) -> int:
        """The rank of the last rule that fits, or -1."""
        best = self._literals.get(name, -1)
        if self._suffixes:
            dot = name.rfind(".")
            if dot >= 0:
                best = max(best, self._suffixes.get(name[dot:], -1))
        if self._regex is not None and (match := self._regex(name)) is not None and match.lastindex:
            best = max(best, self._ranks[match.lastindex - 1])
        return best


class NameMatcher:
    """The rules of one ignore file that are active in one directory."""

    __slots__ = ("_directories", "_files", "_rules")

    def __init__(self, rules: tuple[Rule, ...], active: tuple[int, ...], ignore_case: bool) -> None:
        ranked = [(rank, rules[rank]) for rank in active]
        self._rules = rules
        self._directories = _Table(ranked, ignore_case)
        self._files = _Table([(rank, rule) for rank, rule in ranked if not rule.dir_only], ignore_case)

    def match(self, name: str, is_dir: bool) -> bool | None:
        """True: ignored; False: re-included; None: no rule fits. `name` is a `subject`."""
        rank = (self._directories if is_dir else self._files).last(name)
        return None if rank < 0 else not self._rules[rank].negated


class RuleSet:
    """One ignore file, compiled; shared by every directory with the same content."""

    __slots__ = ("_anywhere", "_by_literal", "_by_regex", "_matchers", "ignore_case", "is_static", "rules")

    def __init__(self, rules: tuple[Rule, ...], ignore_case: bool = False) -> None:
        self.rules = rules
        self.ignore_case = ignore_case
        self._anywhere = tuple(rank for rank, rule in enumerate(rules) if rule.directory is None)
        self.is_static = len(self._anywhere) == len(rules)
        self._matchers: dict[tuple[int, ...], NameMatcher | None] = {(): None}
        self._by_literal: dict[str, tuple[int, ...]] = {}
        self._by_regex: list[tuple[re.Pattern[str], int]] = []
        for rank, rule in enumerate(rules):
            if rule.directory is None:
                continue
            literal = _literal(rule.directory)
            if literal is not None and not ignore_case:
                self._by_literal[literal] = (*self._by_literal.get(literal, ()), rank)
            else:
                source = "".join(map(_piece_regex, rule.directory)) + r"\Z"
                self._by_regex.append((re.compile(source, _flags(ignore_case)), rank))

    def at(self, directory: str) -> NameMatcher | None:
        """What applies to names in `directory` (relative to the ignore file, "" or with a final slash)."""
        active = self._anywhere
        if not self.is_static:
            here = self._by_literal.get(directory, ())
            if self._by_regex:
                here += tuple(rank for regex, rank in self._by_regex if regex.match(directory))
            if here:
                active = tuple(sorted(active + here))
        if active not in self._matchers:
            self._matchers[active] = NameMatcher(self.rules, active, self.ignore_case)
        return self._matchers[active]


@lru_cache(maxsize=512)
def compile_rules(data: bytes, ignore_case: bool = False) -> RuleSet:
    """The rules of an ignore file with content `data`."""
    return RuleSet(parse(data, ignore_case=ignore_case), ignore_case)


def subject(name: str) -> str:
    """`name` as the patterns see it: one character per byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


def parse(data: bytes, *, ignore_case: bool = False) -> tuple[Rule, ...]:
    """All rules of an ignore file in order; what git cannot match is left out."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    rules: list[Rule] = []
    for line in text.split("\n"):
        if not line or line[0] == "#":
            continue
        pattern = _trim(line.removesuffix("\r").partition("\0")[0])
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        dir_only = pattern.endswith("/")
        pattern = pattern[: len(pattern) - dir_only]
        rules += [Rule(negated, dir_only, where, name) for where, name in _split(pattern, ignore_case)]
    return tuple(rules)


def _trim(line: str) -> str:
    """Without trailing spaces, but for those that a backslash protects."""
    spaces, position = -1, 0
    while position < len(line):
        if line[position] != " ":
            spaces = -1
            position += line[position] == "\\"
        elif spaces < 0:
            spaces = position
        position += 1
    return line if spaces < 0 else line[:spaces]


Halves = list[tuple[tuple[Piece, ...] | None, tuple[Piece, ...]]]


def _split(pattern: str, ignore_case: bool) -> Halves:
    """(where, name) for a pattern: one pair, two where `**` touches a literal, none if it cannot match."""
    if "/" not in pattern:
        pieces = _pieces(pattern, pathname=False, ignore_case=ignore_case)
        return [(None, pieces)] if pieces else []
    pieces = _pieces(pattern.removeprefix("/"), pathname=True, ignore_case=ignore_case)
    return _split_pieces(pieces) if pieces else []


_SLASH = Piece("char", "/")
_ANY = (Piece(_STAR, ""),)


def _split_pieces(pieces: tuple[Piece, ...]) -> Halves:
    slashes = (i for i, piece in enumerate(pieces) if piece == _SLASH or piece.kind == _SPAN_SLASH)
    cut = max(slashes, default=-1)
    at_boundary = cut == len(pieces) - 2
    if pieces[-1].kind == _SPAN:
        if at_boundary:  # `a/**`: anything at any depth below
            return _below((*pieces[:-1], Piece(_SPAN_SLASH, "")), _ANY)
        # `a/fix**` spans slashes too: names that start so, and all below directories that start so.
        return [
            (pieces[: cut + 1], (*pieces[cut + 1 : -1], *_ANY)),
            ((*pieces[:-1], Piece(_SPAN, "")), _ANY),
        ]
    if cut > 0 and pieces[cut].kind == _SPAN_SLASH and pieces[cut - 1] != _SLASH:
        # `fix**/name`: the directories between may be none, and then no slash is left to cut at.
        return [
            *_split_pieces(pieces[:cut] + pieces[cut + 1 :]),
            ((*pieces[:cut], Piece(_SPAN, ""), _SLASH), pieces[cut + 1 :]),
        ]
    return _below(pieces[: cut + 1], pieces[cut + 1 :])


def _below(directory: tuple[Piece, ...], name: tuple[Piece, ...]) -> Halves:
    if not name:
        return []
    return [(None if directory and all(p.kind == _SPAN_SLASH for p in directory) else directory, name)]


def _pieces(pattern: str, *, pathname: bool, ignore_case: bool) -> tuple[Piece, ...] | None:
    """The elements of a pattern, or None when git can never match it."""
    prefix = _LITERAL_PREFIX.match(pattern)
    start = prefix.end() if prefix else 0  # git compares the literal prefix apart: `**` may follow it
    pieces: list[Piece] = []
    position, end = 0, len(pattern)
    while position < end:
        char = pattern[position]
        if char == "*":
            after = position
            while after < end and pattern[after] == "*":
                after += 1
            opens = position == start or pattern[position - 1] == "/"
            closes = after == end or pattern[after] == "/" or pattern.startswith("\\/", after)
            if pathname and after - position > 1 and opens and closes:
                zero_or_more = after < end and pattern[after] == "/"
                piece = Piece(_SPAN_SLASH if zero_or_more else _SPAN, "")
                if not (zero_or_more and pieces and pieces[-1] == piece):
                    pieces.append(piece)
                after += zero_or_more
            else:
                pieces.append(Piece(_STAR, ""))
            position = after
        elif char == "[":
            found = _class(pattern, position + 1, ignore_case)
            if found is None:
                return None
            members, position = found
            if not members:
                return None
            pieces.append(Piece("set", _set_regex(members)))
        elif char == "?":
            pieces.append(Piece("set", "[^/]"))
            position += 1
        else:
            if char == "\\":
                position += 1
                if position == end:
                    return None
                if ignore_case and "A" <= pattern[position] <= "Z":
                    return None  # git folds the name and not what is escaped
            pieces.append(Piece("char", pattern[position]))
            position += 1
    return tuple(pieces)


def _class(pattern: str, position: int, ignore_case: bool) -> tuple[set[int], int] | None:
    """The bytes of a bracket expression and where it ends; None for one that git gives up on."""
    negated = pattern[position : position + 1] in ("!", "^")
    position += negated
    members: set[int] = set()
    previous, first = 0, True
    while first or pattern[position : position + 1] != "]":
        first = False
        char = pattern[position : position + 1]
        if not char:
            return None
        following = pattern[position + 1 : position + 2]
        if char == "\\":
            if not following:
                return None
            position += 1
            previous = ord(following)
            members.add(previous)
        elif char == "-" and previous and following and following != "]":
            position += 1
            if following == "\\":
                position += 1
                following = pattern[position : position + 1]
                if not following:
                    return None
            members.update(range(previous, ord(following) + 1))
            if ignore_case:
                members.update(b + 32 for b in range(previous, ord(following) + 1) if 65 <= b <= 90)
            previous = 0
        elif char == "[" and following == ":":
            close = pattern.find("]", position + 2)
            if close < 0:
                return None
            if close == position + 2 or pattern[close - 1] != ":":
                members.add(ord("["))
                previous = ord("[")
            else:
                named = _CLASSES.get(pattern[position + 2 : close - 1])
                if named is None:
                    return None
                members.update(named)
                if ignore_case and pattern[position + 2 : close - 1] == "upper":
                    members.update(_CLASSES["lower"])
                position, previous = close, 0
        else:
            previous = ord(char)
            members.add(previous)
        position += 1
    if ignore_case:  # git folds the name to lower case first, and not the class
        members = {b for b in range(256) if (b + 32 if 65 <= b <= 90 else b) in members}
    if negated:
        members = set(range(1, 256)) - members
    return members - {0, ord("/")}, position + 1


def _set_regex(members: set[int]) -> str:
    return "[" + "".join(f"\\x{byte:02x}" for byte in sorted(members)) + "]"


def _literal(pieces: tuple[Piece, ...]) -> str | None:
    return "".join(p.text for p in pieces) if all(p.kind == "char" for p in pieces) else None


def _name_regex(pieces: tuple[Piece, ...]) -> str:
    """Each star but the last takes as little as it can, for good: no exponential backtracking."""
    runs: list[str] = [""]
    for piece in pieces:
        if piece.kind == _STAR:
            runs.append("")
        else:
            runs[-1] += _piece_regex(piece)
    if len(runs) == 1:
        return runs[0]
    middle = "".join(f"(?>.*?{run})" for run in runs[1:-1] if run)
    return f"{runs[0]}{middle}.*{runs[-1]}"


def _piece_regex(piece: Piece) -> str:
    if piece.kind == "char":
        return re.escape(piece.text)
    if piece.kind == "set":
        return piece.text
    return {_STAR: "[^/]*", _SPAN: ".*", _SPAN_SLASH: "(?:.*/)?"}[piece.kind]


def _flags(ignore_case: bool) -> re.RegexFlag:
    return re.DOTALL | re.ASCII | re.IGNORECASE if ignore_case else re.DOTALL | re.ASCII
