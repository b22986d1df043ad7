"""Models in this process: loaded late, named by what they are, and missing packages are told."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.embed.local import Model2VecBackend, SentenceTransformersBackend, identity
from clew.embed.provider import PROBE, Patience, Provider
from clew.errors import ProviderError
from clew.store.segments import quantised
from tests.embed.server import vector_of

PATIENCE = Patience(60.0)


class FakeTransformer:
    """What Clew uses of a SentenceTransformer, and a record of it."""

    made: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012

    def __init__(self, source: str, **options: Any) -> None:
        if "missing" in source:
            raise OSError(f"{source} is not a local folder and is not a valid model identifier")
        FakeTransformer.made.append((source, options))
        self.prompts = {"query": "query: ", "document": ""} if "prompted" in source else {}
        self.asked: list[tuple[list[str], dict[str, Any]]] = []

    def encode(self, texts: list[str], **options: Any) -> Any:
        self.asked.append((texts, options))
        if "break" in texts:
            raise RuntimeError("CUDA\nout of memory")
        return np.array([vector_of(text, 24) for text in texts], np.float32)


@pytest.fixture
def transformers(monkeypatch: pytest.MonkeyPatch) -> type[FakeTransformer]:
    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = FakeTransformer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    FakeTransformer.made = []
    return FakeTransformer


def test_it_is_loaded_once_and_late(transformers: type[FakeTransformer]) -> None:
    made = Provider(SentenceTransformersBackend("some/model@abc123"))
    assert (made.provider, made.model, made.lanes) == ("sentence-transformers", "some/model@abc123", 1)
    assert transformers.made == []
    assert made.encode_batch(["cook", "eat"], PATIENCE).shape == (2, 24)
    assert made.encode_query("cook").shape == (24,)
    assert transformers.made == [("some/model", {"revision": "abc123"})]


@pytest.mark.usefixtures("transformers")
def test_a_model_with_prompts_is_told_from_another() -> None:
    made = Provider(SentenceTransformersBackend("prompted"))
    probe = quantised(made.probe(PATIENCE).reshape(1, -1)).tobytes()
    assert made.encode_query("cook", probe).any() and made.is_same(probe)
    texts = [(texts, options["prompt_name"]) for texts, options in made.backend._model().asked]  # type: ignore[attr-defined]
    assert texts == [([PROBE], "document"), (["cook"], "query"), ([PROBE], "document")]
    with pytest.raises(ProviderError, match="not the model"):
        made.require_same(-made.probe(PATIENCE), probe)


@pytest.mark.usefixtures("transformers")
def test_prompts_of_the_model_are_used() -> None:
    backend = SentenceTransformersBackend("prompted")
    backend.embed(["a"], PATIENCE, is_query=False)
    backend.embed(["b"], PATIENCE, is_query=True)
    assert [options.get("prompt_name") for _, options in backend._model().asked] == ["document", "query"]
    plain = SentenceTransformersBackend("plain")
    plain.embed(["b"], PATIENCE, is_query=True)
    assert "prompt_name" not in plain._model().asked[0][1]


@pytest.mark.usefixtures("transformers")
def test_trouble_is_told_in_one_line() -> None:
    with pytest.raises(ProviderError, match=r"could not be loaded .OSError: missing.*check embedding_model"):
        Provider(SentenceTransformersBackend("missing")).ready()
    with pytest.raises(ProviderError, match=r"failed .RuntimeError: CUDA out of memory"):
        Provider(SentenceTransformersBackend("plain")).encode_batch(["break"], PATIENCE)


@pytest.mark.parametrize(
    ("backend", "package"),
    [(SentenceTransformersBackend, "sentence_transformers"), (Model2VecBackend, "model2vec")],
)
def test_a_package_that_is_not_installed_is_named(
    backend: type[Model2VecBackend], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ProviderError, match=rf"pip install 'clew\[{package.replace('_', '-')}\]'"):
        Provider(backend("any")).ready()


def test_a_folder_is_named_by_what_is_in_it(tmp_path: Path) -> None:
    def model(where: str, weights: bytes) -> Path:
        folder = tmp_path / where / "potion"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(weights)
        (folder / "README.md").write_text(where)
        return folder

    large = bytes(3_000_000)
    one, same = identity(str(model("one", large))), identity(str(model("two", large)))
    assert one == same and one.startswith("potion@") and str(tmp_path) not in one
    assert identity(str(model("three", large[:-1] + b"x"))) != one
    assert identity(str(model("four", b"small"))) != one
    assert identity("some/name") == "some/name"


def tiny_model(folder: Path, dimension: int = 16) -> Path:
    """A model2vec model over a few words, saved as the library does."""
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    words = ["[PAD]", "[UNK]", *"def read write file path open close steal car cook food return".split()]
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    rows = np.random.default_rng(7).normal(size=(len(words), dimension)).astype(np.float32)
    rows[:2] = 0
    model2vec.StaticModel(rows, tokenizer, normalize=True).save_pretrained(folder)
    return folder


def test_a_model_in_a_folder(tmp_path: Path) -> None:
    made = Provider(Model2VecBackend(str(tiny_model(tmp_path / "tiny"))))
    made.ready()
    assert made.dimension == 16
    found = made.encode_batch(["read file", "file read", "cook food", "⟦⟧"], PATIENCE)
    assert np.allclose(found[0], found[1]) and not np.allclose(found[0], found[2])
    assert not found[3].any(), "nothing is known of it, and that is no failure"
    assert float(made.encode_query("open file") @ found[0]) > float(made.encode_query("open file") @ found[2])
