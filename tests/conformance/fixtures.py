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

from clew.serve.mcp import make_server
from clew.serve.workers import Workers

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


async def call_tool(context: Any, asked: types.CallToolRequestParams) -> Answer | None:
    if asked.name in CONTENTS:
        return {"content": CONTENTS[asked.name]}
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


async def get_prompt(_: Any, asked: types.GetPromptRequestParams) -> Answer | None:
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


def _before(server: Server[Any], method: str, play: Any, result: Any) -> None:
    own = server.get_request_handler(method)
    assert own is not None

    async def answer(context: Any, asked: Any) -> Any:
        found = await play(context, asked)
        return await own.handler(context, asked) if found is None else result.model_validate(found)

    server.add_request_handler(method, own.params_type, answer)


def _always(found: Any) -> Any:
    async def answer(_: Any, __: Any) -> Any:
        return found

    return answer
