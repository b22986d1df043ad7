"""What a changed file means to the files that use it: which names in it are not what they were.

Where names can be told apart, others depend on those that they looked for, so a new function touches nobody who did not
look for its name; and what stayed keeps its node, so edges to it hold wherever it stands now. Main call: `compare`.
"""

from __future__ import annotations

import hashlib
import marshal
import posixpath
import re
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from clew.graph.modules import IMPORTS, TOLD_APART, Module
from clew.parse.links import Links
from clew.parse.packaged import PACKAGED
from clew.parse.symbols import FUNCTION_KINDS
from clew.store.edges import GraphFile
from clew.store.packs import WHOLE_FILE

MAX_NODES = WHOLE_FILE - 1
_BY_VALUE = 2  # a format of `marshal` in which equal things look alike, whoever shares them
_WHOLE = frozenset({"haskell"})  # languages whose files are taken as a whole
_IMPLIED = frozenset({"new", "initialize", "ClassMethods", "apply", "Companion"})  # looked for where nobody names them
_NAMING = TOLD_APART | {"go", "rust", "java", "csharp", *PACKAGED}  # imports are of use to their own file alone
_LAST_PART = re.compile(r"[^./\\\\:]*\Z")
_BASE = re.compile(r"([DSCPOWVIJM])(\d+)")  # of a reference: a definition or an import by its number


class Change(NamedTuple):
    """What became of a file: the names that changed, None for all of it, and the nodes of what is in it now."""

    names: set[str] | None
    nodes: list[int] | None


class _Parts(NamedTuple):
    rest: list[Any]  # what belongs to no name
    names: dict[str, list[Any]]  # all that others can see under a name
    identities: list[str]  # of definitions and attributes: what they are called, and which of that name


def shape_of(module: Module) -> bytes:
    """What other files can see of a file: a change inside a function does not show."""
    links: Links = module.links
    seen: list[Any] = [
        module.language, module.kinds, module.names, module.parents, [row[:3] for row in module.imports], links.bases,
        links.types, links.returns,
        [(held.owner, held.name, held.value) for held in links.attributes], links.properties, links.exports,
        links.package, links.owners, links.paths, links.declared, links.hidden, links.static, links.extended,
        links.prepended, links.conditional,
    ]  # fmt: skip
    return hashlib.blake2b(marshal.dumps(seen, _BY_VALUE), digest_size=16).digest()


def compare(before: Module, after: Module) -> Change:
    """What is not as it was in a file whose shape is another."""
    if after.language in _WHOLE or before.language != after.language:
        return Change(None, None)
    old, new = _parts(before), _parts(after)
    if old.rest != new.rest:
        return Change(None, None)
    known = dict(zip(old.identities, before.nodes or range(len(old.identities)), strict=True))
    free = max(known.values(), default=-1) + 1
    nodes = []
    for identity in new.identities:
        node = known.get(identity)
        if node is None:
            node, free = free, free + 1
        nodes.append(node)
    if free > MAX_NODES:  # no numbers are left: those who use the file begin anew with it
        return Change(None, None)
    names = {name for name in {*old.names, *new.names} if old.names.get(name) != new.names.get(name)}
    if names & _IMPLIED and after.language not in TOLD_APART:
        return Change(None, None)
    return Change(names, nodes if nodes != list(range(len(nodes))) else None)


def _parts(module: Module) -> _Parts:
    links = module.links
    identities = _identities(module)
    names: dict[str, list[Any]] = {}
    said = [names.setdefault(name, []) for name in module.names]  # by ordinal, what is said of its name
    said += [names.setdefault(attribute.name, []) for attribute in links.attributes]

    def spelled(ref: str) -> str:
        """A reference without numbers, which change when something is inserted."""
        found = _BASE.match(ref)
        if found is None:
            return ref
        number = int(found[2])
        held = module.imports[number][:3] if found[1] in "IJM" else identities[number]
        return f"{found[1]}<{held}>{ref[found.end() :]}"

    for ordinal, kind in enumerate(module.kinds):
        said[ordinal].append((identities[ordinal], kind))
    for place, attribute in enumerate(links.attributes, module.count):
        said[place].append((identities[place], spelled(attribute.value)))
    for label, lists in enumerate((links.bases, links.extended, links.prepended)):
        for ordinal, refs in lists.items():
            said[ordinal].append((label, identities[ordinal], [*map(spelled, refs)]))
    for label, single in enumerate((links.types, links.returns, links.owners)):
        for ordinal, ref in single.items():
            said[ordinal].append((label, identities[ordinal], spelled(ref)))
    sets: list[Collection[int]] = [links.declared, links.hidden, links.static, links.conditional, links.properties]
    for label, held in enumerate([*sets, sorted(module.holders)]):
        for ordinal in held:
            said[ordinal].append((label, identities[ordinal]))
    if module.language not in TOLD_APART:
        _add_surroundings(module, said)
    for number, row in enumerate(module.imports):
        is_named = bool(row.alias or row.name)
        name = (row.alias or row.name) if is_named else IMPORTS if module.language in _NAMING else ""
        names.setdefault(name, []).append((row[:3], spelled(links.paths.get(number, ""))))
    for name, several in links.exports.items():
        last = _LAST_PART.search(name)
        key = name if module.language in TOLD_APART or last is None else last[0]
        names.setdefault(key, []).append((name, [*map(spelled, several.split())]))
    stars = [row[:3] for row in module.imports if row.name == "*"]
    if module.language in TOLD_APART:
        names.pop(IMPORTS, None)  # what gives no name is seen by references alone
    inner = [held for held in module.definitions() if held[2] < 0] if module.path.endswith("package.scala") else []
    rest = [links.package, stars, bool(links.exports), names.pop("=", None), names.pop("", None), inner]
    return _Parts(rest, names, identities)


def _add_surroundings(module: Module, said: list[list[Any]]) -> None:
    """What else is read of a definition: what holds it, and whether it holds anything itself."""
    links = module.links
    sets = [frozenset(held) for held in (links.hidden, links.static, links.conditional)]
    holding = {parent for kind, _, parent in module.definitions() if kind in FUNCTION_KINDS}
    for ordinal, parent in enumerate(module.parents):
        around = module.kinds[parent] if parent >= 0 else ""
        is_in = [parent in held for held in sets]
        said[ordinal].append((around, is_in, ordinal in module.members, ordinal in holding))


def _identities(module: Module) -> list[str]:
    """What tells definitions and attributes from each other: those around them, the name, and which of that name."""
    found: list[str] = []
    times: dict[str, int] = {}
    for name, parent in zip(module.names, module.parents, strict=True):
        _identify(found, times, parent, name)
    for attribute in module.links.attributes:
        _identify(found, times, attribute.owner, f".{attribute.name}")
    return found


def _identify(found: list[str], times: dict[str, int], owner: int, name: str) -> None:
    whole = f"{found[owner] if owner >= 0 else ''}\0{name}"
    times[whole] = times.get(whole, 0) + 1
    found.append(f"{whole}\1{times[whole]}")


def keys_of(path: str, *, is_new: bool) -> set[str]:
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


def holding(files: list[GraphFile], held: list[bytes], *wanted: Iterable[int]) -> list[list[GraphFile]]:
    """For each of some sets of hashes, the files that have one of them among those that each holds."""
    import numpy as np

    ends = np.cumsum(np.fromiter(map(len, held), np.int64, len(held))) // 4
    every = np.frombuffer(b"".join(held), "<u4")
    found = []
    for hashes in wanted:
        places = np.flatnonzero(np.isin(every, np.fromiter(hashes, np.uint32)))
        owners = np.unique(np.searchsorted(ends, places, side="right"))
        found.append([files[owner] for owner in owners.tolist()])
    return found
