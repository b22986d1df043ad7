"""Batches: every text once and in order, within both bounds; a few at once; nothing lost when one fails."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embed.batches import encode_all, grouped
from clew.errors import ProviderError, Stopped

TEXTS = st.lists(st.text(max_size=30), max_size=60)


def nothing() -> None:
    """Nobody watches."""


@given(TEXTS, st.integers(1, 7), st.integers(1, 60))
def test_every_text_is_in_one_batch_in_order(texts: list[str], max_items: int, max_chars: int) -> None:
    batches = list(grouped(texts, size=len, max_items=max_items, max_size=max_chars))
    assert [text for batch in batches for text in batch] == texts
    for batch in batches:
        assert 0 < len(batch) <= max_items
        assert sum(map(len, batch)) <= max_chars or len(batch) == 1
    for one, other in pairwise(batches):
        assert len(one) == max_items or sum(map(len, one)) + len(other[0]) > max_chars, "no batch is smaller than need"


@given(TEXTS, st.integers(1, 7), st.integers(1, 5))
def test_every_text_comes_back_with_its_own_result(texts: list[str], max_items: int, lanes: int) -> None:
    batches = grouped(texts, size=len, max_items=max_items, max_size=1_000)
    found = list(encode_all(batches, lambda batch, _: [text + "!" for text in batch], lanes=lanes, tick=nothing))
    assert all(result == [text + "!" for text in batch] for batch, result in found)
    assert sorted(text for batch, _ in found for text in batch) == sorted(texts)


def test_no_more_than_the_lanes_at_once() -> None:
    lock, started = threading.Lock(), threading.Barrier(3)
    now = most = 0

    def encode(batch: list[int], _: threading.Event) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        started.wait(10)
        with lock:
            now -= 1
        return batch[0]

    found = list(encode_all([[i] for i in range(9)], encode, lanes=3, tick=nothing))
    assert sorted(result for _, result in found) == list(range(9))
    assert most == 3


def test_what_is_under_way_when_one_fails_is_still_handed_out() -> None:
    both = threading.Barrier(2)

    def encode(batch: list[int], cancelled: threading.Event) -> int:
        both.wait(10)
        if batch == [0]:
            raise ProviderError("down")
        assert cancelled.wait(10), "nobody waits for what cannot come"
        return batch[0]

    taken: list[int] = []
    with pytest.raises(ProviderError, match="down"):
        taken.extend(result for _, result in encode_all([[0], [1], [2], [3]], encode, lanes=2, tick=nothing))
    assert taken == [1], "paid for, so kept; and nothing new was begun"


def test_a_stop_ends_it_at_once() -> None:
    hang, begun = threading.Event(), threading.Event()

    def encode(batch: list[int], _: threading.Event) -> int:
        begun.set()
        hang.wait(30)
        return batch[0]

    def tick() -> None:
        if begun.is_set():
            raise Stopped("enough")

    with pytest.raises(Stopped):
        list(encode_all([[0], [1]], encode, lanes=1, tick=tick))
    hang.set()


def test_nothing_to_do() -> None:
    empty: list[list[int]] = []
    assert list(encode_all(empty, lambda *_: 0, lanes=4, tick=nothing)) == []
