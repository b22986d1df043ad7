"""How Clew is started, and what is said of a command that is not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.serve.install.launch import own_launch, trouble_with, try_version


def test_the_running_program_by_its_full_path_and_links_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").write_text("")
    (tmp_path / "clew").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    assert own_launch("./clew") == (str(tmp_path / "clew"), "mcp")


def test_a_launcher_of_windows_is_found_without_its_ending(tmp_path: Path) -> None:
    (tmp_path / "clew.exe").write_text("")
    for started in ("clew", "clew.exe"):
        assert own_launch(str(tmp_path / started)) == (str(tmp_path / "clew.exe"), "mcp")


def test_anything_else_is_the_module(tmp_path: Path) -> None:
    for started in ("/x/clew/__main__.py", "clew", str(tmp_path / "pytest")):
        assert own_launch(started, "/usr/bin/python3") == ("/usr/bin/python3", "-P", "-m", "clew", "mcp")


def test_what_is_wrong_with_an_entry(tmp_path: Path) -> None:
    command = tmp_path / "clew"
    entry = {"command": str(command), "args": ["mcp"]}
    assert "does not exist" in (trouble_with(entry) or "")
    command.write_text("#!/bin/sh\necho clew, version 9\n")
    assert "cannot be run" in (trouble_with(entry) or "")
    command.chmod(0o755)
    assert trouble_with(entry) is None
    for wrong in ({}, {"command": str(command)}, {"command": 1, "args": ["mcp"]}, {**entry, "args": ["serve"]}):
        assert "clew mcp" in (trouble_with(wrong) or "")


def test_a_command_is_run_once_and_only_if_it_is_clew_itself(tmp_path: Path) -> None:
    command = tmp_path / "clew"
    count = tmp_path / "count"
    command.write_text(f'#!/bin/sh\necho run >> {count}\n[ "$1" = --version ] && echo clew, version 9\n')
    command.chmod(0o755)
    tried: dict[tuple[str, ...], str | None] = {}
    for arguments in (["mcp"], ["mcp", "--full"], ["run", "image", "mcp"]):
        assert try_version({"command": str(command), "args": arguments}, tried) is None
    assert count.read_text() == "run\n"
    command.write_text("#!/bin/sh\nexit 3\n")
    assert "ended with 3" in (try_version({"command": str(command), "args": ["mcp"]}, {}) or "")
    command.write_bytes(b"\0")
    assert "cannot be run" in (try_version({"command": str(command), "args": ["mcp"]}, {}) or "")


def test_clew_as_a_module_tells_its_version() -> None:
    for how in (["-m"], ["-P", "-m"]):
        assert try_version({"command": sys.executable, "args": [*how, "clew", "mcp"]}, {}) is None
