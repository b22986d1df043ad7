"""The completion marker and the one validator that everyone who believes an index goes through."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import apsw

from clew.store.codebases import CodebaseRow, read_marker
from clew.store.database import decoded
from clew.types import ModelName

KIND = "clew_index_completion_v1"
SCHEMA = 1  # raise when what is stored cannot be read or mixed any more; a migration that adds need not
Outcome = Literal["valid", "stale_local", "fingerprint_mismatch", "probe_failed"]
Reason = Literal[
    "missing_marker_doc",
    "invalid_marker_kind",
    "path_mismatch",
    "invalid_payload",
    "fingerprint_mismatch",
    "probe_failed",
]
_UNREACHABLE = (  # the probe could not be made: busy, unreadable, refused
    apsw.BusyError, apsw.LockedError, apsw.ProtocolError, apsw.InterruptError, apsw.IOError, apsw.CantOpenError,
    apsw.PermissionsError, apsw.AuthError,
)  # fmt: skip


class Proof(NamedTuple):
    outcome: Outcome
    reason: Reason | None = None
    marker: dict[str, Any] | None = None

    @property
    def marker_present(self) -> bool:
        """Whether there is a marker, sound or not; one that could not be looked for counts as absent."""
        return self.reason not in ("missing_marker_doc", "probe_failed")


def fingerprint(model: ModelName = ModelName()) -> dict[str, Any]:  # noqa: B008 - immutable
    """What must be equal for an index to be read: the model of its vectors, and how things are stored."""
    beside = {"embeddingBase": model.base} if model.base else {}
    return {
        "embeddingProvider": model.provider,
        "embeddingModel": model.model,
        "embeddingDimension": model.dimension,
        **beside,
        "vectorStoreProvider": "sqlite",
        "schemaVersion": SCHEMA,
    }


def marker_payload(
    root: str, *, files: int, chunks: int, run: str, completed_at: str, model: ModelName
) -> dict[str, Any]:
    """The marker of a run that succeeded."""
    return {
        "kind": KIND,
        "codebasePath": root,
        "fingerprint": fingerprint(model),
        "indexedFiles": files,
        "totalChunks": chunks,
        "completedAt": completed_at,
        "runId": run,
    }


def validate(
    connection: apsw.Connection,
    codebase: CodebaseRow,
    model: ModelName = ModelName(),  # noqa: B008 - immutable
) -> Proof:
    """Whether the codebase's index is complete and readable, with the reason if not.

    A probe that cannot be made says nothing either way: then the recorded state stands."""
    try:
        text = read_marker(connection, codebase.id)
    except _UNREACHABLE:
        return Proof("probe_failed", "probe_failed")
    except UnicodeDecodeError:
        return Proof("stale_local", "invalid_payload")
    if codebase.state == "indexing" or text is None:
        return Proof("stale_local", "missing_marker_doc")
    try:
        marker = decoded(text)
    except (ValueError, RecursionError):
        return Proof("stale_local", "invalid_payload")
    if not isinstance(marker, dict):
        return Proof("stale_local", "invalid_payload")
    if marker.get("kind") != KIND:
        return Proof("stale_local", "invalid_marker_kind")
    if not _well_formed(marker):
        return Proof("stale_local", "invalid_payload")
    if marker["codebasePath"] != codebase.root:
        return Proof("stale_local", "path_mismatch")
    if marker["fingerprint"] != fingerprint(model):
        return Proof("fingerprint_mismatch", "fingerprint_mismatch", marker)
    return Proof("valid", None, marker)


def _well_formed(marker: dict[str, Any]) -> bool:
    counts = (marker.get("indexedFiles"), marker.get("totalChunks"))
    return (
        all(type(count) is int and count >= 0 for count in counts)
        and all(isinstance(marker.get(key), str) for key in ("codebasePath", "completedAt", "runId"))
        and isinstance(marker.get("fingerprint"), dict)
    )
