"""Vectors that an embedding provider made: truth, since nothing here can make them again.

A vector belongs to a text and a model, not to a file: whatever has the same text has the same vector, on
every path and branch and after every reindex. `embedded` says which text stands for a chunk. Main calls:
`lacking`, `add`, `matrix`, `sweep`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from clew.store.database import fetch_all, fetch_one
from clew.store.segments import CHUNK_BITS
from clew.types import ModelName

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HAS_VECTOR = (
    "EXISTS (SELECT 1 FROM embedded JOIN vector ON vector.text = embedded.text AND vector.model = ?1"
    " WHERE embedded.chunk = chunk.id)"
)


def find_model(connection: apsw.Connection, model: ModelName) -> int:
    """The number of a model in this store; 0, which no vector has, when it made none here."""
    row = fetch_one(
        connection,
        "SELECT id FROM vector_model WHERE provider = ? AND model = ? AND dimension = ?",
        (model.provider, model.model, model.dimension),
    )
    return int(row[0]) if row else 0


def add_model(connection: apsw.Connection, model: ModelName, probe: bytes) -> None:
    """Note a model and its vector of the probe; one that is there stays, if somebody was faster."""
    connection.execute(
        "INSERT OR IGNORE INTO vector_model (provider, model, dimension, probe) VALUES (?, ?, ?, ?)",
        (model.provider, model.model, model.dimension, probe),
    )


def probe_of(connection: apsw.Connection, model: ModelName) -> bytes | None:
    """A model's vector of the probe, as it was when the model was first used here; None if it never was."""
    row = fetch_one(connection, "SELECT probe FROM vector_model WHERE id = ?", (find_model(connection, model),))
    return row[0] if row else None


def lacking(connection: apsw.Connection, number: int, facts: Iterable[int]) -> list[int]:
    """The chunks of these facts that have no vector of this model, in order."""
    found: list[int] = []
    for item in facts:
        span = (number, item << CHUNK_BITS, (item + 1 << CHUNK_BITS) - 1)
        sql = f"SELECT id FROM chunk WHERE id BETWEEN ?2 AND ?3 AND NOT {_HAS_VECTOR} ORDER BY id"
        found += [row[0] for row in connection.execute(sql, span)]
    return found


def is_known(connection: apsw.Connection, number: int, text: bytes) -> bool:
    """Whether this model has embedded a text already."""
    return fetch_one(connection, "SELECT 1 FROM vector WHERE text = ? AND model = ?", (text, number)) is not None


def link(connection: apsw.Connection, number: int, chunks: Iterable[tuple[int, bytes]]) -> None:
    """Say which text stands for each chunk, where its vector is still there."""
    connection.executemany(
        "INSERT OR REPLACE INTO embedded SELECT ?1, ?2 WHERE EXISTS"
        " (SELECT 1 FROM vector WHERE text = ?2 AND model = ?3)",
        ((chunk, text, number) for chunk, text in chunks),
    )


def add(connection: apsw.Connection, number: int, vectors: Iterable[tuple[bytes, bytes]]) -> None:
    """Keep the vectors of some texts; those that are there stay."""
    connection.executemany(
        "INSERT OR IGNORE INTO vector (text, row, model) VALUES (?, ?, ?)",
        ((text, row, number) for text, row in vectors),
    )


def matrix(
    connection: apsw.Connection, model: ModelName, chunks: Sequence[int]
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The vectors of these chunks (ascending), one row each, and which of them have one."""
    import numpy as np

    rows = np.zeros((len(chunks), model.dimension), np.int8)
    held = np.zeros(len(chunks), bool)
    if not len(chunks):
        return rows, held
    ids = np.asarray(chunks, np.int64)
    found: Iterable[tuple[Any, ...]] = connection.execute(
        "SELECT chunk, row FROM embedded JOIN vector ON vector.text = embedded.text AND vector.model = ?"
        " WHERE chunk BETWEEN ? AND ?",
        (find_model(connection, model), int(ids[0]), int(ids[-1])),
    )
    for chunk, row in found:
        place = int(np.searchsorted(ids, chunk))
        if place < len(ids) and ids[place] == chunk and len(row) == model.dimension:
            rows[place] = np.frombuffer(row, np.int8)
            held[place] = True
    return rows, held


def forget(connection: apsw.Connection, span: tuple[int, int]) -> None:
    """The chunks of this range are gone; their texts stay until the sweep."""
    connection.execute("DELETE FROM embedded WHERE chunk BETWEEN ? AND ?", span)


def missing(connection: apsw.Connection, model: ModelName) -> int:
    """Chunks of codebases made with this model that have no vector of it: none, unless the database was damaged."""
    count: int = connection.execute(
        "SELECT count(*) FROM chunk WHERE id >> ?2 IN (SELECT entry.facts FROM codebase"
        " JOIN snapshot ON snapshot.codebase = codebase.id JOIN entry ON entry.snapshot = snapshot.id"
        " WHERE state IN ('indexed', 'sync_completed') AND fingerprint ->> 'embeddingProvider' = ?3"
        f" AND fingerprint ->> 'embeddingModel' = ?4) AND NOT {_HAS_VECTOR}",
        (find_model(connection, model), CHUNK_BITS, model.provider, model.model),
    ).get
    return count


def count(connection: apsw.Connection) -> int:
    """How many vectors are kept."""
    total: int = connection.execute("SELECT count(*) FROM vector").get
    return total


def sweep(connection: apsw.Connection) -> int:
    """Remove vectors that no chunk and no codebase's model needs; the number of them.

    Not while an index is unfinished: a reindex has dropped its chunks and will want their vectors back."""
    unfinished = "SELECT 1 FROM codebase WHERE state IN ('indexing', 'indexfailed') LIMIT 1"
    if fetch_one(connection, "SELECT 1 FROM vector_model LIMIT 1") is None or fetch_one(connection, unfinished):
        return 0
    kept = fetch_all(
        connection,
        "SELECT vector_model.id FROM vector_model JOIN codebase ON provider = fingerprint ->> 'embeddingProvider'"
        " AND model = fingerprint ->> 'embeddingModel' AND dimension = fingerprint ->> 'embeddingDimension'",
    )
    numbers = ",".join(str(row[0]) for row in kept)
    connection.execute(
        f"DELETE FROM vector WHERE model NOT IN ({numbers})"
        " OR NOT EXISTS (SELECT 1 FROM embedded WHERE embedded.text = vector.text)"
    )
    removed: int = connection.changes()
    connection.execute(
        f"DELETE FROM vector_model WHERE id NOT IN ({numbers})"
        " AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.model = vector_model.id)"
    )
    return removed
