"""Clew beside semble and ripgrep: `python -m benchmarks.rivals [--speed | --tokens] [--semble PYTHON]`.

Speed on Django: the first index with everything on, the first question of a process, questions after that. Tokens on
the repositories of `benchmarks.retrieval`: what an agent reads until it sees a file that answers its question. semble
runs in an interpreter of its own with a stand-in for its model, which cannot be had without a download: its times are
its own, what it finds is not. All are measured in turns in one run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import clew
from benchmarks.corpora import CACHE, django
from benchmarks.grep_read import GrepReader, Reading, Spent, require_ripgrep, tokens_until, words_of
from benchmarks.retrieval import IndexedCorpora, Repo, evaluate, load_repos
from benchmarks.retrieval.evaluation import DEEP, percentile
from benchmarks.retrieval.indexed import HOME
from benchmarks.retrieval.score import BUDGETS, CUTOFF, matches

RESULTS = Path(__file__).parent / "results" / "rivals.json"
PLACE = CACHE.parent / "rivals"
DRIVER = Path(__file__).with_name("rival_semble.py")
PACKAGES = ("semble==0.7.0", "wordllama==0.4.0.post1")
MODEL = "a stand-in, not semble's own: WordLlama's weights, 32,000 tokens x 256, as a model2vec model"
TURNS, ROUNDS = 8, 3

QUESTIONS = (
    "how are migrations executed", "where is the csrf token checked", "QuerySet.filter", "get_or_create",
    "render a template with a context", "password hashing and upgrade", "how does the ORM compile a lookup to SQL",
    "session saved to the database", "parse multipart form data", "resolve a url to a view", "ValidationError",
    "send an email with attachments", "cache backend for memcached", "middleware that compresses responses",
    "autoreload when a source file changes", "collect static files into one directory", "signals sent on save",
    "transaction atomic savepoint rollback", "prefetch_related_objects", "translate a message with a plural",
    "how are database connections closed after a request", "admin change list pagination", "SimpleLazyObject",
    "serialize a model to json",
)  # fmt: skip


class Semble:
    """semble in its own interpreter, with a place of its own for what it keeps."""

    def __init__(self, python: Path | None, kept: Path) -> None:
        self._python = python or installed()
        self._kept, self._model = kept, PLACE / "model"
        if not self._model.exists():
            self.run("model")

    def run(self, command: str, *trees: str, given: object = None) -> Any:
        """One command of the driver; what it printed."""
        line = [str(self._python), str(DRIVER), command, str(self._model), *trees]
        hidden = {"SEMBLE_CACHE_LOCATION": str(self._kept), "HF_HUB_OFFLINE": "1", "STARTED": str(time.time())}
        text = json.dumps(given)
        done = subprocess.run(
            line, input=text, env={**os.environ, **hidden}, stdout=subprocess.PIPE, text=True, check=True
        )
        return json.loads(done.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals", description=__doc__)
    parser.add_argument("--speed", action="store_true", help="only the times on Django")
    parser.add_argument("--tokens", action="store_true", help="only what is read until the answer")
    parser.add_argument("--semble", type=Path, metavar="PYTHON", help="an interpreter that has semble and wordllama")
    parser.add_argument("--home", type=Path, default=HOME, help="where the indexes of the repositories are")
    parser.add_argument("--ask", nargs=2, metavar=("HOME", "TREE"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.ask:
        print(json.dumps(ask_clew(*options.ask)))
        return 0
    require_ripgrep()
    report: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder).resolve()
        semble = Semble(options.semble, kept / "semble")
        report |= {"semble": PACKAGES[0].replace("==", " "), "semble_model": MODEL, "cores": os.cpu_count()}
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "speed": lambda: measure_speed(semble, kept),
            "tokens": lambda: measure_tokens(semble, options.home),
        }
        for name, measure in parts.items():
            if getattr(options, name) or not (options.speed or options.tokens):
                before = os.getloadavg()[0]
                report[name] = {**measure(), "load_average": {"before": before, "after": os.getloadavg()[0]}}
                print(json.dumps(report[name], indent=1), flush=True)
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def installed() -> Path:
    """The interpreter of an environment with semble, made when there is none."""
    python = PLACE / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PLACE / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


# -- speed -----------------------------------------------------------------------------------------


def measure_speed(semble: Semble, folder: Path) -> dict[str, Any]:
    """Index Django and ask about it, in turns; of the times of indexing the best, since only others make one slower."""
    tree = folder / "tree"
    shutil.copytree(django(), tree)
    modules = folder / "modules"
    shutil.copytree(tree, modules, ignore=_all_but_python)
    time.sleep(0.1)  # so that no file is too young to be believed
    makers: dict[str, Callable[[], Any]] = {
        "clew": lambda: index_clew(tree, _fresh(folder / "home")),
        "clew_python": lambda: index_clew(modules, _fresh(folder / "home-of-modules")),
        "semble_code": lambda: _again(semble, folder, tree, "code"),
        "semble_all": lambda: _again(semble, folder, tree, "all"),
    }
    costs: dict[str, list[dict[str, Any]]] = {name: [] for name in makers}
    for _ in range(TURNS):
        for name, make in makers.items():
            costs[name].append(cost_of(make))
    index = {name: min(found, key=lambda cost: float(cost["cpu_s"])) for name, found in costs.items()}
    _again(semble, folder, tree, "code")
    report = {**index, "semble_to_clew": ratios(index, ("wall_s", "cpu_s")), "in_turns": in_turns(costs)}
    return {"index": report, "query": queries(semble, folder)}


def in_turns(costs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """How many times as long as Clew semble takes in the same turn, by the clock: a machine that is slow for a minute
    is so for both. Its code beside Python alone and beside all files, and all that it reads beside all files."""
    pairs = (("clew", "semble_code"), ("clew_python", "semble_code"), ("clew", "semble_all"))
    walls = {name: [cost["wall_s"] for cost in found] for name, found in costs.items()}
    return {f"{rival} to {mine}": turn_by_turn(walls[rival], walls[mine]) for mine, rival in pairs}


def turn_by_turn(theirs: Sequence[float], mine: Sequence[float]) -> dict[str, Any]:
    times = [round(rival / own, 2) for rival, own in zip(theirs, mine, strict=True)]
    return {"median": round(statistics.median(times), 2), "each": times}


def _all_but_python(directory: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not Path(directory, name).is_dir()]


def queries(semble: Semble, folder: Path) -> dict[str, Any]:
    """The first question of a process and the questions after it, of each in turns."""
    tree, asked = folder / "tree", {"questions": QUESTIONS, "rounds": ROUNDS, "limit": CUTOFF}
    askers: dict[str, Callable[[], Any]] = {
        "clew": lambda: ask_in_process(folder / "home", tree),
        "semble_code": lambda: semble.run("ask", str(tree), "code", given=asked),
    }
    found: dict[str, list[Any]] = {name: [] for name in askers}
    for _ in range(TURNS + 1):
        for name, ask in askers.items():
            found[name].append(ask())
    rows = {name: of_queries(runs) for name, runs in found.items()}
    names = tuple(rows["clew"])
    halves = {name: [of_queries([run])["p50_ms"] for run in runs] for name, runs in found.items()}
    grep = [cost_of(lambda text=text: grep_all(tree, text)) for text in QUESTIONS]  # type: ignore[misc]
    return {
        "questions": len(QUESTIONS),
        **rows,
        "ripgrep_for_each_word": {
            "p50_ms": round(statistics.median(cost["wall_s"] for cost in grep) * 1e3),
            "cpu_p50_ms": round(statistics.median(cost["cpu_s"] for cost in grep) * 1e3),
        },
        "semble_to_clew": ratios(rows, names),
        "p50_in_turns": turn_by_turn(halves["semble_code"], halves["clew"]),
    }


def of_queries(runs: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Percentiles over all questions of all runs; the best first question."""
    walls, cpus = (sorted(row[at] for run in runs for row in run["times"]) for at in (0, 1))
    return {
        "p50_ms": percentile(walls, 0.5), "p95_ms": percentile(walls, 0.95),
        "cpu_p50_ms": percentile(cpus, 0.5), "cpu_p95_ms": percentile(cpus, 0.95),
        "first_ms": round(min(run["first"][0] for run in runs)),
        "first_cpu_ms": round(min(run["first"][1] for run in runs)),
    }  # fmt: skip


def ratios(rows: dict[str, Any], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """How many times as much as Clew each rival takes."""
    return {
        rival: {name: round(row[name] / max(rows["clew"][name], 1e-9), 2) for name in names}
        for rival, row in rows.items()
        if not rival.startswith("clew")
    }


def index_clew(tree: Path, home: Path) -> dict[str, Any]:
    """`clew index` in a process of its own."""
    code = "import sys; from clew.serve.cli import main; sys.argv = ['clew', 'index', sys.argv[1], '--json']; main()"
    command = [sys.executable, "-c", code, str(tree)]
    environment = {**os.environ, **compiled(home.parent), "CLEW_HOME": str(home)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    stats = json.loads(done.stdout)["stats"]
    return {"files": stats["files"], "chunks": stats["chunks"]}


def compiled(folder: Path) -> dict[str, str]:
    """What lets a process find Clew's modules compiled, as where it was installed by pip; semble was."""
    place = folder / "bytecode"
    found = {"PYTHONPYCACHEPREFIX": str(place), "PYTHONDONTWRITEBYTECODE": ""}
    if not place.exists():
        command = [
            sys.executable,
            "-m",
            "compileall",
            "-q",
            str(Path(clew.__file__).parent),
            str(Path(__file__).parent),
        ]
        subprocess.run(command, env={**os.environ, **found}, check=True)
    return found


def ask_in_process(home: Path, tree: Path) -> Any:
    command = [sys.executable, "-m", "benchmarks.rivals", "--ask", str(home), str(tree)]
    environment = {**os.environ, **compiled(home.parent), "STARTED": str(time.time())}
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def ask_clew(home: str, tree: str) -> dict[str, Any]:
    """As the driver of semble does it; the tree is looked at once and not again, since semble never looks."""
    from clew import Engine, load_config

    engine = Engine(load_config({"home": home, "recheck_ms": 3_600_000}))
    engine.search(QUESTIONS[0], tree, limit=CUTOFF)
    first = (time.time() - float(os.environ["STARTED"])) * 1e3, time.process_time() * 1e3
    times = []
    for question in QUESTIONS * ROUNDS:
        wall, cpu = time.perf_counter(), time.process_time()
        engine.search(question, tree, limit=CUTOFF)
        times.append([(time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3])
    engine.close()
    return {"first": first, "times": times}


def grep_all(tree: Path, question: str) -> dict[str, Any]:
    """What an agent without an index runs for a question: ripgrep once for each telling word."""
    reader = GrepReader(tree)
    for word in words_of(question):
        reader.count(word)
    return {}


def cost_of(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the processes that this starts cost, and what it returns."""
    wall, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    found = work()
    wall, after = time.monotonic() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3), **found}


def _again(semble: Semble, folder: Path, tree: Path, content: str) -> dict[str, Any]:
    _fresh(folder / "semble")
    found: dict[str, Any] = semble.run("index", str(tree), content)
    assert not found.pop("from_cache")
    return found


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


# -- tokens ----------------------------------------------------------------------------------------


def measure_tokens(semble: Semble, home: Path) -> dict[str, Any]:
    """What each way reads until the answer, over all questions of all repositories."""
    repos = load_repos().repos
    answers = semble.run("answer", given={repo.name: _wanted(repo) for repo in repos})
    spent: dict[str, list[Spent]] = {}
    with IndexedCorpora(home) as corpora:
        for repo in repos:
            corpora.prepare(repo)
            reader, found = GrepReader(repo.path), answers[repo.name]["hits"]
            for question in repo.questions:
                hits = [shown(hit.path, hit.start_line, hit.end_line, len(hit.snippet))
                        for hit in corpora.search(repo, question.text, DEEP)]  # fmt: skip
                rival = [shown(*hit) for hit in found[f"{DEEP} {question.text}"]]
                ways: dict[str, Iterable[Reading]] = {
                    "clew": hits,
                    "clew_then_file": [*_then_file(reader, hits, repo, question.targets)],
                    "semble": rival,
                    "grep_and_files": reader.whole(question.text),
                    "grep_and_windows": reader.windows(question.text),
                }
                for name, readings in ways.items():
                    spent.setdefault(name, []).append(tokens_until(readings, question.targets, repo.prefix))
            print(f"{repo.name}: {len(repo.questions)} questions", file=sys.stderr, flush=True)
        ndcg = {"clew": evaluate(corpora.search, repos).overall.ndcg_10}
    ndcg["semble"] = evaluate(lambda repo, text, limit: _hits(answers, repo, text, limit), repos).overall.ndcg_10
    rows = {name: of_tokens(found) for name, found in spent.items()}
    index_cpu = {"semble": round(sum(found["cpu_s"] for found in answers.values()), 1)}
    return {
        "questions": len(spent["clew"]), "ndcg_10": ndcg, "index_cpu_s": index_cpu, **rows,
        "to_clew": ratios(rows, ("median", "mean")),
    }  # fmt: skip


def of_tokens(spent: Sequence[Spent]) -> dict[str, float]:
    """What was read until the answer; where it did not come, all that was read in vain."""
    tokens = [item.tokens for item in spent]
    within = {
        f"within_{budget}": round(sum(item.is_found and item.tokens <= budget for item in spent) / len(spent), 3)
        for budget in BUDGETS
    }
    return {
        "median": round(statistics.median(tokens)),
        "mean": round(statistics.fmean(tokens)),
        **within,
        "found": round(sum(item.is_found for item in spent) / len(spent), 3),
    }


def shown(path: str, start_line: int, end_line: int, size: int) -> Reading:
    """A hit as an agent reads it: where it is, and its lines."""
    return Reading(path, start_line, end_line, len(f"{path}:{start_line}-{end_line}\n") + size)


def _wanted(repo: Repo) -> dict[str, Any]:
    questions = [question.text for question in repo.questions]
    return {"tree": str(repo.path), "questions": questions, "limits": [CUTOFF, DEEP]}


def _hits(answers: Any, repo: Repo, text: str, limit: int) -> list[Reading]:
    found = answers[repo.name]["hits"].get(f"{limit} {text}", ())
    return [Reading(path, first, last, size, " " * size) for path, first, last, size in found]


def _then_file(reader: GrepReader, hits: Sequence[Reading], repo: Repo, targets: Sequence[Any]) -> Iterable[Reading]:
    """The hits, and at the first that shows a target the whole file instead: for who wants to see all of it."""
    for hit in hits:
        if any(matches(hit, target, repo.prefix) for target in targets):
            yield hit._replace(size=hit.size + len(reader.text(hit.path)))
        else:
            yield hit


if __name__ == "__main__":
    raise SystemExit(main())
