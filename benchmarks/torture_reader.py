"""One reader of `torture`: asks without end, and compares every hit with the file on disk.

`python -m benchmarks.torture_reader ROOT HOME CONTROL NAME`. In CONTROL it looks for `stop`, `pause` and
`manifest.json` (what the tree holds while nobody changes it), and writes `NAME.jsonl`, a line an answer.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.torture_tree import blob_hash
from clew import Engine, load_config
from clew.serve import tools
from clew.serve.gates import Envelope

TICK_S = 0.05  # time stamps of files may be this much behind the clock; 16 ms were seen on a busy machine
_SETTLED_S = 2.0  # after this, no check that was skipped or left to another process explains a missing file
_BETWEEN_S = 0.004  # questions, so that the writers get their share of the machine
_QUERIES = ("work amount", "stamp", "step_3 serial", "how is the total computed", "Gamma.delta", "README edition")
_TOOLS = ("search_codebase",) * 5 + ("get_symbol",) * 3 + ("search_text", "file_outline") * 2 + (
    "find_similar", "read_file", "list_paths", "list_codebases", "manage_index",
)  # fmt: skip
_UP_TO_DATE = ("fresh", "synced")


@dataclass(slots=True)
class Answer:
    """What the judge needs to know of an answer; `wrong` is what it got wrong whatever else happened."""

    tool: str
    began: float
    ended: float = 0.0
    status: str = ""
    reason: str = ""
    decision: str = ""
    message: str = ""
    checked: int = 0
    raced: int = 0
    flagged: int = 0
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Question:
    tool: str
    arguments: dict[str, Any]
    key: str = ""  # the file it is about


class Reader:
    """Asks an engine of its own about one tree."""

    def __init__(self, root: Path, control: Path, engine: Engine, chance: random.Random) -> None:
        self._root, self._control, self._engine, self._chance = root, control, engine, chance
        self._manifest: dict[str, Any] = {"hashes": {}, "stamps": {}}
        self._read = 0  # which manifest that is

    def ask(self) -> Answer:
        """One random question, and what is to be said of its answer."""
        quiet = self._quiet()
        question = self._question()
        answer = Answer(question.tool, time.time())
        try:
            envelope = tools.call(self._engine, question.tool, question.arguments)
        except Exception:  # noqa: BLE001 - whatever gets out is a defect, and is counted
            answer.ended, answer.status = time.time(), "traceback"
            answer.wrong.append(traceback.format_exc()[-900:])
            return answer
        answer.ended, answer.status = time.time(), envelope["status"]
        answer.reason, answer.message = envelope.get("reason") or "", envelope.get("message") or ""
        answer.decision = envelope.get("freshness", {}).get("decision", "")
        is_quiet = bool(quiet) and self._quiet() == quiet
        if answer.status == "ok":
            self._compare(answer, question, envelope)
            if is_quiet and answer.decision in _UP_TO_DATE:
                self._expect(answer, question, envelope)
        elif answer.status == "not_found" and is_quiet and question.key in self._manifest["hashes"]:
            if answer.began - quiet / 1e9 > _SETTLED_S:
                answer.wrong.append(f"{question.key} was not found: {envelope['message']}")
        elif answer.reason == "bad_input" and self._age_s(question.key, answer.began) <= TICK_S:
            answer.raced, answer.status = 1, "not_found"  # its file went while it was read
        return answer

    def _question(self) -> Question:
        root, chance = str(self._root), self._chance
        tool = chance.choice(_TOOLS)
        key = chance.choice(sorted(self._manifest["hashes"]) or [".gitignore"])
        stamp = chance.choice([*self._manifest["stamps"], "Gamma"])
        word = chance.choice((*_QUERIES, f"function_{chance.randint(1, 999)}_3"))
        about_file: dict[str, dict[str, Any]] = {
            "file_outline": {"path": root, "file": key},
            "find_similar": {"path": root, "file": key, "start_line": 1, "end_line": 9},
            "read_file": {"path": f"{root}/{key}"},
        }
        if tool in about_file:
            return Question(tool, about_file[tool], key)
        arguments: dict[str, dict[str, Any]] = {
            "search_codebase": {"path": root, "query": word},
            "search_text": {"path": root, "query": f"def {stamp}("},
            "get_symbol": {"path": root, "name": stamp},
            "list_paths": {"path": root, "max_results": 10_000},
            "list_codebases": {},
            "manage_index": {"path": root, "action": "status"},
        }
        return Question(tool, arguments[tool])

    def _compare(self, answer: Answer, question: Question, envelope: Envelope) -> None:
        """Every hit that is called fresh says what its file says."""
        for hit in envelope.get("results", ()):
            lines = (hit["start_line"], hit["end_line"])
            self._check(answer, hit["path"], hit["fresh"], hit["snippet"], lines, hit["content_hash"])
            for copy in hit["also"]:
                self._check(answer, copy, True, hit["snippet"], lines, hit["content_hash"])
            for nested in hit["functions"]:
                name, lines = nested["symbol"].rpartition(".")[2], (nested["start_line"], nested["end_line"])
                self._check(answer, hit["path"], hit["fresh"], name, lines, "")
        for match in envelope.get("matches", ()):
            self._check(answer, match["path"], True, match["text"], (match["line"], match["line"]), "")
        symbols = envelope.get("symbols", ()) if question.key.endswith(".py") or not question.key else ()
        for symbol in symbols:
            is_fresh = symbol["fresh"] if "fresh" in symbol else envelope["fresh"]
            lines = (symbol["start_line"], symbol["end_line"])
            self._check(answer, symbol.get("path", question.key), is_fresh, symbol["name"], lines, "")
        if question.tool == "read_file":
            lines = (envelope["start_line"], envelope["end_line"])
            self._check(answer, question.key, True, envelope["content"], lines, "")
        if question.tool == "list_codebases" and str(self._root) not in [row["root"] for row in envelope["codebases"]]:
            answer.wrong.append("the codebase is missing from the list")

    def _check(self, answer: Answer, key: str, is_fresh: bool, text: str, lines: tuple[int, int], named: str) -> None:
        """A text that is called fresh stands in these lines of the file, and the hash is the file's."""
        if not is_fresh:
            answer.flagged += 1
            return
        answer.checked += 1
        try:
            content = (self._root / key).read_bytes()
        except OSError:
            content = b""
        shown = "\n".join(content.decode("utf-8", "replace").split("\n")[lines[0] - 1 : lines[1]])
        if text in shown and (not named or (named == blob_hash(content) and text == shown.rstrip("\r\n"))):
            return
        age_s = self._age_s(key, answer.began)
        if age_s > TICK_S:  # a file that is cut off to be written anew shows it in its content first
            time.sleep(TICK_S)
            age_s = self._age_s(key, answer.began)
        if age_s <= TICK_S:
            answer.raced += 1
        else:
            place = f"{key}:{lines[0]}-{lines[1]}, {age_s:.3f} s old when the question began,"
            answer.wrong.append(f"{answer.tool}: {place} is called fresh ({answer.decision}) and is not")

    def _expect(self, answer: Answer, question: Question, envelope: Envelope) -> None:
        """Nobody changed the tree: an answer that is up to date knows every file, flags none and misses none."""
        hashes, stamps = self._manifest["hashes"], self._manifest["stamps"]
        if question.tool == "list_paths":
            found = {item["path"] for item in envelope["items"]}
            if found != hashes.keys():
                answer.wrong.append(f"paths ({answer.decision}): {sorted(found ^ hashes.keys())[:4]} should not differ")
        elif question.tool in ("get_symbol", "search_text"):
            for name in stamps.keys() & {question.arguments.get("name"), question.arguments.get("query", "")[4:-1]}:
                found = {item["path"] for item in envelope["symbols" if "name" in question.arguments else "matches"]}
                if found != set(stamps[name]):
                    answer.wrong.append(f"{name} ({answer.decision}) is in {stamps[name]}, not in {sorted(found)}")
        if answer.flagged:
            answer.wrong.append(f"{answer.flagged} hits are flagged ({answer.decision}), but nothing changed")

    def _age_s(self, key: str, began: float) -> float:
        """For how long a file, or what is left of the way to it, had not changed when a question began."""
        path = self._root / key
        while not os.path.lexists(path):
            path = path.parent
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return 0.0
        return began - max(found.st_mtime, found.st_ctime)

    def _quiet(self) -> int:
        """Which manifest holds now; 0 while the tree is being changed."""
        path = self._control / "manifest.json"
        try:
            serial = path.stat().st_mtime_ns
            if serial != self._read:
                self._manifest, self._read = json.loads(path.read_text()), serial
        except FileNotFoundError:
            return 0
        return serial


def main() -> None:
    root, home, control, name = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    config = load_config({"home": home, "workers": 1, "recheck_ms": 50})
    engine = Engine(config, watching=name == "watching")
    reader = Reader(root, control, engine, random.Random(name))
    paused = control / f"{name}.paused"
    with (control / f"{name}.jsonl").open("w") as out:
        while not (control / "stop").exists():
            if (control / "pause").exists():
                paused.touch()
                time.sleep(0.02)
                continue
            paused.unlink(missing_ok=True)
            out.write(json.dumps(asdict(reader.ask())) + "\n")
            out.flush()
            time.sleep(_BETWEEN_S)
    engine.close()


if __name__ == "__main__":
    main()
