"""The order of classes: as Python itself finds it, and in time that does not explode."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.graph.order import merge


@given(st.lists(st.lists(st.integers(0, 30), max_size=3, unique=True), max_size=8))
def test_it_is_the_order_of_python(bases: list[list[int]]) -> None:
    classes: list[type] = []
    orders: list[list[type]] = []
    for number, chosen in enumerate(bases):
        above = list(dict.fromkeys(each % number for each in chosen)) if number else []
        merged = merge([*(orders[place] for place in above), [classes[place] for place in above]])
        try:
            made = type(f"C{number}", tuple(classes[place] for place in above), {})
        except TypeError:  # Python finds none
            assert merged is None
            return
        assert merged is not None and [made, *merged, object] == [*made.__mro__]
        classes.append(made)
        orders.append([made, *merged])


def test_a_long_chain_of_classes() -> None:
    steps = 0

    class Counted(int):
        def __eq__(self, other: object) -> bool:
            nonlocal steps
            steps += 1
            return int(self) == other

        __hash__ = int.__hash__

    order = [Counted(number) for number in range(2_000)]
    assert merge([order, order[:1]]) == order
    assert steps < 20_000
