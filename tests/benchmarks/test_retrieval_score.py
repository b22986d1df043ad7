"""The measure of the retrieval benchmark, against numbers worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.retrieval.corpora import NoData, Repo, load_repos
from benchmarks.retrieval.evaluation import evaluate, percentile
from benchmarks.retrieval.score import Target, hits_within, matches, ndcg, ranks_of, recall, score

# 1/log2(rank + 1), to six places
GAIN = {1: 1.0, 2: 0.630930, 3: 0.5, 4: 0.430677, 5: 0.386853, 7: 0.333333, 10: 0.289065}


class FakeHit(NamedTuple):
    path: str
    start_line: int = 1
    end_line: int = 10
    snippet: str = ""


def hits(*paths: str) -> list[FakeHit]:
    return [FakeHit(path) for path in paths]


# -- what a hit shows ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "prefix", "target", "expected"),
    [
        ("lib/application.js", "", "lib/application.js", True),
        ("application.js", "lib", "lib/application.js", True),
        ("packages/web/lib/application.js", "", "lib/application.js", True),  # by suffix
        ("analysis.zig", "src", "analysis.zig", True),  # the target may leave out the folder
        ("src/analysis.zig", "", "analysis.zig", True),
        ("lib/my_application.js", "", "application.js", False),  # whole names only
        ("mylib/application.js", "", "lib/application.js", False),
        ("application.js", "", "lib/application.js", False),  # the hit must say as much as the target
        ("./lib\\application.js", "", "lib/application.js", True),
        ("core/application.js", "lib", "lib/application.js", False),
    ],
)
def test_paths_match_by_suffix(path: str, prefix: str, target: str, expected: bool) -> None:
    assert matches(FakeHit(path), Target(target), prefix) is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [((1, 19), False), ((1, 20), True), ((22, 25), True), ((30, 90), True), ((31, 90), False), ((1, 90), True)],
)
def test_spans_match_by_overlap(lines: tuple[int, int], expected: bool) -> None:
    assert matches(FakeHit("a.py", *lines), Target("a.py", 20, 30)) is expected


def test_a_target_has_the_rank_of_its_first_hit() -> None:
    found = hits("x.py", "b.py", "a.py", "b.py", "a.py")
    assert ranks_of(found, [Target("a.py"), Target("b.py"), Target("c.py")]) == [3, 2, None]


def test_several_hits_of_one_file_take_several_places() -> None:
    assert ranks_of(hits("x.py", "x.py", "x.py", "a.py"), [Target("a.py")]) == [4]


def test_a_span_is_found_by_the_hit_that_overlaps_it() -> None:
    found = [FakeHit("a.py", 1, 9), FakeHit("a.py", 40, 60)]
    assert ranks_of(found, [Target("a.py", 50, 55), Target("a.py")]) == [2, 1]


# -- NDCG ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1], 1.0),
        ([2], GAIN[2]),
        ([3], GAIN[3]),
        ([10], GAIN[10]),
        ([11], 0.0),
        ([None], 0.0),
        ([1, 2], 1.0),
        ([2, 1], 1.0),  # relevant and secondary alike
        ([1, None], 1 / 1.630930),  # .6131: one of two targets, at the top
        ([None, 1], 1 / 1.630930),
        ([3, 7], (0.5 + 0.333333) / 1.630930),  # .5109
        ([1, 4, 5], (1 + 0.430677 + 0.386853) / 2.130930),  # .8529
        ([None, 3, 12], 0.5 / 2.130930),
    ],
)
def test_ndcg(ranks: list[int | None], expected: float) -> None:
    assert ndcg(ranks) == pytest.approx(expected, abs=1e-5)


def test_the_ideal_list_has_ten_places() -> None:
    everything: list[int | None] = [*range(1, 11), None, None]
    assert ndcg(everything) == pytest.approx(1.0)
    # 4.543559 is the sum of the ten gains
    assert ndcg([1, *[None] * 14]) == pytest.approx(1 / 4.543559, abs=1e-5)


def test_one_hit_that_shows_two_targets_is_no_better_than_perfect() -> None:
    assert ndcg([1, 1]) == 1.0


def test_a_question_without_targets_scores_nothing() -> None:
    assert (ndcg([]), recall([], 10)) == (0.0, 0.0)


# -- recall ----------------------------------------------------------------------------------------


def test_recall_counts_targets_not_hits() -> None:
    assert recall([1, 10, 11, None], 10) == 0.5


def test_hits_are_read_whole_or_not_at_all() -> None:
    found = [FakeHit("a", snippet="x" * 400), FakeHit("b", snippet="x" * 400), FakeHit("c", snippet="x" * 4)]
    assert [hits_within(found, tokens) for tokens in (0, 99, 100, 199, 200, 201, 9_999)] == [0, 0, 1, 1, 2, 3, 3]


def test_a_score_has_all_measures() -> None:
    page = "x" * 4_000  # 1,000 tokens: the first two hits are read within 2,000, eight within 8,000
    deep = [FakeHit(f"{letter}.py", snippet=page) for letter in "abcdefghijkl"]
    targets = [Target("b.py"), Target("c.py"), Target("i.py"), Target("l.py")]
    found = score(deep[:10], targets, deep=deep)
    assert found.ranks == (2, 3, 9, None)
    assert found.recall_10 == 0.75
    assert (found.recall_2000, found.recall_8000) == (0.25, 0.5)
    # gains .630930 + .5 + .301030, over the four best places: 1 + .630930 + .5 + .430677
    assert found.ndcg_10 == pytest.approx(1.431960 / 2.561606, abs=1e-5)


def test_a_budget_reaches_further_than_ten_hits() -> None:
    deep = [FakeHit(f"{number}.py", snippet="x" * 40) for number in range(20)]
    found = score(deep[:10], [Target("15.py")], deep=deep)
    assert (found.ndcg_10, found.recall_10, found.recall_2000) == (0.0, 0.0, 1.0)


# -- whole runs ------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Questions about two repositories; one of them has a corpus."""
    row = {"language": "python", "repository": "someone/tiny", "revision": "0" * 40, "root": "src"}
    (tmp_path / "annotations").mkdir()
    (tmp_path / "repos.json").write_text(json.dumps([{**row, "name": "tiny"}, {**row, "name": "gone"}]))
    questions = [
        {"query": "first", "relevant": ["src/a.py"], "secondary": [], "category": "semantic"},
        {
            "query": "second",
            "relevant": [{"path": "src/b.py", "start_line": 5, "end_line": 9}],
            "secondary": ["src/c.py"],
            "category": "symbol",
        },
    ]
    for name in ("tiny", "gone"):
        (tmp_path / "annotations" / f"{name}.json").write_text(json.dumps(questions))
    (tmp_path / "corpora" / "tiny" / "src").mkdir(parents=True)
    (tmp_path / "corpora" / "tiny" / "src" / "a.py").touch()
    return tmp_path


def test_load_names_what_is_absent(data: Path) -> None:
    loaded = load_repos(data, data / "corpora")
    (tiny,) = loaded.repos
    assert tiny.path == data / "corpora" / "tiny" / "src"
    assert tiny.questions[1].targets == (Target("src/b.py", 5, 9), Target("src/c.py"))
    assert (tiny.targets(), tiny.present()) == ({"src/a.py", "src/b.py", "src/c.py"}, {"src/a.py"})
    assert tiny.is_exact is None
    (sentence,) = loaded.absent
    assert (
        sentence.startswith("gone: no corpus; put someone/tiny at 000") and str(data / "corpora" / "gone") in sentence
    )


def test_load_takes_the_folder_of_annotations_itself(data: Path) -> None:
    assert load_repos(data / "annotations", data / "corpora") == load_repos(data, data / "corpora")


def test_load_whole_and_only(data: Path) -> None:
    (whole,) = load_repos(data, data / "corpora", whole=True, only=["tiny"]).repos
    assert (whole.path, whole.prefix) == (data / "corpora" / "tiny", "")
    assert whole.present() == {"src/a.py"}
    with pytest.raises(NoData, match="does not list other"):
        load_repos(data, data / "corpora", only=["other"])


def test_load_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(NoData, match=r"repos\.json"):
        load_repos(tmp_path / "nothing")


def test_evaluate_takes_any_search(data: Path) -> None:
    def search(repo: Repo, query: str, limit: int) -> list[FakeHit]:
        assert repo.name == "tiny"
        answers = {"first": hits("x.py", "a.py"), "second": [FakeHit("b.py", 1, 5)]}
        return answers.get(query, [])[:limit]

    report = evaluate(search, load_repos(data, data / "corpora").repos)
    assert report.overall.questions == 2
    # (.630930 + 1 / 1.630930) / 2
    assert report.overall.ndcg_10 == pytest.approx(0.6220, abs=1e-4)
    assert report.overall.recall_10 == 0.75
    assert {name: row.ndcg_10 for name, row in report.by("category").items()} == {"semantic": 0.6309, "symbol": 0.6131}
    assert report.mean_of_repos == report.by("repo")["tiny"].ndcg_10 == report.by("language")["python"].ndcg_10
    assert [item.score.ranks for item in report.measured] == [(2,), (1, None)]
    assert set(report.as_json()) == {"overall", "by_category", "by_language", "by_repo"}


def test_percentile_is_a_value_that_was_measured() -> None:
    values = [float(number) for number in range(1, 21)]
    assert (percentile(values, 0.5), percentile(values, 0.95), percentile([7.0], 0.95)) == (10.0, 19.0, 7.0)
