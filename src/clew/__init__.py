"""Clew: code intelligence that never lies. The public names, loaded when first used."""

from __future__ import annotations

__version__ = "0.1.0"
TYPE_CHECKING = False  # this is read before every answer of the daemon, and `typing` takes longer than one

if TYPE_CHECKING:
    from typing import Any

    from clew.answers import Hit, RunStats
    from clew.config import Config, load_config
    from clew.engine import Engine
    from clew.errors import ClewError
    from clew.search.filters import Scope
    from clew.types import FileContent

__all__ = ["ClewError", "Config", "Engine", "FileContent", "Hit", "RunStats", "Scope", "load_config"]

_HOMES = {
    "ClewError": "clew.errors",
    "Config": "clew.config",
    "Engine": "clew.engine",
    "FileContent": "clew.types",
    "Hit": "clew.answers",
    "RunStats": "clew.answers",
    "Scope": "clew.search.filters",
    "load_config": "clew.config",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
