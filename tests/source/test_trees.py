"""The walk and safe reads: links, oddities, nested repositories, files that change under the reader."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clew.errors import BadPath
from clew.source import reading
from clew.source.ignore import IgnorePolicy
from clew.source.reading import read_file
from clew.source.trees import Tree, walk
from clew.types import Stat
from tests.conftest import write_tree as write
from tests.source.sourcetree import run_git


def _reasons(tree: Tree) -> dict[str, str]:
    return {found.path: found.reason for found in tree.diagnostics}


def test_files_with_their_stat_in_order(root: Path) -> None:
    write(root, {"b": "12", "a/z": "1", "a-b": "", "a.c": "", "ü/x": "", "new\nline": "", "A": ""})
    tree = walk(str(root))
    assert list(tree.files) == sorted(["b", "a/z", "a-b", "a.c", "ü/x", "new\nline", "A"])
    found = os.lstat(root / "b")
    assert tree.files["b"] == Stat(2, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    assert type(tree.files["b"]) is Stat
    assert not tree.diagnostics


def test_links_and_special_files_are_counted_not_followed(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret/s": "x"})
    write(root, {"d/a": "x", ".gitignore": "ignored-link\n"})
    (root / "loop").symlink_to(".")
    (root / "d/up").symlink_to("..")
    (root / "escape").symlink_to(tmp_path / "secret")
    (root / "file").symlink_to("d/a")
    (root / "broken").symlink_to("nowhere")
    (root / "ignored-link").symlink_to("d")
    os.mkfifo(root / "pipe")
    tree = walk(str(root))
    assert set(tree.files) == {"d/a", ".gitignore"}
    links = dict.fromkeys(["loop", "d/up", "escape", "file", "broken"], "symlink")
    assert _reasons(tree) == {**links, "pipe": "special"}


def test_names_without_a_key_are_counted(root: Path) -> None:
    base = os.fsencode(root)
    for name in (b"bad\xff", b"back\\slash", b"C:x", b"fine:x"):
        with open(base + b"/" + name, "wb"):
            pass
    Path(os.fsdecode(base + b"/dir\xfe")).mkdir()
    write(root, {"sub/C:y": "", ".gitignore": "*.log"})
    with open(base + b"/\xff.log", "wb"):
        pass
    tree = walk(str(root))
    assert set(tree.files) == {"fine:x", "sub/C:y", ".gitignore"}
    assert set(_reasons(tree)) == {"bad\\udcff", "back\\slash", "C:x", "dir\\udcfe"}
    assert set(_reasons(tree).values()) == {"bad_name"}


def test_what_cannot_be_read_is_a_diagnostic(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a": "", "closed/b": "", "gone/c": ""})
    scandir = os.scandir

    def partly(path: Any) -> Any:
        if path.endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        if path.endswith("gone"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", partly)
    tree = walk(str(root))
    assert set(tree.files) == {"a"}
    assert _reasons(tree) == {"closed": "unreadable_directory", "gone": "vanished"}


def test_a_root_that_is_gone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadPath, match="does not exist any more"):
        walk(str(root / "none"))
    write(root, {"a/b": ""})
    monkeypatch.setattr(os.path, "isdir", lambda _: False)
    with pytest.raises(BadPath, match="vanished"):
        walk(str(root))


def test_ignore_files_of_the_wrong_kind_are_none(root: Path) -> None:
    write(root, {".gitignore/x": "", "a": ""})
    os.mkfifo(root / ".clewignore")  # opening it must not wait for a writer
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert set(walk(str(root)).files) == {".gitignore/x", "a"}
    assert not before or len(os.listdir("/proc/self/fd")) == before


def test_an_unreadable_ignore_file_is_a_diagnostic(root: Path) -> None:
    write(root, {"a": "", "real": "a\n"})
    (root / ".gitignore").symlink_to("real")  # git does not follow it either
    tree = walk(str(root))
    assert set(tree.files) == {"a", "real"}
    assert {(d.path, d.reason) for d in tree.diagnostics} == {
        (".gitignore", "symlink"),
        (".gitignore", "unreadable_ignore_file"),
    }


def test_defaults_and_clewignore(repo: Path) -> None:
    write(
        repo,
        {
            ".gitignore": "*.log\nbuild/\n!keep.pyc\n",
            ".clewignore": "*.min.js\n!wanted.log\n!node_modules/\ngenerated/\n!.git\n",
            "a.min.js": "", "wanted.log": "", "other.log": "", "keep.pyc": "", "drop.pyc": "",
            "node_modules/m.js": "", ".venv/x.py": "", "sub/__pycache__/y": "", "build/out": "",
            "build/tracked.c": "", "build/tracked.min.js": "", "build/deep/t": "",
            "generated/g": "", "sub/.clewignore": "!generated/\n", "sub/generated/ok": "",
        },
    )  # fmt: skip
    run_git(
        repo,
        "add",
        "-f",
        "build/tracked.c",
        "build/tracked.min.js",
        "generated/g",
        "drop.pyc",
        "build/deep/t",
    )
    assert set(walk(str(repo)).files) == {
        ".gitignore", ".clewignore", "sub/.clewignore", "wanted.log", "keep.pyc", "node_modules/m.js",
        "build/tracked.c", "build/deep/t", "sub/generated/ok",
    }  # fmt: skip


def test_ignore_files_apply_without_git(root: Path) -> None:
    write(root, {".gitignore": "x\n", "x": "", "y": "", "s/.gitignore": "!x\n", "s/x": ""})
    assert set(walk(str(root)).files) == {".gitignore", "y", "s/.gitignore", "s/x"}


def _nested(repo: Path) -> Path:
    inner = repo / "vendor" / "inner"
    write(repo, {".gitignore": "*.log\n", "a": "", "out.log": ""})
    write(inner, {".gitignore": "own\n", "own": "", "kept": "", "t.log": "", "u.log": "", "excluded": ""})
    run_git(inner, "init", "-q")
    write(inner, {".git/info/exclude": "excluded\n"})
    run_git(inner, "add", "-f", "t.log", "own")
    return inner


def test_nested_repositories_belong_to_the_parent(repo: Path) -> None:
    inner = _nested(repo)
    taken = {"vendor/inner/" + name for name in (".gitignore", "own", "kept", "t.log")}
    assert set(walk(str(repo)).files) == {".gitignore", "a"} | taken
    assert set(walk(str(repo), excluded_roots=frozenset([str(inner)])).files) == {".gitignore", "a"}
    assert walk(str(repo), excluded_roots=frozenset([str(repo), str(repo) + "-x"])).files.keys() >= taken
    write(repo, {".gitignore": "vendor/\n"})
    assert set(walk(str(repo)).files) == {".gitignore", "a", "out.log"}


def test_submodules_belong_to_the_parent_even_when_ignored(repo: Path, tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    write(origin, {"s.py": "", ".gitignore": "*.o\n"})
    run_git(origin, "init", "-q")
    run_git(origin, "add", ".")
    run_git(origin, "commit", "-qm", "x")
    run_git(repo, "submodule", "--quiet", "add", str(origin), "lib/sub")
    write(repo, {".gitignore": "lib/\n", "lib/other": "", "lib/sub/new.py": "", "lib/sub/x.o": ""})
    tree = walk(str(repo))
    assert set(tree.files) == {
        ".gitignore",
        ".gitmodules",
        "lib/sub/s.py",
        "lib/sub/.gitignore",
        "lib/sub/new.py",
    }
    assert not IgnorePolicy(str(repo)).is_ignored("lib/sub/new.py", False)
    assert IgnorePolicy(str(repo)).is_ignored("lib/other", False)


def test_single_paths_agree_with_the_walk(repo: Path) -> None:
    _nested(repo)
    excluded = frozenset([str(repo / "own")])
    write(
        repo,
        {
            "own/a": "",
            "node_modules/x": "",
            "docs/_build/y": "",
            "docs/z": "",
            ".clewignore": "docs/_build\n",
        },
    )
    taken = walk(str(repo), excluded_roots=excluded).files
    policy = IgnorePolicy(str(repo), excluded_roots=excluded)
    for directory, _, names in os.walk(repo):
        for name in names:
            key = os.path.relpath(os.path.join(directory, name), repo)
            assert policy.is_ignored(key, False) is (key not in taken), key
    assert policy.is_ignored(".git", True) and policy.is_ignored("own", True) and not policy.is_ignored("docs", True)


def test_an_ignored_root_is_taken_when_asked_for(repo: Path) -> None:
    write(repo, {".gitignore": "build/\n*.o\n", "build/a.c": "", "build/a.o": ""})
    assert set(walk(str(repo / "build")).files) == {"a.c"}


def test_deep_trees_do_not_recurse(root: Path) -> None:
    here = os.open(root, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert list(walk(str(root)).files) == ["d/" * 1500 + "leaf"]
    subprocess.run(["rm", "-rf", str(root / "d")], check=True)  # pytest's own tidying recurses


def test_read_file(root: Path) -> None:
    write(root, {"a/b/c": "hello"})
    content, stat = read_file(str(root), "a\\b/./c", limit=100)
    assert (content, stat) == (b"hello", walk(str(root)).files["a/b/c"])
    assert read_file(str(root), "a/b/c", limit=5)[0] == b"hello"
    assert read_file(str(root), "a/b/c", limit=2)[0] == b"hel"


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 12, 40])
@pytest.mark.parametrize("most", [1, 3, 10, 11, 1 << 24], ids="at once {}".format)
def test_a_file_is_read_whole_or_one_byte_too_long(
    root: Path, monkeypatch: pytest.MonkeyPatch, size: int, most: int
) -> None:
    """However little a read gives at once."""
    write(root, {"a": "x" * size})
    read = os.read
    monkeypatch.setattr("clew.source.reading.os.read", lambda descriptor, asked: read(descriptor, min(asked, most)))
    assert read_file(str(root), "a", limit=10)[0] == b"x" * min(size, 11)


@pytest.mark.skipif(not Path("/proc/sys/kernel/ostype").exists(), reason="only Linux has files that tell no size")
def test_a_file_that_is_larger_than_it_says_is_not_taken_for_empty() -> None:
    with pytest.raises(BlockingIOError):
        read_file("/proc/sys/kernel", "ostype", limit=100)


def test_read_file_refuses(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret/s": "x"})
    write(root, {"d/a": "x"})
    (root / "escape").symlink_to(tmp_path / "secret")
    (root / "file").symlink_to("d/a")
    (root / "d/inner").symlink_to("..")
    os.mkfifo(root / "pipe")
    for key in ("escape/s", "file", "d/inner/d/a", "d", "pipe", "../secret/s", "/etc/passwd"):
        with pytest.raises(BadPath):
            read_file(str(root), key, limit=10)
    for key, error in {"none": FileNotFoundError, "d/a/x": NotADirectoryError}.items():
        with pytest.raises(error):
            read_file(str(root), key, limit=10)


@pytest.mark.parametrize("changes", [1, 2])
def test_a_file_replaced_while_it_is_read(root: Path, monkeypatch: pytest.MonkeyPatch, changes: int) -> None:
    write(root, {"a": "one"})
    reads: list[int] = []
    read_up_to = reading._read_up_to

    def replacing(descriptor: int, size: int, limit_bytes: int) -> bytes:
        content = read_up_to(descriptor, size, limit_bytes)
        reads.append(1)
        if len(reads) <= changes:
            write(root, {"tmp": "two"})
            (root / "tmp").replace(root / "a")
        return content

    monkeypatch.setattr(reading, "_read_up_to", replacing)
    if changes == 1:
        assert read_file(str(root), "a", limit=10)[0] == b"two"
    else:
        with pytest.raises(BlockingIOError):
            read_file(str(root), "a", limit=10)
    assert len(reads) == 2
