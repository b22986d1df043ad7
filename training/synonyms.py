"""Writes which terms of the bundled model stand in for each other: those whose rows point nearly the same way.

`delet` has `del` and `remov`, `directori` has `dir`. Run it after `training.export`; it needs the model alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from training.export import MODEL

MOST = 5  # of one term
LEAST = 0.45  # cosine: measured in the engine; below it terms are about the same thing, but do not mean the same
BLOCK = 2_000  # terms compared with all others at once


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=MODEL)
    arguments = parser.parse_args()
    write_synonyms(arguments.model)


def write_synonyms(model: Path) -> None:
    """Add three arrays to a model: how many synonyms each term has, which, and how close they are (255 is the same)."""
    terms = len(np.load(model / "hashes.npy"))
    if terms > 1 << 16:
        raise SystemExit(f"{terms} terms: their places do not fit into 16 bits")
    rows = np.load(model / "rows.npy")[:terms].astype(np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    counts, places, cosines = [], [], []
    for first in range(0, terms, BLOCK):
        close = rows[first : first + BLOCK] @ rows.T
        close[np.arange(len(close)), np.arange(first, first + len(close))] = 0
        for near in close:
            found = np.flatnonzero(near >= LEAST)
            found = found[np.argsort(-near[found], kind="stable")[:MOST]]
            counts.append(len(found))
            places.append(found)
            cosines.append(near[found])
    np.save(model / "synonym_counts.npy", np.array(counts, np.uint8))
    np.save(model / "synonyms.npy", np.concatenate(places).astype("<u2"))
    np.save(model / "synonym_cosines.npy", np.rint(np.concatenate(cosines) * 255).clip(0, 255).astype(np.uint8))
    size = sum(path.stat().st_size for path in model.glob("*.npy"))
    print(f"{model}: {sum(counts):,} synonyms, {size / 1e6:.1f} MB in all")


if __name__ == "__main__":
    main()
