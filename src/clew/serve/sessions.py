"""Sessions: a scope for each, kept in memory and forgotten when nobody asks.

A session is a name; one that has set no scope takes no room. Main calls: `Sessions.identify`, `Sessions.scope`.
"""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from clew.errors import BadInput
from clew.parse.languages import LANGUAGES, resolve_language
from clew.search.filters import compile_glob

MAX_ID_CHARS = 128
PRUNE_EVERY_S = 600.0
MAX_HEALTHY = 10_000  # sessions; more mean that they are not forgotten as they should be
_ID = re.compile(r"[A-Za-z0-9._:~+/=-]+\Z")
_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}\Z")
_LISTS = ("repos", "branches", "include_globs", "exclude_globs", "languages")


@dataclass(frozen=True, slots=True)
class SessionScope:
    """What the questions of a session are about, unless they say otherwise."""

    repos: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    commit: str | None = None
    include_globs: tuple[str, ...] = ()
    exclude_globs: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return self == NO_SCOPE

    def as_dict(self) -> dict[str, Any]:
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


NO_SCOPE = SessionScope()


class Identity(NamedTuple):
    """Who asks; `warning` says why a name that was given is not used."""

    id: str
    warning: str = ""


class _Held(NamedTuple):
    scope: SessionScope
    used: float


class Sessions:
    """The scopes of all sessions of a process; safe to share between threads."""

    def __init__(
        self, *, max_age_s: float = 3_600.0, most: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_age_s, self._most, self._clock = max_age_s, most, clock
        self._held: dict[str, _Held] = {}  # the one used least recently first
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._pruner: threading.Thread | None = None

    def __len__(self) -> int:
        with self._lock:
            return len(self._held)

    @property
    def is_healthy(self) -> bool:
        """Whether sessions are forgotten as they should be."""
        return len(self) <= MAX_HEALTHY

    def identify(self, *names: str | None) -> Identity:
        """The first name that is given; without one, or if it cannot be a name, a new one."""
        for name in names:
            if name is None:
                continue
            if len(name) <= MAX_ID_CHARS and _ID.match(name):
                return Identity(name)
            reason = f"a session's name has 1 to {MAX_ID_CHARS} letters, digits or ._:~+/=-, so this is a new session"
            return Identity(str(uuid.uuid4()), reason)
        return Identity(str(uuid.uuid4()))

    def scope(self, session: str) -> SessionScope:
        """The scope of a session, which counts as a use of it; an unknown one has none."""
        with self._lock:
            held = self._held.pop(session, None)
            if held is None or self._clock() - held.used > self._max_age_s:
                return NO_SCOPE
            self._held[session] = _Held(held.scope, self._clock())
            return held.scope

    def set(self, session: str, scope: SessionScope) -> None:
        """Give a session a scope in the place of the one it had."""
        with self._lock:
            self._held.pop(session, None)
            self._held[session] = _Held(scope, self._clock())
            while len(self._held) > self._most:
                del self._held[next(iter(self._held))]

    def clear(self, session: str) -> None:
        """Forget a session's scope."""
        with self._lock:
            self._held.pop(session, None)

    def prune(self) -> int:
        """Forget sessions that nobody has used for too long; how many."""
        with self._lock:
            oldest = self._clock() - self._max_age_s
            expired = [session for session, held in self._held.items() if held.used < oldest]
            for session in expired:
                del self._held[session]
            return len(expired)

    def start_pruning(self, every_s: float = PRUNE_EVERY_S) -> None:
        """Prune from time to time in the background, until `close`."""

        def run() -> None:
            while not self._stop.wait(every_s):
                self.prune()

        self._pruner = threading.Thread(target=run, name="clew-sessions", daemon=True)
        self._pruner.start()

    def close(self) -> None:
        """End the background pruning."""
        self._stop.set()
        if self._pruner is not None:
            self._pruner.join()


_now: ContextVar[SessionScope] = ContextVar("clew_scope", default=NO_SCOPE)


def scope_now() -> SessionScope:
    """The scope of the session whose question is being answered."""
    return _now.get()


@contextmanager
def within(scope: SessionScope) -> Iterator[None]:
    """Answer a question in this scope."""
    token = _now.set(scope)
    try:
        yield
    finally:
        _now.reset(token)


def checked_scope(given: Mapping[str, Any]) -> SessionScope:
    """A scope as a user gave it; a `BadInput` names every field that is wrong."""
    known = (*_LISTS, "commit")
    wrong = [f"{key} is unknown (known: {', '.join(known)})" for key in sorted(given.keys() - set(known))]
    fields: dict[str, Any] = {}
    for key in _LISTS:
        value = given.get(key)
        if value is None:
            continue
        if not _is_list_of_texts(value):
            wrong.append(f"{key} must be a list of strings that are not empty")
            continue
        fields[key] = tuple(value)
        wrong += _problems(key, value)
    commit = given.get("commit")
    if commit is not None:
        if isinstance(commit, str) and _COMMIT.match(commit):
            fields["commit"] = commit.lower()
        else:
            wrong.append("commit must be 7 to 64 hexadecimal digits")
    if wrong:
        raise BadInput(f"the scope is not set: {'; '.join(wrong)}")
    return SessionScope(**fields)


def _is_list_of_texts(value: Any) -> bool:
    is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return is_list and all(isinstance(item, str) and item.strip() for item in value)


def _problems(key: str, values: Sequence[str]) -> list[str]:
    if key == "languages":
        unknown = [name for name in values if resolve_language(name) is None]
        return [f"languages: unknown {name!r} (known: {', '.join(sorted(LANGUAGES))})" for name in unknown]
    if key not in ("include_globs", "exclude_globs"):
        return []
    found = []
    for glob in values:
        try:
            compile_glob(glob)
        except BadInput as error:
            found.append(f"{key}: {error}")
    return found
