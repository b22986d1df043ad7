"""Which model makes the vectors, by the setting `embedding`. Main call: `choose_encoder`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from clew.embed.static import StaticEncoder
from clew.types import ModelName


def choose_encoder(setting: str) -> StaticEncoder | None:
    """The encoder that a setting names; nothing is loaded yet."""
    return StaticEncoder() if setting == "static" else None


def named(encoder: StaticEncoder | None) -> tuple[ModelName, Callable[[Sequence[bytes], Sequence[bytes]], Any] | None]:
    """What a store must know of an encoder: its name, and how it makes vectors of packed terms."""
    if encoder is None:
        return ModelName(), None
    return ModelName(encoder.provider, encoder.model, encoder.dimension), encoder.encode_packed
