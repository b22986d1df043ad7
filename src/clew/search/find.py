"""Ranked search over snapshots: files first with their best functions, or functions alone. Main class: `Search`."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from clew.embed.encoder import Asked
from clew.search import rank
from clew.search.best import greatest
from clew.search.definitions import Definition, definitions_of
from clew.search.filters import Filter
from clew.search.functions import FUNCTION_POOL, Function, pool_of
from clew.search.phrases import blobs_with
from clew.search.query import Query
from clew.search.rank import Measured, Ranking
from clew.search.unknown import unknown_names
from clew.search.view import View, load_view
from clew.store import postings as posting_rows
from clew.store.postings import FileOf
from clew.store.segments import CHUNK_BITS
from clew.store.snapshots import Snapshot
from clew.store.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

AT_ONCE = 12  # files that are looked up together: a page and a few
NESTED = 3  # functions shown under a file
CLOSE = 0.3  # of the best by meaning alone: a file that has none of the words must come this near
HEAD = 256  # files that are put in order first: a page seldom needs more


@dataclass(frozen=True, slots=True)
class Source:
    """One codebase to search: a pinned state of it, and which of its files count."""

    store: Store
    connection: apsw.Connection
    snapshot: Snapshot
    where: Filter


class Ranked(NamedTuple):
    """A hit before its text is read: which chunk of which file of which source, and how well it fits."""

    source: int
    file: FileOf
    chunk: int
    score: float
    others: tuple[int, ...] = ()  # further chunks of the file, one a definition
    also: tuple[str, ...] = ()  # paths that have the same content
    size: tuple[int, int] = (0, 0)  # of the file: how many terms and symbols it has
    is_file: bool = True  # not one function of it
    symbol: int | None = None  # the definition that is meant, where the chunk has several
    why: Mapping[str, float] | None = None
    at: int = 0  # its place in the order


class Search:
    """One query over some sources; `files` and `functions` give hits best first, lazily."""

    def __init__(self, sources: Sequence[Source], query: Query, asked: Asked, *, words: bool = True) -> None:
        """`asked` is the query as the models see it; without `words` only the meaning counts."""
        self._sources, self._query = sources, query
        self._defined: list[dict[int, tuple[Definition, ...]]] = []
        self._quoted: set[str] = set()  # what is quoted and somewhere
        self.measured: list[Measured] = []
        for source in sources:
            view = load_view(source.store, source.connection, source.snapshot)
            meaning = rank.begin_meaning(view, asked)
            defined = definitions_of(source.connection, view, query)
            values = {facts: best.value for facts, (best, *_) in defined.items()}
            having = {text: _having(source, text) for text in query.asked.quoted}
            self._quoted.update(text for text, blobs in having.items() if blobs)
            quoting: frozenset[int] = frozenset().union(*having.values())
            self._defined.append(defined)
            self.measured.append(rank.measure(view, query, values, asked, meaning, quoting))
        if not words:
            self.measured = [rank.by_meaning(item) for item in self.measured]
        self.rankings = rank.weigh(self.measured)

    @property
    def nbytes(self) -> int:
        """About how much room the order takes."""
        chunks = sum(len(item.body) for item in self.measured)
        return 4 * (3 * chunks + sum(len(r.features) * len(r.total) for r in self.rankings))

    def bound_to(self, sources: Sequence[Source]) -> Search:
        """The same order, frozen, to be shown from other states of the same codebases."""
        found = copy.copy(self)
        _ = self._kept
        found.__dict__ |= {"_kept": self._kept, "_sources": sources}
        return found

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Names that the query spells out and nothing has, and what it quotes; or all words, if nothing has any."""
        asked_of = zip(self._sources, self.measured, strict=True)
        states = [(source.store, source.connection, item.view) for source, item in asked_of]
        return unknown_names(self._query, states, self._quoted)

    def count(self, view: str) -> int:
        """How many files have anything to do with the query; of functions, how many are placed."""
        if view == "functions":
            return len(self._functions)
        of_view: dict[int, list[Any]] = {}
        for item, kept in zip(self.measured, self._kept, strict=True):
            of_view.setdefault(id(item.view), [item.view]).append(kept)
        return sum(_contents(view, kept) for view, *kept in of_view.values())

    def files(self, start: int = 0, *, explain: bool = False) -> Iterator[Ranked]:
        """One hit a file, from a place of the order on; of files with the same content only the best."""
        places, at = islice(self._once_each(), start, None), start - 1
        while some := [*islice(places, AT_ONCE)]:
            held = self._files_of(some)
            for (source, place), chunks in zip(some, self._chunks_of(some), strict=True):
                at += 1
                ranking, view = self.rankings[source], self.measured[source].view
                file = held.get((source, place)) or self._copy_left(source, place)
                if file is None:
                    continue
                first = self._meant(source, file)
                if first is not None:
                    chunks = [first, *(chunk for chunk in chunks if chunk != first)]
                if chunks:
                    document = int(view.document[place])
                    also = self._copies(source, document, file.path)
                    size = int(view.terms[document]), int(view.symbols[document])
                    why = (
                        {name: round(float(values[place]), 4) for name, values in ranking.features.items()}
                        if explain
                        else None
                    )
                    others = tuple(chunks[1 : NESTED + 1])
                    score = float(ranking.total[place])
                    yield Ranked(source, file, chunks[0], score, others, also, size, why=why, at=at)

    def _meant(self, source: int, file: FileOf) -> int | None:
        """The chunk of a file that the query itself names: by a line, or by what is defined there."""
        connection = self._sources[source].connection
        for path, line in self._query.lines.items():
            if f"/{file.path.lower()}".endswith(f"/{path}"):
                return posting_rows.chunk_on(connection, file.facts, line)
        defined = self._defined[source].get(file.facts)
        return None if defined is None else posting_rows.chunk_at(connection, file.facts, defined[0].byte)

    def _once_each(self) -> Iterator[tuple[int, int]]:
        """(source, place) of the files in order, without those that have the content of one before them."""
        seen: set[tuple[int, int]] = set()
        for source, place in self._ordered():
            view = self.measured[source].view  # the same for two parts of one codebase
            content = (id(view), int(view.document[place]))
            if content not in seen:
                seen.add(content)
                yield source, place

    def _files_of(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], FileOf]:
        """Files as their sources have them, without those that are not what was ranked any more."""
        wanted: dict[int, dict[str, int]] = {}
        for source, place in places:
            wanted.setdefault(source, {})[self.measured[source].view.files[place].path] = place
        found = {}
        for source, by_path in wanted.items():
            item, view = self._sources[source], self.measured[source].view
            for file in posting_rows.files_at(item.connection, item.snapshot.id, [*by_path]):
                place = by_path[file.path]
                if file.facts == view.files[place].facts:
                    found[source, place] = file
        return found

    def _copy_left(self, source: int, place: int) -> FileOf | None:
        """Another file with the content of one that is not what was ranked any more."""
        item, view = self._sources[source], self.measured[source].view
        facts, path = view.files[place].facts, view.files[place].path
        paths = self._copies(source, int(view.document[place]), path)
        files = posting_rows.files_at(item.connection, item.snapshot.id, paths) if paths else []
        return next((file for file in files if file.facts == facts), None)

    def functions(self, start: int = 0) -> Iterator[Ranked]:
        """One hit a definition, whatever its file; the name counts as much as the meaning."""
        for at, function in enumerate(self._functions[start:], start):
            view, key = self.measured[function.source].view, (function.source, function.file)
            held = self._files_of([key]).get(key) or self._copy_left(*key)
            if held is not None:
                chunk, symbol = int(view.chunks[function.place]), function.symbol
                yield Ranked(function.source, held, chunk, function.value, is_file=False, symbol=symbol, at=at)

    def copies(self, hit: Ranked) -> Iterator[Ranked]:
        """A function in the other files that have the content of its own."""
        view = self.measured[hit.source].view
        document = int(view.facts.searchsorted(hit.file.facts))
        for path in self._copies(hit.source, document, hit.file.path):
            for file in posting_rows.files_at(self._sources[hit.source].connection, view.snapshot.id, [path]):
                yield hit._replace(file=file)

    @cached_property
    def _functions(self) -> list[Function]:
        """The functions that fit best, best first, each once."""
        pool: list[Function] = []
        for source, item in enumerate(self._sources):
            ranked = (self.measured[source], self.rankings[source], self._kept[source])
            pool += pool_of(source, item.connection, *ranked, self._defined[source], self._query)
        seen: set[tuple[int, int]] = set()  # two parts of one codebase have one view
        found = []
        for function in sorted(
            pool, key=lambda item: (-item.value, item.path, item.source, item.place, item.symbol or 0)
        ):
            view = self.measured[function.source].view
            owner, chunk = int(view.owners[function.place]), int(view.chunks[function.place])
            symbol = (chunk >> CHUNK_BITS << CHUNK_BITS) + owner if function.symbol is None else function.symbol
            if (function.symbol is None and owner < 0) or (id(view), symbol) not in seen:
                seen.add((id(view), symbol))
                found.append(function)
        return found[:FUNCTION_POOL]

    @cached_property
    def _kept(self) -> list[Any]:
        """For each source the places of files that the filter lets pass and that have to do with the query; if there
        are none, of those that are closest by meaning."""
        import numpy as np

        allowed = [self._allowed(source) for source in range(len(self._sources))]
        kept = [np.flatnonzero(self._fits(source) & passed) for source, passed in enumerate(allowed)]
        return kept if any(map(len, kept)) else self._closest(allowed)

    def _allowed(self, source: int) -> Any:
        """Which files that have anything to show the filter and the query's operators let pass."""
        view, item = self.measured[source].view, self._sources[source]
        passed = view.has_chunks if item.where.is_empty else view.has_chunks & view.allowed(item.where)
        for text in self._query.asked.must:
            passed = passed & _has(view, _having(item, text))
        for text in self._query.asked.without:
            passed = passed & ~_has(view, _having(item, text))
        return passed

    def _fits(self, source: int) -> Any:
        """Which files have to do with the query."""
        features = self.rankings[source].features
        fits = (features["body"] > 0) | (features["definition"] > 0) | (features["stem"] > 0)
        for name in {"path", "quoted"} & features.keys():
            fits |= features[name] > 0
        for name, weight in (("dense", rank.DENSE), ("provided", rank.PROVIDED)):
            if name in features:
                fits |= features[name] > CLOSE * weight
        return fits

    def _closest(self, allowed: Sequence[Any]) -> list[Any]:
        """The files that come as near to the best of these as others must to the best of all."""
        import numpy as np

        fits = [np.zeros(len(passed), bool) for passed in allowed]
        for name in {"dense", "provided"} & (self.measured[0].centred.keys() if self.measured else set()):
            near = [item.centred[name][1] * passed for item, passed in zip(self.measured, allowed, strict=True)]
            every = np.concatenate([values[passed] for values, passed in zip(near, allowed, strict=True)])
            if len(every):
                best = every.max()
                least = best - (1 - CLOSE) * max(best - every.mean(), 0)
                fits = [found | ((values > 0) & (values >= least)) for found, values in zip(fits, near, strict=True)]
        return [np.flatnonzero(found) for found in fits]

    def _ordered(self) -> Iterator[tuple[int, int]]:
        """(source, place of the file), best first; ties by source and path."""
        import numpy as np

        if not self._kept:
            return
        sources = np.concatenate([np.full(len(places), source) for source, places in enumerate(self._kept)])
        places = np.concatenate(self._kept)
        totals = np.concatenate([self.rankings[source].total[found] for source, found in enumerate(self._kept)])
        for at in _best_first(totals):
            yield int(sources[at]), int(places[at])

    def _chunks_of(self, files: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Of each file the best chunks, one for each definition."""
        import numpy as np

        found: list[list[int]] = [[] for _ in files]
        for source, item in enumerate(self.measured):
            view = item.view
            mine = [at for at, (of, _) in enumerate(files) if of == source]
            if not mine:
                continue
            starts, sizes = view.spans([files[at][1] for at in mine])
            ends = np.cumsum(sizes)
            places = np.arange(ends[-1]) + np.repeat(starts - ends + sizes, sizes)
            places = places[np.lexsort((-rank.line_scores(item, places), np.repeat(mine, sizes)))]
            owners, chunks, first = view.owners[places].tolist(), view.chunks[places].tolist(), 0
            for at, size in zip(mine, sizes.tolist(), strict=True):
                best: dict[int, int] = {}
                for row in range(first, first + size):
                    best.setdefault(owners[row] if owners[row] >= 0 else -1 - row, chunks[row])
                    if len(best) > NESTED:
                        break
                found[at] = [*best.values()]
                first += size
        return found

    def _copies(self, source: int, document: int, path: str) -> tuple[str, ...]:
        """Files with this content beside the one at a path, that the filter lets pass."""
        import numpy as np

        view, where = self.measured[source].view, self._sources[source].where
        if view.copies[document] < 2:
            return ()
        files = [view.files[place] for place in np.flatnonzero(view.document == document).tolist()]
        return tuple(f.path for f in files if f.path != path and where.allows(f.path, f.language))


def _contents(view: View, places: Sequence[Any]) -> int:
    """How many different contents files at these places have."""
    import numpy as np

    is_held = np.zeros(len(view.facts), bool)
    for kept in places:
        is_held[view.document[kept]] = True
    return int(np.count_nonzero(is_held))


def _best_first(values: Any) -> Iterator[int]:
    """Where the values stand, the greatest first, ties in order of place."""
    import numpy as np

    first = greatest(values, HEAD)
    yield from first.tolist()
    if len(first) < len(values):
        rest = np.flatnonzero(values < values[first[-1]])
        yield from rest[np.argsort(-values[rest], kind="stable")].tolist()


def _having(source: Source, text: str) -> frozenset[int]:
    return blobs_with(source.store, source.connection, source.snapshot, text)


def _has(view: View, blobs: frozenset[int]) -> Any:
    import numpy as np

    return np.fromiter((file.blob in blobs for file in view.files), bool, len(view.files))


__all__ = ["Ranked", "Ranking", "Search", "Source"]
