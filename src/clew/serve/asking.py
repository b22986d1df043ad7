"""From a question on the command line to what is printed: one call, one envelope, one exit code.

Every command goes through `answer`, where errors become envelopes. Loads nothing heavy by itself.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clew.errors import BadPath, ClewError, Interrupted, NotFound, NotIndexed, Stopped
from clew.serve import caller

if TYPE_CHECKING:
    from clew.config import Config
    from clew.engine import Engine
    from clew.serve.gates import Envelope

Text = Callable[["Envelope"], str]


def run(path: str | None, as_json: bool, operation: str, act: Callable[[Engine, Any], Any]) -> int:
    """Do something to an index and wait for it, showing how far it is."""
    from clew.serve import envelopes, terminal
    from clew.serve.progress import ProgressView

    started = time.monotonic()

    def work(engine: Engine) -> Envelope:
        known, notes = _standing(engine, path)
        with ProgressView("indexing") as view:
            stats = act(engine, view)
        return envelopes.run(asked(path), engine.resolve(path).root, operation, stats, known=known, notes=notes)

    return answer(path, as_json, work, lambda e: terminal.run(e, time.monotonic() - started))


def question(
    tool: str,
    path: str | None,
    arguments: Mapping[str, Any],
    as_text: Text,
    *,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    lang: tuple[str, ...],
    no_index: bool,
    as_json: bool,
    is_file: bool = False,
    is_scoped: bool = True,
    nothing: str = "",
    most: int | None = None,
) -> int:
    """Answer a question, within so many tokens at `most`; a tree that was never indexed, or not to the end, is indexed
    first, and that is said."""
    from clew.serve import budget, tools
    from clew.serve.progress import ProgressView

    scope = {} if is_file or not is_scoped else {"include_globs": include, "exclude_globs": exclude, "languages": lang}

    def ask(engine: Engine) -> Envelope:
        envelope = tools.answer(engine, tool, {**arguments, **scope})
        if most is None:
            return envelope
        fitting = budget.fit(envelope, budget.checked(most))
        if envelope["results"] and not fitting["results"]:
            raise budget.too_small(most)
        return fitting

    def act(engine: Engine) -> Envelope:
        if is_file:
            _check_file(path or "")
        try:
            return ask(engine)
        except (NotIndexed, Interrupted) as error:
            if no_index or error.proof is not None:
                raise
            if caller.now() is not None:
                raise caller.Declined from error  # it shows how far it is, and Ctrl-C ends it
            root = engine.root_for_question(_tree_around(path or "", error) if is_file else path)
            is_new = isinstance(error, NotIndexed)
            print(
                f"{root} is not indexed yet: indexing it first"
                if is_new
                else f"going on with the index of {root} first",
                file=caller.err(),
            )
            with ProgressView("indexing") as view:
                engine.index(root, watch=view)
            return ask(engine)

    return answer(path, as_json, act, as_text, nothing, tool=tool, is_file=is_file)


def refuse(path: str | None, as_json: bool, error: ClewError, tool: str) -> int:
    """Refuse what cannot be right before anything is asked."""

    def act(_: Engine) -> Envelope:
        raise error

    return answer(path, as_json, act, str, tool=tool, is_file=True)


def serve(begin: Callable[[Config], None]) -> int:
    """Run a server until it is told to end; what keeps it from starting is said."""
    from clew.config import load_config
    from clew.serve import envelopes, gates, logs
    from clew.serve.tools import explained

    try:
        config = load_config()
        logs.to_standard_error(config.log_level)
        begin(config)
    except KeyboardInterrupt:
        return 0
    except ClewError as error:
        envelope = gates.failure(asked(None), error)
    except OSError as error:
        envelope = gates.failure(asked(None), explained(error))
    else:
        return 0
    print(f"clew: {envelope['message']}", file=caller.err())
    return envelopes.exit_code(envelope)


def answer(
    path: str | None,
    as_json: bool,
    act: Callable[[Engine], Envelope],
    as_text: Text,
    nothing: str = "",
    *,
    tool: str = "",
    is_file: bool = False,
) -> int:
    """Run, print, and tell the exit code: the one place where errors become envelopes."""
    from clew.serve import envelopes, gates
    from clew.serve.tools import explained

    failed = debug = False
    try:
        with _open_engine() as engine:
            debug = bool(engine.config.debug)
            if path is not None and not is_file:
                _check_directory(engine, path)
            envelope = act(engine)
    except Stopped:
        return 130
    except ClewError as error:
        envelope, failed = gates.failure(asked(path), error, tool, debug=debug), True
    except OSError as error:
        envelope, failed = gates.failure(asked(path), explained(error), tool), True
    code = envelopes.exit_code(envelope)
    if as_json:
        return print_json(envelope)
    if failed:
        print(f"clew: {envelope['message']}", file=caller.err())
        for candidate in envelope.get("candidates", ()):
            print(f"  {candidate}", file=caller.err())
        return code
    for warning in envelope.get("warnings", ()):
        print(f"clew: {warning['message']}", file=caller.err())
    if code == 1 and nothing:
        dropped = envelope.get("freshness", {}).get("dropped", 0)
        rest = f", but for {dropped} that had it and cannot be looked at any more" if dropped else ""
        print(f"{nothing}{rest}", file=caller.err())
        return code
    return _print(as_text(envelope), code)


def told(error: ClewError) -> int:
    """The exit code of a command that did not come to an answer; with `--json` there is an envelope all the same."""
    from clew.serve import envelopes, gates

    envelope = gates.failure(asked(None), error)
    if "--json" in sys.argv[1:]:
        print_json(envelope)
    return envelopes.exit_code(envelope)


@contextmanager
def _open_engine() -> Iterator[Engine]:
    """The warm engine that a caller shares with others, else one for this answer alone."""
    served = caller.now()
    if served is not None:
        yield served.shared_engine
        return
    from clew.config import load_config
    from clew.engine import Engine
    from clew.serve import logs
    from clew.serve.progress import ProgressView

    config = load_config()
    logs.to_standard_error(config.log_level)
    with ProgressView("syncing") as view:
        engine = Engine(config, watch=view)
        try:
            yield engine
        finally:
            engine.close()


def _print(text: str, code: int) -> int:
    """Write the answer; a reader that went away is no failure, a full disk is."""
    out = caller.out()
    try:
        print(text, file=out)
        out.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # for the flush at exit
        if not isinstance(error, BrokenPipeError):
            print(f"clew: cannot write the answer: {error.strerror}", file=caller.err())
            return 4
    return code


def print_json(envelope: Envelope) -> int:
    """Print an envelope for programs; its exit code."""
    import json

    from clew.serve import envelopes

    out = caller.out()
    is_unicode = (out.encoding or "").lower().startswith("utf")
    text = json.dumps(envelope, ensure_ascii=not is_unicode, indent=2 if out.isatty() else None)
    return _print(text, envelopes.exit_code(envelope))


def place(path: str | None) -> str | None:
    """A path as the tools take it: absolute, a project's root as it is, or none for where we are."""
    from clew.types import PROJECT

    return path if path is None or path.startswith(PROJECT) else caller.absolute(path)


def asked(path: str | None) -> str:
    try:
        return place(path) or caller.cwd()
    except FileNotFoundError:
        return path or "."


def _check_directory(engine: Engine, path: str) -> None:
    """Refuse what is no directory, so that a typing error never stands for what is around it."""
    from clew.types import PROJECT

    if "\0" in path:
        raise BadPath(f"{path!r} is no directory name; give the path of a directory")
    where = caller.reached(path)
    if path.startswith(PROJECT) or os.path.isdir(where):
        return
    if os.path.exists(where):
        raise BadPath(f"{path} is not a directory; give the directory that contains it")
    try:
        is_codebase = not engine.resolve(where).subtree
    except NotIndexed:
        is_codebase = False
    if not is_codebase:  # else its tree is gone, but its index can still be asked after and cleared
        raise BadPath(f"{path} does not exist; give the path of a directory")


def _check_file(file: str) -> None:
    from clew.types import PROJECT

    if file.startswith(PROJECT) and "\0" not in file:
        return
    if not file or "\0" in file:
        raise BadPath(f"{file!r} is no file name; give the path of a file")
    if not os.path.isdir(os.path.dirname(caller.absolute(file))):
        raise NotFound(f"{file} does not exist; `clew paths` lists the files")


def _tree_around(file: str, error: NotIndexed | Interrupted) -> str:
    """What to index for a question about one file: its repository, or where we are. To read one of another place is no
    reason to keep a copy of all that lies beside it."""
    from clew.source import git, roots

    directory = os.path.realpath(os.path.dirname(caller.absolute(file)))
    if isinstance(error, Interrupted) or git.find_top_level(directory) is not None:
        return directory
    here = os.path.realpath(caller.cwd())
    if roots.contains(here, directory):
        return here
    raise error


def _standing(engine: Engine, path: str | None) -> tuple[bool, tuple[str, ...]]:
    """Whether there is a believable index already, and what is to be said of one that is not."""
    try:
        found = engine.status(path)
    except ClewError:
        return False, ()
    is_claimed = found.state in ("indexed", "sync_completed") and found.verdict == "not_indexed"
    note = f"an index was claimed, but its completion proof was missing or invalid ({found.proof}): made anew"
    return found.proof == "valid", (note,) if is_claimed else ()
