"""Which contents are worth facts: text of human size. The rest is listed, counted and left alone."""

from __future__ import annotations

from clew.parse.languages import LANGUAGES
from clew.types import Skip

_BINARY_PROBE = 8_000  # git's rule: a NUL among the first bytes
_MINIFIED_PROBE = 100_000
_MINIFIED_MEAN_LINE = 400  # characters a line; people write 30 to 60
_MINIFIED_MIN_BYTES = 4_000
_MINIFIED_ENDINGS = (".min.js", ".min.css", ".min.mjs", ".bundle.js")
_PROSE = frozenset({"prose", "data"})


def skip_reason(path: str, content: bytes, language: str) -> Skip | None:
    """Why this content gets no facts, or None."""
    if b"\0" in content[:_BINARY_PROBE]:
        return "binary"
    if path.endswith(_MINIFIED_ENDINGS):
        return "minified"
    if len(content) >= _MINIFIED_MIN_BYTES and LANGUAGES[language].role not in _PROSE:
        probe = content[:_MINIFIED_PROBE]
        if len(probe) / (probe.count(b"\n") + 1) > _MINIFIED_MEAN_LINE:
            return "minified"
    return None


def wants_facts(language: str) -> bool:
    """Whether a language is chunked and ranked; data is kept for exact search only."""
    return LANGUAGES[language].role != "data"
