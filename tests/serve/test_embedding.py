"""A provider as users meet it: settings, messages, exit codes, progress; killed and gone on with; the key unseen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.config import load_config
from clew.embed.choose import Encoders
from clew.errors import BadInput
from tests.conftest import write_tree
from tests.embed.server import KEY, Answer, EmbeddingServer, refusal, serving
from tests.serve.command import clew, one_message


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as made:
        yield made


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    body = "    value = compute(value, 'words that make it long')\n" * 20
    return write_tree(tmp_path / "tree", {f"m{i}.py": f"def alpha_{i}(value):\n{body}" for i in range(40)})


def code(server: EmbeddingServer) -> dict[str, int]:
    return {text: times for text, times in server.texts.items() if "\n" in text}


def test_from_the_first_index_to_an_answer(tree: Path, server: EmbeddingServer, isolated_home: Path) -> None:
    server.key = KEY
    env = server.environment(CLEW_EMBEDDING_KEY=KEY, CLEW_LOG_LEVEL="debug")
    ran = [clew("index", str(tree), env=env)]
    assert ran[0].code == 0 and "40 texts embedded" in ran[0].out
    ran.append(clew("search", "alpha_7", str(tree), "--explain", "--json", env=env))
    assert ran[-1].envelope["results"][0]["path"] == "m7.py"
    assert "provided" in ran[-1].envelope["results"][0]["explain"] and ran[-1].envelope["warnings"] == []
    ran.append(clew("status", str(tree), env=env))
    assert "openai tiny, 64 numbers, beside static-code-2" in ran[-1].out
    ran.append(clew("status", str(tree), "--json", env=env))
    fingerprint = ran[-1].envelope["fingerprint"]
    assert [fingerprint[f"embedding{name}"] for name in ("Provider", "Model", "Dimension", "Base")] == [
        "openai",
        "tiny",
        64,
        "static-code-2",
    ]
    ran.append(clew("doctor", env=env))
    assert f"embedding: openai model tiny at {server.url} answers with 64 numbers" in ran[-1].out
    assert "embedding_key = set, not shown (environment)" in ran[-1].out
    server.key = "changed"
    ran.append(clew("doctor", "--json", env=env))
    assert ran[-1].code == 4 and "check embedding_key" in ran[-1].out
    ran.append(clew("search", "alpha_7", str(tree), env=env))
    assert ran[-1].code == 0 and "without the embedding provider's part" in ran[-1].err
    (tree / "m7.py").write_text("def other(): pass\n")
    ran.append(clew("sync", str(tree), env=env))
    assert ran[-1].code == 4
    assert not [text for done in ran for text in (done.out, done.err) if KEY in text]
    secret = KEY.encode()
    assert not [path for path in isolated_home.rglob("*") if path.is_file() and secret in path.read_bytes()]


def test_a_provider_that_is_down(tree: Path, server: EmbeddingServer) -> None:
    server.always = refusal(401, "bad key")
    ran = clew("index", str(tree), "--json", env=server.environment())
    assert (ran.code, ran.envelope["reason"]) == (4, "provider_failed")
    assert ran.envelope["problem"]["status"] == 502
    assert "check embedding_key" in one_message(clew("index", str(tree), env=server.environment()))
    server.always = None
    assert clew("index", str(tree), env=server.environment()).code == 0


def test_another_model_needs_a_reindex(tree: Path, server: EmbeddingServer) -> None:
    assert clew("index", str(tree), env=server.environment()).code == 0
    server.model = "other"
    ran = clew("search", "alpha", str(tree), "--json", env=server.environment())
    assert (ran.code, ran.envelope["status"]) == (3, "requires_reindex")
    assert "--force" in ran.envelope["message"]


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"CLEW_EMBEDDING": "magic"}, "static, none, openai, sentence-transformers, model2vec"),
        ({"CLEW_EMBEDDING": "openai"}, "CLEW_EMBEDDING_MODEL"),
        ({"CLEW_EMBEDDING": "openai", "CLEW_EMBEDDING_MODEL": "m"}, "CLEW_EMBEDDING_URL"),
        ({"CLEW_EMBEDDING_URL": "ftp://host/v1"}, "like https://host/v1"),
        ({"CLEW_EMBEDDING_URL": "http://host:port/v1"}, "like https://host/v1"),
        ({"CLEW_EMBEDDING_URL": "https://host/v1?key=1"}, "without"),
        ({"CLEW_EMBEDDING_URL": "https://me:secret@host/v1"}, "embedding_key"),
        ({"CLEW_EMBEDDING_KEY": "geheim\u00fc"}, "ASCII"),
        ({"CLEW_EMBEDDING_KEY": "secret\nx"}, "one line"),
        ({"CLEW_EMBEDDING_BATCH": "0"}, "at least 1"),
        ({"CLEW_EMBEDDING_PARALLEL": "99"}, "at most 32"),
        ({"CLEW_EMBEDDING": "model2vec", "CLEW_EMBEDDING_MODEL": "m", "CLEW_EMBEDDING_DIMENSION": "8"}, "alone"),
    ],
)
def test_settings_that_cannot_be_right(tree: Path, env: dict[str, str], message: str) -> None:
    ran = clew("list", cwd=tree, env=env)
    assert ran.code == 2 and message in one_message(ran)
    assert "secret" not in ran.err and "geheim" not in ran.err


def test_the_key_is_in_no_description_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_EMBEDDING_KEY", KEY)
    config = load_config()
    assert config.embedding_key == KEY and KEY not in repr(config)
    monkeypatch.setenv("CLEW_EMBEDDING", "openai")
    with pytest.raises(BadInput):
        Encoders(load_config())


def process(tree: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "clew", "index", str(tree)],
        env={**os.environ, "CLEW_WORKERS": "1", **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


class Stall:
    """Answers some requests, then none until it is let go."""

    def __init__(self, server: EmbeddingServer, answered: int) -> None:
        self.stalled, self.go_on = threading.Event(), threading.Event()
        server.faults = [lambda *_: None] * answered
        server.always = self._wait

    def _wait(self, *_: object) -> Answer | None:
        self.stalled.set()
        self.go_on.wait(60)
        return 503, {}, b"{}"


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_pays_for_nothing_twice(tree: Path, server: EmbeddingServer, how: signal.Signals) -> None:
    env = server.environment(CLEW_EMBEDDING_BATCH="2", CLEW_EMBEDDING_PARALLEL="2")
    paid = 0
    for answered in (7, 6, 5):
        stall = Stall(server, answered)
        running = process(tree, env)
        assert stall.stalled.wait(60)
        deadline = time.monotonic() + 30
        while len(code(server)) <= paid and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)  # what was answered is written
        os.kill(running.pid, how)
        _, errors = running.communicate(timeout=30)
        assert running.returncode == (130 if how == signal.SIGINT else -9)
        assert b"Traceback" not in errors
        stall.go_on.set()
        paid = len(code(server))
        assert set(code(server).values()) == {1}
        assert clew("status", str(tree), "--json", env=env).envelope["reason"] == "interrupted"
    server.faults, server.always = [], None
    assert 20 <= paid < 40
    ran = clew("index", str(tree), "--json", env=env)
    assert ran.envelope["stats"]["embedded"] == 40 - paid
    assert sorted(code(server).values()) == [1] * 40
    assert clew("doctor", env=env).code == 0


@pytest.mark.slow
def test_progress_is_shown_while_it_takes_long(tree: Path, server: EmbeddingServer) -> None:
    stall = Stall(server, 4)
    env = server.environment(CLEW_EMBEDDING_BATCH="4", CLEW_EMBEDDING_PARALLEL="1")
    running = process(tree, env)
    assert stall.stalled.wait(60)
    time.sleep(1.5)
    sign = clew("status", str(tree), "--json", env=env).envelope
    assert sign["indexing"]["phase"] == "embed" and sign["progress"] == 20
    server.always = None
    stall.go_on.set()
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0
    assert b"embedding: " in errors and b"/40 chunks (" in errors
