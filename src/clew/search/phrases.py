"""Which contents of a snapshot have a text, in any case. Main call: `blobs_with`."""

from __future__ import annotations

import apsw

from clew import deadline
from clew.packing import without_mark
from clew.search.lines import find_spots
from clew.search.pattern import TextQuery, compile_pattern
from clew.store import exact, facts, snapshots
from clew.store.snapshots import Snapshot
from clew.store.store import Store


def blobs_with(store: Store, connection: apsw.Connection, snapshot: Snapshot, text: str) -> frozenset[int]:
    """The blobs whose text has this one: candidates from trigrams, each read."""
    pattern = compile_pattern(TextQuery(text, regex=False, case_sensitive=False, multiline="\n" in text))
    found = exact.candidates(store, connection, pattern.needs)
    if found.blobs is None:
        files = snapshots.text_files(connection, snapshot.id, "")
    else:
        wanted = [*found.blobs.tolist(), *exact.tail(connection, found.applied)]
        files = snapshots.text_files_of(connection, snapshot.id, wanted)

    def has(blob: int) -> bool:
        deadline.check()
        return next(find_spots(pattern, without_mark(facts.content(connection, blob))), None) is not None

    return frozenset(filter(has, {file.blob for file in files}))
