"""The generated source: the same for the same seed, real Python, and about as many chunks as were asked for."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import islice
from pathlib import Path

from benchmarks.scale import sizes, summary
from benchmarks.scale_tree import FUNCTIONS, Words, modules, words_of

from clew.parse.extract import extract

COUNTS = Counter({f"word{chr(97 + n % 26)}{chr(97 + n // 26)}": 1_000 // (n + 1) for n in range(400)})


def test_the_same_seed_gives_the_same_source() -> None:
    first, again, other = (list(islice(modules(Words(COUNTS, seed)), 50)) for seed in (1, 1, 2))
    assert first == again != other
    assert len({file.path for file in first}) == 50


def test_modules_are_python_with_a_chunk_a_function() -> None:
    made = [file.content or b"" for file in islice(modules(Words(COUNTS, 3)), 40)]
    chunks = 0
    for content in made:
        functions = [node for node in ast.parse(content).body if isinstance(node, ast.FunctionDef)]
        found = extract(content, "python")
        assert len(functions) == sum(symbol.kind == "function" for symbol in found.symbols)
        chunks += len(found.chunks)
    assert FUNCTIONS <= chunks / len(made) <= FUNCTIONS + 2


def test_words_are_as_frequent_as_in_the_tree(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import often, often\nclass Often: rare_word = often\n")
    counts = words_of(tmp_path)
    assert counts == Counter({"often": 3, "import": 1, "class": 1, "rare": 1, "word": 1})
    words = Words(counts, 1)
    assert len(words) == 3  # keywords name nothing
    assert Counter(words.often(1_000)).most_common(1)[0][0] == "often"


def test_percentiles_of_wall_and_processor_time() -> None:
    times = [(float(n), n / 10) for n in range(1, 101)]
    assert summary(times) == {"p50_ms": 50.0, "p95_ms": 95.0, "cpu_p50_ms": 5.0, "cpu_p95_ms": 9.5}


def test_sizes_by_what_the_files_are(tmp_path: Path) -> None:
    for name, size in (
        ("clew.db", 2),
        ("clew.db-wal", 1),
        ("exact/a.seg", 3),
        ("lexical/b.seg", 4),
        ("lexical/c.seg", 5),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(size * 1_000_000))
    assert sizes(tmp_path, {"a", "b"}) == {"database": 3.0, "exact": 3.0, "lexical": 4.0, "replaced": 5.0}
