"""Keeps the trigram files in step with the truth, and asks them.

`derived.applied` of kind `exact` says up to which blobs they go. What is newer is the tail: it is searched as it
is, so a save costs nothing here and is found with its flip. A crash leaves a longer tail, never a gap. Main calls:
`candidates`, `catch_up`, `rebuild`, `tidy`.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from clew.errors import StoreCorrupt
from clew.packing import unpack
from clew.store.database import fetch_all, fetch_one, transaction
from clew.store.derive import Ahead, stand
from clew.store.grams import (
    MAX_BLOCKS,
    Either,
    Every,
    GramSegment,
    Needs,
    Run,
    blocks_of,
    folded,
    keys_of,
    make_arrays,
    windows_of,
)
from clew.store.segments import write_segment
from clew.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

TAIL_BYTES = 1_000_000  # of source: reading this much takes a query about 2 ms; more goes into a file
MAX_SMALL = 8  # files that could hold twice as much, before they become fewer: every query looks into each
MAX_DEAD_SHARE = 0.3  # of the blobs in a file, before it is made anew without them


class Derived(NamedTuple):
    applied: int
    segments: tuple[str, ...]


class Candidates(NamedTuple):
    """Which blobs a search must look at."""

    blobs: Any  # ids up to `applied`, ascending; None: all
    applied: int


class _Written(NamedTuple):
    first: int
    last: int
    name: str
    blocks: int


def derived(connection: apsw.Connection) -> Derived:
    """How far the trigrams go, and which files they are."""
    row = fetch_one(connection, "SELECT applied FROM derived WHERE kind = 'exact'")
    assert row is not None
    names = fetch_all(connection, "SELECT name FROM gram_segment ORDER BY first")
    return Derived(row[0], tuple(name for (name,) in names))


def candidates(store: Store, connection: apsw.Connection, needs: Needs | None) -> Candidates:
    """The blobs that may hold what a pattern needs."""
    applied, names = derived(connection)
    segments = [store.grams.open(name) for name in names]
    return Candidates(evaluate(needs, segments) if needs is not None else None, applied)


def tail(connection: apsw.Connection, applied: int) -> list[int]:
    """The blobs that only the database has."""
    return [row[0] for row in fetch_all(connection, "SELECT id FROM blob WHERE id > ?", (applied,))]


def tail_bytes(connection: apsw.Connection) -> int:
    """How much source only the database has."""
    applied = derived(connection).applied
    size: int = connection.execute("SELECT coalesce(sum(size), 0) FROM blob WHERE id > ?", (applied,)).get
    return size


def is_due(connection: apsw.Connection) -> bool:
    """Whether the tail is too long, or the small files are too many."""
    return tail_bytes(connection) > TAIL_BYTES or len(_small(connection)) > MAX_SMALL


def catch_up(store: Store, connection: apsw.Connection) -> None:
    """Move the tail into files. Under `store.exclusive`, outside a transaction."""
    for written in _write_after(store, connection, derived(connection).applied):
        with transaction(connection):
            _note(connection, [written])
    small = _small(connection)
    if len(small) > MAX_SMALL:
        _merge(store, connection, small)


def write_ahead(store: Store, connection: apsw.Connection) -> Iterator[Ahead]:
    """Write files of the tail that are not in use yet, with no right to write to the database: `note` takes them."""
    epoch, applied = stand(connection, "exact")
    for written in _write_after(store, connection, applied):
        yield Ahead((epoch, applied), written)
        applied = written.last


def note(store: Store, connection: apsw.Connection, ahead: Ahead) -> None:
    """Put a file into use that was written ahead, in the caller's transaction, as `derive.note` does."""
    written = _Written(*ahead.written)
    if store.grams.path(written.name).exists() and stand(connection, "exact") == tuple(ahead.stand):
        _note(connection, [written])


def _small(connection: apsw.Connection) -> list[str]:
    rows = fetch_all(connection, "SELECT name, blocks FROM gram_segment ORDER BY first")
    return [name for name, blocks in rows if blocks <= MAX_BLOCKS // 2]


def rebuild(store: Store) -> None:
    """Make the files anew from the database alone; until they are whole, the old ones serve."""
    with store.exclusive() as connection:
        made = list(_write_after(store, connection, 0))
        with transaction(connection):
            connection.execute("DELETE FROM gram_segment")
            connection.execute("UPDATE derived SET epoch = epoch + 1 WHERE kind = 'exact'")
            _note(connection, made)


def tidy(store: Store, connection: apsw.Connection, *, drop_files: bool) -> None:
    """After a sweep: files that are mostly dead are made anew, and files of no segment are removed."""
    names = derived(connection).segments
    try:
        for name in _mostly_dead(store, connection):
            _merge(store, connection, [name])
    except StoreCorrupt:
        return  # readers say so; `repair` makes them anew
    if drop_files:  # not those just replaced: a reader may have come since the leases were looked at
        store.grams.drop_others((*names, *derived(connection).segments))


def _mostly_dead(store: Store, connection: apsw.Connection) -> list[str]:
    counted = fetch_all(  # before any file is opened
        connection,
        "SELECT name FROM gram_segment WHERE (SELECT count(*) FROM blob WHERE id BETWEEN first AND last)"
        " < (last - first + 1) * ? ORDER BY first",
        (1 - MAX_DEAD_SHARE,),
    )
    if not counted:
        return []
    import numpy as np

    alive, found = _known_blobs(connection), []
    for (name,) in counted:
        held = np.unique(store.grams.open(name).owners)
        if len(held) and 1 - np.isin(held, alive, assume_unique=True).mean() > MAX_DEAD_SHARE:
            found.append(name)
    return found


def missing(store: Store, connection: apsw.Connection) -> list[int]:
    """Blobs that the files should have and have not."""
    import numpy as np

    applied, names = derived(connection)
    owners = [np.unique(store.grams.open(name).owners) for name in names]
    known = _known_blobs(connection)
    held = np.concatenate([*owners, np.zeros(0, np.int64)])
    lacking: list[int] = np.setdiff1d(known[known <= applied], held).tolist()
    return lacking


def evaluate(needs: Needs, segments: Sequence[GramSegment]) -> Ints | None:
    """The blobs that have what is needed, or None where trigrams cannot tell."""
    import numpy as np

    if isinstance(needs, Run):
        windows = windows_of(needs)
        if windows is None:
            return None
        return np.concatenate([*(segment.blobs(windows) for segment in segments), np.zeros(0, np.int64)])
    found = [evaluate(part, segments) for part in needs.parts]
    if isinstance(needs, Either):
        return None if any(part is None for part in found) else functools.reduce(np.union1d, found)  # type: ignore[arg-type]
    assert isinstance(needs, Every)
    telling = sorted((part for part in found if part is not None), key=len)
    if not telling:
        return None
    return functools.reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), telling)


def _write_after(store: Store, connection: apsw.Connection, applied: int) -> Iterator[_Written]:
    """Write files of the blobs above `applied`, and tell of each when it is whole."""
    owners: list[int] = []
    keys: list[Any] = []
    ids: list[int] = []
    for blob in tail(connection, applied):
        packed: bytes = connection.execute("SELECT bytes FROM blob WHERE id = ?", (blob,)).get
        blocks = list(blocks_of(folded(unpack(packed))))
        if len(owners) + len(blocks) > MAX_BLOCKS:
            yield _write(store, ids[0], ids[-1], make_arrays(owners, keys))
            owners, keys, ids = [], [], []
        ids.append(blob)
        for block in blocks:
            keys.append(keys_of(block, len(owners)))
            owners.append(blob)
    if ids:
        yield _write(store, ids[0], ids[-1], make_arrays(owners, keys))


def _write(store: Store, first: int, last: int, arrays: dict[str, Any]) -> _Written:
    name = f"{first}-{last}-{uuid.uuid4().hex[:8]}"
    write_segment(store.grams.path(name), arrays, "")
    return _Written(first, last, name, len(arrays["blobs"]))


def _note(connection: apsw.Connection, written: Sequence[_Written]) -> None:
    connection.executemany("INSERT INTO gram_segment VALUES (?, ?, ?, ?)", written)
    connection.execute(
        "UPDATE derived SET applied = (SELECT coalesce(max(last), 0) FROM gram_segment) WHERE kind = 'exact'"
    )


def _merge(store: Store, connection: apsw.Connection, names: Sequence[str]) -> None:
    """Fewer files instead of these, without what is dead."""
    import numpy as np

    alive = _known_blobs(connection)
    bounds = {
        name: (first, last) for first, last, name in fetch_all(connection, "SELECT first, last, name FROM gram_segment")
    }
    owners: list[Any] = []
    keys: list[Any] = []
    merged: list[str] = []
    made: list[_Written] = []

    def finish() -> None:
        arrays = make_arrays(np.concatenate(owners).tolist(), keys)
        made.append(_write(store, min(bounds[n][0] for n in merged), max(bounds[n][1] for n in merged), arrays))
        owners.clear()
        merged.clear()

    for name in names:
        segment = store.grams.open(name)
        kept = np.isin(segment.owners, alive)
        base = sum(map(len, owners))
        if merged and base + int(kept.sum()) > MAX_BLOCKS:
            finish()
            base = 0
        merged.append(name)
        owners.append(segment.owners[kept])
        keys.append(segment.keys(np.where(kept, np.cumsum(kept) - 1 + base, -1)))
    finish()
    with transaction(connection):
        connection.executemany("DELETE FROM gram_segment WHERE name = ?", ((name,) for name in names))
        connection.executemany("INSERT INTO gram_segment VALUES (?, ?, ?, ?)", made)


def _known_blobs(connection: apsw.Connection) -> Ints:
    import numpy as np

    return np.array([row[0] for row in connection.execute("SELECT id FROM blob ORDER BY id")], np.int64)
