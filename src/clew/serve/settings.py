"""The settings in force, each with where it came from."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from clew.config import SECRETS, Config


def describe(config: Config) -> dict[str, dict[str, Any]]:
    """Name → value and source."""
    return {
        item.name: {
            "value": _shown(item.name, value),
            "source": config.sources.get(item.name, "default"),
        }
        for item in fields(config)
        if item.name != "sources"
        for value in [getattr(config, item.name)]
    }


def _shown(name: str, value: Any) -> Any:
    if name in SECRETS:
        return "set, not shown" if value else ""
    return str(value) if name == "home" else value
