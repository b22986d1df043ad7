"""Settings: where each comes from, which wins, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.config import Config, config_file, load_config
from clew.errors import BadInput


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.touch()
    monkeypatch.setenv("CLEW_CONFIG", str(path))
    return path


def test_defaults_then_file_then_environment_then_flags(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_EMBEDDING")
    defaults = load_config()
    assert defaults.embedding == "static"
    assert (defaults.workers, defaults.result_limit, defaults.max_files) == (0, 10, 1_000_000)
    assert defaults.sources == {"home": "environment"}
    file.write_text("workers = 2\nresult_limit = 20\nmax_files = 30\n")
    monkeypatch.setenv("CLEW_RESULT_LIMIT", "21")
    monkeypatch.setenv("CLEW_MAX_FILES", "31")
    config = load_config({"max_files": 32, "workers": None})
    assert (config.workers, config.result_limit, config.max_files) == (2, 21, 32)
    assert config.sources == {
        "workers": str(file),
        "result_limit": "environment",
        "max_files": "flag",
        "home": "environment",
    }


def test_where_the_home_is(file: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path) -> None:
    monkeypatch.delenv("CLEW_HOME")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert load_config().home.is_relative_to(isolated_home)
    file.write_text('home = "~/mine"\n')
    assert load_config().home == isolated_home / "mine"
    monkeypatch.chdir(isolated_home)
    assert load_config({"home": "here"}).home == isolated_home / "here"
    assert load_config({"home": "~nobody-has-this-name/x"}).home.is_absolute()
    monkeypatch.setenv("CLEW_HOME", "")
    assert load_config().home == isolated_home / "mine", "an empty variable is one that is not set"


@pytest.mark.parametrize(
    "text",
    [
        "workers = 1.0", "workers = true", "workers = -1", "workers = 'x'", "workers = [1]", "workers = inf",
        "workers = nan", "max_files = 0", "home = 5", "home = true", 'home = "a\\u0000b"', "unknown = 1",
        "sources = 1", "not toml", "[home]\nx = 1",
    ],
)  # fmt: skip
def test_a_wrong_value_names_its_source(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(BadInput, match=str(file)):
        load_config()


@pytest.mark.parametrize("value", ["x", "1.0", "-1", " ", "1e3", "9" * 5_000])
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CLEW_WORKERS", value)
    with pytest.raises(BadInput, match="'workers' from environment"):
        load_config()


def test_a_config_file_that_cannot_be_read(file: Path) -> None:
    file.unlink()
    file.mkdir()
    with pytest.raises(BadInput, match=str(file)):
        load_config()
    file.rmdir()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match=str(file)):
        load_config()


def test_the_config_file_is_looked_for_where_the_platform_says(
    monkeypatch: pytest.MonkeyPatch, isolated_home: Path
) -> None:
    monkeypatch.delenv("CLEW_CONFIG", raising=False)
    assert config_file() == isolated_home / ".config" / "clew" / "config.toml"


def test_a_config_file_that_is_named_must_exist(file: Path) -> None:
    file.unlink()
    with pytest.raises(BadInput, match="does not exist"):
        load_config()


def test_workers_are_bounded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_WORKERS", "1000")
    with pytest.raises(BadInput, match="at most 64"):
        load_config()
    assert file.exists()
    assert Config(Path("/x"), workers=3).parsing_processes == 3
    assert 1 <= Config(Path("/x")).parsing_processes <= min(os.cpu_count() or 1, 8)
