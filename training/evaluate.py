"""Measures the bundled model: each documented function of packages it never saw must be found by its doc's sentence.

Candidates are all functions of the package, without their docs. NDCG@10, averaged over each package's queries, then
over packages: dense alone, BM25 over Clew's terms alone, and both (`DENSE_WEIGHT` × dense + BM25, each divided by its
best score).
With `--questions` and `--repositories`, also annotated questions over the chunks of whole repositories.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from clew import tokens
from clew.embed.static import MODEL, StaticEncoder
from clew.parse.extract import extract
from clew.parse.languages import LANGUAGES, language_of
from training import registries, shards
from training.shards import Ragged

DENSE_WEIGHT = 0.7
K1, B = 1.2, 0.75
DEPTH = 10
MAX_QUERIES = 400  # of one package
METHODS = ("dense", "bm25", "hybrid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=MODEL)
    parser.add_argument("--questions", type=Path, help="folder with repos.json and annotations/")
    parser.add_argument("--repositories", type=Path, help="folder of bare repositories, OWNER+NAME/repo")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    arguments = parser.parse_args()
    encoder = StaticEncoder(arguments.model)
    results = {"model": encoder.model, "functions": functions(encoder)}
    if arguments.questions and arguments.repositories:
        results["questions"] = questions(encoder, arguments.questions, arguments.repositories)
    for name in ("functions", "questions"):
        if name in results:
            report(name, results[name])
    arguments.out.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


def report(title: str, rows: dict[str, dict[str, float]]) -> None:
    print(f"\n{title:36}", *(f"{m:>7}" for m in METHODS))
    for name, row in rows.items():
        print(f"{name:36}", *(f"{row[m]:7.3f}" for m in METHODS))


def functions(encoder: StaticEncoder) -> dict[str, dict[str, float]]:
    """Sentence → function, for each package of the evaluation."""
    rows: dict[str, dict[str, float]] = {}
    for path in sorted((shards.HOME / "evaluation").glob("*.npz")):
        shard = shards.load(path)
        texts = shards.sidecar(path)["queries"]
        asked = np.flatnonzero(~shard.types)
        asked = asked[:: max(1, -(-len(asked) // MAX_QUERIES))]
        if len(asked) < 20:
            continue
        types = shard.targets[shard.types]
        candidates = np.setdiff1d(np.arange(len(shard.documents)), types)
        place = {int(row): i for i, row in enumerate(candidates)}
        search = Search(encoder, *packed(shard.documents, candidates))
        same: dict[int, set[int]] = {}
        for value, target in zip(shard.hashes, shard.targets, strict=True):
            if int(target) in place:
                same.setdefault(int(value), set()).add(place[int(target)])
        scores = {m: [] for m in METHODS}  # type: dict[str, list[float]]
        for i in asked:
            relevant = same[int(shard.hashes[i])]
            for method, ranking in search.rank(texts[i]).items():
                scores[method].append(gain([int(r) in relevant for r in ranking[:DEPTH]], len(relevant)))
        rows[shard.package] = {m: round(float(np.mean(s)), 4) for m, s in scores.items()} | {"queries": len(asked)}
    rows["mean"] = {m: round(float(np.mean([r[m] for r in rows.values()])), 4) for m in METHODS}
    return rows


def questions(encoder: StaticEncoder, folder: Path, repositories: Path) -> dict[str, dict[str, float]]:
    """Annotated question → chunk; a target's rank is that of the first chunk of it."""
    rows: dict[str, dict[str, float]] = {}
    for repository in json.loads((folder / "repos.json").read_text("utf-8")):
        where = repositories / repository["repository"].replace("/", "+") / "repo"
        if not where.exists():
            continue
        spans, terms, freqs = chunks(where, repository["revision"], repository["root"])
        search = Search(encoder, terms, freqs)
        scores: dict[str, list[float]] = {m: [] for m in METHODS}
        for item in json.loads((folder / "annotations" / f"{repository['name']}.json").read_text("utf-8")):
            targets = [t if isinstance(t, dict) else {"path": t} for t in (*item["relevant"], *item["secondary"])]
            for method, ranking in search.rank(item["query"]).items():
                scores[method].append(target_gain([spans[r] for r in ranking[:DEPTH]], targets))
        title = f"{repository['name']} ({repository['language']})"
        rows[title] = {m: round(float(np.mean(s)), 4) for m, s in scores.items()}
    rows["mean"] = {m: round(float(np.mean([r[m] for r in rows.values()])), 4) for m in METHODS}
    return rows


def chunks(repository: Path, revision: str, root: str) -> tuple[list[tuple[str, int, int]], list[bytes], list[bytes]]:
    git = ["git", "-C", str(repository)]
    known = subprocess.run([*git, "cat-file", "-e", f"{revision}^{{commit}}"], capture_output=True, check=False)
    commit = revision if known.returncode == 0 else "HEAD"
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", commit], capture_output=True, text=True, check=True).stdout
    spans: list[tuple[str, int, int]] = []
    terms, freqs = [], []
    for row in listing.split("\0"):
        head, _, path = row.partition("\t")
        language = LANGUAGES[language_of(path)]
        inside = path and (not root or path.startswith(root + "/"))
        if not inside or language.grammar is None or language.role != "code":
            continue
        content = subprocess.run([*git, "cat-file", "blob", head.split()[2]], capture_output=True, check=False).stdout
        if len(content) > registries.MAX_FILE_BYTES:
            continue
        for chunk in extract(content, language.name).chunks:
            spans.append((path, chunk.start_line, chunk.end_line))
            terms.append(chunk.terms)
            freqs.append(chunk.freqs)
    return spans, terms, freqs


class Search:
    """Ranks packed documents for a question, in three ways."""

    def __init__(self, encoder: StaticEncoder, terms: list[bytes], freqs: list[bytes]) -> None:
        self._encoder = encoder
        self._vectors = encoder.encode_packed(terms, freqs)
        counts = [np.frombuffer(f, np.uint8).astype(np.float32) for f in freqs]
        length = np.array([c.sum() for c in counts])
        norm = K1 * (1 - B + B * length / max(1.0, float(length.mean())))
        postings: dict[int, list[tuple[int, float]]] = {}
        for i, (packed_terms, count) in enumerate(zip(terms, counts, strict=True)):
            weights = count * (K1 + 1) / (count + norm[i])
            for term, weight in zip(np.frombuffer(packed_terms, "<u4").tolist(), weights.tolist(), strict=True):
                postings.setdefault(term, []).append((i, weight))
        self._size = len(terms)
        self._postings = {
            term: (np.array([i for i, _ in found]), np.array([w for _, w in found], np.float32) * self._idf(len(found)))
            for term, found in postings.items()
        }

    def _idf(self, documents: int) -> float:
        return float(np.log1p((self._size - documents + 0.5) / (documents + 0.5)))

    def rank(self, question: str) -> dict[str, np.ndarray]:
        lexical = np.zeros(self._size, np.float32)
        for term in {*tokens.text_terms(question.encode())}:
            found = self._postings.get(int.from_bytes(tokens.term_hash(term), "little"))
            if found:
                lexical[found[0]] += found[1]
        dense = self._vectors @ self._encoder.encode_query(question)
        both = DENSE_WEIGHT * dense / max(1e-6, float(dense.max())) + lexical / max(1e-6, float(lexical.max()))
        order: Callable[[np.ndarray], np.ndarray] = lambda s: np.argsort(-s, kind="stable")[:50]  # noqa: E731
        return {"dense": order(dense), "bm25": order(lexical), "hybrid": order(both)}


def packed(rows: Ragged, chosen: np.ndarray) -> tuple[list[bytes], list[bytes]]:
    bounds = [(rows.bounds[i], rows.bounds[i + 1]) for i in chosen]
    return [rows.terms[a:b].tobytes() for a, b in bounds], [rows.freqs[a:b].tobytes() for a, b in bounds]


def gain(hits: list[bool], relevant: int) -> float:
    best = sum(1 / np.log2(i + 2) for i in range(min(relevant, DEPTH)))
    return sum(hit / np.log2(i + 2) for i, hit in enumerate(hits)) / best if best else 0.0


def target_gain(ranking: list[tuple[str, int, int]], targets: list[dict[str, object]]) -> float:
    found = 0.0
    for target in targets:
        for i, (path, first, last) in enumerate(ranking):
            start, end = int(str(target.get("start_line", 0))), int(str(target.get("end_line", 10**9)))
            if path.endswith(str(target["path"])) and first <= end and last >= start:
                found += 1 / np.log2(i + 2)
                break
    return found / sum(1 / np.log2(i + 2) for i in range(min(len(targets), DEPTH))) if targets else 0.0


if __name__ == "__main__":
    main()
