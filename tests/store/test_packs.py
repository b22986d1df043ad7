"""Edges as bytes: what was packed comes back, whole and in parts."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clew.store.packs import (
    NODE_BITS,
    EdgeRow,
    EdgesInRows,
    LooseInRows,
    LoosePack,
    LooseRow,
    Pack,
    pack_file,
    pack_sites,
    with_externals,
)  # fmt: skip

NUMBER = 7
NAMES = st.text(max_size=4)
SITES = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4).map(pack_sites)
SOURCES = st.integers(0, 2**NODE_BITS - 1).map(lambda ordinal: NUMBER << NODE_BITS | ordinal)
EDGES = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 2**48), NAMES),
        SOURCES,
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 2**32 - 1),
        SITES,
    ),
    max_size=12,
    unique_by=lambda row: row[:4],
)
LOOSE = st.lists(st.tuples(NAMES, SOURCES, st.integers(0, 3), SITES), max_size=12, unique_by=lambda row: row[:3])


@given(EDGES, LOOSE)
def test_what_was_packed_comes_back(edges: list[Any], loose: list[Any]) -> None:
    packed = pack_file(NUMBER, edges, loose)
    ids = [1_000 + place for place in range(len(packed.externals))]
    number_of = dict(zip(packed.externals, ids, strict=True))
    stored, targets = with_externals(packed, ids)
    expected = [EdgeRow(-number_of[row[0]] if isinstance(row[0], str) else row[0], *row[1:]) for row in edges]
    pack = Pack(stored, NUMBER)
    assert sorted(pack.rows()) == sorted(expected) and targets == {row.target for row in expected}
    assert sorted(pack.targets()) == sorted(row.target for row in expected)
    for row in expected[:3]:
        assert sorted(pack.to({row.target})) == sorted(other for other in expected if other.target == row.target)
        assert sorted(pack.of({row.source})) == sorted(other for other in expected if other.source == row.source)
        beside = row.source + (1 << NODE_BITS)  # the same ordinal in another file
        assert pack.of({beside}) == [] and pack.of({beside + more for more in range(9)}) == []
    assert pack.to({-1}) == [] and Pack(b"", NUMBER).rows() == []
    bare = LoosePack(packed.loose, NUMBER)
    told = sorted(LooseRow(*row) for row in loose)
    assert sorted(bare.rows()) == told and bare.names == [*packed.names] == sorted({row.name for row in told})
    for found in told[:3]:
        assert sorted(bare.named(found.name)) == [other for other in told if other.name == found.name]
        assert sorted(bare.of(found.source)) == [other for other in told if other.source == found.source]
    assert bare.named("no name is as long") == []


@given(EDGES, LOOSE)
def test_rows_of_older_stores_become_the_same_bytes(edges: list[Any], loose: list[Any]) -> None:
    rows = [row for row in edges if isinstance(row[0], int)]
    packed = pack_file(NUMBER, rows, loose)
    for made, given_, expected in ((EdgesInRows(), rows, packed.edges), (LooseInRows(), loose, packed.loose)):
        for row in reversed(given_):
            made.step(*row)
        assert made.final() == expected
