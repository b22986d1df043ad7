"""Ranked search over one snapshot: candidates, scores, order, hits. Main call: `find`."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from clew import tokens
from clew.search import rank
from clew.search.filters import Filter
from clew.search.query import Query
from clew.search.score import Bm25
from clew.store import facts as fact_rows
from clew.store import postings as posting_rows
from clew.store import snapshots
from clew.store.lexical import CHUNK_BITS
from clew.store.postings import FileOf
from clew.store.snapshots import Snapshot
from clew.store.store import Store
from clew.types import Hit

DEPTH = 500  # candidates scored exactly; tested against scoring everything
MAX_PATH_MATCHES = 30
MAX_DEFINITIONS = 500
WHOLE_SYMBOL_LINES = 60  # a hit shows its whole definition up to this, else the chunk
MIN_PATH_WORD = 3


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit before its text is read: which chunk of which file, and how well it fits."""

    file: FileOf
    chunk: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits in order; when not `is_complete`, there are more than were looked at."""

    hits: list[Ranked]
    is_complete: bool


def find(store: Store, connection: apsw.Connection, snapshot: Snapshot, query: Query, where: Filter) -> Ranking:
    """The hits of a query, best first, one for each definition."""
    allowed = _allowed(connection, snapshot, where)
    found = posting_rows.candidates(store, connection, snapshot, query.terms, depth=DEPTH, allowed=allowed)
    chunks = found.chunks
    if allowed is not None:  # the best chunk of the whole snapshot is what scores are shares of
        whole = posting_rows.candidates(store, connection, snapshot, query.terms, depth=DEPTH, allowed=None)
        chunks = chunks + whole.chunks
    defined = _definitions(connection, snapshot, query)
    named = _named_files(connection, snapshot, query)
    hashes = [tokens.term_hash(term) for term in query.terms]
    bm25 = Bm25(snapshot, posting_rows.document_frequencies(connection, snapshot.id, hashes))
    scores = bm25.scores(posting_rows.postings(connection, {*chunks, *defined, *named}))
    best = max(scores.values(), default=1.0)
    members = posting_rows.files_of(
        connection, snapshot.id, {chunk >> CHUNK_BITS for chunk in (*scores, *defined, *named)}
    )
    scored: list[tuple[float, str, int]] = []
    files: dict[str, FileOf] = {}
    features: dict[str, float] = {}
    for chunk in sorted({*scores, *defined, *named}):
        facts = chunk >> CHUNK_BITS
        if allowed is not None and facts not in allowed:
            continue
        value = scores.get(chunk, 0.0) / best + defined.get(chunk, 0.0)
        for file in members.get(facts, ()):
            path = file.path
            if path not in features:
                if not where.allows(path, file.language):
                    continue
                files[path] = file
                features[path] = rank.file_feature(path, query, bm25)
            scored.append((value + features[path], path, chunk))
    ordered = [Ranked(files[path], chunk, score) for score, path, chunk in rank.order(scored)]
    return Ranking(_one_per_symbol(connection, ordered), found.is_complete)


def show(connection: apsw.Connection, hit: Ranked, is_fresh: bool) -> Hit:
    """A hit with its lines, widened to the definition around it when that is short."""
    place = posting_rows.chunk_place(connection, hit.chunk)
    source = fact_rows.content(connection, hit.file.blob)
    first, last, start, end = place.start_line, place.end_line, place.start_byte, place.end_byte
    name = kind = ""
    if place.symbol >= 0:
        symbol = fact_rows.symbols_of(connection, hit.file.facts)[place.symbol]
        name, kind = symbol.qualified, symbol.kind
        if symbol.end_line - symbol.start_line < WHOLE_SYMBOL_LINES and first > symbol.start_line:
            first, start = symbol.start_line, source.rfind(b"\n", 0, symbol.start_byte) + 1
        if symbol.end_line - symbol.start_line < WHOLE_SYMBOL_LINES and last < symbol.end_line:
            last, end = symbol.end_line, source.find(b"\n", symbol.end_byte)  # whole lines: not without a `;`
            end = len(source) if end < 0 else end
    text = source[start:end].decode("utf-8", "replace").rstrip("\r\n")
    blob_hash = snapshots.blob_hash(connection, hit.file.blob)
    file = hit.file
    return Hit(file.path, first, last, name, kind, file.language, round(hit.score, 4), text, blob_hash, is_fresh)


def _allowed(connection: apsw.Connection, snapshot: Snapshot, where: Filter) -> frozenset[int] | None:
    if where.is_empty:
        return None
    rows = posting_rows.all_facts(connection, snapshot.id)
    return frozenset(facts for path, language, facts in rows if where.allows(path, language))


def _definitions(connection: apsw.Connection, snapshot: Snapshot, query: Query) -> dict[int, float]:
    """Chunks that define a name the query spells out, with what that is worth."""
    found: dict[int, float] = {}
    for identifier in query.identifiers:
        *_, name = tokens.split_qualified(identifier)
        wanted = ".".join(tokens.split_qualified(identifier))
        for spelling in dict.fromkeys((name, name.lower(), name.capitalize())):
            for symbol, _, qualified, byte in posting_rows.definitions(
                connection, snapshot.id, spelling, MAX_DEFINITIONS
            ):
                if not f".{qualified}".lower().endswith(f".{wanted}".lower()):
                    continue
                chunk = posting_rows.chunk_at(connection, symbol >> CHUNK_BITS, byte)
                if chunk is not None:
                    worth = rank.definition_feature(spelling, name)
                    found[chunk] = max(found.get(chunk, 0.0), worth)
    return found


def _named_files(connection: apsw.Connection, snapshot: Snapshot, query: Query) -> list[int]:
    """The first chunks of files whose path holds a word of the query."""
    words = [word for word in query.words if len(word) >= MIN_PATH_WORD]
    return [
        facts << CHUNK_BITS
        for word in words[:8]
        for _, facts in posting_rows.paths_like(connection, snapshot.id, word, MAX_PATH_MATCHES)
    ]


def _one_per_symbol(connection: apsw.Connection, ordered: list[Ranked]) -> list[Ranked]:
    """Keep the best chunk of each definition of each file."""
    owners = posting_rows.owners(connection, {hit.chunk for hit in ordered})
    seen: set[tuple[str, int]] = set()
    kept = []
    for hit in ordered:
        if hit.chunk not in owners:
            continue
        key = (hit.file.path, owners[hit.chunk])
        if owners[hit.chunk] < 0 or key not in seen:
            seen.add(key)
            kept.append(hit)
    return kept
