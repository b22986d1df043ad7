"""Regular expressions as ripgrep reads them: the syntax of Rust's `regex`, text in, a tree out.

Flags are resolved here: a tree says of each part what it means by itself. Look-around and back-references are refused,
as ripgrep does without PCRE. Main call: `parse`; a pattern that cannot be read is a `BadInput` that says where.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from clew.errors import BadInput
from clew.search import classes
from clew.search.classes import Chars, Members

MAX_NESTING = 100  # groups or classes; nobody writes more, and what walks the tree calls itself
_MAX_HEIGHT = 2 * MAX_NESTING  # of the tree, repetitions of repetitions included
_NEWLINE = 10
_ENDS = {"A": r"\A", "z": r"\z", "b": r"\b", "B": r"\B"}
_CONTROLS = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_SPACE = re.compile(r"(?:\s|#[^\n]*(?:\n|\Z))*")  # what `x` leaves out
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Char(NamedTuple):
    """One character."""

    code: int
    any_case: bool


class Look(NamedTuple):
    r"""A place between characters, as RE2 writes it: `(?m:^)`, `(?m:$)`, `\A`, `\z`, `\b`, `\B`."""

    at: str


class Row(NamedTuple):
    """One after the other."""

    parts: tuple[Node, ...]


class Choice(NamedTuple):
    """One of these, the first that fits."""

    parts: tuple[Node, ...]


class Repeat(NamedTuple):
    part: Node
    least: int
    most: int | None
    lazy: bool


Node = Char | Chars | Look | Row | Choice | Repeat


class Flags(NamedTuple):
    i: bool = False
    m: bool = True  # ripgrep's default
    s: bool = False
    U: bool = False
    x: bool = False


def parse(text: str, *, any_case: bool, multiline: bool) -> Node:
    """The tree of an expression. Without `multiline` no part of it can match a line end."""
    tree = _Parser(text, multiline=multiline).whole(Flags(i=any_case))
    nodes, height = [tree], 0
    while nodes:
        nodes, height = [inner for node in nodes for inner in _inside(node)], height + 1
        if height > _MAX_HEIGHT:
            _refuse_nesting()
    return tree


def literal(text: str, *, any_case: bool, multiline: bool) -> Node:
    """The tree of a plain text."""
    if "\n" in text and not multiline:
        _refuse_newline()
    return Row(tuple(Char(ord(char), any_case) for char in text))


def _inside(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Row | Choice):
        return node.parts
    return (node.part,) if isinstance(node, Repeat) else ()


def _refuse_nesting() -> NoReturn:
    raise BadInput(f"the regular expression nests too much; {MAX_NESTING} groups are the most")


def _refuse_newline() -> NoReturn:
    raise BadInput(r"the pattern has a line end (\n), but a match stays within its line; `multiline` (-U) allows it")


class _Parser:
    def __init__(self, text: str, *, multiline: bool) -> None:
        self._text, self._multiline = text, multiline
        self._at = self._depth = 0

    def whole(self, flags: Flags) -> Node:
        found = self._choice(flags)
        if self._at < len(self._text):
            self._fail("a closing parenthesis without an opening one", self._at)
        return found

    # -- reading ---------------------------------------------------------------------------------------

    def _fail(self, what: str, at: int) -> NoReturn:
        raise BadInput(
            f"the regular expression is invalid at character {at + 1}: {what};"
            " without `regex` (-F) the text itself is looked for"
        )

    def _sees(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _takes(self, text: str) -> bool:
        if not self._sees(text):
            return False
        self._at += len(text)
        return True

    def _next(self, what: str, start: int) -> str:
        """One more character, which must be there."""
        if self._at >= len(self._text):
            self._fail(what, start)
        self._at += 1
        return self._text[self._at - 1]

    def _skip_space(self, flags: Flags) -> None:
        if flags.x:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at

    # -- groups and repetitions ------------------------------------------------------------------------

    def _choice(self, flags: Flags) -> Node:
        """Alternatives, up to a closing parenthesis or the end. A flag such as `(?i)` holds to the end of the group."""
        alternatives: list[Node] = []
        parts: list[Node] = []
        while True:
            self._skip_space(flags)
            start = self._at
            if start == len(self._text) or self._sees(")"):
                alternatives.append(_row(parts))
                return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))
            if self._takes("|"):
                alternatives.append(_row(parts))
                parts = []
            elif self._text[start] in "*+?{":
                if not parts:
                    self._fail("nothing to repeat", start)
                parts.append(self._repeat(parts.pop(), flags))
            else:
                found = self._part(flags)
                if isinstance(found, Flags):
                    flags = found
                else:
                    parts.append(found)

    def _repeat(self, part: Node, flags: Flags) -> Node:
        start = self._at
        sign = self._next("", start)
        least, most = self._counts(start, flags) if sign == "{" else _REPEATS[sign]
        return Repeat(part, least, most, self._takes("?") != flags.U)

    def _counts(self, start: int, flags: Flags) -> tuple[int, int | None]:
        found = re.compile(r"\s*(\d+)\s*(,\s*(\d*)\s*)?\}" if flags.x else r"(\d+)(,(\d*))?\}").match(
            self._text, self._at
        )
        if found is None:
            self._fail(r"a count such as {2} or {2,3} was expected; \{ is the character", start)
        self._at = found.end()
        if len(found[0]) > 12:
            self._fail("so many repetitions are too much", start)
        least = int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if most is not None and most < least:
            self._fail("a bad range of repetitions", start)
        return least, most

    def _part(self, flags: Flags) -> Node | Flags:
        start = self._at
        char = self._next("", start)
        if char == "(":
            return self._group(start, flags)
        if char == "[":
            return classes.spelled(self._class(start, flags), any_case=flags.i)
        if char == ".":
            return Chars("(?s:.)" if flags.s else "(?-s:.)", None, any_case=False)
        if char == "^":
            return Look("(?m:^)" if flags.m else r"\A")
        if char == "$":
            return Look("(?m:$)" if flags.m else r"\z")
        if char != "\\":
            return self._char(ord(char), flags)
        sign = self._text[self._at : self._at + 1]
        if sign in _ENDS and sign:
            self._at += 1
            if sign == "b" and self._sees("{"):
                self._fail(r"\b{…} is not supported; \b or -w may do", start)
            return Look(_ENDS[sign])
        found = self._escape(start, in_class=False)
        return self._char(found, flags) if isinstance(found, int) else classes.spelled(found, any_case=flags.i)

    def _char(self, code: int, flags: Flags) -> Char:
        if code == _NEWLINE and not self._multiline:
            _refuse_newline()
        return Char(code, flags.i)

    def _group(self, start: int, flags: Flags) -> Node | Flags:
        """What follows an opening parenthesis: a group, or flags for what is left of the one around it."""
        if any(self._sees(sign) for sign in ("?=", "?!", "?<=", "?<!")):
            self._fail("look-around is not supported, as in ripgrep", start)
        if self._sees("?P="):
            self._fail("back-references are not supported, as in ripgrep", start)
        self._depth += 1
        if self._depth > MAX_NESTING:
            _refuse_nesting()
        if self._sees("?") and not self._takes("?:"):
            name = re.compile(r"\?P?<[A-Za-z_][\w.\[\]]*>").match(self._text, self._at)
            if name is not None:
                self._at = name.end()
            else:
                self._at += 1
                flags = self._flags(start, flags)
                if self._takes(")"):
                    self._depth -= 1
                    return flags
                self._at += 1  # the colon
        inner = self._choice(flags)
        if not self._takes(")"):
            self._fail("a parenthesis that is not closed", start)
        self._depth -= 1
        return inner

    def _flags(self, start: int, flags: Flags) -> Flags:
        """Flags up to `:` or `)`, which is not taken."""
        value, changed = True, False
        while not (changed and (self._sees(":") or self._sees(")"))):
            sign = self._next("flags that are not closed", start)
            if sign == "-" and value:
                value, changed = False, False
                continue
            if sign in "uR":
                if (sign == "u") != value:
                    self._fail(f"the flag {sign if value else '-' + sign} is not supported: text is Unicode", start)
            elif sign not in Flags._fields:
                self._fail(f"the flag {sign!r} is not known", start)
            else:
                flags = flags._replace(**{sign: value})
            changed = True
        return flags

    # -- classes and escapes ---------------------------------------------------------------------------

    def _escape(self, start: int, *, in_class: bool) -> int | Members:
        """What follows a backslash: a character or a class."""
        sign = self._next("a backslash at the end", start)
        if sign in "dDsSwW":
            return classes.perl(sign)
        if sign in "pP":
            name = self._next("a property was expected", start)
            if name == "{":
                end = self._text.find("}", self._at)
                if end < 0:
                    self._fail("a brace that is not closed", start)
                name, self._at = self._text[self._at : end], end + 1
            found = classes.unicode(name, negated=sign == "P")
            if found is None:
                self._fail(
                    rf"the property {name!r} is not supported; categories (\p{{Lu}}) and scripts (\p{{Greek}}) are",
                    start,
                )
            return found
        if sign in _HEX_DIGITS:
            return self._hex(start, _HEX_DIGITS[sign])
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign.isdecimal():
            self._fail("back-references are not supported, as in ripgrep", start)
        if in_class and sign in _ENDS:
            self._fail(rf"\{sign} has no meaning in a class", start)
        if sign in "<>":
            self._fail(rf"\{sign} is not supported; \b or -w may do", start)
        if not sign.isascii() or sign.isalnum():
            self._fail(rf"\{sign} is not known", start)
        return ord(sign)

    def _hex(self, start: int, digits: int) -> int:
        if self._takes("{"):
            found = re.compile(r"([0-9A-Fa-f]{1,8})\}").match(self._text, self._at)
        else:
            found = re.compile(rf"([0-9A-Fa-f]{{{digits}}})").match(self._text, self._at)
        code = int(found[1], 16) if found else -1
        if found is None or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            self._fail("no hexadecimal number of a character", start)
        self._at = found.end()
        return code

    def _class(self, start: int, flags: Flags) -> Members:
        """What follows an opening bracket, up to the one that closes it."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            _refuse_nesting()
        negated = self._takes("^")
        found: list[Members] = []
        left: tuple[Members, str] | None = None
        while self._takes("-"):
            found.append(Members.of(ord("-"), ord("-")))
        if not found and self._takes("]"):
            found.append(Members.of(ord("]"), ord("]")))
        while True:
            self._skip_space(flags)
            if self._at >= len(self._text):
                self._fail("a class that is not closed", start)
            sign = self._text[self._at : self._at + 2]
            if sign in ("&&", "--", "~~"):
                self._at += 2
                left = (self._together(left, found, flags), sign)
                found = []
            elif self._takes("]"):
                break
            else:
                found.append(self._member(start, flags))
        self._depth -= 1
        whole = self._together(left, found, flags)
        if not self._multiline and whole.ranges == ((_NEWLINE, _NEWLINE),) and not negated:
            _refuse_newline()
        return classes.opposite(whole) if negated else whole

    def _together(self, left: tuple[Members, str] | None, found: list[Members], flags: Flags) -> Members:
        right = classes.union(found, any_case=flags.i)
        return right if left is None else classes.combined(left[0], left[1], right, any_case=flags.i)

    def _member(self, start: int, flags: Flags) -> Members:
        """One member of a class: a class in it, a range or a character."""
        posix = re.compile(r"\[:(\^?)(\w+):\]").match(self._text, self._at)
        if posix is not None and posix[2] in classes.POSIX:
            self._at = posix.end()
            return classes.posix(posix[2], negated=bool(posix[1]))
        inner = self._at
        if self._takes("["):
            return self._class(inner, flags)
        first = self._class_char(start)
        self._skip_space(flags)
        if not isinstance(first, int) or not self._sees("-") or self._sees("-]") or self._sees("--"):
            return Members.of(first, first) if isinstance(first, int) else first
        self._at += 1
        self._skip_space(flags)
        last = self._class_char(start)
        if not isinstance(last, int) or last < first:
            self._fail("bad character range", inner)
        return Members.of(first, last)

    def _class_char(self, start: int) -> int | Members:
        begin = self._at
        char = self._next("a class that is not closed", start)
        return self._escape(begin, in_class=True) if char == "\\" else ord(char)


def _row(parts: list[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Row(tuple(parts))
