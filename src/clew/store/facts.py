"""Blobs and what is known of them: added once, never updated, removed only by the sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import apsw

from clew.packing import unpack
from clew.store import vectors
from clew.store.database import fetch_all, fetch_one
from clew.store.segments import CHUNK_BITS
from clew.types import Chunk, Facts, Import, Symbol

_ORDINALS = (1 << CHUNK_BITS) - 1
_LENGTH = Chunk._fields.index("length")
MAX_KEPT, MAX_KEPT_BYTES = 512, 50_000  # unpacked contents that are kept, and of how many bytes one may be


class FactsKey(NamedTuple):
    """What facts depend on, and nothing else."""

    blob_hash: bytes
    language: str
    extractor: int


class BlobRow(NamedTuple):
    id: int
    size: int
    tombstone: int | None


def find_blob(connection: apsw.Connection, blob_hash: bytes) -> BlobRow | None:
    """The blob with this hash, if the store has it."""
    row = fetch_one(connection, "SELECT id, size, tombstone FROM blob WHERE hash = ?", (blob_hash,))
    return BlobRow(*row) if row else None


def language_of(connection: apsw.Connection, facts_id: int) -> str:
    """The language that a blob was read as."""
    row = fetch_one(connection, "SELECT language FROM facts WHERE id = ?", (facts_id,))
    return row[0] if row else ""


def find_facts(connection: apsw.Connection, blob: int, language: str, extractor: int) -> tuple[int, int | None] | None:
    """(id, tombstone) of the facts of a blob read as that language by that extractor."""
    row: tuple[int, int | None] | None = fetch_one(
        connection,
        "SELECT id, tombstone FROM facts WHERE blob = ? AND language = ? AND extractor = ?",
        (blob, language, extractor),
    )
    return row


def revive(connection: apsw.Connection, blobs: Iterable[int], facts: Iterable[int]) -> None:
    """Clear tombstones: these are in use again."""
    connection.executemany(
        "UPDATE blob SET tombstone = NULL WHERE id = ? AND tombstone IS NOT NULL", ((i,) for i in blobs)
    )
    connection.executemany(
        "UPDATE facts SET tombstone = NULL WHERE id = ? AND tombstone IS NOT NULL", ((i,) for i in facts)
    )


def bury(connection: apsw.Connection, blobs: Iterable[int], facts: Iterable[int]) -> None:
    """Mark what a flip has just replaced, if nothing refers to it any more, as the next sweep would.

    So the sweep after that removes it: a switch of branches and back again parses nothing."""
    for table, ids in (("blob", blobs), ("facts", facts)):
        connection.executemany(
            f"UPDATE {table} SET tombstone = (SELECT value + 1 FROM counter WHERE name = 'sweep') WHERE id = ?1"
            f" AND tombstone IS NULL AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.{table} = ?1)",
            ((i,) for i in sorted(ids)),
        )


def add_blob(connection: apsw.Connection, blob_hash: bytes, size: int, compressed: bytes) -> int:
    """Store a content; the id of the one that is there if another process was faster."""
    known = find_blob(connection, blob_hash)
    if known is not None:
        revive(connection, [known.id], ())
        return known.id
    connection.execute("INSERT INTO blob (hash, size, bytes) VALUES (?, ?, ?)", (blob_hash, size, compressed))
    return connection.last_insert_rowid()


def add_facts(connection: apsw.Connection, blob: int, key: FactsKey, facts: Facts) -> int:
    """Store the facts of a blob, of which the rows may be plain tuples; the id of those that are there if another
    process was faster."""
    known = find_facts(connection, blob, key.language, key.extractor)
    if known:
        revive(connection, (), [known[0]])
        return known[0]
    tokens_total = sum(int(row[_LENGTH]) for row in facts.chunks)
    connection.execute(
        "INSERT INTO facts (blob, language, extractor, interface, uses, links, chunks, symbols, tokens, diagnostics,"
        " names_terms, names_freqs, about_terms, about_freqs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            blob,
            key.language,
            key.extractor,
            facts.interface,
            facts.uses,
            facts.links[0],
            len(facts.chunks),
            len(facts.symbols),
            tokens_total,
            " ".join(facts.diagnostics),
            *facts.names,
            *facts.about,
        ),
    )
    facts_id = connection.last_insert_rowid()
    base = facts_id << CHUNK_BITS
    connection.executemany(
        "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        ((base | i, *chunk) for i, chunk in enumerate(facts.chunks)),
    )
    connection.executemany(
        "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((base | i, *symbol) for i, symbol in enumerate(facts.symbols)),
    )
    connection.executemany(
        "INSERT INTO import VALUES (?, ?, ?, ?, ?, ?)", ((base | i, *row) for i, row in enumerate(facts.imports))
    )
    first = base + len(facts.symbols)
    connection.executemany(
        "INSERT INTO attribute VALUES (?, ?, ?, ?)",
        ((first + i, name, owner, byte) for i, (owner, name, byte, _) in enumerate(facts.links[1])),
    )
    return facts_id


def remove_facts(connection: apsw.Connection, facts: Iterable[int]) -> None:
    """Delete facts and all that hangs on them."""
    for facts_id in facts:
        span = id_range(facts_id)
        for table in ("chunk", "symbol", "import", "attribute"):
            connection.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", span)
        vectors.forget(connection, span)
        connection.execute("DELETE FROM facts WHERE id = ?", (facts_id,))


def blob_of(connection: apsw.Connection, facts: int) -> int:
    """The blob that facts are of."""
    blob: int = connection.execute("SELECT blob FROM facts WHERE id = ?", (facts,)).get
    return blob


def content(connection: apsw.Connection, blob: int) -> bytes:
    """The bytes of a blob."""
    packed: bytes = connection.execute("SELECT bytes FROM blob WHERE id = ?", (blob,)).get
    return unpack(packed)


def kept_content(connection: apsw.Connection, blob: int, blob_hash: str, kept: dict[str, bytes]) -> bytes:
    """The same, which leaves the last ones in `kept`: questions that follow each other are about the same files."""
    found = kept.get(blob_hash)
    if found is None:
        found = content(connection, blob)
        if len(found) <= MAX_KEPT_BYTES:
            kept[blob_hash] = found
            for old in list(kept)[:-MAX_KEPT]:
                kept.pop(old, None)
    return found


@contextmanager
def packed_reader(connection: apsw.Connection) -> Iterator[Callable[[int], bytes]]:
    """Contents as they are kept, packed; one handle goes from blob to blob: ten times as fast as statements."""
    handle: apsw.Blob | None = None

    def read(blob: int) -> bytes:
        nonlocal handle
        if handle is None:
            handle = connection.blob_open("main", "blob", "bytes", blob, False)
        else:
            handle.reopen(blob)
        return handle.read()

    try:
        yield read
    finally:
        if handle is not None:
            handle.close(True)  # what failed was told already


def symbols_of(connection: apsw.Connection, facts: int) -> list[Symbol]:
    """The symbols of a blob, outer before inner."""
    rows = fetch_all(
        connection,
        "SELECT kind, name, qualified, start_byte, end_byte, name_byte, start_line, end_line, signature, doc, parent"
        " FROM symbol WHERE id BETWEEN ? AND ? ORDER BY id",
        id_range(facts),
    )
    return [Symbol(*row) for row in rows]


def find_symbol(connection: apsw.Connection, facts: int, ordinal: int) -> Symbol | None:
    """One symbol of a blob, if it has so many."""
    row = fetch_one(
        connection,
        "SELECT kind, name, qualified, start_byte, end_byte, name_byte, start_line, end_line, signature, doc, parent"
        " FROM symbol WHERE id = ?",
        (facts << CHUNK_BITS | ordinal,),
    )
    return Symbol(*row) if row is not None else None


def imports_of(connection: apsw.Connection, facts: int) -> list[Import]:
    """The imports of a blob in order of place."""
    rows = connection.execute(
        "SELECT module, name, alias, start_byte, line FROM import WHERE id BETWEEN ? AND ? ORDER BY id",
        id_range(facts),
    )
    return [*map(Import._make, rows)]


def names_of(connection: apsw.Connection, facts: int) -> Iterable[tuple[Any, ...]]:
    """(kind, name, parent) of the symbols of a blob, outer before inner."""
    return connection.execute(
        "SELECT kind, name, parent FROM symbol WHERE id BETWEEN ? AND ? ORDER BY id", id_range(facts)
    )


def defining(connection: apsw.Connection, name: str) -> list[int]:
    """The facts of the blobs that define a name, in whatever codebase."""
    rows = fetch_all(connection, f"SELECT DISTINCT id >> {CHUNK_BITS} FROM symbol WHERE name = ?", (name,))
    return [row[0] for row in rows]


def links_of(connection: apsw.Connection, facts: int) -> bytes:
    """What the names of a blob mean in it, packed."""
    packed: bytes = connection.execute("SELECT links FROM facts WHERE id = ?", (facts,)).get
    return packed


def uses_of(connection: apsw.Connection, facts: int) -> bytes:
    """The uses of names in a blob, packed."""
    packed: bytes = connection.execute("SELECT uses FROM facts WHERE id = ?", (facts,)).get
    return packed


def chunks_of(connection: apsw.Connection, facts: int) -> list[Chunk]:
    """The chunks of a blob in order of place."""
    rows = fetch_all(
        connection,
        "SELECT start_byte, end_byte, start_line, end_line, symbol, length, terms, freqs"
        " FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id",
        id_range(facts),
    )
    return [Chunk(*row) for row in rows]


def id_range(facts: int) -> tuple[int, int]:
    """The first and last possible id of a chunk, symbol or import of these facts."""
    return facts << CHUNK_BITS, facts << CHUNK_BITS | _ORDINALS
