"""Uses put together to edges: the same in C and in Python, each use in one row, and no answer to nonsense."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew import native
from clew.graph.grouping import OWN_ROLE, End, Leads, Own, Sources, Used, group
from clew.parse.links import NOWHERE
from clew.store.packs import unpack_sites
from tests.conftest import without_kernels

pytestmark = pytest.mark.skipif(native.kernels is None, reason="Clew was installed without its own C")
KERNELS: Any = native.kernels
Asked = tuple[Used, Leads, list[End], Sources, Own]
ENDS = st.one_of(
    st.tuples(st.one_of(st.integers(0, 2**40), st.text(max_size=3)), st.integers(0, 3)),
    st.tuples(st.text(max_size=3)),
)


@st.composite
def asked(draw: Callable[[Any], Any]) -> Asked:
    ends: list[End] = [None, *draw(st.lists(ENDS, unique=True, max_size=6))]
    refs, definitions = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    starts = draw(st.lists(st.integers(0, 2**32 - 1), unique=True, max_size=40).map(sorted))
    each: dict[str, Any] = {"min_size": len(starts), "max_size": len(starts)}
    callers = draw(st.lists(st.one_of(st.integers(0, definitions - 1), st.just(NOWHERE)), **each))
    used = Used(
        array("I", starts),
        array(draw(st.sampled_from("HI")), draw(st.lists(st.integers(0, refs - 1), **each))),
        array("H", callers),
        bytes(draw(st.lists(st.integers(0, 3), **each))),
    )
    known: dict[str, Any] = {"min_size": refs, "max_size": refs}
    leads = Leads(
        array("I", draw(st.lists(st.integers(0, len(ends) - 1), **known))),
        bytes(draw(st.lists(st.sampled_from([OWN_ROLE, 3]), **known))),
        array("I", draw(st.lists(st.integers(0, 2**32 - 1), **known))),
    )
    nodes = draw(st.lists(st.integers(0, 60_000), unique=True, min_size=definitions, max_size=definitions))
    nodes = nodes if draw(st.booleans()) else []
    places = draw(st.lists(st.sampled_from(starts), unique=True).map(sorted)) if starts else []
    targets = [end[0] for end in ends if end is not None and isinstance(end[0], int)] or [7]
    own = Own(array("I", places), array("q", [draw(st.sampled_from(targets)) for _ in places]))
    return used, leads, ends, Sources(draw(st.integers(0, 2**30)) << 16, array("H", nodes)), own


@settings(max_examples=400, deadline=None)
@given(asked())
def test_the_same_as_without_c(given_: Asked) -> None:
    rows, loose = group(*given_)
    with without_kernels():
        assert (sorted(rows, key=repr), sorted(loose, key=repr)) == tuple(
            sorted(found, key=repr) for found in group(*given_)
        )
    used, leads, ends, _, own = given_
    named = dict(zip(own.starts, own.nodes, strict=True))
    wanted = [
        start
        for start, ref in zip(used.starts, used.refs, strict=True)
        if (end := ends[leads.slots[ref]]) is not None and not (start in named and end[0] == named[start])
    ]
    packed = [*(row[5] for row in rows), *(row[3] for row in loose)]
    assert sorted(site for sites in packed for site in unpack_sites(sites)) == wanted
    assert len({row[:4] for row in rows}) == len(rows) and len({row[:3] for row in loose}) == len(loose)


SOUND: dict[str, Any] = {
    "used": (array("I", [1, 5]), array("H", [1, 1]), array("H", [0, NOWHERE]), b"\0\2"),
    "leads": (array("I", [0, 1]), bytes([OWN_ROLE, OWN_ROLE]), array("I", [0, 9])),
    "ends": (None, (77, 0)),
    "sources": (3 << 16, array("H"), NOWHERE),
    "own": (array("I"), array("q")),
}


def test_what_it_makes_of_two_uses() -> None:
    assert KERNELS.group(*SOUND.values()) == (
        [(77, 3 << 16, 0, 0, 9, b"\1\0\0\0"), (77, 3 << 16 | NOWHERE, 2, 0, 9, b"\5\0\0\0")], []
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"used": (array("I", [1]), array("H", [1, 1]), array("H", [0]), b"\0")}, ValueError),
        ({"used": (array("I", [1, 5]), array("H", [1]), array("H", [0, 0]), b"\0\0")}, ValueError),
        ({"used": (array("I", [1, 5]), array("H", [1, 2]), array("H", [0, 0]), b"\0\0")}, ValueError),
        ({"used": (array("I", [1, 5]), array("H", [1, 1]), array("H", [0]), b"\0\0")}, ValueError),
        ({"used": (array("I", [1, 5]), array("H", [1, 1]), array("H", [0, 0]), b"\0")}, ValueError),
        ({"used": (array("I", [1, 5]), b"\0\0\0", array("H", [0, 0]), b"\0\0")}, ValueError),
        ({"used": [array("I"), array("H"), array("H"), b""]}, TypeError),
        ({"leads": (array("I", [0, 2]), b"\0\0", array("I", [0, 9]))}, ValueError),
        ({"leads": (array("I", [0, 1]), b"\0", array("I", [0, 9]))}, ValueError),
        ({"leads": (array("I", [0, 1]), b"\0\0", array("I", [0]))}, ValueError),
        ({"ends": [None, (77, 0)]}, TypeError),
        ({"ends": (None, None)}, TypeError),
        ({"ends": (None, (1, 2, 3))}, TypeError),
        ({"sources": (3, array("H", [4]), NOWHERE), "used": (array("I", [1]), array("H", [1]), array("H", [1]), b"\0")},
         ValueError),
        ({"own": (array("I", [1]), array("q"))}, ValueError),
        ({"ends": (None, (2**70, 0)), "own": (array("I", [1]), array("q", [7]))}, OverflowError),
    ],
)  # fmt: skip
def test_nonsense_is_refused(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        KERNELS.group(*(SOUND | wrong).values())
