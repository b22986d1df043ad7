"""The data files between the steps: one shard for each package, columns of packed terms.

A shard holds the definitions of a package (`terms`, `freqs`, cut at `bounds`), the queries of some of them in the same
form, and for each query the row of its definition, its language and a hash of its text. Main calls: `save`, `load`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clew import tokens
from training.pairs import KINDS, Definition

HOME = Path(".cache/training")


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of distinct term hashes with their frequencies."""

    terms: np.ndarray
    freqs: np.ndarray
    bounds: np.ndarray

    def __len__(self) -> int:
        return len(self.bounds) - 1


@dataclass(frozen=True, slots=True)
class Shard:
    """One package."""

    package: str
    documents: Ragged
    queries: Ragged
    targets: np.ndarray  # row of `documents` for each query
    languages: np.ndarray  # name of the language of each query
    hashes: np.ndarray  # of each query's text
    kinds: np.ndarray  # place in `KINDS` of each query

    @property
    def types(self) -> np.ndarray:
        """Whether each query speaks of a type."""
        return self.kinds == KINDS.index("type")


def ragged(rows: Sequence[tuple[bytes, bytes]]) -> Ragged:
    bounds = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(freqs) for _, freqs in rows], out=bounds[1:])
    return Ragged(
        np.frombuffer(b"".join(terms for terms, _ in rows), "<u4"),
        np.frombuffer(b"".join(freqs for _, freqs in rows), np.uint8),
        bounds,
    )


def save(path: Path, record: dict[str, Any], found: Sequence[tuple[str, Definition]], keep_all: bool) -> None:
    """Write (language, definition) rows; those without a query only when `keep_all`."""
    rows = [(language, item) for language, item in found if item.query or keep_all]
    asked = [(i, language, item) for i, (language, item) in enumerate(rows) if item.query]
    documents = ragged([(item.terms, item.freqs) for _, item in rows])
    queries = ragged([tokens.pack_terms(tokens.text_terms(item.query.encode())) for _, _, item in asked])
    np.savez(
        path,
        package=np.array(f"{record['ecosystem']}:{record['name']}"),
        d_terms=documents.terms,
        d_freqs=documents.freqs,
        d_bounds=documents.bounds,
        q_terms=queries.terms,
        q_freqs=queries.freqs,
        q_bounds=queries.bounds,
        targets=np.array([i for i, _, _ in asked], np.int32),
        languages=np.array([language for _, language, _ in asked], "U12"),
        hashes=np.array([zlib.crc32(item.query.lower().encode()) for _, _, item in asked], np.uint32),
        kinds=np.array([KINDS.index(item.kind) for _, _, item in asked], np.uint8),
    )
    sidecar = {"record": record, "queries": [item.query for _, _, item in asked]}
    path.with_suffix(".json").write_text(json.dumps(sidecar), "utf-8")


def sidecar(path: Path) -> dict[str, Any]:
    """What stands beside a shard: the record of its package and its queries as text."""
    found: dict[str, Any] = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return found


def load(path: Path) -> Shard:
    with np.load(path) as data:
        return Shard(
            str(data["package"]),
            Ragged(data["d_terms"], data["d_freqs"], data["d_bounds"]),
            Ragged(data["q_terms"], data["q_freqs"], data["q_bounds"]),
            data["targets"],
            data["languages"],
            data["hashes"],
            data["kinds"] if "kinds" in data else data["types"].astype(np.uint8),
        )
