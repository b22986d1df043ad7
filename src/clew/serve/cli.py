"""The command line: flags in, one engine call, an envelope or text out, an exit code.

Loads nothing heavy until a command runs, so that `clew --help` starts at once.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clew.errors import BadInput, ClewError, NotIndexed

if TYPE_CHECKING:
    from clew.engine import Engine, Scope
    from clew.serve.envelopes import Envelope

F = TypeVar("F", bound=Callable[..., Any])
Text = Callable[["Envelope"], str]


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
    """The entry point: Ctrl-C exits 130, a closed pipe ends quietly."""
    try:
        code = app.main(standalone_mode=False)
    except click.exceptions.Abort:
        print("interrupted; run the same command again to go on where it stopped", file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)


def json_flag(command: F) -> F:
    """`--json` for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print the envelope as JSON, and nothing else.")(
        command
    )


def question_flags(command: F) -> F:
    """What every question takes: scope, JSON, and whether a tree may be indexed first."""
    for option in (
        click.option("--include", multiple=True, metavar="GLOB", help="Only files that match (repeatable)."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="No files that match (repeatable)."),
        click.option("--lang", multiple=True, metavar="NAME", help="Only this language (repeatable)."),
        click.option("--no-index", is_flag=True, help="Do not index a tree that was never indexed."),
        json_flag,
    ):
        command = option(command)
    return command


@app.command()
@click.argument("path", required=False)
@click.option("--force", is_flag=True, help="Rebuild from nothing; also index a home directory or a file-system root.")
@json_flag
def index(path: str | None, force: bool, as_json: bool) -> int:
    """Create the index of PATH (default: the repository around you), or bring it up to date."""
    return _run(path, as_json, "index", lambda engine, watch: engine.index(path, force=force, watch=watch))


@app.command()
@click.argument("path", required=False)
@json_flag
def sync(path: str | None, as_json: bool) -> int:
    """Bring an index up to date; it must exist."""
    return _run(path, as_json, "sync", lambda engine, watch: engine.sync(path, watch=watch))


@app.command()
@click.argument("query")
@click.argument("path", required=False)
@click.option("--limit", type=int, metavar="N", help="How many hits (default: 10).")
@question_flags
def search(query: str, path: str | None, limit: int | None, **flags: Any) -> int:
    """Find the code that answers QUERY: words, a question, or a name."""

    def ask(engine: Engine, scope: Scope) -> tuple[Envelope, Text]:
        from clew.serve import envelopes, terminal

        found = engine.search(query, path, limit=limit, scope=scope)
        return envelopes.search(_asked(path), found, scope), lambda e: terminal.hits(e, found.terms)

    return _ask(path, ask, nothing=f"nothing found for {query!r}", **flags)


@app.command()
@click.argument("name")
@click.argument("path", required=False)
@click.option("--kind", metavar="KIND", help="Only this kind: class, function, method, …")
@question_flags
def symbol(name: str, path: str | None, kind: str | None, **flags: Any) -> int:
    """Show where NAME is defined; it may be qualified: Class.method."""

    def ask(engine: Engine, scope: Scope) -> tuple[Envelope, Text]:
        from clew.serve import envelopes, terminal

        found = engine.symbol(name, path, kind=kind, scope=scope)
        return envelopes.symbols(_asked(path), found, scope), terminal.symbols

    return _ask(path, ask, nothing=f"nothing called {name!r} is defined here", **flags)


@app.command()
@click.argument("file")
@question_flags
def outline(file: str, **flags: Any) -> int:
    """List what FILE defines."""

    def ask(engine: Engine, scope: Scope) -> tuple[Envelope, Text]:
        from clew.serve import envelopes, terminal

        return envelopes.outline(os.path.abspath(file), engine.outline(file), scope), terminal.outline

    return _ask(os.path.dirname(os.path.abspath(file)), ask, **flags)


@app.command()
@click.argument("path", required=False)
@click.option("--limit", type=int, default=1_000, show_default=True, metavar="N", help="How many paths.")
@question_flags
def paths(path: str | None, limit: int, **flags: Any) -> int:
    """List the files of the index."""

    def ask(engine: Engine, scope: Scope) -> tuple[Envelope, Text]:
        from clew.serve import envelopes, terminal

        found = engine.paths(path, limit=limit, scope=scope)
        if found.truncated:
            print(f"{limit} of {found.total} paths; --limit shows more", file=sys.stderr)
        return envelopes.paths(_asked(path), found, scope), terminal.paths

    return _ask(path, ask, nothing="no file matches", **flags)


@app.command()
@click.argument("file")
@click.option("--lines", metavar="A:B", help="Only these lines.")
@click.option("--symbol", metavar="NAME", help="Only this definition.")
@question_flags
def read(file: str, lines: str | None, symbol: str | None, **flags: Any) -> int:
    """Print FILE, or a part of it."""

    def ask(engine: Engine, scope: Scope) -> tuple[Envelope, Text]:
        from clew.serve import envelopes

        found = engine.read(file, lines=_lines(lines) if lines else None, symbol=symbol)
        if found.truncated:
            print(f"cut at line {found.end_line} of {found.total_lines}; --lines shows more", file=sys.stderr)
        return envelopes.content(os.path.abspath(file), found, scope), lambda e: str(e["content"])

    return _ask(os.path.dirname(os.path.abspath(file)), ask, **flags)


@app.command()
@click.argument("path", required=False)
@json_flag
def status(path: str | None, as_json: bool) -> int:
    """Show the state of a codebase's index, its proof and its counts."""
    from clew.serve import envelopes, terminal

    return _answer(path, as_json, lambda engine: envelopes.state(_asked(path), engine.status(path)), terminal.state)


@app.command("list")
@json_flag
def list_command(as_json: bool) -> int:
    """List the codebases that are indexed."""
    from clew.serve import envelopes, terminal

    return _answer(None, as_json, lambda engine: envelopes.codebases(engine.list()), terminal.codebases)


@app.command()
@click.argument("path", required=False)
@json_flag
def clear(path: str | None, as_json: bool) -> int:
    """Remove the index of a codebase; its files are not touched."""
    from clew.serve import envelopes

    return _answer(
        path,
        as_json,
        lambda engine: envelopes.cleared(_asked(path), engine.clear(path)),
        lambda envelope: f"removed the index of {envelope['codebaseRoot']}",
    )


@app.command()
@click.argument("path", required=False)
@json_flag
def repair(path: str | None, as_json: bool) -> int:
    """Rebuild the search index from the database, without reading or parsing a file."""
    from clew.serve import envelopes

    def act(engine: Engine) -> Envelope:
        blobs = engine.repair(path)
        return envelopes.repaired(_asked(path), engine.resolve(path).root, blobs)

    return _answer(path, as_json, act, lambda e: f"rebuilt the search index of {e['stats']['blobs']} blobs")


@app.command()
@json_flag
def doctor(as_json: bool) -> int:
    """Check everything that Clew stands on, and show every setting with its source."""
    from clew.serve import envelopes, terminal
    from clew.serve.settings import describe

    def act(engine: Engine) -> Envelope:
        return envelopes.health(engine.doctor(), describe(engine.config))

    return _answer(None, as_json, act, terminal.health)


def _run(path: str | None, as_json: bool, operation: str, act: Callable[[Engine, Any], Any]) -> int:
    from clew.serve import envelopes, terminal
    from clew.serve.progress import ProgressView

    started = time.monotonic()

    def work(engine: Engine) -> Envelope:
        with ProgressView("indexing") as view:
            stats = act(engine, view)
        return envelopes.run(_asked(path), engine.resolve(path).root, operation, stats)

    return _answer(path, as_json, work, lambda e: terminal.run(e, time.monotonic() - started))


def _ask(
    path: str | None,
    ask: Callable[[Engine, Scope], tuple[Envelope, Text]],
    *,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    lang: tuple[str, ...],
    no_index: bool,
    as_json: bool,
    nothing: str = "",
) -> int:
    """Answer a question; a tree that was never indexed is indexed first, and that is said."""
    from clew.engine import Scope
    from clew.serve.progress import ProgressView

    text: list[Text] = []

    def act(engine: Engine) -> Envelope:
        scope = Scope(include, exclude, lang)
        try:
            envelope, as_text = ask(engine, scope)
        except NotIndexed as error:
            if no_index:
                raise
            print(f"{error.root} is not indexed yet: indexing it first", file=sys.stderr)
            with ProgressView("indexing") as view:
                engine.index(None if path is None else _directory(path), watch=view)
            envelope, as_text = ask(engine, scope)
        text.append(as_text)
        return envelope

    return _answer(path, as_json, act, lambda envelope: text[0](envelope), nothing)


def _answer(
    path: str | None, as_json: bool, act: Callable[[Engine], Envelope], as_text: Text, nothing: str = ""
) -> int:
    """Run, print, and tell the exit code: the one place where errors become envelopes."""
    from clew.engine import Engine
    from clew.serve import envelopes

    failed = False
    try:
        engine = Engine()
        try:
            envelope = act(engine)
        finally:
            engine.close()
    except ClewError as error:
        envelope, failed = envelopes.failure(_asked(path), error), True
    code = envelopes.exit_code(envelope)
    if as_json:
        import json

        print(json.dumps(envelope, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
    elif failed:
        print(f"clew: {envelope['message']}", file=sys.stderr)
        for candidate in envelope.get("candidates", ()):
            print(f"  {candidate}", file=sys.stderr)
    elif code == 1 and nothing:
        print(nothing, file=sys.stderr)
    else:
        print(as_text(envelope))
    return code


def _asked(path: str | None) -> str:
    return os.path.abspath(path if path is not None else os.getcwd())


def _directory(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))


@functools.cache
def _lines(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    try:
        return int(first), int(last or first)
    except ValueError as error:
        raise BadInput(f"--lines {text} is not a range; write A:B with 1 ≤ A ≤ B") from error
