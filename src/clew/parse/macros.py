"""Blanks macros that stand where C and C++ allow none, so that a parser which expands nothing still sees the code.

Every offset stays: a macro becomes as many spaces. Only names in capitals count, and only in places where
they cannot be a value. Main call: `without_macros`.
"""

from __future__ import annotations

import re

_CALL = rb"(?:[ \t]*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?"
_MACRO = rb"[A-Z][A-Z0-9_]{2,}"
_BEFORE_NAME = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+((?:%s%s\s+)+)(?=[A-Za-z_][\w:<>, \t]*\s*[:{])" % (_MACRO, _CALL)
)
_BEFORE_KEYWORD = re.compile(
    rb"^[ \t]*((?:%s%s\s+)+)(?=(?:template|class|struct|union|enum|namespace|inline|static|constexpr|extern|using"
    rb"|typedef|virtual|explicit|friend|const|auto|void|int|bool|char|unsigned|size_t)\b)" % (_MACRO, _CALL),
    re.MULTILINE,
)
_AFTER_PARAMETERS = re.compile(  # of a declaration that begins at the margin, as no statement does
    rb"^[A-Za-z_][^;{}()#\n]*+\((?:[^(){};#]|\([^(){};#]*+\))*+\)\s*+((?:[A-Z][A-Z0-9_]{2,}+\b%s\s*+)+)(?=;)" % _CALL,
    re.MULTILINE,
)
_ALONE = re.compile(rb"^[ \t]*(%s)[ \t]*\r?$(?!\s*[},=])" % _MACRO, re.MULTILINE)  # Q_OBJECT; not an enum's last name
_ENDS = b";}:>"  # what comes before a statement or a member; anything else may go on


def without_macros(content: bytes) -> bytes:
    """The same source with spaces for macros that would be syntax errors."""
    if not re.search(_MACRO, content):
        return content
    found = bytearray(content)
    for pattern in (_BEFORE_NAME, _BEFORE_KEYWORD, _ALONE, _AFTER_PARAMETERS):
        for match in pattern.finditer(content):
            if pattern in (_BEFORE_NAME, _AFTER_PARAMETERS) or _may_begin(content, match.start()):
                found[match.start(1) : match.end(1)] = _blank(match[1])
    return bytes(found)


def _may_begin(content: bytes, at: int) -> bool:
    """Whether a statement may begin here: after another, a line of the preprocessor or a comment, not in a list."""
    end = at
    while True:
        start = content.rfind(b"\n", 0, max(end - 1, 0)) + 1 if end else 0
        line = content[start:end].strip()
        if line.startswith((b"//", b"#")) or line.endswith(b"*/"):
            return not line.endswith(b"\\")
        if line:
            return line[-1] in _ENDS or (line[-1:] == b"{" and not _is_enum(content, start))
        if not start:
            return True
        end = start


def _is_enum(content: bytes, start: int) -> bool:
    return re.search(rb"\benum\b|=", content[max(start - 80, 0) : content.find(b"\n", start)]) is not None


def _blank(macro: bytes) -> bytes:
    return re.sub(rb"[^\s]", b" ", macro)
