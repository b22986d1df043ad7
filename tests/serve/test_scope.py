"""Scope: the registry, precedence, isolation, several repositories; each promise under its own name."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import BadInput
from clew.serve.service import Service, codebase_named
from clew.serve.sessions import MAX_HEALTHY, NO_SCOPE, Sessions, SessionScope, checked_scope
from tests.conftest import git, make_engine, write_tree

FILES = {
    "src/session.py": "def load_session(request):\n    return request.cookies\n",
    "src/session.ts": "export function loadSession(request) {\n  return request.cookies;\n}\n",
    "tests/test_session.py": "def test_load_session():\n    assert load_session(1)\n",
    "docs/session.md": "# Session\n\nHow a session is loaded.\n",
}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(write_tree(tmp_path / "tree", FILES))


@pytest.fixture
def service(tmp_path: Path, root: str, clock: Clock) -> Iterator[Service]:
    engine = make_engine(tmp_path / "home")
    engine.index(root)
    service = Service(engine, Sessions(max_age_s=3_600, clock=clock))
    yield service
    service.close()


def paths(envelope: dict[str, Any]) -> set[str]:
    assert envelope["status"] == "ok", envelope
    for key in ("results", "matches", "items", "symbols"):
        if key in envelope:
            return {item["path"] for item in envelope[key]}
    raise AssertionError(envelope)


ASKED: dict[str, dict[str, Any]] = {
    "search_codebase": {"query": "load session"},
    "semantic_search": {"query": "load session"},
    "search_text": {"query": "session"},
    "list_paths": {},
    "get_symbol": {"name": "load_session"},
}
TOOLS = [tool for tool in ASKED if tool != "semantic_search"]  # which finds nothing without a model


# -- unit: the registry ----------------------------------------------------------------------------


def test_registry_set_get_clear(clock: Clock) -> None:
    sessions = Sessions(clock=clock)
    scope = SessionScope(languages=("python",))
    assert sessions.scope("a") == NO_SCOPE and len(sessions) == 0, "an unknown session takes no room"
    sessions.set("a", scope)
    assert sessions.scope("a") == scope and sessions.scope("b") == NO_SCOPE and len(sessions) == 1
    sessions.clear("a")
    sessions.clear("never there")
    assert sessions.scope("a") == NO_SCOPE and len(sessions) == 0


def test_registry_expires_with_a_fake_clock(clock: Clock) -> None:
    sessions = Sessions(max_age_s=3_600, clock=clock)
    for name in ("used", "forgotten"):
        sessions.set(name, SessionScope(languages=("python",)))
    clock.now = 3_000
    assert not sessions.scope("used").is_empty, "reading refreshes"
    clock.now = 3_601
    assert sessions.prune() == 1 and len(sessions) == 1
    assert not sessions.scope("used").is_empty
    clock.now = 10_000
    assert sessions.scope("used").is_empty, "an expired one is not read, pruned or not"
    assert sessions.prune() == 0 and len(sessions) == 0


def test_registry_is_pruned_in_the_background(clock: Clock) -> None:
    sessions = Sessions(max_age_s=10, clock=clock)
    sessions.set("a", SessionScope(languages=("python",)))
    clock.now = 11
    sessions.start_pruning(every_s=0.01)
    for _ in range(500):
        if not len(sessions):
            break
        threading.Event().wait(0.01)
    assert len(sessions) == 0
    sessions.close()


def test_registry_is_bounded_and_health_tells(clock: Clock) -> None:
    sessions = Sessions(most=MAX_HEALTHY + 5, clock=clock)
    for i in range(MAX_HEALTHY):
        sessions.set(f"s{i}", SessionScope(languages=("python",)))
    assert sessions.is_healthy
    for i in range(20):
        sessions.set(f"t{i}", SessionScope(languages=("python",)))
    assert len(sessions) == MAX_HEALTHY + 5 and not sessions.is_healthy
    assert sessions.scope("s0").is_empty and not sessions.scope("t19").is_empty, "the oldest goes"


def test_registry_holds_under_threads(clock: Clock) -> None:
    sessions = Sessions(most=50, clock=clock)

    def work(number: int) -> None:
        for i in range(300):
            name = f"{number}-{i % 7}"
            sessions.set(name, SessionScope(languages=(f"l{number}",)))
            assert sessions.scope(name) in (NO_SCOPE, SessionScope(languages=(f"l{number}",)))
            if i % 5 == 0:
                sessions.clear(name)
            sessions.prune()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(sessions) <= 50


# -- unit: names and values ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", " ", "a b", "x" * 129, "é", "a\nb", "<script>"])
def test_malformed_session_id_falls_back_to_a_fresh_one(service: Service, name: str) -> None:
    first = service.call("get_scope", {}, header=name)
    second = service.call("get_scope", {}, header=name)
    assert first["session_id"] != second["session_id"]
    assert str(uuid.UUID(first["session_id"])) == first["session_id"]
    assert [item["code"] for item in first["warnings"]] == ["SESSION_ID_IGNORED"]


def test_who_names_the_session(service: Service) -> None:
    called = service.call("get_scope", {"session_id": "argument"}, header="header", connection="connection")
    assert called["session_id"] == "header"
    assert service.call("get_scope", {"session_id": "argument"}, connection="c")["session_id"] == "argument"
    assert service.call("get_scope", {}, connection="connection")["session_id"] == "connection"
    assert uuid.UUID(service.call("get_scope", {})["session_id"]).version == 4


def test_set_scope_names_every_bad_field_at_once(service: Service) -> None:
    wrong = {
        "repos": ["nowhere"],
        "include_globs": ["{a", "ok"],
        "exclude_globs": "*.py",
        "languages": ["klingon", "python"],
        "commit": "xyz",
        "colour": "red",
    }
    envelope = service.call("set_scope", {"scope": wrong}, header="s")
    assert envelope["status"] == "error" and envelope["reason"] == "bad_input"
    for word in ("repos", "nowhere", "include_globs", "{a", "exclude_globs", "klingon", "commit", "colour"):
        assert word in envelope["message"], word
    assert service.call("get_scope", {}, header="s")["effective_scope"] == NO_SCOPE.as_dict(), "nothing was set"


def test_empty_scope_behaves_like_none(service: Service, root: str) -> None:
    service.call("set_scope", {"scope": {}}, header="s")
    for tool in TOOLS:
        asked = {**ASKED[tool], "path": root}
        assert paths(service.call(tool, asked, header="s")) == paths(service.call(tool, asked))


def test_conflicting_globs_leave_out(service: Service, root: str) -> None:
    """What is both included and excluded is excluded, wherever each of the two comes from."""
    service.call("set_scope", {"scope": {"include_globs": ["src", "docs"], "exclude_globs": ["src"]}}, header="s")
    for tool in TOOLS:
        found = paths(service.call(tool, {**ASKED[tool], "path": root}, header="s"))
        assert found <= {"docs/session.md"}, tool
    explicit = {"path": root, "include_globs": ["src"]}
    assert paths(service.call("list_paths", explicit, header="s")) == set(), "the scope's excludes still hold"


@pytest.mark.parametrize(
    ("globs", "languages", "wanted"),
    [
        (["{src,docs}/**"], [], {"src/session.py", "src/session.ts", "docs/session.md"}),
        (["**/*.py"], [], {"src/session.py", "tests/test_session.py"}),
        (["src/*.[pt][ys]"], ["TypeScript"], {"src/session.ts"}),
        (["*.py"], ["markdown"], set()),
        ([], ["py", "MARKDOWN"], {"src/session.py", "tests/test_session.py", "docs/session.md"}),
    ],
)
def test_globs_and_languages_together(
    service: Service, root: str, globs: list[str], languages: list[str], wanted: set[str]
) -> None:
    scope = {"include_globs": globs, "languages": languages}
    assert service.call("set_scope", {"scope": scope}, header="s")["status"] == "ok"
    assert paths(service.call("list_paths", {"path": root}, header="s")) == wanted
    assert paths(service.call("search_text", {"query": "session", "path": root}, header="s")) == wanted
    assert paths(service.call("search_codebase", {"query": "session", "path": root}, header="s")) == wanted


@pytest.mark.parametrize("glob", ["{src,lib/**", "src]{", "[a", "!src", "", "a" * 1_001])
def test_unsupported_glob_patterns_are_refused_by_name(service: Service, root: str, glob: str) -> None:
    placed = service.call("set_scope", {"scope": {"include_globs": [glob]}}, header="s")
    assert (placed["status"], placed["reason"]) == ("error", "bad_input") and "include_globs" in placed["message"]
    asked = service.call("list_paths", {"path": root, "exclude_globs": [glob]}, header="s")
    assert asked["status"] == "error" and (glob[:40] or "empty") in asked["message"]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "repos": st.none() | st.lists(st.text(max_size=5), max_size=2) | st.integers(),
            "commit": st.none() | st.text(max_size=10) | st.just("abcdef1"),
            "include_globs": st.lists(st.text("ab*{}[]!/,", max_size=6), max_size=2) | st.text(max_size=3),
            "languages": st.lists(st.sampled_from(["python", "Rust", "x", ""]), max_size=2) | st.just({}),
            "more": st.integers(),
        },
    )
)
def test_any_scope_is_taken_or_refused(given_: dict[str, Any]) -> None:
    try:
        scope = checked_scope(given_)
    except BadInput as error:
        assert str(error).startswith("the scope is not set: ")
    else:
        assert checked_scope(scope.as_dict()) == scope


# -- integration -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
def test_scope_is_applied_end_to_end(service: Service, root: str, tool: str) -> None:
    scope = {"languages": ["python"], "exclude_globs": ["tests"]}
    answered = service.call("set_scope", {"scope": scope}, header="s")
    assert answered["effective_scope"]["languages"] == ["python"] and answered["session_id"] == "s"
    envelope = service.call(tool, {**ASKED[tool], "path": root}, header="s")
    assert paths(envelope) == {"src/session.py"}
    assert envelope["scope"]["languages"] == ["python"] and envelope["scope"]["exclude_globs"] == ["tests"]
    assert envelope["session_id"] == "s"
    service.call("clear_scope", {}, header="s")
    asked = {**ASKED[tool], "path": root}
    assert paths(service.call(tool, asked, header="s")) == paths(service.call(tool, asked))


def test_explicit_parameters_win_field_by_field(service: Service, root: str) -> None:
    service.call("set_scope", {"scope": {"languages": ["python"], "include_globs": ["src"]}}, header="s")

    def listed(**explicit: Any) -> set[str]:
        return paths(service.call("list_paths", {"path": root, **explicit}, header="s"))

    assert listed() == {"src/session.py"}
    assert listed(include_globs=["tests"]) == {"tests/test_session.py"}, "languages still hold"
    assert listed(languages=["typescript"]) == {"src/session.ts"}, "include_globs still hold"
    assert listed(include_globs=[]) == {"src/session.py", "tests/test_session.py"}, "[] clears that field"
    assert listed(include_globs=None) == {"src/session.py"}, "None falls back"
    found = service.call("search_text", {"query": "session", "path": root, "paths": ["docs"]}, header="s")
    assert paths(found) == set(), "paths take the place of include_globs and keep languages"


@pytest.mark.slow
def test_two_concurrent_sessions_are_isolated_over_100_runs(service: Service, root: str) -> None:
    service.call("set_scope", {"scope": {"languages": ["python"]}}, header="one")
    service.call("set_scope", {"scope": {"languages": ["typescript"]}}, header="two")
    wanted = {"one": {"src/session.py", "tests/test_session.py"}, "two": {"src/session.ts"}}

    def ask(name: str) -> bool:
        return paths(service.call("list_paths", {"path": root}, header=name)) == wanted[name]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, ["one", "two"] * 100))


def test_expiration_lifts_the_scope(service: Service, root: str, clock: Clock) -> None:
    service.call("set_scope", {"scope": {"languages": ["typescript"]}}, header="s")

    def listed() -> set[str]:
        return paths(service.call("list_paths", {"path": root}, header="s"))

    clock.now += 3_599
    assert listed() == {"src/session.ts"}, "and that was a use"
    clock.now += 3_599
    assert listed() == {"src/session.ts"}
    clock.now += 3_601
    assert service.sessions.prune() == 1 and len(service.sessions) == 0
    assert listed() == set(FILES)


def test_a_narrow_scope_still_fills_the_page(service: Service, tmp_path: Path) -> None:
    """Filters apply before the cut to the limit: many better hits elsewhere take no place."""
    files = {f"other/f{i}.py": "def load_session(): load_session()\n" for i in range(60)}
    files |= {f"wanted/g{i}.txt": f"a session, once {i}\n" for i in range(8)}
    large = str(write_tree(tmp_path / "large", files))
    service.engine.index(large)
    service.call("set_scope", {"scope": {"include_globs": ["wanted"]}}, header="s")
    for tool, limit in (("search_codebase", "limit"), ("search_text", "max_results"), ("list_paths", "max_results")):
        found = service.call(tool, {**ASKED[tool], "path": large, limit: 5}, header="s")
        key = next(key for key in ("results", "matches", "items") if key in found)
        assert len(found[key]) == 5 and found["truncated"], tool


def test_a_scope_of_several_repos_gives_hits_of_each(service: Service, root: str, tmp_path: Path) -> None:
    other = str(write_tree(tmp_path / "other", {"lib/session.py": "def load_session(): pass\n"}))
    service.engine.index(other)
    service.call("set_scope", {"scope": {"repos": ["tree", other]}}, header="s")
    for tool in TOOLS:
        envelope = service.call(tool, ASKED[tool], header="s")
        key = next(key for key in ("results", "matches", "items", "symbols") if key in envelope)
        found = {(item["codebase"], item["path"]) for item in envelope[key]}
        assert {(root, "src/session.py"), (other, "lib/session.py")} <= found, tool
        assert envelope["scope"]["repos"] == [root, other]
    one = service.call("search_codebase", {"query": "load session", "path": other}, header="s")
    assert {item["codebase"] for item in one["results"]} == {other}, "an explicit path wins"
    assert service.call("file_outline", {"file": "lib/session.py"}, header="s")["status"] == "error"


def test_a_repo_that_cannot_answer_is_named_not_hidden(service: Service, root: str, tmp_path: Path) -> None:
    gone = str(write_tree(tmp_path / "gone", {"a.py": "def load_session(): pass\n"}))
    service.engine.index(gone)
    service.call("set_scope", {"scope": {"repos": [root, gone]}}, header="s")
    service.engine.clear(gone)
    for tool in TOOLS:
        envelope = service.call(tool, ASKED[tool], header="s")
        assert envelope["status"] == "ok" and "src/session.py" in paths(envelope)
        assert [item["code"] for item in envelope["warnings"]] == ["CODEBASE_LEFT_OUT"], tool
        assert gone in envelope["warnings"][0]["message"]


def test_a_branch_or_commit_that_is_not_indexed_is_said(service: Service, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "repo", {"a.py": "def load_session(): pass\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    service.engine.index(str(root))
    for scope, status in (
        ({"branches": ["main"]}, "ok"),
        ({"branches": ["other"]}, "not_indexed"),
        ({"commit": "0123456789"}, "not_indexed"),
    ):
        service.call("set_scope", {"scope": {"repos": [str(root)], **scope}}, header="s")
        envelope = service.call("search_codebase", {"query": "load session"}, header="s")
        assert envelope["status"] == status
        assert status == "ok" or envelope["hints"]["create"]["tool"] == "manage_index"


def test_names_of_codebases() -> None:
    known = ["/a/one", "/b/one", "/c/two", "project:three"]
    assert codebase_named("two", known) == "/c/two"
    assert codebase_named("/a/one", known) == "/a/one"
    assert codebase_named("three", known) == codebase_named("project:three", known) == "project:three"
    with pytest.raises(BadInput, match="2 codebases"):
        codebase_named("one", known)
    with pytest.raises(BadInput, match="no codebase"):
        codebase_named("four", known)


def test_list_codebases_has_nothing_of_the_session(service: Service) -> None:
    first, second = (service.call("list_codebases", {}, header=name) for name in ("a", "b"))
    assert first == second and "session_id" not in first
