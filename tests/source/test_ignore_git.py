"""Differential tests: the policy against git itself, on generated trees and nasty patterns."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew.source.ignore import IgnorePolicy
from clew.source.trees import walk
from tests.conftest import write_tree as write
from tests.source.sourcetree import run_git

NAMES = [
    "a",
    "b",
    "ab",
    "a.x",
    ".x",
    "a b",
    "a ",
    "[a]",
    "*",
    "é",
    "-",
    "]",
    "!a",
    "#a",
    "a\nb",
    "B",
    "b.x.y",
    "\t",
]
TOKENS = [
    *[
        "a",
        "b",
        "ab",
        ".x",
        "*",
        "*",
        "?",
        "/",
        "/",
        "**/",
        "/**",
        "/**/",
        "*.x",
        " ",
        "\\ ",
        "\\",
        "é",
        "#",
        "!",
        "-",
    ],
    *[
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-b]",
        "[b-a]",
        "[]a]",
        "[!]a]",
        "[a",
        "[",
        "]",
        "[a-]",
        "[-a]",
        "[\\]a]",
        "[a\\-z]",
    ],
    *[
        "[[:alpha:]]",
        "[[:space:]]",
        "[[:punct:]]",
        "[![:alnum:].]",
        "[[:foo:]]",
        "[[:a]",
        "[a/b]",
        "[\\",
        "[[:upper:]a-b]",
    ],
    *["\\a", "\\*", "\\[", "\\!", "\\#", "\\/", "\t", "a**b", "[*]", "[?]", "\r", "\xff", "***"],
]
# git before 2.41 compares unrelated pointers when `**` follows something other than a slash.
UNDEFINED_IN_OLD_GIT = re.compile(r"[^/*]\*\*+(?:/|\\/|$)")


def _is_defined(pattern: str) -> bool:
    body = pattern.removeprefix("!").rstrip(" ").removesuffix("/")
    return "/" not in body or not UNDEFINED_IN_OLD_GIT.search(body)


patterns = (
    st.builds(
        lambda bang, lead, body, tail: bang + lead + "".join(body) + tail,
        st.sampled_from(["", "", "", "!"]),
        st.sampled_from(["", "", "/", "**/", "a/"]),
        st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4),
        st.sampled_from(["", "", "", "/", " ", "/**", "/*"]),
    )
    .filter(_is_defined)
    .map(lambda text: text.encode("latin-1") if "\xff" in text else text.encode())
)
ignore_files = st.builds(
    lambda bom, lines, end: bom + end.join(lines),
    st.sampled_from([b"", b"", b"\xef\xbb\xbf"]),
    st.lists(patterns, min_size=1, max_size=5),
    st.sampled_from([b"\n", b"\r\n"]),
)
segments = st.sampled_from(NAMES)
paths = st.lists(segments, min_size=1, max_size=4).map("/".join)
directories = st.lists(segments, max_size=2).map("/".join)


def _fill(root: Path, files: set[str], rules: dict[str, bytes]) -> list[str]:
    for entry in os.scandir(root):
        if entry.name != ".git":
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                Path(entry.path).unlink()
    made = []
    for key in sorted(files):
        path = root / key
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            made.append(key)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
    for directory, rule in rules.items():
        if (root / directory).is_dir():
            (root / directory / ".gitignore").write_bytes(rule)
    return made


def _by_git(root: Path, *options: str) -> set[str]:
    listing = run_git(root, "ls-files", "-co", "--exclude-standard", "-z", *options)
    return {os.fsdecode(key) for key in listing.split(b"\0") if key}


def _by_clew(root: Path) -> set[str]:
    tree = walk(str(root), policy=IgnorePolicy(str(root), default_excludes=""))
    assert list(tree.files) == sorted(tree.files)
    return set(tree.files)


def _check_single_paths(root: Path, taken: set[str]) -> None:
    policy = IgnorePolicy(str(root), default_excludes="")
    for directory, _, names in os.walk(root):
        for name in names:
            key = os.path.relpath(os.path.join(directory, name), root)
            if not key.startswith(".git/"):
                assert policy.is_ignored(key, False) is (key not in taken), key


bounded = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)


@settings(bounded, max_examples=450)
@given(
    files=st.sets(paths, min_size=3, max_size=14),
    rules=st.dictionaries(directories, ignore_files, max_size=3),
    top=ignore_files,
)
def test_untracked_files(repo: Path, files: set[str], rules: dict[str, bytes], top: bytes) -> None:
    _fill(repo, files, {**rules, "": top})
    taken = _by_clew(repo)
    assert taken == _by_git(repo)
    _check_single_paths(repo, taken)


@settings(bounded, max_examples=120)
@given(
    files=st.sets(paths, min_size=3, max_size=12),
    top=ignore_files,
    exclude=ignore_files,
    user=ignore_files,
    data=st.data(),
)
def test_tracked_files_and_other_sources(
    repo: Path,
    isolated_home: Path,
    files: set[str],
    top: bytes,
    exclude: bytes,
    user: bytes,
    data: st.DataObject,
) -> None:
    (repo / ".git" / "index").unlink(missing_ok=True)
    made = _fill(repo, files, {"": top})
    (repo / ".git/info/exclude").write_bytes(exclude)
    (isolated_home / ".config/git").mkdir(parents=True, exist_ok=True)
    (isolated_home / ".config/git/ignore").write_bytes(user)
    tracked = data.draw(st.sets(st.sampled_from(made), max_size=4))
    run_git(
        repo,
        "update-index",
        "-z",
        "--add",
        "--stdin",
        stdin=b"".join(os.fsencode(k) + b"\0" for k in tracked),
    )
    taken = _by_clew(repo)
    assert taken == _by_git(repo)
    _check_single_paths(repo, taken)


@settings(bounded, max_examples=100)
@given(files=st.sets(paths, min_size=3, max_size=12), top=ignore_files, inner=ignore_files)
def test_root_below_the_top_level(repo: Path, files: set[str], top: bytes, inner: bytes) -> None:
    _fill(repo, {f"s/a/{key}" for key in files}, {"": top, "s": inner})
    # An explicit root is never ignored itself, nor by a directory above it: compare only where git agrees.
    policy = IgnorePolicy(str(repo), default_excludes="")
    if policy.is_ignored("s", True) or policy.is_ignored("s/a", True):
        return
    below = {key.removeprefix("s/a/") for key in _by_git(repo) if key.startswith("s/a/")}
    assert _by_clew(repo / "s" / "a") == below


@settings(bounded, max_examples=60)
@given(files=st.sets(paths, min_size=3, max_size=12), top=ignore_files)
@example(files={"a/a", "ab"}, top=b"\\ab")
def test_ignore_case(repo: Path, files: set[str], top: bytes) -> None:
    if b"core.ignorecase" not in run_git(repo, "config", "--list"):
        run_git(repo, "config", "core.ignorecase", "true")
    _fill(repo, files, {"": top.upper() if b"[:" not in top else top})
    assert _by_clew(repo) == _by_git(repo)


@pytest.mark.parametrize(
    "name",
    [
        "alnum",
        "alpha",
        "blank",
        "cntrl",
        "digit",
        "graph",
        "lower",
        "print",
        "punct",
        "space",
        "upper",
        "xdigit",
    ],
)
def test_every_byte_of_posix_classes(repo: Path, name: str) -> None:
    write(repo, {".gitignore": f"x[[:{name}:]]\n"})
    for byte in range(1, 256):
        if byte != ord("/"):
            with open(os.path.join(os.fsencode(repo), b"x" + bytes([byte])), "wb"):
                pass
    policy = IgnorePolicy(str(repo), default_excludes="")
    place = policy._place("")
    assert place is not None
    ours = {name for name in os.listdir(repo) if name != ".git" and place.names.verdict(name, False) in (0, 3)}
    assert ours == _by_git(repo)


def test_core_excludesfile_and_config_are_honoured(repo: Path, isolated_home: Path) -> None:
    write(repo, {"a.log": "", "b.tmp": "", "c": ""})
    write(isolated_home, {"mine": "*.log\n", ".config/git/ignore": "*.tmp\n"})
    assert _by_clew(repo) == {"a.log", "c"}
    run_git(repo, "config", "core.excludesFile", "~/mine")
    assert _by_clew(repo) == _by_git(repo) == {"b.tmp", "c"}
    run_git(repo, "config", "core.excludesFile", "")
    assert _by_clew(repo) == _by_git(repo) == {"a.log", "b.tmp", "c"}


def test_trailing_double_star_after_a_literal_spans_slashes(root: Path) -> None:
    """What git 2.41 and later do; earlier ones depend on the addresses of their buffers."""
    write(
        root,
        {
            ".gitignore": "/fo**\n/q**/z\n",
            "foo": "",
            "fo": "",
            "fob/x/y": "",
            "qz": "",
            "qq/1/z": "",
            "q/y": "",
        },
    )
    assert _by_clew(root) == {".gitignore", "q/y"}
