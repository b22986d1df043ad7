"""Chooses the vocabulary and writes all training pairs as rows of it.

A term counts when it occurs often enough and in more than one package; one package's count is capped, so that no
package fills the vocabulary with its own names. A query keeps a few of its definitions; copies of a definition go.
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter
from pathlib import Path

import numpy as np

from training import shards
from training.pairs import DOCUMENTED, KINDS
from training.shards import Ragged

TERMS = 64_000
MIN_COUNT = 5
MIN_PACKAGES = 2
MAX_PER_PACKAGE = 400  # of one term's count
MAX_PER_QUERY = 6
MAX_TERMS = 400  # distinct, of a document
FOREIGN = 0.34  # a query in which fewer terms are known is in another language, or noise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--terms", type=int, default=TERMS)
    parser.add_argument("--share", type=float, default=1.0, help="use only this share of the packages")
    arguments = parser.parse_args()
    paths = sorted((shards.HOME / "shards").glob("*.npz"))
    if arguments.share < 1:
        paths = [p for p in paths if zlib.crc32(p.name.encode()) % 1000 < arguments.share * 1000]
    vocabulary = choose(paths, arguments.terms)
    np.save(shards.HOME / "vocabulary.npy", vocabulary)
    write_pairs(paths, vocabulary)


def choose(paths: list[Path], size: int) -> np.ndarray:
    """The hashes of the most frequent terms, ascending."""
    hashes, counts = [], []
    for path in paths:
        shard = shards.load(path)
        terms = np.concatenate([shard.documents.terms, shard.queries.terms])
        freqs = np.concatenate([shard.documents.freqs, shard.queries.freqs])
        distinct, where = np.unique(terms, return_inverse=True)
        hashes.append(distinct)
        counts.append(np.minimum(np.bincount(where, freqs), MAX_PER_PACKAGE))
    distinct, where = np.unique(np.concatenate(hashes), return_inverse=True)
    packages = np.bincount(where)
    totals = np.bincount(where, np.concatenate(counts))
    usable = np.flatnonzero((totals >= MIN_COUNT) & (packages >= MIN_PACKAGES))
    best = usable[np.argsort(-totals[usable], kind="stable")[:size]]
    print(f"{len(distinct):,} terms, {len(usable):,} usable, {len(best):,} kept, the last {totals[best[-1]]:.0f} times")
    return np.sort(distinct[best]).astype(np.uint32)


def write_pairs(paths: list[Path], vocabulary: np.ndarray) -> None:
    """All pairs, package by package: hashes (not rows, so that unknown terms can have buckets)."""
    asked: Counter[int] = Counter()
    copies: set[int] = set()
    columns: dict[str, list[np.ndarray]] = {name: [] for name in ("package", "language", "kind", "query_hash")}
    sides: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {"q": [], "d": []}
    languages: dict[str, int] = {}
    for number, path in enumerate(paths):
        shard = shards.load(path)
        known = np.isin(shard.queries.terms, vocabulary)
        kept = []
        for i, target in enumerate(shard.targets):
            if asked[int(shard.hashes[i])] >= MAX_PER_QUERY:
                continue
            if known[shard.queries.bounds[i] : shard.queries.bounds[i + 1]].mean() < FOREIGN:
                continue
            body = row_of(shard.documents, target)
            copy = zlib.crc32(body[0].tobytes())
            if copy in copies:
                continue
            copies.add(copy)
            asked[int(shard.hashes[i])] += 1
            kept.append(i)
            sides["q"].append(row_of(shard.queries, i))
            sides["d"].append((body[0][:MAX_TERMS], body[1][:MAX_TERMS]))
        columns["package"].append(np.full(len(kept), number, np.int32))
        columns["kind"].append(shard.kinds[kept])
        columns["query_hash"].append(shard.hashes[kept])
        columns["language"].append(
            np.array([languages.setdefault(str(name), len(languages)) for name in shard.languages[kept]], np.int16)
        )
    data = {name: np.concatenate(parts) for name, parts in columns.items()}
    for side, rows in sides.items():
        data[f"{side}_terms"] = np.concatenate([terms for terms, _ in rows])
        data[f"{side}_freqs"] = np.concatenate([freqs for _, freqs in rows])
        data[f"{side}_bounds"] = np.concatenate([[0], np.cumsum([len(terms) for terms, _ in rows])])
    data["languages"] = np.array(list(languages))
    np.savez(shards.HOME / "pairs.npz", **data)
    kinds = np.bincount(data["kind"], minlength=len(KINDS)).tolist()
    documented = data["language"][data["kind"] < len(DOCUMENTED)]
    names = Counter(dict(zip(languages, np.bincount(documented, minlength=len(languages)).tolist(), strict=True)))
    print(f"{len(data['package']):,} pairs of {len(paths):,} packages", dict(zip(KINDS, kinds, strict=True)))
    print(f"{len(documented):,} of them are documented", dict(names.most_common()))
    coverage = np.isin(data["d_terms"][:2_000_000], vocabulary).mean()
    print(f"{coverage:.1%} of the distinct terms of a document are known")


def row_of(rows: Ragged, i: int) -> tuple[np.ndarray, np.ndarray]:
    start, end = rows.bounds[i], rows.bounds[i + 1]
    return rows.terms[start:end], rows.freqs[start:end]


if __name__ == "__main__":
    main()
