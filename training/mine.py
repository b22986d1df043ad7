"""Mines (doc sentence, definition) pairs from registry packages into one shard for each package.

With `packages.json` present and `--pinned`, exactly those versions are read again. Otherwise candidates come from
`seeds.json` and from what packages depend on; groups share the time by weight, and the list is written anew. Packages
for evaluation are read first, and whatever copies their text, or that of `--benchmarks`, is left out elsewhere.
The next packages are downloaded while one is parsed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

from clew.parse.languages import LANGUAGES, language_of
from training import registries, shards
from training.names import held_out, usable_path
from training.near import HeldOutLines
from training.pairs import DOCUMENTED, Definition, definitions

HERE = Path(__file__).parent
PACKAGES = HERE / "packages.json"
SEED = 20
MAX_SOURCE_BYTES = 6_000_000  # of one package: breadth is worth more than depth
MAX_PAIRS = 3_000
MAX_OTHERS = 100  # pairs of a package that are no docs, beside as many as it has docs
DOWNLOADS = 4  # at once, for each worker
WIDE = 8  # times as much of a package that stands for a whole language
EXCLUDED = re.compile(r"^@types/|-types$|^typescript|-src$|-data$|locale|icons?$|fonts?$|-bin$")
_lines = HeldOutLines()


class Task(NamedTuple):
    group: str
    ecosystem: str
    name: str
    version: str = ""
    languages: tuple[str, ...] = ()  # empty: all
    wide: int = 1
    evaluate: bool = False
    licence: str = ""  # known although the registry's metadata does not say it in one word


class Mined(NamedTuple):
    task: Task
    package: registries.Package | None
    reason: str
    pairs: dict[str, int]
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20, help="stop taking new packages after this long")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pinned", action="store_true", help="read the versions of packages.json, nothing else")
    parser.add_argument("--resume", action="store_true", help="keep the shards there are, and add to them")
    parser.add_argument("--groups", nargs="+", help="only these groups of seeds.json")
    parser.add_argument("--benchmarks", type=Path, help="folder of bare benchmark repositories whose text is left out")
    arguments = parser.parse_args()
    folder = shards.HOME / "shards"
    folder.mkdir(parents=True, exist_ok=True)
    registries.debian_sources()
    registries.debian_binaries()
    seeds = json.loads((HERE / "seeds.json").read_text("utf-8"))
    if arguments.resume:
        _lines.load(shards.HOME / "lines.npy")
    else:
        _learn(arguments.benchmarks, _evaluated(seeds, arguments.pinned))
    print(f"{len(_lines):,} held-out lines", flush=True)
    queues = _pinned_queues() if arguments.pinned else _queues(seeds)
    chosen = {group: queue for group, queue in queues.items() if group in (arguments.groups or queues)}
    _run(chosen, seeds["weights"], arguments)
    if not arguments.pinned:
        write_list()


def write_list() -> None:
    """The list of packages, from what stands beside their shards."""
    paths = [path for folder in ("shards", "evaluation") for path in (shards.HOME / folder).glob("*.npz")]
    records = [shards.sidecar(path)["record"] for path in paths]
    records.sort(key=lambda r: (r["use"], r["ecosystem"], r["name"]))
    rows = ",\n".join(json.dumps(r, ensure_ascii=False) for r in records)
    PACKAGES.write_text(f"[\n{rows}\n]\n", "utf-8")


def _evaluated(seeds: dict[str, Any], pinned: bool) -> list[Task]:
    rows = json.loads(PACKAGES.read_text("utf-8")) if pinned else []
    if pinned:
        named = [(row["ecosystem"], row["name"], row["version"]) for row in rows if row["use"] == "evaluate"]
    else:
        named = [(*entry.split(":", 1), "") for entry in seeds["evaluate"]]
    return [Task("evaluate", *names, evaluate=True) for names in named]


def _learn(benchmarks: Path | None, tasks: list[Task]) -> None:
    """Read the packages for evaluation, and remember every line that must not be trained on."""
    if benchmarks:
        _learn_benchmarks(benchmarks)
    for task in tasks:
        mined = mine(task)
        print(task.name, mined.reason, mined.pairs, flush=True)
    _lines.save(shards.HOME / "lines.npy")


def mine(task: Task) -> Mined:
    """Read one package into its shard."""
    found = fetch(task)
    return Mined(task, None, found, {}, 0.0) if isinstance(found, str) else digest(task, *found)


def fetch(task: Task) -> tuple[registries.Package, bytes] | str:
    """One package and its archive, or why there is none."""
    if _shard_of(task).with_suffix(".json").exists():
        return "there already"
    try:
        package = registries.resolve(task.ecosystem, task.name, task.version)
        if isinstance(package, str):
            return package
        package = package._replace(licence=package.licence or task.licence)
        if not package.licence and not task.evaluate and task.ecosystem != "debian-binary":
            return "licence"
        return package, registries.read(package.url, registries.MAX_ARCHIVE_BYTES if task.wide > 1 else 30_000_000)
    except Exception as error:  # noqa: BLE001  one unreadable package is counted, not fatal
        return type(error).__name__


def digest(task: Task, package: registries.Package, archive: bytes) -> Mined:
    """Parse one package into its shard."""
    begun = time.process_time()
    try:
        if not package.licence and task.ecosystem == "debian-binary":
            package = package._replace(licence=registries.licence_of_deb(archive, package.name) or "")
        if not package.licence and not task.evaluate:
            return Mined(task, None, "licence", {}, time.process_time() - begun)
        found = list(_definitions(archive, package.url, task))
    except Exception as error:  # noqa: BLE001  one unreadable package is counted, not fatal
        return Mined(task, None, type(error).__name__, {}, time.process_time() - begun)
    counts = Counter(language for language, item in found if item.query and item.kind in DOCUMENTED)
    if counts:
        path = _shard_of(task)
        path.parent.mkdir(parents=True, exist_ok=True)
        shards.save(path, _record(task, package, dict(counts)), found, keep_all=task.evaluate)
    return Mined(task, package, "" if counts else "no pairs", dict(counts), time.process_time() - begun)


def _shard_of(task: Task) -> Path:
    name = re.sub(r"[^\w.+-]", "_", f"{task.ecosystem}-{task.name}")
    return shards.HOME / ("evaluation" if task.evaluate else "shards") / f"{name}.npz"


def _definitions(archive: bytes, url: str, task: Task) -> Iterator[tuple[str, Definition]]:
    seen: set[tuple[str, str]] = set()
    size, pairs, others = 0, 0, 0

    def wanted(path: str) -> bool:
        language = LANGUAGES[language_of(path)]
        if language.grammar is None or language.role != "code":
            return False
        if task.languages and language.name not in task.languages:
            return False
        return usable_path(path) or (task.evaluate and "test" not in path.lower())

    for path, content in registries.files(archive, url, wanted):
        if task.evaluate:
            _lines.add(content)
        language = language_of(path)
        size += len(content)
        for item in definitions(content, language, _never if task.evaluate else _lines):
            key = (item.name.rpartition(".")[2].lower(), item.query or item.name)
            if key in seen or (item.kind not in DOCUMENTED and (task.evaluate or others > MAX_OTHERS + pairs)):
                continue
            seen.add(key)  # builds of one source for several targets
            documented = bool(item.query) and item.kind in DOCUMENTED
            pairs += documented
            others += bool(item.query) and not documented
            yield language, item
        if not task.evaluate and (size > MAX_SOURCE_BYTES * task.wide or pairs > MAX_PAIRS * task.wide):
            return


def _never(_: bytes) -> bool:
    return False


def _learn_benchmarks(folder: Path) -> None:
    for repository in sorted(folder.glob("*/repo")):
        git = ["git", "-C", str(repository)]
        listing = subprocess.run([*git, "ls-tree", "-r", "HEAD"], capture_output=True, text=True, check=True).stdout
        rows = [row.split("\t", 1) for row in listing.splitlines()]
        blobs = [head.split()[2] for head, path in rows if LANGUAGES[language_of(path)].role == "code"]
        done = subprocess.run(
            [*git, "cat-file", "--batch"], input="\n".join(blobs).encode(), capture_output=True, check=False
        )
        _lines.add(done.stdout)
    print(f"{len(_lines):,} lines of benchmarks", flush=True)


def _queues(seeds: dict[str, Any]) -> dict[str, deque[Task]]:
    shuffle = random.Random(SEED).shuffle
    queues: dict[str, deque[Task]] = {}
    for group, names in seeds["packages"].items():
        queues[group] = deque(Task(group, seeds["ecosystems"][group], name) for name in names)
    for entry, languages in seeds["wide"].items():
        ecosystem, name = entry.split(":", 1)
        task = Task("wide", ecosystem, name, "", tuple(languages), WIDE, licence=seeds["licences"].get(entry, ""))
        queues.setdefault("wide", deque()).append(task)
    sources = sorted(registries.debian_sources())
    for group, pattern in seeds["debian"].items():
        matching = [name for name in sources if re.search(pattern, name)]
        shuffle(matching)
        target = queues.setdefault(group, deque())
        if group == "python":  # the same projects, read from their own registry
            target.extend(Task(group, "pypi", re.sub(pattern, "", name)) for name in matching)
        else:
            target.extend(Task(group, "debian", name) for name in matching)
    binaries = sorted(registries.debian_binaries())
    for group, pattern in seeds["debian-binary"].items():
        matching = [name for name in binaries if re.search(pattern, name)]
        shuffle(matching)
        target = queues.setdefault(group, deque())
        known: set[str] = set()
        for name in matching:
            source = registries.debian_binaries()[name][0].source
            if source not in known and not held_out(source) and not _shard_of(Task(group, "debian", source)).exists():
                known.add(source)
                target.append(Task(group, "debian-binary", name))
    return queues


def _pinned_queues() -> dict[str, deque[Task]]:
    seeds = json.loads((HERE / "seeds.json").read_text("utf-8"))
    queue: deque[Task] = deque()
    for row in json.loads(PACKAGES.read_text("utf-8")):
        if row["use"] == "train":
            languages = tuple(seeds["wide"].get(f"{row['ecosystem']}:{row['name']}", ()))
            limits = (languages, WIDE if languages else 1)
            queue.append(Task("pinned", row["ecosystem"], row["name"], row["version"], *limits, licence=row["licence"]))
    return {"pinned": queue}


def _run(queues: dict[str, deque[Task]], weights: dict[str, float], arguments: argparse.Namespace) -> None:
    deadline = time.monotonic() + arguments.minutes * 60
    spent: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    packages = 0
    running: dict[Future[Mined], Task] = {}
    pool = _started_pool(arguments.workers)
    downloads = ThreadPoolExecutor(arguments.workers * DOWNLOADS)
    report_at = 0.0
    while True:
        while len(running) < arguments.workers * DOWNLOADS and time.monotonic() < deadline:
            task = _next(queues, spent, weights, seen)
            if task is None:
                break
            running[downloads.submit(_pass_on, pool, task)] = task
        if not running:
            break
        done, _ = wait(running, timeout=30, return_when=FIRST_COMPLETED)
        for future in done:
            task = running.pop(future)
            try:
                mined = future.result()
            except BrokenProcessPool:
                reasons["crash"] += 1
                wait(running)
                pool, running = _started_pool(arguments.workers), {}
                break
            spent[task.group] += mined.seconds
            reasons[mined.reason] += 1
            if mined.pairs and mined.package:
                totals.update(mined.pairs)
                packages += 1
            if mined.package and task.ecosystem in ("pypi", "npm") and not arguments.pinned:
                queues[task.group].extend(Task(task.group, task.ecosystem, name) for name in mined.package.depends)
        if time.monotonic() > report_at:
            report_at = time.monotonic() + 30
            print(f"{totals.total():,} pairs, {packages} packages", dict(totals), dict(reasons), flush=True)
        if time.monotonic() > deadline + 120:
            break
    downloads.shutdown(wait=False, cancel_futures=True)
    pool.shutdown(wait=False, cancel_futures=True)
    print(f"{totals.total():,} pairs", dict(totals.most_common()), dict(reasons), dict(spent), flush=True)


def _started_pool(workers: int) -> ProcessPoolExecutor:
    """Processes that were forked before any thread could hold a lock."""
    pool = ProcessPoolExecutor(workers)
    pool.submit(int).result()
    return pool


def _pass_on(pool: ProcessPoolExecutor, task: Task) -> Mined:
    found = fetch(task)
    return Mined(task, None, found, {}, 0.0) if isinstance(found, str) else pool.submit(digest, task, *found).result()


def _next(
    queues: dict[str, deque[Task]], spent: Counter[str], weights: dict[str, float], seen: set[tuple[str, str]]
) -> Task | None:
    """The next package of the group that has had least of its share."""
    while any(queues.values()):
        group = min((g for g in queues if queues[g]), key=lambda g: spent[g] / weights.get(g, 1))
        task = queues[group].popleft()
        key = (task.ecosystem, task.name.lower().replace("_", "-"))
        if key not in seen and not held_out(task.name) and not EXCLUDED.search(task.name.lower()):
            seen.add(key)
            spent[group] += 0.2  # so that a burst of submissions is shared out too
            return task
    return None


def _record(task: Task, package: registries.Package, pairs: dict[str, int]) -> dict[str, Any]:
    return {
        "use": "evaluate" if task.evaluate else "train",
        "ecosystem": package.ecosystem,
        "name": package.name,
        "version": package.version,
        "licence": package.licence,
        "pairs": pairs,
    }


if __name__ == "__main__":
    main()
