"""The engine's promises: which codebase a path means, what content is, and that an answer never lies."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from clew import Engine
from clew.answers import RunStats
from clew.errors import BadInput, BadPath, ClewError, NotFound, NotIndexed
from clew.parse.languages import LANGUAGES
from clew.search.pattern import TextQuery
from clew.types import FileContent
from tests import dump
from tests.conftest import git, make_engine, write_tree

ALPHA = "def alpha():\n    return 1\n"
BETA = "def beta():\n    return 2\n"


def no_sync(*_: Any, **__: Any) -> RunStats:
    """For what changes between the sync and the answer."""
    return RunStats()


def listed(engine: Engine, path: Path) -> list[str]:
    return [item.path for item in engine.paths(str(path)).items]


# -- the effective root -----------------------------------------------------------------------------


def test_a_path_is_as_good_as_its_text(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA})
    other = write_tree(tmp_path / "other", {"b.py": BETA})
    for tree in (root, other):
        assert engine.index(tree).files == 1
    assert engine.status(root).root == str(root)
    assert engine.sync(root).changes == 0
    for place in (root, [root], (str(root), root)):
        assert [hit.path for hit in engine.search("alpha", place).hits] == ["a.py"]
    assert len(engine.search("alpha beta", [root, str(other)]).hits) == 2
    assert [item.path for item in engine.paths(root).items] == ["a.py"]
    assert engine.grep("alpha", root).matches == engine.grep(TextQuery("alpha"), str(root)).matches != ()
    assert engine.read(root / "a.py").text.strip() == ALPHA.strip()
    assert [symbol.name for symbol in engine.outline(root / "a.py").symbols] == ["alpha"]
    wrong: Any
    for wrong in (b"/tmp", 7, f"{root}\0"):
        with pytest.raises(BadPath, match="no path"):
            engine.search("alpha", [wrong])
        with pytest.raises(BadPath, match="no path"):
            engine.index(wrong)
        with pytest.raises(BadPath, match="no path"):
            engine.read(wrong)
    assert engine.clear(root) == str(root)


def test_the_deepest_codebase_answers(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "apps", {"a.py": ALPHA, "inner/b.py": BETA, "inner/deep/c.py": ALPHA})
    legacy = write_tree(tmp_path / "apps-legacy", {"x.py": BETA})
    git(root / "inner", "init", "-q")
    engine.index(str(root / "inner"))
    engine.index(str(root))
    assert engine.resolve(str(root / "inner/deep")).root == str(root / "inner")
    assert engine.resolve(str(root / "inner/deep")).subtree == "deep"
    assert engine.resolve(str(root)).root == str(root)
    with pytest.raises(NotIndexed):
        engine.resolve(str(legacy))
    with pytest.raises(NotIndexed):
        engine.resolve(str(tmp_path))
    with pytest.raises(NotIndexed):
        engine.search("alpha", str(tmp_path / "app"))
    engine.index(str(legacy))
    assert engine.resolve(str(legacy)).root == str(legacy)


def test_a_root_has_one_name(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {"sub/a.py": ALPHA})
    (tmp_path / "link").symlink_to(root)
    engine.index(str(tmp_path / "link"))
    monkeypatch.chdir(root / "sub")
    for name in (f"{root}/", f"{root}/.", f"{root}/sub/..", str(tmp_path / "link"), ".."):
        assert engine.resolve(name).root == str(root)
        assert engine.search("alpha", name).hits[0].path == "sub/a.py"
    assert engine.search("alpha").root == str(root)
    assert len(engine.list()) == 1


def test_create_inside_an_indexed_codebase_answers_for_it(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA, "sub/b.py": BETA})
    engine.index(str(root))
    assert engine.index(str(root / "sub")).files == 2
    assert [state.root for state in engine.list()] == [str(root)]


@pytest.mark.parametrize("inner_first", [True, False])
def test_a_nested_repository_is_part_of_its_parent_unless_indexed_on_its_own(
    engine: Engine, tmp_path: Path, inner_first: bool
) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA, "vendor/lib/b.py": BETA})
    inner = root / "vendor/lib"
    git(root, "init", "-q")
    git(inner, "init", "-q")
    if not inner_first:
        engine.index(str(root))
        assert listed(engine, root) == ["a.py", "vendor/lib/b.py"]
    engine.index(str(inner))
    engine.index(str(root))
    assert listed(engine, root) == ["a.py"]
    assert listed(engine, inner) == ["b.py"]
    assert not engine.symbol("beta", str(root)).symbols
    engine.clear(str(inner))
    assert listed(engine, root) == ["a.py", "vendor/lib/b.py"], "it is part of its parent again"


# -- content that came from anywhere ----------------------------------------------------------------


def test_a_project_of_contents(engine: Engine) -> None:
    first = engine.index_content("demo", [FileContent("a.py", ALPHA.encode()), FileContent("b/b.py", BETA.encode())])
    assert (first.files, first.added, first.parsed) == (2, 2, 2)
    project = "project:demo"
    assert engine.search("alpha", project).hits[0].path == "a.py"
    assert engine.search("alpha", project).hits[0].snippet == ALPHA.rstrip()
    chunks = engine.resolve(project).store.connection().execute("SELECT count(*) FROM chunk WHERE id > 0").get
    again = engine.index_content("demo", [FileContent("a.py", ALPHA.encode())])
    assert (again.added, again.modified, again.removed, again.parsed) == (0, 0, 0, 0)
    assert engine.resolve(project).store.connection().execute("SELECT count(*) FROM chunk WHERE id > 0").get == chunks
    changed = engine.index_content("demo", [FileContent("./a.py", BETA.encode())], removed=["b\\b.py", "never.py"])
    assert (changed.modified, changed.removed, changed.parsed, changed.files) == (1, 1, 0, 1)
    assert not engine.search("alpha", project).hits
    assert engine.status(project).proof == "valid"
    assert engine.doctor().orphans == 0


def test_two_projects_and_a_tree_share_nothing(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA})
    engine.index(str(root))
    engine.index_content("one", [FileContent("a.py", ALPHA.encode())])
    engine.index_content("two", [FileContent("a.py", BETA.encode())])
    assert not engine.search("beta", "project:one").hits and engine.search("beta", "project:two").hits
    with pytest.raises(NotIndexed):
        engine.search("alpha", "project:three")
    engine.clear("project:one")
    assert engine.search("alpha", str(root)).hits and engine.search("beta", "project:two").hits


def test_content_is_indexed_as_a_tree_is(engine: Engine, tmp_path: Path) -> None:
    files = {"a.py": ALPHA, "b/c.js": "export function gamma() { return 1 }\n", "d.md": "# Alpha\n\ntext\n"}
    root = write_tree(tmp_path / "tree", files)
    engine.index(str(root))
    engine.index_content("same", [FileContent(path, text.encode()) for path, text in files.items()])
    here, there = (dump.tables(engine.resolve(name).store) for name in (str(root), "project:same"))
    for table in ("blobs", "bytes", "facts", "chunks", "symbols", "imports", "entries", "segments"):
        assert here[table] == there[table], table
    for question in dump.QUESTIONS:
        ours, theirs = (engine.search(question, place).hits for place in (str(root), "project:same"))
        assert [hit._replace(codebase="") for hit in ours] == [hit._replace(codebase="") for hit in theirs]


def test_a_language_may_be_given_and_is_checked(engine: Engine) -> None:
    engine.index_content("demo", [FileContent("script", ALPHA.encode(), language="PY")])
    assert engine.symbol("alpha", "project:demo").symbols[0].language == "python"
    with pytest.raises(BadInput, match="klingon"):
        engine.index_content("demo", [FileContent("b", b"x", language="klingon")])
    assert engine.search("alpha", "project:demo").hits


@pytest.mark.parametrize(
    "path", ["../a.py", "/etc/passwd", "a/../../b", "C:\\a.py", "c:a", "", ".", "a\0b", "\udcff.py"]
)
def test_a_key_that_escapes_is_refused(engine: Engine, path: str) -> None:
    engine.index_content("demo", [FileContent("a.py", ALPHA.encode())])
    with pytest.raises(BadPath):
        engine.index_content("demo", [FileContent("ok.py", BETA.encode()), FileContent(path, b"x = 1\n")])
    with pytest.raises(BadPath):
        engine.index_content("demo", [], removed=[path])
    assert [item.path for item in engine.paths("project:demo").items] == ["a.py"]


def test_content_that_contradicts_itself(engine: Engine) -> None:
    engine.index_content("demo", [FileContent("a.py", ALPHA.encode())])
    with pytest.raises(BadInput, match="twice"):
        engine.index_content("demo", [FileContent("b.py", b"x = 1\n"), FileContent("./b.py", b"x = 2\n")])
    with pytest.raises(BadInput):
        engine.index_content("demo", [FileContent("c.py", None)])
    for name in ("", "a\0b", "\udcff"):
        with pytest.raises(BadInput):
            engine.index_content(name, [])
    assert [item.path for item in engine.paths("project:demo").items] == ["a.py"]


def test_what_is_removed_twice_or_given_and_removed_is_counted_once(engine: Engine) -> None:
    files = [FileContent(f"{name}.py", ALPHA.encode()) for name in "abc"]
    engine.index_content("demo", files)
    stats = engine.index_content("demo", [FileContent("b.py", BETA.encode())], removed=["a.py", "./a.py", "b.py"])
    assert (stats.modified, stats.removed, stats.files, stats.chunks) == (1, 1, 2, 2)
    engine.index_content("fresh", [FileContent("b.py", BETA.encode()), files[2]])
    here, there = (dump.tables(engine.resolve(f"project:{name}").store) for name in ("demo", "fresh"))
    for table in ("entries", "segments"):
        assert here[table] == there[table], table


# -- an answer never lies ---------------------------------------------------------------------------


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> Path:
    made = write_tree(tmp_path / "tree", {"a.py": ALPHA, "b.py": BETA + "# alpha is not here\n"})
    engine.index(str(made))
    return made


def test_an_answer_says_how_fresh_it_is(engine: Engine, root: Path) -> None:
    assert engine.search("alpha", str(root)).freshness.decision == "fresh"
    generation = engine.search("alpha", str(root)).freshness.generation
    write_tree(root, {"c.py": "def gamma(): pass\n"})
    found = engine.search("gamma", str(root))
    assert found.hits[0].path == "c.py"
    fresh = found.freshness
    assert (fresh.decision, fresh.generation, fresh.snapshot, fresh.head) == (
        "synced",
        generation + 1,
        "worktree",
        "no-head",
    )
    assert (fresh.verified, fresh.dropped) == (len(found.hits), 0)
    for change in (lambda: (root / "c.py").unlink(), lambda: write_tree(root, {"a.py": ALPHA + "x = 1\n"})):
        change()
        assert engine.paths(str(root)).freshness.decision == "synced"
        assert engine.paths(str(root)).freshness.decision == "fresh"


def test_the_head_of_a_repository_is_named(engine: Engine, root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    head = git(root, "rev-parse", "HEAD").strip()
    assert engine.search("alpha", str(root)).freshness.head == head


def test_a_hit_that_changed_since_is_flagged(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    write_tree(root, {"a.py": "def other():\n    return 'something else entirely'\n"})
    found = engine.search("alpha", str(root))
    fresh = {hit.path: hit.fresh for hit in found.hits}
    assert fresh == {"a.py": False, "b.py": True}
    assert (found.freshness.verified, found.freshness.dropped) == (1, 0)


def test_a_touched_file_is_still_fresh(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    os.utime(root / "a.py", ns=(1, 1))
    assert all(hit.fresh for hit in engine.search("alpha", str(root)).hits)


@pytest.mark.parametrize("how", ["deleted", "a directory", "a link"])
def test_a_hit_whose_file_is_gone_is_dropped_and_counted(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    (root / "a.py").unlink()
    if how == "a directory":
        write_tree(root, {"a.py/inside.py": ALPHA})
    if how == "a link":
        (root / "a.py").symlink_to("b.py")
    found = engine.search("alpha", str(root))
    assert [hit.path for hit in found.hits] == ["b.py"]
    assert (found.freshness.dropped, found.total, found.truncated) == (1, 1, False)


def test_dropped_hits_make_room_for_others(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"alpha = {i}\n" for i in range(9)})
    engine.index(str(root))
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    first = engine.search("alpha", str(root), limit=3).hits
    for hit in first:
        (root / hit.path).unlink()
    found = engine.search("alpha", str(root), limit=3)
    assert len(found.hits) == 3 and not {hit.path for hit in found.hits} & {hit.path for hit in first}
    assert found.freshness.dropped == 3


def test_a_part_of_a_file_is_never_cut_from_another_content(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of a symbol belong to the content that was indexed; a newer one may have others there."""
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    write_tree(root, {"a.py": "import os\nimport sys\n\n\n" + ALPHA})
    try:
        shown = engine.read(str(root / "a.py"), symbol="alpha").text
    except ClewError:
        return  # to refuse is honest too
    assert shown == ALPHA.rstrip("\n")


def test_definitions_of_a_file_that_is_gone_are_not_shown(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONTRACT §7: every hit of the working tree is checked against disk before it is returned."""
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    (root / "a.py").unlink()
    assert not engine.symbol("alpha", str(root)).symbols
    with pytest.raises(NotFound):
        engine.outline(str(root / "a.py"))


# -- what may be read -------------------------------------------------------------------------------


def test_ignored_files_and_links_are_not_read(engine: Engine, tmp_path: Path) -> None:
    secret = write_tree(tmp_path / "outside", {"secret.txt": "the key\n"})
    root = write_tree(
        tmp_path / "tree", {"a.py": ALPHA, ".env": "KEY=1\n", ".gitignore": ".env\nbuild/\n", "build/o": "x"}
    )
    git(root, "init", "-q")
    (root / "link.txt").symlink_to(secret / "secret.txt")
    (root / "dir").symlink_to(secret)
    engine.index(str(root))
    for name in (".env", "build/o", "link.txt", ".git/config", "nothing.py"):
        with pytest.raises(NotFound):
            engine.read(str(root / name))
        with pytest.raises(NotFound):
            engine.outline(str(root / name))
    with pytest.raises(NotIndexed):
        engine.read(str(root / "dir/secret.txt"))
    with pytest.raises(NotIndexed):
        engine.read(str(root / "../outside/secret.txt"))
    assert not engine.search("key", str(root)).hits
    assert engine.status(str(root)).skipped["symlink"] == 2


def test_a_file_that_becomes_a_link_after_the_check_is_refused(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.index.runs.sync", no_sync)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to("/etc/passwd")
    with pytest.raises(BadPath, match="link"):
        engine.read(str(root / "a.py"))


def test_what_is_set_apart_is_listed_and_counted(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "a.py": ALPHA,
            "binary.bin": b"\0\1\2" * 50,
            "huge.py": "x = 1\n" * 1_000,
            "small.min.js": "var a=1;\n",
            "packed.js": "var a=1;" * 600,
            "latin.py": "# caf\xe9\ndef latin_one(): pass\n".encode("latin-1"),
            "closed.py": "y = 1\n",
            "data.csv": "a,b\n",
        },
    )
    os.mkfifo(root / "pipe")
    engine = make_engine(tmp_path / "home", max_file_bytes=5_000)
    stats = engine.index(str(root))
    skipped = engine.status(str(root)).skipped
    assert {key: skipped[key] for key in ("binary", "huge", "minified", "special")} == {
        "binary": 1,
        "huge": 1,
        "minified": 2,
        "special": 1,
    }
    assert stats.skipped["non_utf8"] == 1
    assert skipped.get("non_utf8") == 1, "status must count what is not UTF-8, as the run did"
    assert len(engine.paths(str(root)).items) == 8
    assert engine.symbol("latin_one", str(root)).symbols
    for name in ("binary.bin", "huge.py"):
        with pytest.raises(BadInput, match="listed but not read"):
            engine.read(str(root / name))
    engine.close()


def test_a_new_extractor_version_parses_that_language_again_and_no_other(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(5)} | {
        f"n{i}.js": f"function beta_{i}() {{}}\n" for i in range(7)
    }
    root = write_tree(tmp_path / "tree", files)
    engine.index(str(root))
    before = {hit.path for hit in engine.search("alpha_3", str(root)).hits}
    python = LANGUAGES["python"]
    monkeypatch.setitem(LANGUAGES, "python", python._replace(version=python.version + 1))
    assert engine.status(str(root)).proof == "valid", "a new extractor is no mismatch"
    stats = engine.sync(str(root))
    assert (stats.parsed, stats.files) == (5, 12)
    assert engine.sync(str(root)).parsed == 0
    assert {hit.path for hit in engine.search("alpha_3", str(root)).hits} == before
    fresh = make_engine(tmp_path / "fresh")
    fresh.index(str(root))
    assert dump.state(engine, root) == dump.state(fresh, root)
    fresh.close()


def test_many_threads_ask_while_one_closes(engine: Engine, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}(): pass\n" for i in range(20)})
    engine.index(str(root))
    failures: list[BaseException] = []

    def ask(number: int) -> None:
        try:
            for _ in range(8):
                assert engine.search(f"alpha_{number}", str(root)).hits[0].path == f"m{number}.py"
                engine.list()
                engine.close()
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("path", ["a\0b", "project:a\0b", ""])
def test_a_path_that_cannot_be_is_bad_input(engine: Engine, path: str) -> None:
    for question in (engine.search, engine.symbol):
        with pytest.raises((BadInput, NotIndexed)):
            question("alpha", path)
    with pytest.raises((BadInput, NotIndexed)):
        engine.read(path)


def test_a_name_in_another_case_is_found_where_the_exact_one_is_of_another_kind(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": "class Engine: ...\n\n\nengine = Engine()\n"})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    assert [item.symbol.kind for item in engine.symbol("engine", str(root)).symbols] == ["variable"]
    assert [item.symbol.name for item in engine.symbol("engine", str(root), kind="class").symbols] == ["Engine"]


def test_what_is_told_is_the_askers_own(engine: Engine, tmp_path: Path) -> None:
    """Whatever somebody does to an answer, the next one is right."""
    tree = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    engine.index(str(tree))
    before = dict(engine.status(str(tree)).fingerprint)
    engine.status(str(tree)).fingerprint.clear()  # type: ignore[attr-defined]
    assert engine.status(str(tree)).fingerprint == before
