"""Settings: defaults < config file < `CLEW_*` environment < flags. The only reader of either.

A setting is a field of `Config`; its environment name is `CLEW_` and the field's name in capitals, its
key in the config file (TOML) the field's name. Main call: `load_config`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clew.errors import BadInput


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, resolved once; `sources` says where each that is not a default came from."""

    home: Path
    workers: int = 0  # parsing processes; 0: one for each core, at most 8
    max_file_bytes: int = 1_048_576  # larger files are listed but not read
    max_files: int = 1_000_000  # a tree with more is refused
    result_limit: int = 10  # hits of a search unless asked otherwise
    recheck_ms: int = 1_000  # a tree checked this recently is not looked at again, unless it is watched
    max_jobs: int = 16  # background runs at work or waiting; more are refused
    embedding: str = "static"  # the model of the vectors: static (bundled), none, or a provider beside the bundled one
    embedding_model: str = ""  # which of a provider's models: a name, or the folder of a local one
    embedding_url: str = ""  # where the provider `openai` is asked: what stands before /embeddings
    embedding_key: str = field(default="", repr=False)  # sent to that place and shown nowhere
    embedding_dimension: int = 0  # numbers of a vector; 0: as many as the model gives
    embedding_batch: int = 32  # texts in one request
    embedding_parallel: int = 4  # requests at once
    embedding_timeout_s: int = 60  # for one request while indexing; a question waits ten seconds at the most
    query_timeout_s: int = 5  # a server's answer to a question that takes longer is an error that says so
    session_max_age_seconds: int = 3_600  # a session that nobody uses for so long is forgotten
    max_request_bytes: int = 4_194_304  # of the body of one HTTP request
    token: str = field(default="", repr=False)  # what HTTP clients must show; needed beyond this machine
    daemon_idle_s: int = 14_400  # a daemon that nobody asks for so long ends; 0: never
    log_level: str = "warning"  # debug, info, warning or error; to standard error
    debug: int = 0  # 1: envelopes show the proof behind them
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def parsing_processes(self) -> int:
        return self.workers or min(os.cpu_count() or 1, 8)


_LEAST = {
    "workers": 0,
    "max_file_bytes": 1,
    "max_files": 1,
    "result_limit": 1,
    "recheck_ms": 0,
    "max_jobs": 1,
    "debug": 0,
    "embedding_dimension": 0,
    "embedding_batch": 1,
    "embedding_parallel": 1,
    "embedding_timeout_s": 1,
    "query_timeout_s": 1,
    "session_max_age_seconds": 1,
    "max_request_bytes": 1_024,
    "daemon_idle_s": 0,
}
_MOST = {
    "workers": 64,
    "embedding_dimension": 16_384,
    "embedding_batch": 2_048,
    "embedding_parallel": 32,
    "embedding_timeout_s": 3_600,
    "query_timeout_s": 3_600,
}
PROVIDERS = ("openai", "sentence-transformers", "model2vec")
EMBEDDINGS = ("static", "none", *PROVIDERS)
SECRETS = frozenset({"embedding_key", "token"})  # settings whose value is never shown
_TEXTS = ("embedding_model", "embedding_url", "embedding_key", "token")
LOG_LEVELS = ("debug", "info", "warning", "error")


def load_config(flags: Mapping[str, Any] | None = None) -> Config:
    """The configuration of this process; a wrong value is a `BadInput` that names its source."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    path = config_file()
    for source, found in (
        (str(path), _from_file(path)),
        ("environment", _from_environment()),
        ("flag", {key: value for key, value in (flags or {}).items() if value is not None}),
    ):
        for key, value in found.items():
            values[key] = _check(key, value, source)
            sources[key] = source
    home = Path(os.path.expanduser(values.pop("home", None) or _default_home())).absolute()
    return Config(home=home, sources=sources, **values)


def config_file() -> Path:
    """Where the config file is looked for."""
    named = os.environ.get("CLEW_CONFIG")
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_config_dir("clew", appauthor=False)) / "config.toml"


def _default_home() -> str:
    import platformdirs

    return platformdirs.user_data_dir("clew", appauthor=False)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if os.environ.get("CLEW_CONFIG"):
            raise BadInput(f"the config file {path} that CLEW_CONFIG names does not exist") from error
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the config file {path}: {error}") from error
    import tomllib  # it takes long, and most have no such file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"the config file {path} is not valid TOML: {error}") from error


def _from_environment() -> dict[str, str]:
    names = {f"CLEW_{name.upper()}": name for name in _settings()}
    return {name: os.environ[variable] for variable, name in names.items() if os.environ.get(variable)}


def _settings() -> list[str]:
    return [item.name for item in fields(Config) if item.name != "sources"]


def _check(key: str, value: Any, source: str) -> Any:
    if key not in _settings():
        raise BadInput(f"unknown setting {key!r} in {source}; known: {', '.join(_settings())}")
    if key == "home":
        if not isinstance(value, str) or "\0" in value:
            raise BadInput(f"setting 'home' from {source} must be a path, not {value!r}")
        return value
    if key == "embedding":
        if value not in EMBEDDINGS:
            raise BadInput(f"setting 'embedding' from {source} must be one of {', '.join(EMBEDDINGS)}, not {value!r}")
        return value
    if key == "log_level":
        if not isinstance(value, str) or value.lower() not in LOG_LEVELS:
            raise BadInput(f"setting 'log_level' from {source} must be one of {', '.join(LOG_LEVELS)}, not {value!r}")
        return value.lower()
    if key in _TEXTS:
        return _text(key, value, source)
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadInput(f"setting {key!r} from {source} must be a whole number, not {value!r}") from error
    if isinstance(value, (bool, float)) or number < _LEAST[key]:
        raise BadInput(f"setting {key!r} from {source} must be a whole number of at least {_LEAST[key]}")
    if number > _MOST.get(key, number):
        raise BadInput(f"setting {key!r} from {source} must be at most {_MOST[key]}")
    return number


def _text(key: str, value: Any, source: str) -> str:
    """A setting that is a piece of text; what is wrong with a secret is said without showing it."""
    if not isinstance(value, str) or not value.isprintable():
        raise BadInput(f"setting {key!r} from {source} must be text in one line")
    if key in SECRETS and not value.isascii():
        raise BadInput(f"setting {key!r} from {source} must be of plain characters (ASCII)")
    if key == "embedding_url" and value:
        try:
            parts = urlsplit(value)
            is_sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_sound = False
        if not is_sound or parts.query or parts.fragment:
            raise BadInput(f"setting {key!r} from {source} must be like https://host/v1, without ? and #")
        if parts.username is not None:
            raise BadInput(f"setting {key!r} from {source} must not hold a password; embedding_key is for that")
    return value.strip()
