"""The tools that ask the graph: arguments in, one envelope out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from clew.errors import BadInput
from clew.serve.gates import Envelope
from clew.serve.places import Globs, effective_scope, of_file, place_of
from clew.source import roots

if TYPE_CHECKING:
    from clew.engine import Engine
    from clew.relations import Wanted

CallDirection = Literal["callers", "callees", "both"]
UseRole = Literal["call", "type", "ref", "import"]
MAP_TOKENS = 2_000
ENVELOPE_TOKENS = 300  # for what an answer has beside the map


def get_references(
    engine: Engine,
    name: str | None = None,
    path: str | None = None,
    file: str | None = None,
    line: int | None = None,
    column: int | None = None,
    role: UseRole | None = None,
    limit: int = 100,
    continuation: str | None = None,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """Who uses a definition, named or pointed at."""
    from clew.serve.graphs import envelopes

    scope = effective_scope(include_globs, exclude_globs, languages)
    place = place_of(path)
    found = engine.references(
        _wanted(engine, place, name, file, line, column), place, role=role, limit=limit, scope=scope, after=continuation
    )
    return envelopes.references(place, found, scope)


def call_graph(
    engine: Engine,
    name: str | None = None,
    path: str | None = None,
    file: str | None = None,
    line: int | None = None,
    direction: CallDirection = "both",
    depth: int = 1,
    limit: int = 20,
    note_limit: int = 200,
) -> Envelope:
    """Who calls a definition and whom it calls."""
    from clew.serve.graphs import envelopes

    place = place_of(path)
    wanted = _wanted(engine, place, name, file, line, None)
    found = engine.calls(wanted, place, direction=direction, depth=depth, limit=limit, note_limit=note_limit)
    return envelopes.calls(place, found)


def repo_map(engine: Engine, path: str | None = None, focus: Globs = None, max_tokens: int | None = None) -> Envelope:
    """The definitions that matter most, for files or questions in `focus`."""
    from clew.serve.graphs import envelopes

    place = place_of(path)
    root = engine.resolve(place).root
    wanted = [os.path.relpath(item, root) if os.path.isabs(item) else item for item in focus or ()]
    tokens = MAP_TOKENS if max_tokens is None else max_tokens
    room = max(tokens - ENVELOPE_TOKENS, tokens // 2)
    return envelopes.repo_map(place, engine.map(place, focus=wanted, max_tokens=room))


def import_graph(engine: Engine, path: str | None = None, file: str | None = None) -> Envelope:
    """Which files import which, and the circles among them."""
    from clew.serve.graphs import envelopes

    place = place_of(path)
    return envelopes.imports(place, engine.imports(place, file=_key(engine, place, file) if file else None))


def def_use(engine: Engine, file: str, line: int, variable: str, path: str | None = None) -> Envelope:
    """What a variable depends on and reaches, within its function."""
    from clew.serve.graphs import envelopes

    def ask(absolute: str) -> Envelope:
        return envelopes.variable_slice(absolute, engine.slice(absolute, line, variable))

    return of_file(engine, file, path, ask)


def _wanted(
    engine: Engine, place: str, name: str | None, file: str | None, line: int | None, column: int | None
) -> Wanted:
    from clew.relations import Wanted

    if not name and not (file and line is not None):
        raise BadInput("give a name, or a file and a line")
    return Wanted(name, _key(engine, place, file) if file else None, line, column)


def _key(engine: Engine, place: str, file: str) -> str:
    """A file from the root, however it was given."""
    root = engine.resolve(place).root
    return roots.file_key(os.path.relpath(file, root) if os.path.isabs(file) else file)
