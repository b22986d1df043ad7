"""Golden recall: questions about Clew's own source, and the files that answer them."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.search.query import Mode
from tests.conftest import make_engine

pytestmark = pytest.mark.usefixtures("either_way")

SOURCE = Path(__file__).resolve().parents[2] / "src" / "clew"
GOLDEN = {
    "how are ignored files decided": "source/ignore.py",
    "parse gitignore patterns": "source/patterns.py",
    "completion marker validation": "lifecycle/proof.py",
    "allowed state transitions": "lifecycle/states.py",
    "lock that dies with its holder": "store/locks.py",
    "split a file into chunks along definitions": "parse/chunks.py",
    "tokenise camel case identifiers": "tokens.py",
    "watch a tree for changes with inotify": "source/watch.py",
    "remove what no snapshot refers to": "store/sweep.py",
    "progress bar": "serve/progress.py",
    "JSON envelopes of answers": "serve/envelopes.py",
    "IgnorePolicy": "source/ignore.py",
    "FileLock.acquire": "store/locks.py",
    "Engine.search": "engine.py",
    "settings from environment and config file": "config.py",
    "glob filters and languages of a scope": "search/filters.py",
}


@pytest.mark.parametrize(("mode", "least_mrr"), [("hybrid", 0.85), ("lexical", 0.80)])
def test_questions_about_this_code_are_answered(tmp_path: Path, mode: Mode, least_mrr: float) -> None:
    engine = make_engine(tmp_path / "home", embedding="static")
    engine.index(str(SOURCE))
    ranks = {}
    for question, path in GOLDEN.items():
        hits = [hit.path for hit in engine.search(question, str(SOURCE), mode=mode).hits]
        ranks[question] = hits.index(path) + 1 if path in hits else 0
    engine.close()
    mrr = sum(1 / rank for rank in ranks.values() if rank) / len(ranks)
    assert all(ranks.values()), {question: rank for question, rank in ranks.items() if not rank}
    assert mrr >= least_mrr, (round(mrr, 3), ranks)
