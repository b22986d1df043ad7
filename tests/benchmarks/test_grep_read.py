"""The agent with grep and a file reader: which files it opens, which lines it reads, what that costs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from benchmarks.grep_read import GrepReader, Reading, densest, ordered, tokens_until, words_of
from benchmarks.retrieval.score import Target
from benchmarks.rivals import of_tokens

needs_ripgrep = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")


def test_telling_words_are_looked_for_once_in_lower_case() -> None:
    assert words_of("how does the Session open a session for HTTPAdapter?") == ["session", "open", "httpadapter"]


def test_files_come_by_words_then_matches_then_name() -> None:
    counts = [{"b": 1, "a": 1, "many": 9}, {"b": 1, "a": 1, "two": 2}]
    assert ordered(counts) == ["a", "b", "many", "two"]


@pytest.mark.parametrize(
    ("lines", "first"),
    [([], 0), ([7], 7), ([0, 50, 52, 53], 50), ([3, 4, 90, 91], 3), ([0, 9, 10, 11, 12], 9)],
)
def test_the_densest_window_begins_at_a_match(lines: list[int], first: int) -> None:
    assert densest(lines, 10) == first


def test_reading_stops_with_the_first_answer_and_counts_it() -> None:
    readings = [Reading("a.py", 1, 9, 400), Reading("src/b.py", 1, 9, 800), Reading("c.py", 1, 9, 4_000)]
    assert tokens_until(readings, [Target("b.py"), Target("c.py")]) == (300, True)


def test_what_is_read_in_vain_counts() -> None:
    assert tokens_until([Reading("a.py", 1, 9, 400)], [Target("b.py")]) == (100, False)


def test_lines_that_are_not_the_answer_do_not_end_it() -> None:
    readings = [Reading("a.py", 1, 9, 40), Reading("a.py", 10, 19, 40)]
    assert tokens_until(readings, [Target("a.py", 12, 14)]) == (20, True)


def test_what_was_not_found_is_within_no_budget() -> None:
    spent = [tokens_until([Reading("a.py", 1, 9, size)], [Target(path)]) for path, size in
             (("a.py", 400), ("a.py", 20_000), ("b.py", 400), ("a.py", 80_000))]  # fmt: skip
    assert of_tokens(spent) == {
        "median": 2_550, "mean": 6_300, "within_2000": 0.25, "within_8000": 0.5, "found": 0.75,
    }  # fmt: skip


@needs_ripgrep
def test_an_agent_reads_whole_files_or_windows(tmp_path: Path) -> None:
    (tmp_path / "both.py").write_text("x\n" * 300 + "open session\n")
    (tmp_path / "one.py").write_text("session\n" * 3)
    (tmp_path / "none.py").write_text("nothing\n")
    reader = GrepReader(tmp_path)
    assert [(item.path, item.start_line, item.size) for item in reader.whole("open Session")] == [
        ("both.py", 1, 613), ("one.py", 1, 24),
    ]  # fmt: skip
    assert [(item.path, item.start_line, item.size) for item in reader.windows("open Session")] == [
        ("both.py", 301, 14), ("one.py", 1, 25),
    ]  # fmt: skip
