"""`clew install` as a user runs it: shown first, written on demand, taken out again; and what the doctor says of it."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from clew.serve.install.clients import CLIENTS, Machine
from tests.conftest import git
from tests.serve.command import Ran, clew, one_message

LAUNCH = [sys.executable, "-P", "-m", "clew", "mcp"]


def file_of(client: str) -> Path:
    return CLIENTS[client].file(Machine.here(), None)


def entry_in(client: str, file: Path) -> Any:
    text = file.read_text()
    data = tomllib.loads(text) if client == "codex" else json.loads(text)
    return data[CLIENTS[client].container]["clew"]


def ok(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0 and ran.envelope["status"] == "ok", ran
    return ran.envelope


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_from_nothing_to_installed_and_back(client: str, isolated_home: Path) -> None:
    file = file_of(client)
    assert file.is_relative_to(isolated_home)
    shown = ok(clew("install", client, "--json"))
    assert not file.exists() and not file.parent.joinpath(f"{file.name}.clew-backup").exists()
    assert (shown["file"], shown["changes"], shown["applied"], shown["backup"]) == (str(file), True, False, None)
    assert shown["apply"] == f"clew install {client} --apply" and shown["launch"] == LAUNCH
    assert [warning["code"] for warning in shown["warnings"]] == ["CLIENT_NOT_FOUND"]
    written = ok(clew("install", client, "--apply", "--json"))
    assert (written["applied"], written["apply"], written["diff"]) == (True, None, shown["diff"])
    expected = {"command": LAUNCH[0], "args": LAUNCH[1:]}
    assert entry_in(client, file) == ({"type": "stdio", **expected} if client == "vscode" else expected)
    again = ok(clew("install", client, "--apply", "--json"))
    assert (again["changes"], again["applied"], again["diff"], again["warnings"]) == (False, False, "", [])
    removed = ok(clew("install", client, "--uninstall", "--json"))
    assert removed["operation"] == "uninstall" and entry_in(client, file)
    assert ok(clew("install", client, "--uninstall", "--apply", "--json"))["applied"]
    assert "clew" not in file.read_text()


def test_people_see_a_diff_the_command_and_what_was_done() -> None:
    file = file_of("cursor")
    shown = clew("install", "cursor")
    assert shown.code == 0 and "Cursor does not seem to be on this machine" in shown.err
    assert f"+++ {file}\n" in shown.out and '+    "clew": {\n' in shown.out
    assert shown.out.endswith("\nnothing is written yet; `clew install cursor --apply` does it\n")
    file.parent.mkdir()
    file.write_text("{}\n")
    written = clew("install", "cursor", "--apply")
    assert (written.code, written.err) == (0, "")
    assert written.out.endswith(f"written to {file} (as it was: {file}.clew-backup); restart Cursor\n")
    assert clew("install", "cursor", "--apply").out == f"nothing to do: Clew is in it already: {file}\n"
    assert clew("install", "cursor", "--uninstall", "--apply").out.endswith(f"removed from {file}; restart Cursor\n")
    assert clew("install", "cursor", "--uninstall").out == f"nothing to do: Clew is not in it: {file}\n"
    assert file.read_text() == "{}\n" and [path.name for path in file.parent.iterdir()] == ["mcp.json"]


def test_a_project_has_a_configuration_of_its_own(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "deep").mkdir()
    written = ok(clew("install", "claude-code", "--project", "--apply", "--json", cwd=tmp_path / "deep"))
    assert (written["scope"], written["file"]) == ("project", str(tmp_path / ".mcp.json"))
    assert entry_in("claude-code", tmp_path / ".mcp.json")["args"][-1] == "mcp"
    assert not file_of("claude-code").exists()
    rows = ok(clew("install", "--project", "--json", cwd=tmp_path))["clients"]
    assert [(row["client"], row["state"]) for row in rows] == [
        ("claude-code", "installed"),
        ("cursor", "absent"),
        ("vscode", "absent"),
        ("codex", "absent"),
        ("gemini", "absent"),
    ]
    refused = clew("install", "zed", "--project", cwd=tmp_path)
    assert refused.code == 2 and "leave --project out" in one_message(refused)


def test_what_cannot_be_edited_is_refused_and_left_alone(isolated_home: Path) -> None:
    for client, content in (("claude-code", '{"mcpServers": {},}'), ("codex", "[mcp_servers"), ("zed", "{ // }")):
        file = file_of(client)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        for flags in ((), ("--apply",), ("--uninstall", "--apply")):
            ran = clew("install", client, *flags)
            assert ran.code == 2 and ran.out == "" and str(file) in one_message(ran)
        envelope = clew("install", client, "--apply", "--json").envelope
        assert (envelope["status"], envelope["reason"]) == ("error", "bad_input")
        assert file.read_text() == content
    assert not list(isolated_home.rglob("*.clew-backup"))


def test_a_place_that_cannot_be_written_is_a_plain_failure(isolated_home: Path) -> None:
    (isolated_home / ".cursor").write_text("a file where a directory belongs")
    ran = clew("install", "cursor", "--apply")
    assert ran.code == 4 and ran.out == "" and "clew: " in ran.err


def test_wrong_requests() -> None:
    assert "known: claude-code" in one_message(clew("install", "emacs"))
    for flags in (("--apply",), ("--uninstall",)):
        ran = clew("install", *flags)
        assert ran.code == 2 and "name a client" in one_message(ran)


def test_the_list_tells_how_clew_stands_with_each_client() -> None:
    clew("install", "cursor", "--apply")
    clew("install", "gemini", "--apply")
    gemini = file_of("gemini")
    gemini.write_text(gemini.read_text().replace(sys.executable, "/gone/python"))
    codex = file_of("codex")
    codex.parent.mkdir()
    codex.write_text("[mcp_servers.clew]\ncommand = 'sh'\nargs = ['mcp']\n")
    zed = file_of("zed")
    zed.parent.mkdir(parents=True)
    zed.write_text("{")
    rows = {row["client"]: row for row in ok(clew("install", "--json"))["clients"]}
    assert {name: (row["present"], row["installed"], row["state"]) for name, row in rows.items()} == {
        "claude-code": (False, False, "absent"),
        "claude-desktop": (False, False, "absent"),
        "cursor": (True, True, "installed"),
        "vscode": (False, False, "absent"),
        "codex": (True, True, "outdated"),
        "gemini": (True, True, "outdated"),
        "zed": (True, False, "unreadable"),
    }
    assert rows["gemini"]["message"] == "/gone/python does not exist or cannot be run"
    assert "not the Clew that runs now" in rows["codex"]["message"]
    ran = clew("install")
    assert (ran.code, ran.err) == (0, "") and f"cursor         installed     {file_of('cursor')}\n" in ran.out


def test_the_doctor_tries_what_clients_start() -> None:
    assert clew("doctor", "--json").envelope["checks"] == []
    clew("install", "cursor", "--apply")
    clew("install", "codex", "--apply")
    ran = clew("doctor", "--json")
    assert ran.code == 0 and [check["ok"] for check in ran.envelope["checks"]] == [True, True]
    cursor = file_of("cursor")
    cursor.write_text(cursor.read_text().replace(sys.executable, "/gone/python"))
    ran = clew("doctor", "--json")
    (bad,) = [check for check in ran.envelope["checks"] if not check["ok"]]
    assert ran.code == 4 and bad["subject"] == f"Cursor ({cursor})"
    assert bad["message"] == (
        "/gone/python does not exist or cannot be run; `clew install cursor --apply` sets it right"
    )
    assert clew("install", "cursor", "--apply").code == 0
    assert clew("doctor").code == 0


def test_the_doctor_minds_a_broken_file_only_if_clew_was_in_it() -> None:
    file = file_of("zed")
    file.parent.mkdir(parents=True)
    file.write_text("{")
    assert clew("doctor").code == 0
    clew("install", "gemini", "--apply")
    file_of("gemini").write_text(file_of("gemini").read_text()[:-3])
    ran = clew("doctor")
    assert ran.code == 4 and f"BAD  Gemini CLI ({file_of('gemini')}): " in ran.out
