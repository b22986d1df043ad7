"""Call edges: who calls whom, each pair once, however many calls there are."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.graph.facts import Definition

Symbol = tuple[str, str]  # path and qualified name; no name is the module

_CALLERS = frozenset({"class", "function", "method"})


class Callers:
    """The function, method or class around a line; both sides ask here, so that callers are named alike."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._spans: dict[str, list[Definition]] = defaultdict(list)
        for definition in definitions:
            if definition.kind in _CALLERS:
                self._spans[definition.path].append(definition)
        for spans in self._spans.values():
            spans.sort(key=lambda found: (found.line, -found.end_line))
        self._lines = {path: [found.line for found in spans] for path, spans in self._spans.items()}

    def of(self, path: str, line: int) -> Symbol:
        """The innermost one that the line is in, or the module."""
        spans = self._spans.get(path, [])
        for index in range(bisect_right(self._lines.get(path, []), line) - 1, -1, -1):
            if spans[index].end_line >= line:
                return path, spans[index].name
        return path, ""


@dataclass(slots=True)
class CallCounts:
    """Pairs that Clew has, each with whether one of its calls was right; and pairs that it should have."""

    seen: dict[tuple[Symbol, Symbol], bool] = field(default_factory=dict)
    wanted: set[tuple[Symbol, Symbol]] = field(default_factory=set)

    def saw(self, caller: Symbol, callee: Symbol, is_right: bool) -> None:
        self.seen[caller, callee] = is_right or self.seen.get((caller, callee), False)

    def want(self, caller: Symbol, callee: Symbol) -> None:
        self.wanted.add((caller, callee))

    def as_json(self) -> dict[str, Any]:
        right = sum(self.seen.values())
        found = sum(self.seen.get(pair, False) for pair in self.wanted)
        return {
            "precision": round(right / len(self.seen), 4) if self.seen else None,
            "recall": round(found / len(self.wanted), 4) if self.wanted else None,
            "edges": len(self.seen),
            "wanted": len(self.wanted),
        }
