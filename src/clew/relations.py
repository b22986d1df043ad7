"""Questions about how definitions hang together: references, calls, the map, imports. `Engine` has them all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from clew.answers import Answer
from clew.errors import Ambiguous, BadInput, NotFound
from clew.graph import calls as call_edges
from clew.graph.build import USE_ROLES
from clew.graph.calls import CallGraph, Direction, Note
from clew.graph.exports import Export, exports_of
from clew.graph.files import ImportGraph, import_graph
from clew.graph.hierarchy import inherited
from clew.graph.nodes import Node, Nodes, find_externals, find_nodes, node_at
from clew.graph.references import Reference, Uses
from clew.graph.slices import Slice, slice_of
from clew.lifecycle.catalog import Place
from clew.parse.symbols import FUNCTION_KINDS
from clew.questions import Questions
from clew.search import find, navigate
from clew.search.filters import Filter, Scope
from clew.search.query import parse_query
from clew.search.reading import Reading
from clew.search.repomap import draw_map
from clew.store import facts, snapshots

MAX_CANDIDATES = 20
MAX_NAME = 4_000  # characters of a qualified name
FOCUS_FILES = 12  # of those that a question is about
MAX_NOTES = 1_000


@dataclass(frozen=True, slots=True)
class References(Answer):
    """Who uses a definition."""

    definitions: tuple[Node, ...]
    references: tuple[Reference, ...]
    total: int
    truncated: bool
    interfaces: tuple[str, ...] = ()  # of each definition a hash of what its users can see of it
    inherited: bool = False  # the class that was named has it from one above it
    continuation: str | None = None  # what the next uses are asked for with


@dataclass(frozen=True, slots=True)
class Calls(Answer):
    """Who calls whom around a definition."""

    graph: CallGraph
    notes: tuple[Note, ...]
    total_notes: int
    inherited: bool = False  # as for `References`


@dataclass(frozen=True, slots=True)
class RepoMap(Answer):
    text: str
    symbols: tuple[Node, ...]
    focus: tuple[str, ...]  # the files it was drawn from


@dataclass(frozen=True, slots=True)
class Imports(Answer):
    graph: ImportGraph
    exports: list[Export] | None = None  # of the file that was asked about, where they are known


@dataclass(frozen=True, slots=True)
class VariableSlice(Answer):
    """What a variable of a function depends on, and what it reaches."""

    path: str
    function: str
    variable: str
    slice: Slice


@dataclass(frozen=True, slots=True)
class Wanted:
    """A definition as somebody names it: by name, or by a place in a file."""

    name: str | None = None
    file: str | None = None  # relative to the root
    line: int | None = None
    column: int | None = None

    @property
    def spelled(self) -> str:
        return self.name or f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


class Relations(Questions):
    """Asks the graph of a codebase."""

    def references(
        self, wanted: Wanted, path: Place | None = None, *, role: str | None = None, limit: int = 100,
        scope: Scope | None = None, after: str | None = None,
    ) -> References:  # fmt: skip
        """Where a definition is used, the surest first, each place checked against the disk.

        `after` is the continuation of an answer to the same question: the next uses."""
        if limit < 1:
            raise BadInput("the limit must be at least 1")
        if role is not None and role not in USE_ROLES:
            raise BadInput(f"role {role!r} is unknown; known: {', '.join(USE_ROLES)}")
        codebase, where = self._question(path, scope)

        def ask(reading: Reading) -> References:
            reading.require_files()
            nodes = Nodes(reading.connection, reading.snapshot.id)
            definitions, is_inherited = _chosen(nodes, wanted, externals=True)
            uses = Uses(nodes, definitions, role=role)
            uses.keep(_Files(reading, where).shows)
            shown, continuation = uses.page(limit, after)
            hashes = tuple(nodes.interface(node) for node in definitions)
            return References(
                codebase.root, reading.fresh, tuple(definitions), tuple(shown), len(uses), continuation is not None,
                hashes, is_inherited, continuation,
            )  # fmt: skip

        return self._reader.ask(codebase, ask)

    def calls(
        self, wanted: Wanted, path: Place | None = None, *, direction: Direction = "both", depth: int = 1,
        limit: int = 20, note_limit: int = 200,
    ) -> Calls:  # fmt: skip
        """Who calls a definition and whom it calls, some steps far."""
        if not 1 <= depth <= call_edges.MAX_DEPTH or limit < 1:
            raise BadInput(f"the depth must be from 1 to {call_edges.MAX_DEPTH}, and the limit at least 1")
        codebase, _ = self._question(path, None)

        def ask(reading: Reading) -> Calls:
            reading.require_files()
            nodes = Nodes(reading.connection, reading.snapshot.id)
            roots, is_inherited = _chosen(nodes, wanted, externals=direction == "callers")
            graph = call_edges.call_graph(nodes, roots, direction, depth, limit)
            files = _Files(reading, Filter())
            for file in sorted({node.path for node in graph.nodes if node.path}):
                files.shows(file)
            notes, total = call_edges.relevant(graph, min(max(note_limit, 1), MAX_NOTES))
            return Calls(codebase.root, reading.fresh, graph, tuple(notes), total, is_inherited)

        return self._reader.ask(codebase, ask)

    def map(self, path: Place | None = None, *, focus: Sequence[str] = (), max_tokens: int = 2_000) -> RepoMap:
        """The definitions that matter most for some files or questions, within so many tokens."""
        if max_tokens < 1:
            raise BadInput("max_tokens must be at least 1")
        codebase, where = self._question(path, None)

        def ask(reading: Reading) -> RepoMap:
            reading.require_files()
            nodes = Nodes(reading.connection, reading.snapshot.id)
            weights = {file: 1.0 for file in focus if _entry(reading, file) is not None}
            if codebase.subtree and not focus:
                files = snapshots.files_with_facts(reading.connection, reading.snapshot.id)
                weights |= {file: 1.0 for file, (_, language) in files.items() if where.allows(file, language)}
            for text in (text for text in focus if text not in weights):
                query = parse_query(text, root=codebase.root)
                asked = self._asked(codebase, query.told, text, weights=query.weights)
                source = find.Source(codebase.store, reading.connection, reading.snapshot, where)
                search = find.Search([source], query, asked)
                for place, hit in enumerate(itertools.islice(search.files(), FOCUS_FILES)):
                    weights[hit.file.path] = max(weights.get(hit.file.path, 0.0), 1 / (1 + place))
            drawn = draw_map(codebase.store, nodes, reading.snapshot, weights, max_tokens)
            chosen = tuple(sorted(weights, key=lambda file: -weights[file])) if focus else ()
            return RepoMap(codebase.root, reading.fresh, drawn.text, drawn.symbols, chosen)

        return self._reader.ask(codebase, ask)

    def slice(self, file: Place, line: int, variable: str) -> VariableSlice:
        """What a variable depends on and reaches within the function around a line of a file."""
        codebase, key = self.catalog.resolve_file(file)

        def ask(reading: Reading) -> VariableSlice:
            entry = navigate.file_entry(reading.connection, reading.snapshot, key)
            if entry.facts is None or entry.blob is None:
                raise NotFound(f"{key} is no code that was parsed")
            reading.check(key, entry.stat, entry.blob)
            around = [
                symbol
                for symbol in facts.symbols_of(reading.connection, entry.facts)
                if symbol.kind in FUNCTION_KINDS and symbol.start_line <= line <= symbol.end_line
            ]
            if not around:
                raise NotFound(f"{key}:{line} is in no function; `clew outline` lists them")
            function = around[-1]
            content = facts.content(reading.connection, entry.blob)
            found = slice_of(content, entry.language, (function.start_byte, function.end_byte), line, variable)
            if found is None:
                raise NotFound(f"{function.qualified} in {key} binds no variable {variable}")
            return VariableSlice(codebase.root, reading.fresh, key, function.qualified, variable, found)

        return self._reader.ask(codebase, ask)

    def imports(self, path: Place | None = None, *, file: str | None = None) -> Imports:
        """Which files use which and the circles among them; for one `file` what is around it, and what it exports."""
        codebase, where = self._question(path, None)

        def ask(reading: Reading) -> Imports:
            reading.require_files()
            files = snapshots.files_with_facts(reading.connection, reading.snapshot.id)
            allowed = {name for name, (_, language) in files.items() if where.allows(name, language)}
            nodes = Nodes(reading.connection, reading.snapshot.id)
            graph = import_graph(nodes, file, allowed)
            if file is not None and file not in graph.files:
                raise NotFound(f"{file} is not in the index, or no code; `clew paths` lists the files")
            return Imports(codebase.root, reading.fresh, graph, None if file is None else exports_of(nodes, file))

        return self._reader.ask(codebase, ask)


def _entry(reading: Reading, file: str) -> snapshots.Entry | None:
    file = file.encode("utf-8", "replace").decode()  # no path is what cannot be written
    return snapshots.entry_at(reading.connection, reading.snapshot.id, file)


class _Files:
    """Which files of a state may be shown: those that the filter lets pass and that are still there, checked once."""

    def __init__(self, reading: Reading, where: Filter) -> None:
        self._reading, self._where = reading, where
        self._known: dict[str, bool] = {}

    def shows(self, file: str) -> bool:
        if file not in self._known:
            self._known[file] = self._look(file)
        return self._known[file]

    def _look(self, file: str) -> bool:
        entry = _entry(self._reading, file)
        if entry is None or entry.blob is None or not self._where.allows(file, entry.language):
            return False
        return self._reading.check(file, entry.stat, entry.blob) is not None


def _chosen(nodes: Nodes, wanted: Wanted, *, externals: bool) -> tuple[list[Node], bool]:
    """The one definition that is meant; its overloads count as one. Several are `Ambiguous`, none is `NotFound`.

    And whether the class that was named only inherits it."""
    is_inherited = False
    if wanted.name:
        name = wanted.name.encode("utf-8", "replace").decode()
        if len(name) > MAX_NAME:
            raise NotFound(f"a name of {len(name)} characters is none; nothing is called {name[:40]}…")
        found = find_nodes(nodes, name)
        if not found:
            found = inherited(nodes, name)
            is_inherited = bool(found)
        if wanted.file:
            found = [node for node in found if node.path == wanted.file]
        if wanted.line is not None:
            found = [node for node in found if node.line <= wanted.line <= node.end_line]
        if not found and externals and not wanted.file:
            found = find_externals(nodes, name)[:1]
    elif wanted.file and wanted.line is not None:
        found = node_at(nodes, wanted.file, wanted.line, wanted.column)
    else:
        raise BadInput("give a name, or a file and a line")
    if not found and not wanted.name:
        raise NotFound(f"no name stands at {wanted.spelled}; both count from 1, and the file is given from the root")
    if not found:
        raise NotFound(f"nothing called {wanted.spelled} is defined here; `clew symbol` and `clew search` find names")
    if len({node.key for node in found}) > 1:
        places = tuple(f"{node.path}:{node.line} {node.kind} {node.qualified}" for node in found[:MAX_CANDIDATES])
        raise Ambiguous(
            f"{wanted.spelled} is the name of {len(found)} definitions; qualify it (Class.method) or name the file",
            places,
        )
    return found, is_inherited
