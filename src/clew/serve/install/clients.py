"""The programs that Clew can be connected to: where each keeps its configuration, in which format, under which name.

A row of `CLIENTS` is all that is known of one. Places follow the rules of the machine, which is an argument, so
that the rules of every system can be tried on any.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clew.errors import BadInput

NAME = "clew"  # of the entry


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where programs keep their files."""

    platform: str  # as `sys.platform` has it: linux, darwin, win32
    home: Path
    variables: Mapping[str, str]

    @classmethod
    def here(cls) -> Machine:
        return cls(sys.platform, Path(os.path.expanduser("~")), os.environ)

    def directory(self, variable: str, default: Path) -> Path:
        """The directory that a variable names, if it names one in full."""
        named = self.variables.get(variable, "")
        return Path(named) if os.path.isabs(named) else default

    @property
    def roaming(self) -> Path:
        """Where Windows keeps the settings of programs."""
        return self.directory("APPDATA", self.home / "AppData" / "Roaming")

    @property
    def settings(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "win32":
            return self.roaming
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.directory("XDG_CONFIG_HOME", self.home / ".config")


@dataclass(frozen=True, slots=True)
class Client:
    """One program. `project` is its file in a project, if it has one; `sign` a directory that tells it is there."""

    name: str
    title: str
    dialect: str  # json, jsonc (with comments), toml
    container: str  # what holds the entries of servers
    user: Callable[[Machine], Path]
    project: str | None = None
    sign: Callable[[Machine], Path] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)  # beside command and args

    def file(self, machine: Machine, project: Path | None) -> Path:
        """The file to edit: the user's, or the project's."""
        if project is None:
            return self.user(machine)
        if self.project is None:
            raise BadInput(f"{self.title} has no configuration that Clew knows for one project; leave --project out")
        return project / self.project

    def is_present(self, machine: Machine) -> bool:
        """Whether the program seems to be on this machine: it has left a directory or a file."""
        file = self.user(machine)
        return file.exists() or (self.sign(machine) if self.sign else file.parent).is_dir()


def _claude_code(machine: Machine) -> Path:
    return machine.directory("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"


def _claude_desktop(machine: Machine) -> Path:
    """On Windows a packaged install sees a directory of its own in place of the common one."""
    name = "claude_desktop_config.json"
    if machine.platform == "win32":
        packages = machine.directory("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
        packaged = sorted(packages.glob("Claude_*/LocalCache/Roaming/Claude"))
        if packaged:
            return next((place for place in packaged if (place / name).exists()), packaged[0]) / name
    return machine.settings / "Claude" / name


def _codex(machine: Machine) -> Path:
    return machine.directory("CODEX_HOME", machine.home / ".codex") / "config.toml"


def _zed(machine: Machine) -> Path:
    if machine.platform == "win32":
        return machine.roaming / "Zed" / "settings.json"
    places = {"darwin": machine.home / ".config"}
    return places.get(machine.platform, machine.settings) / "zed" / "settings.json"


_ROWS = (
    Client(
        "claude-code",
        "Claude Code",
        "json",
        "mcpServers",
        _claude_code,
        project=".mcp.json",
        sign=lambda machine: machine.directory("CLAUDE_CONFIG_DIR", machine.home / ".claude"),
    ),
    Client("claude-desktop", "Claude Desktop", "json", "mcpServers", _claude_desktop),
    Client(
        "cursor",
        "Cursor",
        "jsonc",
        "mcpServers",
        lambda machine: machine.home / ".cursor" / "mcp.json",
        project=".cursor/mcp.json",
    ),
    Client(
        "vscode",
        "VS Code",
        "jsonc",
        "servers",
        lambda machine: machine.settings / "Code" / "User" / "mcp.json",
        project=".vscode/mcp.json",
        fields={"type": "stdio"},
    ),
    Client("codex", "Codex CLI", "toml", "mcp_servers", _codex, project=".codex/config.toml"),
    Client(
        "gemini",
        "Gemini CLI",
        "jsonc",
        "mcpServers",
        lambda machine: machine.home / ".gemini" / "settings.json",
        project=".gemini/settings.json",
    ),
    Client("zed", "Zed", "jsonc", "context_servers", _zed),
)
CLIENTS = {client.name: client for client in _ROWS}


def find_client(name: str) -> Client:
    """A client by its name."""
    if name not in CLIENTS:
        raise BadInput(f"{name!r} is no client that Clew knows; known: {', '.join(CLIENTS)}")
    return CLIENTS[name]
