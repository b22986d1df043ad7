"""Kills writers at random moments while readers check every answer: `python -m benchmarks.torture`.

A round changes a tree at random, starts `clew index`, `sync` or `index --force` on it and kills it with
SIGKILL after a random time, or not; then it recovers as the messages say, with `clew index`, and looks for
what was lost. Two readers ask all the while. A hit that is called fresh and differs from the disk is
`wrong`, unless the file changed after the question (`raced`); a gate that the state does not explain is a
`flap`. Exits 1 if there was any of wrong, flaps, lost or orphans.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests import dump

from benchmarks.torture_reader import Answer
from benchmarks.torture_tree import Tree
from clew import Engine, load_config
from clew.lifecycle import lock
from clew.store import codebases, leases
from clew.store.sweep import sweep

RESULTS = Path(__file__).parent / "results" / "torture.json"
FAILURES = ("wrong", "flaps", "lost", "orphans")
COMMANDS = {"sync": ("sync",), "index": ("index",), "reindex": ("index", "--force")}
FILES = 300
_GATED = ("search_codebase", "search_text", "find_similar", "get_symbol", "file_outline", "read_file")
_COMMIT_S = 0.5  # a step of the state is dated before its transaction ends
_COMPARE_EVERY = 10
_SHOWN = 30


@dataclass(slots=True)
class Unproven:
    """A time without a proof: a create or reindex, from its first step until its flip or its successor's begin."""

    run: str
    began: float
    visible: float  # from when on everybody sees it
    killed: float = math.inf  # the signal was sent
    gone: float = math.inf  # and nothing of the process was left
    ended: float = math.inf


@dataclass(slots=True)
class Counts:
    """What the run prints."""

    rounds: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    decisions: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    hits_checked: int = 0
    flagged: int = 0
    raced: int = 0
    wrong: int = 0
    flaps: int = 0
    lost: int = 0
    orphans: int = 0
    resumed_runs: int = 0
    resumed_files_not_parsed_again: int = 0
    compared_with_fresh: int = 0
    details: list[str] = field(default_factory=list)

    def note(self, kind: str, detail: str, number: int = 1) -> None:
        """Count a failure and keep the first few words of it."""
        setattr(self, kind, getattr(self, kind) + number)
        if len(self.details) < _SHOWN:
            self.details.append(f"round {self.rounds}, {kind}: {detail}")

    def report(self) -> dict[str, Any]:
        kills = {"total": self.kills.total(), "by_phase": dict(sorted(self.kills.items()))}
        fields = {name: getattr(self, name) for name in self.__slots__}
        counters = {name: dict(sorted(value.items())) for name, value in fields.items() if isinstance(value, Counter)}
        return {**fields, **counters, "kills": kills, "answers": {"total": self.answers.total(), **counters["answers"]}}


class Judge:
    """Tells which gates the state explains, from the steps that the store recorded."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._times: list[Unproven] = []
        self._steps: set[tuple[str, str]] = set()

    def learn(self, engine: Engine, root: str) -> None:
        """Take in the steps of the state since the last time."""
        connection = engine.resolve(root).store.connection()
        for step in reversed(codebases.transitions(connection, root, codebases.KEPT_TRANSITIONS)):
            if (step.run, step.new) in self._steps or step.new not in ("indexing", "indexed", "indexfailed"):
                continue
            self._steps.add((step.run, step.new))
            at = datetime.fromisoformat(step.at).timestamp()
            is_open = bool(self._times) and self._times[-1].ended == math.inf
            if is_open:
                self._times[-1].ended = at
            if step.new == "indexing":
                self._times.append(Unproven(step.run, at, at if is_open else at + _COMMIT_S))

    def died(self, run: str, killed: float, gone: float) -> None:
        """A run was killed; if it was one without a proof, nobody is at work on it from then on."""
        for unproven in self._times:
            if unproven.run == run:
                unproven.killed, unproven.gone = killed, gone

    def judge(self, reader: str, answer: Answer) -> None:
        """Count an answer, and what is wrong with it."""
        counts = self._counts
        counts.answers[answer.tool] += 1
        counts.hits_checked += answer.checked
        counts.flagged += answer.flagged
        counts.raced += answer.raced
        if answer.decision:
            counts.decisions[answer.decision] += 1
        if answer.status not in ("ok", "not_found"):
            counts.gates[f"{answer.status} {answer.reason}".strip()] += 1
        for complaint in answer.wrong:
            counts.note("wrong", f"{reader}: {complaint}")
        if not self._explains(answer):
            kind = "wrong" if answer.status == "ok" else "flaps"
            counts.note(kind, f"{reader}: {answer.tool}: {answer.status} {answer.reason}: {answer.message}")

    def _explains(self, answer: Answer) -> bool:
        """Whether the state at the time allows this answer."""
        if answer.status == "not_ready":  # a run that takes over holds the lock before it takes its first step
            return any(
                t.began - _COMMIT_S <= answer.ended and answer.began <= min(t.gone, t.ended + _COMMIT_S)
                for t in self._times
            )
        if answer.reason == "interrupted":
            return any(t.killed <= answer.ended and answer.began <= t.ended + _COMMIT_S for t in self._times)
        if answer.status == "ok" and answer.tool in _GATED:
            return not any(t.visible <= answer.began and answer.ended <= t.ended for t in self._times)
        return answer.status in ("ok", "not_found", "traceback")  # the last is counted as wrong already


class Torture:
    """One tree, one home, two readers and a writer at a time."""

    def __init__(self, folder: Path, seed: int, files: int) -> None:
        self.counts = Counts()
        self._chance = random.Random(seed)
        self._home, self._control = folder / "home", folder / "control"
        self._control.mkdir()
        self._tree = Tree(folder / "tree", self._chance, files)
        self._root = str(self._tree.root)
        self._engine = Engine(load_config({"home": str(self._home), "workers": 1, "recheck_ms": 0}))
        self._judge = Judge(self.counts)
        self._usual = dict.fromkeys(COMMANDS, 1.0)
        self._offsets: Counter[str] = Counter()

    def run(self, rounds: int) -> Counts:
        """Index once, then as many rounds."""
        self._work("index", None)
        self._allow_quiet()
        with self._reading():
            for number in range(1, rounds + 1):
                self.counts.rounds = number
                self._round()
                if number % _COMPARE_EVERY == 0 or number == rounds:
                    self._compare()
                    print(json.dumps({k: v for k, v in self.counts.report().items() if k in _PROGRESS}), flush=True)
        self._hear(math.inf)
        self._engine.close()
        return self.counts

    def _round(self) -> None:
        command = self._chance.choices(list(COMMANDS), (45, 20, 35))[0]
        is_killed, edits_meanwhile = self._chance.random() < 0.85, self._chance.random() < 0.5
        (self._control / "manifest.json").unlink(missing_ok=True)
        self._tree.change()
        if not edits_meanwhile:
            self._allow_quiet()
        after_s = self._chance.uniform(0, 1.15 * self._usual[command]) if is_killed else None
        was_killed = self._work(command, after_s, edits_meanwhile=edits_meanwhile)
        if edits_meanwhile:
            self._allow_quiet()
        while was_killed:
            time.sleep(self._chance.uniform(0.05, 0.3))
            again = self._chance.random() < 0.2
            was_killed = self._work("index", self._chance.uniform(0, self._usual["reindex"]) if again else None)
        self._check()
        self._hear(time.time())

    def _work(self, command: str, kill_after_s: float | None, *, edits_meanwhile: bool = False) -> bool:
        """Run a command, changing the tree under it or not; whether it was killed."""
        known = {job.id for job in self._engine.jobs(self._root)} if self._engine.list() else set()
        process = subprocess.Popen(
            [sys.executable, "-m", "clew", *COMMANDS[command], self._root, "--json"],
            env={**os.environ, "CLEW_HOME": str(self._home), "CLEW_WORKERS": "2"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started = time.monotonic()
        if edits_meanwhile:
            self._tree.change()
        try:
            left_s = None if kill_after_s is None else max(0.0, started + kill_after_s - time.monotonic())
            output, errors = process.communicate(timeout=left_s)
        except subprocess.TimeoutExpired:
            killed = time.time()
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            self._autopsy(command, known, killed, time.time())
            return True
        self.counts.runs[command] += 1
        if process.returncode:
            self.counts.note(
                "flaps", f"{command} failed with {process.returncode}: {output.decode()} {errors.decode()}"
            )
            return False
        if kill_after_s is None:
            self._usual[command] = 0.7 * self._usual[command] + 0.3 * (time.monotonic() - started)
        job = self._engine.jobs(self._root)[0]
        if job.resumes:
            self.counts.resumed_runs += 1
            self.counts.resumed_files_not_parsed_again += job.stats["files"] - job.stats["parsed"]
        return False

    def _autopsy(self, command: str, known: set[str], killed: float, gone: float) -> None:
        """What a killed command left behind must say that it was killed, and where."""
        state = self._engine.status(self._root)
        job = next((job for job in self._engine.jobs(self._root) if job.id not in known), None)
        sign = lock.heartbeat(self._engine.resolve(self._root).store, self._root)
        if job is None:
            phase = "start"
        elif job.state == "completed":
            phase = "after the flip"
        else:
            phase = sign.phase if sign is not None and sign.run == job.id else "begin"
            if job.state != "interrupted":
                self.counts.note("flaps", f"a killed {job.action} is called {job.state}")
            if job.action != "sync":
                self._judge.learn(self._engine, self._root)
                self._judge.died(job.id, killed, gone)
        self.counts.kills[f"{job.action if job else command}: {phase}"] += 1
        is_whole = state.verdict == "ok"
        if is_whole == (state.state == "indexing") or (state.state != "indexing" and state.proof != "valid"):
            self.counts.note("flaps", f"after a kill: {state.state}, {state.verdict}, {state.proof}")

    def _check(self) -> None:
        """After recovery: no file is missing, the doctor is content, no job is left, and the sweep leaves nothing."""
        expected, counts = self._tree.files(), self.counts
        found = {item.path for item in self._engine.paths(self._root, limit=10_000).items}
        if found != expected:
            counts.note("lost", f"{sorted(found ^ expected)[:5]}", len(found ^ expected))
        for check in self._engine.doctor().checks:
            if not check.ok:
                counts.note("wrong", f"the doctor: {check.message}")
        for job in self._engine.jobs(self._root):
            if job.state == "running":
                counts.note("flaps", f"{job.action} {job.id} is called running")
        store = self._engine.resolve(self._root).store
        sweep(store)
        sweep(store)
        if orphans := self._engine.doctor().orphans:
            counts.note("orphans", "after two sweeps", orphans)

    def _compare(self) -> None:
        """The whole store equals one made from nothing; readers wait meanwhile, so that nothing is held for them."""
        store = self._engine.resolve(self._root).store
        with self._pause(), tempfile.TemporaryDirectory() as home:
            deadline = time.monotonic() + 20
            while leases.oldest(store.leases) is not None and time.monotonic() < deadline:
                time.sleep(0.05)
            self._engine.sync(self._root)
            fresh = Engine(load_config({"home": home, "workers": 2, "recheck_ms": 0}))
            fresh.index(self._root)
            ours, theirs = dump.state(self._engine, self._tree.root), dump.state(fresh, self._tree.root)
            fresh.close()
        self.counts.compared_with_fresh += 1
        for part in ("tables", "answers"):
            for key in theirs[part]:
                if ours[part][key] != theirs[part][key]:
                    self.counts.note("wrong", f"{part}.{key} differs from a fresh index")

    def _hear(self, until: float) -> None:
        """Judge what the readers have told about the time before `until`."""
        self._judge.learn(self._engine, self._root)
        for path in sorted(self._control.glob("*.jsonl")):
            with path.open() as lines:
                lines.seek(self._offsets[path.stem])
                while (line := lines.readline()).endswith("\n"):
                    answer = Answer(**json.loads(line))
                    if answer.ended >= until:
                        break
                    self._judge.judge(path.stem, answer)
                    self._offsets[path.stem] = lines.tell()

    def _allow_quiet(self) -> None:
        """Tell the readers what the tree holds, until it is changed again."""
        draft = self._control / "draft.json"
        draft.write_text(json.dumps(self._tree.manifest()))
        os.replace(draft, self._control / "manifest.json")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Two readers, one that watches the tree and one that looks at it."""
        command = [sys.executable, "-m", "benchmarks.torture_reader", self._root, str(self._home), str(self._control)]
        readers = [subprocess.Popen([*command, name]) for name in ("looking", "watching")]
        try:
            yield
        finally:
            (self._control / "stop").touch()
            for reader in readers:
                try:
                    if reader.wait(timeout=60):
                        self.counts.note("wrong", f"a reader ended with {reader.returncode}")
                except subprocess.TimeoutExpired:
                    self.counts.note("wrong", "a reader hangs")
                    reader.kill()
                    reader.wait()

    @contextlib.contextmanager
    def _pause(self) -> Iterator[None]:
        (self._control / "pause").touch()
        deadline = time.monotonic() + 30
        while len(list(self._control.glob("*.paused"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        try:
            yield
        finally:
            (self._control / "pause").unlink()


_PROGRESS = ("rounds", "hits_checked", "raced", "gates", *FAILURES)


def torture(folder: Path, *, rounds: int, seed: int, files: int = FILES) -> dict[str, Any]:
    """Everything below `folder`, which must exist and be empty; the counts."""
    started, load = time.monotonic(), os.getloadavg()[0]
    counts = Torture(folder.resolve(), seed, files).run(rounds)
    took = {
        "seconds": round(time.monotonic() - started),
        "load_average": [round(load, 2), round(os.getloadavg()[0], 2)],
    }
    return {"seed": seed, "files": files, "cores": os.cpu_count(), **took, **counts.report()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=20261116)
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = torture(Path(folder), rounds=flags.rounds, seed=flags.seed)
    text = json.dumps(report, indent=2)
    RESULTS.write_text(text + "\n")
    print(text)
    sys.exit(any(report[name] for name in FAILURES))


if __name__ == "__main__":
    main()
