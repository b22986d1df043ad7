"""semble at work, run by an interpreter that has it; Clew is not imported here. `rival_semble.py COMMAND MODEL [TREE]`.

`model` saves a stand-in for semble's own model, which is on a hub: WordLlama's weights, 32,000 tokens of 256 numbers.
`index` makes and keeps an index of a tree. `ask` opens it and times the questions on standard input. `answer` indexes
the trees on standard input and prints what it finds for their questions. All print JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    command, model, *trees = sys.argv[1:]
    commands: dict[str, Callable[..., dict[str, Any]]] = {
        "model": save_model, "index": index, "ask": ask, "answer": answer,
    }  # fmt: skip
    print(json.dumps(commands[command](model, *trees)))


def save_model(folder: str) -> dict[str, Any]:
    """Save the stand-in in the form that semble loads its own model from."""
    import numpy as np

    package = Path(str(import_module("wordllama").__file__)).parent
    (weights,) = import_module("safetensors.numpy").load_file(package / "weights/l2_supercat_256.safetensors").values()
    tokeniser = import_module("tokenizers").Tokenizer.from_file(
        str(package / "tokenizers/l2_supercat_tokenizer_config.json")
    )
    static = import_module("model2vec").StaticModel(weights.astype(np.float32), tokeniser, normalize=True)
    static.save_pretrained(folder)
    return {"tokens": weights.shape[0], "dimension": weights.shape[1]}


def index(model: str, tree: str, content: str = "code") -> dict[str, Any]:
    """Index a tree and keep the index, as semble's own command does."""
    made = _open(model, tree, content)
    import_module("semble.cache").save_index_to_cache(made, tree)
    return {"files": made.stats.indexed_files, "chunks": made.stats.total_chunks, "from_cache": made.loaded_from_disk}


def ask(model: str, tree: str, content: str = "code") -> dict[str, Any]:
    """Time the first question from the start of the process, then all of them, in rounds."""
    wanted = json.load(sys.stdin)
    opened = _open(model, tree, content)
    assert opened.loaded_from_disk, "the index should be there already"
    opened.search(wanted["questions"][0], top_k=wanted["limit"])
    first = (time.time() - float(os.environ["STARTED"])) * 1e3, time.process_time() * 1e3
    times = []
    for question in wanted["questions"] * wanted["rounds"]:
        wall, cpu = time.perf_counter(), time.process_time()
        opened.search(question, top_k=wanted["limit"])
        times.append([(time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3])
    return {"first": first, "times": times}


def answer(model: str) -> dict[str, Any]:
    """For each tree, question and limit: path, lines and size of what was found; and the CPU time of indexing."""
    found: dict[str, Any] = {}
    for name, wanted in json.load(sys.stdin).items():
        cpu = time.process_time()
        opened = _open(model, wanted["tree"], "code")
        cost = round(time.process_time() - cpu, 2)
        found[name] = {"cpu_s": cost, "chunks": opened.stats.total_chunks, "hits": {}}
        for question in wanted["questions"]:
            for limit in wanted["limits"]:
                results = [result.chunk for result in opened.search(question, top_k=limit)]
                found[name]["hits"][f"{limit} {question}"] = [
                    [chunk.file_path, chunk.start_line, chunk.end_line, len(chunk.content)] for chunk in results
                ]
        print(f"semble: {name}: {opened.stats.total_chunks} chunks, {cost} s", file=sys.stderr, flush=True)
    return found


def _open(model: str, tree: str, content: str) -> Any:
    semble = import_module("semble")
    kinds = [kind for kind in semble.ContentType if content in ("all", kind.value)]
    return semble.SembleIndex.from_path(tree, content=kinds, model_path=model)


if __name__ == "__main__":
    main()
