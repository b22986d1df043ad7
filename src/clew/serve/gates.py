"""What is given out instead of an answer: gates and errors, one builder for each, for every tool alike.

A gate has `status`, `reason`, `message`, `path`, `codebaseRoot` and hints that name the next call. Main
call: `failure`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from clew.answers import Heartbeat
from clew.errors import (
    Ambiguous,
    BadInput,
    Busy,
    ClewError,
    FileChanged,
    Gated,
    Interrupted,
    NotFound,
    NotIndexed,
    ProviderError,
    RequiresReindex,
    Stopped,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreTooNew,
    TimedOut,
    TooManyJobs,
)

Envelope = dict[str, Any]
RETRY_AFTER_MS = 2_000  # when nothing tells how long a run will take
_LEAST_RETRY_MS, _MOST_RETRY_MS = 500, 30_000
_EMPTY: dict[str, Envelope] = {
    "search_codebase": {"results": [], "total": 0, "truncated": False, "continuation": None},
    "search_text": {"matches": [], "total": 0, "truncated": False},
    "list_paths": {"items": [], "total": 0, "truncated": False},
    "get_symbol": {"symbols": []},
    "file_outline": {"symbols": []},
    "read_file": {"content": "", "start_line": 0, "end_line": 0, "total_lines": 0, "truncated": False},
    "list_codebases": {"codebases": []},
}


def failure(path: str, error: ClewError, tool: str = "", *, debug: bool = False) -> Envelope:
    """An error as an envelope that a program can branch on; an `error` keeps the tool's own fields, empty."""
    if isinstance(error, Gated):
        return _gate(path, error, tool, debug=debug)
    if isinstance(error, Ambiguous):
        return {"status": "ambiguous", "path": path, "message": str(error), "candidates": list(error.candidates)}
    if isinstance(error, NotFound):
        return {"status": "not_found", "path": path, "message": str(error)}
    return _error(path, str(error), *_kind(error), tool)


def status_hints(root: str, verdict: str, proof: str | None) -> Envelope:
    """The next calls for a codebase that stands like this, as a gate would give them."""
    hints: Envelope = {"status": call("status", root)}
    if verdict == "requires_reindex":
        hints["reindex"] = call("reindex", root)
    elif verdict in ("interrupted", "not_indexed"):
        hints["create"] = call("create", root)
        if proof is not None:
            hints["staleLocal"] = {"completionProof": proof, "recommendedAction": call("create", root)}
    return hints


def indexing(sign: Heartbeat | None) -> Envelope:
    """How far a run is, where that is known."""
    return {
        "progressPct": sign.percent if sign else None,
        "lastUpdated": sign.updated_at if sign else None,
        "phase": sign.phase if sign else None,
    }


def retry_after_ms(sign: Heartbeat | None) -> int:
    """When to ask again: when the run should be done, if it goes on as it did."""
    if sign is None or not sign.percent:
        return RETRY_AFTER_MS
    spent = datetime.fromisoformat(sign.updated_at) - datetime.fromisoformat(sign.started_at)
    left_ms = int(spent.total_seconds() * 1000 * (100 - sign.percent) / sign.percent)
    return max(_LEAST_RETRY_MS, min(_MOST_RETRY_MS, left_ms))


def problem(kind: str, status: int, detail: str) -> Envelope:
    """RFC 9457."""
    return {"type": f"urn:clew:problem:{kind}", "title": kind.replace("_", " "), "status": status, "detail": detail}


def call(action: str, root: str) -> Envelope:
    """A call of the managing tool."""
    return {"tool": "manage_index", "args": {"action": action, "path": root}}


def probe_hint() -> Envelope:
    """What those who debug are told when the marker could not be looked for."""
    return {"debugProofCheck": {"ok": False, "reason": "probe_failed"}}


def _gate(path: str, error: Gated, tool: str, *, debug: bool) -> Envelope:
    envelope: Envelope
    if isinstance(error, Interrupted):
        envelope = _error(path, str(error), "interrupted", 409, tool)
        envelope |= {"codebaseRoot": error.root, "hints": status_hints(error.root, "interrupted", None)}
    else:
        kinds = {RequiresReindex: "requires_reindex", Busy: "not_ready", NotIndexed: "not_indexed"}
        status = kinds[type(error)]
        envelope = {
            "status": status,
            "reason": "indexing" if status == "not_ready" else status,
            "message": str(error),
            "path": path,
            "codebaseRoot": error.root,
            "hints": status_hints(error.root, status, error.proof),
        }
        if status == "not_ready":
            envelope |= {"indexing": indexing(error.heartbeat), "retryAfterMs": retry_after_ms(error.heartbeat)}
    if debug:
        envelope["hints"]["debugIndexing"] = {
            "completionProof": "marker_doc",
            "markerPresent": error.marker_present,
        }
        if error.probe_failed:
            envelope["hints"] |= probe_hint()
    return envelope


def _error(path: str, message: str, kind: str, status: int, tool: str) -> Envelope:
    return {
        "status": "error",
        "reason": kind,
        "message": message,
        "path": path,
        "problem": problem(kind, status, message),
        **_EMPTY.get(tool, {}),
    }


def _kind(error: ClewError) -> tuple[str, int]:
    kinds: list[tuple[type[ClewError], str, int]] = [
        (BadInput, "bad_input", 400),
        (StoreFull, "store_full", 507),
        (StoreTooNew, "store_too_new", 409),
        (StoreCorrupt, "store_corrupt", 500),
        (StoreError, "store_error", 503),
        (TooManyJobs, "too_many_jobs", 429),
        (FileChanged, "file_changed", 409),
        (TimedOut, "timed_out", 504),
        (ProviderError, "provider_failed", 502),
        (Stopped, "stopped", 503),
    ]
    return next(((kind, status) for type_, kind, status in kinds if isinstance(error, type_)), ("internal", 500))
