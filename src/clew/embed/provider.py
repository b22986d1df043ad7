"""A model that Clew does not carry: whatever answers, only sound vectors of one dimension leave here.

A backend asks one service or library; this adds what is the same for all: the check of every answer, the
dimension that is learned with the first one, and a pause after a question that got none. Nothing is loaded or
connected to before a vector is asked for. Main call: `Provider`.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from clew.errors import ProviderError

if TYPE_CHECKING:
    from clew.embed.encoder import Vectors

ATTEMPTS = 6  # while indexing: a provider that is gone for half a minute does not end the run
QUESTION_S = 10.0  # a question waits no longer for its vector
PAUSE_S = 15.0  # after a question that got none, the next ones do without
MAX_DIMENSION = 16_384
MAX_TEXT_CHARS = 6_000  # of one text; nearly all chunks are below 2,000, and few models read more than 8,000 tokens
SAME_MODEL = 0.97  # cosine of the probe's vectors, then and now; rounding and other hardware cost less than .01
PROBE = "def read_file(path):\n    return open(path).read()\n"  # its vector tells one model from another


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer is waited for, how often it is asked for, and who may end the waiting."""

    timeout_s: float
    attempts: int = ATTEMPTS
    cancelled: threading.Event = field(default_factory=threading.Event)


class Backend(Protocol):
    """One way to get vectors."""

    provider: str
    model: str  # its identity: the same text has the same vector
    place: str  # for people: where it is
    lanes: int  # how many batches it takes at once
    is_plain: bool  # whether a question and a piece of code are encoded alike

    def embed(self, texts: Sequence[str], patience: Patience, *, is_query: bool) -> Any:
        """A row of numbers for each text, as they come; or `ProviderError`."""
        ...


class Provider:
    """An `Encoder` on a backend. `recall` and `note` keep the dimension from one process to the next."""

    def __init__(
        self,
        backend: Backend,
        *,
        dimension: int = 0,
        batch: int = 32,
        timeout_s: float = 60.0,
        recall: Callable[[], int] = int,
        note: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.backend, self.batch, self.timeout_s = backend, batch, timeout_s
        self._wanted, self._learned = dimension, dimension
        self._recall, self._note = recall, note
        self._rests_until = 0.0  # not before this may a question try once more
        self._trouble = ""
        self._same: set[bytes] = set()  # what this very model made of the probe, in the stores that were looked at

    @property
    def provider(self) -> str:
        return self.backend.provider

    @property
    def model(self) -> str:
        return self.backend.model

    @property
    def lanes(self) -> int:
        return self.backend.lanes

    @property
    def dimension(self) -> int:
        """Numbers of a vector; 0 as long as nobody has ever been told."""
        if not self._learned:
            self._learned = self._recall()
        return self._learned

    def ready(self) -> None:
        """Know the dimension, by asking for a vector if need be."""
        if not self.dimension:
            self.probe(Patience(self.timeout_s, attempts=2))

    def probe(self, patience: Patience) -> Vectors:
        """The vector of a text that every model of code or language has something to say of."""
        vector: Vectors = self.encode_batch([PROBE], patience)[0]
        if not vector.any():
            raise self._unsound("a vector of zeros")
        return vector

    def encode_query(self, text: str, probe: bytes = b"") -> Vectors:
        """The vector of a question. One that was not answered spares those after it the waiting.

        With `probe`, what the stored model made of the text of that name, it is the same model or an error."""
        return self._quickly(text, probe, is_query=True)

    def encode_texts(self, texts: Sequence[str], probe: bytes = b"") -> Vectors:
        """The vectors of a few pieces of code, for a question."""
        import numpy as np

        found: Vectors = np.stack([self._quickly(text, probe, is_query=False) for text in texts])
        return found

    def _quickly(self, text: str, probe: bytes, *, is_query: bool) -> Vectors:
        with self.in_hurry():
            patience = Patience(QUESTION_S / 2, attempts=2)
            texts = [text[:MAX_TEXT_CHARS]]
            is_new = bool(probe) and not self.is_same(probe)
            if is_new and (self.backend.is_plain or not is_query):
                texts.append(PROBE)  # in the same request: it costs next to nothing
            rows = self._sound(self.backend.embed(texts, patience, is_query=is_query), len(texts))
            if is_new and rows.shape[1] == len(probe):  # another dimension is for the gate
                self.require_same(rows[1] if len(rows) > 1 else self.probe(patience), probe)
            vector: Vectors = rows[0]
            return vector

    def is_same(self, probe: bytes) -> bool:
        """Whether that was looked at already."""
        return probe in self._same

    def require_same(self, vector: Vectors, probe: bytes) -> None:
        """An error unless the probe's vector is what it was when the stored ones were made."""
        import numpy as np

        known = np.frombuffer(probe, np.int8).astype(np.float32)
        if float(vector @ known) < SAME_MODEL * float(np.linalg.norm(known)):
            raise ProviderError(
                f"{self.model} at {self.backend.place} is not the model that made the vectors of this index, though it"
                " has the same name; go back to that one, or `clew clear` and index again"
            )
        self._same.add(probe)

    @contextlib.contextmanager
    def in_hurry(self) -> Iterator[None]:
        """Where somebody waits for an answer: what failed a moment ago fails at once."""
        if time.monotonic() < self._rests_until:
            raise ProviderError(self._trouble)
        try:
            yield
        except ProviderError as error:
            self._trouble, self._rests_until = str(error), time.monotonic() + PAUSE_S
            raise

    def encode_batch(self, texts: Sequence[str], patience: Patience) -> Vectors:
        """The vectors of one batch of pieces of code, one row each."""
        return self._sound(self.backend.embed(texts, patience, is_query=False), len(texts))

    def _sound(self, rows: Any, count: int) -> Vectors:
        """An answer as unit vectors; what is no answer is an error, and nothing of it is kept."""
        import numpy as np

        try:
            with np.errstate(over="ignore"):  # what is too large is not finite
                vectors = np.asarray(rows, np.float32)
        except (ValueError, TypeError, OverflowError) as error:
            raise self._unsound("vectors of several lengths, or what is no number") from error
        if vectors.ndim != 2 or vectors.shape[0] != count or not vectors.shape[1]:
            shape = " × ".join(map(str, vectors.shape))
            raise self._unsound(f"{shape} numbers for {count} texts")
        if vectors.shape[1] > MAX_DIMENSION:
            raise self._unsound(f"vectors of {vectors.shape[1]} numbers, more than {MAX_DIMENSION}")
        if not np.isfinite(vectors).all():
            raise self._unsound("numbers that are not finite")
        self._learn(vectors.shape[1])
        norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        unit: Vectors = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
        return unit

    def _learn(self, width: int) -> None:
        """Note how long its vectors are; the gate compares that with what is stored."""
        if self._wanted and width != self._wanted:
            raise ProviderError(
                f"{self.model} at {self.backend.place} gives vectors of {width} numbers, not {self._wanted} as"
                " embedding_dimension says; correct that setting, or choose a model that can be cut"
            )
        if width != self.dimension:
            self._learned = width
            self._note(width)

    def _unsound(self, what: str) -> ProviderError:
        return ProviderError(
            f"{self.model} at {self.backend.place} answered with {what}; is it an embedding model? Nothing was kept"
        )
