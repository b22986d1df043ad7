"""Where a blob is cut for search: along its definitions, else along its lines.

A definition that fits is one chunk; a larger one is cut at its members; what has no members is cut at
blank lines and shallow indentation. Every line that is not blank is in exactly one chunk. It tokenises
nothing and never sees a path. Main call: `plan_chunks`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

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
_Piece = tuple[int, int, int, int]  # the same, and the definition whose member or own line it is


def plan_chunks(content: bytes, starts: list[int], symbols: list[Symbol], leading_lines: frozenset[int]) -> list[Plan]:
    """The chunks of a blob in order. `leading_lines` (1-based) belong to the definition that follows them."""
    if not content.strip():
        return []
    planner = _Planner(content, starts, symbols, leading_lines)
    return [piece[:3] for piece in planner.join_tiny(planner.pieces())]


class _Planner:
    def __init__(self, content: bytes, starts: list[int], symbols: list[Symbol], leading_lines: frozenset[int]) -> None:
        self._lines = content.split(b"\n")
        self._bounds = [*starts, len(content)]
        self._leading = leading_lines
        self._symbols = symbols
        self._members: dict[int, list[int]] = {}
        for ordinal, symbol in enumerate(symbols):
            if symbol.kind in _BOUNDARY_KINDS:
                parent = symbol.parent
                while parent >= 0 and symbols[parent].kind not in _BOUNDARY_KINDS:
                    parent = symbols[parent].parent
                self._members.setdefault(parent, []).append(ordinal)

    def pieces(self) -> Iterator[_Piece]:
        """The blob cut along its definitions. A stack, not recursion: hostile input nests very deep."""
        bounds, members_of = self._bounds, self._members
        work = [(0, len(bounds) - 2, -1, -1, True)]
        while work:
            first, last, owner, scope, is_definition = work.pop()
            fits = bounds[last + 1] - bounds[first] <= MAX_CHARS
            members = members_of.get(owner) if is_definition else None
            if members and not (fits and owner >= 0):
                work.extend(reversed(self._split(first, last, owner, members)))
            elif fits:
                yield from self._trimmed(first, last, owner, scope)
            else:
                yield from self._cut_lines(first, last, owner, scope)

    def _split(self, first: int, last: int, owner: int, members: list[int]) -> list[tuple[int, int, int, int, bool]]:
        """A definition's lines as: gap, member, gap, member, …, gap."""
        parts: list[tuple[int, int, int, int, bool]] = []
        cursor = first
        for ordinal in members:
            symbol = self._symbols[ordinal]
            start, end = symbol.start_line - 1, min(symbol.end_line - 1, last)
            if start < cursor or end < start:
                continue  # shares its first line with what came before: stays in the gap
            while start > cursor and (start in self._leading or self._lines[start - 1].lstrip().startswith(_ATTRIBUTE)):
                start -= 1
            if cursor < start:
                parts.append((cursor, start - 1, owner, owner, False))
            parts.append((start, end, ordinal, owner, True))
            cursor = end + 1
        if cursor <= last:
            parts.append((cursor, last, owner, owner, False))
        return parts

    def _cut_lines(self, first: int, last: int, owner: int, scope: int) -> Iterator[_Piece]:
        """Cut into pieces of at most MAX_CHARS, preferably after a blank line, at shallow indentation."""
        bounds = self._bounds
        while first < last and bounds[last + 1] - bounds[first] > MAX_CHARS:
            end = bisect_right(bounds, bounds[first] + MAX_CHARS, first, last + 1) - 2  # the last line that fits
            cut = self._best_cut(first, end) if end > first else first
            yield from self._trimmed(first, cut, owner, scope)
            first = cut + 1
        yield from self._trimmed(first, last, owner, scope)

    def _best_cut(self, first: int, end: int) -> int:
        """The line after which to cut: the last of the best, within the second half."""
        lines = self._lines
        best, best_cost = end, 1_000
        for line in range(first + (end - first) // 2, end + 1):
            following = lines[line + 1] if line + 1 < len(lines) else b""
            text = following.lstrip()
            cost = len(following) - len(text) + (4 if lines[line].strip() else 0) + (0 if text else 50)
            if cost <= best_cost:
                best, best_cost = line, cost
        return best

    def _trimmed(self, first: int, last: int, owner: int, scope: int) -> Iterator[_Piece]:
        """The piece without blank lines at its ends; nothing if it is all blank."""
        lines = self._lines
        while first <= last and not lines[first].strip():
            first += 1
        while last >= first and not lines[last].strip():
            last -= 1
        if first <= last:
            yield first, last, owner, scope

    def join_tiny(self, pieces: Iterator[_Piece]) -> list[_Piece]:
        """Join a tiny piece to the small one before it in the same scope, which then owns both."""
        bounds = self._bounds
        joined: list[_Piece] = []
        for piece in pieces:
            first, last, owner, scope = piece
            if joined and bounds[last + 1] - bounds[first] <= TINY_CHARS:
                first_before, last_before, owner_before, scope_before = joined[-1]
                is_small = owner_before == scope_before or bounds[last_before + 1] - bounds[first_before] <= TINY_CHARS
                if is_small and scope_before == scope and bounds[last + 1] - bounds[first_before] <= MERGE_CHARS:
                    joined[-1] = (first_before, last, owner if owner == owner_before else scope, scope)
                    continue
            joined.append(piece)
        return joined
