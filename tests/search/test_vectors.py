"""Cosines with rows of bytes: the native way and numpy's agree with the books."""

from __future__ import annotations

import numpy as np
import pytest

from clew.search.vectors import SIDE_THREADS, aside, begin_cosines, cosines_with
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


def test_asked_twice_it_is_the_same() -> None:
    rows = quantised(np.random.default_rng(3).normal(size=(50, 16)).astype(np.float32))
    finish = begin_cosines(rows, lengths_of(rows), np.ones(16, np.float32), aside, np.empty(50, np.float32))
    assert finish().tolist() == finish().tolist() == cosines_with(rows, lengths_of(rows), np.ones(16)).tolist()


def test_what_is_begun_aside_is_waited_for() -> None:
    waiting = [aside(divmod, number, 7) for number in range(20 * SIDE_THREADS)]
    assert [wait() for wait in reversed(waiting)] == [divmod(n, 7) for n in reversed(range(len(waiting)))]
    assert waiting[3]() == (0, 3), "asked twice"


def test_what_fails_aside_fails_where_it_is_waited_for() -> None:
    failing, after = aside(divmod, 1, 0), aside(divmod, 5, 2)
    with pytest.raises(ZeroDivisionError):
        failing()
    assert after() == (2, 1)
