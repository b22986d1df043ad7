"""Questions: what can be asked of codebases, each answered from one believed state. `Engine` adds what changes them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.answers import Content, Found, Freshness, NamedSymbol, Outline, Paths, SymbolsFound, TextFound
from clew.config import Config
from clew.embed.choose import Encoders
from clew.embed.encoder import Asked
from clew.errors import BadInput, ClewError, Gated, NotFound
from clew.graph.hierarchy import inherited
from clew.graph.nodes import Nodes
from clew.lifecycle.catalog import Catalog, Codebase, Place
from clew.lifecycle.clock import now
from clew.search import exact, find, navigate
from clew.search.exact import Page
from clew.search.filters import Filter, Scope, make_filter, narrowed
from clew.search.hits import overlaps, shown
from clew.search.pages import Frozen, Pages
from clew.search.pattern import TextQuery, compile_pattern
from clew.search.query import Mode, View, like_code, parse_query
from clew.search.reading import Reader, Reading, gone, probe_of, together
from clew.source import git
from clew.source.git import git_blob_hash
from clew.source.roots import file_key
from clew.store import snapshots
from clew.store.snapshots import Entry
from clew.types import FileItem


class Questions:
    """Asks codebases; changes nothing but what a check of freshness brings in."""

    def __init__(self, config: Config, catalog: Catalog, encoders: Encoders, reader: Reader) -> None:
        self.config, self.catalog = config, catalog
        self._encoders, self._reader, self._pages = encoders, reader, Pages()

    def resolve(self, path: Place | None = None) -> Codebase:
        """The codebase that a path belongs to, or `NotIndexed`."""
        return self.catalog.resolve(path)

    def search(
        self,
        text: str,
        path: Place | Sequence[Place] | None = None,
        *,
        limit: int | None = None,
        scope: Scope | None = None,
        view: View = "files",
        mode: Mode = "hybrid",
        explain: bool = False,
    ) -> Found:
        """Hits for a question, best first, each checked against the disk. Several codebases are ranked as one."""
        limit = _positive(self.config.result_limit if limit is None else limit)
        if explain and view == "functions":
            raise BadInput("only files are explained; ask without `explain`, or for the files view")
        places = [path] if path is None or isinstance(path, str | os.PathLike) else path
        resolved = _apart([self._question(place, scope) for place in places])
        codebases = [codebase for codebase, _ in resolved]
        query = parse_query(text, root=codebases[0].root if len(codebases) == 1 else "")
        asked_of = tuple((codebase, narrowed(where, query.asked)) for codebase, where in resolved)
        told, weights = (query.text, ()) if view == "functions" else (query.told, query.weights)
        asked = Asked() if mode == "lexical" else self._asked(codebases[0], told, query.text, weights=weights)

        def ask(readings: tuple[Reading, ...]) -> Found:
            search = find.Search(_sources(readings, asked_of), query, asked, words=mode != "semantic")
            shape = (view, explain, scope or Scope(), _built(readings))
            return self._page(readings, Frozen(search, asked_of, *shape, 0, query.terms, asked.trouble), limit)

        return self._reader.ask_all(codebases, ask)

    def search_on(self, continuation: str, *, limit: int | None = None) -> Found:
        """The next hits of a search, in the order that was found then."""
        limit = _positive(self.config.result_limit if limit is None else limit)
        frozen = self._pages.find(continuation)

        def ask(readings: tuple[Reading, ...]) -> Found:
            if _built(readings) != frozen.built:
                raise NotFound("the index was made anew since that page; ask the question again")
            bound = frozen.search.bound_to(_sources(readings, frozen.asked_of))
            return self._page(readings, replace(frozen, search=bound), limit)

        return self._reader.ask_all([codebase for codebase, _ in frozen.asked_of], ask)

    def scope_of(self, continuation: str) -> Scope:
        """The scope that a search and all its pages have."""
        return self._pages.find(continuation).scope

    def _page(self, readings: tuple[Reading, ...], frozen: Frozen, limit: int) -> Found:
        search, start = frozen.search, frozen.start
        is_files = frozen.view == "files"
        ranked = search.files(start, explain=frozen.explain) if is_files else search.functions(start)
        page = shown(readings, ranked, limit)
        fresh, hits = together(readings), tuple(page.hits)
        total = max(search.count(frozen.view) - fresh.dropped, len(hits))
        is_cut = page.following is not None
        handle = self._pages.keep(replace(frozen, start=page.following)) if page.following is not None else None
        root = frozen.asked_of[0][0].root
        return Found(root, fresh, hits, total, is_cut, frozen.terms, frozen.trouble, handle, search.unknown)

    def grep(
        self, query: TextQuery | str, path: Place | None = None, *, page: Page | None = None, scope: Scope | None = None
    ) -> TextFound:
        """Every line that has a text or matches an expression, in order of path and line."""
        pattern = compile_pattern(TextQuery(query) if isinstance(query, str) else query)
        codebase, where = self._question(path, scope)

        def ask(reading: Reading) -> TextFound:
            reading.require_files()
            return exact.search(reading, pattern, where, page or Page())

        return self._reader.ask(codebase, ask)

    def similar(self, file: Place, lines: tuple[int, int], *, limit: int | None = None) -> Found:
        """Functions like these lines of a file, the lines themselves left out."""
        limit = _positive(self.config.result_limit if limit is None else limit)
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> Found:
            entry = _readable(navigate.file_entry(reading.connection, reading.snapshot, key))
            text, first, *_ = navigate.cut_lines(key, reading.content(key, entry.blob), lines)
            asked = self._encoders.code(text, lambda: probe_of(codebase))
            source = find.Source(codebase.store, reading.connection, reading.snapshot, Filter())
            search = find.Search([source], like_code(text), asked)

            def others() -> Iterator[find.Ranked]:
                for hit in search.functions():
                    if not overlaps(reading.connection, hit, key, first, lines[1]):
                        yield hit
                    else:  # what another file has of it is like it, too
                        yield from itertools.islice(search.copies(hit), 1)

            page = shown([reading], others(), limit)
            hits, is_cut = tuple(page.hits), page.following is not None
            return Found(codebase.root, reading.fresh, hits, len(hits), is_cut, (), asked.trouble)

        return self._reader.ask(codebase, ask)

    def symbol(
        self,
        name: str,
        path: Place | None = None,
        *,
        kind: str | None = None,
        file: str | None = None,
        scope: Scope | None = None,
    ) -> SymbolsFound:
        """Where a name is defined; `file` is the end of the only path that counts."""
        codebase, where = self._question(path, scope)
        ending = f"/{file_key(file)}" if file is not None else ""

        def ask(reading: Reading) -> SymbolsFound:
            reading.require_files()
            named_so = navigate.symbols_named(reading.connection, reading.snapshot, name, where, kind=kind)
            is_inherited = not named_so
            if is_inherited:
                named_so = _inherited(reading, name, where, kind)
            found = [item for item in named_so if f"/{item.file.path}".endswith(ending)]
            files = {item.file.path: item.file for item in found}
            checks = {path: reading.check(path, file.stat, file.blob) for path, file in files.items()}
            named = tuple(
                NamedSymbol(item.file.path, item.file.language, item.symbol, is_fresh)
                for item in found
                if (is_fresh := checks[item.file.path]) is not None
            )
            return SymbolsFound(codebase.root, reading.fresh, named, is_inherited and bool(named))

        return self._reader.ask(codebase, ask)

    def files_ending(self, path: Place, key: str) -> Paths:
        """The files of a codebase that may be meant by what is the path of none: those whose paths end with it."""
        codebase = self.resolve(path)

        def ask(reading: Reading) -> Paths:
            found = _items(navigate.files_ending(reading.connection, reading.snapshot, key))
            return Paths(codebase.root, reading.fresh, found, len(found), False)

        return self._reader.ask(codebase, ask)

    def outline(self, file: Place, *, lines: tuple[int, int] | None = None, name: str | None = None) -> Outline:
        """The definitions of a file, those that some lines touch, or the one of a name with what it holds.

        With both, the lines tell which of several symbols is meant."""
        navigate.check_range(lines)
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> Outline:
            entry = navigate.file_entry(reading.connection, reading.snapshot, key)
            if not codebase.is_project and not os.path.lexists(os.path.join(codebase.root, key)):
                raise gone(key)
            is_fresh = entry.blob is None or bool(reading.check(key, entry.stat, entry.blob))
            symbols = tuple(navigate.outline(reading.connection, entry))
            if name is not None:
                symbols = navigate.part_of(symbols, navigate.symbol_in(entry, symbols, name, lines))
            elif lines is not None:
                symbols = navigate.touched(symbols, lines)
            return Outline(codebase.root, reading.fresh, key, entry.language, entry.skip, symbols, is_fresh)

        return self._reader.ask(codebase, ask)

    def paths(self, path: Place | None = None, *, limit: int = 1_000, scope: Scope | None = None) -> Paths:
        """The files of a codebase."""
        _positive(limit)
        codebase, where = self._question(path, scope)

        def ask(reading: Reading) -> Paths:
            reading.require_files()
            entries = navigate.list_entries(reading.connection, reading.snapshot, where)
            return Paths(codebase.root, reading.fresh, _items(entries[:limit]), len(entries), len(entries) > limit)

        try:
            return self._reader.ask(codebase, ask)
        except Gated:  # a list of files needs no index, only the tree
            if codebase.is_project:
                raise
            found = navigate.list_tree(codebase.root, self.catalog.nested(codebase.root), where)
            checked = self._reader.freshener.ensure(codebase)
            fresh = Freshness(checked.decision, snapshots.WORKTREE, git.head(codebase.root), 0, now())
            return Paths(codebase.root, fresh, tuple(found[:limit]), len(found), len(found) > limit)

    def read(
        self,
        file: Place,
        *,
        lines: tuple[int, int] | None = None,
        symbol: str | None = None,
        annotated: bool = False,
    ) -> Content:
        """A file's text as it is on disk now, or the part of it that a symbol or a range of lines names.

        With both, the lines tell which of several symbols is meant. Annotated, it comes with what it defines."""
        navigate.check_range(lines)
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> Content:
            entry = _readable(navigate.file_entry(reading.connection, reading.snapshot, key))
            content = reading.content(key, entry.blob)
            wanted = lines
            if symbol is not None:
                found = navigate.symbol_in(entry, navigate.outline(reading.connection, entry), symbol, lines)
                wanted = (found.start_line, found.end_line)
            indexed = snapshots.blob_hash(reading.connection, entry.blob) if entry.blob is not None else ""
            is_same = git_blob_hash(content).hex() == indexed
            reading.fresh.verified += is_same
            reading.fresh.changed += not is_same
            cut = navigate.cut_lines(key, content, wanted)
            shown = navigate.outline(reading.connection, entry) if annotated else None
            within = None if shown is None else navigate.touched(shown, (cut[1], cut[2]))
            return Content(codebase.root, reading.fresh, key, *cut, entry.language, within)

        answer = self._reader.ask(codebase, ask)
        if (symbol is not None or annotated) and answer.freshness.changed:
            raise ClewError(f"{key} changed while it was read; ask again")
        return answer

    def asked(self, text: str, weights: Sequence[float] = ()) -> Asked:
        """A query as the bundled model sees it; its words count as much as `weights` says."""
        return self._encoders.query(text, weights=weights)

    def _asked(self, codebase: Codebase, words: str, text: str, *, weights: Sequence[float] = ()) -> Asked:
        """A question as the models see it; a provider is asked before the gate, which compares its dimension."""
        return self._encoders.query(words, text, lambda: probe_of(codebase), weights=weights)

    def _question(self, path: Place | None, scope: Scope | None) -> tuple[Codebase, Filter]:
        codebase = self.resolve(path)
        scope = scope or Scope()
        where = make_filter(
            include=scope.include, exclude=scope.exclude, languages=scope.languages, subtree=codebase.subtree
        )
        return codebase, where


def _apart(asked_of: Sequence[tuple[Codebase, Filter]]) -> list[tuple[Codebase, Filter]]:
    """Codebases and parts of them without those that another one holds."""
    if not asked_of:
        raise BadInput("no codebase is named; give a path")
    found: list[tuple[Codebase, Filter]] = []
    for codebase, where in sorted(asked_of, key=lambda item: len(item[0].subtree)):
        if not any(other.root == codebase.root and _holds(other.subtree, codebase.subtree) for other, _ in found):
            found.append((codebase, where))
    return sorted(found, key=asked_of.index)


def _holds(subtree: str, other: str) -> bool:
    return not subtree or f"{other}/".startswith(f"{subtree}/")


def _built(readings: Sequence[Reading]) -> tuple[str | None, ...]:
    """Which making of each index is read: ids of another one mean nothing here."""
    return tuple(reading.build for reading in readings)


def _readable(entry: Entry) -> Entry:
    if entry.skip in ("binary", "huge", "unreadable"):
        raise BadInput(f"{entry.path} is {entry.skip}; it is listed but not read")
    return entry


def _sources(readings: Sequence[Reading], asked_of: Sequence[tuple[Codebase, Filter]]) -> list[find.Source]:
    """What a search looks at: each codebase in the state that is read, and which of its files count."""
    sources = []
    for reading, (codebase, where) in zip(readings, asked_of, strict=True):
        reading.require_files()
        sources.append(find.Source(codebase.store, reading.connection, reading.snapshot, where))
    return sources


def _inherited(reading: Reading, name: str, where: Filter, kind: str | None) -> list[navigate.Defined]:
    """What a class has under a name from the classes above it."""
    found = []
    for node in inherited(Nodes(reading.connection, reading.snapshot.id), name):
        named = navigate.symbols_named(reading.connection, reading.snapshot, node.qualified, where, kind=kind)
        found += [item for item in named if (item.file.path, item.symbol.start_line) == (node.path, node.line)]
    return found


def _items(entries: Sequence[Entry]) -> tuple[FileItem, ...]:
    return tuple(FileItem(e.path, e.stat.size, e.stat.mtime_ns, e.language, e.skip) for e in entries)


def _positive(limit: int) -> int:
    if limit < 1:
        raise BadInput("the limit must be at least 1")
    return limit
