"""The command line: flags in, one engine call, an envelope or text out, an exit code.

Loads nothing heavy until a command runs, so that `clew --help` starts at once.
"""

from __future__ import annotations

import gc
import io
import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.errors import BadInput, ClewError
from clew.serve import asking, caller
from clew.serve.entry import INTERRUPTED
from clew.serve.flags import CommandWithQuery, json_flag, question_flags
from clew.serve.graphs.commands import COMMANDS

if TYPE_CHECKING:
    from clew.config import Config
    from clew.engine import Engine
    from clew.serve.asking import Text
    from clew.serve.gates import Envelope

READ_HELP = "Annotated: what is defined there comes first."
PROFILE_HELP = "Which tools MCP lists: those that most need, or all."


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="clew", prog_name="clew")
def app() -> None:
    """Clew indexes a codebase in seconds and answers questions about it; its answers never lie.

    \b
    clew index                     index the repository around you
    clew search "how are X done"   ask; `clew symbol NAME` finds definitions
    clew outline FILE              what a file defines
    """


def main() -> None:
    """The entry point: Ctrl-C exits 130."""
    for stream in (sys.stdout, sys.stderr):  # what the stream's encoding lacks is written as an escape
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app.main(standalone_mode=False)
    except click.exceptions.Abort:
        print(INTERRUPTED, file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(asking.told(BadInput(error.format_message())))
    except OSError as error:
        from clew.serve.tools import explained

        failure = explained(error)
        print(f"clew: {failure}", file=sys.stderr)
        sys.exit(asking.told(failure))
    except Exception as error:  # noqa: BLE001 - a defect: whoever branches on the exit code must not take it for "nothing"
        traceback.print_exc()
        print("clew: this is a defect of Clew; nothing was answered", file=sys.stderr)
        sys.exit(asking.told(ClewError(f"a defect of Clew: {type(error).__name__}: {error}")))
    gc.freeze()  # all of it ends now: a last look for circles in what a large run has left takes 0.1 s
    sys.exit(code if isinstance(code, int) else 0)


@app.command()
@click.argument("path", required=False)
@click.option("--force", is_flag=True, help="Rebuild from nothing; also index a home directory or a file-system root.")
@json_flag
def index(path: str | None, force: bool, as_json: bool) -> int:
    """Create the index of PATH (default: the repository around you), or bring it up to date."""
    return asking.run(path, as_json, "index", lambda engine, watch: engine.index(path, force=force, watch=watch))


@app.command()
@click.argument("path", required=False)
@json_flag
def sync(path: str | None, as_json: bool) -> int:
    """Bring an index up to date; it must exist."""
    return asking.run(path, as_json, "sync", lambda engine, watch: engine.sync(path, watch=watch))


@app.command(cls=CommandWithQuery)
@click.argument("query")
@click.argument("path", required=False)
@click.option("--limit", type=int, metavar="N", help="How many hits (default: 10).")
@click.option("--mode", type=click.Choice(["hybrid", "lexical", "semantic"]), default="hybrid", show_default=True)
@click.option("--view", type=click.Choice(["files", "functions"]), default="files", show_default=True)
@click.option("--explain", is_flag=True, help="Show what placed each hit.")
@click.option("--max-tokens", "most", type=int, metavar="N", help="How long the answer may be: characters / 4 of JSON.")
@question_flags
def search(query: str, path: str | None, **flags: Any) -> int:
    """Find the code that answers QUERY: words, a question, or a name."""
    from clew.serve import terminal

    if path is not None and path.startswith(" -path:"):  # an operator in quotes of its own
        query, path = f"{query}{path}", None
    query = query.strip()
    asked = {name: flags.pop(name) for name in ("limit", "mode", "view", "explain")}
    arguments = {"query": query, "path": asking.place(path), **asked}
    nothing = f"nothing found for {query!r}"
    return asking.question("search_codebase", path, arguments, terminal.hits(query), nothing=nothing, **flags)


@app.command()
@click.argument("pattern")
@click.argument("path", required=False)
@click.option("-F", "--fixed-strings", "is_fixed", is_flag=True, help="PATTERN is the text itself, not an expression.")
@click.option("-i", "--ignore-case", "any_case", is_flag=True, help="Upper and lower case are the same.")
@click.option("-w", "--word-regexp", "whole_word", is_flag=True, help="Only whole words.")
@click.option("-n", "--line-number", is_flag=True, expose_value=False, help="Taken for granted: lines are numbered.")
@click.option("-C", "--context", type=int, default=0, metavar="N", help="Lines to show around each match.")
@click.option("-l", "--files-with-matches", "files", is_flag=True, help="Only the paths of files with a match.")
@click.option("-c", "--count", "counts", is_flag=True, help="Only how many lines of each file match.")
@click.option("-U", "--multiline", is_flag=True, help="Let a match span lines.")
@click.option("--limit", type=int, metavar="N", help="How many matches, or files (default, and at the most: 100,000).")
@question_flags
def grep(pattern: str, path: str | None, **flags: Any) -> int:
    """Find every line that PATTERN, a regular expression, matches; flags mean what they mean to ripgrep."""
    from clew.serve import matches

    asked, common = matches.arguments(pattern, asking.place(path), flags)
    nothing = f"nothing matches {pattern!r}"
    return asking.question("search_text", path, asked, matches.as_text(asked), nothing=nothing, **common)


@app.command()
@click.argument("name")
@click.argument("path", required=False)
@click.option("--kind", metavar="KIND", help="Only this kind: class, function, method, …")
@click.option("--file", metavar="FILE", help="Only in this file, given from the root.")
@question_flags
def symbol(name: str, path: str | None, kind: str | None, file: str | None, **flags: Any) -> int:
    """Show where NAME is defined; it may be qualified: Class.method."""
    from clew.serve import terminal

    arguments = {"name": name, "path": asking.place(path), "kind": kind, "file": file}
    nothing = f"nothing called {name!r} is defined here"
    return asking.question("get_symbol", path, arguments, terminal.symbols, nothing=nothing, **flags)


@app.command()
@click.argument("file")
@click.option("--lines", metavar="A:B", help="Only what these lines touch.")
@click.option("--name", metavar="NAME", help="Only this definition and what it holds.")
@question_flags
def outline(file: str, lines: str | None, name: str | None, **flags: Any) -> int:
    """List what FILE defines."""
    from clew.serve import terminal

    arguments: dict[str, Any] = {"file": asking.asked(file), "name": name}
    try:
        arguments |= _lines(lines) if lines is not None else {}
    except BadInput as error:
        return asking.refuse(file, flags["as_json"], error, "file_outline")
    return asking.question("file_outline", file, arguments, terminal.outline, is_file=True, **flags)


@app.command()
@click.argument("path", required=False)
@click.option("--limit", type=int, default=1_000, show_default=True, metavar="N", help="How many paths.")
@question_flags
def paths(path: str | None, limit: int, **flags: Any) -> int:
    """List the files of the index."""
    from clew.serve import terminal

    arguments = {"path": asking.place(path), "max_results": limit}
    return asking.question("list_paths", path, arguments, terminal.paths, nothing="no file matches", **flags)


@app.command()
@click.argument("file")
@click.option("--lines", metavar="A:B", help="Only these lines.")
@click.option("--symbol", metavar="NAME", help="Only this definition.")
@click.option("--mode", type=click.Choice(["plain", "annotated"]), default="plain", show_default=True, help=READ_HELP)
@question_flags
def read(file: str, lines: str | None, symbol: str | None, mode: str, **flags: Any) -> int:
    """Print FILE, or a part of it."""
    from clew.serve import terminal

    arguments: dict[str, Any] = {"path": asking.asked(file), "symbol": symbol, "mode": mode}
    try:
        arguments |= _lines(lines) if lines is not None else {}
    except BadInput as error:
        return asking.refuse(file, flags["as_json"], error, "read_file")
    return asking.question("read_file", file, arguments, terminal.content, is_file=True, **flags)


@app.command()
@click.argument("file")
@click.option("--lines", metavar="A:B", required=True, help="The lines that others should be like.")
@click.option("--limit", type=int, metavar="N", help="How many hits (default: 10).")
@question_flags
def similar(file: str, lines: str, limit: int | None, **flags: Any) -> int:
    """Find functions like some lines of FILE."""
    from clew.serve import terminal

    try:
        arguments = {"file": asking.asked(file), "limit": limit, **_lines(lines)}
    except BadInput as error:
        return asking.refuse(file, flags["as_json"], error, "find_similar")
    nothing = "nothing is like these lines"
    return asking.question("find_similar", file, arguments, terminal.hits(""), is_file=True, nothing=nothing, **flags)


@app.command()
@click.argument("path", required=False)
@json_flag
def status(path: str | None, as_json: bool) -> int:
    """Show the state of a codebase's index, its proof, its counts and its last jobs."""
    from clew.serve import terminal

    return _tell("manage_index", path, {"action": "status", "path": asking.place(path)}, terminal.state, as_json)


@app.command()
@click.argument("path", required=False)
@json_flag
def jobs(path: str | None, as_json: bool) -> int:
    """List what was asked of a codebase's index: create, reindex, sync, repair."""
    from clew.serve import envelopes, terminal

    def act(engine: Engine) -> Envelope:
        where = asking.place(path) or caller.cwd()
        return envelopes.jobs(asking.asked(path), engine.resolve(where).root, engine.jobs(where))

    return asking.answer(path, as_json, act, terminal.jobs)


@app.command("list")
@json_flag
def list_command(as_json: bool) -> int:
    """List the codebases that are indexed."""
    from clew.serve import terminal

    return _tell("list_codebases", None, {}, terminal.codebases, as_json)


@app.command()
@click.argument("path", required=False)
@json_flag
def clear(path: str | None, as_json: bool) -> int:
    """Remove the index of a codebase; its files are not touched."""
    from clew.serve import envelopes

    return asking.answer(
        path,
        as_json,
        lambda engine: envelopes.cleared(asking.asked(path), engine.clear(path)),
        lambda envelope: f"removed the index of {envelope['codebaseRoot']}",
    )


@app.command()
@click.argument("path", required=False)
@json_flag
def repair(path: str | None, as_json: bool) -> int:
    """Rebuild the search index from the database, without reading or parsing a file."""
    from clew.serve import envelopes

    def act(engine: Engine) -> Envelope:
        stats = engine.repair(path)
        return envelopes.repaired(asking.asked(path), engine.resolve(path).root, stats)

    return asking.answer(path, as_json, act, lambda e: f"rebuilt the search index of {e['stats']['blobs']} blobs")


@app.command()
@json_flag
def doctor(as_json: bool) -> int:
    """Check everything that Clew stands on, and show every setting with its source."""
    from clew.serve import envelopes, terminal
    from clew.serve.install import report
    from clew.serve.install.clients import Machine
    from clew.serve.settings import describe

    def act(engine: Engine) -> Envelope:
        found = engine.doctor()
        found = replace(found, checks=(*found.checks, *report.checks(Machine.here())))
        return envelopes.health(found, describe(engine.config))

    return asking.answer(None, as_json, act, terminal.health)


@app.command()
@click.argument("client", required=False, metavar="[CLIENT]")
@click.option("--project", is_flag=True, help="The configuration of the project around you, not your own.")
@click.option("--apply", is_flag=True, help="Write the change; without it, it is only shown.")
@click.option("--uninstall", is_flag=True, help="Take Clew's entry out again.")
@json_flag
def install(client: str | None, project: bool, apply: bool, uninstall: bool, as_json: bool) -> int:
    """Connect an agent: add `clew mcp` to the MCP configuration of CLIENT.

    CLIENT is claude-code, claude-desktop, cursor, vscode, codex, gemini or zed; without one, all are listed.
    """
    from clew.serve.install import report
    from clew.serve.install.clients import Machine

    def act(_: Engine) -> Envelope:
        from clew.source.roots import default_root

        machine, root = Machine.here(), Path(default_root(os.getcwd())) if project else None
        if client is not None:
            return report.change(client, machine, root, apply=apply, uninstall=uninstall)
        if apply or uninstall:
            raise BadInput("name a client; `clew install` lists them")
        return report.overview(machine, root)

    return asking.answer(None, as_json, act, report.change_text if client else report.overview_text)


@app.command()
@click.option("--profile", type=click.Choice(["core", "full"]), default="core", show_default=True, help=PROFILE_HELP)
def mcp(profile: Any) -> int:
    """Serve an agent over MCP, on standard input and output; its client starts this."""

    def begin(config: Config) -> None:
        gc.disable()  # thousands of classes are made and none is garbage: a tenth of the time until the first answer
        from clew.serve.mcp import serve_stdio

        gc.freeze()
        gc.enable()
        serve_stdio(config, profile)

    return asking.serve(begin)


@app.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; elsewhere CLEW_TOKEN is needed.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8420, show_default=True, help="0: any that is free.")
@click.option("--profile", type=click.Choice(["core", "full"]), default="core", show_default=True, help=PROFILE_HELP)
def serve(host: str, port: int, profile: Any) -> int:
    """Serve agents and programs over HTTP: MCP at /mcp, every tool at /tools/NAME."""

    def begin(config: Config) -> None:
        from clew.serve.http import serve_http

        serve_http(config, host, port, profile)

    return asking.serve(begin)


@app.command()
@click.argument("action", type=click.Choice(["start", "stop", "status", "run"]))
@json_flag
def daemon(action: str, as_json: bool) -> int:
    """Share one warm engine between all commands and agents of yours on this machine.

    start and stop it, or ask for its status; run serves in the foreground, for a service manager.
    """
    from clew.serve import control

    def run(config: Config) -> None:
        control.require_sockets()
        from clew.serve.daemon import serve_daemon

        serve_daemon(config)

    if action == "run":
        return asking.serve(run)
    return asking.answer(None, as_json, lambda engine: control.act(engine.config, action), control.as_text)


for command in COMMANDS:
    app.add_command(command)


def _tell(tool: str, path: str | None, arguments: dict[str, Any], as_text: Text, as_json: bool) -> int:
    """A tool that asks nothing of the tree."""
    from clew.serve import tools

    return asking.answer(path, as_json, lambda engine: tools.answer(engine, tool, arguments), as_text, tool=tool)


def _lines(text: str) -> dict[str, int]:
    """A range of lines as a user writes it."""
    first, colon, last = text.partition(":")
    try:
        return {"start_line": int(first), "end_line": int(last if colon else first)}
    except ValueError:
        raise BadInput(f"--lines {text} is not a range; write A:B with 1 ≤ A ≤ B") from None
