"""`python -m benchmarks.retrieval.rounding`: what it costs that vectors are compared as bytes, and never rescored.

The rows of chunks, of names with paths, and of the question are made anew as 32-bit numbers. Every question is ranked
with the cosines of bytes, with exact ones for the best chunks alone (more than rescoring in 16 bits could bring), and
with exact ones for everything. Printed are NDCG@10 of whole files, and how many of the exact best chunks are among
those that bytes put first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from benchmarks.retrieval.ablation import Case, WholeFile, mean
from benchmarks.retrieval.corpora import ANNOTATIONS, CORPORA, Repo, load_repos
from benchmarks.retrieval.indexed import HOME, IndexedCorpora
from benchmarks.retrieval.score import matches
from clew import tokens
from clew.embed.static import StaticEncoder
from clew.lifecycle import gate
from clew.search import find, rank
from clew.search.best import best_chunks
from clew.search.filters import Filter
from clew.search.query import parse_query
from clew.search.view import PATH_SHARE, View

RESULT = Path(__file__).resolve().parents[1] / "results" / "rounding.json"
RESCORED = 1_000  # chunks
DEPTHS = (10, 100, 1_000)
WAYS = ("bytes", "rescored", "exact")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval.rounding", description=__doc__)
    parser.add_argument("--annotations", type=Path, default=ANNOTATIONS, metavar="DIR")
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--home", type=Path, default=HOME, metavar="DIR")
    options = parser.parse_args(arguments)
    cases: dict[str, list[Case]] = {f"{mode} {way}": [] for mode in ("hybrid", "semantic") for way in WAYS}
    shares: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    with IndexedCorpora(options.home) as corpora:
        for repo in load_repos(options.annotations, options.corpora).repos:
            _ask(corpora, repo, cases, shares)
    report = {
        "questions": len(shares[DEPTHS[0]]),
        "ndcg_10": {name: round(mean(found, {}), 4) for name, found in cases.items()},
        "exact_best_found_by_bytes": {str(depth): round(float(np.mean(found)), 4) for depth, found in shares.items()},
    }
    print(json.dumps(report, indent=1))
    RESULT.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def _ask(corpora: IndexedCorpora, repo: Repo, cases: dict[str, list[Case]], shares: dict[int, list[float]]) -> None:
    """All questions of a repository, ranked in every way."""
    corpora.prepare(repo)
    engine = corpora.engine(repo)
    codebase, encoder = engine.resolve(str(repo.path)), StaticEncoder()
    with codebase.store.read() as connection:
        snapshot = gate.require(gate.judge(codebase.store, connection, codebase.root))
        source = find.Source(codebase.store, connection, snapshot, Filter())
        chunks = files = None
        for question in repo.questions:
            query = parse_query(question.text, root=codebase.root)
            asked = engine.asked(query.told, query.weights)
            measured = find.Search([source], query, asked).measured[0]
            if asked.vector is None or measured.cosine is None:
                raise SystemExit(f"{repo.name}: the index has no vectors; it was made without the model")
            if chunks is None:
                chunks, files = _exact_rows(connection, measured.view, encoder)
            exact, by_bytes = chunks @ asked.vector, measured.cosine
            rescored = by_bytes.copy()
            best = np.argsort(-by_bytes, kind="stable")[:RESCORED]
            rescored[best] = exact[best]
            for depth in DEPTHS:
                shares[depth].append(_share_found(exact, by_bytes, min(depth, len(exact))))
            names = {"bytes": measured.centred["names"][1], "rescored": measured.centred["names"][1]}
            paths = [WholeFile(file.path) for file in measured.view.files]
            wanted = [[at for at, file in enumerate(paths) if matches(file, target, repo.prefix)]
                      for target in question.targets]  # fmt: skip
            for way, cosines in zip(WAYS, (by_bytes, rescored, exact), strict=True):
                item = _seen(measured, cosines, names.get(way, files @ asked.vector))
                for mode, each in (("hybrid", item), ("semantic", rank.by_meaning(item))):
                    features = rank.weigh([each])[0].features
                    cases[f"{mode} {way}"].append(Case(repo.name, question.category, features, wanted))


def _exact_rows(connection: apsw.Connection, view: View, encoder: StaticEncoder) -> tuple[Any, Any]:
    """The unit vectors of all chunks and of all files, as `View` has them in bytes."""
    kept = {row[0]: row[1:] for row in connection.execute("SELECT id, terms, freqs FROM chunk")}
    packed = [kept[chunk] for chunk in view.chunks.tolist()]
    chunks = encoder.encode_packed([terms for terms, _ in packed], [freqs for _, freqs in packed])
    named = {row[0]: row[1:] for row in connection.execute("SELECT id, names_terms, names_freqs FROM facts")}
    own = [named[facts] for facts in view.facts.tolist()]
    names = encoder.encode_packed([terms for terms, _ in own], [freqs for _, freqs in own])[view.document]
    spelled = [tokens.pack_text(file.path.encode()) for file in view.files]
    paths = encoder.encode_packed([terms for terms, _ in spelled], [freqs for _, freqs in spelled])
    files = names + PATH_SHARE * paths
    return chunks, files / np.maximum(np.linalg.norm(files, axis=1, keepdims=True), 1e-9)


def _share_found(exact: Any, by_bytes: Any, depth: int) -> float:
    """How many of the exact best are as good by bytes as the last of their best; ties count."""
    best = np.argsort(-exact, kind="stable")[:depth]
    return float(np.mean(by_bytes[best] >= np.sort(by_bytes)[-depth]))


def _seen(measured: rank.Measured, cosines: Any, names: Any) -> rank.Measured:
    """The same with other cosines."""
    dense = (measured.centred["dense"][0], best_chunks(measured.view, cosines.astype(np.float32)))
    own = (measured.centred["names"][0], names)
    return replace(measured, cosine=cosines, centred={"dense": dense, "names": own})


if __name__ == "__main__":
    raise SystemExit(main())
