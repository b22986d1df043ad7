"""Answers for people: `path:line` that editors open, colour on a terminal, none in a pipe."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from clew import tokens
from clew.serve import caller
from clew.serve.gates import Envelope

_SNIPPET_LINES = 8
_STYLES = {"path": "35", "line": "32", "symbol": "1;36", "match": "1;33", "dim": "2", "bad": "1;31", "good": "1;32"}
_WORD = re.compile(r"\w+")


def paint(text: str, style: str) -> str:
    """Text in a colour, if the standard output is a terminal that wants it."""
    served = caller.now()
    is_coloured = _colours() if served is None else served.has_colours
    return f"\033[{_STYLES[style]}m{text}\033[0m" if is_coloured and text else text


@lru_cache(maxsize=1)
def _colours() -> bool:
    return wants_colours(os.environ, sys.stdout.isatty())


def wants_colours(variables: Mapping[str, str], is_terminal: bool) -> bool:
    """Whether an answer is coloured where these variables of the environment hold."""
    if variables.get("NO_COLOR"):
        return False
    return bool(variables.get("FORCE_COLOR")) or (is_terminal and variables.get("TERM") != "dumb")


def place(path: str, line: int) -> str:
    """`path:line`, coloured."""
    return f"{paint(path, 'path')}:{paint(str(line), 'line')}"


def hits(query: str) -> Callable[[Envelope], str]:
    """Search results as text, with what the query, if any, looked for lit up."""

    def as_text(envelope: Envelope) -> str:
        from clew.search.query import parse_query

        return _hits(envelope, parse_query(query).terms if query else ())

    return as_text


def _hits(envelope: Envelope, terms: tuple[str, ...]) -> str:
    """Place, symbol, and the lines that matter."""
    blocks = []
    for hit in envelope["results"]:
        title = place(hit["path"], hit["start_line"])
        if hit["symbol"]:
            title += f"  {paint(hit['kind'], 'dim')} {paint(hit['symbol'], 'symbol')}"
        if not hit["fresh"]:
            title += paint("  (changed since it was indexed)", "bad")
        lines = [title, snippet(hit["snippet"], hit["start_line"], terms)]
        if hit["functions"]:
            nested = ", ".join(f"{item['symbol']}:{item['start_line']}" for item in hit["functions"])
            lines.append(paint(f"        also here: {nested}", "dim"))
        if hit["also"]:
            lines.append(paint(f"        the same in: {', '.join(hit['also'])}", "dim"))
        if hit["near"]:
            lines.append(paint(f"        nearly the same: {', '.join(hit['near'])}", "dim"))
        if "explain" in hit:
            parts = sorted(hit["explain"].items(), key=lambda item: -abs(item[1]))
            shown = "  ".join(f"{name} {value:+.2f}" for name, value in parts if value)
            lines.append(paint(f"        {hit['score']:.2f} = {shown}", "dim"))
        blocks.append("\n".join(lines))
    if envelope["truncated"]:
        flag = "a larger --max-tokens" if "omitted" in envelope or "snippets_cut" in envelope else "--limit"
        many, total = len(envelope["results"]), envelope["total"]
        count = f"{many} of {total} hits" if total > many else f"{many} hits, there are others"  # not counted
        blocks.append(paint(f"{count}; {flag} shows more", "dim"))
    return "\n\n".join(blocks)


def snippet(text: str, start_line: int, terms: tuple[str, ...]) -> str:
    """The most telling lines of a hit, numbered, the matches lit up."""
    lines = [line.rstrip("\r") for line in text.split("\n")]  # not splitlines: a form feed ends no line
    first = _best_window(lines, frozenset(terms))
    shown = lines[first : first + _SNIPPET_LINES]
    numbered = [
        f"{paint(f'{start_line + first + i:>6}', 'dim')}  {light_up(line[:200], frozenset(terms))}"
        for i, line in enumerate(shown)
    ]
    rest = len(lines) - first - len(shown)
    if rest > 0:
        numbered.append(paint(f"     …  {rest} more lines", "dim"))
    return "\n".join(numbered)


def light_up(line: str, terms: frozenset[str]) -> str:
    """A line with every word that matches a term in colour."""

    def lit(match: re.Match[str]) -> str:
        return paint(match[0], "match") if terms.intersection(tokens.terms_of(match[0])) else match[0]

    return _WORD.sub(lit, line)


def _best_window(lines: list[str], terms: frozenset[str]) -> int:
    """Where to start so that most different terms are in view; the top wins a tie."""
    if len(lines) <= _SNIPPET_LINES:
        return 0
    found = [{term for word in _WORD.findall(line) for term in tokens.terms_of(word)} & terms for line in lines]
    best, best_count = 0, len(set().union(*found[:_SNIPPET_LINES]))
    for first in range(1, len(lines) - _SNIPPET_LINES + 1):
        count = len(set().union(*found[first : first + _SNIPPET_LINES]))
        if count > best_count:
            best, best_count = first, count
    return best


def symbols(envelope: Envelope) -> str:
    """Definitions, one block each."""
    blocks = []
    for item in envelope["symbols"]:
        head = f"{place(item['path'], item['start_line'])}  {paint(item['kind'], 'dim')} "
        text = f"{head}{paint(item['qualified_name'], 'symbol')}\n        {item['signature']}"
        blocks.append(text + (f"\n        {paint(item['doc'], 'dim')}" if item["doc"] else ""))
    return "\n".join(blocks)


def outline(envelope: Envelope) -> str:
    """The tree of a file's definitions."""
    lines: list[str] = []
    stack = [(item, 0) for item in reversed(envelope["symbols"])]
    while stack:
        item, depth = stack.pop()
        number = paint(f"{item['start_line']:>6}", "line")
        lines.append(f"{number}  {'  ' * depth}{paint(item['kind'], 'dim')} {paint(item['name'], 'symbol')}")
        stack += [(child, depth + 1) for child in reversed(item["children"])]
    return "\n".join(lines) or paint(f"{envelope['file']} has no definitions ({envelope['language']})", "dim")


def paths(envelope: Envelope) -> str:
    """One path a line."""
    lines = [item["path"] for item in envelope["items"]]
    if envelope["truncated"]:
        print(f"{len(lines)} of {envelope['total']} paths; --limit shows more", file=caller.err())
    return "\n".join(lines)


def content(envelope: Envelope) -> str:
    """A file's text as it is."""
    if envelope["truncated"]:
        where = f"{envelope['end_line']} of {envelope['total_lines']}"
        print(f"cut at line {where}; --lines shows more", file=caller.err())
    if "symbols" not in envelope:
        return str(envelope["content"])
    lines = enumerate(str(envelope["content"]).split("\n"), envelope["start_line"])
    return "\n".join([outline(envelope), "", *(f"{paint(f'{number:>6}', 'dim')}  {line}" for number, line in lines)])


def run(envelope: Envelope, seconds: float) -> str:
    """What a run did, in one line and a few counts."""
    stats = envelope["stats"]
    changes = [f"{stats[key]} {key}" for key in ("added", "modified", "moved", "removed", "failed") if stats[key]]
    what = ", ".join(changes) if changes else "nothing changed"
    lines = [
        f"{paint('indexed', 'good')} {envelope['codebaseRoot']} in {seconds:.1f} s: {what}",
        f"        {stats['files']} files, {stats['symbols']} symbols, {stats['chunks']} chunks",
    ]
    if stats["embedded"]:
        lines.append(f"        {stats['embedded']} texts embedded by the provider")
    if stats["skipped"]:
        left = ", ".join(f"{count} {reason}" for reason, count in sorted(stats["skipped"].items()))
        lines.append(paint(f"        noted: {left} (`clew status` counts them)", "dim"))
    return "\n".join(lines)


def state(envelope: Envelope) -> str:
    """Everything `status` knows, for reading."""
    counts = envelope["counts"]
    good = envelope["bucket"] == "Ready"
    rows: list[tuple[str, Any]] = [
        ("state", paint(envelope["state"], "good" if good else "bad") + f" (proof: {envelope['proof']})"),
        ("files", counts["files"]),
        ("symbols", counts["symbols"]),
        ("chunks", counts["chunks"]),
        ("languages", ", ".join(f"{name} {count}" for name, count in envelope["languages"].items()) or "none"),
        ("noted", ", ".join(f"{name} {count}" for name, count in envelope["skipped"].items()) or "nothing"),
        ("model", _model(envelope["fingerprint"])),
        ("snapshot", f"generation {envelope['generation']}, head {envelope['head'][:12] or 'no-head'}"),
        ("updated", envelope["updated_at"]),
        ("store", f"{envelope['store']} ({envelope['size_bytes'] / 1e6:.1f} MB)"),
    ]
    lines = [paint(envelope["codebaseRoot"], "path")]
    if "indexing" in envelope:
        rows.insert(1, ("progress", _progress(envelope["indexing"]["progressPct"], envelope["indexing"]["phase"])))
    lines += [f"  {name:<10} {value}" for name, value in rows]
    lines += [f"  {'job':<10} {_job(item)}" for item in envelope["jobs"][:3]]
    if "message" in envelope:
        lines.append(paint(f"  {envelope['message']}", "bad"))
    return "\n".join(lines)


def _model(fingerprint: Envelope) -> str:
    if not fingerprint.get("embeddingDimension"):
        return "none"
    beside = f", beside {fingerprint['embeddingBase']}" if "embeddingBase" in fingerprint else ""
    named = f"{fingerprint['embeddingProvider']} {fingerprint['embeddingModel']}"
    return f"{named}, {fingerprint['embeddingDimension']} numbers{beside}"


def jobs(envelope: Envelope) -> str:
    """One job a line, newest first."""
    return "\n".join(_job(item) for item in envelope["jobs"]) or paint("no job was ever run on it", "dim")


def _job(item: Envelope) -> str:
    style = {"completed": "good", "running": "line"}.get(item["state"], "bad")
    what = f"{item['started_at']}  {item['operation']:<8} {paint(item['state'], style)}"
    if item["state"] in ("running", "interrupted"):
        what += f"  {_progress(item['progress'], item['phase'])}"
    if item["stats"]:
        changes = [f"{item['stats'][key]} {key}" for key in ("added", "modified", "moved", "removed", "failed")]
        what += "  " + (", ".join(part for part in changes if not part.startswith("0 ")) or "nothing changed")
    if item["error"]:
        what += f"  {item['error']}"
    return f"{what}  {paint(item['job_id'], 'dim')}"


def _progress(percent: int | None, phase: str | None) -> str:
    return (phase or "") + (f", {percent} %" if percent is not None else "")


def codebases(envelope: Envelope) -> str:
    """Codebases under their headings."""
    if not envelope["codebases"]:
        return "no codebase is indexed yet; `clew index PATH` makes one"
    lines: list[str] = []
    for heading in ("Ready", "Indexing", "Requires Reindex", "Failed"):
        rows = [row for row in envelope["codebases"] if row["bucket"] == heading]
        if rows:
            lines.append(paint(heading, "good" if heading == "Ready" else "bad"))
            lines += [f"  {row['root']}  {row['files']} files, {row['chunks']} chunks" for row in rows]
    return "\n".join(lines)


def health(envelope: Envelope) -> str:
    """Checks with their verdicts, then the settings."""
    lines = [
        f"{paint('ok  ', 'good') if check['ok'] else paint('BAD ', 'bad')} {check['subject']}: {check['message']}"
        for check in envelope["checks"]
    ]
    lines += [f"     {name} = {item['value']} ({item['source']})" for name, item in envelope["settings"].items()]
    return "\n".join(lines)
