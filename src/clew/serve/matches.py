"""The answer of an exact search for people and pipes: `path:line:column:text` as ripgrep prints it.

On a terminal a file's matches stand under its name, the matched text in colour. Main calls: `arguments`, `as_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from clew.search.lines import parts_of
from clew.search.pattern import TextQuery, compile_pattern
from clew.serve import caller
from clew.serve.gates import Envelope
from clew.serve.terminal import paint
from clew.serve.tools import MAX_MATCHES


def arguments(pattern: str, path: str | None, flags: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tool's arguments that the flags of `grep` stand for, and the flags that every question takes."""
    asked = {
        "query": pattern,
        "path": path,
        "regex": not flags["is_fixed"],
        "case_sensitive": not flags["any_case"],
        "whole_word": flags["whole_word"],
        "multiline": flags["multiline"],
        "context_lines": flags["context"],
        "max_results": flags["limit"],
        "output": "files" if flags["files"] else "counts" if flags["counts"] else "matches",
    }
    common = ("include", "exclude", "lang", "no_index", "as_json")
    return asked, {name: flags[name] for name in common}


def as_text(asked: Mapping[str, Any]) -> Callable[[Envelope], str]:
    """What is printed for the answer to these arguments."""

    def text(envelope: Envelope) -> str:
        lines = [*_lines(envelope["matches"], asked)]
        if envelope["truncated"]:
            shown = len(envelope["matches"])
            more = "--limit shows more" if shown < MAX_MATCHES else "--include or a directory asks less"
            note = f"{shown} shown, there are more; {more}"
            if caller.out().isatty():
                lines += ["", paint(note, "dim")]  # below, where it is read
            else:
                print(note, file=caller.err())
        return "\n".join(lines)

    return text


def _lines(matches: list[Envelope], asked: Mapping[str, Any]) -> Iterator[str]:
    if asked["output"] == "files":
        return (paint(item["path"], "path") for item in matches)
    if asked["output"] == "counts":
        return (f"{paint(item['path'], 'path')}:{item['count']}" for item in matches)
    return _under_headings(matches, _lit(asked)) if caller.out().isatty() else _plain(matches)


def _plain(matches: list[Envelope]) -> Iterator[str]:
    """`path:line:column:text`; lines around a match have dashes, and `--` stands between parts that do not touch."""
    if not any(item["before"] or item["after"] or "\n" in item["text"] for item in matches):  # each line is there once
        yield from (f"{item['path']}:{item['line']}:{item['column']}:{item['text']}" for item in matches)
        return
    for rows in _blocks(matches):
        if rows is None:
            yield "--"
            continue
        for item, line, column, text in rows:
            yield f"{item['path']}:{line}:{column}:{text}" if column else f"{item['path']}-{line}-{text}"


def _under_headings(matches: list[Envelope], lit: Callable[[str], str]) -> Iterator[str]:
    path = None
    for rows in _blocks(matches):
        if rows is None:
            yield paint("--", "dim")
            continue
        for item, line, column, text in rows:
            if item["path"] != path:
                yield from ([] if path is None else [""])
                path = item["path"]
                yield paint(path, "path")
            yield f"{paint(str(line), 'line')}:{column}:{lit(text)}" if column else paint(f"{line}-{text}", "dim")


Row = tuple[Envelope, int, int, str]  # a match, the line, its column (0: a line around a match), its text


def _blocks(matches: list[Envelope]) -> Iterator[list[Row] | None]:
    """Lines to print, each once, in order; None between parts that do not touch, where there is context."""
    has_context = any(item["before"] or item["after"] for item in matches)
    rows: dict[int, Row] = {}
    for place, item in enumerate(matches):
        first = item["line"] - len(item["before"])
        text = item["text"].split("\n")
        if rows and (matches[place - 1]["path"] != item["path"] or first > max(rows) + 1):
            yield [rows[line] for line in sorted(rows)]
            yield from ([None] if has_context else [])
            rows = {}
        last = item["line"] + len(text)
        around = [*enumerate(item["before"], first), *enumerate(item["after"], last)]
        rows |= {line: (item, line, 0, shown) for line, shown in around if line not in rows}
        rows |= {
            item["line"] + i: (item, item["line"] + i, item["column"] if not i else 1, t) for i, t in enumerate(text)
        }
    if rows:
        yield [rows[line] for line in sorted(rows)]


def _lit(asked: Mapping[str, Any]) -> Callable[[str], str]:
    """Lights up what was looked for."""
    flags = (asked[name] for name in ("query", "regex", "case_sensitive", "whole_word", "multiline"))
    pattern = compile_pattern(TextQuery(*flags))

    def lit(line: str) -> str:
        shown, at = "", 0
        for start, stop in parts_of(pattern, line):
            shown += line[at:start] + paint(line[start:stop], "match")
            at = stop
        return shown + line[at:]

    return lit
