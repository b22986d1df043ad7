"""A store as plain data, without what may differ between two ways to the same state.

Left out: ids, run ids, times, generations, stats of files, transitions. Kept: everything else, in every
table, and what the segments hold.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clew import Engine
from clew.search.exact import Page
from clew.search.pattern import TextQuery
from clew.store import edges as edge_rows
from clew.store import exact, grams
from clew.store import facts as fact_rows
from clew.store.derive import derived, tail_segment
from clew.store.packs import unpack_nodes
from clew.store.segments import CHUNK_BITS
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
    for text in ("alpha", r"\bdef \w+", "e"):
        found[f"grep {text}"] = engine.grep(TextQuery(text), str(root), page=Page(10_000)).matches
    for name in ("alpha", "Gamma", "delta"):
        found[f"symbol {name}"] = engine.symbol(name, str(root)).symbols
    return found


def tables(store: Store) -> dict[str, Any]:
    connection = store.connection()
    blobs: dict[Any, Any] = dict(connection.execute("SELECT id, hash FROM blob").fetchall())  # type: ignore[arg-type]
    facts = {
        row[0]: (blobs[row[1]].hex(), *row[2:])
        for row in connection.execute(
            "SELECT id, blob, language, extractor, hex(interface), hex(uses), hex(links), chunks, symbols, tokens,"
            " diagnostics, tombstone FROM facts"
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
        "codebases": connection.execute("SELECT root, fingerprint FROM codebase ORDER BY root").fetchall(),
        "markers": [
            {key: value for key, value in json.loads(row[0]).items() if key not in ("runId", "completedAt")}
            for row in connection.execute("SELECT marker FROM chunk WHERE id < 0 ORDER BY id")
        ],
        "attributes": sorted(
            (facts[row[0] >> 16], row[0] & 0xFFFF, *row[1:])
            for row in connection.execute("SELECT id, name, owner, byte FROM attribute")
        ),
        "graph": graph(store),
        "segments": _segments(store, facts),
        "grams": _grams(store, blobs),
        "vectors": sorted(connection.execute("SELECT hex(text), hex(row) FROM vector").fetchall()),
        "strays": connection.execute(
            "SELECT count(*) FROM chunk WHERE id > 0 AND id >> 16 NOT IN (SELECT id FROM facts)"
        ).get,
    }


def graph(store: Store) -> dict[str, Any]:
    """The edges, with files by their paths and what is external by its name."""
    connection = store.connection()
    numbered: Any = connection.execute("SELECT snapshot, number, path, nodes FROM graph_file").fetchall()
    paths = {(snapshot, number): path for snapshot, number, path, _ in numbered}
    ordinals = {
        (snapshot, number): {node: ordinal for ordinal, node in enumerate(unpack_nodes(nodes) or [])}
        for snapshot, number, _, nodes in numbered
    }
    external: dict[Any, Any] = {row[0]: row[1] for row in connection.execute("SELECT id, name FROM external")}

    def node(snapshot: int, number: int) -> Any:
        if number < 0:
            return external[-number]
        held, place = (snapshot, number >> 16), number & 0xFFFF
        is_moved = ordinals[held] and place != 0xFFFF
        return paths[held], ordinals[held][place] if is_moved else place

    edges: list[Any] = [(held[0], *row) for held in paths for row in edge_rows.out_of_file(connection, *held)]
    loose: list[Any] = [(held[0], *row) for held in paths for row in edge_rows.loose_out_of_file(connection, *held)]
    ends = {
        "used_by": {(s, target, source >> 16) for s, target, source, *_ in edges},
        "loose_name": {(s, name, source >> 16) for s, name, source, *_ in loose},
    }
    for table, expected in ends.items():
        assert {*connection.execute(f"SELECT * FROM {table}")} == expected, table
    leading = {(s, source >> 16) for s, _, source, *_ in (*edges, *loose)}
    assert connection.execute("SELECT count(*) FROM packed_edge").get == len(leading)
    return {
        "files": sorted(  # of the content that the entry has
            connection.execute(
                "SELECT path, hex(shape), hex(inputs), hex(details)"
                " FROM graph_file JOIN entry USING (snapshot, path, facts)"
            ).fetchall()
        ),
        "uses": sorted(
            (paths[snapshot, source], paths[snapshot, target])
            for snapshot, source, target in connection.execute("SELECT snapshot, source, target FROM file_edge")
        ),
        "edges": sorted((repr(node(s, target)), node(s, source), *rest) for s, target, source, *rest in edges),
        "loose": sorted((name, node(s, source), *rest) for s, name, source, *rest in loose),
    }


def _segments(store: Store, facts: dict[int, Any]) -> dict[Any, Any]:
    """What each facts has in the segments, or in the tail behind them: its chunks with their terms, and its vectors."""
    connection = store.connection()
    applied, names = derived(connection)
    segments = [store.segments.open(name) for name in names]
    tail = [fact for fact in facts if fact > applied]
    segments += [tail_segment(store, connection, tail)] if tail else []
    found: dict[Any, Any] = {}
    for segment in segments:
        chunks = segment.chunks.tolist()
        terms: dict[int, list[tuple[int, int]]] = {}
        for term in segment.body.terms():
            for document, frequency in zip(*(part.tolist() for part in segment.body.postings(term)), strict=True):
                terms.setdefault(chunks[document], []).append((term, frequency))
        for place, chunk in enumerate(chunks):
            fact = chunk >> CHUNK_BITS
            if fact in facts:
                row = (int(segment.lengths[place]), int(segment.owners[place]), segment.vectors[place].tobytes())
                provided = segment.provided[place].tobytes()
                found.setdefault(facts[fact], []).append((*row, provided, sorted(terms.get(chunk, []))))
    return found


def _grams(store: Store, blobs: dict[Any, Any]) -> dict[str, list[int]]:
    """The trigrams that each blob has in the files, or would have: the tail is searched as it is."""
    connection = store.connection()
    applied, names = exact.derived(connection)
    found: dict[str, set[int]] = {}
    for segment in (store.grams.open(name) for name in names):
        owners = segment.owners.tolist()
        for key in segment.keys(segment.owners * 0 + range(len(owners))).tolist():
            blob = owners[key & (grams.MAX_BLOCKS - 1)]
            if blob in blobs:
                found.setdefault(blobs[blob].hex(), set()).add(key >> grams.BLOCK_BITS)
    for blob in exact.tail(connection, applied):
        for block in grams.blocks_of(grams.folded(fact_rows.content(connection, blob))):
            keys = grams.keys_of(block, 0).tolist()
            found.setdefault(blobs[blob].hex(), set()).update(key >> grams.BLOCK_BITS for key in keys)
    return {blob: sorted(held) for blob, held in sorted(found.items()) if held}
