"""`python -m benchmarks.retrieval.functions`: what is said of a function must find it, in the function view.

Every comment and docstring of a tree is blanked in a copy, the copy is indexed as any codebase, and the first sentence
of each documented function is asked. The answer is that function, or lines of it under its name where it is too long
to be shown whole: NDCG@10 with one right place (or all that the same sentence stands at).

It is scored twice: among all that the tree has, and among its documented functions, as the pairs of (docstring,
function) are that models are compared with. Of two functions that do the same, the one without a word is no worse.

The trees are the repositories of the questions, and the packages of `packages.txt`: all of PyPI that are named in
`training/holdout.txt`, have a wheel for every platform and at most 1,500 modules. The model has seen none of them.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from training.pairs import sentence

from benchmarks.corpora import wheel
from benchmarks.retrieval.corpora import ANNOTATIONS, CORPORA, load_repos
from benchmarks.retrieval.score import CUTOFF
from clew import Engine, load_config
from clew.answers import Hit
from clew.parse import grammars
from clew.parse.extract import extract
from clew.parse.languages import LANGUAGES, language_of
from clew.parse.symbols import FUNCTION_KINDS
from clew.search.query import Mode
from clew.source.trees import walk

RESULT = Path(__file__).resolve().parents[1] / "results" / "functions.json"
PACKAGES = Path(__file__).with_name("packages.txt")
MAX_QUERIES = 60  # of one tree, drawn with a seed
DEPTH = 60  # hits that are looked at for documented functions
MIN_QUERIES = 10
MIN_BODY = 120  # bytes: shorter ones are forwarders and prototypes
MODES: tuple[Mode, ...] = ("hybrid", "lexical", "semantic")
_NO_QUESTION = re.compile(r"https?:|#\d|\bissues?\b")
_NOT_BREAK = re.compile(rb"[^\r\n]")


class Place(NamedTuple):
    """A function: its file, its name, the line of that and its last line."""

    path: str
    name: str
    line: int
    end_line: int

    def is_in(self, hit: Hit) -> bool:
        """Whether a hit shows the function, or lines of it under its name."""
        is_part = self.line <= hit.start_line and hit.end_line <= self.end_line and hit.symbol.endswith(self.name)
        return self.path == hit.path and (hit.start_line <= self.line <= hit.end_line or is_part)


class Asked(NamedTuple):
    """A sentence, and where the functions stand that it is about."""

    text: str
    places: frozenset[Place]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval.functions", description=__doc__)
    parser.add_argument("--annotations", type=Path, default=ANNOTATIONS, metavar="DIR", help="for repos.json")
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--only", default="", help="names, comma-separated")
    options = parser.parse_args(arguments)
    only = tuple(filter(None, options.only.split(",")))
    loaded = load_repos(options.annotations, options.corpora, whole=False, only=())
    trees = {"repositories": [(repo.name, repo.path) for repo in loaded.repos], "packages": packages()}
    report = {}
    for kind, named in trees.items():
        chosen = [(name, path) for name, path in named if not only or name in only]
        report[kind] = measure_all(kind, chosen)
    if not only:
        RESULT.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 0


def packages() -> list[tuple[str, Path]]:
    """The packages, fetched when they are not there."""
    lines = PACKAGES.read_text("utf-8").split()
    return [(name, wheel(name, version)) for name, _, version in (line.partition("==") for line in lines)]


def measure_all(kind: str, trees: Sequence[tuple[str, Path]]) -> dict[str, Any]:
    """NDCG@10 of each tree, and the mean of all of them."""
    rows: dict[str, dict[str, float]] = {}
    for name, path in trees:
        found = measure(path)
        if found is not None:
            rows[name] = found
            print(f"{name:<20}" + "".join(f"  {key} {value:.3f}" for key, value in found.items()), flush=True)
    keys = [key for key in next(iter(rows.values()), {}) if key != "queries"]
    mean = {key: round(sum(row[key] for row in rows.values()) / len(rows), 4) for key in keys}
    queries = sum(int(row["queries"]) for row in rows.values())
    print(f"mean of {len(rows)} {kind}, {queries} sentences" + "".join(f"  {key} {mean[key]:.3f}" for key in keys))
    return {"ndcg_10": mean, "queries": queries, "trees": rows}


def measure(path: Path) -> dict[str, float] | None:
    """NDCG@10 of one tree in each mode, among all and among documented functions; None if too little is documented."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "tree"
        asked = copy_without_docs(path, root)
        if len(asked) < MIN_QUERIES:
            return None
        documented: dict[str, list[Place]] = {}
        for place in (place for item in asked for place in item.places):
            documented.setdefault(place.path, []).append(place)
        asked = random.Random(1).sample(asked, min(MAX_QUERIES, len(asked)))
        engine = Engine(load_config({"home": str(Path(folder) / "home")}))
        row: dict[str, float] = {}
        try:
            engine.index(str(root))
            for mode in MODES:
                gains = [judge(engine, str(root), item, mode, documented) for item in asked]
                row[mode], row[f"{mode}_documented"] = (
                    round(sum(each) / len(each), 4) for each in zip(*gains, strict=True)
                )
        finally:
            engine.close()
    return row | {"queries": len(asked)}


def judge(
    engine: Engine, root: str, asked: Asked, mode: Mode, documented: dict[str, list[Place]]
) -> tuple[float, float]:
    """NDCG@10 of a sentence among all, and among documented functions."""
    hits = engine.search(asked.text, root, limit=DEPTH, view="functions", mode=mode).hits
    among = [hit for hit in hits if any(place.is_in(hit) for place in documented.get(hit.path, ()))]
    return ndcg(hits, asked), ndcg(among, asked)


def ndcg(hits: Sequence[Hit], asked: Asked) -> float:
    gain, left = 0.0, set(asked.places)
    for rank, hit in enumerate(hits[:CUTOFF]):
        right = {place for place in left if place.is_in(hit)}
        gain += 1 / math.log2(rank + 2) if right else 0.0
        left -= right
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(asked.places), CUTOFF)))


def copy_without_docs(source: Path, target: Path) -> list[Asked]:
    """Copy the code of a tree with blanks for comments and docstrings; what was said of its functions."""
    said: dict[str, set[Place]] = {}
    for key in walk(str(source)).files:
        content = (source / key).read_bytes()
        language = LANGUAGES[language_of(key, content)]
        grammar = grammars.load(language) if language.role == "code" else None
        if grammar is None:
            continue
        try:
            captures = grammar.captures(grammar.parse(content))
        except UnicodeDecodeError:
            continue
        bare = bytearray(content)
        for name in ("comment", "doc", "doc.before"):
            for node in captures.get(name, ()):
                span = slice(node.start_byte, node.end_byte)
                bare[span] = _NOT_BREAK.sub(b" ", bytes(bare[span]))
        for symbol in extract(content, language.name).symbols:
            is_long = len(bytes(bare[symbol.start_byte : symbol.end_byte]).split()) * 8 >= MIN_BODY
            is_asked = symbol.kind in FUNCTION_KINDS and is_long
            text = sentence(symbol.doc, symbol.name, language.name) if is_asked else ""
            if text and not _NO_QUESTION.search(text):
                line = content.count(b"\n", 0, symbol.name_byte) + 1
                said.setdefault(text, set()).add(Place(key, symbol.name, line, symbol.end_line))
        place = target / key
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bare)
    return [Asked(text, frozenset(places)) for text, places in sorted(said.items())]


if __name__ == "__main__":
    raise SystemExit(main())
