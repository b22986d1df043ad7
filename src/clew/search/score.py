"""BM25 from the statistics of one snapshot: never of what else the store holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from clew import tokens
from clew.store.postings import Posting
from clew.store.snapshots import Snapshot

K1 = 1.2  # how soon a repeated term stops counting
B = 0.75  # how much a long chunk is discounted


class Bm25:
    """Scores chunks for the terms of one query."""

    def __init__(self, snapshot: Snapshot, frequencies: Mapping[bytes, int]) -> None:
        total = max(snapshot.chunks, 1)
        self._mean_length = max(snapshot.tokens / total, 1.0)
        self._weights = {
            term: math.log(1 + (total - df + 0.5) / (df + 0.5)) for term, df in frequencies.items() if df > 0
        }

    def weight(self, term: str) -> float:
        """How telling a term is in this snapshot; 0 when it does not occur."""
        return self._weights.get(tokens.term_hash(term), 0.0)

    def scores(self, postings: Iterable[Posting]) -> dict[int, float]:
        """The score of each chunk that holds a term."""
        weights = list(self._weights.items())
        scores: dict[int, float] = {}
        for chunk, length, terms, freqs in postings:
            norm = K1 * (1 - B + B * length / self._mean_length)
            score = 0.0
            for term, weight in weights:
                place = _find(terms, term)
                if place >= 0:
                    frequency = freqs[place]
                    score += weight * frequency * (K1 + 1) / (frequency + norm)
            if score > 0:
                scores[chunk] = score
        return scores


def _find(terms: bytes, term: bytes) -> int:
    """The index of a four-byte hash in a packed list, or -1; a hit across two hashes is none."""
    place = terms.find(term)
    while place >= 0 and place & 3:
        place = terms.find(term, place + 1)
    return place >> 2 if place >= 0 else -1
