"""Which models make the vectors, by the settings: the bundled one, none, or a provider's beside the bundled one.

A provider is added, never put in the place of the bundled model: it is one more score, and where it does not
answer the others still stand. Main call: `Encoders`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from clew.answers import Check
from clew.config import PROVIDERS, Config
from clew.embed.encoder import Asked
from clew.embed.provider import QUESTION_S, Backend, Patience, Provider
from clew.embed.static import StaticEncoder
from clew.errors import BadInput, ProviderError
from clew.types import ModelName

Encode = Callable[[Sequence[bytes], Sequence[bytes]], Any]
Probe = Callable[[], bytes | None]


class Encoders:
    """The models in force; nothing is loaded yet. `recall` and `note` keep the dimension of a provider's model."""

    def __init__(
        self, config: Config, recall: Callable[[str], int] = lambda _: 0, note: Callable[[str, int], None] | None = None
    ) -> None:
        self.base = StaticEncoder() if config.embedding != "none" else None
        self.provider: Provider | None = None
        if config.embedding in PROVIDERS:
            backend, name = _backend(config)
            self.provider = Provider(
                backend,
                dimension=config.embedding_dimension,
                batch=config.embedding_batch,
                timeout_s=config.embedding_timeout_s,
                recall=lambda: recall(name),
                note=lambda width: note(name, width) if note is not None else None,
            )

    @property
    def encode(self) -> Encode | None:
        """How the bundled model makes vectors of packed terms."""
        return self.base.encode_packed if self.base is not None else None

    def name(self) -> ModelName:
        """What a store must know of the models."""
        if self.base is None:
            return ModelName()
        if self.provider is None:
            return ModelName(self.base.provider, self.base.model, self.base.dimension)
        added = self.provider
        return ModelName(added.provider, added.model, added.dimension, base=self.base.model)

    def query(self, words: str, text: str = "", probe: Probe = lambda: None, *, weights: Sequence[float] = ()) -> Asked:
        """A question as the models see it: the bundled one in `words`, which count as much as `weights` says; a
        provider's the text as it was put.

        A provider that does not answer is no reason to give no answer. One whose dimension is known is asked only if
        `probe` gives what tells its model from others."""
        if self.base is None:
            return Asked()
        vector, alike = self.base.encode_weighted(words, weights) if weights else (self.base.encode_query(words), None)
        asked = self._beside(vector, text, probe, is_code=False)
        return asked._replace(synonyms=self.base.synonyms, alike=alike)

    def code(self, text: str, probe: Probe = lambda: None) -> Asked:
        """The same for a piece of code."""
        if self.base is None:
            return Asked()
        return self._beside(self.base.encode_texts([text])[0], text, probe, is_code=True)

    def _beside(self, vector: Any, text: str, probe: Probe, *, is_code: bool) -> Asked:
        if self.provider is None or not text.strip():
            return Asked(vector)
        known = probe() if self.provider.dimension else b""
        if known is None:
            return Asked(vector)
        try:
            if is_code:
                return Asked(vector, self.provider.encode_texts([text], known)[0])
            return Asked(vector, self.provider.encode_query(text, known))
        except ProviderError as error:
            return Asked(vector, None, str(error))

    def checks(self) -> tuple[Check, ...]:
        """Whether a provider answers, found out by asking it for one vector."""
        if self.provider is None:
            return ()
        found, place = self.provider, self.provider.backend.place
        try:
            found.probe(Patience(QUESTION_S, attempts=1))
        except ProviderError as error:
            return (Check("embedding", False, str(error)),)
        what = f"{found.provider} model {found.model} at {place} answers with {found.dimension} numbers"
        return (Check("embedding", True, what),)


def _backend(config: Config) -> tuple[Backend, str]:
    """The backend that the settings name, and under what its dimension is kept."""
    from clew.embed.local import Model2VecBackend, SentenceTransformersBackend  # here: who sets none waits for none
    from clew.embed.openai import OpenAIBackend

    kind, model = config.embedding, config.embedding_model
    if not model:
        raise BadInput(f"embedding {kind!r} needs a model: set embedding_model (CLEW_EMBEDDING_MODEL)")
    backend: Backend
    if kind == "openai":
        if not config.embedding_url:
            raise BadInput(
                "embedding 'openai' needs an address: set embedding_url (CLEW_EMBEDDING_URL), for example"
                " http://localhost:11434/v1 for Ollama or https://api.openai.com/v1"
            )
        backend = OpenAIBackend(
            config.embedding_url,
            model,
            key=config.embedding_key,
            dimension=config.embedding_dimension,
            lanes=config.embedding_parallel,
        )
    else:
        if config.embedding_dimension:
            raise BadInput(f"embedding 'openai' alone takes an embedding_dimension; {kind!r} gives what its model has")
        backend = SentenceTransformersBackend(model) if kind == "sentence-transformers" else Model2VecBackend(model)
    where = hashlib.sha256(backend.place.encode()).hexdigest()[:12]
    return backend, f"{backend.provider}/{backend.model}/{where}"
