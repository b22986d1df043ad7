"""What the conformance suite expects to find on a server, beside what Clew has: played tools, resources, prompts.

They are answered by Clew's own server, guard and transport, which are what the suite is to judge.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from clew.serve.mcp import make_server
from clew.serve.workers import Workers
from tests.conformance import rounds

Answer = dict[str, Any]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{number}", "title": f"{word} Option"} for number, word in enumerate(("First", "Second"), 1)]
PERSON = {"username": {"type": "string"}, "email": {"type": "string"}}
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
ENUMS = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def text(words: str) -> Answer:
    return {"type": "text", "text": words}


def resource(uri: str, kind: str, words: str) -> Answer:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


CONTENTS: dict[str, list[Answer]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
}


async def log(context: Any, _: Answer) -> Answer:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the newer revision has no log messages, the suite asks for them
            await context.session.send_log_message("info", words, related_request_id=context.request_id)
        await anyio.sleep(0.05)
    return {"content": [text("logged")]}


async def progress(context: Any, _: Answer) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return {"content": [text("done")]}


async def fail(_: Any, __: Answer) -> Answer:
    return {"isError": True, "content": [text("This tool intentionally returns an error for testing")]}


async def sample(context: Any, given: Answer) -> Answer:
    words = types.TextContent(type="text", text=given["prompt"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = await context.session.create_message(
            [types.SamplingMessage(role="user", content=words)],
            max_tokens=100,
            related_request_id=context.request_id,
        )
    return {"content": [text(f"LLM response: {found.content.text}")]}


def elicit(properties: Answer) -> Callable[[Any, Answer], Awaitable[Answer]]:
    async def ask(context: Any, given: Answer) -> Answer:
        schema = {"type": "object", "properties": properties, "required": []}
        found = await context.session.elicit_form(given.get("message", "please"), schema, context.request_id)
        return {"content": [text(f"Elicitation completed: action={found.action}, content={json.dumps(found.content)}")]}

    return ask


ACTS: dict[str, Callable[[Any, Answer], Awaitable[Answer]]] = {
    "test_tool_with_logging": log,
    "test_tool_with_progress": progress,
    "test_error_handling": fail,
    "test_sampling": sample,
    "test_elicitation": elicit(PERSON),
    "test_elicitation_sep1034_defaults": elicit(DEFAULTS),
    "test_elicitation_sep1330_enums": elicit(ENUMS),
}


async def need_sampling(context: Any, _: Answer) -> Answer:
    able = context.session.client_capabilities
    if able is None or able.sampling is None:
        missing: Answer = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", missing)
    return {"content": [text("Success")]}


async def log_if_asked(context: Any, given: Answer) -> Answer:
    """The newer revision has log messages for requests that name a level, and for no others."""
    if (context.meta or {}).get("io.modelcontextprotocol/logLevel"):
        return await log(context, given)
    return {"content": [text("Logging evaluated")]}


# Tools that the suite looks for in the list, with their schemas.
SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
NOTHING: Answer = {"type": "object", "properties": {}}
HEADED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
LISTED: dict[str, Answer] = {
    "json_schema_2020_12_tool": SCHEMA_2020_12,
    "test_custom_header": HEADED,
    **dict.fromkeys(("test_missing_capability", "test_streaming_elicitation", "test_logging_tool"), NOTHING),
    **dict.fromkeys(rounds.NAMES, NOTHING),
}
ACTS |= {
    "test_missing_capability": need_sampling,
    "test_streaming_elicitation": progress,
    "test_logging_tool": log_if_asked,
    "test_custom_header": lambda _, given: answered(json.dumps(given)),
    "json_schema_2020_12_tool": lambda _, given: answered(json.dumps(given)),
}


async def answered(words: str) -> Answer:
    return {"content": [text(words)]}


async def call_tool(context: Any, asked: types.CallToolRequestParams) -> Answer | None:
    if asked.name in CONTENTS:
        return {"content": CONTENTS[asked.name]}
    if (found := rounds.play(context, asked)) is not None:
        return await answered(found) if isinstance(found, str) else found
    return await ACTS[asked.name](context, asked.arguments or {}) if asked.name in ACTS else None


async def read_resource(_: Any, asked: types.ReadResourceRequestParams) -> Answer | None:
    uri = str(asked.uri)
    if uri == "test://static-text":
        words = "This is the content of the static text resource."
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": words}]}
    if uri == "test://static-binary":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": PNG}]}
    if found := re.fullmatch(r"test://template/(\w+)/data", uri):
        words = json.dumps({"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": words}]}
    return None


async def get_prompt(context: Any, asked: types.GetPromptRequestParams) -> Answer | None:
    if (found := rounds.play(context, asked)) is not None:
        return found if isinstance(found, dict) else {"messages": [{"role": "user", "content": text(found)}]}
    given = asked.arguments or {}
    contents = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            resource(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
    }.get(asked.name)
    return {"messages": [{"role": "user", "content": item} for item in contents]} if contents else None


def make_fixture(workers: Workers) -> Server[Any]:
    """Clew's server with what the suite expects in front of its own."""
    server = make_server(workers, "full")
    _list_too(server)
    _before(server, "tools/call", call_tool, types.CallToolResult)
    _before(server, "resources/read", read_resource, types.ReadResourceResult)
    _before(server, "prompts/get", get_prompt, types.GetPromptResult)
    nothing = _always(types.EmptyResult())
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, nothing)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, nothing)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, nothing)
    completed = _always(types.CompleteResult(completion=types.Completion(values=["paris", "park"], total=2)))
    server.add_request_handler("completion/complete", types.CompleteRequestParams, completed)
    return server


def _list_too(server: Server[Any]) -> None:
    """Played tools in the list, and their schemas where the transport looks for headers."""
    own, schema_of = server.get_request_handler("tools/list"), server.get_tool_input_schema
    assert own is not None and schema_of is not None
    played = [types.Tool(name=name, description="played", input_schema=schema) for name, schema in LISTED.items()]

    async def answer(context: Any, asked: Any) -> types.ListToolsResult:
        found: Any = await own.handler(context, asked)
        return types.ListToolsResult(tools=[*found.tools, *played], ttl_ms=found.ttl_ms)

    server.add_request_handler("tools/list", own.params_type, answer)
    server.get_tool_input_schema = lambda name: LISTED.get(name) or schema_of(name)


def _before(server: Server[Any], method: str, play: Any, result: Any) -> None:
    own = server.get_request_handler(method)
    assert own is not None

    async def answer(context: Any, asked: Any) -> Any:
        found = await play(context, asked)
        if found is None:
            return await own.handler(context, asked)
        return (types.InputRequiredResult if "inputRequests" in found else result).model_validate(found)

    server.add_request_handler(method, own.params_type, answer)


def _always(found: Any) -> Any:
    async def answer(_: Any, __: Any) -> Any:
        return found

    return answer
