"""The edges of a snapshot that is about to be: of all its files, or of those that a change can have touched.

Each file keeps hashes of what its edges rest on (`graph/values.py`): files, names in them, names of modules it looked
for. A change elsewhere makes its edges anew only if it touches one of these (`graph/changes.py`). Main call:
`plan_edges`.
"""

from __future__ import annotations

import itertools
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import apsw

from clew.graph.changes import compare, holding, keys_of, shape_of
from clew.graph.grouping import OWN_ROLE, End, Leads, Own, Sources, Used, group
from clew.graph.layout import Layout, is_configuration
from clew.graph.modules import TOLD_APART, Module
from clew.graph.resolve import Resolver
from clew.graph.values import TIERS, Key, Meaning
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import CALLED, MACRO, unpack_links
from clew.parse.uses import ROLES, unpack_starts
from clew.store import edges, facts, snapshots
from clew.store.edges import GraphFile
from clew.store.packs import (
    NODE_BITS,
    WHOLE_FILE,
    Edge,
    Loose,
    Packed,
    pack_file,
    pack_nodes,
    pack_sites,
    unpack_nodes,
)  # fmt: skip
from clew.store.snapshots import Snapshot
from clew.store.store import Store

EVIDENCE = ("scope", "self", "super", "builtin", "package", "import")  # with a line for the last
USE_ROLES = (*ROLES, "import")
IMPORT_ROLE = len(ROLES)
MAX_MODULES = 6_000  # files held at once while edges are made: about 100 KB each
MAX_LOADED = 1_000  # files that are held from one save to the next, those that are needed most: about 25 KB each
MAX_KEPT = 4  # snapshots whose files are kept in memory
_KINDS = {name: place for place, name in enumerate(EVIDENCE)}
_TIERS = {name: place for place, name in enumerate(TIERS)}

Files = Mapping[str, tuple[int, str]]  # facts and language of each file that has any


class Edges(NamedTuple):
    """What resolving some files brings."""

    files: list[GraphFile]
    packed: list[Packed]


# Shares the files of a snapshot's first graph out: resolves some by a call, gives the edges of the others.
Share = Callable[[int, Files, Sequence[str], Callable[[Sequence[str]], None]], Iterable[Edges]]


@dataclass(slots=True)
class Standing:
    """The files of a snapshot at a generation: a save needs all of them, so they are kept for the next."""

    generation: int
    files: Files
    known: Mapping[str, GraphFile]  # those that have edges
    layout: Layout
    modules: Mapping[str, Module] = field(default_factory=dict)  # those that the last saves needed: so may the next


@dataclass(slots=True)
class Update:
    """What the flip must do to the graph."""

    edges: Edges = field(default_factory=lambda: Edges([], []))
    gone: list[str] = field(default_factory=list)
    standing: Standing | None = None  # until then, and what becomes of it

    def apply(self, connection: apsw.Connection, snapshot: int) -> None:
        """In the flip's transaction."""
        files, packed = self.edges
        removed = [self.standing.known[path].number for path in self.gone] if self.standing is not None else []
        edges.replace(connection, snapshot, files, removed, packed)
        self.edges = Edges(files, [])  # no need to keep what is written

    def keep(self, store: Store, snapshot: Snapshot) -> None:
        """After the flip's transaction: let the next run begin where this one ended."""
        if self.standing is None:
            return
        known = {**self.standing.known, **{file.path: file._replace(details=None) for file in self.edges.files}}
        for path in self.gone:
            del known[path]
        kept: dict[int, Standing] = store.graphs
        for old in list(kept)[: 1 - MAX_KEPT]:
            kept.pop(old, None)
        for other in kept.values():
            other.modules = {}  # one codebase is worked on at a time
        kept[snapshot.id] = replace(self.standing, generation=snapshot.generation, known=known)


def plan_edges(
    store: Store, snapshot: Snapshot, changes: Mapping[str, tuple[int, str] | None], share: Share | None = None
) -> Update:
    """What changes in the graph when files come to have other facts, or None any more; a first one is shared out."""
    connection = store.connection()
    kept: Standing | None = store.graphs.get(snapshot.id)
    if kept is not None and kept.generation == snapshot.generation:
        before, known, suspects = kept.files, kept.known, set(changes)
    else:
        kept = None
        before = snapshots.files_with_facts(connection, snapshot.id)
        known = {file.path: file for file in edges.files_of(connection, snapshot.id)}
        suspects = {*before, *known, *changes}
    files = {**before, **{path: held for path, held in changes.items() if held is not None}}
    for path in [path for path, held in changes.items() if held is None]:
        files.pop(path, None)
    is_same = all((path in before) == (held is not None) for path, held in changes.items())
    is_same = is_same and not any(map(is_configuration, changes))
    layout = kept.layout if kept is not None and is_same else Layout(files)
    standing = Standing(snapshot.generation, files, known, layout, kept.modules if kept is not None else {})
    graph, update = _Graph(connection, snapshot.id, standing, MAX_MODULES), Update(standing=standing)
    update.gone = [path for path in suspects if path in known and path not in files]
    paths = sorted(graph.touched(suspects))
    if share is None or known:
        graph.add_all(paths, update.edges)
    else:
        for others in share(snapshot.id, files, paths, lambda some: graph.add_all(some, update.edges)):
            update.edges.files.extend(others.files)
            update.edges.packed.extend(others.packed)
    used = graph.forget()
    recent = {**{path: held for path, held in standing.modules.items() if path not in used}, **used}
    standing.modules = dict(list(recent.items())[-MAX_LOADED:])
    return update


def edges_of_first(store: Store, snapshot: int, files: Files, most: int) -> Callable[[Sequence[str]], Edges]:
    """What resolves some files of a snapshot that has no graph yet, under the numbers that `plan_edges` gives them."""
    graph = _Graph(store.connection(), snapshot, Standing(0, files, {}, Layout(files)), most)
    graph.touched(files)

    def resolve(paths: Sequence[str]) -> Edges:
        found = Edges([], [])
        graph.add_all(paths, found)
        return found

    return resolve


class _Graph:
    """The files of a snapshot to be, loaded when they are needed."""

    def __init__(self, connection: apsw.Connection, snapshot: int, standing: Standing, most: int) -> None:
        self._connection, self._snapshot, self._most = connection, snapshot, most
        self._files, self._known, self._loaded = standing.files, standing.known, standing.modules
        self._modules: dict[str, Module] = {}
        self._times: dict[str, int] = {}  # how often each was asked for
        self._numbers: dict[str, int] = {}  # of files that are new
        self._nodes: dict[str, list[int] | None] = {}  # of files that changed
        self._is_whole = False  # all edges are made anew
        self._paths: dict[int, list[str]] = {}  # the files of each blob
        self._layout = standing.layout
        self._layout.read_with(self._read)
        self._resolver = Resolver(self._layout, self.module, self._defining)

    def forget(self) -> Mapping[str, Module]:
        """Let go of all files and of what was resolved in them. Those that are needed again are loaded again; they are
        given back for those who keep some, what was needed most last."""
        held = {path: self._modules[path] for path in sorted(self._modules, key=lambda path: self._times[path])}
        self._modules, self._loaded = {}, {}
        self._resolver.let_go()
        self._resolver = Resolver(self._layout, self.module, self._defining)
        return held

    def module(self, path: str) -> Module | None:
        """A file as the resolver sees it."""
        found = self._modules.get(path)
        self._times[path] = self._times.get(path, 0) + 1
        if found is None and path in self._files:
            found, before = self._loaded.get(path), self._known.get(path)
            wanted = (self._number(path), *self._files[path])
            if found is None or (found.number, found.facts, found.language) != wanted:
                found = self._load(path, *self._files[path])
            self._modules[path] = found
            if path in self._nodes:
                found.nodes = self._nodes[path]
            else:
                found.nodes = unpack_nodes(before.nodes) if before is not None and not self._is_whole else None
        return found

    def _number(self, path: str) -> int:
        before = self._known.get(path)
        return before.number if before is not None else self._numbers[path]

    def _load(self, path: str, facts_id: int, language: str) -> Module:
        definitions = facts.names_of(self._connection, facts_id)
        links = unpack_links(facts.links_of(self._connection, facts_id))
        imports = facts.imports_of(self._connection, facts_id)
        return Module(path, self._number(path), facts_id, language, definitions, imports, links)

    def _defining(self, name: str) -> list[str]:
        """The files that define a name."""
        if not self._paths:
            for path, (facts_id, _) in self._files.items():
                self._paths.setdefault(facts_id, []).append(path)
        found = facts.defining(self._connection, name)
        return sorted(path for facts_id in found for path in self._paths.get(facts_id, ()))

    def _read(self, path: str) -> bytes | None:
        """The content of a file, for those that configure where modules live."""
        if path not in self._files:
            return None
        return facts.content(self._connection, facts.blob_of(self._connection, self._files[path][0]))

    def touched(self, suspects: Iterable[str]) -> set[str]:
        """The files whose edges may not be what they were, when these may have changed."""
        suspects = list(suspects)
        changed = {path for path in suspects if path in self._files and self._is_changed(path)}
        gone = [path for path in suspects if path in self._known and path not in self._files]
        new = sorted(path for path in changed if path not in self._known)
        free = max((file.number for file in self._known.values()), default=0) + 1 if new else 0
        self._numbers = dict(zip(new, itertools.count(free), strict=False))
        if len(changed) == len(self._files) or any(is_configuration(path) for path in (*changed, *gone)):
            self._is_whole = True
            return set(self._files)
        keys: set[str] = set()
        narrow: tuple[set[str], set[int]] = set(), set()  # of those who hold one of these, who have looked for a name
        for path in changed:
            keys |= self._changed_keys(path, narrow)
        for path in gone:
            old = self._load(path, self._known[path].facts, "")
            keys |= keys_of(path, is_new=True) | self._layout.keys_of(path) | _names(old)
        if not keys and not narrow[0]:
            return changed
        rest = list(self._known.values())
        found, using = holding(rest, [file.inputs for file in rest], map(_hash, keys), map(_hash, narrow[0]))
        using = [file for file in using if file.path in self._files and file.path not in changed]
        details = edges.details_of(self._connection, self._snapshot, [file.number for file in using])
        found += [file for file, held in zip(using, details, strict=True) if held is None]
        found += holding(using, [held or b"" for held in details], narrow[1])[0]
        return changed | {file.path for file in found if file.path in self._files}

    def _changed_keys(self, path: str, narrow: tuple[set[str], set[int]]) -> set[str]:
        """The keys that a file touches which is new or has changed; what names touch is added to `narrow`."""
        module, before = self.module(path), self._known.get(path)
        assert module is not None
        if before is None:
            return keys_of(path, is_new=True) | self._layout.keys_of(path) | _names(module)
        if before.shape == shape_of(module):
            return set()
        old = self._loaded.get(path)
        if old is None or old.facts != before.facts:
            old = self._load(path, before.facts, facts.language_of(self._connection, before.facts))
        old.nodes = unpack_nodes(before.nodes)
        change = compare(old, module)
        self._nodes[path] = module.nodes = change.nodes
        every = keys_of(path, is_new=False) | _names(module) | _names(old)
        if change.names is None:
            return every
        narrow[0].update({module.key} if module.language in TOLD_APART else every)
        narrow[1].update(module.key_of(name) for name in change.names)
        return {f"n:{name}" for name in change.names}

    def _is_changed(self, path: str) -> bool:
        before = self._known.get(path)
        return before is None or before.facts != self._files[path][0]

    def add_all(self, paths: Iterable[str], found: Edges) -> None:
        """Resolve files, and add what they lead to."""
        for path in paths:
            self.add_edges(path, found)
            if len(self._modules) > self._most:
                self.forget()

    def add_edges(self, path: str, found: Edges) -> None:
        """The same for one."""
        module = self.module(path)
        assert module is not None
        facts_id, _ = self._files[path]
        inputs: set[Key] = set()
        resolve, is_apart = self._resolver.resolve, module.language in TOLD_APART
        refs = module.links.refs[1:]
        meanings = [resolve(module, ref, inputs) if ref[0] != "?" or not is_apart else None for ref in refs]
        wholes = self._imported_files(module, inputs)
        keys, names = self._resolver.spelled_out(inputs)
        names -= module.own_keys()
        rows, loose = self._grouped(module, meanings)
        if wholes:  # imports that name nothing: `export * from`, `require`
            named = {row[0] >> NODE_BITS for row in rows if row[2] == IMPORT_ROLE and isinstance(row[0], int)}
            source = module.number << NODE_BITS | WHOLE_FILE
            for number, (evidence, start) in wholes.items():
                if number not in named:
                    target = number << NODE_BITS | WHOLE_FILE
                    rows.append((target, source, IMPORT_ROLE, _TIERS["proven"], evidence, pack_sites([start])))
        found.packed.append(pack_file(module.number, rows, loose))
        found.files.append(
            GraphFile(
                module.number, path, facts_id, shape_of(module), pack_sites(sorted(map(_hash, keys))),
                pack_nodes(module.nodes), pack_sites(sorted(names)),
            )
        )  # fmt: skip

    def _grouped(self, module: Module, meanings: Iterable[Meaning | None]) -> tuple[list[Edge], list[Loose]]:
        """What the uses of a file lead to, of which references mean this."""
        links = module.links
        if not links.of_use:
            return [], []
        starts, use_roles = unpack_starts(facts.uses_of(self._connection, module.facts))
        used = Used(starts, links.of_use, links.callers, use_roles)
        ends: dict[End, int] = {None: 0}
        slots, evidence, roles = [0], [0], [OWN_ROLE]
        for ref, meaning in zip(links.refs[1:], meanings, strict=True):
            end = self._end(ref, meaning)
            slots.append(ends.setdefault(end, len(ends)))
            evidence.append(_evidence(meaning[2]) if meaning is not None else 0)
            roles.append(IMPORT_ROLE if ref[0] in "JM" else OWN_ROLE)
        leads = Leads(array("I", slots), bytes(roles), array("I", evidence))
        sources = Sources(module.number << NODE_BITS, array("H", module.nodes or ()))
        places = sorted(module.attribute_places.items())  # named there, not used
        own = Own(array("I", [byte for byte, _ in places]), array("q", [module.node(ordinal) for _, ordinal in places]))
        return group(used, leads, list(ends), sources, own)

    def _imported_files(self, module: Module, inputs: set[Key]) -> dict[int, tuple[int, int]]:
        """The other files that imports of a file lead to, with the evidence and where that is said."""
        found: dict[int, tuple[int, int]] = {}
        for number, row in enumerate(module.imports if module.language in ECMASCRIPT else ()):  # others name the module
            meaning = self._resolver.resolve(module, f"M{number}", inputs)
            value = meaning.value if meaning is not None else None
            if value is not None and value.kind == "module" and value.module not in (None, module):
                assert value.module is not None
                found.setdefault(value.module.number, (_KINDS["import"] | row.line << 4, row.start_byte))
        return found

    def _end(self, ref: str, meaning: Meaning | None) -> End:
        if meaning is None:
            name = _name_alone(ref)
            return (name,) if name else None
        (kind, module, ordinal, name, _), tier, evidence = meaning
        if kind == "external":
            is_known = evidence != "builtin" and not name.startswith("?") and "()" not in name
            return (name, _TIERS[tier]) if is_known else None
        if module is None or kind not in ("definition", "module"):
            return None
        is_whole = kind == "module"
        return (module.number << NODE_BITS | WHOLE_FILE if is_whole else module.node(ordinal)), _TIERS[tier]


def _name_alone(ref: str) -> str:
    """The member that a reference which leads nowhere is after, if it is one."""
    _, dot, name = ref.rpartition(".")
    name = name.removesuffix(CALLED)
    return name if dot and not name.endswith(MACRO) and "(" not in name and "^" not in name else ""


@lru_cache(maxsize=4096)
def _evidence(text: str) -> int:
    kind, _, line = text.partition(":")
    return _KINDS[kind] | int(line or 0) << 4


def evidence_of(number: int) -> tuple[str, int]:
    """What an edge rests on, and the line of the import for those that rest on one."""
    return EVIDENCE[number & 15], number >> 4


def _names(module: Module) -> set[str]:
    """The keys of the names that a file defines."""
    return {f"n:{name}" for name in module.names}


def _hash(key: str) -> int:
    return zlib.crc32(key.encode())
