"""Answers and errors as the JSON objects that every interface gives out; one builder for each shape.

The keys that the contract's seeds spell in camel case keep it; all others are snake_case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from clew.answers import (
    Answer,
    CodebaseState,
    Content,
    Found,
    Heartbeat,
    Hit,
    Job,
    Managed,
    NamedSymbol,
    Outline,
    Paths,
    RunStats,
    SymbolsFound,
    TextFound,
)
from clew.search.filters import Scope
from clew.serve import gates
from clew.serve.gates import Envelope
from clew.types import Symbol

if TYPE_CHECKING:
    from clew.lifecycle.status import Health

_FRESHNESS = ("decision", "snapshot", "head", "generation", "checked_at", "verified", "dropped")
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
_BUCKETS = {
    "indexed": "Ready",
    "sync_completed": "Ready",
    "indexing": "Indexing",
    "requires_reindex": "Requires Reindex",
}


def ok(path: str, answer: Answer, scope: Scope, **shape: Any) -> Envelope:
    """An answer with what every answer has."""
    fresh = answer.freshness
    envelope = {
        "status": "ok",
        "path": path,
        "codebaseRoot": answer.root,
        "session_id": None,
        "scope": scope_of(scope),
        "freshness": {key: getattr(fresh, key) for key in _FRESHNESS},
        "warnings": [],
        **shape,
    }
    if fresh.trouble:
        message = f"the check for changes failed, so this is the last good state: {fresh.trouble}"
        envelope["warnings"] = [warning("FRESHNESS_CHECK_FAILED", message)]
    if fresh.proof == "probe_failed":
        envelope["hints"] = gates.probe_hint()
    return envelope


def warning(code: str, message: str) -> Envelope:
    """Something that the asker should know, with a code that a program can branch on."""
    return {"code": code, "message": message}


def inherited(names: Iterable[str]) -> Envelope:
    """That what was asked for is inherited, and what it is called where it is defined."""
    return warning("INHERITED", f"that class inherits it; this is {', '.join(names)}")


def scope_of(scope: Scope) -> Envelope:
    """The scope as it was applied; codebases and refs are for a session to name."""
    return {
        "repos": [],
        "branches": [],
        "commit": None,
        "include_globs": list(scope.include),
        "exclude_globs": list(scope.exclude),
        "languages": list(scope.languages),
    }


def search(path: str, found: Found, scope: Scope) -> Envelope:
    results = [_hit(hit) for hit in found.hits]
    shape = {"total": found.total, "truncated": found.truncated, "continuation": found.continuation}
    envelope = ok(path, found, scope, results=results, **shape)
    if found.unasked:
        message = f"this answer is without the embedding provider's part: {found.unasked}"
        envelope["warnings"].append(warning("EMBEDDING_UNAVAILABLE", message))
    if found.unknown and found.hits:
        names = ", ".join(f"`{name}`" for name in found.unknown)
        message = f"nothing in the index has {names}; the hits fit other words or the meaning"
        envelope["warnings"].append(warning("UNKNOWN_WORDS", message))
    return envelope


def _hit(hit: Hit) -> Envelope:
    shown = {**hit._asdict(), "functions": tuple(function._asdict() for function in hit.functions)}
    why, _ = shown.pop("why"), shown.pop("is_whole")
    return shown if why is None else {**shown, "explain": why}


def text(path: str, found: TextFound, scope: Scope, mode: str) -> Envelope:
    """Matches; for a list of files only those, and for counts how many each has."""
    root = found.root
    matches: list[Envelope] = [
        {
            "codebase": root,
            "path": file,
            "line": line,
            "column": column,
            "text": shown,
            "before": before,
            "after": after,
        }
        for file, line, column, shown, before, after in found.matches
    ]
    for file in found.files:
        count = {"count": file.count} if mode == "counts" else {}
        matches.append({"codebase": found.root, "path": file.path, **count})
    return ok(path, found, scope, matches=matches, total=found.total, truncated=found.truncated)


def symbols(path: str, found: SymbolsFound, scope: Scope) -> Envelope:
    envelope = ok(path, found, scope, symbols=[_named(found.root, item) for item in found.symbols])
    if found.inherited:
        envelope["warnings"].append(inherited(item.symbol.qualified for item in found.symbols))
    return envelope


def outline(path: str, found: Outline, scope: Scope) -> Envelope:
    return ok(
        path,
        found,
        scope,
        file=found.path,
        language=found.language,
        skip=found.skip,
        symbols=tree_of(found.symbols),
        fresh=found.fresh,
    )


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
    shape: Envelope = {"file": found.path, "language": found.language, "content": found.text}
    shape |= {"start_line": found.start_line, "end_line": found.end_line, "total_lines": found.total_lines}
    shape["truncated"] = found.truncated
    if found.symbols is not None:
        shape["symbols"] = tree_of(found.symbols)
    if found.truncated:
        shape["message"] = go_on(found.end_line, found.total_lines)
    return ok(path, found, scope, **shape)


def go_on(last: int, total: int) -> str:
    """How to read further."""
    return f"these are the lines up to {last} of {total}; go on with start_line={last + 1}, or name a symbol"


def run(path: str, root: str, operation: str, stats: RunStats, *, known: bool, notes: Sequence[str] = ()) -> Envelope:
    """What a run did that somebody waited for; `known`: the codebase had a believable index before."""
    counts = asdict(stats)
    failures, job_id = [failure._asdict() for failure in counts.pop("failures")], counts.pop("job")
    return {
        "status": "ok",
        "path": path,
        "codebaseRoot": root,
        "operation": operation,
        "job_id": job_id or None,
        "already_indexed": known and not stats.changes,
        "progress": 100,
        "stats": counts,
        "failures": failures,
        "warnings": [warning("STALE_LOCAL", note) for note in notes],
    }


def managed(path: str, found: Managed) -> Envelope:
    """An action that has begun, or that had nothing to do."""
    return {
        "status": "ok",
        "path": path,
        "codebaseRoot": found.root,
        "operation": found.action,
        "job_id": found.job.id if found.job else None,
        "already_indexed": found.already_indexed,
        "progress": 0 if found.job else 100,
        "message": _managed_message(found),
        "hints": {"status": gates.call("status", found.root)},
        "warnings": [warning("STALE_LOCAL", note) for note in found.notes],
    }


def _managed_message(found: Managed) -> str:
    if found.already_indexed:
        return f"{found.root} is indexed already; sync brings it up to date, reindex makes it anew"
    if found.job is None:
        return f"removed the index of {found.root}"
    return f"{found.action} of {found.root} has begun"


def state(path: str, found: CodebaseState, *, debug: bool = False) -> Envelope:
    stale = found.proof if found.state in ("indexed", "sync_completed") and found.verdict == "not_indexed" else None
    envelope: Envelope = {
        "status": "ok",
        "path": path,
        "codebaseRoot": found.root,
        "operation": "status",
        "state": found.state,
        "bucket": bucket(found),
        "proof": found.proof,
        "progress": None,
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
        "jobs": [job(item) for item in found.jobs],
        "transitions": [step._asdict() for step in found.transitions],
        "warnings": [],
        "hints": gates.status_hints(found.root, found.verdict, stale),
    }
    if found.verdict == "not_ready":
        envelope |= {"progress": found.heartbeat.percent if found.heartbeat else None}
        envelope |= {"indexing": gates.indexing(found.heartbeat), "retryAfterMs": gates.retry_after_ms(found.heartbeat)}
    if found.verdict == "interrupted":
        problem = gates.problem("interrupted", 409, found.message)
        envelope |= {"status": "error", "reason": "interrupted", "message": found.message, "problem": problem}
    elif found.verdict in ("requires_reindex", "not_indexed"):
        code = "STALE_LOCAL" if stale else found.verdict.upper()
        envelope["warnings"] = [warning(code, found.message)]
    if debug:
        envelope["hints"]["debugIndexing"] = {"completionProof": "marker_doc", "markerPresent": found.marker_present}
        envelope["hints"] |= gates.probe_hint() if found.proof == "probe_failed" else {}
    return envelope


def job(found: Job) -> Envelope:
    """A job with its progress."""
    sign = found.heartbeat
    done = found.state == "completed"
    return {
        "job_id": found.id,
        "operation": found.action,
        "state": found.state,
        "progress": 100 if done else sign.percent if sign else None,
        "phase": sign.phase if sign else None,
        "files": _files(sign),
        "started_at": found.started_at,
        "updated_at": sign.updated_at if sign else None,
        "ended_at": found.ended_at,
        "resumes": found.resumes,
        "error": found.error,
        "stats": dict(found.stats),
        "failures": [dict(failure) for failure in found.failures],
    }


def jobs(path: str, root: str, found: list[Job]) -> Envelope:
    return {"status": "ok", "path": path, "codebaseRoot": root, "jobs": [job(item) for item in found], "warnings": []}


def _files(sign: Heartbeat | None) -> Envelope | None:
    return {"done": sign.files_done, "total": sign.files_total} if sign else None


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
    """The heading under which a codebase is listed; a probe that failed changes nothing."""
    if found.verdict == "requires_reindex":
        return "Requires Reindex"
    if found.verdict == "interrupted" or (found.verdict == "not_indexed" and found.proof != "probe_failed"):
        return "Failed"
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


def repaired(path: str, root: str, stats: RunStats) -> Envelope:
    shape = {"job_id": stats.job, "stats": {"blobs": stats.files, "parsed": stats.parsed}}
    return {**cleared(path, root), "operation": "repair", **shape}


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


def _named(root: str, item: NamedSymbol) -> Envelope:
    place = {"codebase": root, "path": item.path, "language": item.language}
    return {**place, **_symbol(item.symbol), "fresh": item.fresh}


def _time(mtime_ns: int) -> str | None:
    if mtime_ns <= 0:
        return None
    try:
        moment = datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):  # a year that the calendar does not have
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
