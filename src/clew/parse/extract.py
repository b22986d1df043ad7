"""From the bytes of one blob to its facts: symbols, imports, uses, interface hash and chunks.

One parse and one query run per blob; everything else is arithmetic on byte offsets. It resolves nothing
across files and does not know the blob's path. Main call: `extract`.

Query files (`queries/*.scm`) speak this vocabulary:
  @def.KIND      a definition, whole; its @name lies inside it, and so may a @scope (a Go receiver)
  @def.equation  a clause or type signature of a function: neighbours of one name make one function
  @def.prototype a function declared without its body; inside a function it is taken for a variable
  @outer         what wraps a definition and counts as its beginning (a C++ template)
  @doc           a docstring inside the definition; else the comments right above it count
  @doc.before    a docstring of the next definition
  @comment       a comment
  @import        an import statement, holding @import.module, @import.name, @import.alias, @import.all,
                 @import.default (the name given to what the module exports by default), @import.tree (Rust's)
  @call @type @ref   the name node of a call, a type or any other use
"""

from __future__ import annotations

import re
from itertools import accumulate
from operator import sub
from typing import Any, NamedTuple

from clew import native, tokens
from clew.parse import grammars
from clew.parse.binding import collect_links
from clew.parse.bound import Read
from clew.parse.chunks import plan_chunks
from clew.parse.comments import Comments, head_comment
from clew.parse.imports import collect_imports
from clew.parse.languages import LANGUAGES, Language
from clew.parse.links import no_links, pack_links
from clew.parse.macros import without_macros
from clew.parse.symbols import collect_symbols, interface_hash
from clew.parse.uses import collect_uses, pack_uses
from clew.types import Chunk, Facts, Symbol

WITH_MACROS = frozenset({"c", "cpp"})
MAX_ROWS = 65_535  # symbols, imports or chunks: ordinals are 16 bits wide in the store
MAX_NAMES = 400  # definitions whose names stand for the file
MAX_DEPTH = 1_000  # of brackets
MAX_YAML_DEPTH = 200  # of blocks: the parser reads 253, and ends its process at the next
_HARMLESS_BYTES = MAX_YAML_DEPTH  # what is no larger keeps no parser busy
_LONG_LINE = 100_000  # bytes, when that is most of the blob; JSON is read well in one line
_DATA_BYTES = 16_384  # smaller data is parsed like anything else
_OF_NUMBERS = b"0123456789abcdefxuABCDEFXU,;+-. \t\r\n[](){}"
_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_DEPTH_STEP = {byte: 1 if byte in b"([{" else -1 for byte in b"([{}])"}
_QUOTES = (b'"', b"'", b"`")
_ESCAPED = re.compile("[\udc80-\udcff]")
_YAML_BLOCK = re.compile(rb"[-?:](?=\s|\Z)")  # what opens a block


class _Names(NamedTuple):
    """What is kept of the names in a blob: `Facts` says what these are."""

    uses: bytes = b""
    links: tuple[bytes, list[Any]] = (b"", [])


def extract(content: bytes, language: str) -> Facts:
    """All facts of a blob read as `language`; unknown languages get plain chunks."""
    starts = line_starts(content)
    grammar = grammars.load(LANGUAGES[language]) if language in LANGUAGES else None
    if grammar is None:
        return _assemble(content, starts, [], [], _Names(), frozenset(), ())
    obstacle = _obstacle(content, starts, LANGUAGES[language]) if len(content) > _HARMLESS_BYTES else ""
    if obstacle:
        return _assemble(content, starts, [], [], _Names(), frozenset(), (obstacle,))
    source = without_macros(content) if language in WITH_MACROS else content
    root = grammar.parse(source)
    try:
        captures = grammar.captures(root)
    except UnicodeDecodeError:  # a predicate of the query met bytes that are no text
        root = grammar.parse(_readable(source))
        captures = grammar.captures(root)
    diagnostics = ("syntax_error",) if root.has_error else ()
    comments = Comments(content, starts, captures.get("comment", []))
    symbols = collect_symbols(content, starts, captures, comments)
    if len(symbols) > MAX_ROWS:
        symbols, diagnostics = symbols[:MAX_ROWS], (*diagnostics, "too_many_symbols")
    imports = collect_imports(content, starts, captures)
    if len(imports) > MAX_ROWS:
        imports, diagnostics = imports[:MAX_ROWS], (*diagnostics, "too_many_imports")
    names = {symbol.name_byte for symbol in symbols}
    if "def.equation" in captures:
        names.update(node.start_byte for node in captures.get("name", ()))
    names |= {byte - 1 for byte in names if content[byte - 1 : byte] in _QUOTES}  # a quoted name starts there
    uses = collect_uses(captures, names)
    read = Read(content, language, symbols, imports, captures)
    links = collect_links(read, uses) if grammar.has_scopes else no_links()
    about = head_comment(content, starts, comments.lines)
    named = _Names(pack_uses(uses), (pack_links(links), links.attributes[: MAX_ROWS - len(symbols)]))
    return _assemble(content, starts, symbols, imports, named, comments.lines, diagnostics, about)


def _obstacle(content: bytes, starts: list[int], language: Language) -> str:
    """What would keep a parser busy for minutes, if anything: it cannot be interrupted."""
    if len(content) > _LONG_LINE and language.name != "json":
        longest = max(map(sub, [*starts[1:], len(content)], starts))
        if longest > max(_LONG_LINE, len(content) // 2):
            return "long_line"
    if len(content) > _DATA_BYTES and language.role == "code":
        rest = len(content.translate(None, _OF_NUMBERS))  # a bare list of numbers defines nothing
        if rest * 50 < len(content) and b"=" not in content[:_DATA_BYTES]:
            return "data"
    if language.name == "yaml" and any(_yaml_depth(line) > MAX_YAML_DEPTH for line in content.splitlines()):
        return "too_deep"
    brackets = content.translate(None, _NO_BRACKETS)
    if len(brackets) > MAX_DEPTH and max(accumulate(map(_DEPTH_STEP.__getitem__, brackets))) > MAX_DEPTH:
        return "too_deep"
    return ""


def _yaml_depth(line: bytes) -> int:
    """At most so many blocks are open at the end of a line: each begins further to the right than the one around it."""
    if len(line) <= MAX_YAML_DEPTH:
        return len(line)
    return len(line) - len(line.lstrip()) + len(_YAML_BLOCK.findall(line))


def _readable(content: bytes) -> bytes:
    """The content with a question mark for each byte that is no UTF-8, so that every offset stays."""
    return _ESCAPED.sub("?", content.decode("utf-8", "surrogateescape")).encode()


def is_utf8(content: bytes) -> bool:
    """Whether the content decodes; if not it is read all the same, and that is noted."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def line_starts(content: bytes) -> list[int]:
    """The byte offset at which each line starts."""
    if native.kernels is not None:
        starts: list[int] = native.kernels.line_starts(content)
        return starts
    lengths = [len(line) + 1 for line in content.split(b"\n")]
    return list(accumulate(lengths[:-1], initial=0))


def _assemble(
    content: bytes,
    starts: list[int],
    symbols: list[Symbol],
    imports: list[Any],
    named: _Names,
    leading_lines: frozenset[int],
    diagnostics: tuple[str, ...],
    about: bytes = b"",
) -> Facts:
    chunks: list[Chunk] = []
    for first, last, owner in plan_chunks(content, starts, symbols, leading_lines):
        start = starts[first]
        end = starts[last + 1] if last + 1 < len(starts) else len(content)
        terms = tokens.pack_document(symbols[owner].qualified if owner >= 0 else "", content[start:end])
        chunks.append(Chunk(start, end, first + 1, last + 1, owner, *terms))
    if not is_utf8(content):
        diagnostics = (*diagnostics, "non_utf8")
    names = "\n".join([symbol.name for symbol in symbols][:MAX_NAMES]).encode()
    return Facts(
        symbols,
        imports,
        chunks,
        *named,
        interface_hash(symbols),
        tokens.pack_text(names),
        tokens.pack_text(about),
        diagnostics,
    )
