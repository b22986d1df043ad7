"""Makes the bundled model of trained float arrays: rows of signed bytes, each with its own scale."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training import shards

MODEL = Path("src/clew/embed/model")
NAME, VERSION = "static-code", 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, default=shards.HOME / "model.npz")
    parser.add_argument("--out", type=Path, default=MODEL)
    arguments = parser.parse_args()
    export(arguments.trained, arguments.out)


def export(trained: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with np.load(trained) as data:
        vectors = data["vectors"]
        scale = np.abs(vectors).max(axis=1) / 127
        scale[scale == 0] = 1
        np.save(out / "rows.npy", np.rint(vectors / scale[:, None]).astype(np.int8))
        np.save(out / "hashes.npy", data["hashes"].astype("<u4"))
        for side in ("query", "document"):
            np.save(out / f"{side}.npy", (scale * np.exp(data[side])).astype("<f4"))
        card = {
            "name": NAME,
            "version": VERSION,
            "dimension": int(vectors.shape[1]),
            "terms": len(data["hashes"]),
            "buckets": len(vectors) - len(data["hashes"]),
            "seed": int(data["seed"]),
            "steps": int(data["steps"]),
        }
    (out / "model.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    size = sum(path.stat().st_size for path in out.iterdir())
    print(f"{out}: {size / 1e6:.1f} MB", card)


if __name__ == "__main__":
    main()
