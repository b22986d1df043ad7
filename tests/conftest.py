"""One way to make a tree, an engine and a comparison; most behaviour is tested through `Engine`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from clew import Engine, load_config, native
from clew.graph import build


@pytest.fixture(autouse=True)
def isolated_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No test sees the machine's git or Clew configuration, and none writes outside its own folder."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("CLEW_", "GIT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("CLEW_HOME", str(home / "clew"))
    monkeypatch.setenv("CLEW_EMBEDDING", "none")  # tests that are about meaning ask for the model
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / "gitconfig").write_text(
        "[user]\n name = Ariadne\n email = ariadne@example.invalid\n[init]\n defaultBranch = main\n"
        '[protocol "file"]\n allow = always\n[commit]\n gpgsign = false\n'
    )
    return home


@pytest.fixture(scope="module", params=["native", "python"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once with the inner loops in C, once with their twins in Python; for modules whose answers must not differ."""
    with without_kernels() if request.param == "python" else nullcontext():
        if request.param == "native" and native.kernels is None:
            pytest.skip("Clew was installed without its own C; see tests/native/test_native.py")
        yield


@contextmanager
def without_kernels() -> Iterator[None]:
    """As on a machine that had no compiler."""
    held, native.kernels = native.kernels, None
    try:
        yield
    finally:
        native.kernels = held


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine with a home of its own."""
    made = make_engine(tmp_path / "clew-home")
    yield made
    made.close()


def make_engine(home: Path, **flags: object) -> Engine:
    """An engine on `home`; it parses in this process without a model, and checks before every answer."""
    return Engine(load_config({"home": str(home), "workers": 1, "recheck_ms": 0, **flags}))


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below `root`."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def note_resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose edges are made in this process from now on, in order."""
    resolved: list[str] = []
    add_edges = build._Graph.add_edges

    def noted(graph: build._Graph, path: str, found: build.Edges) -> None:
        resolved.append(path)
        add_edges(graph, path, found)

    monkeypatch.setattr(build._Graph, "add_edges", noted)
    return resolved


def git(root: Path, *arguments: str) -> str:
    """Run git in `root`."""
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout
