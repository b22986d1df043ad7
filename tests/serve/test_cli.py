"""Every command as a user runs it: what is printed where, in which shape, and the exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import git, write_tree
from tests.serve.command import clew, clew_process, one_message

FILES = {
    "src/alpha.py": (
        "import os\n\n\ndef alpha_total(values):\n    return sum(values)\n\n\n"
        "class Gamma:\n    def delta(self):\n        return alpha_total([1])\n\n"
        "    def again(self):\n        pass\n\n\n"
        "class Other:\n    def delta(self):\n        return 2\n"
    ),
    "src/beta.js": "export function betaValue() {\n  return 42;\n}\n",
    "docs/read me é.md": "# Alpha and beta\n\nHow the total is computed.\n",
    "new\nline.py": "def epsilon_zeta(): pass\n",
    "empty.py": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "tree", FILES)
    assert clew("index", str(root)).code == 0
    return root


def test_every_command_answers_with_json_alone_on_standard_output(tree: Path) -> None:
    path, file = str(tree), str(tree / "src/alpha.py")
    for command, keys in (
        (("index", path), {"operation", "stats", "already_indexed"}),
        (("sync", path), {"operation", "stats"}),
        (("search", "alpha total", path), {"results", "total", "truncated", "continuation", "scope", "freshness"}),
        (("symbol", "Gamma.delta", path), {"symbols", "scope", "freshness"}),
        (("paths", path), {"items", "total", "truncated", "scope", "freshness"}),
        (("outline", file), {"symbols", "file", "language", "freshness"}),
        (("read", file), {"content", "start_line", "end_line", "total_lines", "truncated"}),
        (("status", path), {"state", "proof", "counts", "fingerprint", "contexts", "jobs"}),
        (("repair", path), {"operation", "stats"}),
        (("list",), {"codebases"}),
        (("doctor",), {"orphans", "checks", "settings"}),
        (("clear", path), {"operation"}),
    ):
        ran = clew(*command, "--json")
        assert (ran.code, ran.err) == (0, ""), (command, ran)
        assert ran.out.count("\n") == 1
        envelope = ran.envelope
        assert envelope["status"] == "ok" and keys <= envelope.keys(), (command, envelope)
        if command[0] not in ("list", "doctor"):
            assert envelope["codebaseRoot"] == path
            assert envelope["path"] == command[-1]
            assert envelope["warnings"] == []


def test_every_command_speaks_to_people_without_colours_in_a_pipe(tree: Path) -> None:
    path, file = str(tree), str(tree / "src/alpha.py")
    for command, expected in (
        (("index", path), f"indexed {path} in"),
        (("sync", path), "nothing changed"),
        (("search", "alpha_total", path), "src/alpha.py:1\n     1  import os"),
        (("symbol", "Gamma.delta", path), "src/alpha.py:9  method Gamma.delta"),
        (("paths", path), "src/beta.js\n"),
        (("outline", file), "     8  class Gamma\n     9    method delta\n"),
        (("read", file), "def alpha_total(values):\n    return sum(values)\n"),
        (("status", path), "(proof: valid)"),
        (("repair", path), "rebuilt the search index of"),
        (("list",), f"Ready\n  {path}  5 files"),
        (("doctor",), f"ok   {path}: "),
        (("clear", path), f"removed the index of {path}"),
        (("list",), "no codebase is indexed yet"),
    ):
        ran = clew(*command)
        assert (ran.code, ran.err) == (0, ""), (command, ran)
        assert expected in ran.out, (command, ran.out)
        assert "\033" not in ran.out


def test_colour_is_given_to_those_who_ask_and_lights_up_the_matches(tree: Path) -> None:
    plain = clew("search", "alpha_total", str(tree)).out
    forced = clew("search", "alpha_total", str(tree), FORCE_COLOR="1")
    assert "\033[35msrc/alpha.py\033[0m:\033[32m1\033[0m" in forced.out
    assert "\033[1;33malpha_total\033[0m" in forced.out and "\033[1;33mreturn" not in forced.out
    assert "\033" not in clew("search", "alpha_total", str(tree), FORCE_COLOR="1", NO_COLOR="1").out
    import re

    assert re.sub(r"\033\[[\d;]*m", "", forced.out) == plain
    assert "\033" not in clew("search", "alpha_total", str(tree), "--json", FORCE_COLOR="1").out


def test_a_question_indexes_a_tree_that_never_was_and_says_so(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    ran = clew_process("search", "alpha_total", str(root), "--json")
    assert ran.code == 0
    assert ran.err.startswith(f"{root} is not indexed yet: indexing it first\n")
    assert ran.envelope["results"][0]["path"] == "src/alpha.py"
    assert clew("search", "alpha_total", str(root)).err == ""


def test_a_question_about_a_file_indexes_the_repository_around_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    git(root, "init", "-q")
    ran = clew("outline", "alpha.py", cwd=root / "src")
    assert ran.code == 0 and f"{root} is not indexed yet" in ran.err
    assert [row["root"] for row in clew("list", "--json").envelope["codebases"]] == [str(root)]


def test_without_a_path_the_repository_around_is_indexed(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    git(root, "init", "-q")
    ran = clew("search", "betaValue", "--json", cwd=root / "src")
    assert f"{root} is not indexed yet" in ran.err
    assert ran.envelope["codebaseRoot"] == str(root)


def test_no_index_gives_the_gate_with_its_hints(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    for command in (("search", "x"), ("symbol", "x"), ("paths",)):
        ran = clew(*command, str(root), "--no-index", "--json")
        assert ran.code == 3 and ran.err == ""
        envelope = ran.envelope
        assert envelope.pop("message")
        assert envelope == {
            "status": "not_indexed",
            "reason": "not_indexed",
            "path": str(root),
            "codebaseRoot": str(root),
            "hints": {
                "status": {"tool": "manage_index", "args": {"action": "status", "path": str(root)}},
                "create": {"tool": "manage_index", "args": {"action": "create", "path": str(root)}},
            },
        }
    for file_command in ("read", "outline"):
        assert clew(file_command, str(root / "src/alpha.py"), "--no-index").code == 3
    for other in ("status", "sync", "repair", "clear"):
        ran = clew(other, str(root))
        assert ran.code == 3 and "clew index" in one_message(ran)
    assert clew("list", "--json").envelope["codebases"] == []


def test_an_unfinished_index_is_not_indexed_with_the_reason_in_the_hint(tree: Path) -> None:
    """CONTRACT §4: `hints.staleLocal` tells a claim without proof from a tree that was never indexed."""
    import apsw

    database = Path(clew("status", str(tree), "--json").envelope["store"]) / "clew.db"
    connection = apsw.Connection(str(database))
    connection.execute("DELETE FROM chunk WHERE id < 0")
    connection.close()
    ran = clew("search", "alpha", str(tree), "--no-index", "--json")
    assert ran.code == 3 and ran.envelope["status"] == "not_indexed"
    assert ran.envelope["hints"]["staleLocal"] == {
        "completionProof": "missing_marker_doc",
        "recommendedAction": {"tool": "manage_index", "args": {"action": "create", "path": str(tree)}},
    }


def test_nothing_found_is_one(tree: Path) -> None:
    for command in (("search", "zzzqqq"), ("symbol", "zzzqqq"), ("paths", "--include", "*.zig")):
        ran = clew(*command, cwd=tree)
        assert (ran.code, ran.out) == (1, "") and ran.err.count("\n") == 1, ran
        assert clew(*command, "--json", cwd=tree).code == 1
    for command in (("read", "nope.py"), ("outline", "nope.py"), ("read", "no/where.py")):
        ran = clew(*command, cwd=tree)
        assert (ran.code, ran.out) == (1, "")
        one_message(ran)
        assert clew(*command, "--json", cwd=tree).envelope["status"] == "not_found"


def test_a_search_fits_its_tokens(tmp_path: Path) -> None:
    text = "def alpha_{0}(rows):\n    return alpha(rows) + {0}\n"
    tree = write_tree(tmp_path / "tokens", {f"m{i}.py": text.format(i) + f"beta_{i} = 1\n" * i for i in range(20)})
    whole = clew("search", "alpha", "--limit", "20", "--json", cwd=tree).envelope
    cut = clew("search", "alpha", "--limit", "20", "--max-tokens", "900", "--json", cwd=tree)
    assert len(cut.out) <= 900 * 4 + 1 and cut.envelope["truncated"]
    assert 0 < len(cut.envelope["results"]) == 20 - cut.envelope["omitted"] < len(whole["results"]) == 20
    ran = clew("search", "alpha", "--limit", "20", "--max-tokens", "900", cwd=tree)
    assert ran.out.rstrip().endswith("of 20 hits; a larger --max-tokens shows more")
    ran = clew("search", "alpha", "--max-tokens", "9", cwd=tree)
    assert ran.code == 2
    one_message(ran)


def test_an_error_keeps_the_fields_of_its_tool_and_names_its_problem(tree: Path) -> None:
    """CONTRACT §4: errors carry an RFC 9457 problem and keep the tool's own empty fields."""
    envelope = clew("search", "", str(tree), "--json").envelope
    assert envelope["status"] == "error"
    assert {"type", "title", "status", "detail"} <= envelope["problem"].keys()
    assert envelope["results"] == [] and envelope["total"] == 0 and envelope["truncated"] is False


def test_a_directory_inside_a_codebase_narrows(tree: Path) -> None:
    envelope = clew("paths", str(tree / "src"), "--json").envelope
    assert [item["path"] for item in envelope["items"]] == ["src/alpha.py", "src/beta.js"]
    assert (envelope["codebaseRoot"], envelope["path"]) == (str(tree), str(tree / "src"))
    hits = clew("search", "alpha", "--json", cwd=tree / "docs").envelope["results"]
    assert {hit["path"] for hit in hits} == {"docs/read me é.md"}
    assert clew("symbol", "alpha_total", str(tree / "docs")).code == 1


def test_files_are_named_relative_to_here_or_absolutely(tree: Path) -> None:
    wanted = "export function betaValue() {\n  return 42;\n}\n"
    for name, cwd in (
        ("beta.js", tree / "src"),
        ("./beta.js", tree / "src"),
        ("../src/beta.js", tree / "docs"),
        ("src/beta.js", tree),
        (str(tree / "src/beta.js"), tree.parent),
        (f"{tree}/docs/../src//beta.js", tree.parent),
    ):
        ran = clew("read", name, cwd=cwd)
        assert (ran.code, ran.out) == (0, wanted), (name, ran)


def test_names_with_spaces_letters_and_newlines(tree: Path) -> None:
    assert clew("read", "docs/read me é.md", cwd=tree).out == FILES["docs/read me é.md"]
    assert clew("read", "new\nline.py", cwd=tree).out == FILES["new\nline.py"]
    found = clew("outline", "new\nline.py", "--json", cwd=tree).envelope
    assert found["file"] == "new\nline.py" and found["symbols"][0]["name"] == "epsilon_zeta"
    assert {item["path"] for item in clew("paths", "--json", cwd=tree).envelope["items"]} == set(FILES)
    assert clew("search", "documents on how the total is computed", str(tree)).out.startswith("docs/read me é.md:1")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_stream_that_lacks_a_letter_is_no_failure(tree: Path, encoding: str) -> None:
    assert clew_process("paths", cwd=tree, PYTHONIOENCODING="ascii").out.count("\\xe9") == 1
    ran = clew_process("paths", "--json", cwd=tree, PYTHONIOENCODING=encoding)
    assert {item["path"] for item in ran.envelope["items"]} == set(FILES)


def test_arguments_that_are_not_text(tree: Path) -> None:
    for command in ((b"symbol", b"\xff"), (b"search", b"\xff"), (b"outline", b"\xff.py"), (b"read", b"\xff.py")):
        for flags in ((), (b"--json",)):
            ran = clew_process(*command, *flags, cwd=tree)
            assert ran.code in (1, 2), ran
    assert clew(b"search", b"x", b"/nowhere/\xff", b"--json").envelope["status"] == "error"


def test_lines_and_symbols_of_a_file(tree: Path) -> None:
    file = "src/alpha.py"
    assert clew("read", file, "--lines", "4:5", cwd=tree).out == "def alpha_total(values):\n    return sum(values)\n"
    assert clew("read", file, "--lines", "5", cwd=tree).out == "    return sum(values)\n"
    long = clew("read", file, "--lines", "17:9999", "--json", cwd=tree).envelope
    assert (long["start_line"], long["end_line"], long["total_lines"]) == (17, 18, 18)
    assert clew("read", file, "--symbol", "Gamma.again", cwd=tree).out == "    def again(self):\n        pass\n"
    for lines in ("0:3", "5:4", "x", "3:y", "5:", ":5", "", "-1:2", "1:2:3", "400:500"):
        ran = clew("read", file, f"--lines={lines}", cwd=tree)
        assert ran.code == 2, (lines, ran)
        one_message(ran)
    missing = clew("read", file, "--symbol", "nothing", cwd=tree)
    assert missing.code == 1 and "clew outline" in one_message(missing)
    doubtful = clew("read", file, "--symbol", "delta", cwd=tree)
    assert doubtful.code == 2 and doubtful.out == ""
    assert [line.strip() for line in doubtful.err.splitlines()[1:]] == [
        "src/alpha.py:9 Gamma.delta",
        "src/alpha.py:17 Other.delta",
    ]
    envelope = clew("read", file, "--symbol", "delta", "--json", cwd=tree).envelope
    assert envelope["status"] == "ambiguous" and len(envelope["candidates"]) == 2


def test_an_empty_file_and_odd_line_ends_are_read(tree: Path) -> None:
    empty = clew("read", "empty.py", "--json", cwd=tree).envelope
    assert (empty["content"], empty["total_lines"]) == ("", 0)
    write_tree(tree, {"feed.py": "a = 1\n\f\ndef after():\n    return '\\u2028'\n", "crlf.py": "a = 1\r\nb = 2\r\n"})
    assert clew("read", "feed.py", "--symbol", "after", cwd=tree).out == "def after():\n    return '\\u2028'\n"
    assert clew("read", "crlf.py", "--lines", "2", cwd=tree).out == "b = 2\n"
    assert "feed.py:1\n     1  a = 1\n     2  \f\n     3  def after():" in clew("search", "after", cwd=tree).out


def test_the_healthy_index_is_known_as_such(tree: Path) -> None:
    assert clew("index", str(tree), "--json").envelope["already_indexed"] is True
    write_tree(tree, {"new.py": "x = 1\n"})
    assert clew("index", str(tree), "--json").envelope["already_indexed"] is False
    assert clew("index", str(tree), "--force", "--json").envelope["already_indexed"] is False


def test_list_is_byte_identical_when_nothing_changed(tree: Path) -> None:
    before = clew("list", "--json").out
    clew("search", "alpha", str(tree))
    assert clew("list", "--json").out == before


@pytest.mark.parametrize("command", [("paths",), ("paths", "--json"), ("search", "alpha")])
def test_a_reader_that_goes_away_is_no_failure(tree: Path, command: tuple[str, ...]) -> None:
    write_tree(tree, {f"many/alpha_file_with_a_long_name_{i}.py": "alpha = 1\n" for i in range(300)})
    clew("sync", cwd=tree)  # else a slow machine shows how far it is
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "clew", *command], cwd=tree, stdout=writing, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    piped = subprocess.run(f"{sys.executable} -m clew paths | head -1", shell=True, cwd=tree, capture_output=True)
    assert (piped.stdout.decode(), piped.stderr) == ("docs/read me é.md\n", b"")


def test_an_answer_that_cannot_be_written_is_a_failure(tree: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "clew", "paths"], cwd=tree, stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert done.returncode == 4 and done.stderr.count(b"\n") == 1 and b"cannot write the answer" in done.stderr


def test_control_c_leaves_an_index_that_goes_on(tmp_path: Path) -> None:
    body = "".join(f"def function_{i}(value):\n    return compute_{i}(value)\n\n\n" for i in range(150))
    root = write_tree(tmp_path / "tree", {f"m{i}.py": f"number_{i} = {i}\n" + body for i in range(400)})
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", "index", str(root)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    process.stderr.readline()  # the first line of progress: it is at work
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == ""
    assert "interrupted" in err and "Traceback" not in err
    state = clew("status", str(root), "--json")
    assert (state.code, state.envelope["status"], state.envelope["reason"]) == (3, "error", "interrupted")
    assert clew("index", str(root), "--json").envelope["stats"]["files"] == 400
    assert clew("search", "function_7", str(root)).code == 0


def test_another_process_at_work_is_not_ready(tree: Path) -> None:
    from clew import Engine
    from clew.index.runs import Target, begin_create

    engine = Engine()
    run = begin_create(Target(engine.resolve(str(tree)).store, str(tree), engine.config), force=True)
    ran = clew("index", str(tree), "--force", "--json")
    run.work(lambda _: None)
    engine.close()
    assert (ran.code, ran.envelope["status"], ran.envelope["reason"]) == (3, "not_ready", "indexing")
    assert ran.envelope["retryAfterMs"] > 0 and ran.envelope["hints"]["status"]["tool"] == "manage_index"
    assert set(ran.envelope["indexing"]) == {"progressPct", "lastUpdated", "phase"}


def test_a_codebase_inside_another_answers_for_itself(tree: Path) -> None:
    inner = write_tree(tree / "vendor/lib", {"inner.py": "def inner_only(): pass\n"})
    git(inner, "init", "-q")
    assert clew("index", str(inner)).code == 0
    assert clew("symbol", "inner_only", str(inner), "--json").envelope["codebaseRoot"] == str(inner)
    assert clew("symbol", "inner_only", str(tree)).code == 1
    assert clew("paths", str(tree / "src"), "--json").envelope["codebaseRoot"] == str(tree)


def test_help_and_version_load_nothing_heavy() -> None:
    code = (
        "import sys, clew.serve.cli as c\n"
        "try: c.app.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'apsw', 'numpy', 'tree_sitter', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert clew_process("--version").out.startswith("clew, version ")
    for usage in ((), ("--help",), ("search", "--help")):
        assert "Usage: " in (ran := clew(*usage)).out + ran.err
    for wrong in (("nonsense",), ("search",), ("search", "x", "--limit", "many"), ("paths", "--what")):
        ran = clew(*wrong)
        assert ran.code == 2 and ran.out == "" and "Error: " in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="no such shell there")
@pytest.mark.parametrize("closed", [">&-", "<&-", ">&- 2>&- <&-"])
def test_a_command_without_its_streams_does_its_work(tmp_path: Path, closed: str) -> None:
    """A defect once: it ended with a traceback."""
    root = write_tree(tmp_path / "tree", {"a.py": "def alpha(): ...\n"})
    command = f'exec "{sys.executable}" -m clew index "{root}" {closed}'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert clew("symbol", "alpha", str(root), "--no-index").code == 0
