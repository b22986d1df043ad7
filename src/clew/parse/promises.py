"""Which functions give a promise of what they say: `async` ones. Main calls: `promise_of`, `promise_all`."""

from __future__ import annotations

import re

from clew.parse.links import PROMISED, SEVERAL, Links
from clew.types import Symbol

_ASYNC_DEF = re.compile(rb"\basync\s+def\s+\Z")
_ASYNC = re.compile(rb"\basync\b")
_HOLDS_ASYNC = re.compile(rb"\s*(?::[^=;{]*)?[=:]\s*async\b")  # `f = async () => …`, `f: async () => …`


def promise_of(content: bytes, symbol: Symbol) -> str:
    """The step from what a function of JavaScript returns to what a call of it gives."""
    is_async = _ASYNC.search(content, symbol.start_byte, symbol.name_byte)
    end = symbol.name_byte + len(symbol.name.encode())
    return PROMISED if is_async or _HOLDS_ASYNC.match(content, end) else ""


def promise_all(content: bytes, symbols: list[Symbol], links: Links) -> None:
    """Let calls of Python's `async` functions give promises; several are given one by one."""
    for giver, path in links.returns.items():
        head = content[symbols[giver].start_byte : symbols[giver].name_byte]
        if _ASYNC_DEF.search(head) and not path.endswith(SEVERAL):
            links.returns[giver] = path + PROMISED
