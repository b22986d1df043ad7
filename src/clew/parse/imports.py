"""Import statements as (module, name, alias) rows; what they resolve to is the graph's business."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from clew.parse.paths import split_use
from clew.types import Import

_ROLES = ("import.module", "import.name", "import.alias", "import.all", "import.default", "import.tree")


def collect_imports(content: bytes, starts: list[int], captures: dict[str, list[Any]]) -> list[Import]:
    """One row for each imported name, in order of place."""
    spans = {(node.start_byte, -node.end_byte) for node in captures.get("import", ())}
    parts = sorted((node.start_byte, node.end_byte, role) for role in _ROLES for node in captures.get(role, ()))
    rows: list[Import] = []
    covered = -1
    for start, minus_end in sorted(spans):
        end = -minus_end
        if end <= covered:
            continue  # an import within an import statement: `local x = require(y)`
        covered = end
        mine = [
            (role, content[a:b].decode("utf-8", "replace").strip("\"'`<>:; \n"), a)
            for a, b, role in _joined(content, parts[_first(parts, start) : _first(parts, end)])
        ]
        tree = next((word for role, word, _ in mine if role == "import.tree"), "")
        if tree:
            rows += split_use(tree, start, bisect_right(starts, start))
            continue
        rows += _rows(mine, _text(content, start, end), start, bisect_right(starts, start))
    return rows


def _first(parts: list[tuple[int, int, str]], position: int) -> int:
    return bisect_right(parts, (position, -1, ""))


def _joined(content: bytes, parts: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Some grammars give `a.b.c` as three modules: they are one."""
    joined: list[tuple[int, int, str]] = []
    for start, end, role in parts:
        if role == "import.module" and joined and joined[-1][2] == role and content[joined[-1][1] : start] == b".":
            joined[-1] = (joined[-1][0], end, role)
        else:
            joined.append((start, end, role))
    return joined


def _text(content: bytes, start: int, end: int) -> str:
    return " ".join(content[start:end].decode("utf-8", "replace").split())[:400]


def _rows(parts: list[tuple[str, str, int]], text: str, start: int, line: int) -> list[Import]:
    modules = [[word, "", place] for role, word, place in parts if role == "import.module"]
    names = [
        ["*" if role == "import.all" else word, "", place]
        for role, word, place in parts
        if role in ("import.name", "import.all")
    ]
    for role, word, place in parts:
        if role == "import.alias":
            _give_alias(names or modules, word, place)
    if not modules:
        return [Import(text, "", "", start, line)]
    # `import d, {a} from 'm'`: d is what m calls its default.
    if text.startswith("require_relative") and not str(modules[0][0]).startswith("."):
        modules[0][0] = f"./{modules[0][0]}"  # Ruby's `require` looks elsewhere
    module = str(modules[0][0])
    default = [word for role, word, _ in parts if role == "import.default"]
    defaults = [Import(module, "default", word, start, line) for word in default]
    if not names:
        if defaults and not modules[0][1]:
            return defaults
        return defaults + [Import(str(word), "", str(alias), start, line) for word, alias, _ in modules]
    return defaults + [Import(module, str(name), str(alias), start, line) for name, alias, _ in names]


def _give_alias(targets: list[list[Any]], alias: str, place: int) -> None:
    """`a as b` names what stands before it; Go and C# put the alias first."""
    before = [target for target in targets if target[2] < place]
    target = before[-1] if before else targets[0] if targets else None
    if target is not None:
        target[1] = alias
