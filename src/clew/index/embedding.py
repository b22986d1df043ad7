"""Gives chunks the vectors of an embedding provider: each text once, kept as soon as it came.

A text is a chunk with the name of the definition it belongs to; no path is in it. What any other file, branch
or run had embedded before is taken from the store. A run that dies or is stopped loses what was under way and
nothing else. Main call: `embed_facts`.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.answers import RunStats
from clew.embed.batches import encode_all, grouped
from clew.embed.provider import ATTEMPTS, MAX_TEXT_CHARS, Patience, Provider
from clew.errors import OtherDimension, ProviderError
from clew.store import facts as fact_rows
from clew.store import vectors
from clew.store.derive import derived
from clew.store.segments import CHUNK_BITS, quantised
from clew.store.store import Store
from clew.types import Chunk, ModelName, Progress, Symbol

if TYPE_CHECKING:
    from clew.embed.encoder import Vectors

MAX_BATCH_CHARS = 100_000  # of one request: about 25,000 tokens
_LINKS = 500  # chunks that share known vectors, written in one transaction
_PASSES = 3  # a sweep may take a vector that was counted on
_QUICK_ATTEMPTS = 2  # where somebody waits for an answer


class Piece(NamedTuple):
    """A text to embed, and its digest."""

    digest: bytes
    text: str


def embed_facts(
    store: Store,
    provider: Provider,
    facts: Iterable[int],
    *,
    stats: RunStats,
    watch: Callable[[Progress], None],
    in_hurry: bool = False,
) -> bool:
    """Give every chunk of these facts a vector. Whether the segments may have passed some of them without one."""
    model, connection, wanted = store.model, store.connection(), sorted(facts)
    first: int | None = None
    for _ in range(_PASSES):
        pending = vectors.lacking(connection, vectors.find_model(connection, model), wanted)
        if not pending:
            return first is not None and first >> CHUNK_BITS <= derived(connection).applied
        first = pending[0] if first is None else first
        with provider.in_hurry() if in_hurry else contextlib.nullcontext():
            _Embedding(store, provider, model, pending, stats, watch, in_hurry=in_hurry).work()
    raise ProviderError(f"the vectors of {store.directory} vanished while they were made; run the command again")


def text_of(chunk: Chunk, symbols: list[Symbol], content: bytes) -> str:
    """What is embedded for a chunk. Another layout is another text: all would be embedded anew."""
    text = content[chunk.start_byte : chunk.end_byte].decode("utf-8", "replace")
    if chunk.symbol >= 0:
        owner = symbols[chunk.symbol]
        text = f"{owner.kind} {owner.qualified}\n{text}"
    return text[:MAX_TEXT_CHARS]


class _Embedding:
    """One pass over chunks that have no vector."""

    def __init__(
        self,
        store: Store,
        provider: Provider,
        model: ModelName,
        pending: list[int],
        stats: RunStats,
        watch: Callable[[Progress], None],
        *,
        in_hurry: bool,
    ) -> None:
        self._store, self._provider, self._model = store, provider, model
        self._pending, self._stats, self._watch = pending, stats, watch
        self._attempts = _QUICK_ATTEMPTS if in_hurry else ATTEMPTS
        self._connection = store.connection()
        self._number = vectors.find_model(self._connection, model)
        self._waiting: dict[bytes, list[int]] = {}  # texts that are under way, and whose they are
        self._links: list[tuple[int, bytes]] = []
        self._done = 0

    def work(self) -> None:
        self._tick()
        batches = grouped(
            self._pieces(), size=lambda piece: len(piece.text), max_items=self._provider.batch, max_size=MAX_BATCH_CHARS
        )
        first = next(batches, None)  # what is known needs no provider, so none is asked before there is need
        if first is not None:
            self._vouch()
            every = chain([first], batches)
            lanes = self._provider.lanes
            for batch, rows in encode_all(every, self._encode, lanes=lanes, tick=self._tick):
                self._keep(batch, rows)
        self._link()

    def _pieces(self) -> Iterator[Piece]:
        """The texts that nobody has embedded yet, each once."""
        for chunk, text in self._texts():
            digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
            if digest in self._waiting:
                self._waiting[digest].append(chunk)
            elif self._number and vectors.is_known(self._connection, self._number, digest):
                self._links.append((chunk, digest))
                if len(self._links) >= _LINKS:
                    self._link()
            else:
                self._waiting[digest] = [chunk]
                yield Piece(digest, text)

    def _texts(self) -> Iterator[tuple[int, str]]:
        """Every pending chunk with its text, blob by blob."""
        last, chunks, symbols, content = -1, [], [], b""
        for chunk in self._pending:
            facts = chunk >> CHUNK_BITS
            if facts != last:
                last = facts
                chunks = fact_rows.chunks_of(self._connection, facts)
                symbols = fact_rows.symbols_of(self._connection, facts)
                content = fact_rows.content(self._connection, fact_rows.blob_of(self._connection, facts))
            yield chunk, text_of(chunks[chunk - (facts << CHUNK_BITS)], symbols, content)

    def _encode(self, batch: list[Piece], cancelled: threading.Event) -> Vectors:
        patience = Patience(self._provider.timeout_s, self._attempts, cancelled)
        return self._provider.encode_batch([piece.text for piece in batch], patience)

    def _keep(self, batch: list[Piece], rows: Vectors) -> None:
        """Write a batch at once: it is paid for."""
        self._require_dimension(rows.shape[1])
        packed = quantised(rows)
        with self._store.write() as connection:
            texts = ((piece.digest, row.tobytes()) for piece, row in zip(batch, packed, strict=True))
            vectors.add(connection, self._number, texts)
            owners = [(chunk, piece.digest) for piece in batch for chunk in self._waiting.pop(piece.digest)]
            vectors.link(connection, self._number, owners)
        self._stats.embedded += len(batch)
        self._done += len(owners)
        self._tick()

    def _link(self) -> None:
        """Chunks whose texts are known get their vectors for nothing."""
        links, self._links = self._links, []
        if links:
            with self._store.write() as connection:
                vectors.link(connection, self._number, links)
            self._done += len(links)
            self._tick()

    def _vouch(self) -> None:
        """Once for each store: the model that answers is the one whose vectors are here already."""
        known = vectors.probe_of(self._connection, self._model)
        if known is not None and self._provider.is_same(known):
            return
        [(_, row)] = encode_all([[0]], self._probe, lanes=1, tick=self._tick)
        self._require_dimension(len(row))
        if known is None:
            known = quantised(row.reshape(1, -1)).tobytes()
            with self._store.write() as connection:
                vectors.add_model(connection, self._model, known)
        self._provider.require_same(row, vectors.probe_of(self._connection, self._model) or known)
        self._number = vectors.find_model(self._connection, self._model)

    def _probe(self, _: list[int], cancelled: threading.Event) -> Any:
        return self._provider.probe(Patience(self._provider.timeout_s, self._attempts, cancelled))

    def _require_dimension(self, width: int) -> None:
        if width != self._model.dimension:
            raise OtherDimension(
                f"{self._model.model} gives vectors of {width} numbers now, and gave {self._model.dimension} when the"
                " index was begun; run `clew index --force`"
            )

    def _tick(self) -> None:
        """A sign of life, and the place where a run is stopped."""
        total = len(self._pending)
        self._watch(Progress("embed", self._done, total, self._done, total))
