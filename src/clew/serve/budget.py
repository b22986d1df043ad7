"""Keeps an answer within its tokens: what is worth least goes first, and what was cut is counted. Main call: `fit`.

Tokens are characters / 4, of the answer as JSON."""

from __future__ import annotations

import json
from typing import Any

from clew.errors import BadInput
from clew.serve import envelopes
from clew.serve.gates import Envelope

MAX_TOKENS = 25_000  # of any answer, whatever is asked
MIN_TOKENS = 500  # less has no room for what every answer has
CHARS_PER_TOKEN = 4
GLANCE_LINES = 12  # of a snippet: these of a later hit are worth more than further ones of an earlier
_LISTS = (  # what goes first comes first
    "results", "matches", "items", "notes", "edges", "nodes", "references", "imports", "files", "exports", "cycles",
    "reaches", "depends_on", "symbols",
    "definitions", "codebases", "candidates", "jobs", "transitions",
)  # fmt: skip
_CONTENT = frozenset({*_LISTS, "content", "text"})
_NOTICE_CHARS = 100  # for what says that snippets were cut
_NAMES = (20, 3, 0)  # other paths and definitions of a hit: so many, or fewer where not one hit would fit
_MAX_ITEMS = 20  # of a list that is no content: globs, warnings
_MAX_TEXT = 500  # of a text that is no content: a path or a message


def fit(envelope: Envelope, max_tokens: int = MAX_TOKENS) -> Envelope:
    """The envelope, cut where it is larger; `omitted` says how many entries, `truncated` that there are more."""
    room = max(MIN_TOKENS, min(max_tokens, MAX_TOKENS)) * CHARS_PER_TOKEN
    if size(envelope) <= room:
        return envelope
    action = envelope.get("recommended_next_action")
    envelope = {key: value if key in _CONTENT else _short(value) for key, value in envelope.items()}
    if action is not None and envelope["recommended_next_action"] != action:
        envelope["recommended_next_action"] = None  # a call that was cut cannot be made
    if "results" in envelope:
        _pack(envelope, room)
    elif "content" in envelope:
        _cut_content(envelope, room)
    elif isinstance(envelope.get("text"), str):
        _cut_map(envelope, room)
    for key in _LISTS:
        if size(envelope) > room and isinstance(envelope.get(key), list):
            _cut_list(envelope, key, room)
    return envelope


def checked(most: object) -> int:
    """A number of tokens that an answer may be asked to fit, or a `BadInput`."""
    if not isinstance(most, int) or isinstance(most, bool) or most < MIN_TOKENS:
        raise BadInput(f"max_tokens must be a number from {MIN_TOKENS} up")
    return most


def too_small(tokens: int) -> BadInput:
    """What is said where there are entries, and not one of them fits."""
    return BadInput(f"not one entry fits into {tokens} tokens; ask for more `max_tokens`, or read the file")


def size(value: Any) -> int:
    """The characters of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False))


def _pack(envelope: Envelope, room: int) -> None:
    """Every hit keeps its place; first all get a glance of their lines, then the best get the rest."""
    found = [{**hit, "snippet": ""} for hit in envelope["results"]]
    whole = [hit["snippet"] for hit in envelope["results"]]
    omitted = envelope.get("omitted", 0)
    for most in _NAMES:
        envelope |= {"results": [_with_few_names(hit, most) for hit in found], "omitted": omitted}
        _cut_list(envelope, "results", room - _NOTICE_CHARS)
        if envelope["results"]:
            break
    if not envelope["omitted"]:
        del envelope["omitted"]
    hits = envelope["results"]
    left = room - size(envelope) - _NOTICE_CHARS
    for lines in (GLANCE_LINES, None):
        for hit, text in zip(hits, whole, strict=False):
            left += size(hit["snippet"])
            wanted = _lines_within(text.split("\n")[:lines], left)
            if len(wanted) > len(hit["snippet"]):
                hit["snippet"] = wanted
            left -= size(hit["snippet"])
    cut = sum(hit["snippet"] != text for hit, text in zip(hits, whole, strict=False))
    if cut:
        envelope["snippets_cut"] = cut
        envelope["truncated"] = True


def _with_few_names(hit: Envelope, most: int) -> Envelope:
    """A hit with at most so many other paths and definitions in each list, and how many that leaves out."""
    lists = {key: hit[key] for key in ("functions", "also", "near") if len(hit.get(key, ())) > most}
    if not lists:
        return hit
    cut = sum(len(names) - most for names in lists.values())
    return {**hit, **{key: names[:most] for key, names in lists.items()}, "names_cut": cut}


def _lines_within(lines: list[str], room: int) -> str:
    """As many lines as fit, as one text."""
    kept, used = 0, 0
    for line in lines:
        used += size(line)  # two quotes too many for each, and two characters too few for the end of the line before
        if used > room:
            break
        kept += 1
    return "\n".join(lines[:kept])


def _cut_content(envelope: Envelope, room: int) -> None:
    """As many whole lines as fit, and how to go on; definitions that begin after them go, and do not count."""
    symbols = envelope.pop("symbols", None)
    if symbols is not None:
        _cut_lines(envelope, room - min(size(symbols), room // 3))
        envelope["symbols"] = _begun(symbols, envelope["end_line"])
    else:
        _cut_lines(envelope, room)


def _begun(symbols: list[Envelope], line: int) -> list[Envelope]:
    """Definitions that begin up to a line."""
    kept = [symbol for symbol in symbols if symbol["start_line"] <= line]
    return [{**symbol, "children": _begun(symbol["children"], line)} for symbol in kept]


def _cut_lines(envelope: Envelope, room: int) -> None:
    lines = envelope["content"].split("\n")  # not splitlines: a form feed ends no line
    envelope["content"] = ""
    left = room - size(envelope) - 300  # for what says that it was cut
    kept, used = 0, 0
    for line in lines:
        used += size(line)
        if used > left:
            break
        kept += 1
    if kept == len(lines):
        envelope["content"] = "\n".join(lines)
        return
    first = envelope["start_line"]
    envelope |= {"truncated": True, "omitted": len(lines) - kept, "end_line": first + max(kept, 1) - 1}
    if kept:
        envelope["content"] = "\n".join(lines[:kept])
        envelope["message"] = envelopes.go_on(envelope["end_line"], envelope["total_lines"])
    else:
        envelope["content"] = lines[0][: max(left // 6, 0)]  # a character is at most six in JSON
        envelope["message"] = f"line {first} alone is too long for one answer; search_text shows parts of it"


def _cut_map(envelope: Envelope, room: int) -> None:
    """A map's text is worth more than its definitions one by one; of it as many whole lines as fit."""
    _cut_list(envelope, "symbols", room)
    if size(envelope) > room:
        lines = envelope["text"].split("\n")
        envelope["text"] = ""
        envelope["text"] = _lines_within(lines, room - size(envelope) - 60)
        left_out = len(lines) - envelope["text"].count("\n") - 1
        envelope |= {"omitted": envelope.get("omitted", 0) + left_out, "truncated": True}


def _cut_list(envelope: Envelope, key: str, room: int) -> None:
    """As many entries as fit, from the first; of one that is too large, as many children."""
    entries: list[Any] = envelope[key]
    envelope[key] = []
    kept, _, omitted = _fitting(entries, room - size(envelope) - 60)  # 60: for what says that it was cut
    envelope[key] = kept
    if omitted:
        envelope["omitted"] = envelope.get("omitted", 0) + omitted
        envelope["truncated"] = True


def _fitting(entries: list[Any], room: int) -> tuple[list[Any], int, int]:
    """Entries that fit, the room that is left, and how many are left out, children among them."""
    kept: list[Any] = []
    for place, entry in enumerate(entries):
        needed = size(entry) + 2
        if needed <= room:
            kept.append(entry)
            room -= needed
            continue
        head = {**entry, "children": []} if isinstance(entry, dict) and entry.get("children") else None
        if head is None or size(head) + 2 > room:
            return kept, room, sum(map(_count, entries[place:]))
        children, room, omitted = _fitting(entry["children"], room - size(head) - 2)
        kept.append({**entry, "children": children})
        return kept, room, omitted + sum(map(_count, entries[place + 1 :]))
    return kept, room, 0


def _count(entry: Any) -> int:
    children = entry.get("children", ()) if isinstance(entry, dict) else ()
    return 1 + sum(map(_count, children))


def _short(value: Any) -> Any:
    """Texts that are no content, where somebody sent very long ones."""
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        return f"{value[:_MAX_TEXT]}… [{len(value)} characters]"
    if isinstance(value, dict):
        return {_short(key): _short(item) for key, item in value.items()}
    if isinstance(value, list) and len(value) > _MAX_ITEMS:
        return [*map(_short, value[:_MAX_ITEMS]), f"… [{len(value)} entries]"]
    return [_short(item) for item in value] if isinstance(value, list) else value
