"""Whatever is wrong, one clear message, the right exit code, no traceback, and the index answers afterwards."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner

from clew.store.database import schema_version
from tests.conftest import git, write_tree
from tests.serve.command import Ran, clew, clew_process, one_message

ALPHA = "def alpha(): pass\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA, "sub/b.py": "def beta(): pass\n"})
    assert clew("index", str(root)).code == 0
    return root


def still_answers(root: Path) -> None:
    ran = clew("search", "alpha", str(root), "--no-index", "--json")
    assert ran.code == 0 and ran.envelope["results"][0]["path"] == "a.py", ran


def refused(ran: Ran, code: int, *words: str) -> None:
    assert (ran.code, ran.out) == (code, ""), ran
    message = one_message(ran)
    for word in words:
        assert word in message, message


def test_a_typing_error_in_a_path_never_stands_for_what_is_around_it(tree: Path) -> None:
    for command in (("search", "x"), ("symbol", "x"), ("paths",), ("status",), ("sync",), ("repair",), ("clear",)):
        refused(clew(*command, str(tree / "typo")), 2, "does not exist")
        refused(clew(*command, str(tree.parent / "typo")), 2, "does not exist")
        refused(clew(*command, str(tree / "a.py")), 2, "not a directory")
    refused(clew("index", str(tree / "typo")), 2, "does not exist")
    refused(clew("index", str(tree / "a.py")), 2, "not a directory")
    refused(clew("read", str(tree / "sub")), 2, "directory")
    assert [row["root"] for row in clew("list", "--json").envelope["codebases"]] == [str(tree)]
    still_answers(tree)


def test_a_tree_that_is_gone_can_still_be_cleared(tree: Path) -> None:
    shutil.rmtree(tree)
    refused(clew("search", "alpha", str(tree)), 2, str(tree))
    assert clew("status", str(tree)).code == 0
    assert clew("clear", str(tree)).code == 0
    assert clew("list", "--json").envelope["codebases"] == []


def test_a_current_directory_that_is_gone(tmp_path: Path) -> None:
    for command in ("search x", "index", "status --json", "paths", "clear", "read x.py"):
        gone = tmp_path / "gone"
        gone.mkdir()
        done = subprocess.run(
            f"rmdir {gone} && {sys.executable} -m clew {command}", shell=True, cwd=gone, capture_output=True, text=True
        )
        assert done.returncode in (1, 2) and "Traceback" not in done.stderr, (command, done)
        assert "gone" in done.stderr + done.stdout or "exist" in done.stderr


def test_an_empty_tree_is_an_index_of_nothing(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    assert clew("index", str(root), "--json").envelope["stats"]["files"] == 0
    assert clew("search", "x", str(root)).code == 1
    assert clew("paths", str(root)).code == 1
    assert clew("status", str(root), "--json").envelope["proof"] == "valid"
    assert clew("repair", str(root)).code == 0
    write_tree(root, {"a.py": ALPHA})
    still_answers(root)


def test_home_and_the_root_of_the_file_system_are_refused(isolated_home: Path) -> None:
    write_tree(isolated_home, {"a.py": ALPHA, ".clewignore": "/clew\n"})
    for command in (("index",), ("search", "x"), ("paths",)):
        refused_home = clew(*command, str(isolated_home))
        assert refused_home.code == 2 and "home directory" in refused_home.err
        at_root = clew(*command, "/")
        assert at_root.code == 2 and "file-system root" in at_root.err
    assert clew("index", cwd=isolated_home).code == 2
    assert clew("read", "a.py", cwd=isolated_home).code == 2
    assert clew("index", str(isolated_home), "--force").code == 0
    still_answers(isolated_home)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("search", ""), ("query is empty",)),
        (("search", "   \n"), ("query is empty",)),
        (("search", "x" * 10_000), ("10000", "shorten")),
        (("search", "alpha", "--limit", "0"), ("limit", "at least 1")),
        (("search", "alpha", "--limit", "-5"), ("limit", "at least 1")),
        (("paths", "--limit", "0"), ("limit", "at least 1")),
        (("search", "alpha", "--lang", "klingon"), ("klingon", "python", "typescript")),
        (("paths", "--lang", ""), ("unknown language",)),
        (("search", "alpha", "--include", "["), ("'['", "bracket")),
        (("search", "alpha", "--include", "a[z-a]"), ("'a[z-a]'",)),
        (("search", "alpha", "--exclude", "{a,b"), ("'{a,b'", "brace")),
        (("search", "alpha", "--exclude", "a}"), ("'a}'", "brace")),
        (("paths", "--include", ""), ("''", "empty")),
        (("paths", "--include", "/"), ("'/'", "empty")),
        (("paths", "--include", "!a.py"), ("'!a.py'", "exclude")),
        (("paths", "--include", "{" * 3_000 + "}" * 3_000), ("6000",)),
        (("paths", "--include", "{" * 400 + "}" * 400), ("braces",)),
        (("paths", "--include", "*" * 20_000), ("20000",)),
    ],
)
def test_a_bad_question(tree: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    ran = clew(*arguments, cwd=tree)
    refused(ran, 2, *words)
    assert len(ran.err) < 1_000
    envelope = clew(*arguments, "--json", cwd=tree).envelope
    assert (envelope["status"], envelope["reason"], envelope["problem"]["status"]) == ("error", "bad_input", 400)


def test_more_than_there_is_may_be_asked_for(tree: Path) -> None:
    for limit in ("1000000", str(10**30)):
        assert len(clew("search", "alpha", "--limit", limit, "--json", cwd=tree).envelope["results"]) == 1
        assert len(clew("paths", "--limit", limit, "--json", cwd=tree).envelope["items"]) == 2
    assert clew("paths", "--limit", "1", cwd=tree).err == "1 of 2 paths; --limit shows more\n"


def test_a_nul_in_an_argument(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clew.serve.cli import app

    monkeypatch.chdir(tree)
    for arguments in (
        ["search", "al\0pha"],
        ["search", "alpha", "tr\0ee"],
        ["search", "alpha", "--include", "a\0"],
        ["symbol", "al\0pha"],
        ["read", "a\0.py"],
        ["outline", "a\0.py"],
        ["index", "tr\0ee"],
        ["status", "tr\0ee"],
        ["clear", "tr\0ee"],
    ):
        result = CliRunner().invoke(app, arguments, standalone_mode=False)
        assert result.exception is None, (arguments, result.exception)
        assert result.return_value in (1, 2), arguments
    still_answers(tree)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLEW_WORKERS", "many"),
        ("CLEW_WORKERS", "-1"),
        ("CLEW_WORKERS", "1.5"),
        ("CLEW_MAX_FILES", "0"),
        ("CLEW_MAX_FILE_BYTES", "x"),
        ("CLEW_RESULT_LIMIT", "0"),
    ],
)
def test_a_bad_setting_is_named(tree: Path, name: str, value: str) -> None:
    refused(clew("search", "alpha", str(tree), env={name: value}), 2, name.removeprefix("CLEW_").lower(), "environment")


def test_a_home_that_cannot_be(tree: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for home in (file, file / "below", Path("/proc/clew")):
        refused(clew("index", str(tree), CLEW_HOME=str(home)), 4, "CLEW_HOME")
    still_answers(tree)


@pytest.mark.parametrize(
    "text",
    ["workers = ", "[workers]\na = 1\n", "colour = 1\n", "home = 5\n", "workers = inf\n", "workers = true\n", "\xff"],
)
def test_a_bad_config_file_is_named(tree: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode("latin-1"))
    refused(clew("list", CLEW_CONFIG=str(file)), 2, str(file))
    refused(clew("list", CLEW_CONFIG=str(tmp_path)), 2, str(tmp_path))
    still_answers(tree)


def test_too_many_files_are_refused_with_what_to_do(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {f"{i}.py": "" for i in range(5)})
    refused(clew("index", str(root), CLEW_MAX_FILES="4"), 2, "max_files (4)", ".clewignore", "CLEW_MAX_FILES")
    write_tree(root, {"a.py": ALPHA})
    assert clew("index", str(root)).code == 0
    still_answers(root)


# -- a damaged store ------------------------------------------------------------------------------


def store_of(root: Path) -> Path:
    return Path(clew("status", str(root), "--json").envelope["store"])


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A tree whose chunks are in the search index, not only in its tail."""
    body = "".join(f"def alpha_{{0}}_{i}(value):\n    return beta_{i}(value)\n\n\n" for i in range(300))
    root = write_tree(tmp_path / "tree", {f"m{i}.py": body.replace("{0}", str(i)) for i in range(100)})
    write_tree(root, {"a.py": ALPHA})
    assert clew("index", str(root)).code == 0
    return root


def rubbish(path: Path) -> None:
    path.write_bytes(random.Random(7).randbytes(40_000))


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def holes(path: Path) -> None:
    chance, content = random.Random(3), bytearray(path.read_bytes())
    for _ in range(300):
        place = chance.randrange(4_096, len(content) - 1_000)
        content[place : place + 900] = chance.randbytes(900)
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [rubbish, halve, holes])
def test_a_damaged_database_says_so_and_is_cured_as_it_says(large: Path, damage: Callable[[Path], None]) -> None:
    database = store_of(large) / "clew.db"
    damage(database)
    for command in (("search", "alpha_7_3"), ("symbol", "alpha_7_3"), ("paths",), ("index",), ("repair",)):
        ran = clew(*command, str(large), "--no-index" if command[0] in ("search", "symbol", "paths") else "--json")
        if ran.code != 0:  # what does not meet the damage may answer
            assert ran.code == 4 and "damaged" in ran.err + ran.out and "clew clear" in ran.err + ran.out, ran
    assert clew("search", "alpha_7_3", str(large)).code == 4
    assert clew("status", str(large)).code in (0, 4)
    assert clew("list").code == 0
    health = clew("doctor", "--json")
    assert health.code == 4 and "clew clear" in health.envelope["checks"][0]["message"]
    assert clew("clear", str(large)).code == 0
    assert clew("index", str(large)).code == 0
    still_answers(large)
    assert clew("doctor").code == 0


def test_a_database_cut_to_nothing_is_no_index(tree: Path) -> None:
    database = store_of(tree) / "clew.db"
    database.write_bytes(b"")
    assert clew("search", "alpha", str(tree), "--no-index").code == 3
    assert clew("search", "alpha", str(tree)).code == 0
    still_answers(tree)


def test_a_damaged_registry_says_what_to_do_and_that_helps(tree: Path, isolated_home: Path) -> None:
    registry = isolated_home / "clew/registry.db"
    rubbish(registry)
    ran = clew("search", "alpha", str(tree))
    refused(ran, 4, "damaged", str(registry), "delete that file")
    registry.unlink()
    assert clew("index", str(tree)).code == 0
    still_answers(tree)


def test_worktrees_that_share_a_damaged_store_can_be_cleared(tmp_path: Path) -> None:
    root, side = write_tree(tmp_path / "tree", {"a.py": ALPHA}), tmp_path / "side"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", str(side))
    assert clew("index", str(root)).code == clew("index", str(side)).code == 0
    rubbish(store_of(root) / "clew.db")
    assert clew("search", "alpha", str(root)).code == 4
    assert clew("clear", str(root)).code == 0
    assert clew("clear", str(side)).code == 0
    assert clew("index", str(root)).code == 0
    still_answers(root)


def _files(directory: Path, *endings: str) -> Iterator[Path]:
    return (path for path in sorted(directory.rglob("*")) if path.is_file() and path.name.endswith(endings))


def lose_directory(lexical: Path) -> None:
    shutil.rmtree(lexical)


def lose_segments(lexical: Path) -> None:
    for path in _files(lexical, ".seg"):
        path.unlink()


def cut_segments(lexical: Path) -> None:
    for path in _files(lexical, ".seg"):
        halve(path)


def garble_segments(lexical: Path) -> None:
    for path in _files(lexical, ".seg"):
        path.write_bytes(b"no segment at all" * 99)


@pytest.mark.slow
def test_a_damaged_search_index_is_repaired_without_parsing(large: Path) -> None:
    for damage in (lose_directory, lose_segments, cut_segments, garble_segments):
        damage(store_of(large) / "lexical")
        refused(clew("search", "alpha", str(large)), 4, "damaged", "clew repair")
        envelope = clew("search", "alpha", str(large), "--json").envelope
        assert (envelope["reason"], envelope["problem"]["status"]) == ("store_corrupt", 500)
        assert clew("doctor").code == 4
        assert clew("symbol", "alpha_7_3", str(large)).code == 0
        assert clew("repair", str(large)).code == 0
        still_answers(large)
        assert clew("doctor").code == 0


def test_an_index_of_a_newer_version_is_left_alone(tree: Path) -> None:
    database = store_of(tree) / "clew.db"
    connection = apsw.Connection(str(database))
    connection.execute("PRAGMA user_version = 99")
    for command in (("search", "alpha"), ("index",), ("index", "--force"), ("sync",), ("status",), ("repair",)):
        refused(clew(*command, str(tree)), 4, "newer Clew", "schema 99", "update Clew")
    assert clew("search", "alpha", str(tree), "--json").envelope["reason"] == "store_too_new"
    assert clew("list").code == 0 and clew("doctor").code == 4
    assert connection.pragma("user_version") == 99
    connection.execute(f"PRAGMA user_version = {schema_version('migrations')}")
    connection.close()
    still_answers(tree)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A disk of a given size; the same disk grows when it is asked for again."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted: list[str] = []

    def make(size: str) -> Path:
        options = f"remount,size={size}" if mounted else f"size={size}"
        command = ["mount", "-o", options, *([] if mounted else ["-t", "tmpfs", "tmpfs"]), str(place)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
        mounted.append(size)
        return place

    yield make
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("size", ["64k", "200k", "1m"])
def test_a_full_disk_says_so_and_the_run_goes_on(tmp_path: Path, small_disk: Callable[[str], Path], size: str) -> None:
    chance = random.Random(1)
    body = [
        "".join(
            f"def {chance.randbytes(6).hex()}_{i}(value):\n    return {chance.randbytes(9).hex()}\n" for i in range(99)
        )
        for _ in range(80)
    ]
    root = write_tree(tmp_path / "tree", {f"m{i}.py": text for i, text in enumerate(body)} | {"a.py": ALPHA})
    home = {"CLEW_HOME": str(small_disk(size) / "home")}
    ran = clew_process("index", str(root), env=home)
    assert (ran.code, ran.out) == (4, "") and "no room left on the disk" in ran.err.splitlines()[-1], ran
    assert clew_process("index", str(root), "--json", env=home).envelope["problem"]["status"] == 507
    assert clew_process("search", "alpha", str(root), "--no-index", env=home).code in (3, 4)
    small_disk("60m")
    done = clew_process("index", str(root), "--json", env=home)
    assert done.code == 0 and done.envelope["stats"]["files"] == 81
    assert clew_process("search", "alpha", str(root), env=home).code == 0
    assert clew_process("doctor", "--json", env=home).envelope["orphans"] == 0


def test_a_disk_that_fills_up_during_a_sync_keeps_the_last_answer(
    tmp_path: Path, small_disk: Callable[[str], Path]
) -> None:
    root = write_tree(tmp_path / "tree", {"a.py": ALPHA})
    disk = small_disk("3m")
    home = {"CLEW_HOME": str(disk / "home")}
    assert clew_process("index", str(root), env=home).code == 0
    room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    (disk / "filler").write_bytes(b"x" * (room - 8_192))
    write_tree(root, {"b.py": "".join(f"def {random.Random(i).randbytes(20).hex()}(): pass\n" for i in range(4_000))})
    ran = clew_process("search", "alpha", str(root), env=home)
    assert ran.code == 4 and "no room left on the disk" in ran.err, ran
    (disk / "filler").unlink()
    assert clew_process("search", "alpha", str(root), env=home).code == 0
    assert len(clew_process("paths", str(root), "--json", env=home).envelope["items"]) == 2


def test_what_may_not_be_read_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, whom no permission stops: the system's refusal is played."""
    from clew.serve.cli import app

    root = write_tree(tmp_path / "tree", {"a.py": ALPHA, "secret.py": "x = 1\n", "closed/c.py": "y = 1\n"})
    real_open, real_scandir = os.open, os.scandir

    def no_open(path: object, *arguments: object, **named: object) -> int:
        if os.path.basename(str(path)) == "secret.py":
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, *arguments, **named)  # type: ignore[arg-type]

    def no_scandir(path: object = ".") -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real_scandir(path)  # type: ignore[call-overload]

    no_open_set = os.supports_dir_fd | {no_open}
    monkeypatch.setattr(os, "supports_dir_fd", no_open_set)
    monkeypatch.setattr(os, "open", no_open)
    monkeypatch.setattr(os, "scandir", no_scandir)
    runner = CliRunner()
    assert runner.invoke(app, ["index", str(root), "--json"], standalone_mode=False).return_value == 0
    state = runner.invoke(app, ["status", str(root)], standalone_mode=False).output
    assert "unreadable 1" in state and "unreadable_directory 1" in state
    denied = runner.invoke(app, ["read", str(root / "secret.py")], standalone_mode=False)
    assert denied.return_value == 2 and denied.exception is None
