"""Incremental ≡ rebuild, for the graph: whatever happens to modules that import each other."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import dump
from tests.conftest import make_engine, write_tree

NAMES = ("a.py", "b.py", "pkg/__init__.py", "pkg/a.py", "pkg/b.py", "src/pkg/__init__.py", "src/pkg/a.py", "c/a.py")
LINES = (
    "from a import Thing\n",
    "from b import *\n",
    "import pkg.a\n",
    "from pkg import a, b\n",
    "from . import b\n",
    "from .a import Thing as Other\n",
    "from .. import a\n",
    "import os, json\n",
    "class Thing(Base):\n    size: int = 0\n    def run(self):\n        self.state = Other()\n        self.go()\n",
    "class Base:\n    def go(self):\n        return self.state\n    def run(self): ...\n",
    "class Other(a.Thing):\n    def go(self):\n        return super().run()\n",
    "def make() -> Thing:\n    thing = Thing()\n    thing.run()\n    return thing\n",
    "make().go().state.run()\n",
    "value = make()\n",
    "value.run()\npkg.a.make()\na.Thing.run\n",
    "def use(x):\n    x.run()\n    return json.loads(x)\n",
)
numbers = st.lists(st.integers(0, len(LINES) - 1), max_size=6)
step: st.SearchStrategy[Any] = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), numbers),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just([])),
    st.tuples(
        st.just("rename"), st.sampled_from(NAMES), st.lists(st.integers(0, len(NAMES) - 1), min_size=1, max_size=1)
    ),
)


def play(root: Path, action: str, name: str, numbers: list[int]) -> None:
    path = root / name
    if action == "write":
        write_tree(root, {name: "".join(LINES[number] for number in numbers)})
    elif action == "delete" and path.exists():
        path.unlink()
    elif action == "rename" and path.exists():
        target = root / NAMES[numbers[0]]
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    before=st.lists(step, max_size=8), changes=st.lists(st.lists(step, min_size=1, max_size=3), min_size=1, max_size=4)
)
def test_a_changed_graph_is_the_graph_made_anew(before: list[Any], changes: list[list[Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "tree"
        root.mkdir()
        for one in before:
            play(root, *one)
        engine = make_engine(root.parent / "home")
        engine.index(str(root))
        for several in changes:
            for one in several:
                play(root, *one)
            engine.sync(str(root))
            found = dump.graph(engine.resolve(str(root)).store)
            fresh = make_engine(root.parent / "fresh")
            fresh.index(str(root))
            expected = dump.graph(fresh.resolve(str(root)).store)
            fresh.close()
            shutil.rmtree(root.parent / "fresh")
            assert found == expected
        engine.close()
