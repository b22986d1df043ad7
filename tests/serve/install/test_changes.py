"""One change of a file: what is kept, what is refused, and how it is written."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from clew.errors import BadInput, FileChanged
from clew.serve.install import changes
from clew.serve.install.changes import plan_change, read_entry, write_change
from clew.serve.install.clients import CLIENTS, Client

LAUNCH = ("/opt/clew", "mcp")
CURSOR, CODEX, CLAUDE, VSCODE = (CLIENTS[name] for name in ("cursor", "codex", "claude-code", "vscode"))


def install(file: Path, client: Client = CURSOR) -> Path | None:
    return write_change(plan_change(client, file, LAUNCH))


def uninstall(file: Path, client: Client = CURSOR) -> Path | None:
    return write_change(plan_change(client, file, None))


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_is_given_back_as_it_was(client: Client, mark: bytes, tmp_path: Path) -> None:
    texts = {
        "json": ['{"x": {"y": [1]},\r\n "z": "\u00e9"}\r\n', '{"%s": {}}', '{"%s": {"other": {"command": "x"}}}\n'],
        "jsonc": ['// top\n{\n\t"x": 1, // x\n}', '{"%s": { /* none */ }}'],
        "toml": ["# top\r\nx = 1\r\n", "x = 1", '[%s.other]\ncommand = "x"\n'],
    }
    for number, text in enumerate(texts[client.dialect]):
        file = tmp_path / f"{number}.conf"
        before = mark + (text % client.container if "%s" in text else text).encode()
        file.write_bytes(before)
        backup = install(file, client)
        assert backup == tmp_path / f"{number}.conf.clew-backup" and backup.read_bytes() == before
        entry = read_entry(client, file)
        assert entry == {**client.fields, "command": "/opt/clew", "args": ["mcp"]}
        assert file.read_bytes().startswith(mark)
        assert not plan_change(client, file, LAUNCH).is_needed
        assert uninstall(file, client) is None, "the backup is as the file, so it is not kept"
        assert file.read_bytes() == before
        assert not plan_change(client, file, None).is_needed
    assert len(list(tmp_path.iterdir())) == len(texts[client.dialect])


def test_a_file_that_is_not_there_is_made_and_never_deleted(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "mcp.json"
    assert not plan_change(CURSOR, file, None).is_needed
    assert install(file) is None
    assert json.loads(file.read_text())["mcpServers"]["clew"]["command"] == "/opt/clew"
    uninstall(file)
    assert json.loads(file.read_text()) == {"mcpServers": {}}


def test_the_backup_is_of_the_first_state_and_stays_while_it_differs(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    backup = install(file)
    assert backup is not None
    file.write_text(file.read_text().replace("/opt/clew", "/gone/clew"))
    assert install(file) == backup and backup.read_text() == "{}"
    file.write_text(file.read_text().replace("{", '{"mine": 1,', 1))
    assert uninstall(file) == backup
    assert (json.loads(file.read_text()), backup.read_text()) == ({"mine": 1}, "{}")


def test_what_somebody_added_to_the_entry_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    entry = {"env": {"CLEW_HOME": "/x"}, "command": "/old/clew", "args": ["-m", "mcp", "--full"], "disabled": True}
    file.write_text(json.dumps({"servers": {"clew": entry}}, indent=4))
    install(file, VSCODE)
    expected = {**entry, "type": "stdio", "command": "/opt/clew", "args": ["mcp", "--full"]}
    assert json.loads(file.read_text()) == {"servers": {"clew": expected}}


def test_a_link_stays_and_what_it_leads_to_keeps_its_rights(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    target.write_text("{}")
    target.chmod(0o640)
    link.symlink_to(Path("dotfiles") / "mcp.json")
    backup = install(link)
    assert link.is_symlink() and "clew" in target.read_text()
    assert backup == tmp_path / "dotfiles" / "mcp.json.clew-backup"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (target, backup)] == [0o640, 0o640]
    assert sorted(path.name for path in target.parent.iterdir()) == ["mcp.json", "mcp.json.clew-backup"]
    dangling = tmp_path / "dangling.json"
    dangling.symlink_to(tmp_path / "later" / "mcp.json")
    install(dangling)
    assert dangling.is_symlink() and (tmp_path / "later" / "mcp.json").is_file()


def test_a_change_of_somebody_else_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    planned = plan_change(CURSOR, file, LAUNCH)
    file.write_text("[]")
    with pytest.raises(FileChanged):
        write_change(planned)
    assert file.read_text() == "[]"
    file.write_text("{}")
    planned = plan_change(CURSOR, file, LAUNCH)
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    with pytest.raises(FileChanged):
        write_change(planned)
    new = tmp_path / "new.json"
    planned = plan_change(CURSOR, new, LAUNCH)
    new.write_text('{"theirs": 1}')
    with pytest.raises(FileChanged):
        write_change(planned)
    assert new.read_text() == '{"theirs": 1}'
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    planned = plan_change(CURSOR, file, LAUNCH)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_change(planned)
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"] and file.read_text() == "{}"


@pytest.mark.parametrize(
    ("client", "content"),
    [
        (CURSOR, b'{"mcpServers": '),
        (CURSOR, b"\xff\xfe{\0}\0"),
        (CURSOR, b'{"mcpServers": {"clew": "x"}}'),
        (CURSOR, b'{"mcpServers": {"clew": {"url": "http://localhost:1/mcp"}}}'),
        (CLAUDE, b"// no\n{}"),
        (CODEX, b"mcp_servers = { x = { command = 'y' } }\n"),
        (CODEX, b"[mcp_servers\n"),
    ],
)
def test_what_cannot_be_edited_is_refused_and_named(client: Client, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=r"file cannot be edited as .* left as it is"):
        plan_change(client, file, LAUNCH)
    assert file.read_bytes() == content and len(list(tmp_path.iterdir())) == 1


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(BadInput, match="no regular file"):
            plan_change(CURSOR, file, LAUNCH)
    monkeypatch.setattr(changes, "MAX_FILE_BYTES", 1)
    (tmp_path / "large").write_text("{}")
    with pytest.raises(BadInput, match="MiB"):
        plan_change(CURSOR, tmp_path / "large", LAUNCH)


def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no text"):
        plan_change(CURSOR, tmp_path / "mcp.json", (os.fsdecode(b"/opt/\xff/clew"), "mcp"))


def test_a_diff_shows_no_line_of_others(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    text = json.dumps({"mcpServers": {"other": {"env": {"KEY": "secret"}}}, "token": "secret"}, indent=2)
    file.write_text(text)
    for wanted in (LAUNCH, None):
        planned = plan_change(CURSOR, file, wanted)
        assert planned.diff().count("clew") and "secret" not in planned.diff()
        write_change(planned)
    assert file.read_text() == text
