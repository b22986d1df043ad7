"""Members of what nothing is known of: which of them are `unique`, which share a mere name, which are none."""

from __future__ import annotations

from pathlib import Path

from clew.relations import Wanted
from tests.conftest import make_engine, write_tree

TREE = {
    "shop.py": """\
import django
from framework import View


class Cart:
    def settle(self): ...

    def month(self): ...

    def render_all(self): ...


class Page(View):
    def show_page(self): ...


def helper_of_all(): ...


django.core.render_all()
""",
    "near.py": """\
from shop import Cart


def use(thing):
    thing.settle()
    thing.month()
    thing.render_all()
    thing.show_page()
    thing.helper_of_all()
    thing.paintAll()
    thing.__len__()
""",
    "nearer.py": "import near\n\n\ndef use(thing):\n    near.use(thing.settle())\n",
    "far.py": "def use(thing):\n    thing.settle()\n",
    "app.js": "class Canvas { paintAll() {} settle() {} }\nfunction f(x) { x.paintAll(); x.settle(); }\n",
}


def test_only_what_can_be_meant_is_unique(tmp_path: Path) -> None:
    root = str(write_tree(tmp_path / "tree", TREE))
    engine = make_engine(tmp_path / "home")
    engine.index(root)

    def uses(name: str) -> list[str]:
        found = engine.references(Wanted(name), root)
        return [f"{use.path}:{use.start_line} {use.tier}" for use in found.references if use.tier in ("unique", "name")]

    assert uses("Cart.settle") == ["near.py:5 unique", "nearer.py:5 unique", "far.py:2 name"]
    assert uses("month") == ["near.py:6 name"]  # dates of the library have it
    assert uses("Cart.render_all") == ["near.py:7 name"]  # a library is seen to have it
    assert uses("show_page") == ["near.py:8 name"]  # a library's class may have it
    assert uses("helper_of_all") == ["near.py:9 name"]  # nothing's member
    assert uses("paintAll") == ["app.js:2 unique"]  # not Python's
    assert uses("Canvas.settle") == ["app.js:2 unique"]
