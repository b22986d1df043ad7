"""The daemon as users meet it: the same answers as without it, whoever else asks and whatever dies in between."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clew.serve import wire
from tests.conftest import make_engine, write_tree
from tests.serve.daemons import Daemon, is_alive, running, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no daemon without Unix sockets"),
]

FILES: dict[str, str | bytes] = {
    "app.py": "def alpha():\n    return beta()\n\n\ndef beta():\n    return 1\n",
    "lib/tool.py": "def alpha_tool(text):\n    return text.strip()\n\n\ndef größe(): ...\n",
    "lib/other.py": "class Box:\n    def open(self): ...\n",
    "latin.txt": "gr\xfc\xdfe alpha\n".encode("latin-1"),
}
QUESTIONS: list[tuple[str, ...]] = [
    ("search", "alpha"),
    ("search", "alpha", ".", "--limit", "1", "--explain"),
    ("search", "größe", "lib", "--view", "functions"),
    ("search", "nothing like it zzz", "--mode", "lexical"),
    ("search", "", "."),
    ("search", "alpha", "nowhere"),
    ("search", "alpha", "app.py"),
    ("search", "alpha", "--include", "[a"),
    ("search", "alpha", "--lang", "klingon"),
    ("search", "alpha", "../outside", "--no-index"),
    ("grep", "alpha"),
    ("grep", "-C", "1", "bet.", "lib/.."),
    ("grep", "-c", "alpha"),
    ("grep", "-l", "alpha", "--limit", "1"),
    ("grep", "("),
    ("grep", "no such text"),
    ("symbol", "Box.open"),
    ("symbol", "nobody"),
    ("outline", "lib/tool.py"),
    ("outline", "gone.py"),
    ("outline", "lib"),
    ("paths",),
    ("paths", "--limit", "1"),
    ("paths", "lib", "--lang", "python"),
    ("read", "app.py"),
    ("read", "./lib/../app.py", "--lines", "1:2"),
    ("read", "app.py", "--lines", "x"),
    ("read", "latin.txt"),
    ("read", "nowhere/gone.py"),
    ("similar", "app.py", "--lines", "1:2"),
    ("status",),
    ("status", "lib"),
    ("status", "nowhere"),
    ("jobs",),
    ("list",),
    ("search",),
    ("search", "x", "--limit", "many"),
    ("grep", "--what"),
    ("search", "--help"),
]
VOLATILE = re.compile(rb'"(checked_at|continuation|size_bytes)": ?(?:"[^"]*"|\d+|null)')
SETTLED = re.compile(rb"[\d.]+ ?(?:kB|MB|KiB|MiB)")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an indexed tree, and a tree beside it that is not."""
    base = tmp_path_factory.mktemp("d")
    write_tree(base / "tree", FILES)
    write_tree(base / "outside", {"x.py": "def x(): ...\n"})
    engine = make_engine(base / "home", embedding="none")
    engine.index(str(base / "tree"))
    engine.close()
    return base


@pytest.fixture(scope="module")
def alone(base: Path) -> dict[tuple[str, ...], subprocess.CompletedProcess[bytes]]:
    """Every question's answer without a daemon, as text and as JSON."""
    commands = [*QUESTIONS, *((*question, "--json") for question in QUESTIONS)]
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda command: Daemon(base / "home").run(*command, cwd=base / "tree"), commands)
        return dict(zip(commands, done, strict=True))


@pytest.fixture(scope="module")
def daemon(base: Path, alone: dict[tuple[str, ...], subprocess.CompletedProcess[bytes]]) -> Iterator[Daemon]:
    assert alone["search", "alpha"].returncode == 0
    with running(base / "home") as found:
        yield found


def settled(text: bytes) -> bytes:
    """Without what tells moments apart."""
    return SETTLED.sub(b"SIZE", VOLATILE.sub(rb'"\1": 0', text))


# -- the same answers ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_answers_are_the_same_to_the_byte(
    daemon: Daemon,
    base: Path,
    alone: dict[tuple[str, ...], subprocess.CompletedProcess[bytes]],
    question: tuple[str, ...],
    form: tuple[str, ...],
) -> None:
    expected, found = alone[*question, *form], daemon.run(*question, *form, cwd=base / "tree")
    assert settled(found.stdout) == settled(expected.stdout)
    assert (found.stderr, found.returncode) == (expected.stderr, expected.returncode)


def test_questions_are_answered_by_the_daemon(daemon: Daemon, base: Path) -> None:
    before = daemon.answered
    daemon.run("search", "alpha", cwd=base / "tree")
    daemon.run("jobs", "lib", cwd=base / "tree")
    assert daemon.answered == before + 2
    daemon.run("search", "--help", cwd=base / "tree")
    daemon.run("search", "x", "--limit", "many", cwd=base / "tree")
    daemon.run("doctor", cwd=base / "tree")
    assert daemon.answered == before + 2


@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"FORCE_COLOR": "1"}], ids=str)
def test_a_terminal_is_the_asker_s_own(daemon: Daemon, base: Path, env: dict[str, str]) -> None:
    shown = {"TERM": "xterm", **env}
    for question in (("search", "alpha"), ("grep", "alpha"), ("status", "--json"), ("paths", "--limit", "1")):
        with_daemon = on_terminal(daemon, base / "tree", question, shown)
        without = on_terminal(daemon, base / "tree", question, {**shown, "CLEW_DEBUG": "0"})
        assert settled(with_daemon) == settled(without)
        is_coloured = question[0] in ("search", "grep") and "NO_COLOR" not in env and env.get("TERM") != "dumb"
        assert (b"\033[" in with_daemon) == is_coloured
    piped = daemon.run("search", "alpha", cwd=base / "tree", env=env)
    assert (b"\033[" in piped.stdout) == ("FORCE_COLOR" in env)


def on_terminal(daemon: Daemon, cwd: Path, question: tuple[str, ...], env: dict[str, str]) -> bytes:
    """What a command writes to a terminal, both streams together."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "clew", *question]
    process = subprocess.Popen(command, cwd=cwd, env={**daemon.env, **env}, stdout=theirs, stderr=theirs)
    os.close(theirs)
    found = b""
    try:
        while part := os.read(ours, 1 << 16):
            found += part
    except OSError:  # how a terminal ends on Linux
        pass
    os.close(ours)
    assert process.wait() == 0
    return found


def test_an_encoding_is_the_asker_s_own(daemon: Daemon, base: Path) -> None:
    found = daemon.run("symbol", "größe", cwd=base / "tree", env={"PYTHONIOENCODING": "ascii"})
    assert b"gr\\xf6\\xdfe" in found.stdout
    as_json = daemon.run("symbol", "größe", "--json", cwd=base / "tree", env={"PYTHONIOENCODING": "latin-1"})
    assert json.loads(as_json.stdout.decode("ascii"))["symbols"][0]["name"] == "größe"


def test_a_saved_file_is_in_the_next_answer(daemon: Daemon, base: Path) -> None:
    before = daemon.answered
    for number in range(3):
        write_tree(base / "tree", {"fresh.py": f"def fresh_{number}(): ...\n"})
        found = json.loads(daemon.run("symbol", f"fresh_{number}", "--json", cwd=base / "tree").stdout)
        assert [symbol["path"] for symbol in found["symbols"]] == ["fresh.py"]
        assert found["freshness"]["decision"] in ("fresh", "synced")
    (base / "tree" / "fresh.py").unlink()
    assert daemon.run("symbol", "fresh_2", cwd=base / "tree").returncode == 1
    assert daemon.answered == before + 4


# -- when it is not used ---------------------------------------------------------------------------


def test_other_settings_are_the_asker_s_own(daemon: Daemon, base: Path) -> None:
    before = daemon.answered
    found = daemon.run("search", "alpha", "--json", cwd=base / "tree", env={"CLEW_RESULT_LIMIT": "1"})
    assert len(json.loads(found.stdout)["results"]) == 1
    wrong = daemon.run("search", "alpha", cwd=base / "tree", env={"CLEW_RESULT_LIMIT": "many"})
    assert wrong.returncode == 2 and b"result_limit" in wrong.stderr
    state = daemon.state(CLEW_RESULT_LIMIT="1")
    assert state is not None and state["answered"] == before
    assert state["unused_because"] == "it was started with another CLEW_RESULT_LIMIT"


def test_a_tree_without_an_index_is_indexed_by_the_asker(daemon: Daemon, tmp_path: Path) -> None:
    write_tree(tmp_path / "new", {"x.py": "def brand_new(): ...\n"})
    found = daemon.run("symbol", "brand_new", cwd=tmp_path / "new")
    assert found.returncode == 0 and b"x.py:1" in found.stdout and b"is not indexed yet" in found.stderr
    before = daemon.answered
    assert daemon.run("symbol", "brand_new", cwd=tmp_path / "new").returncode == 0
    assert daemon.answered == before + 1
    assert daemon.run("clear", cwd=tmp_path / "new").returncode == 0
    assert daemon.run("search", "brand_new", "--no-index", cwd=tmp_path / "new").returncode == 3


def test_a_changed_config_file_retires_the_daemon(base: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("result_limit = 2\n")
    with running(base / "home2", CLEW_CONFIG=str(config)) as daemon:
        process = daemon.start()
        assert daemon.run("index", cwd=base / "tree").returncode == 0
        assert len(results(daemon, base)) == 2 and daemon.answered == 1
        config.write_text("result_limit = 1\n")
        assert len(results(daemon, base)) == 1
        until(lambda: not is_alive(process))
        assert daemon.state() is None


def results(daemon: Daemon, base: Path) -> list[Any]:
    found: list[Any] = json.loads(daemon.run("search", "alpha", "--json", cwd=base / "tree").stdout)["results"]
    return found


def test_a_newer_clew_retires_the_daemon_and_an_older_one_does_not(base: Path) -> None:
    with running(base / "home2") as daemon:
        process = daemon.start()
        for version, is_served in (("0.0.9", True), ("99.0", False)):
            assert knock(daemon, version)[0] == wire.DECLINED
            if is_served:
                assert daemon.state() is not None
            else:
                until(lambda: not is_alive(process))
        assert daemon.start() != process


def knock(daemon: Daemon, version: str) -> tuple[bytes, bytes]:
    """What the daemon says to a Clew of this version."""
    asked = wire.Request.here("ask", ["list"], str(daemon.home))
    asked.version = version
    content = asked.pack()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(wire.socket_path(str(daemon.home)))
        connection.sendall(len(content).to_bytes(4, "big") + content)
        return wire.receive(connection)


def test_a_daemon_with_other_settings_makes_room_and_serves_its_agents_on(base: Path) -> None:
    with running(base / "home2") as daemon:
        old = daemon.start()
        with daemon.open("mcp", cwd=base / "tree") as agent:
            assert tell(agent, INITIALIZE)["id"] == 0
            other = Daemon(base / "home2", CLEW_RESULT_LIMIT="1")
            new = other.start()
            assert new != old and is_alive(old)
            assert tell(agent, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["id"] == 1
        until(lambda: not is_alive(old))
        assert other.start() == new


# -- what dies in between --------------------------------------------------------------------------


def test_a_daemon_that_was_killed_is_no_hindrance(base: Path) -> None:
    daemon = Daemon(base / "home2")
    process = daemon.start()
    os.kill(process, signal.SIGKILL)
    until(lambda: not is_alive(process))
    assert Path(wire.socket_path(str(daemon.home))).exists()
    assert daemon.run("list", cwd=base / "tree").returncode in (0, 1)
    with running(base / "home2"):
        assert daemon.state() is not None
    assert not Path(wire.socket_path(str(daemon.home))).exists()


@pytest.mark.parametrize("half", [b"", b"o\0\0\0\x04half", b"o\0\0\0\x99half", b"x\0\0"], ids=str)
def test_half_an_answer_is_none(base: Path, half: bytes) -> None:
    """A daemon that dies in the middle of an answer: the asker gives the whole one by itself."""
    daemon = Daemon(base / "home3")
    daemon.run("index", str(base / "tree"), cwd=base)
    (daemon.home / "daemon").mkdir(exist_ok=True)
    path = wire.socket_path(str(daemon.home))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        asked: list[wire.Request] = []

        def die() -> None:
            connection, _ = listening.accept()
            with connection:
                size = int.from_bytes(wire.read_exactly(connection, 4), "big")
                asked.append(wire.Request.parse(wire.read_exactly(connection, size)))
                wire.send(connection, wire.ACCEPTED)
                connection.sendall(half)

        thread = threading.Thread(target=die)
        thread.start()
        found = daemon.run("symbol", "Box.open", cwd=base / "tree")
        thread.join()
    os.unlink(path)
    assert asked[0].arguments == ["symbol", "Box.open"] and asked[0].cwd == str(base / "tree")
    assert (found.returncode, found.stderr) == (0, b"") and b"half" not in found.stdout
    assert b"lib/other.py:2" in found.stdout


def test_a_daemon_that_hangs_is_left_alone(base: Path) -> None:
    with running(base / "home2") as daemon:
        assert daemon.run("index", cwd=base / "tree").returncode == 0
        state = daemon.state()
        assert state is not None
        os.kill(state["pid"], signal.SIGSTOP)
        found = daemon.run("symbol", "Box.open", cwd=base / "tree")
        assert found.returncode == 0 and b"lib/other.py:2" in found.stdout
        impatient = daemon.open("symbol", "Box.open", cwd=base / "tree")
        until(lambda: is_waiting(impatient.pid))
        impatient.send_signal(signal.SIGKILL)
        impatient.communicate()
        os.kill(state["pid"], signal.SIGCONT)
        assert daemon.run("symbol", "Box.open", cwd=base / "tree").stdout == found.stdout
        assert daemon.answered >= 1


def test_ctrl_c_ends_the_asker_alone(base: Path, tmp_path: Path) -> None:
    """Here the daemon has accepted and is at work for long: the asker does not wait for it."""
    home = tmp_path / "h"
    daemon = Daemon(home)
    (home / "daemon").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(wire.socket_path(str(home)))
        listening.listen()
        process = daemon.open("search", "alpha", cwd=base / "tree")
        connection, _ = listening.accept()
        with connection:
            wire.send(connection, wire.ACCEPTED)
            until(lambda: is_waiting(process.pid))
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and out == b""
    assert err == b"\ninterrupted; run the same command again to go on where it stopped\n"


def is_waiting(process: int) -> bool:
    """Whether a process has received all that was sent to it and waits for more."""
    place = Path(f"/proc/{process}/wchan")
    return not place.exists() or Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] == "S"


def test_a_full_disk_and_a_reader_that_went_are_told_apart(daemon: Daemon, base: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    command = [sys.executable, "-m", "clew", "read", "app.py"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=base / "tree", env=daemon.env, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 4 and b"cannot write the answer" in done.stderr
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, cwd=base / "tree", env=daemon.env, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


# -- many, and none but this user ------------------------------------------------------------------


def test_many_ask_at_once_and_each_gets_its_own(daemon: Daemon, base: Path) -> None:
    places = [base / "tree", base / "tree" / "lib"]
    asked = [(("read", name, "--lines", "1:1"), place) for name in ("app.py", "tool.py") for place in places] * 4
    before = daemon.answered
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: daemon.run(*one[0], cwd=one[1]), asked))
    assert daemon.answered == before + len(asked)
    for (words, place), done in zip(asked, found, strict=True):
        file = place / words[1]
        assert done.returncode == (0 if file.exists() else 1), done
        assert not file.exists() or done.stdout == file.read_bytes().split(b"\n")[0] + b"\n"


def test_only_this_user_may_come_in(daemon: Daemon) -> None:
    place = Path(wire.socket_path(str(daemon.home)))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((place.parent / "log").stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="the system does not tell who asks")
def test_another_user_is_sent_away_even_where_the_rights_would_let_them_in() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="clew-") as short, running(Path(short) / "h") as daemon:
        path = Path(wire.socket_path(str(daemon.home)))
        content = wire.Request.here("status", [], str(daemon.home)).pack()
        (Path(short) / "request").write_bytes(len(content).to_bytes(4, "big") + content)
        script = (
            "import os, socket, sys\n"
            "request = open(sys.argv[2], 'rb').read()\n"
            "os.setuid(int(sys.argv[3]))\n"
            "s = socket.socket(socket.AF_UNIX); s.settimeout(20)\n"
            "try: s.connect(sys.argv[1])\n"
            "except PermissionError: sys.exit('refused')\n"
            "try: s.sendall(request); answer = s.recv(1)\n"
            "except ConnectionError: answer = b''\n"
            "print('answered' if answer else 'sent away', file=sys.stderr)"
        )

        def ask_as(user: int) -> str:
            command = [sys.executable, "-c", script, str(path), f"{short}/request", str(user)]
            return subprocess.run(command, capture_output=True, text=True, timeout=60).stderr.strip()

        os.chmod(short, 0o755)
        daemon.home.chmod(0o755)
        assert ask_as(0) == "answered"
        assert ask_as(65_534) == "refused"
        path.parent.chmod(0o755)
        path.chmod(0o666)
        assert ask_as(65_534) == "sent away"


def test_a_socket_of_another_user_is_told_nothing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (base / "home4" / "daemon").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(wire.socket_path(str(base / "home4")))
        listening.listen()
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
        assert wire.reach("status", [], str(base / "home4")) is None


# -- starting and ending ---------------------------------------------------------------------------


def test_there_is_one_daemon_for_a_home(base: Path) -> None:
    daemon = Daemon(base / "home2")
    assert daemon.run("daemon", "status", cwd=base).returncode == 1
    assert daemon.run("daemon", "stop", cwd=base).stdout == b"no daemon runs\n"
    with running(base / "home2"):
        state = daemon.state()
        assert state is not None and state["unused_because"] == "" and state["clients"] == 0
        assert daemon.start() == state["pid"]
        second = daemon.run("daemon", "run", cwd=base)
        assert second.returncode == 4 and b"a daemon runs already" in second.stderr
        said = daemon.run("daemon", "status", cwd=base)
        assert said.returncode == 0 and b"process %d" % state["pid"] in said.stdout
    assert not is_alive(state["pid"]) and daemon.state() is None


def test_a_daemon_that_nobody_asks_ends(base: Path) -> None:
    daemon = Daemon(base / "home2", CLEW_DAEMON_IDLE_S="1")
    process = daemon.start()
    until(lambda: not is_alive(process))
    assert not Path(wire.socket_path(str(daemon.home))).exists()


def test_a_daemon_whose_home_was_removed_ends(base: Path) -> None:
    daemon = Daemon(base / "home5")
    process = daemon.start()
    os.unlink(wire.socket_path(str(daemon.home)))
    until(lambda: not is_alive(process))


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"CLEW_HOME": "relative"}, b"absolute"),
        ({"CLEW_HOME": "/tmp/" + "long" * 30}, b"too long"),
        ({"CLEW_WORKERS": "many"}, b"workers"),
    ],
)
def test_a_daemon_that_cannot_start_says_why(tmp_path: Path, env: dict[str, str], said: bytes) -> None:
    done = Daemon(tmp_path / "h", **env).run("daemon", "run", cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr
    assert not Path("/tmp/" + "long" * 30).exists()


# -- agents ----------------------------------------------------------------------------------------

WHO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}
INITIALIZE: dict[str, Any] = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": WHO}
BEGIN: list[dict[str, Any]] = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}]


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    asked = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked}


def tell(agent: subprocess.Popen[bytes], message: dict[str, Any]) -> dict[str, Any]:
    """Send a request and read its answer."""
    assert agent.stdin is not None and agent.stdout is not None
    agent.stdin.write(json.dumps(message).encode() + b"\n")
    agent.stdin.flush()
    found: dict[str, Any] = json.loads(agent.stdout.readline())
    return found


CONVERSATION: list[dict[str, Any] | bytes] = [
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    call(2, "search_codebase", query="alpha"),
    call(3, "set_scope", scope={"languages": ["python"], "include_globs": ["lib"]}),
    call(4, "search_text", query="alpha"),
    call(5, "read_file", path="app.py"),
    call(6, "nonsense"),
    call(7, "list_codebases"),
    b"this is no JSON\n",
    {"jsonrpc": "2.0", "id": 8, "method": "ping"},
    {"jsonrpc": "2.0", "id": 9, "method": "resources/list"},
    {"jsonrpc": "2.0", "id": 10, "method": "no/such/method"},
]


@pytest.mark.parametrize("flags", [(), ("--profile", "full"), ("--profile=core",)], ids=str)
def test_an_agent_gets_the_same_bytes(daemon: Daemon, base: Path, flags: tuple[str, ...]) -> None:
    through = converse(daemon, base / "tree", flags)
    alone = Daemon(base / "home", CLEW_DAEMON_IDLE_S="7")  # other settings: it serves itself
    assert through == converse(alone, base / "tree", flags)
    assert b"alpha" in through[2]


def converse(daemon: Daemon, cwd: Path, flags: tuple[str, ...]) -> list[bytes]:
    """The server's lines, one after the other, without the names of sessions and the time."""
    with daemon.open("mcp", *flags, cwd=cwd) as agent:
        assert agent.stdin is not None and agent.stdout is not None
        lines = []
        conversation: list[dict[str, Any] | bytes] = [*BEGIN, *CONVERSATION]
        for message in conversation:
            content = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            agent.stdin.write(content)
            agent.stdin.flush()
            if not isinstance(message, bytes) and "id" in message:
                lines.append(agent.stdout.readline())
        out, err = agent.communicate(timeout=30)
        assert (agent.returncode, out) == (0, b""), err
    sessions = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
    times = re.compile(rb'checked_at(\\?)":\s?\\?"[^"]*"')
    return [times.sub(b"checked_at", sessions.sub(b"SESSION", line)) for line in lines]


def test_each_agent_is_a_session_of_its_own_in_its_own_place(daemon: Daemon, base: Path) -> None:
    with daemon.open("mcp", cwd=base / "tree") as one, daemon.open("mcp", cwd=base / "tree" / "lib") as two:
        for agent in (one, two):
            tell(agent, INITIALIZE)
        tell(one, call(1, "set_scope", scope={"languages": ["markdown"]}))
        state = daemon.state()
        assert state is not None and state["clients"] == 2
        scopes = [answered(tell(agent, call(2, "get_scope"))) for agent in (one, two)]
        assert [scope["effective_scope"]["languages"] for scope in scopes] == [["markdown"], []]
        assert scopes[0]["session_id"] != scopes[1]["session_id"]
        assert answered(tell(one, call(3, "search_text", query="alpha")))["matches"] == []
        places = [answered(tell(agent, call(4, "list_paths", languages=[])))["path"] for agent in (one, two)]
        assert places == [str(base / "tree"), str(base / "tree" / "lib")]
        one.kill()  # the others go on
        assert answered(tell(two, call(5, "search_text", query="alpha")))["total"] == 1
    until(lambda: (daemon.state() or {}).get("clients") == 0)


def answered(message: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = message["result"]["structuredContent"]
    return found


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_an_agent_whose_daemon_ends_is_told(base: Path, end: signal.Signals) -> None:
    daemon = Daemon(base / "home2")
    process = daemon.start()
    with daemon.open("mcp", cwd=base / "tree") as agent:
        assert tell(agent, INITIALIZE)["id"] == 0
        os.kill(process, end)
        assert agent.wait(timeout=30) == 4
        assert agent.stderr is not None and b"the daemon ended" in agent.stderr.read()
    until(lambda: not is_alive(process))
    with daemon.open("mcp", cwd=base / "tree") as agent:  # without a daemon it serves itself
        assert tell(agent, INITIALIZE)["id"] == 0


def test_a_job_outlives_the_agent_that_began_it(daemon: Daemon, tmp_path: Path, base: Path) -> None:
    root = write_tree(tmp_path / "job", {f"m{n}.py": f"def f{n}(): ...\n" for n in range(50)})
    with daemon.open("mcp", cwd=base / "tree") as agent:
        tell(agent, INITIALIZE)
        assert answered(tell(agent, call(1, "manage_index", action="create", path=str(root))))["status"] == "ok"
        agent.kill()
    until(lambda: daemon.run("symbol", "f49", str(root), "--no-index", cwd=base).returncode == 0)


# -- it costs next to nothing ----------------------------------------------------------------------


def test_the_way_in_loads_nothing_heavy() -> None:
    heavy = ("click", "typing", "json", "re", "asyncio", "dataclasses", "pathlib", "clew.errors", "importlib.metadata")
    code = f"import sys, clew.serve.entry, socket; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(wire.PACKAGE).parent)},
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_the_home_is_found_without_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path
) -> None:
    from clew import load_config

    def same() -> bool:
        return Path(wire.find_home() or "") == load_config().home

    assert same()
    monkeypatch.delenv("CLEW_HOME")
    assert same()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert same()
    monkeypatch.setenv("CLEW_HOME", "~/somewhere/")
    assert same()
    monkeypatch.delenv("CLEW_HOME")
    config = isolated_home / "c.toml"
    config.write_text(f'home = "{tmp_path}/from-file"\n')
    monkeypatch.setenv("CLEW_CONFIG", str(config))
    assert same() and str(wire.find_home()).endswith("from-file")
    config.write_text("home = [\n")
    assert wire.find_home() is None
    monkeypatch.setenv("CLEW_CONFIG", "c.toml")
    assert wire.find_home() is None


def test_a_request_comes_back_as_it_was() -> None:
    asked = wire.Request.here("ask", ["search", "", "größe \udcff\n", "--json"], "/a b")
    found = wire.Request.parse(asked.pack())
    assert vars(found) == vars(asked)
    for broken in (b"", b"ask\0", asked.pack().replace(b"ask", b"\0\0", 1), b"\0" * 8 + b"99"):
        with pytest.raises(ValueError):
            wire.Request.parse(broken)
