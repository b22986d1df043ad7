"""Numbers in order are those that numpy's stable sort gives, and terms in order are looked up as others are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embed import static
from clew.embed.static import StaticEncoder
from clew.ordering import in_order


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**32 - 1))))
def test_the_same_as_a_stable_sort(numbers: list[int]) -> None:
    given_ = np.array(numbers, np.uint32)
    ordered, places = in_order(given_)
    assert places.tolist() == np.argsort(given_, kind="stable").tolist()
    assert ordered.tolist() == sorted(numbers)


def test_many_terms_are_looked_up_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder, chance = StaticEncoder(), np.random.default_rng(7)
    known = chance.choice(encoder._weights.hashes, 3_000)
    hashes = np.concatenate([known, chance.integers(0, 2**32, 3_000, np.uint32)]).astype(np.uint32)
    chance.shuffle(hashes)
    few = encoder._look_up(hashes)
    monkeypatch.setattr(static, "_MANY_TERMS", 1)
    assert encoder._look_up(hashes).tolist() == few.tolist()
