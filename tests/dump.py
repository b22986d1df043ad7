"""A store as plain data, without what may differ between two ways to the same state.

Left out: ids, run ids, times, generations, stats of files, transitions. Kept: everything else, in every
table, and what the candidate index holds.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from clew import Engine
from clew.store import facts as fact_rows
from clew.store.derive import derived
from clew.store.lexical import CHUNK_BITS
from clew.store.store import Store
from clew.store.sweep import sweep

QUESTIONS = ("alpha", "alpha beta", "Gamma.delta", "value", "how is the total computed", "epsilon_zeta", "README")


def state(engine: Engine, root: Path) -> dict[str, Any]:
    """Everything an index says about a tree, and every answer it gives to `QUESTIONS`."""
    store = engine.resolve(str(root)).store
    sweep(store)
    sweep(store)
    return {"tables": tables(store), "answers": answers(engine, root)}


def answers(engine: Engine, root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {question: engine.search(question, str(root), limit=50).hits for question in QUESTIONS}
    paths = engine.paths(str(root)).items
    found["paths"] = [(item.path, item.size, item.language, item.skip) for item in paths]
    for name in ("alpha", "Gamma", "delta"):
        found[f"symbol {name}"] = engine.symbol(name, str(root)).symbols
    return found


def tables(store: Store) -> dict[str, Any]:
    connection = store.connection()
    blobs: dict[Any, Any] = dict(connection.execute("SELECT id, hash FROM blob").fetchall())  # type: ignore[arg-type]
    facts = {
        row[0]: (blobs[row[1]].hex(), *row[2:])
        for row in connection.execute(
            "SELECT id, blob, language, extractor, hex(interface), hex(uses), chunks, symbols, tokens, diagnostics,"
            " tombstone FROM facts"
        )
    }
    return {
        "blobs": sorted(
            (row[0].hex(), row[1], row[2]) for row in connection.execute("SELECT hash, size, tombstone FROM blob")
        ),
        "bytes": {blob.hex(): fact_rows.content(connection, blob_id) for blob_id, blob in blobs.items()},
        "facts": sorted(facts.values()),
        "chunks": {facts[i]: fact_rows.chunks_of(connection, i) for i in facts},
        "symbols": {facts[i]: fact_rows.symbols_of(connection, i) for i in facts},
        "imports": {facts[i]: fact_rows.imports_of(connection, i) for i in facts},
        "entries": [
            (path, blobs[blob].hex() if blob else None, facts[fact] if fact else None, *rest)
            for path, blob, fact, *rest in connection.execute(
                "SELECT path, blob, facts, language, skip, size FROM entry ORDER BY snapshot, path"
            )
        ],
        "snapshots": connection.execute(
            "SELECT ref, head, files, chunks, symbols, tokens, diagnostics FROM snapshot ORDER BY id"
        ).fetchall(),
        "terms": connection.execute("SELECT term, df FROM snapshot_term ORDER BY snapshot, term").fetchall(),
        "codebases": connection.execute("SELECT root, fingerprint FROM codebase ORDER BY root").fetchall(),
        "markers": [
            {key: value for key, value in json.loads(row[0]).items() if key not in ("runId", "completedAt")}
            for row in connection.execute("SELECT marker FROM chunk WHERE id < 0 ORDER BY id")
        ],
        "candidates": _candidates(store, facts),
        "strays": connection.execute(
            "SELECT count(*) FROM chunk WHERE id > 0 AND id >> 16 NOT IN (SELECT id FROM facts)"
        ).get,
    }


def _candidates(store: Store, facts: dict[int, Any]) -> dict[Any, int]:
    """How many documents each facts has, in the candidate index or in the tail behind it."""
    connection = store.connection()
    epoch, applied = derived(connection)
    held = Counter(store.lexical.facts_held(epoch)) if applied else Counter()
    found = {key: held[fact] for fact, key in facts.items() if fact <= applied}
    for fact, key in facts.items():
        if fact > applied:
            first, last = fact << CHUNK_BITS, (fact + 1) << CHUNK_BITS
            found[key] = connection.execute("SELECT count(*) FROM chunk WHERE id >= ? AND id < ?", (first, last)).get
    return found
