"""Cosines with rows of bytes: the native way and numpy's agree with the books."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.search.best import TOP_CHUNKS, Groups
from clew.search.vectors import Rows, begin_nearness, cosines_with
from clew.store.segments import lengths_of, quantised


@pytest.mark.usefixtures("either_way")
def test_cosines_are_those_of_the_rows() -> None:
    chance = np.random.default_rng(1)
    rows, vector = chance.normal(size=(500, 64)).astype(np.float32), chance.normal(size=64).astype(np.float32)
    expected = rows @ vector / (np.linalg.norm(rows, axis=1) * np.linalg.norm(vector))
    packed = quantised(rows)
    found = cosines_with(packed, lengths_of(packed), vector)
    assert found.dtype == np.float32
    assert np.abs(found - expected).max() < 0.02, "a byte for each number costs little"
    assert np.argmax(found) == np.argmax(expected)


@pytest.mark.usefixtures("either_way")
def test_what_says_nothing_is_close_to_nothing() -> None:
    rows = quantised(np.array([[0, 0, 0, 0], [1, 0, 0, 0]], np.float32))
    lengths = lengths_of(rows)
    assert cosines_with(rows, lengths, np.zeros(4, np.float32)).tolist() == [0, 0]
    found = cosines_with(rows, lengths, np.array([1, 0, 0, 0], np.float32))
    assert found[1] == pytest.approx(1, abs=1e-3) and abs(found[0]) <= 1e-6
    assert len(cosines_with(np.zeros((0, 4), np.int8), np.ones(0, np.float32), np.ones(4, np.float32))) == 0


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("aside", [False, True])
def test_rows_go_to_their_places_and_the_best_are_summed_up(aside: bool) -> None:
    chance = np.random.default_rng(3)
    rows = quantised(chance.normal(size=(1_500, 16)).astype(np.float32))
    lengths, vector = lengths_of(rows), chance.normal(size=16).astype(np.float32)
    expected = cosines_with(rows, lengths, vector)
    places = np.where(np.arange(1_500) % 3 == 0, -1, np.arange(1_500)[::-1])  # every third counts for nothing
    found, scattered = np.zeros(1_500, np.float32), np.zeros(1_500, np.float32)
    starts, sums = np.arange(0, 1_500, 10), np.zeros(150, np.float32)
    weights = np.array(TOP_CHUNKS, np.float32)
    pieces = [Rows(rows, lengths, found), Rows(rows, lengths, scattered, places)]
    wait = begin_nearness(vector, pieces, Groups(found, starts, weights, sums), aside=aside)
    wait()
    wait()  # once more changes nothing
    assert found.tolist() == expected.tolist()
    held = places >= 0
    assert scattered[places[held]].tolist() == expected[held].tolist()
    assert np.count_nonzero(scattered) == np.count_nonzero(expected[held])
    best = -np.sort(-np.maximum(expected.reshape(150, 10), 0), axis=1)[:, :3]
    assert sums.tolist() == pytest.approx((best @ weights).tolist(), abs=1e-5)


@pytest.mark.usefixtures("either_way")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 127, 128]))
def test_products_are_exact(width: int, count: int, seed: int, most: int) -> None:
    """Also of the greatest numbers, and of what no row of a whole block is left of."""
    chance = np.random.default_rng(seed)
    rows = chance.integers(-most, min(most, 127) + 1, (count, width), np.int8)
    rows[:, chance.random(width) < 0.1] = -most
    vector = chance.integers(-127, 128, width).astype(np.float32)
    vector[chance.integers(width)] = 127  # so that its numbers are taken as they are
    found = cosines_with(rows, np.ones(count, np.float32), vector)
    products = (rows.astype(np.int64) @ vector.astype(np.int64)).astype(np.float32)
    assert found.tolist() == (products / np.float32(np.linalg.norm(vector))).tolist()


def test_many_at_once_get_each_their_own() -> None:
    rows = quantised(np.random.default_rng(5).normal(size=(3_000, 32)).astype(np.float32))
    lengths, vectors = lengths_of(rows), np.eye(32, dtype=np.float32)

    def ask(vector: Any) -> list[float]:
        found = np.zeros(len(rows), np.float32)
        begin_nearness(vector, [Rows(rows, lengths, found)], aside=True)()
        values: list[float] = found.tolist()
        return values

    expected = [cosines_with(rows, lengths, vector).tolist() for vector in vectors]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            assert [*pool.map(ask, vectors)] == expected


def test_what_nobody_waits_for_ends_before_its_arrays_do() -> None:
    rows = quantised(np.random.default_rng(5).normal(size=(50_000, 64)).astype(np.float32))
    lengths = lengths_of(rows)
    for _ in range(50):
        found = np.zeros(len(rows), np.float32)
        begin_nearness(np.ones(64, np.float32), [Rows(rows, lengths, found)], aside=True)
        seen = found.copy()
        assert found.tolist() == seen.tolist(), "whoever let go of it sees nothing change any more"
