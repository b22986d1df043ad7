"""The tools: arguments in, one envelope out. Every interface calls these, so that all give the same answers.

`call` never raises for what a user can do: errors become envelopes here. The functions themselves raise, for
interfaces that want to act on an error first.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from clew.errors import BadInput, BadPath, ClewError, Gated, NotIndexed
from clew.search.filters import Scope
from clew.search.query import MODES, VIEWS, one_of
from clew.serve import caller, envelopes, gates
from clew.serve.budget import CHARS_PER_TOKEN
from clew.serve.gates import Envelope
from clew.serve.sessions import scope_now
from clew.source import git, roots
from clew.types import PROJECT, TextMode

if TYPE_CHECKING:
    from clew.engine import Engine

Globs = Sequence[str] | None
MAX_MATCHES = 100_000  # of one exact search, whatever is asked
MAX_TEXT_TOKENS = 20_000  # of matches: a search stops there, and the whole answer stays within its budget


def call(engine: Engine, tool: str, arguments: Mapping[str, Any]) -> Envelope:
    """Call a tool by its name, for a program; whatever goes wrong is an envelope too."""
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
    place = _place(path)
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
    scope = _scope(include_globs, exclude_globs, languages)
    if continuation is not None:
        found = engine.search_on(continuation, limit=limit)
        return envelopes.search(path or found.root, found, scope)

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
        return envelopes.search(places[0], found, scope)

    return _of_those_ready(_places(engine, path), ask)


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
    absolute = _file(engine, file, path)
    return envelopes.search(absolute, engine.similar(absolute, (start_line, end_line), limit=limit), Scope())


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

    scope = _scope(paths if paths is not None else include_globs, exclude_globs, languages)
    page = Page(
        MAX_MATCHES if max_results is None else min(max_results, MAX_MATCHES),
        one_of("output", output, get_args(TextMode)),
        context_lines,
        None if max_tokens is None else max_tokens * CHARS_PER_TOKEN,
    )
    asked = TextQuery(query, regex, case_sensitive, whole_word, multiline)

    def ask(place: str) -> Envelope:
        return envelopes.text(place, engine.grep(asked, place, page=page, scope=scope), scope, output)

    return _of_each(_places(engine, path), ask, "matches", page.limit)


def get_symbol(
    engine: Engine,
    name: str,
    path: str | None = None,
    kind: str | None = None,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """Where a name is defined."""
    scope = _scope(include_globs, exclude_globs, languages)

    def ask(place: str) -> Envelope:
        return envelopes.symbols(place, engine.symbol(name, place, kind=kind, scope=scope), scope)

    return _of_each(_places(engine, path), ask, "symbols")


def list_paths(
    engine: Engine,
    path: str | None = None,
    max_results: int = 1_000,
    include_globs: Globs = None,
    exclude_globs: Globs = None,
    languages: Globs = None,
) -> Envelope:
    """The files of a codebase."""
    scope = _scope(include_globs, exclude_globs, languages)

    def ask(place: str) -> Envelope:
        return envelopes.paths(place, engine.paths(place, limit=max_results, scope=scope), scope)

    return _of_each(_places(engine, path), ask, "items", max_results)


def file_outline(engine: Engine, file: str, path: str | None = None) -> Envelope:
    """What a file defines; `file` is relative to the codebase's root."""
    absolute = _file(engine, file, path)
    return envelopes.outline(absolute, engine.outline(absolute), Scope())


def read_file(
    engine: Engine, path: str, start_line: int | None = None, end_line: int | None = None, symbol: str | None = None
) -> Envelope:
    """A file's text, or the part of it that lines or a symbol name."""
    place = _place(path)
    lines = None
    if start_line is not None or end_line is not None:
        first = start_line if start_line is not None else 1
        lines = (first, end_line if end_line is not None else max(first, 1_000_000_000))
    return envelopes.content(place, engine.read(place, lines=lines, symbol=symbol), Scope())


TOOLS: dict[str, Callable[..., Envelope]] = {
    function.__name__: function
    for function in (
        manage_index, list_codebases, search_codebase, semantic_search, search_text, find_similar, get_symbol,
        list_paths, file_outline, read_file,
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
        raise BadInput(f"{tool}: {error}") from error
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


def _file(engine: Engine, file: str, path: str | None) -> str:
    return file if os.path.isabs(file) else os.path.join(engine.resolve(_place(path)).root, roots.file_key(file))


def asked(arguments: Mapping[str, Any]) -> str:
    """The path as it was asked for, or where we are, if that still exists."""
    path = arguments.get("path")
    try:
        return path if isinstance(path, str) else caller.cwd()
    except FileNotFoundError:
        return "."


def _place(path: str | None) -> str:
    """The one place that a question is about: as given, else what the session's scope names, else where we are."""
    if path is None:
        repos = scope_now().repos
        if len(repos) > 1:
            raise BadInput(f"the scope names {len(repos)} codebases; give the path of the one that is meant")
        return repos[0] if repos else caller.cwd()
    if not path.startswith(PROJECT) and not os.path.isabs(path):
        raise BadPath(f"{path!r} is relative; give an absolute path")
    return path


def _places(engine: Engine, path: str | None) -> list[str]:
    """The same for questions that may be about several codebases; each must be at the ref that the scope names."""
    repos = scope_now().repos if path is None else ()
    places = list(repos) if repos else [_place(path)]
    if scope_now().branches or scope_now().commit:
        for place in places:
            _require_ref(engine.resolve(place).root)
    return places


def _require_ref(root: str) -> None:
    """Only the working tree is indexed: another branch or commit is not."""
    scope, branch, head = scope_now(), git.branch(root), git.head(root)
    if scope.branches and branch not in scope.branches:
        wanted = ", ".join(scope.branches)
        raise NotIndexed(f"{root} is on {branch or 'no branch'}, and {wanted} is not indexed; check it out there", root)
    if scope.commit and not head.startswith(scope.commit):
        raise NotIndexed(f"{root} is at {head[:12]}, and {scope.commit} is not indexed; check it out there", root)


def _scope(include: Globs, exclude: Globs, languages: Globs) -> Scope:
    """What is given counts, field by field; what is not comes from the session's scope."""
    now = scope_now()
    return Scope(
        tuple(now.include_globs if include is None else include),
        tuple(now.exclude_globs if exclude is None else exclude),
        tuple(now.languages if languages is None else languages),
    )


def _of_those_ready(places: list[str], ask: Callable[[list[str]], Envelope]) -> Envelope:
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


def _of_each(places: list[str], ask: Callable[[str], Envelope], key: str, limit: int | None = None) -> Envelope:
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


def _left_out(error: Gated) -> Envelope:
    return envelopes.warning("CODEBASE_LEFT_OUT", f"{error.root} is not in this answer: {error}")
