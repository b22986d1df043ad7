"""Answers and errors as the JSON objects that every interface gives out; one builder for each shape.

The keys that the contract's seeds spell in camel case keep it; all others are snake_case.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from clew.engine import Scope
from clew.errors import (
    Ambiguous,
    BadInput,
    Busy,
    ClewError,
    NotFound,
    NotIndexed,
    RequiresReindex,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreTooNew,
)
from clew.types import (
    Answer,
    CodebaseState,
    Content,
    Found,
    Health,
    NamedSymbol,
    Outline,
    Paths,
    RunStats,
    Symbol,
    SymbolsFound,
)

Envelope = dict[str, Any]
RETRY_AFTER_MS = 2_000
_EXIT_CODES = {
    "ok": 0,
    "not_found": 1,
    "ambiguous": 2,
    "unsupported": 2,
    "not_ready": 3,
    "not_indexed": 3,
    "requires_reindex": 3,
    "blocked": 3,
    "needs_decision": 3,
}
_EMPTY: dict[str, Envelope] = {
    "search": {"results": [], "total": 0, "truncated": False, "continuation": None},
    "paths": {"items": [], "total": 0, "truncated": False},
    "symbol": {"symbols": []},
    "outline": {"symbols": []},
    "read": {"content": "", "start_line": 0, "end_line": 0, "total_lines": 0, "truncated": False},
}
_BUCKETS = {
    "indexed": "Ready",
    "sync_completed": "Ready",
    "indexing": "Indexing",
    "requires_reindex": "Requires Reindex",
}


def ok(path: str, answer: Answer, scope: Scope, **shape: Any) -> Envelope:
    """An answer with what every answer has."""
    return {
        "status": "ok",
        "path": path,
        "codebaseRoot": answer.root,
        "session_id": None,
        "scope": scope_of(scope),
        "freshness": asdict(answer.freshness),
        "warnings": [],
        **shape,
    }


def scope_of(scope: Scope) -> Envelope:
    """The scope as it was applied."""
    return {
        "include_globs": list(scope.include),
        "exclude_globs": list(scope.exclude),
        "languages": list(scope.languages),
    }


def search(path: str, found: Found, scope: Scope) -> Envelope:
    results = [{"codebase": found.root, **asdict(hit)} for hit in found.hits]
    return ok(path, found, scope, results=results, total=found.total, truncated=found.truncated, continuation=None)


def symbols(path: str, found: SymbolsFound, scope: Scope) -> Envelope:
    return ok(path, found, scope, symbols=[_named(item) for item in found.symbols])


def outline(path: str, found: Outline, scope: Scope) -> Envelope:
    return ok(path, found, scope, file=found.path, language=found.language, symbols=tree_of(found.symbols))


def paths(path: str, found: Paths, scope: Scope) -> Envelope:
    items = [
        {
            "codebase": found.root,
            "path": item.path,
            "size": item.size,
            "modified": _time(item.mtime_ns),
            "language": item.language,
            "skip": item.skip,
        }
        for item in found.items
    ]
    return ok(path, found, scope, items=items, total=found.total, truncated=found.truncated)


def content(path: str, found: Content, scope: Scope) -> Envelope:
    return ok(
        path,
        found,
        scope,
        file=found.path,
        language=found.language,
        content=found.text,
        start_line=found.start_line,
        end_line=found.end_line,
        total_lines=found.total_lines,
        truncated=found.truncated,
    )


def run(path: str, root: str, operation: str, stats: RunStats, *, known: bool) -> Envelope:
    """`known`: the codebase had a believable index before."""
    return {
        "status": "ok",
        "path": path,
        "codebaseRoot": root,
        "operation": operation,
        "already_indexed": known and not _changes(stats),
        "progress": 100,
        "stats": asdict(stats),
        "warnings": [],
    }


def state(path: str, found: CodebaseState) -> Envelope:
    envelope: Envelope = {
        "status": "error" if found.interrupted else "ok",
        "path": path,
        "codebaseRoot": found.root,
        "operation": "status",
        "state": found.state,
        "bucket": bucket(found),
        "proof": found.proof,
        "generation": found.generation,
        "head": found.head,
        "counts": {"files": found.files, "chunks": found.chunks, "symbols": found.symbols},
        "languages": dict(found.languages),
        "skipped": dict(found.skipped),
        "fingerprint": dict(found.fingerprint),
        "updated_at": found.updated_at,
        "run": found.run,
        "store": found.store,
        "size_bytes": found.size_bytes,
        "contexts": [],
        "jobs": [],
        "warnings": [],
    }
    if found.interrupted:
        message = f"the last run on {found.root} was interrupted; `clew index` goes on where it stopped"
        envelope |= {"reason": "interrupted", "message": message, "problem": _problem("interrupted", 409, message)}
    return envelope


def codebases(found: list[CodebaseState]) -> Envelope:
    rows = [
        {
            "root": item.root,
            "state": item.state,
            "bucket": bucket(item),
            "files": item.files,
            "chunks": item.chunks,
            "proof": item.proof,
        }
        for item in found
    ]
    return {"status": "ok", "codebases": rows}


def bucket(found: CodebaseState) -> str:
    """The heading under which a codebase is listed."""
    if found.interrupted or (
        found.state in ("indexed", "sync_completed") and found.proof not in ("valid", "probe_failed")
    ):
        return "Requires Reindex" if found.proof == "fingerprint_mismatch" else "Failed"
    return _BUCKETS.get(found.state, "Failed")


def health(found: Health, settings: Envelope) -> Envelope:
    return {
        "status": "ok" if all(check.ok for check in found.checks) else "error",
        "orphans": found.orphans,
        "checks": [asdict(check) for check in found.checks],
        "settings": settings,
    }


def cleared(path: str, root: str) -> Envelope:
    return {"status": "ok", "path": path, "codebaseRoot": root, "operation": "clear", "warnings": []}


def repaired(path: str, root: str, blobs: int) -> Envelope:
    return {**cleared(path, root), "operation": "repair", "stats": {"blobs": blobs}}


def failure(path: str, error: ClewError, tool: str = "") -> Envelope:
    """An error as an envelope that a program can branch on; an `error` keeps the tool's own fields, empty."""
    envelope: Envelope = {"path": path, "message": str(error)}
    if isinstance(error, NotIndexed):
        gate = _hints(error.root, "create")
        if error.proof:
            action = _call("create", error.root)
            gate["hints"]["staleLocal"] = {"completionProof": error.proof, "recommendedAction": action}
        return {"status": "not_indexed", "reason": "not_indexed", **envelope, **gate}
    if isinstance(error, RequiresReindex):
        return {"status": "requires_reindex", "reason": "requires_reindex", **envelope, **_hints(error.root, "reindex")}
    if isinstance(error, Busy):
        progress = {"progressPct": None, "lastUpdated": None, "phase": None}
        gate = {"indexing": progress, "retryAfterMs": RETRY_AFTER_MS, **_hints(error.root)}
        return {"status": "not_ready", "reason": "indexing", **envelope, **gate}
    if isinstance(error, Ambiguous):
        return {"status": "ambiguous", **envelope, "candidates": list(error.candidates)}
    if isinstance(error, NotFound):
        return {"status": "not_found", **envelope}
    kind, status = _kind(error)
    problem = _problem(kind, status, str(error))
    return {"status": "error", "reason": kind, **envelope, "problem": problem, **_EMPTY.get(tool, {})}


def exit_code(envelope: Envelope) -> int:
    """The exit code of a command that gives this envelope."""
    if envelope["status"] == "error":
        return 2 if envelope.get("reason") == "bad_input" else 3 if envelope.get("reason") == "interrupted" else 4
    if envelope["status"] == "ok" and any(envelope.get(key) == [] for key in ("results", "matches", "items")):
        return 1
    if envelope["status"] == "ok" and envelope.get("symbols") == [] and "file" not in envelope:
        return 1
    return _EXIT_CODES[envelope["status"]]


def tree_of(flat: tuple[Symbol, ...]) -> list[Envelope]:
    """Symbols as a tree: members under what holds them."""
    nodes = [{**_symbol(symbol), "children": []} for symbol in flat]
    top: list[Envelope] = []
    for node, symbol in zip(nodes, flat, strict=True):
        (nodes[symbol.parent]["children"] if symbol.parent >= 0 else top).append(node)
    return top


def _symbol(symbol: Symbol) -> Envelope:
    return {
        "name": symbol.name,
        "qualified_name": symbol.qualified,
        "kind": symbol.kind,
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "signature": symbol.signature,
        "doc": symbol.doc,
    }


def _named(item: NamedSymbol) -> Envelope:
    return {"path": item.path, "language": item.language, **_symbol(item.symbol), "fresh": item.fresh}


def _changes(stats: RunStats) -> int:
    return stats.added + stats.modified + stats.removed + stats.moved


def _hints(root: str, action: str | None = None) -> Envelope:
    hints = {"status": _call("status", root)}
    if action:
        hints[action] = _call(action, root)
    return {"codebaseRoot": root, "hints": hints}


def _call(action: str, root: str) -> Envelope:
    return {"tool": "manage_index", "args": {"action": action, "path": root}}


def _kind(error: ClewError) -> tuple[str, int]:
    kinds: list[tuple[type[ClewError], str, int]] = [
        (BadInput, "bad_input", 400),
        (StoreFull, "store_full", 507),
        (StoreTooNew, "store_too_new", 409),
        (StoreCorrupt, "store_corrupt", 500),
        (StoreError, "store_error", 503),
    ]
    return next(((kind, status) for type_, kind, status in kinds if isinstance(error, type_)), ("internal", 500))


def _problem(kind: str, status: int, detail: str) -> Envelope:
    """RFC 9457."""
    return {"type": f"urn:clew:problem:{kind}", "title": kind.replace("_", " "), "status": status, "detail": detail}


def _time(mtime_ns: int) -> str | None:
    if mtime_ns <= 0:
        return None
    try:
        moment = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):  # a year that the calendar does not have
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
