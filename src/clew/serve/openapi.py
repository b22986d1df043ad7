"""The HTTP interface described for programs (OpenAPI 3.1), from the same table as the MCP tools."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

from clew.serve import schemas
from clew.serve.schemas import Spec

_SESSION = {
    "type": "string",
    "maxLength": 128,
    "description": "Names the session whose scope holds; the answer has the name in use. Without one, a new session.",
}
_ANSWERS = {
    "200": "The answer",
    "400": "The arguments cannot be right",
    "404": "Nothing like that is there",
    "409": "A gate: the codebase cannot be asked now; `hints` has the call that helps",
    "422": "Ambiguous, or not supported",
    "504": "No answer within the time limit",
    "default": "An error; `problem` says which (RFC 9457)",
}


@cache
def document() -> dict[str, Any]:
    """The whole description."""
    paths: dict[str, Any] = {f"/tools/{spec.name}": {"post": _operation(spec)} for spec in schemas.specs()}
    for path, words in (
        ("/health", "Whether the server is well; 503 when it keeps too many sessions"),
        ("/metrics", "Counts and times for Prometheus"),
        ("/openapi.json", "This description"),
    ):
        paths[path] = {"get": {"summary": words, "responses": {"200": {"description": words}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Clew", "version": version("clew")},
        "paths": paths,
        "components": {
            "parameters": {"Session": {"name": "X-Session-ID", "in": "header", "schema": _SESSION}},
            "headers": {"Session": {"schema": _SESSION}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(spec: Spec) -> dict[str, Any]:
    content = {"application/json": {"schema": spec.output_schema}}
    session = {"X-Session-ID": {"$ref": "#/components/headers/Session"}}
    answers = {code: {"description": words, "content": content, "headers": session} for code, words in _ANSWERS.items()}
    wait = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds, when a run is at work"}}
    answers["409"] = {**answers["409"], "headers": {**session, **wait}}
    return {
        "operationId": spec.name,
        "summary": spec.description,
        "parameters": [{"$ref": "#/components/parameters/Session"}],
        "requestBody": {"required": True, "content": {"application/json": {"schema": spec.input_schema}}},
        "responses": answers,
    }
