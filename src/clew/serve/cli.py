"""The command line: flags in, one engine call, an envelope or text out, an exit code.

Loads nothing heavy until a command runs, so that `clew --help` starts at once.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clew.errors import BadInput, BadPath, ClewError, NotFound, NotIndexed

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
    """The entry point: Ctrl-C exits 130."""
    for stream in (sys.stdout, sys.stderr):  # what the stream's encoding lacks is written as an escape
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app.main(standalone_mode=False)
    except click.exceptions.Abort:
        print("interrupted; run the same command again to go on where it stopped", file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
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

        return envelopes.outline(_asked(file), engine.outline(file), scope), terminal.outline

    return _ask(file, ask, is_file=True, **flags)


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

        found = engine.read(file, lines=None if lines is None else _lines(lines), symbol=symbol)
        if found.truncated:
            print(f"cut at line {found.end_line} of {found.total_lines}; --lines shows more", file=sys.stderr)
        return envelopes.content(_asked(file), found, scope), lambda e: str(e["content"])

    return _ask(file, ask, is_file=True, **flags)


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
        known = _is_ready(engine, path)
        with ProgressView("indexing") as view:
            stats = act(engine, view)
        return envelopes.run(_asked(path), engine.resolve(path).root, operation, stats, known=known)

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
    is_file: bool = False,
    nothing: str = "",
) -> int:
    """Answer a question; a tree that was never indexed is indexed first, and that is said."""
    from clew.engine import Scope
    from clew.serve.progress import ProgressView

    text: list[Text] = []

    def act(engine: Engine) -> Envelope:
        scope = Scope(include, exclude, lang)
        if is_file:
            _check_file(path or "")
        try:
            envelope, as_text = ask(engine, scope)
        except NotIndexed:
            if no_index:
                raise
            root = engine.root_for_index(_tree_around(path or "") if is_file else path)
            print(f"{root} is not indexed yet: indexing it first", file=sys.stderr)
            with ProgressView("indexing") as view:
                engine.index(root, watch=view)
            envelope, as_text = ask(engine, scope)
        text.append(as_text)
        return envelope

    return _answer(path, as_json, act, lambda envelope: text[0](envelope), nothing, is_file=is_file)


def _answer(
    path: str | None,
    as_json: bool,
    act: Callable[[Engine], Envelope],
    as_text: Text,
    nothing: str = "",
    *,
    is_file: bool = False,
) -> int:
    """Run, print, and tell the exit code: the one place where errors become envelopes."""
    from clew.engine import Engine
    from clew.serve import envelopes

    tool, failed = click.get_current_context().info_name or "", False
    try:
        engine = Engine()
        try:
            if path is not None and not is_file:
                _check_directory(engine, path)
            envelope = act(engine)
        finally:
            engine.close()
    except ClewError as error:
        envelope, failed = envelopes.failure(_asked(path), error, tool), True
    except OSError as error:
        envelope, failed = envelopes.failure(_asked(path), _explained(error), tool), True
    code = envelopes.exit_code(envelope)
    if as_json:
        return _print(_json(envelope), code)
    if failed:
        print(f"clew: {envelope['message']}", file=sys.stderr)
        for candidate in envelope.get("candidates", ()):
            print(f"  {candidate}", file=sys.stderr)
        return code
    if code == 1 and nothing:
        print(nothing, file=sys.stderr)
        return code
    return _print(as_text(envelope), code)


def _print(text: str, code: int) -> int:
    """Write the answer; a reader that went away is no failure, a full disk is."""
    try:
        print(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        if not isinstance(error, BrokenPipeError):
            print(f"clew: cannot write the answer: {error.strerror}", file=sys.stderr)
            return 4
    return code


def _json(envelope: Envelope) -> str:
    import json

    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    return json.dumps(envelope, ensure_ascii=not is_unicode, indent=2 if sys.stdout.isatty() else None)


def _explained(error: OSError) -> ClewError:
    """What the file system refused; only the current directory's own failure has no name."""
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return BadPath("the current directory is gone; change to another one, or give a path")
    place = f" ({error.filename})" if error.filename else ""
    return ClewError(f"the system refused: {error.strerror or error}{place}; check rights and space there")


def _asked(path: str | None) -> str:
    try:
        return os.path.abspath(path if path is not None else os.getcwd())
    except FileNotFoundError:
        return path or "."


def _check_directory(engine: Engine, path: str) -> None:
    """Refuse what is no directory, so that a typing error never stands for what is around it."""
    from clew.types import PROJECT

    if "\0" in path:
        raise BadPath(f"{path!r} is no directory name; give the path of a directory")
    if path.startswith(PROJECT) or os.path.isdir(path):
        return
    if os.path.exists(path):
        raise BadPath(f"{path} is not a directory; give the directory that contains it")
    try:
        is_codebase = not engine.resolve(path).subtree
    except NotIndexed:
        is_codebase = False
    if not is_codebase:  # else its tree is gone, but its index can still be asked after and cleared
        raise BadPath(f"{path} does not exist; give the path of a directory")


def _check_file(file: str) -> None:
    if not file or "\0" in file:
        raise BadPath(f"{file!r} is no file name; give the path of a file")
    if not os.path.isdir(os.path.dirname(os.path.abspath(file))):
        raise NotFound(f"{file} does not exist; `clew paths` lists the files")


def _tree_around(file: str) -> str:
    """What to index for a question about one file: its repository, else its directory."""
    from clew.source.roots import default_root

    return default_root(os.path.dirname(os.path.abspath(file)))


def _is_ready(engine: Engine, path: str | None) -> bool:
    """Whether there is a believable index already."""
    try:
        return engine.status(path).proof == "valid"
    except ClewError:
        return False


def _lines(text: str) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    try:
        return int(first), int(last if colon else first)
    except ValueError as error:
        raise BadInput(f"--lines {text} is not a range; write A:B with 1 ≤ A ≤ B") from error
