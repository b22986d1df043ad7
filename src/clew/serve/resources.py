"""What the MCP server has beside tools: codebases, files and maps as resources, and prompts to begin with.

A file is read by the tool `read_file`, so what that does not give, this does not either.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

CODEBASES = "clew://codebases"
FILE = "clew://file/"
FILE_TEMPLATE = "clew://file/{root}/{+path}"
MAP = "clew://map/"
MAP_TEMPLATE = "clew://map/{root}"


class Prompt(NamedTuple):
    """A way to begin; `text` has a place for each argument."""

    description: str
    arguments: Mapping[str, str]
    text: str


PROMPTS = {
    "explore": Prompt(
        "Get to know a codebase: what it is for, its parts, where to begin reading.",
        {"path": "Absolute path of the codebase"},
        "Get to know the codebase at {path} with Clew's tools. If an answer says not_indexed, call manage_index with "
        "the arguments in its hints and wait until its status is done. Then look at its repo_map, and "
        "search_codebase for the entry points, the central data types and the main flow; use file_outline before "
        "read_file. Tell in one page what the codebase is for, its parts and how they depend on each other, and the "
        "five files to read first, each with its reason.",
    ),
    "find-where": Prompt(
        "Find where something is done, with proof.",
        {"what": "What to look for, in your own words"},
        "Find where this is done in the code: {what}\n\nAsk search_codebase in these words; if names come up, check "
        "them with get_symbol and search_text. Read the places that matter with read_file. Answer with path:line for "
        "each place and the lines that prove it, and say what you looked for and did not find.",
    ),
}


def file_of(uri: str) -> str | None:
    """The absolute path that a resource's name means, or None if it means no file."""
    root, slash, path = uri.removeprefix(FILE).partition("/")
    root, path = unquote(root), unquote(path)
    if not uri.startswith(FILE) or not slash or not path or not os.path.isabs(root):
        return None
    return os.path.join(root, *path.split("/")) if not path.startswith("/") else None


def map_of(uri: str) -> str | None:
    """The root of the codebase whose map a resource's name means, or None."""
    root = unquote(uri.removeprefix(MAP))
    return root if uri.startswith(MAP) and os.path.isabs(root) else None


def filled(prompt: Prompt, given: Mapping[str, Any]) -> str:
    """A prompt's text with its arguments; a `ValueError` names what is missing."""
    missing = [name for name in prompt.arguments if not given.get(name)]
    if missing:
        raise ValueError(f"missing: {', '.join(missing)}")
    return prompt.text.format(**{name: given[name] for name in prompt.arguments})
