"""Where a blob is cut for search: along its definitions, else along its lines.

A definition that fits is one chunk; a larger one is cut at its members; what has no members is cut at
blank lines and shallow indentation. Every line that is not blank is in exactly one chunk. It tokenises
nothing and never sees a path. Main call: `plan_chunks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from clew.types import Symbol

MAX_CHARS = 1_600  # a function of about 40 lines stays whole
MERGE_CHARS = 800  # neighbours that are tiny are joined up to this
TINY_CHARS = 160  # one-line accessors, constants
_BOUNDARY_KINDS = frozenset(
    "function method constructor class interface struct enum trait impl object protocol extension "
    "module namespace macro type section table view rule test".split()
)
_ATTRIBUTE = (b"@", b"#[")

Plan = tuple[int, int, int]  # first line, last line (0-based, inclusive), ordinal of the owner or -1


class _Piece(NamedTuple):
    first: int
    last: int
    owner: int
    scope: int  # the definition whose member or own line this is


def plan_chunks(
    content: bytes, starts: list[int], symbols: list[Symbol], leading_lines: frozenset[int]
) -> list[Plan]:
    """The chunks of a blob in order. `leading_lines` (1-based) belong to the definition that follows them."""
    if not content.strip():
        return []
    planner = _Planner(content, starts, symbols, leading_lines)
    return [(piece.first, piece.last, piece.owner) for piece in planner.join_tiny(planner.pieces())]


class _Planner:
    def __init__(
        self, content: bytes, starts: list[int], symbols: list[Symbol], leading_lines: frozenset[int]
    ) -> None:
        self._content, self._starts, self._leading = content, starts, leading_lines
        self._symbols = symbols
        self._members: dict[int, list[int]] = {}
        for ordinal, symbol in enumerate(symbols):
            if symbol.kind in _BOUNDARY_KINDS:
                self._members.setdefault(self._scope(symbol), []).append(ordinal)

    def _scope(self, symbol: Symbol) -> int:
        parent = symbol.parent
        while parent >= 0 and self._symbols[parent].kind not in _BOUNDARY_KINDS:
            parent = self._symbols[parent].parent
        return parent

    def _end(self, line: int) -> int:
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self._content)

    def _size(self, first: int, last: int) -> int:
        return self._end(last) - self._starts[first]

    def _line(self, line: int) -> bytes:
        return self._content[self._starts[line] : self._end(line)]

    def pieces(self) -> Iterator[_Piece]:
        """The blob cut along its definitions. A stack, not recursion: hostile input nests very deep."""
        work = [(_Piece(0, len(self._starts) - 1, -1, -1), True)]
        while work:
            piece, is_definition = work.pop()
            fits = self._size(piece.first, piece.last) <= MAX_CHARS
            members = self._members.get(piece.owner) if is_definition else None
            if members and not (fits and piece.owner >= 0):
                work.extend(reversed(self._split(piece, members)))
            elif fits:
                yield from self._trim(piece)
            else:
                yield from self._cut_lines(piece)

    def _split(self, piece: _Piece, members: list[int]) -> list[tuple[_Piece, bool]]:
        """A definition's lines as: gap, member, gap, member, …, gap."""
        owner = piece.owner
        parts: list[tuple[_Piece, bool]] = []
        cursor = piece.first
        for ordinal in members:
            symbol = self._symbols[ordinal]
            start, end = symbol.start_line - 1, min(symbol.end_line - 1, piece.last)
            if start < cursor or end < start:
                continue  # shares its first line with what came before: stays in the gap
            while start > cursor and self._leads(start - 1):
                start -= 1
            if cursor < start:
                parts.append((_Piece(cursor, start - 1, owner, owner), False))
            parts.append((_Piece(start, end, ordinal, owner), True))
            cursor = end + 1
        if cursor <= piece.last:
            parts.append((_Piece(cursor, piece.last, owner, owner), False))
        return parts

    def _leads(self, line: int) -> bool:
        """Whether a line (0-based) belongs to the definition below it: a comment or an attribute."""
        return line + 1 in self._leading or self._line(line).lstrip().startswith(_ATTRIBUTE)

    def _cut_lines(self, piece: _Piece) -> Iterator[_Piece]:
        """Cut into pieces of at most MAX_CHARS, preferably after a blank line, at shallow indentation."""
        first, last = piece.first, piece.last
        while first < last and self._size(first, last) > MAX_CHARS:
            end = first
            while end < last and self._size(first, end + 1) <= MAX_CHARS:
                end += 1
            cut = self._best_cut(first, end) if end > first else first
            yield from self._trim(piece._replace(first=first, last=cut))
            first = cut + 1
        yield from self._trim(piece._replace(first=first))

    def _best_cut(self, first: int, end: int) -> int:
        """The line after which to cut: the last of the best, within the second half."""
        best, best_cost = end, 1_000
        for line in range(first + (end - first) // 2, end + 1):
            following = self._line(line + 1) if line + 1 < len(self._starts) else b""
            text = following.lstrip(b" \t")
            indent = len(following) - len(text)
            cost = indent + (0 if not self._line(line).strip() else 4) + (50 if not text.strip() else 0)
            if cost <= best_cost:
                best, best_cost = line, cost
        return best

    def _trim(self, piece: _Piece) -> Iterator[_Piece]:
        """The piece without blank lines at its ends; nothing if it is all blank."""
        first, last = piece.first, piece.last
        while first <= last and not self._line(first).strip():
            first += 1
        while last >= first and not self._line(last).strip():
            last -= 1
        if first <= last:
            yield _Piece(first, last, piece.owner, piece.scope)

    def join_tiny(self, pieces: Iterator[_Piece]) -> list[_Piece]:
        """Join a tiny piece to the small one before it in the same scope, which then owns both."""
        joined: list[_Piece] = []
        for piece in pieces:
            before = joined[-1] if joined else None
            if before is not None and self._joinable(before, piece):
                owner = piece.owner if piece.owner == before.owner else piece.scope
                joined[-1] = _Piece(before.first, piece.last, owner, piece.scope)
            else:
                joined.append(piece)
        return joined

    def _joinable(self, left: _Piece, right: _Piece) -> bool:
        return (
            left.scope == right.scope
            and self._size(right.first, right.last) <= TINY_CHARS
            and self._size(left.first, right.last) <= MERGE_CHARS
            and (left.owner == left.scope or self._size(left.first, left.last) <= TINY_CHARS)
        )
