"""What to call next after a search: the call that most often helps, ready to be made. Main call: `with_next`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from clew.answers import Found, Hit
from clew.search import operators
from clew.serve.gates import Envelope

BEFORE_LINES, AFTER_LINES = 20, 40  # of what stands around lines that belong to no definition
_MAX_QUERY_CHARS = 200  # one that is longer is worth no second try as it is


def with_next(envelope: Envelope, found: Found, query: str = "", places: Sequence[str] = ()) -> Envelope:
    """The answer of a search with its `recommended_next_action`: a call, or null."""
    action = _after(found.hits[0]) if found.hits else _instead(query, envelope["scope"], places)
    return {**envelope, "recommended_next_action": action}


def _after(best: Hit) -> Envelope:
    """What of the best hit was not shown; where all of it was, what is beside it."""
    if best.is_whole:
        return _call("file_outline", file=best.path, path=best.codebase)
    file = os.path.join(best.codebase, best.path)
    if best.symbol:  # the lines tell which one, where a file has several of that name
        return _call("read_file", path=file, symbol=best.symbol, start_line=best.start_line, end_line=best.end_line)
    first = max(1, best.start_line - BEFORE_LINES)
    return _call("read_file", path=file, start_line=first, end_line=best.end_line + AFTER_LINES)


def _instead(query: str, scope: Envelope, places: Sequence[str]) -> Envelope | None:
    """Nothing was found: the same without the limits that were set, else as exact text."""
    if not query or len(query) > _MAX_QUERY_CHARS:
        return None
    told = operators.split(query)
    asked: dict[str, Any] = {"query": told.text, **({"path": places[0]} if len(places) == 1 else {})}
    limits: dict[str, Any] = {key: [] for key in ("include_globs", "exclude_globs", "languages")}
    if any(scope[key] for key in limits):
        return _call("search_codebase", **asked, **limits)
    if told._replace(text="", quoted=()) != operators.NOTHING_ASKED:
        return _call("search_codebase", **asked)
    return _call("search_text", **asked)


def _call(tool: str, **args: Any) -> Envelope:
    return {"tool": tool, "args": args}
