"""How well a search answers questions about code: `python -m benchmarks.retrieval`, or `evaluate` from Python.

A ranking experiment passes its own search function:

    from benchmarks.retrieval import evaluate, load_repos
    report = evaluate(lambda repo, query, limit: my_search(repo.path, query)[:limit], load_repos().repos)
    print(report.overall.ndcg_10, report.by("category"))
"""

from benchmarks.retrieval.corpora import Loaded, Question, Repo, load_repos
from benchmarks.retrieval.evaluation import Measured, Report, Search, Summary, evaluate
from benchmarks.retrieval.indexed import IndexedCorpora
from benchmarks.retrieval.score import HitLike, Score, Target, score

__all__ = [
    "HitLike",
    "IndexedCorpora",
    "Loaded",
    "Measured",
    "Question",
    "Repo",
    "Report",
    "Score",
    "Search",
    "Summary",
    "Target",
    "evaluate",
    "load_repos",
    "score",
]
