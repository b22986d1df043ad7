"""Where each client keeps its configuration, by the rules of each system."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import BadInput
from clew.serve.install.clients import CLIENTS, Machine, find_client

HOME = {
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
}
PLACES = {
    "linux": {
        **HOME,
        "claude-desktop": ".config/Claude/claude_desktop_config.json",
        "vscode": ".config/Code/User/mcp.json",
        "zed": ".config/zed/settings.json",
    },
    "darwin": {
        **HOME,
        "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
        "vscode": "Library/Application Support/Code/User/mcp.json",
        "zed": ".config/zed/settings.json",
    },
    "win32": {
        **HOME,
        "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
        "vscode": "AppData/Roaming/Code/User/mcp.json",
        "zed": "AppData/Roaming/Zed/settings.json",
    },
}


@pytest.mark.parametrize("platform", PLACES)
def test_each_client_has_its_place_on_each_system(platform: str, tmp_path: Path) -> None:
    machine = Machine(platform, tmp_path, {})
    found = {name: client.file(machine, None).relative_to(tmp_path).as_posix() for name, client in CLIENTS.items()}
    assert found == PLACES[platform]
    assert not any(client.is_present(machine) for client in CLIENTS.values())


@pytest.mark.parametrize(
    ("platform", "variable", "client", "place"),
    [
        ("linux", "XDG_CONFIG_HOME", "vscode", "Code/User/mcp.json"),
        ("linux", "XDG_CONFIG_HOME", "zed", "zed/settings.json"),
        ("linux", "XDG_CONFIG_HOME", "claude-desktop", "Claude/claude_desktop_config.json"),
        ("win32", "APPDATA", "vscode", "Code/User/mcp.json"),
        ("win32", "APPDATA", "zed", "Zed/settings.json"),
        ("linux", "CODEX_HOME", "codex", "config.toml"),
        ("win32", "CODEX_HOME", "codex", "config.toml"),
        ("darwin", "CLAUDE_CONFIG_DIR", "claude-code", ".claude.json"),
    ],
)
def test_variables_of_the_system_and_of_clients_move_it(
    platform: str, variable: str, client: str, place: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    machine = Machine(platform, tmp_path / "home", {variable: str(elsewhere)})
    assert CLIENTS[client].file(machine, None) == elsewhere / place
    relative = Machine(platform, tmp_path / "home", {variable: "not/in/full"})
    assert CLIENTS[client].file(relative, None) == tmp_path / "home" / PLACES[platform][client]


def test_a_variable_of_another_system_moves_nothing(tmp_path: Path) -> None:
    for platform, variable in (("darwin", "XDG_CONFIG_HOME"), ("linux", "APPDATA"), ("win32", "XDG_CONFIG_HOME")):
        machine = Machine(platform, tmp_path, {variable: str(tmp_path / "elsewhere")})
        for name in ("vscode", "zed", "claude-desktop"):
            assert CLIENTS[name].file(machine, None) == tmp_path / PLACES[platform][name]


def test_a_packaged_claude_desktop_has_a_directory_of_its_own(tmp_path: Path) -> None:
    machine = Machine("win32", tmp_path, {"LOCALAPPDATA": str(tmp_path / "local")})
    for package in ("Claude_a", "Claude_b", "Other_c"):
        (tmp_path / "local" / "Packages" / package / "LocalCache/Roaming/Claude").mkdir(parents=True)
    first = tmp_path / "local/Packages/Claude_a/LocalCache/Roaming/Claude/claude_desktop_config.json"
    second = tmp_path / "local/Packages/Claude_b/LocalCache/Roaming/Claude/claude_desktop_config.json"
    assert CLIENTS["claude-desktop"].file(machine, None) == first
    second.write_text("{}")
    assert CLIENTS["claude-desktop"].file(machine, None) == second
    assert CLIENTS["claude-desktop"].is_present(machine)


def test_a_client_is_there_if_it_left_a_directory(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {})
    for directory in (".claude", ".cursor", ".config/Code/User"):
        (tmp_path / directory).mkdir(parents=True)
    present = [name for name, client in CLIENTS.items() if client.is_present(machine)]
    assert present == ["claude-code", "cursor", "vscode"]


def test_files_of_projects(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path, {})
    project = tmp_path / "project"
    files = {
        "claude-code": ".mcp.json",
        "cursor": ".cursor/mcp.json",
        "vscode": ".vscode/mcp.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
    }
    for name, client in CLIENTS.items():
        if name in files:
            assert client.file(machine, project) == project / files[name]
        else:
            with pytest.raises(BadInput, match="--project"):
                client.file(machine, project)


def test_an_unknown_client_is_told_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"claude-code, .*zed"):
        find_client("emacs")
