"""What is said about a definition: the comments right above it, or its docstring, cleaned of markers."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

MAX_DOC = 300
HEAD_LINES = 40
HEAD_BLOCKS = 3
_HEAD_BYTES = 4_096
_DOCSTRING = re.compile(rb"""(?:#[^\n]*\n|\s)*+[rRuU]?(\"\"\"|''')(.*?)\1""", re.DOTALL)
_LICENCE = re.compile(rb"copyright|licen[cs]e|spdx|all rights reserved|permission is hereby|warranty", re.IGNORECASE)
_MARKERS = re.compile(
    r"^\s*(?:/\*+!?|\*+/|///?!?|//!|\*|--\[=*\[|-{2,}(?:\s*[|^])?|#+!?|;+|%+|\{-\s*\|?|-\}|<!--|-->)?\s?"
)
# Searched for at every place of a text: one that began with something optional would take three to five times as long.
_CLOSERS = re.compile(r"(?:\*+/|-\}|-->|\]\])\s*$")
_OPENING_QUOTES = re.compile(r"""[rRbBuUfF]{0,2}(?:"{1,3}|'{1,3})""")
_ENDS_OF_CLOSERS = ("*/", "-}", "-->", "]]")
_QUOTES = ('"', "'")
_CLOSING_QUOTES = re.compile(r"""(?:"{1,3}|'{1,3})$""")
_ATTRIBUTE = (b"@", b"#[", b"[", b"#!")


class Comments:
    """The comment lines of a blob, and what they say of the definition below them."""

    def __init__(self, content: bytes, starts: list[int], nodes: list[Any]) -> None:
        self._content, self._starts = content, starts
        lines: set[int] = set()
        self.ends: dict[int, int] = {}  # where each comment ends and starts
        for node in nodes:
            start, end = node.start_byte, node.end_byte
            self.ends[end] = start
            first = bisect_right(starts, start)
            if not content[starts[first - 1] : start].strip():  # else it trails code on its line
                lines.update(range(first, bisect_right(starts, max(start, end - 1)) + 1))
        self.lines = frozenset(lines)  # 1-based

    def above(self, first_line: int, floor: int = 0) -> str:
        """The comments right above a definition's first line, cleaned; attributes may stand between.

        What stands on or above line `floor` speaks of the enclosing definition.
        """
        line = first_line - 1
        while line > floor and line not in self.lines and self._line(line).startswith(_ATTRIBUTE):
            line -= 1
        last = line
        while line > floor and line in self.lines:
            line -= 1
        if line >= last:
            return ""
        text = self._content[self._starts[line] : self._starts[last] if last < len(self._starts) else None]
        return clean(text.decode("utf-8", "replace"))

    def _line(self, line: int) -> bytes:
        end = self._starts[line] if line < len(self._starts) else len(self._content)
        return self._content[self._starts[line - 1] : end].strip()


def clean(text: str) -> str:
    """The first paragraph of a comment or docstring without its markers, on one line."""
    text = text.replace("<summary>", "").replace("</summary>", "")
    opening = _OPENING_QUOTES.match(text)
    text = text[opening.end() :] if opening is not None else text
    if text.removesuffix("\n").endswith(_QUOTES):  # else it would be looked for all over a long text
        text = _CLOSING_QUOTES.sub("", text)
    paragraph: list[str] = []
    for raw in text.splitlines():
        line = _MARKERS.sub("", raw, count=1).strip()
        if line.endswith(_ENDS_OF_CLOSERS):
            line = _CLOSERS.sub("", line).strip()
        if line:
            paragraph.append(line)
        elif paragraph:
            break
    return " ".join(paragraph)[:MAX_DOC]


def head_comment(content: bytes, starts: list[int], lines: frozenset[int]) -> bytes:
    """What a file says of itself: its docstring and the first comments near its top, without licence texts."""
    blocks: list[bytes] = []
    last = -1
    for line in sorted(line for line in lines if line <= HEAD_LINES):
        text = content[starts[line - 1] : starts[line] if line < len(starts) else len(content)]
        if line == last + 1 and blocks:
            blocks[-1] += text
        else:
            blocks.append(text)
        last = line
    docstring = _DOCSTRING.match(content[:_HEAD_BYTES])
    if docstring:
        blocks.insert(0, docstring[2])
    return b"\n".join([block for block in blocks if not _LICENCE.search(block)][:HEAD_BLOCKS])
