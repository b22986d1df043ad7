"""What turns text into vectors, whoever does it. Main names: `Encoder`, and `Asked` for a question's vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """A source of vectors. `provider`, `model` and `dimension` go into the fingerprint of what is stored.

    Vectors have length one, so that a dot product is a cosine; what says nothing has the zero vector.
    """

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def encode_query(self, text: str) -> Vectors:
        """The vector of a question, of shape (dimension,)."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """The vectors of pieces of code, one row each."""
        ...


class Asked(NamedTuple):
    """What is asked, as each model sees it; None where there is no such model, or where it did not answer."""

    vector: Any = None  # the bundled model's
    provided: Any = None  # the provider's
    trouble: str = ""  # why the provider did not answer
    synonyms: Callable[[int], Sequence[tuple[int, float]]] = lambda _: ()  # of a term's hash, with how close they are
    alike: Any = None  # the bundled model's when all words count alike, where they do not in `vector`
