"""Where a question is asked: one place or several, as its arguments and the session's scope say.

Answers of several codebases become one; those that cannot answer now are named in warnings, unless none can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from clew.errors import Ambiguous, BadInput, BadPath, Gated, NotFound, NotIndexed
from clew.search.filters import Scope
from clew.serve import caller, envelopes
from clew.serve.gates import Envelope
from clew.serve.sessions import scope_now
from clew.source import git, roots
from clew.types import PROJECT

if TYPE_CHECKING:
    from clew.engine import Engine

Globs = Sequence[str] | None


def place_of(path: str | None) -> str:
    """The one place that a question is about: as given, else what the session's scope names, else where we are."""
    if path is None:
        repos = scope_now().repos
        if len(repos) > 1:
            raise BadInput(f"the scope names {len(repos)} codebases; give the path of the one that is meant")
        return repos[0] if repos else caller.cwd()
    if not path.startswith(PROJECT) and not os.path.isabs(path):
        raise BadPath(f"{path!r} is relative; give an absolute path")
    return path


def places_of(engine: Engine, path: str | None) -> list[str]:
    """The same for questions that may be about several codebases; each must be at the ref that the scope names."""
    repos = scope_now().repos if path is None else ()
    places = list(repos) if repos else [place_of(path)]
    if scope_now().branches or scope_now().commit:
        for place in places:
            _require_ref(engine.resolve(place).root)
    return places


def effective_scope(include: Globs, exclude: Globs, languages: Globs) -> Scope:
    """What is given counts, field by field; what is not comes from the session's scope."""
    now = scope_now()
    return Scope(
        tuple(now.include_globs if include is None else include),
        tuple(now.exclude_globs if exclude is None else exclude),
        tuple(now.languages if languages is None else languages),
    )


def of_file(engine: Engine, file: str, path: str | None, ask: Callable[[str], Envelope]) -> Envelope:
    """An answer about a file, by its absolute path, or relative to the root of the codebase at `path`.

    A relative one that is no file's path, but the end of one file's, is that file."""
    if os.path.isabs(file) or file.startswith(PROJECT):
        return ask(file)
    root, key = engine.resolve(place_of(path)).root, roots.file_key(file)
    try:
        return ask(os.path.join(root, key))
    except NotFound:
        found = tuple(item.path for item in engine.files_ending(root, key).items)
        if not found:
            raise
        if len(found) > 1:
            raise Ambiguous(f"{file} can be {len(found)} files; give the path from the root", found) from None
        return ask(os.path.join(root, found[0]))


def of_those_ready(places: list[str], ask: Callable[[list[str]], Envelope]) -> Envelope:
    """An answer from several codebases; those that cannot answer now are named in warnings, unless none can."""
    warnings: list[Envelope] = []
    while True:
        try:
            envelope = ask(places)
        except Gated as error:
            others = [place for place in places if place != error.root]
            if not others or len(others) == len(places):
                raise
            warnings.append(_left_out(error))
            places = others
        else:
            envelope["warnings"] += warnings
            return envelope


def of_each(places: list[str], ask: Callable[[str], Envelope], key: str, limit: int | None = None) -> Envelope:
    """The answers of several codebases one after the other, as one."""
    if len(places) == 1:
        return ask(places[0])
    merged: Envelope | None = None
    refusals: list[Gated] = []
    for place in places:
        try:
            found = ask(place)
        except Gated as error:
            refusals.append(error)
            continue
        if merged is None:
            merged = found
            continue
        merged[key] += found[key]
        merged["warnings"] += found["warnings"]
        for name in ("verified", "dropped"):
            merged["freshness"][name] += found["freshness"][name]
        if "total" in found:
            merged["total"] += found["total"]
            merged["truncated"] |= found["truncated"]
    if merged is None:
        raise refusals[0]
    if limit is not None and len(merged[key]) > limit:
        merged[key], merged["truncated"] = merged[key][:limit], True
    merged["warnings"] += map(_left_out, refusals)
    return merged


def _require_ref(root: str) -> None:
    """Only the working tree is indexed: another branch or commit is not."""
    scope, branch, head = scope_now(), git.branch(root), git.head(root)
    if scope.branches and branch not in scope.branches:
        wanted = ", ".join(scope.branches)
        raise NotIndexed(f"{root} is on {branch or 'no branch'}, and {wanted} is not indexed; check it out there", root)
    if scope.commit and not head.startswith(scope.commit):
        raise NotIndexed(f"{root} is at {head[:12]}, and {scope.commit} is not indexed; check it out there", root)


def _left_out(error: Gated) -> Envelope:
    return envelopes.warning("CODEBASE_LEFT_OUT", f"{error.root} is not in this answer: {error}")
