"""What the module in C offers; its sources say what each function does."""

from collections.abc import Callable
from typing import Any

VERSION: int

def unpack_all(packed: list[bytes], /) -> tuple[bytes, bytes]: ...
def literal_lines(joined: bytes, needle: bytes, sizes: Any, kinds: bytes, /) -> bytes: ...
def pick(content: bytes, starts: Any, stops: Any, /) -> bytes: ...
def grams(block: bytes, classes: bytes, number: int, bits: int, /) -> bytes: ...
def best_three(values: Any, starts: Any, weights: Any, found: Any, /) -> None: ...
def add_term(scores: Any, first: int, places: Any, counts: Any, norms: Any, weight: float, bare: Any, /) -> None: ...
def add_up(values: Any, first: int, places: Any, /) -> float: ...
def sum_rows(rows: Any, width: int, places: Any, factors: Any, counts: Any, sums: Any, /) -> None: ...
def cosines(rows: Any, width: int, wanted: Any, lengths: Any, length: float, found: Any, /) -> None: ...
def uses(refs: list[Any], types: list[Any], calls: list[Any], left_out: Any, /) -> tuple[bytes, bytes, bytes]: ...
def refer(
    content: bytes,
    uses: tuple[Any, Any, bytes],
    places: Any,
    scopes: tuple[tuple[Any, ...], Any, Any, Any],
    steps: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]],
    tables: tuple[dict[Any, Any], dict[Any, Any], set[int], set[int], dict[Any, Any], dict[Any, Any]],
    is_plain: bool,
    has_late_names: bool,
    most_steps: int,
    /,
) -> tuple[bytes, bytes, int]: ...
def group(
    used: tuple[Any, Any, Any, bytes],
    leads: tuple[Any, bytes, Any],
    ends: tuple[Any, ...],
    sources: tuple[int, Any, int],
    own: tuple[Any, Any],
    /,
) -> tuple[list[Any], list[Any]]: ...
def symbols(
    content: bytes,
    kinds: tuple[tuple[str, int, tuple[Any, ...]], ...],
    imports: tuple[Any, ...],
    names: tuple[Any, ...],
    docs: tuple[Any, ...],
    comments: tuple[dict[int, int], frozenset[int]],
    functions: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any], Callable[..., Any]],
    words: tuple[str, str],
    /,
) -> list[tuple[Any, ...]]: ...

class Terms:
    def __new__(cls, expand: Callable[[bytes], bytes], limit: int, most_bytes: int, most_parts: int, /) -> Terms: ...
    def pack(self, scope: bytes, text: bytes, /) -> tuple[int, bytes, bytes]: ...
