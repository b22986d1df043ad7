"""The commands that ask the graph: `clew refs`, `calls`, `map`, `imports`."""

from __future__ import annotations

import re
from typing import Any

import click

from clew.errors import BadInput
from clew.serve import asking
from clew.serve.flags import question_flags

_PLACE = re.compile(r"(.+?):(\d+)(?::(\d+))?\Z")


@click.command()
@click.argument("name")
@click.argument("path", required=False)
@click.option("--file", metavar="FILE", help="The definition in this file, given from the root.")
@click.option("--role", type=click.Choice(["call", "type", "ref", "import"]), help="Only uses of this kind.")
@click.option("--limit", type=int, default=100, show_default=True, metavar="N", help="How many uses.")
@question_flags
def refs(name: str, path: str | None, file: str | None, role: str | None, limit: int, **flags: Any) -> int:
    """Show who uses NAME: a name, Class.method, or FILE:LINE:COLUMN."""
    from clew.serve.graphs import terminal

    arguments = {**_wanted(name, file), "path": asking.place(path), "role": role, "limit": limit}
    return asking.question("get_references", path, arguments, terminal.references, **flags)


@click.command()
@click.argument("name")
@click.argument("path", required=False)
@click.option("--file", metavar="FILE", help="The definition in this file, given from the root.")
@click.option("--direction", type=click.Choice(["callers", "callees", "both"]), default="both", show_default=True)
@click.option("--depth", type=click.IntRange(1, 3), default=1, show_default=True, help="How many steps far.")
@click.option(
    "--limit", type=int, default=20, show_default=True, metavar="N", help="How many callers or callees of each."
)
@click.option("--output", type=click.Choice(["tree", "dot", "mermaid"]), default="tree", show_default=True)
@question_flags
def calls(name: str, path: str | None, file: str | None, output: str, **flags: Any) -> int:
    """Show who calls NAME and whom it calls: a name, Class.method, or FILE:LINE."""
    from clew.serve.graphs import terminal

    own = {key: flags.pop(key) for key in ("direction", "depth", "limit")}
    arguments = {**_wanted(name, file), "path": asking.place(path), **own}
    arguments.pop("column", None)
    return asking.question("call_graph", path, arguments, terminal.calls(output), is_scoped=False, **flags)


@click.command("map")
@click.argument("path", required=False)
@click.option("--focus", multiple=True, metavar="TEXT", help="A file, or a question (repeatable).")
@click.option("--diff", is_flag=True, help="Focus on what git says has changed.")
@click.option("--max-tokens", type=int, default=2_000, show_default=True, metavar="N", help="How long it may be.")
@question_flags
def map_(path: str | None, focus: tuple[str, ...], diff: bool, max_tokens: int, **flags: Any) -> int:
    """Show the definitions that matter most, for the whole codebase or for a focus."""
    from clew.serve.graphs import terminal

    changed = _changed(path) if diff else ()
    arguments = {"path": asking.place(path), "focus": [*focus, *changed], "max_tokens": max_tokens}
    return asking.question(
        "repo_map", path, arguments, terminal.repo_map, is_scoped=False, nothing="nothing is defined here", **flags
    )


@click.command("imports")
@click.argument("path", required=False)
@click.option("--file", metavar="FILE", help="Only around this file, given from the root.")
@question_flags
def imports_(path: str | None, file: str | None, **flags: Any) -> int:
    """Show which files import which, and the circles among them."""
    from clew.serve.graphs import terminal

    arguments = {"path": asking.place(path), "file": file}
    nothing = "no file imports another"
    return asking.question("import_graph", path, arguments, terminal.imports, is_scoped=False, nothing=nothing, **flags)


@click.command("slice")
@click.argument("place", metavar="FILE:LINE")
@click.argument("variable")
@question_flags
def slice_(place: str, variable: str, **flags: Any) -> int:
    """Show what VARIABLE depends on and reaches, within the function at FILE:LINE."""
    from clew.serve.graphs import terminal

    match = _PLACE.match(place)
    if match is None:
        return asking.refuse(place, flags["as_json"], BadInput(f"{place!r} is no FILE:LINE"), "def_use")
    arguments = {"file": asking.asked(match[1]), "line": int(match[2]), "variable": variable}
    return asking.question("def_use", match[1], arguments, terminal.variable_slice, is_file=True, **flags)


COMMANDS = (refs, calls, map_, imports_, slice_)


def _wanted(name: str, file: str | None) -> dict[str, Any]:
    """A definition as it was named: `FILE:LINE:COLUMN` is a place."""
    match = _PLACE.match(name)
    if match and file is None and "::" not in name:
        column = {"column": int(match[3])} if match[3] else {}
        return {"file": match[1], "line": int(match[2]), **column}
    return {"name": name, "file": file}


def _changed(path: str | None) -> list[str]:
    from clew.source import git, roots

    return git.changed_files(roots.default_root(asking.asked(path)))
