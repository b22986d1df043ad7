"""Exact look-ups in one snapshot: symbols by name, the outline of a file, its text, the list of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from clew import tokens
from clew.errors import Ambiguous, BadInput, NotFound
from clew.parse.languages import language_of
from clew.search.filters import Filter
from clew.source.trees import walk
from clew.store import facts as fact_rows
from clew.store import postings as posting_rows
from clew.store import snapshots
from clew.store.postings import FileOf
from clew.store.segments import CHUNK_BITS
from clew.store.snapshots import Entry, Snapshot
from clew.types import FileItem, Symbol

MAX_READ_LINES = 2_000
_KIND_ORDER = ("class", "interface", "struct", "trait", "protocol", "enum", "type", "function", "method")


@dataclass(frozen=True, slots=True)
class Defined:
    """A symbol with the file it stands in."""

    file: FileOf
    symbol: Symbol


def symbols_named(
    connection: apsw.Connection, snapshot: Snapshot, name: str, where: Filter, *, kind: str | None = None
) -> list[Defined]:
    """Definitions called `name`, which may be qualified; the exact case first, then any case."""
    parts = tokens.split_qualified(name.encode("utf-8", "replace").decode())
    if not parts:
        return []
    suffix = "." + ".".join(parts)
    for is_exact in (True, False):  # what is found in the exact case hides the rest, if it is what was asked for
        named = _named(connection, snapshot, parts[-1], where, exact=is_exact)
        found = [item for item in named if kind is None or item.symbol.kind == kind]
        matching = [item for item in found if f".{item.symbol.qualified}".lower().endswith(suffix.lower())]
        exact = [item for item in matching if f".{item.symbol.qualified}".endswith(suffix)]
        chosen = exact or matching
        if chosen:
            break
    return sorted(chosen, key=lambda item: (_kind_rank(item.symbol.kind), item.file.path, item.symbol.start_byte))


def outline(connection: apsw.Connection, entry: Entry) -> list[Symbol]:
    """The definitions of a file, outer before inner."""
    return fact_rows.symbols_of(connection, entry.facts) if entry.facts is not None else []


def file_entry(connection: apsw.Connection, snapshot: Snapshot, path: str) -> Entry:
    """A file of the snapshot by its key, or `NotFound`."""
    entry = snapshots.entry_at(connection, snapshot.id, path)
    if entry is None:
        raise NotFound(f"{path} is not in the index: it does not exist, or is ignored")
    return entry


def files_ending(connection: apsw.Connection, snapshot: Snapshot, key: str) -> list[Entry]:
    """Files whose path ends like this, in order; none where it is the path of one."""
    if snapshots.entry_at(connection, snapshot.id, key) is not None:
        return []
    return [e for e in snapshots.entries(connection, snapshot.id).values() if e.path.endswith(f"/{key}")]


def touched(symbols: Sequence[Symbol], lines: tuple[int, int]) -> tuple[Symbol, ...]:
    """Those of a file's symbols that some lines touch, with what holds them."""
    return _chosen(symbols, [at for at, symbol in enumerate(symbols) if _touches(symbol, lines)])


def part_of(symbols: Sequence[Symbol], wanted: Symbol) -> tuple[Symbol, ...]:
    """One of a file's symbols with all that it holds."""
    kept = [symbols.index(wanted)]
    inside = set(kept)
    for at, symbol in enumerate(symbols):  # outer before inner
        if symbol.parent in inside:
            inside.add(at)
            kept.append(at)
    return _chosen(symbols, kept)


def symbol_in(entry: Entry, symbols: Sequence[Symbol], name: str, lines: tuple[int, int] | None = None) -> Symbol:
    """The one symbol of a file with this name, touched by these lines; several are `Ambiguous`, none is `NotFound`."""
    suffix = "." + ".".join(tokens.split_qualified(name))
    among = [symbol for symbol in symbols if lines is None or _touches(symbol, lines)]
    found = [symbol for symbol in among if f".{symbol.qualified}".endswith(suffix)]
    exact = [s for s in found if f".{s.qualified}" == suffix]
    if len(exact or found) > 1:
        places = tuple(f"{entry.path}:{s.start_line} {s.qualified}" for s in exact or found)
        raise Ambiguous(f"{entry.path} has {len(places)} symbols called {name}; qualify it or give lines", places)
    if not found:
        raise NotFound(f"{entry.path} has no symbol called {name}; `clew outline` lists what it has")
    return (exact or found)[0]


def check_range(lines: tuple[int, int] | None) -> None:
    """Refuse lines that are no range."""
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        raise BadInput(f"lines {lines[0]}:{lines[1]} are not a range; write A:B with 1 ≤ A ≤ B")


def cut_lines(path: str, content: bytes, lines: tuple[int, int] | None) -> tuple[str, int, int, int, bool]:
    """The text of a range of lines: text, first and last line, how many the file has, whether it was cut short."""
    text = [line.removesuffix("\r") for line in content.decode("utf-8", "replace").split("\n")]
    if not text[-1]:  # not splitlines: a form feed ends no line
        text.pop()
    first, last = lines or (1, max(len(text), 1))
    check_range((first, last))
    if first > max(len(text), 1):
        raise BadInput(f"{path} has {len(text)} lines; there is no line {first}")
    last = min(last, len(text))
    shown = min(last, first + MAX_READ_LINES - 1)
    return "\n".join(text[first - 1 : shown]), first, shown, len(text), shown < last


def list_entries(connection: apsw.Connection, snapshot: Snapshot, where: Filter) -> list[Entry]:
    """Every file of the snapshot that passes, in order of path."""
    entries = list(snapshots.entries(connection, snapshot.id).values())
    return [entries[at] for at in where.places(entries)]


def list_tree(root: str, excluded: frozenset[str], where: Filter) -> list[FileItem]:
    """Every file of a tree that passes, straight from the disk, in order of path."""
    listed = ((path, stat, language_of(path)) for path, stat in walk(root, excluded_roots=excluded).files.items())
    return [
        FileItem(path, stat.size, stat.mtime_ns, language, None)
        for path, stat, language in listed
        if where.allows(path, language)
    ]


def _touches(symbol: Symbol, lines: tuple[int, int]) -> bool:
    return symbol.start_line <= lines[1] and lines[0] <= symbol.end_line


def _chosen(symbols: Sequence[Symbol], kept: list[int]) -> tuple[Symbol, ...]:
    """Some of a file's symbols by their places; one whose holder is not among them is at the top."""
    places = {at: place for place, at in enumerate(kept)}
    return tuple(symbols[at]._replace(parent=places.get(symbols[at].parent, -1)) for at in kept)


def _named(connection: apsw.Connection, snapshot: Snapshot, name: str, where: Filter, *, exact: bool) -> list[Defined]:
    rows = posting_rows.symbols_by_name(connection, snapshot.id, name, exact=exact)
    files = posting_rows.files_of(connection, snapshot.id, {symbol_id >> CHUNK_BITS for symbol_id, _ in rows})
    return [
        Defined(file, symbol)
        for symbol_id, symbol in rows
        for file in files.get(symbol_id >> CHUNK_BITS, ())
        if where.allows(file.path, file.language)
    ]


def _kind_rank(kind: str) -> int:
    return _KIND_ORDER.index(kind) if kind in _KIND_ORDER else len(_KIND_ORDER)
