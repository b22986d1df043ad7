"""Played tools and a prompt that ask their client for something first, as revision 2026-07-28 has it.

The answer to the first request says what is needed, in `inputRequests`; the client asks again with `inputResponses`.
What a server must remember goes along in `requestState`, signed, since it comes back from outside.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.shared.exceptions import MCPError

Answer = dict[str, Any]
_KEY = secrets.token_bytes(32)


def ask_name(message: str, field: str, kind: str = "string") -> Answer:
    """What a form asks a person for."""
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def ask_model(words: str) -> Answer:
    """What the client's model is asked."""
    messages = [{"role": "user", "content": {"type": "text", "text": words}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}}


ASK_ROOTS: Answer = {"method": "roots/list", "params": {}}
ASK_USER = {"user_name": ask_name("What is your name?", "name")}
# What each tool needs before it answers: requests, and whether a state goes along.
NEEDS: dict[str, tuple[Answer, bool]] = {
    "test_input_required_result_elicitation": (ASK_USER, False),
    "test_input_required_result_sampling": ({"sample_request": ask_model("What is the capital of France?")}, False),
    "test_input_required_result_list_roots": ({"roots_request": ASK_ROOTS}, False),
    "test_input_required_result_request_state": ({"confirm": ask_name("Please confirm", "ok", "boolean")}, True),
    "test_input_required_result_tampered_state": ({"confirm": ask_name("Please confirm", "ok", "boolean")}, True),
    "test_input_required_result_multiple_inputs": (
        {**ASK_USER, "greeting": ask_model("Generate a greeting"), "client_roots": ASK_ROOTS},
        True,
    ),
    "test_input_required_result_prompt": (
        {"user_context": ask_name("What context should the prompt use?", "context")},
        False,
    ),
}
DONE = {
    "test_input_required_result_request_state": "state-ok",
    "test_input_required_result_tampered_state": "integrity-ok",
}
STEPS = [{"step1": ask_name("Step 1: your name?", "name")}, {"step2": ask_name("Step 2: your colour?", "color")}]
MULTI_ROUND, CAPABILITIES = "test_input_required_result_multi_round", "test_input_required_result_capabilities"
NAMES = (*(name for name in NEEDS if not name.endswith("_prompt")), MULTI_ROUND, CAPABILITIES)


def play(context: Any, asked: Any) -> str | Answer | None:
    """Words for an answer, or what is needed for one; None for what is not played here."""
    given = {key: value.model_dump(mode="json", by_alias=True) for key, value in (asked.input_responses or {}).items()}
    state = _opened(asked.request_state)
    if asked.name == MULTI_ROUND:
        return _multi_round(given, state)
    if asked.name == CAPABILITIES:
        return _by_capabilities(context, given)
    if asked.name not in NEEDS:
        return None
    needed, has_state = NEEDS[asked.name]
    if all(_is_given(given.get(key), request) for key, request in needed.items()) and (state or not has_state):
        return f"{DONE.get(asked.name, 'done')}: {json.dumps(given)}"
    return _needed(needed, {"tool": asked.name} if has_state else None)


def _multi_round(given: Answer, state: Answer | None) -> str | Answer:
    step = state["step"] if state else 0
    if state and given.keys() >= STEPS[step - 1].keys():
        state["heard"].append(given)
    elif state:
        step = 0  # begins anew
    if step == len(STEPS):
        return f"complete: {json.dumps(state)}"
    return _needed(STEPS[step], {"step": step + 1, "heard": state["heard"] if state else []})


def _by_capabilities(context: Any, given: Answer) -> str | Answer:
    """Only what the client says that it can do is asked for."""
    able = context.session.client_capabilities
    needed: Answer = {}
    if able is not None and able.elicitation is not None:
        needed["elicit_input"] = ask_name("A value?", "value")
    if able is not None and able.sampling is not None:
        needed["sample_input"] = ask_model("Sample request")
    return _needed(needed, {"tool": CAPABILITIES}) if needed and not given else f"capabilities-ok: {sorted(given)}"


def _is_given(response: Answer | None, request: Answer) -> bool:
    """Whether a client answered this request, in the shape that it asks for."""
    if response is None:
        return False
    if request["method"] != "elicitation/create":
        return True
    wanted = request["params"]["requestedSchema"]["properties"]
    types_ = {"string": str, "boolean": bool}
    content = response.get("content") or {}
    return all(isinstance(content.get(field), types_[schema["type"]]) for field, schema in wanted.items())


def _needed(requests: Answer, state: Answer | None) -> Answer:
    kept = {} if state is None else {"requestState": _sealed(state)}
    return {"resultType": "input_required", "inputRequests": requests, **kept}


def _sealed(state: Mapping[str, Any]) -> str:
    text = json.dumps(state)
    return f"{hmac.new(_KEY, text.encode(), hashlib.sha256).hexdigest()}.{text}"


def _opened(sealed: str | None) -> Answer | None:
    if sealed is None:
        return None
    signature, _, text = sealed.partition(".")
    if not hmac.compare_digest(signature, hmac.new(_KEY, text.encode(), hashlib.sha256).hexdigest()):
        raise MCPError(types.INVALID_PARAMS, "requestState is not what this server gave out")
    found: Answer = json.loads(text)
    return found
