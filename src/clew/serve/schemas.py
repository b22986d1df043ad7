"""What each tool takes and gives, as JSON schemas: types from its function, words from one table.

MCP lists these, OpenAPI is made of them; the functions are in `tools`. Loads no engine. Main call: `specs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from clew.search.query import MODES, VIEWS
from clew.serve import tools
from clew.serve.sessions import SessionScope

Schema = dict[str, Any]
Profile = Literal["core", "full"]
STATUSES = (
    "ok", "not_ready", "requires_reindex", "not_indexed", "blocked", "needs_decision", "unsupported", "not_found",
    "ambiguous", "error",
)  # fmt: skip
ACTIONS = ("create", "reindex", "sync", "repair", "clear", "status")


@dataclass(frozen=True, slots=True)
class Spec:
    """A tool as programs see it."""

    name: str
    description: str
    input_schema: Schema
    output_schema: Schema
    profile: Profile
    is_read_only: bool = True
    is_destructive: bool = False


@cache
def specs(profile: Profile = "full") -> tuple[Spec, ...]:
    """The tools of a profile; `core` is what most sessions need, `full` is everything."""
    return tuple(_spec(name) for name in _WORDS if profile == "full" or name in _CORE)


def by_name(name: str) -> Spec | None:
    """A tool of any profile."""
    return next((spec for spec in specs() if spec.name == name), None)


_CORE = frozenset({
    "search_codebase", "search_text", "get_symbol", "get_references", "file_outline", "read_file", "manage_index",
    "set_scope", "get_scope", "clear_scope",
})  # fmt: skip
_WRITERS = frozenset({"manage_index", "set_scope", "clear_scope"})
_UNBOUND = _WRITERS | {"repo_map", "get_scope", "list_codebases"}  # others can be told how long their answer may be
_DESTRUCTIVE = frozenset({"manage_index"})  # `clear` removes an index; no tool here touches the user's files

# Each tool in a paragraph, in the order in which they are listed.
_WORDS = {
    "search_codebase": "Find code by meaning, words or names, when you do not know where it is. Operators: "
    "lang: path: -path: must: exclude:. Gives ranked snippets.",
    "search_text": "Find every line with a text or a regular expression: an indexed grep.",
    "get_symbol": "Find where a name is defined: a function, a class, Class.method.",
    "get_references": "Find every use of a definition, and how sure each is. Name it, or point at it.",
    "call_graph": "Show who calls a function and whom it calls, up to three steps far.",
    "repo_map": "Show the definitions that matter most, as signatures: for the whole codebase, or for files or "
    "questions in focus. A good first look.",
    "def_use": "Show the lines that a variable depends on and those it reaches, within its function.",
    "import_graph": "List which files import which, and import cycles; of one file also what it exports.",
    "file_outline": "List what a file defines, with lines and signatures; cheaper than reading it.",
    "read_file": "Read a file, lines of it or one definition; annotated, with what is defined there.",
    "manage_index": "Index a codebase (create), renew (sync, reindex, repair) or remove (clear) its index, or tell "
    "its status. Begins a job and returns at once. Call it when an answer has the status not_indexed, "
    "requires_reindex or not_ready: hints has the arguments.",
    "set_scope": "Limit this session's later questions; {} lifts every limit. A question's own arguments win.",
    "get_scope": "Tell this session's scope.",
    "clear_scope": "Lift this session's limits.",
    "list_paths": "List the files of a codebase with sizes and times.",
    "semantic_search": "Find code by meaning alone, for descriptions that share no word with the code.",
    "find_similar": "Find code like some lines of a file: copies, variants, other ways to do the same.",
    "list_codebases": "List the codebases that are indexed, each with its state.",
}
# Each parameter in a few words; `tool.name` where it means something else in one tool.
_PARAMETERS = {
    "query": "Words, a question or a name",
    "search_text.query": "Text, or an expression with regex",
    "path": "Absolute path of the codebase or in it",
    "read_file.path": "The file's absolute path",
    "file": "Relative to the codebase's root",
    "file_outline.name": "Only this definition and what it holds",
    "view": "Hits by file or by function",
    "focus": "Files, or questions",
    "explain": "Say what placed each hit",
    "paths": "In place of include_globs",
    "symbol": "Only this definition",
    "kind": "class, function, method, …",
    "output": "Lines, files, or counts",
    "force": "Make it anew although it is sound",
    "continuation": "Of the last page",
    "scope": "Left out: everything",
    "repos": "Roots or names of codebases",
}
_CHOICES: dict[str, Sequence[str]] = {"view": VIEWS, "mode": MODES, "action": ACTIONS}
# What an answer has beside the envelope's own fields.
_SHAPES = {
    "search_codebase": "results total truncated continuation recommended_next_action",
    "semantic_search": "results total truncated continuation recommended_next_action",
    "find_similar": "results total truncated continuation recommended_next_action",
    "search_text": "matches total truncated",
    "list_paths": "items total truncated",
    "get_symbol": "symbols",
    "get_references": "definitions references total truncated continuation",
    "call_graph": "nodes edges notes truncated",
    "repo_map": "text symbols",
    "import_graph": "files imports cycles exports",
    "def_use": "depends_on reaches",
    "file_outline": "symbols",
    "read_file": "content start_line end_line total_lines truncated",
    "list_codebases": "codebases",
    "manage_index": "operation",
    "set_scope": "effective_scope",
    "get_scope": "effective_scope",
    "clear_scope": "effective_scope",
}
_LISTS = (
    "results matches items symbols codebases definitions references nodes edges notes files imports cycles"
    " depends_on reaches exports"
).split()
_TYPES = {
    "content": "string",
    "text": "string",
    "operation": "string",
    "truncated": "boolean",
    "effective_scope": "object",
    **dict.fromkeys(("total", "start_line", "end_line", "total_lines"), "integer"),
    **dict.fromkeys(_LISTS, "array"),
}


def _spec(name: str) -> Spec:
    return Spec(
        name,
        _WORDS[name],
        _input(name),
        _output(name),
        "core" if name in _CORE else "full",
        name not in _WRITERS,
        name in _DESTRUCTIVE,
    )


def _input(tool: str) -> Schema:
    properties: dict[str, Schema] = {}
    required: list[str] = []
    if tool == "set_scope":
        properties["scope"], required = _described("scope", tool, _scope_schema()), ["scope"]
    elif tool in tools.TOOLS:
        defaults = inspect.signature(tools.TOOLS[tool]).parameters
        for name, hint in tools.parameters(tool).items():
            schema = _described(name, tool, _type(name, hint))
            default = defaults[name].default
            if default is inspect.Parameter.empty:
                required.append(name)
            elif default not in (None, False):
                schema["default"] = default
            properties[name] = schema
    if tool not in _UNBOUND:
        properties["max_tokens"] = {"type": "integer"}
    properties["session_id"] = {"type": "string"}
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **needed}


def _output(tool: str) -> Schema:
    """Permissive: a gate or an error has a status and a message, and little else of the answer's shape."""
    shape = {key: {"type": _TYPES[key]} if key in _TYPES else {} for key in _SHAPES.get(tool, "").split()}
    fixed = {"status": {"enum": list(STATUSES)}, "message": {"type": "string"}}
    return {"type": "object", "properties": {**fixed, **shape}, "required": ["status"]}


def _described(name: str, tool: str, schema: Schema) -> Schema:
    words = _PARAMETERS.get(f"{tool}.{name}", _PARAMETERS.get(name))
    return {**schema, "description": words} if words else schema


def _type(name: str, hint: Any) -> Schema:
    """A type as JSON schema has it; that null is taken too goes without saying."""
    if get_origin(hint) in (UnionType, Union):
        return _type(name, next(choice for choice in get_args(hint) if choice is not NoneType))
    if name in _CHOICES:
        return {"enum": list(_CHOICES[name])}
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if get_origin(hint) is Sequence:
        return {"type": "array", "items": {"type": "string"}}
    return {"type": {str: "string", int: "integer", bool: "boolean"}[hint]}


def _scope_schema() -> Schema:
    lists = {"type": "array", "items": {"type": "string"}}
    properties: dict[str, Schema] = {}
    for item in fields(SessionScope):
        properties[item.name] = _described(item.name, "", {"type": "string"} if item.name == "commit" else lists)
    return {"type": "object", "properties": properties}
