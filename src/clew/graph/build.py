"""The edges of a snapshot that is about to be: of all its files, or of those that a change can have touched.

Each file keeps hashes of what its edges rest on (`graph/values.py`): files, names of modules it looked for. A change
elsewhere makes its edges anew only if it touches one of these. Main call: `plan_edges`.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import posixpath
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import apsw

from clew.graph.layout import Layout, is_configuration
from clew.graph.modules import Module, Named
from clew.graph.resolve import Resolver
from clew.graph.values import TIERS, Meaning
from clew.parse.ecmascript import ECMASCRIPT
from clew.parse.links import CALLED, MACRO, NOWHERE, Links, unpack_links
from clew.parse.uses import ROLES, unpack_places
from clew.store import edges, facts
from clew.store.edges import NODE_BITS, WHOLE_FILE, EdgeRow, GraphFile, LooseRow, pack_sites

EVIDENCE = ("scope", "self", "super", "builtin", "package", "import")  # with a line for the last
USE_ROLES = (*ROLES, "import")
IMPORT_ROLE = len(ROLES)
MAX_MODULES = 6_000  # files held at once while edges are made: about 100 KB each
_KINDS = {name: place for place, name in enumerate(EVIDENCE)}


@dataclass(slots=True)
class Update:
    """What the flip must do to the graph."""

    files: list[GraphFile] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    rows: list[tuple[int | str, int, int, int, int, bytes]] = field(default_factory=list)  # a name is external
    loose: list[LooseRow] = field(default_factory=list)

    def apply(self, connection: apsw.Connection, snapshot: int) -> None:
        """In the flip's transaction."""
        with _uncollected():
            self._apply(connection, snapshot)

    def _apply(self, connection: apsw.Connection, snapshot: int) -> None:
        names = edges.external_ids(connection, (row[0] for row in self.rows if isinstance(row[0], str)))
        rows = (EdgeRow(-names[row[0]] if isinstance(row[0], str) else row[0], *row[1:]) for row in self.rows)
        edges.replace(connection, snapshot, self.files, self.removed, rows, self.loose)


def plan_edges(connection: apsw.Connection, snapshot: int, files: Mapping[str, tuple[int, str]]) -> Update:
    """What changes in the graph when `files` (path: facts, language) become what the snapshot has."""
    known = {file.path: file for file in edges.files_of(connection, snapshot)}
    graph = _Graph(connection, files, known)
    update = Update(removed=[file.number for path, file in known.items() if path not in files])
    with _uncollected():
        for path in sorted(graph.touched()):
            graph.add_edges(path, update)
            if len(graph) > MAX_MODULES:
                graph.forget()
        graph.forget()
    return update


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Millions of small tuples and no circles among those that stay: looking for some takes half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Graph:
    """The files of a snapshot to be, loaded when they are needed."""

    def __init__(
        self, connection: apsw.Connection, files: Mapping[str, tuple[int, str]], known: Mapping[str, GraphFile]
    ) -> None:
        self._connection, self._files, self._known = connection, files, known
        self._modules: dict[str, Module] = {}
        self._numbers = {path: file.number for path, file in known.items()}
        free = max(self._numbers.values(), default=0) + 1
        for path in sorted(files):
            if path not in self._numbers:
                self._numbers[path] = free
                free += 1
        self._paths: dict[int, list[str]] = {}  # the files of each blob
        self._layout = Layout(files, self._read)
        self._resolver = Resolver(self._layout, self.module, self._defining)

    def __len__(self) -> int:
        """How many files are held."""
        return len(self._modules)

    def forget(self) -> None:
        """Let go of all files: what they know of each other is a circle, which only a collection would find. Those that
        are needed again are loaded again."""
        for module in self._modules.values():
            module.known.clear()
        self._modules.clear()
        self._resolver = Resolver(self._layout, self.module, self._defining)

    def module(self, path: str) -> Module | None:
        """A file as the resolver sees it."""
        found = self._modules.get(path)
        if found is None and path in self._files:
            facts_id, language = self._files[path]
            symbols = [Named._make(row) for row in facts.names_of(self._connection, facts_id)]
            links = unpack_links(facts.links_of(self._connection, facts_id))
            imports = facts.imports_of(self._connection, facts_id)
            found = self._modules[path] = Module(path, self._numbers[path], language, symbols, imports, links)
        return found

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

    def touched(self) -> set[str]:
        """The files whose edges may not be what they were."""
        changed = {path for path, (facts_id, _) in self._files.items() if self._facts_before(path) != facts_id}
        gone = [path for path in self._known if path not in self._files]
        if len(changed) == len(self._files) or any(is_configuration(path) for path in (*changed, *gone)):
            return set(self._files)
        keys: set[str] = set()
        for path in changed:
            module = self.module(path)
            assert module is not None
            before = self._known.get(path)
            if before is None or before.shape != shape_of(module):
                keys |= _keys_of(path, is_new=before is None)
                keys |= self._layout.keys_of(path) if before is None else set()
                keys |= {f"n:{symbol.name}" for symbol in module.symbols}
                keys |= self._names_before(path)
        for path in gone:
            keys |= _keys_of(path, is_new=True) | self._layout.keys_of(path) | self._names_before(path)
        if not keys:
            return changed
        import numpy as np

        wanted = np.array(sorted(zlib.crc32(key.encode()) for key in keys), np.uint32)
        rest = [file for path, file in self._known.items() if path in self._files and path not in changed]
        sizes = np.fromiter((len(file.inputs) // 4 for file in rest), np.int64, len(rest))
        held = np.isin(np.frombuffer(b"".join(file.inputs for file in rest), "<u4"), wanted)
        owners = np.repeat(np.arange(len(rest)), sizes)
        return changed | {rest[place].path for place in np.unique(owners[held]).tolist()}

    def _names_before(self, path: str) -> set[str]:
        """The keys of the names that a file defined until now."""
        before = self._known.get(path)
        rows = facts.names_of(self._connection, before.facts) if before is not None else []
        return {f"n:{name}" for _, name, _ in rows}

    def _facts_before(self, path: str) -> int:
        before = self._known.get(path)
        return before.facts if before is not None else -1

    def add_edges(self, path: str, update: Update) -> None:
        """Resolve a file, and add what it leads to."""
        module = self.module(path)
        assert module is not None
        facts_id, _ = self._files[path]
        inputs: set[str] = set()
        found = [None, *(self._resolver.resolve(module, ref, inputs) for ref in module.links.refs[1:])]
        wholes = self._imported_files(module, inputs)
        inputs = self._resolver.spelled_out(inputs)
        uses = unpack_places(facts.uses_of(self._connection, facts_id) if module.links.of_use else b"")
        grouped: dict[tuple[int | str, int, int, int], tuple[int, list[int]]] = {}
        loose: dict[tuple[str, int, int], list[int]] = {}
        base, refs = module.number << NODE_BITS, module.links.refs
        own = module.attribute_places  # where an attribute is first named, it is not used
        targets = [self._target(meaning) for meaning in found]
        for start, role, number, caller in zip(
            uses.starts, uses.roles, module.links.of_use, module.links.callers, strict=True
        ):
            if not number:
                continue
            role = IMPORT_ROLE if refs[number][0] in "JM" else role
            target, source = targets[number], base | (WHOLE_FILE if caller == NOWHERE else caller)
            if target is not None:
                if target[0] != base | own.get(start, -1):
                    key = (target[0], source, role, target[1])
                    held = grouped.get(key)
                    if held is None:
                        held = grouped[key] = (_evidence(found[number]), [])
                    held[1].append(start)
            elif found[number] is None:
                name = refs[number].rpartition(".")[2].removesuffix(CALLED)
                if name and not name.endswith(MACRO) and "(" not in name and "^" not in name and "." in refs[number]:
                    loose.setdefault((name, source, role), []).append(start)
        named = {to >> NODE_BITS for to, _, role, _ in grouped if role == IMPORT_ROLE and isinstance(to, int)}
        for number, (evidence, start) in wholes.items():  # imports that name nothing: `export * from`, `require`
            if number not in named:
                key = (number << NODE_BITS | WHOLE_FILE, base | WHOLE_FILE, IMPORT_ROLE, TIERS.index("proven"))
                grouped[key] = (evidence, [start])
        for (to, source, role, tier), (evidence, sites) in grouped.items():
            update.rows.append((to, source, role, tier, evidence, pack_sites(sites)))
        update.loose += [LooseRow(*key, pack_sites(sites)) for key, sites in loose.items()]
        packed = b"".join(sorted((zlib.crc32(key.encode())).to_bytes(4, "little") for key in inputs))
        update.files.append(GraphFile(module.number, path, facts_id, shape_of(module), packed))

    def _imported_files(self, module: Module, inputs: set[str]) -> dict[int, tuple[int, int]]:
        """The other files that imports of a file lead to, with the evidence and where that is said."""
        found: dict[int, tuple[int, int]] = {}
        for number, row in enumerate(module.imports if module.language in ECMASCRIPT else ()):  # others name the module
            meaning = self._resolver.resolve(module, f"M{number}", inputs)
            value = meaning.value if meaning is not None else None
            if value is not None and value.kind == "module" and value.module not in (None, module):
                assert value.module is not None
                found.setdefault(value.module.number, (_KINDS["import"] | row.line << 4, row.start_byte))
        return found

    def _target(self, meaning: Meaning | None) -> tuple[int | str, int] | None:
        if meaning is None:
            return None
        value, tier = meaning.value, TIERS.index(meaning.tier)
        if value.kind == "external":
            is_known = meaning.evidence != "builtin" and not value.name.startswith("?") and "()" not in value.name
            return (value.name, tier) if is_known else None
        if value.module is None or value.kind not in ("definition", "module"):
            return None
        ordinal = value.ordinal if value.kind == "definition" else WHOLE_FILE
        return value.module.number << NODE_BITS | ordinal, tier


def _evidence(meaning: Meaning | None) -> int:
    kind, _, line = (meaning.evidence if meaning is not None else "scope").partition(":")
    return _KINDS[kind] | int(line or 0) << 4


def evidence_of(number: int) -> tuple[str, int]:
    """What an edge rests on, and the line of the import for those that rest on one."""
    return EVIDENCE[number & 15], number >> 4


def shape_of(module: Module) -> bytes:
    """What other files can see of a file: a change inside a function does not show."""
    links: Links = module.links
    seen: list[Any] = [
        module.language, module.symbols, [row[:3] for row in module.imports], links.bases, links.types, links.returns,
        [(held.owner, held.name, held.value) for held in links.attributes], links.properties, links.exports,
        links.package, links.owners, links.paths, links.declared, links.hidden, links.static, links.extended,
        links.prepended, links.conditional,
    ]  # fmt: skip
    return hashlib.blake2b(json.dumps(seen).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _keys_of(path: str, *, is_new: bool) -> set[str]:
    """The keys that a change of a file touches; one that came or went also those of its name and directories."""
    directory, name = posixpath.split(path)
    keys = {f"f:{path}", f"d:{directory}", "t:"}
    above = directory
    while above:
        keys.add(f"t:{above}")
        above = posixpath.dirname(above)
    if is_new:
        keys.add(f"m:{name.partition('.')[0]}")
        keys |= {f"m:{part}" for part in directory.split("/") if part}
        keys.add(f"f:{directory}")
    return keys
