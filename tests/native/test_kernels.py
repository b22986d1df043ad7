"""The inner loops in C: the same answers as their twins in Python, and no memory touched that is not theirs."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew import native, tokens
from clew.embed import static
from clew.errors import StoreCorrupt
from clew.lifecycle import freshness
from clew.packing import pack, unpack_texts
from clew.search import best, bulk, matches, vectors, words
from clew.search.bulk import Texts
from clew.search.pattern import TextQuery, compile_pattern
from clew.source.reading import stat_of
from clew.store import grams
from tests.conftest import without_kernels
from tests.search.test_exact import CONTENTS, LITERALS

pytestmark = pytest.mark.skipif(native.kernels is None, reason="Clew was installed without its own C")
KERNELS: Any = native.kernels
FLOATS = st.floats(-1, 1, width=32)


def both_ways(ask: Callable[[], Any]) -> tuple[Any, Any]:
    """What C says and what Python says."""
    found = ask()
    with without_kernels():
        return found, ask()


# -- the same answers ------------------------------------------------------------------------------


def test_products_of_the_least_byte() -> None:
    """No vector of Clew's has it, but two of its products do not fit where those of others do."""
    rows, wanted = np.full((9, 70), -128, np.int8), np.full(70, -128, np.int8)
    found = np.zeros(9, np.float32)
    KERNELS.Nearness(wanted, 1.0, ((rows, np.ones(9, np.float32), b"", found),), (), False).wait()
    assert found.tolist() == [70 * 128 * 128.0] * 9


WORDS = st.text(st.sampled_from("abzABZ019_é漢字ß -.(\n"), max_size=80)


@settings(max_examples=300, deadline=None)
@given(scope=WORDS, text=st.one_of(WORDS.map(str.encode), st.binary(max_size=400)))
def test_terms(scope: str, text: bytes) -> None:
    found, expected = both_ways(lambda: tokens.pack_document(scope, text))
    assert found == expected


IDENTIFIERS = st.text(st.sampled_from("abcXYZ019_"), min_size=1, max_size=140)


@settings(max_examples=500, deadline=None)
@given(st.lists(IDENTIFIERS, max_size=20))
def test_terms_of_identifiers(names: list[str]) -> None:
    found, expected = both_ways(lambda: tokens.pack_document("", " ".join(names).encode()))
    assert found == expected


def test_python_is_asked_for_parts_alone() -> None:
    asked: list[bytes] = []

    def expand(word: bytes) -> bytes:
        asked.append(word)
        return word[:4].ljust(4, b".")

    table = KERNELS.Terms(expand, 100, 128, 12)
    text = b"HTTPServer2 _x http_server __ SERVER XMLFile xmlFile " + b"aB" * 13 + b" caf\xc3\xa9"
    table.pack(b"", text)
    assert asked == [b"http", b"server", b"2", b"x", b"xml", b"file", b"aB" * 13, b"caf\xc3\xa9"]
    with pytest.raises(ValueError, match="so much"):
        KERNELS.Terms(expand, 100, 256, 12)
    with pytest.raises(ValueError, match="so much"):
        KERNELS.Terms(expand, 100, 128, 65)


def test_terms_of_very_many_and_very_long_words() -> None:
    text = " ".join(f"word{number}Of_many" for number in range(70_000)).encode() + b" " + b"x" * 100_000 + b" end"
    found, expected = both_ways(lambda: tokens.pack_document("Many.words", text))
    assert found == expected


def test_a_full_table_of_words_begins_anew() -> None:
    asked: list[bytes] = []

    def expand(word: bytes) -> bytes:
        asked.append(word)
        return word[:1].ljust(4, b"\0") * (word[0] % 3)

    few = KERNELS.Terms(expand, 3, 0, 0)
    text = b"a b c a b c d a e f g a"
    assert few.pack(b"", text) == KERNELS.Terms(expand, 1_000, 0, 0).pack(b"", text)
    assert asked[:4] == [b"a", b"b", b"c", b"d"]


def test_an_expansion_that_fails_is_told_and_leaves_the_table_whole() -> None:

    def expand(word: bytes) -> bytes:
        if word == b"bad":
            raise LookupError(word)
        return b"abcd"

    table = KERNELS.Terms(expand, 10, 0, 0)
    for _ in range(3):
        with pytest.raises(LookupError):
            table.pack(b"", b"good bad")
        assert table.pack(b"good", b"good good") == (3, b"abcd", b"\x03")
    with pytest.raises(TypeError):
        KERNELS.Terms(lambda _: "no bytes", 10, 0, 0).pack(b"", b"word")


def test_threads_share_a_table_of_words() -> None:
    texts = [
        " ".join(random.Random(seed).choices([f"name{n}Of" for n in range(3_000)], k=2_000)).encode()
        for seed in range(40)
    ]
    expected = [tokens.pack_document("", text) for text in texts]
    tokens._native_terms.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda text: tokens.pack_document("", text), texts)] == expected


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=600), st.integers(0, grams.MAX_BLOCKS - 1))
def test_grams(block: bytes, number: int) -> None:
    found, expected = both_ways(lambda: grams.keys_of(block, number))
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


@given(st.lists(st.lists(FLOATS, min_size=1, max_size=6), max_size=8))
def test_the_best_chunks(documents: list[list[float]]) -> None:
    sizes = [len(document) for document in documents]
    starts = np.cumsum([0, *sizes[:-1]])[: len(sizes)].astype(np.int64)
    scores = np.array([value for document in documents for value in document], np.float32)
    groups = np.arange(len(sizes) + 1)  # the last is of what has no chunks
    view: Any = SimpleNamespace(starts=starts, group=groups)
    found, expected = both_ways(lambda: best.best_chunks(view, scores))
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-6)


@given(
    postings=st.lists(st.tuples(st.integers(0, 25), st.integers(1, 255)), max_size=26, unique_by=lambda pair: pair[0]),
    first=st.integers(0, 5),
    masked=st.booleans(),
)
def test_added_terms(postings: list[tuple[int, int]], first: int, masked: bool) -> None:
    places = np.array([place for place, _ in postings], np.uint32)
    counts = np.array([count for _, count in postings], np.uint8)
    norms, bare = np.linspace(0.3, 2, 31, dtype=np.float32), (np.arange(31) % 3 > 0).astype(np.uint8)
    found = []
    for add in (KERNELS.add_term, words._added):
        found.append(np.ones(31, np.float32))
        add(found[-1], first, places, counts, norms, 1.7, bare if masked else b"")
    assert found[0].tolist() == pytest.approx(found[1].tolist(), rel=1e-6)
    assert KERNELS.add_up(norms, first, places) == pytest.approx(words._added_up(norms, first, places))
    for mask, take_out in zip(masks := (bare.copy(), bare.copy()), (KERNELS.take_out, words._taken_out), strict=True):
        take_out(mask, first, places)
    assert masks[0].tolist() == masks[1].tolist()


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), FLOATS), max_size=5), max_size=6))
def test_sums_of_rows(groups: list[list[tuple[int, float]]]) -> None:
    table = np.random.default_rng(7).integers(-128, 128, (5, 19)).astype(np.int8)
    places = np.array([place for group in groups for place, _ in group], np.intp)
    factors = np.array([factor for group in groups for _, factor in group], np.float32)
    found, expected = both_ways(lambda: static._sums(table, places, factors, [*map(len, groups)]))
    assert np.allclose(found, expected, atol=1e-3)


@given(rows=st.integers(0, 70), width=st.integers(1, 300), seed=st.integers(0, 2**32 - 1))
def test_cosines(rows: int, width: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    table = chance.integers(-128, 128, (rows, width)).astype(np.int8)
    vector = chance.integers(-9, 10, width).astype(np.float32)
    lengths = chance.uniform(0.5, 900, rows).astype(np.float32)
    found, expected = both_ways(lambda: vectors.cosines_with(table, lengths, vector))
    assert found.tolist() == expected.tolist(), "all products are whole numbers that a float can hold"


def test_cosines_of_the_longest_rows() -> None:
    table = np.full((2, 65_536), -128, np.int8)
    found, expected = both_ways(lambda: vectors.cosines_with(table, np.ones(2, np.float32), -np.ones(65_536)))
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-6) and found[0] > 0


@settings(max_examples=300, deadline=None)
@given(
    contents=st.lists(CONTENTS, min_size=1, max_size=6), literal=LITERALS, any_case=st.booleans(), word=st.booleans()
)
def test_lines_with_a_literal(contents: list[bytes], literal: str, any_case: bool, word: bool) -> None:
    pattern = compile_pattern(TextQuery(literal, False, not any_case, word))
    if pattern.literal is None:
        return  # letters beyond ASCII in any case

    def ask() -> Any:
        found = bulk.find_in_all(pattern, Texts([*map(pack, contents)]))
        return None if found is None else [(number, [*rows]) for number, rows in found]

    found, expected = both_ways(ask)
    assert found == expected


@pytest.mark.parametrize("needle", ["z", "zy", "zaz", "zaaaaaaaaaaaaaaaaaaaaaaaaaaaay"])
def test_a_literal_is_found_wherever_it_stands(needle: str) -> None:
    pattern = compile_pattern(TextQuery(needle))
    for before in range(70):
        for after in (0, 1, 15, 40):
            content = b"za" * (before // 2) + b"a" * (before % 2) + needle.encode() + b"y" * after
            assert bulk.find_in_one(pattern, content) == [(1, 0, len(content), content.find(needle.encode()) + 1)]


def test_picked_lines() -> None:
    pattern = compile_pattern(TextQuery("a"))
    texts = Texts([pack(f"x\nxa{number}\n\na é\n".encode()) for number in range(9)])

    def ask() -> Any:
        shown = matches.Matches()
        for number, rows in bulk.find_in_all(pattern, texts) or ():
            if number % 3:
                shown.add_rows(str(number), rows, len(rows))
        return [*shown]

    found, expected = both_ways(ask)
    assert found == expected and len(found) == 12


def test_files_that_are_unchanged(tmp_path: Path) -> None:
    for name in ("same", "larger", "touched", "replaced", "gone", "größe"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("same")
    paths = sorted(path.name for path in tmp_path.iterdir())
    stats = [stat_of(os.lstat(tmp_path / path)) for path in paths]
    (tmp_path / "larger").write_text("larger still")
    os.utime(tmp_path / "touched", ns=(1, 1))
    (tmp_path / "other").write_text("replaced")
    (tmp_path / "other").rename(tmp_path / "replaced")
    (tmp_path / "gone").unlink()
    found, expected = both_ways(lambda: [*map(bool, freshness.unchanged(str(tmp_path), paths, stats))])
    assert found == expected == [path in ("same", "größe", "link") for path in paths]
    assert not freshness.unchanged(str(tmp_path), [], [])


CONTENT = st.one_of(CONTENTS, st.binary(max_size=300), st.builds(lambda part, n: part * n, st.binary(), st.just(900)))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.builds(lambda mark, content: mark + content, st.sampled_from([b"", b"\xef\xbb\xbf"]), CONTENT)))
def test_unpacked_texts(contents: list[bytes]) -> None:
    found, expected = both_ways(lambda: unpack_texts([*map(pack, contents)]))
    assert found == expected


# -- damage and wrong arguments --------------------------------------------------------------------


@settings(max_examples=1_000, deadline=None)
@given(st.one_of(st.binary(max_size=80), st.builds(lambda size, rest: size.to_bytes(4, "little") + rest,
                                                   st.integers(0, 400), st.binary(max_size=60))))  # fmt: skip
def test_damage_is_told_and_harms_nothing(packed: bytes) -> None:
    def ask() -> Any:
        try:
            return unpack_texts([pack(b"before"), packed, pack(b"after")])
        except StoreCorrupt:
            return "damaged"

    found, expected = both_ways(ask)
    if expected == "damaged" and found != expected:  # the library refuses more than what harms
        joined, sizes = found
        assert len(joined) == sum(sizes) + len(sizes) and sizes[0] == 6 and sizes[2] == 5
        assert joined.startswith(b"before\n") and joined.endswith(b"\nafter\n")
    else:
        assert found == expected


SOURCE = " ".join(random.Random(3).choices(["def", "self.name", "return", "x", "(value)", "\n    "], k=2_000)).encode()


@pytest.mark.parametrize("content", [b"", b"a", b"ab" * 5_000, bytes(range(256)) * 40, b"x" * 70_000, SOURCE])
def test_every_shortened_or_changed_block_is_harmless(content: bytes) -> None:
    packed = pack(content)
    chance = random.Random(5)
    for _ in range(400):
        damaged = bytearray(packed[: chance.randrange(len(packed) + 1)] if chance.random() < 0.5 else packed)
        if damaged:
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            joined, sizes = unpack_texts([bytes(damaged)])
        except StoreCorrupt:
            continue
        assert len(joined) == sum(sizes) + 1


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def places(*values: int) -> Any:
    return np.array(values, np.uint32)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("literal_lines", (b"abc\n", b"", ints(3), b"")),
        ("literal_lines", (b"abc\n", b"\n", ints(3), b"")),
        ("literal_lines", (b"abc\n", b"a", ints(4), b"")),
        ("literal_lines", (b"abc\n", b"a", ints(2), b"")),
        ("literal_lines", (b"abcd", b"a", ints(3), b"")),
        ("literal_lines", (b"abc\n", b"a", ints(-1, 4), b"")),
        ("literal_lines", (b"abc\n", b"a", b"12345", b"")),
        ("literal_lines", (b"abc\n", b"a", ints(3), b"short")),
        ("unchanged", (b"a\0b\0", ints(1, 2, 3, 4))),
        ("unchanged", (b"a", ints(1, 2, 3, 4))),
        ("unchanged", (b"a\0", ints(1, 2, 3))),
        ("unchanged", (b"a\0b", ints(1, 2, 3, 4))),
        ("pick", (b"abc", ints(1), ints(4))),
        ("pick", (b"abc", ints(2), ints(1))),
        ("pick", (b"abc", ints(-1), ints(1))),
        ("pick", (b"abc", ints(1), ints())),
        ("grams", (b"abc", b"short", 0, 14)),
        ("grams", (b"abc", bytes(256), 1 << 14, 14)),
        ("grams", (b"abc", bytes(256), 0, 15)),
        ("best_three", (floats(1), ints(2), floats(1, 1, 1), floats(0))),
        ("best_three", (floats(1, 2), ints(1, 0), floats(1, 1, 1), floats(0, 0))),
        ("best_three", (floats(1), ints(0), floats(1, 1), floats(0))),
        ("best_three", (floats(1), ints(0), floats(1, 1, 1), floats())),
        ("add_term", (floats(0), 0, places(1), b"1", floats(1), 1.0, b"")),
        ("add_term", (floats(0), 1, places(0), b"1", floats(1), 1.0, b"")),
        ("add_term", (floats(0), -1, places(0), b"1", floats(1), 1.0, b"")),
        ("add_term", (floats(0), 2**62, places(0), b"1", floats(1), 1.0, b"")),
        ("add_term", (floats(0), 0, places(0), b"12", floats(1), 1.0, b"")),
        ("add_term", (floats(0), 0, places(0), b"1", floats(1, 1), 1.0, b"")),
        ("add_term", (floats(0), 0, places(0), b"1", floats(1), 1.0, b"12")),
        ("take_out", (bytearray(1), 0, places(1))),
        ("take_out", (bytearray(1), -1, places(0))),
        ("take_out", (bytearray(1), 1, places(0))),
        ("add_up", (floats(0), 0, places(1))),
        ("add_up", (floats(0), -1, places(1))),
        ("add_up", (floats(0), 1, places(2**32 - 1))),
        ("sum_rows", (bytes(6), 3, ints(2), floats(1), ints(1), floats(0, 0, 0))),
        ("sum_rows", (bytes(6), 3, ints(0), floats(1), ints(2), floats(0, 0, 0))),
        ("sum_rows", (bytes(6), 0, ints(0), floats(1), ints(1), floats())),
        ("sum_rows", (bytes(6), 3, ints(0), floats(1), ints(1), floats(0, 0))),
        ("Nearness", (bytes(2), 1.0, ((bytes(6), floats(1, 1, 1), b"", floats(0, 0)),), (), False)),
        ("Nearness", (bytes(3), 1.0, ((bytes(6), floats(1), b"", floats(0, 0)),), (), False)),
        ("Nearness", (bytes(3), 1.0, ((bytes(6), floats(1, 1), b"", floats(0)),), (), False)),
        ("Nearness", (bytes(3), 1.0, ((bytes(7), floats(1, 1), b"", floats(0, 0)),), (), False)),
        ("Nearness", (bytes(3), 1.0, ((bytes(6), floats(1, 1), ints(0), floats(0, 0)),), (), False)),
        ("Nearness", (b"", 1.0, (), (), False)),
        ("Nearness", (bytes(65_537), 1.0, (), (), False)),
        ("Nearness", (bytes(1), 1.0, (), (floats(1), ints(0), floats(1, 1), floats(0)), False)),
        ("unpack_all", ([b"\x01"],)),
        ("unpack_all", ([b"\xff\xff\xff\xff\x00"],)),
    ],
)
def test_what_does_not_fit_is_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        getattr(KERNELS, name)(*arguments)


def test_what_cannot_be_written_or_read_is_refused() -> None:
    with pytest.raises((BufferError, ValueError)):
        KERNELS.best_three(floats(1), ints(0), floats(1, 1, 1), bytes(4))
    with pytest.raises((BufferError, ValueError)):
        KERNELS.best_three(floats(1, 2, 3, 4)[::2], ints(0), floats(1, 1, 1), floats(0))
    with pytest.raises(TypeError):
        KERNELS.unpack_all((b"",))
    with pytest.raises(TypeError):
        KERNELS.unpack_all(["text"])


def test_an_answer_apart_from_what_it_is_made_of() -> None:
    starts = np.zeros(1_000, np.int64)
    starts[1:] = 4
    with pytest.raises(ValueError, match="the answer lies in"):
        KERNELS.best_three(np.full(4, 3e38, np.float32), starts, floats(1, 1, 1), starts.view(np.float32)[1_000:])
    both = np.zeros(8, np.uint32)
    with pytest.raises(ValueError, match="the answer lies in"):
        KERNELS.add_term(both.view(np.float32), 0, both, bytes(8), np.ones(8, np.float32), 1.0, b"")


def test_arrays_that_lie_askew() -> None:
    askew = memoryview(bytearray(13))[1:]
    with pytest.raises(ValueError, match="places of their own size"):
        KERNELS.best_three(askew, ints(0), floats(1, 1, 1), floats(0))
    with pytest.raises(ValueError, match="places of their own size"):
        KERNELS.Nearness(bytes(2), 1.0, ((bytes(6), askew, b"", floats(0, 0, 0)),), (), False)


@pytest.mark.parametrize("is_aside", [False, True])
def test_places_and_groups_that_do_not_fit_are_told_when_they_are_used(is_aside: bool) -> None:
    found = floats(0, 0)
    beyond = KERNELS.Nearness(bytes([1]), 1.0, ((bytes([1, 1]), floats(1, 1), ints(2, 0), found),), (), is_aside)
    with pytest.raises(ValueError, match="do not fit"):
        beyond.wait()
    assert found.tolist() == [1, 0]
    groups = (found, ints(1, 0), floats(1, 1, 1), floats(0, 0))
    pieces = ((bytes([1, 1]), floats(1, 1), b"", found),)
    with pytest.raises(ValueError, match="do not fit"):
        KERNELS.Nearness(bytes([1]), 1.0, pieces, groups, is_aside).wait()
    with pytest.raises(TypeError, match="a piece is a tuple"):
        KERNELS.Nearness(bytes([1]), 1.0, ([],), (), is_aside)


def test_the_best_of_what_nothing_was_compared_with() -> None:
    sums = floats(0)
    KERNELS.Nearness(bytes([1]), 1.0, (), (floats(3, 1), ints(0), floats(1, 1, 1), sums), True).wait()
    assert sums.tolist() == [4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_was_forked_off_gets_helpers_of_its_own() -> None:
    pieces = ((bytes([1] * 4_000), floats(*[1] * 4_000), b"", np.zeros(4_000, np.float32)),)
    for _ in range(2 * 4):
        KERNELS.Nearness(bytes([1]), 1.0, pieces, (), True).wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        for _ in range(2 * 4):
            KERNELS.Nearness(bytes([1]), 1.0, pieces, (), True).wait()
        os._exit(0 if pieces[0][3].all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_what_is_no_number_counts_for_nothing() -> None:
    view: Any = SimpleNamespace(starts=ints(0, 3), group=ints(0, 1))
    found, expected = both_ways(lambda: best.best_chunks(view, floats(1, float("nan"), -2, float("nan"))))
    assert found.tolist() == expected.tolist() == [1, 0]


def test_what_may_change_meanwhile_is_refused() -> None:
    for arguments in ((bytearray(b"a\n"), b"a"), (b"a\n", bytearray(b"a"))):
        with pytest.raises(TypeError, match="bytes are wanted"):
            KERNELS.literal_lines(*arguments, ints(1), b"")


def test_words_without_terms_come_first() -> None:
    assert KERNELS.Terms(lambda _: b"", 10, 0, 0).pack(b"", b"a b a") == (0, b"", b"")
