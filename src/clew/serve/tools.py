"""The tools: arguments in, one envelope out. Every interface calls these, so that all give the same answers.

`call` never raises for what a user can do: errors become envelopes here. The functions themselves raise, for
interfaces that want to act on an error first.
"""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from clew.errors import BadInput, BadPath, ClewError
from clew.search.filters import Scope
from clew.search.query import MODES, VIEWS, one_of
from clew.serve import advice, caller, envelopes, gates
from clew.serve.budget import CHARS_PER_TOKEN
from clew.serve.gates import Envelope
from clew.serve.graphs.tools import call_graph, def_use, get_references, import_graph, repo_map
from clew.serve.places import Globs, effective_scope, of_each, of_file, of_those_ready, place_of, places_of
from clew.types import PROJECT, TextMode

if TYPE_CHECKING:
    from clew.engine import Engine

ReadMode = Literal["plain", "annotated"]
MAX_HITS = 400  # of a page for a program: an answer has no room for more, and what follows is another page
MAX_MATCHES = 100_000  # of one exact search, whatever is asked
MAX_TEXT_TOKENS = 20_000  # of matches: a search stops there, and the whole answer stays within its budget


def call(engine: Engine, tool: str, arguments: Mapping[str, Any]) -> Envelope:
    """Call a tool by its name, for a program; whatever goes wrong is an envelope too."""
    if isinstance(limit := arguments.get("limit"), int):
        arguments = {**arguments, "limit": min(limit, MAX_HITS)}
    if tool == "search_text":
        asked_tokens = arguments.get("max_tokens")
        most = MAX_TEXT_TOKENS if not isinstance(asked_tokens, int) else min(asked_tokens, MAX_TEXT_TOKENS)
        arguments = {**arguments, "max_tokens": most}
    try:
        return answer(engine, tool, arguments)
    except ClewError as error:
        return gates.failure(asked(arguments), error, tool, debug=bool(engine.config.debug))
    except OSError as error:
        return gates.failure(asked(arguments), explained(error), tool)


def answer(engine: Engine, tool: str, arguments: Mapping[str, Any]) -> Envelope:
    """The same, but errors are raised."""
    envelope = _function(tool, arguments)(engine, **arguments)
    if envelope["status"] == "ok" and tool != "manage_index" and not engine.config.debug:
        envelope.pop("hints", None)  # how the proof was checked is for those who debug
    return envelope


def manage_index(engine: Engine, action: str, path: str | None = None, force: bool = False) -> Envelope:
    """Begin create, reindex, sync or repair in the background; clear; or tell the status."""
    place = place_of(path)
    if action == "status":
        return envelopes.state(place, engine.status(place), debug=bool(engine.config.debug))
    return envelopes.managed(place, engine.manage(action, place, force=force))


def list_codebases(engine: Engine) -> Envelope:
    """Every codebase, in a stable order, without anything that changes by itself."""
    return envelopes.codebases(engine.list())


def search_codebase(
    engine: Engine,
    query: str,
    path: str | None = None,
    limit: int | None = None,
    view: str = "files",
    mode: str = "hybrid",
    explain: bool = False,
    continuation: str | None = None,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """Ranked hits for a question; with the `continuation` of an answer, the next ones of its order."""
    scope = effective_scope(include_globs, exclude_globs, languages)
    if continuation is not None:
        found, scope = engine.search_on(continuation, limit=limit), engine.scope_of(continuation)
        return advice.with_next(envelopes.search(path or found.root, found, scope), found)

    def ask(places: list[str]) -> Envelope:
        found = engine.search(
            query,
            places,
            limit=limit,
            scope=scope,
            view=one_of("view", view, VIEWS),
            mode=one_of("mode", mode, MODES),
            explain=explain,
        )
        return advice.with_next(envelopes.search(places[0], found, scope), found, query, places)

    return of_those_ready(places_of(engine, path), ask)


def semantic_search(
    engine: Engine,
    query: str,
    path: str | None = None,
    limit: int | None = None,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """Ranked hits by meaning alone."""
    filters = (include_globs, exclude_globs, languages)
    return search_codebase(engine, query, path, limit, "files", "semantic", False, None, *filters)


def find_similar(
    engine: Engine, file: str, start_line: int, end_line: int, path: str | None = None, limit: int | None = None
) -> Envelope:
    """Code like these lines of a file; `file` is relative to the codebase's root."""

    def ask(absolute: str) -> Envelope:
        found = engine.similar(absolute, (start_line, end_line), limit=limit)
        return advice.with_next(envelopes.search(absolute, found, Scope()), found)

    return of_file(engine, file, path, ask)


def search_text(
    engine: Engine,
    query: str,
    path: str | None = None,
    regex: bool = False,
    case_sensitive: bool = False,
    whole_word: bool = False,
    multiline: bool = False,
    paths: Globs = None,
    context_lines: int = 0,
    max_results: int | None = 50,
    max_tokens: int | None = None,
    output: TextMode = "matches",
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """Lines that have a text or match an expression; `paths` are globs that take the place of `include_globs`.

    Without `max_tokens` or `max_results` there is no bound but `MAX_MATCHES`; `call` sets the first."""
    from clew.search.exact import Page
    from clew.search.pattern import TextQuery

    scope = effective_scope(paths if paths is not None else include_globs, exclude_globs, languages)
    page = Page(
        MAX_MATCHES if max_results is None else min(max_results, MAX_MATCHES),
        one_of("output", output, get_args(TextMode)),
        context_lines,
        None if max_tokens is None else max_tokens * CHARS_PER_TOKEN,
    )
    asked = TextQuery(query, regex, case_sensitive, whole_word, multiline)

    def ask(place: str) -> Envelope:
        return envelopes.text(place, engine.grep(asked, place, page=page, scope=scope), scope, output)

    return of_each(places_of(engine, path), ask, "matches", page.limit)


def get_symbol(
    engine: Engine,
    name: str,
    path: str | None = None,
    kind: str | None = None,
    file: str | None = None,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """Where a name is defined; `file`, relative to the codebase's root, is the only one that counts."""
    scope = effective_scope(include_globs, exclude_globs, languages)

    def ask(place: str) -> Envelope:
        return envelopes.symbols(place, engine.symbol(name, place, kind=kind, file=file, scope=scope), scope)

    return of_each(places_of(engine, path), ask, "symbols")


def list_paths(
    engine: Engine,
    path: str | None = None,
    max_results: int = 1_000,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """The files of a codebase."""
    scope = effective_scope(include_globs, exclude_globs, languages)

    def ask(place: str) -> Envelope:
        return envelopes.paths(place, engine.paths(place, limit=max_results, scope=scope), scope)

    return of_each(places_of(engine, path), ask, "items", max_results)


def file_outline(
    engine: Engine,
    file: str,
    path: str | None = None,
    start_line: int | None = None,
    end_line: int | None = None,
    name: str | None = None,
) -> Envelope:
    """What a file defines, or what of it some lines touch, or the one definition of a name."""
    lines = _lines(start_line, end_line)

    def ask(absolute: str) -> Envelope:
        return envelopes.outline(absolute, engine.outline(absolute, lines=lines, name=name), Scope())

    return of_file(engine, file, path, ask)


def read_file(
    engine: Engine,
    path: str,
    start_line: int | None = None,
    end_line: int | None = None,
    symbol: str | None = None,
    mode: ReadMode = "plain",
) -> Envelope:
    """A file's text, or the part of it that lines or a symbol name; annotated, with what is defined there."""
    place, lines, annotated = place_of(path), _lines(start_line, end_line), mode == "annotated"
    return envelopes.content(place, engine.read(place, lines=lines, symbol=symbol, annotated=annotated), Scope())


TOOLS: dict[str, Callable[..., Envelope]] = {
    function.__name__: function
    for function in (
        manage_index, list_codebases, search_codebase, semantic_search, search_text, find_similar, get_symbol,
        get_references, call_graph, repo_map, import_graph, def_use, list_paths, file_outline, read_file,
    )
}  # fmt: skip


def parameters(tool: str) -> dict[str, Any]:
    """The types of what a tool takes."""
    hints = get_type_hints(TOOLS[tool], localns={"Engine": object})
    return {name: hint for name, hint in hints.items() if name not in ("engine", "return")}


def explained(error: OSError) -> ClewError:
    """What the file system refused; only the current directory's own failure has no name."""
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return BadPath("the current directory is gone; change to another one, or give a path")
    if error.errno == errno.EADDRINUSE:
        return ClewError(
            "another program listens there already; choose another place with --port, 0 for any that is free"
        )
    place = f" ({error.filename})" if error.filename else ""
    return ClewError(f"the system refused: {error.strerror or error}{place}; check rights and space there")


def _function(tool: str, arguments: Mapping[str, Any]) -> Callable[..., Envelope]:
    """The tool's function, if the arguments fit it."""
    function = TOOLS.get(tool)
    if function is None:
        raise BadInput(f"unknown tool {tool!r}; known: {', '.join(TOOLS)}")
    try:
        inspect.signature(function).bind(None, **arguments)
    except TypeError as error:
        known = ", ".join([*inspect.signature(function).parameters][1:])
        raise BadInput(f"{tool}: {error}; it takes {known}") from error
    hints = parameters(tool)
    for name, value in arguments.items():
        if not _fits(value, hints[name]):
            raise BadInput(f"{tool}: {name} cannot be {value!r}; it is {_spelled(hints[name])}")
    return function


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value that came from outside is what a tool takes; nothing is converted."""
    if get_origin(hint) in (UnionType, Union):
        return any(_fits(value, choice) for choice in get_args(hint))
    if get_origin(hint) is Sequence:
        return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _spelled(hint: Any) -> str:
    """A type for those who do not write Python."""
    if get_origin(hint) in (UnionType, Union):
        return " or ".join(_spelled(choice) for choice in get_args(hint))
    if get_origin(hint) is Sequence:
        return "a list of strings"
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    return {str: "a string", int: "a whole number", bool: "true or false", type(None): "null"}.get(hint, str(hint))


def _lines(start: int | None, end: int | None) -> tuple[int, int] | None:
    """A range that may be open at either end."""
    if start is None and end is None:
        return None
    first = start if start is not None else 1
    return first, end if end is not None else max(first, 1_000_000_000)


def asked(arguments: Mapping[str, Any]) -> str:
    """The path as it was asked for, or where we are, if that still exists."""
    path, file = arguments.get("path"), arguments.get("file")
    if path is None and isinstance(file, str) and (os.path.isabs(file) or file.startswith(PROJECT)):
        path = file
    try:
        return path if isinstance(path, str) else caller.cwd()
    except FileNotFoundError:
        return "."
