"""The settings in force, each with where it came from."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from clew.config import Config


def describe(config: Config) -> dict[str, dict[str, Any]]:
    """Name → value and source."""
    return {
        item.name: {
            "value": str(value) if item.name == "home" else value,
            "source": config.sources.get(item.name, "default"),
        }
        for item in fields(config)
        if item.name != "sources"
        for value in [getattr(config, item.name)]
    }
