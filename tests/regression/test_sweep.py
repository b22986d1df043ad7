"""One test for each defect that the sweep has had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.store import sweep as sweeping
from clew.store.sweep import sweep
from tests.conftest import make_engine, write_tree


class Killed(BaseException):
    """As if the process had died here."""


def die(*_: Any, **__: Any) -> None:
    raise Killed


@pytest.mark.parametrize("name", ["remove_facts", "tidy"])
def test_what_comes_back_after_a_killed_sweep_can_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A sweep took documents out of the search index and died before it removed the facts: they were used again."""
    body = "".join(f"def alpha_{{0}}_{i}(value):\n    return beta_{i}(value)\n\n\n" for i in range(60))
    root = write_tree(tmp_path / "tree", {f"m{i}.py": body.replace("{0}", str(i)) for i in range(20)})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    engine.repair(str(root))  # so that nothing is in the tail
    store = engine.resolve(str(root)).store
    moved = (root / "m7.py").rename(tmp_path / "m7.py")
    engine.sync(str(root))
    with monkeypatch.context() as patch:
        patch.setattr(sweeping, name, die)
        with pytest.raises(Killed):
            sweep(store)
    moved.rename(root / "m7.py")
    assert engine.search("alpha_7_33 value", str(root)).hits[0].path == "m7.py"
    assert [check.message for check in engine.doctor().checks if not check.ok] == []
    sweep(store)
    sweep(store)
    engine.close()
