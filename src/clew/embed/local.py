"""The providers `sentence-transformers` and `model2vec`: libraries that run a model on this machine.

Neither is installed with Clew, nor loaded before the first vector. A model is a folder, or a name that the
library knows how to get. Main calls: `SentenceTransformersBackend`, `Model2VecBackend`.
"""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clew.embed.provider import Patience
from clew.errors import ProviderError

_WHOLE_BYTES = 1_000_000  # smaller files of a model are read whole to tell one model from another
_PROBE_BYTES = 65_536  # of larger ones, at both ends


class _Local(ABC):
    """A model in this process, loaded once."""

    provider: str
    lanes = 1  # one batch keeps every core busy
    is_plain = False

    def __init__(self, model: str) -> None:
        self._source = os.path.expanduser(model)
        self.model, self.place = identity(self._source), "this machine"
        self._loading = threading.Lock()
        self._loaded: Any = None

    def embed(self, texts: Sequence[str], patience: Patience, *, is_query: bool) -> Any:  # noqa: ARG002
        """The vectors of some texts; a batch cannot be interrupted."""
        try:
            return self._embed(self._model(), list(texts), is_query=is_query)
        except ProviderError:
            raise
        except Exception as error:
            raise ProviderError(f"the model {self.model} failed ({_brief(error)}); nothing was kept") from error

    def _model(self) -> Any:
        with self._loading:
            if self._loaded is None:
                try:
                    self._loaded = self._load(self._source)
                except ImportError as error:
                    raise ProviderError(
                        f"CLEW_EMBEDDING={self.provider} needs a package that is not installed ({error});"
                        f" run `pip install 'clew[{self.provider}]'`"
                    ) from error
                except Exception as error:
                    raise ProviderError(
                        f"the model {self._source} could not be loaded ({_brief(error)}); check embedding_model: the"
                        " folder of a model, or a name that can be downloaded from here"
                    ) from error
        return self._loaded

    @abstractmethod
    def _load(self, source: str) -> Any: ...

    @abstractmethod
    def _embed(self, model: Any, texts: list[str], *, is_query: bool) -> Any: ...


class SentenceTransformersBackend(_Local):
    provider = "sentence-transformers"

    def _load(self, source: str) -> Any:
        from sentence_transformers import SentenceTransformer

        name, _, revision = source.partition("@")
        if revision and not os.path.exists(source):
            return SentenceTransformer(name, revision=revision)
        return SentenceTransformer(source)

    def _embed(self, model: Any, texts: list[str], *, is_query: bool) -> Any:
        prompts = getattr(model, "prompts", None) or {}
        wanted = ("query",) if is_query else ("document", "passage", "corpus")
        prompt = next((name for name in wanted if name in prompts), None)
        options: dict[str, Any] = {"prompt_name": prompt} if prompt else {}
        return model.encode(texts, convert_to_numpy=True, show_progress_bar=False, **options)


class Model2VecBackend(_Local):
    provider = "model2vec"
    is_plain = True

    def _load(self, source: str) -> Any:
        from model2vec import StaticModel

        return StaticModel.from_pretrained(source)

    def _embed(self, model: Any, texts: list[str], *, is_query: bool) -> Any:  # noqa: ARG002
        return model.encode(texts, show_progress_bar=False, use_multiprocessing=False)


def identity(model: str) -> str:
    """A model's name; of a folder its own name and a digest of what is in it, wherever it lies."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    digest = hashlib.sha256()
    for path in sorted(item for item in folder.rglob("*") if item.is_file() and item.suffix.lower() != ".md"):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode("utf-8", "surrogateescape"))
        with open(path, "rb") as file:
            digest.update(file.read(_WHOLE_BYTES if size <= _WHOLE_BYTES else _PROBE_BYTES))
            if size > _WHOLE_BYTES:
                file.seek(size - _PROBE_BYTES)
                digest.update(file.read(_PROBE_BYTES))
    return f"{folder.resolve().name}@{digest.hexdigest()[:12]}"


def _brief(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
