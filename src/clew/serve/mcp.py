"""The MCP server: the tools, resources and prompts, over the official SDK. Stdio here; `http` mounts it at /mcp.

An envelope is always a result and never an error of the protocol: programs branch on its `status`. Main calls:
`serve_stdio`, `serve_client`, `make_server`.
"""

from __future__ import annotations

import json
import uuid
from functools import partial
from importlib.metadata import version
from typing import Any, TextIO

import anyio
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from clew.config import Config
from clew.serve import resources, schemas
from clew.serve.gates import Envelope
from clew.serve.schemas import Profile, Spec
from clew.serve.workers import Workers

INSTRUCTIONS = (
    "Clew answers questions about code from an index that it checks against the files before every answer. Begin with "
    "search_codebase; use get_symbol for names and search_text for exact text; read_file for what you need in full. "
    "Every answer is an object with `status`. If it is not ok, `message` says why and `hints` has the call that helps. "
    "`path` may be left out when the server runs in a codebase or the scope names one. Globs: *.py and src match at "
    "any depth, src/*.py from the root. max_tokens bounds an answer."
)
WATCH_S = 25.0  # a call that asked for progress waits for its job at most so long, and clients for a call often 60 s
_POLL_S = 0.2
_LISTS_TTL_MS = 3_600_000  # lists of tools, prompts and templates change with a new version only
Context = Any


def serve_stdio(config: Config, profile: Profile) -> None:
    """Serve one client on standard input and output until it goes; it is one session."""
    workers = Workers(config)
    try:
        anyio.run(partial(serve_client, workers, profile))
    finally:
        workers.close()


async def serve_client(
    workers: Workers, profile: Profile, asked: TextIO | None = None, answers: TextIO | None = None
) -> None:
    """Serve one client on these streams, or on the process's own, until it goes; it is one session."""
    connection = str(uuid.uuid4())
    server = make_server(workers, profile, connection=connection)
    streams = (anyio.wrap_file(stream) if stream is not None else None for stream in (asked, answers))
    try:
        async with stdio_server(*streams) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        workers.sessions.clear(connection)


def make_server(workers: Workers, profile: Profile, *, connection: str | None = None) -> Server[Any]:
    """A server for any transport; `connection` names the session of all its requests, unless they name another."""
    asked = _Requests(workers, profile, connection)
    server: Server[Any] = Server(
        "clew",
        version=version("clew"),
        title="Clew",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda name: spec.input_schema if (spec := schemas.by_name(name)) else None,
        on_list_tools=asked.list_tools,
        on_call_tool=asked.call_tool,
        on_list_resources=asked.list_resources,
        on_list_resource_templates=asked.list_resource_templates,
        on_read_resource=asked.read_resource,
        on_list_prompts=asked.list_prompts,
        on_get_prompt=asked.get_prompt,
    )
    server.middleware.clear()  # no telemetry
    return server


class _Requests:
    """One method for each request of the protocol."""

    def __init__(self, workers: Workers, profile: Profile, connection: str | None) -> None:
        self._workers, self._profile, self._connection = workers, profile, connection

    async def list_tools(self, _: Context, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(spec) for spec in schemas.specs(self._profile)], ttl_ms=_LISTS_TTL_MS)

    async def call_tool(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        if schemas.by_name(asked.name) is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {asked.name}")
        envelope = await self._workers.call(asked.name, asked.arguments or {}, **self._who(context))
        wants_progress = (context.meta or {}).get("progress_token") is not None
        if wants_progress and asked.name == "manage_index" and envelope.get("job_id"):
            await self._watch(context, envelope)
        text = types.TextContent(type="text", text=_json(envelope))
        return types.CallToolResult(content=[text], structured_content=envelope)

    async def list_resources(self, _: Context, __: Any) -> types.ListResourcesResult:
        about = "The codebases that are indexed, each with its state."
        found = types.Resource(
            uri=resources.CODEBASES, name="codebases", description=about, mime_type="application/json"
        )
        return types.ListResourcesResult(resources=[found], ttl_ms=_LISTS_TTL_MS)

    async def list_resource_templates(self, _: Context, __: Any) -> types.ListResourceTemplatesResult:
        about = "A file of an indexed codebase; root is its absolute path, percent-encoded."
        drawn = "The definitions that matter most in a codebase, as signatures; its root is percent-encoded"
        found = [
            types.ResourceTemplate(uri_template=resources.FILE_TEMPLATE, name="file", description=about),
            types.ResourceTemplate(uri_template=resources.MAP_TEMPLATE, name="map", description=drawn),
        ]
        return types.ListResourceTemplatesResult(resource_templates=found, ttl_ms=_LISTS_TTL_MS)

    async def read_resource(self, context: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(asked.uri)
        if uri == resources.CODEBASES:
            envelope = await self._workers.call("list_codebases", {}, **self._who(context))
            return _resource(uri, _json(envelope), "application/json")
        path, root = resources.file_of(uri), resources.map_of(uri)
        if path is None and root is None:
            raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri}", {"uri": uri})
        tool, key = ("read_file", "content") if path is not None else ("repo_map", "text")
        envelope = await self._workers.call(tool, {"path": path or root}, **self._who(context))
        if envelope["status"] != "ok":
            raise MCPError(types.INVALID_PARAMS, f"Resource not found: {envelope['message']}", {"uri": uri})
        return _resource(uri, envelope[key], "text/plain")

    async def list_prompts(self, _: Context, __: Any) -> types.ListPromptsResult:
        found = [
            types.Prompt(
                name=name,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=key, description=words, required=True)
                    for key, words in prompt.arguments.items()
                ],
            )
            for name, prompt in resources.PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=found, ttl_ms=_LISTS_TTL_MS)

    async def get_prompt(self, _: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = resources.PROMPTS.get(asked.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {asked.name}")
        try:
            text = types.TextContent(type="text", text=resources.filled(prompt, asked.arguments or {}))
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, f"Prompt {asked.name}: {error}") from error
        message = types.PromptMessage(role="user", content=text)
        return types.GetPromptResult(description=prompt.description, messages=[message])

    def _who(self, context: Context) -> dict[str, str | None]:
        """What names the session, beside an argument."""
        if context.request is None:
            return {"header": None, "connection": self._connection}
        headers = context.request.headers
        return {"header": headers.get("x-session-id"), "connection": headers.get("mcp-session-id")}

    async def _watch(self, context: Context, envelope: Envelope) -> None:
        """Report a job's progress until it ends or this has taken long enough; the envelope then says how far it is."""
        status = {"action": "status", "path": envelope["codebaseRoot"]}
        shown = -1
        with anyio.move_on_after(WATCH_S):
            while True:
                found = await self._workers.ask("manage_index", status)
                job = next((item for item in found.get("jobs", ()) if item["job_id"] == envelope["job_id"]), None)
                if job is None:
                    return
                envelope["progress"] = job["progress"]
                if (job["progress"] or 0) > shown:  # the protocol wants it to grow
                    shown = job["progress"] or 0
                    await context.session.report_progress(shown, 100, job["phase"] or job["state"])
                if job["state"] != "running":
                    envelope |= {"message": f"{envelope['operation']}: {job['state']}", "stats": job["stats"]}
                    return
                await anyio.sleep(_POLL_S)


def _tool(spec: Spec) -> types.Tool:
    return types.Tool(
        name=spec.name,
        description=spec.description,
        input_schema=spec.input_schema,
        output_schema=spec.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=spec.is_read_only,
            destructive_hint=spec.is_destructive,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _resource(uri: str, text: str, kind: str) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=text, mime_type=kind)])


def _json(envelope: Envelope) -> str:
    return json.dumps(envelope, ensure_ascii=False)
