"""Ranked search as a whole: filters, copies, and what it says of how much there is."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clew import Engine
from clew.answers import Hit
from clew.errors import BadInput, NotFound
from clew.search import find, functions
from clew.search.filters import Scope
from clew.search.pages import MAX_BYTES, Pages
from clew.search.query import VIEWS, View
from clew.serve import tools
from clew.store import derive, facts
from tests.conftest import git, make_engine, write_tree


def places(hits: tuple[Hit, ...]) -> list[tuple[str, int, int, float]]:
    return [(hit.path, hit.start_line, hit.end_line, hit.score) for hit in hits]


def module(i: int) -> str:
    functions = "".join(
        f"def compute_{i}_{j}(value):\n    '''Compute the total of alpha {j}.'''\n"
        f"    return alpha(value, {i}) * {j}\n\n\n"
        for j in range(4)
    )
    return functions + "# padding\n" * 30


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {f"pkg{i % 5}/compute{i}.{'py' if i % 3 else 'pyi'}": module(i) for i in range(60)}
    files |= {
        f"docs/page{i}.md": f"# Alpha {i}\n\nThe total of alpha is computed here, {i} times.\n" for i in range(30)
    }
    files |= {
        f"tests/test_{i}.py": f"def test_alpha_{i}():\n    assert compute_{i}_1(alpha) == total\n" for i in range(30)
    }
    return write_tree(tmp_path / "tree", files)


SCOPES = [
    Scope(include=("pkg1",)),
    Scope(include=("docs/**",)),
    Scope(exclude=("pkg*", "*.md")),
    Scope(languages=("markdown",)),
    Scope(include=("*.py",), exclude=("tests", "pkg0")),
    Scope(include=("tests/test_7.py",)),
]


@pytest.mark.parametrize("view", ["files", "functions"])
@pytest.mark.parametrize("tail", [0, 10_000])
def test_a_filter_is_the_whole_ranking_without_the_rest(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: View, tail: int
) -> None:
    monkeypatch.setattr(derive, "TAIL_CHUNKS", tail)
    for module in (find, functions):
        monkeypatch.setattr(module, "FUNCTION_POOL", 10_000)
    engine = make_engine(tmp_path / "home")
    engine.index(str(tree))
    wrong = []
    for question in ("alpha total", "compute_7_2", "how is the total computed", "alpha", "test_alpha_7"):
        whole = engine.search(question, str(tree), limit=10_000, view=view)
        assert not whole.truncated
        for scope in SCOPES:
            where = _passes(scope)
            expected = [place for hit, place in zip(whole.hits, places(whole.hits), strict=True) if where(hit)]
            found = engine.search(question, str(tree), limit=10_000, scope=scope, view=view)
            if [place[:3] for place in places(found.hits)] != [place[:3] for place in expected]:
                wrong.append((question, scope))
        inside = engine.search(question, str(tree / "pkg2"), limit=10_000)
        assert {hit.path.split("/")[0] for hit in inside.hits} <= {"pkg2"}
    assert not wrong
    engine.close()


def test_a_filter_does_not_change_what_a_definition_is_worth(engine: Engine, tmp_path: Path) -> None:
    """Scores are shares of the best chunk: of the whole snapshot's best, also when that is filtered out."""
    files = {"loud/l.py": "# alpha alpha alpha alpha\n", "use.py": "# alpha: " + "some other words here, " * 12 + "\n"}
    files["define.py"] = "def alpha():\n    return [" + "beta, gamma, delta, " * 40 + "]\n"
    root = write_tree(tmp_path / "tree", files | {f"f{i}.py": "# nothing of the kind\n" * 9 for i in range(30)})
    engine.index(str(root))
    whole = engine.search("alpha", str(root)).hits
    found = engine.search("alpha", str(root), scope=Scope(exclude=("loud",))).hits
    assert places(found) == [place for place in places(whole) if not place[0].startswith("loud")]


def _passes(scope: Scope):  # type: ignore[no-untyped-def]
    from clew.search.filters import make_filter

    where = make_filter(include=scope.include, exclude=scope.exclude, languages=scope.languages)
    return lambda hit: where.allows(hit.path, hit.language)


def test_a_narrow_scope_fills_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loud part of the tree has all the best matches; the quiet part is found all the same."""
    monkeypatch.setattr(derive, "TAIL_CHUNKS", 0)
    loud = {f"loud/l{i}.py": "alpha = alpha + alpha\n" * 5 + f"x{i} = 1\n" for i in range(300)}
    quiet = {f"quiet/q{i}.py": f"y{i} = [" + "beta, " * 80 + "alpha]\n" for i in range(12)}
    root = write_tree(tmp_path / "tree", loud | quiet)
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    assert {hit.path[:5] for hit in engine.search("alpha beta gamma", str(root)).hits}
    found = engine.search("alpha", str(root / "quiet"))
    assert len(found.hits) == 10 and found.truncated and found.total == 12
    assert len(engine.search("alpha", str(root), scope=Scope(exclude=("loud",)), limit=50).hits) == 12
    engine.close()


def test_the_same_content_under_two_paths_gives_both(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a/x.py": "def alpha(): pass\n", "b/x.py": "def alpha(): pass\n"})
    engine.index(str(root))
    [hit] = engine.search("alpha", str(root)).hits
    assert (hit.path, hit.also) == ("a/x.py", ("b/x.py",))
    assert [hit.path for hit in engine.search("alpha", str(root / "b")).hits] == ["b/x.py"]
    assert [found.path for found in engine.symbol("alpha", str(root)).symbols] == ["a/x.py", "b/x.py"]


def test_limit_total_and_truncated(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"alpha = {i}\n" for i in range(7)})
    engine.index(str(root))
    for limit, truncated in ((1, True), (6, True), (7, False), (8, False)):
        found = engine.search("alpha", str(root), limit=limit)
        assert (len(found.hits), found.total, found.truncated) == (min(limit, 7), 7, truncated)
    assert len(engine.search("alpha", str(root), limit=3).hits) == 3
    assert places(engine.search("alpha", str(root), limit=3).hits) == places(engine.search("alpha", str(root)).hits)[:3]


def test_several_codebases_are_ranked_as_one(engine: Engine, tmp_path: Path) -> None:
    """Each hit names its codebase, the best comes first wherever it is, and either alone gives a part of the same."""
    first = str(write_tree(tmp_path / "first", {"pay.py": "def pay_invoice(): pass\n", "other.py": "invoice = 1\n"}))
    second = str(write_tree(tmp_path / "second", {"invoice.py": "def pay_invoice(invoice):\n    invoice.pay()\n"}))
    engine.index(first)
    engine.index(second)
    found = engine.search("pay invoice", [first, second])
    assert {(hit.codebase, hit.path) for hit in found.hits} == {
        (first, "pay.py"), (first, "other.py"), (second, "invoice.py"),
    }  # fmt: skip
    assert found.total == 3 and found.freshness.verified == 3
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    swapped = engine.search("pay invoice", [second, first])
    assert {(h.codebase, h.path, h.score) for h in swapped.hits} == {(h.codebase, h.path, h.score) for h in found.hits}
    functions = engine.search("pay invoice", [first, second], view="functions").hits
    assert {hit.codebase for hit in functions if hit.symbol == "pay_invoice"} == {first, second}
    assert len(engine.search("pay invoice", [first, first]).hits) == 2, "named twice is asked once"
    (tmp_path / "second" / "new.py").write_text("def pay_invoice_again(invoice): pass\n")
    assert (second, "new.py") in {(h.codebase, h.path) for h in engine.search("pay invoice", [first, second]).hits}


def test_two_worktrees_of_one_repository_are_two_codebases(engine: Engine, tmp_path: Path) -> None:
    """They share a store, so one read is within the other."""
    root = write_tree(tmp_path / "main", {"a.py": "def alpha(): pass\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", str(tmp_path / "side"))
    (tmp_path / "side" / "b.py").write_text("def alpha_too(): return alpha\n")
    places = [str(root), str(tmp_path / "side")]
    for place in places:
        engine.index(place)
    hits = engine.search("alpha", places).hits
    assert {(Path(hit.codebase).name, hit.path) for hit in hits} == {
        ("main", "a.py"),
        ("side", "a.py"),
        ("side", "b.py"),
    }


@pytest.mark.parametrize("view", ["files", "functions"])
def test_pages_go_on_in_the_order_of_the_first(engine: Engine, tree: Path, view: View) -> None:
    """All pages together are one long page, even if the tree changes between them."""
    engine.index(str(tree))
    whole = engine.search("compute total alpha", str(tree), view=view, limit=1_000).hits
    first = engine.search("compute total alpha", str(tree), view=view, limit=7)
    assert first.truncated and first.continuation is not None
    (tree / "pkg1" / "alpha_total.py").write_text("def compute_total_alpha(alpha, total): return alpha, total\n")
    found, page = list(first.hits), first
    while page.continuation is not None:
        page = engine.search_on(page.continuation, limit=7)
        found += page.hits
    assert places(tuple(found)) == places(whole)
    assert page.freshness.decision in ("synced", "fresh", "skipped_recent")
    again = engine.search_on(first.continuation, limit=7)
    assert places(again.hits) == places(tuple(found[7:14])), "a handle may be used again"


def test_a_page_leaves_out_what_is_not_what_was_ranked(engine: Engine, tree: Path) -> None:
    engine.index(str(tree))
    first = engine.search("compute total alpha", str(tree), limit=3)
    assert first.continuation is not None
    later = [hit.path for hit in engine.search_on(first.continuation, limit=3).hits]
    (tree / later[0]).unlink()
    (tree / later[1]).write_text("nothing = 1\n")
    engine.sync(str(tree))
    assert later[2] == engine.search_on(first.continuation, limit=3).hits[0].path


@pytest.mark.parametrize("view", ["files", "functions"])
@pytest.mark.parametrize("change", ["modify", "delete"])
def test_a_change_to_what_was_shown_hides_nothing_else(engine: Engine, tree: Path, view: View, change: str) -> None:
    engine.index(str(tree))
    whole = engine.search("compute total alpha", str(tree), view=view, limit=12).hits
    first = engine.search("compute total alpha", str(tree), view=view, limit=6)
    assert first.continuation is not None
    file = tree / first.hits[0].path
    file.unlink() if change == "delete" else file.write_text("nothing = 1\n")
    engine.sync(str(tree))
    untouched = [place for place in places(whole[6:]) if place[0] != first.hits[0].path]
    later = places(engine.search_on(first.continuation, limit=6).hits)
    assert later[: len(untouched)] == untouched


def test_pages_of_an_index_that_was_made_anew_are_refused(engine: Engine, tree: Path) -> None:
    """Ids begin again in a new store: what an old order names there is something else."""
    for remake in (lambda: engine.index(str(tree), force=True), lambda: engine.clear(str(tree))):
        engine.index(str(tree))
        first = engine.search("compute total alpha", str(tree), limit=3)
        assert first.continuation is not None
        remake()
        write_tree(tree, {"pkg0/compute0.pyi": "def bake_bread(): pass\n"})
        engine.index(str(tree))
        with pytest.raises(NotFound, match="made anew"):
            engine.search_on(first.continuation)


def test_the_scope_of_a_page_is_that_of_the_first(engine: Engine, tree: Path) -> None:
    engine.index(str(tree))
    asked = {"query": "compute total", "path": str(tree), "limit": 2}
    first = tools.call(engine, "search_codebase", {**asked, "include_globs": ["pkg1"], "languages": ["python"]})
    again = {**asked, "continuation": first["continuation"], "languages": ["markdown"]}
    page = tools.call(engine, "search_codebase", again)
    assert page["scope"] == first["scope"] and page["scope"]["languages"] == ["python"]
    assert {hit["path"].split("/")[0] for hit in page["results"]} == {"pkg1"}


def test_a_copy_takes_the_place_of_what_was_removed(engine: Engine, tmp_path: Path) -> None:
    files = {f"x{i}.py": f"def alpha_{i}(rows):\n    return alpha(rows)\n" for i in range(4)}
    copies = dict.fromkeys(("c1.py", "c2.py", "c3.py"), "beta = [" + "gamma, " * 50 + "alpha]\n")
    root = write_tree(tmp_path / "tree", files | copies)
    engine.index(str(root))
    for view in VIEWS:
        first = engine.search("alpha", str(root), limit=4, view=view)
        assert first.continuation is not None
        [last] = engine.search_on(first.continuation).hits
        (root / last.path).unlink()
        engine.sync(str(root))
        [left] = engine.search_on(first.continuation).hits
        assert left.path in copies and left.path != last.path
        write_tree(root, copies)
        engine.sync(str(root))


def test_two_parts_of_a_codebase_show_a_content_once(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a/x.py": "def alpha(): pass\n", "b/y.py": "def alpha(): pass\n"})
    engine.index(str(root))
    for view in VIEWS:
        found = engine.search("alpha", [str(root / "a"), str(root / "b")], view=view)
        assert len(found.hits) == found.total == 1


def test_an_empty_file_is_no_hit_and_does_not_count(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"lock/__init__.py": "", "lock/hold.py": "def hold(lock): pass\n"})
    engine.index(str(root))
    found = engine.search("lock", str(root))
    assert ([hit.path for hit in found.hits], found.total, found.truncated) == (["lock/hold.py"], 1, False)


def test_parts_of_one_codebase_are_asked_once(engine: Engine, tree: Path) -> None:
    engine.index(str(tree))
    whole = engine.search("compute total", str(tree), limit=100)
    for named in ([f"{tree}/", tree], [tree / "pkg1", tree], [tree, tree / "pkg1", tree / "pkg1"]):
        assert engine.search("compute total", [str(place) for place in named], limit=100).hits == whole.hits
    apart = engine.search("compute total", [str(tree / "pkg1"), str(tree / "pkg2")], limit=100)
    assert {hit.path[:4] for hit in apart.hits} == {"pkg1", "pkg2"} and len(set(places(apart.hits))) == apart.total
    with pytest.raises(BadInput, match="no codebase"):
        engine.search("compute total", [])


def test_a_continuation_that_nobody_knows(engine: Engine) -> None:
    with pytest.raises(NotFound, match="unknown or has expired"):
        engine.search_on("no such handle")


def test_pages_are_forgotten() -> None:
    clock = [0.0]
    pages = Pages(lambda: clock[0])
    frozen: Any = SimpleNamespace(search=SimpleNamespace(nbytes=1_000))
    handles = [pages.keep(frozen) for _ in range(70)]
    assert pages.find(handles[-1]) is frozen
    with pytest.raises(NotFound):
        pages.find(handles[0])
    large: Any = SimpleNamespace(search=SimpleNamespace(nbytes=MAX_BYTES))
    assert pages.find(pages.keep(large)) is large
    with pytest.raises(NotFound):
        pages.find(handles[-1])
    last = pages.keep(frozen)
    clock[0] = 601.0
    with pytest.raises(NotFound):
        pages.find(last)


def test_small_functions_of_one_chunk_are_functions_of_their_own(engine: Engine, tmp_path: Path) -> None:
    small = "".join(
        f"def {name}(pipe):\n    return pipe.{name}\n\n\n" for name in ("open_valve", "close_valve", "count")
    )
    root = write_tree(tmp_path / "tree", {"valves.py": small, "zother.py": "def pour(water):\n    return water\n"})
    engine.index(str(root))
    hits = engine.search("close the valve", str(root), view="functions").hits
    assert (hits[0].symbol, hits[0].start_line, hits[0].end_line) == ("close_valve", 5, 6)
    assert hits[0].snippet == "def close_valve(pipe):\n    return pipe.close_valve" and hits[0].is_whole
    assert len({(hit.path, hit.symbol) for hit in hits}) == len(hits) and {hit.path for hit in hits} == {"valves.py"}
    others = {hit.symbol for hit in engine.similar(str(root / "valves.py"), (5, 6)).hits}
    assert "close_valve" not in others and "open_valve" in others


def test_contents_that_are_kept_are_few_and_never_another_files(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "MAX_KEPT", 3)
    tree = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}():\n    return {i}\n" for i in range(8)})
    engine.index(str(tree))
    kept = engine.resolve(str(tree)).store.contents
    for turn in range(3):
        hits = engine.search("alpha", str(tree), limit=8).hits
        assert {(hit.path, hit.snippet.splitlines()[-1].split()[-1]) for hit in hits} == {
            (f"m{i}.py", str(i + turn)) for i in range(8)
        }
        assert len(kept) == 3
        write_tree(tree, {f"m{i}.py": f"def alpha_{i}():\n    return {i + turn + 1}\n" for i in range(8)})
