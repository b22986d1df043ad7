"""Clew with its own C and without: built where that can be, and not needed where it cannot."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clew import Engine, native
from tests.conftest import without_kernels, write_tree

COMPILERS = ("cc", "gcc", "clang", "cl")


def test_they_were_built() -> None:
    if native.kernels is None and not any(map(shutil.which, COMPILERS)):
        pytest.skip("this machine has no C compiler: Clew works without, as `clew doctor` says")
    assert native.kernels is not None, "there is a compiler, but no kernels: run `make clean`, then `make test`"


def test_the_types_name_what_is_there() -> None:
    if native.kernels is None:
        pytest.skip("this machine has no C compiler: Clew works without, as `clew doctor` says")
    told = ast.parse(Path(native.__file__).with_name("_kernels.pyi").read_text()).body
    names = {node.name for node in told if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert names == {name for name in vars(native.kernels) if not name.startswith("_")} - {"VERSION"}


PROGRAM = """
import sys
{before}
from clew import Engine, load_config, native
from clew.search.pattern import TextQuery
engine = Engine(load_config({{"home": sys.argv[1], "workers": 1}}))
engine.index(sys.argv[2])
print(native.kernels is not None)
print([hit.path for hit in engine.search("add a price to the cart", sys.argv[2]).hits])
print([*engine.grep(TextQuery("price"), sys.argv[2]).matches])
engine.close()
"""


def test_clew_works_without_them_and_with_older_ones(tmp_path: Path) -> None:
    files = {f"shop/m{n}.py": f"def f{n}(price):\n    return price * {n}\n" for n in range(40)}
    root = write_tree(tmp_path / "tree", {**files, "cart.py": "def add_price(cart, price):\n    cart.add(price)\n"})
    ways = {
        "as it is": "",
        "without": 'sys.modules["clew.native._kernels"] = None',
        "older": 'import types; sys.modules["clew.native._kernels"] = types.SimpleNamespace(VERSION=0)',
    }
    said = {}
    for number, (name, before) in enumerate(ways.items()):
        command = [sys.executable, "-c", PROGRAM.format(before=before), str(tmp_path / f"home{number}"), str(root)]
        said[name] = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n", 1)
    assert said["as it is"][0] == str(native.kernels is not None)
    assert said["without"][0] == said["older"][0] == "False"
    assert said["as it is"][1] == said["without"][1] == said["older"][1]
    assert "cart.py" in said["without"][1]


def test_the_doctor_tells_when_they_are_missing(engine: Engine) -> None:
    assert native.kernels is None or engine.doctor().checks == ()
    with without_kernels():
        (check,) = engine.doctor().checks
    assert check.ok and check.subject == "clew.native" and "C compiler" in check.message
