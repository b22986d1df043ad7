"""The tools for many askers: one engine, and a scope for each session. What MCP and HTTP stand on.

Main call: `Service.call`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from clew.engine import Engine
from clew.errors import Ambiguous, BadInput, ClewError
from clew.serve import caller, envelopes, gates, tools
from clew.serve.budget import MAX_TOKENS, checked, fit, too_small
from clew.serve.gates import Envelope
from clew.serve.sessions import NO_SCOPE, Identity, Sessions, SessionScope, checked_scope, within
from clew.types import PROJECT

SCOPE_TOOLS = ("set_scope", "get_scope", "clear_scope")
_PAGES = {"search_codebase": "results", "semantic_search": "results", "get_references": "references"}
_STABLE = frozenset({"list_codebases"})  # the same bytes as long as nothing changed


class Service:
    """Answers tools for sessions; safe to share between threads."""

    def __init__(self, engine: Engine, sessions: Sessions | None = None) -> None:
        self.engine, self.sessions = engine, sessions if sessions is not None else Sessions()  # an empty one is false

    def close(self) -> None:
        """Stop everything in the background."""
        self.sessions.close()
        self.engine.close()

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, header: str | None = None, connection: str | None = None
    ) -> Envelope:
        """Call a tool by its name; whatever goes wrong is an envelope too.

        A session is named by a header, an argument or the connection, in this order."""
        given = {key: value for key, value in arguments.items() if key not in ("session_id", "max_tokens")}
        named, most = arguments.get("session_id"), arguments.get("max_tokens")
        identity = self.sessions.identify(header, named if named is None else str(named), connection)
        try:
            room = MAX_TOKENS if most is None else checked(most)
        except BadInput as error:
            return fit(_signed(gates.failure(_here(), error, tool), identity))
        if tool in SCOPE_TOOLS:
            envelope = self._manage_scope(tool, given, identity)
        else:
            tokens = {"max_tokens": most} if most is not None and tool == "search_text" else {}
            envelope = self._ask(tool, {**given, **tokens}, identity)
        if tool in _STABLE:
            return fit(envelope)
        return self._within(MAX_TOKENS if envelope["status"] == "error" else room, envelope, tool, given, identity)

    def _within(
        self, room: int, envelope: Envelope, tool: str, given: Mapping[str, Any], identity: Identity
    ) -> Envelope:
        """An answer within its tokens. Of one in pages, as many entries as there is room for are asked for again: then
        its continuation goes on behind the last one shown."""
        key, fitting = _PAGES.get(tool, ""), fit(_signed(envelope, identity), room)
        found = len(envelope.get(key, ()))
        while len(fitting.get(key, ())) < len(envelope.get(key, ())):
            if len(envelope[key]) == 1:
                return fit(_signed(gates.failure(envelope["path"], too_small(room), tool), identity))
            envelope = self._ask(tool, {**given, "limit": max(len(fitting[key]), 1)}, identity)
            if envelope["status"] == "ok":
                envelope["omitted"] = found - len(envelope[key])
            fitting = fit(_signed(envelope, identity), room)
        return fitting

    def _ask(self, tool: str, arguments: Mapping[str, Any], identity: Identity) -> Envelope:
        """A tool's answer within the session's scope."""
        scope = self.sessions.scope(identity.id)
        with within(scope):
            envelope = tools.call(self.engine, tool, arguments)
        if "scope" in envelope:
            envelope["scope"] = {**envelope["scope"], **_whole(scope, arguments)}
        return envelope

    def _manage_scope(self, tool: str, arguments: Mapping[str, Any], identity: Identity) -> Envelope:
        try:
            if tool == "set_scope":
                self.sessions.set(identity.id, self._resolved(arguments))
            elif arguments:
                raise BadInput(f"{tool} takes no {', '.join(arguments)}")
            elif tool == "clear_scope":
                self.sessions.clear(identity.id)
        except ClewError as error:
            return gates.failure(_here(), error, tool)
        scope = self.sessions.scope(identity.id)
        return {"status": "ok", "effective_scope": scope.as_dict(), "session_id": identity.id, "warnings": []}

    def _resolved(self, arguments: Mapping[str, Any]) -> SessionScope:
        """A scope with its codebases by their roots."""
        given = arguments.get("scope")
        if arguments.keys() - {"scope"} or not isinstance(given, Mapping):
            raise BadInput("set_scope takes `scope`, an object; {} means everything")
        wrong, repos = "", []
        known = list(self.engine.catalog.registry.all())
        names = given.get("repos")
        for name in names if isinstance(names, list | tuple) else ():
            try:
                repos.append(codebase_named(str(name), known))
            except ClewError as error:
                wrong = f"{wrong}; repos: {error}"
        try:
            scope = checked_scope({**given, "repos": repos} if repos and not wrong else given)
        except BadInput as error:
            raise BadInput(f"{error}{wrong}") from error
        if wrong:
            raise BadInput(f"the scope is not set{wrong.replace(';', ':', 1)}")
        return scope


def codebase_named(name: str, known: list[str]) -> str:
    """The root that a name means: a root, a place in one, a project, or the name of a directory that only one has."""
    place = name if name.startswith(PROJECT) or not os.path.isabs(name) else os.path.realpath(name)
    if place in known:
        return place
    if PROJECT + name in known:
        return PROJECT + name
    found = [root for root in known if os.path.basename(root) == name]
    if len(found) > 1:
        raise Ambiguous(f"{name!r} is the name of {len(found)} codebases; give a path", tuple(sorted(found)))
    if not found:
        raise BadInput(f"{name!r} is no codebase; `list_codebases` has those that are")
    return found[0]


def _signed(envelope: Envelope, identity: Identity) -> Envelope:
    """An answer with the session that it is for."""
    envelope["session_id"] = identity.id
    if identity.warning:
        envelope.setdefault("warnings", []).append(envelopes.warning("SESSION_ID_IGNORED", identity.warning))
    return envelope


def _whole(scope: SessionScope, arguments: Mapping[str, Any]) -> Envelope:
    """What of a session's scope holds beside globs and languages, if a question leaves the place to it."""
    kept = scope if arguments.get("path") is None else NO_SCOPE
    return {"repos": list(kept.repos), "branches": list(kept.branches), "commit": kept.commit}


def _here() -> str:
    try:
        return caller.cwd()
    except FileNotFoundError:
        return "."
