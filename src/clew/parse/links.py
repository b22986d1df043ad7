"""The references of a blob and what its definitions are made of, as bytes and back.

A reference is a base and steps. Bases: `D12` a definition of this file, `I3` an import, `J3` the same and `M3` its
module where they are written, `S5` an instance of class 5, `C5` that class, `P5` what is above it, `V5:name` a member
of class 5 or else global, `O7` an instance of the type that definition 7 belongs to, `W7:name` a member of that or else
global, `Gname` a name that the file does not bind, `Nname` a module by its name, `?` nothing known. Steps: `.name` a
member, `(` what a call gives, `^` an instance of the type, `…` several of them, `↓` one of several, `↑` what is above a
class, `⇢` a promise of it, `⇠` what a promise is of. A name that ends with `!` is called, one with `'` is a type.
Main calls: `pack_links`, `unpack_links`.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import MutableSequence
from typing import Any, NamedTuple

from clew.packing import pack, unpack

CALLED = "!"  # ends the name of what is called, where a field may have the same name
MACRO = "¡"  # ends the name of a macro of Rust: a function may have the same name
TYPE = "'"  # ends the name of what can only be a type, where a member may have the same name
SEVERAL, ONE_OF, ABOVE, PROMISED, AWAITED = "…", "↓", "↑", "⇢", "⇠"  # steps
NEVER = "Gnever"  # the type of a field that cannot be there: `error?: never`
NOWHERE = 0xFFFF  # the caller of what stands outside every definition


class Attribute(NamedTuple):
    """What methods give an object without a declaration: `self.x = …`, at its first place."""

    owner: int  # the class
    name: str
    byte: int
    value: str  # a reference: parse/links.py


class Links(NamedTuple):
    """The references of a blob, and what its definitions are made of, as references too."""

    refs: list[str]  # distinct; the first is "" for what refers to nothing outside its function
    of_use: MutableSequence[int]  # of each use, which
    callers: MutableSequence[int]  # of each use, the definition around it
    bases: dict[int, list[str]]  # of classes
    types: dict[int, str]  # of variables and fields
    returns: dict[int, str]  # of functions
    attributes: list[Attribute]
    properties: list[int]
    exports: dict[str, str]  # where a file says which names it shows; `=` is the whole module. Where classes or modules
    # belong to the tree, those it declares, by full name: `D3 D7` if it does so twice
    package: str  # that the file says it is of; in C++ the namespace that a macro of the file opens
    owners: dict[int, str]  # of definitions that belong to a type which does not hold them: Go's methods, impl blocks
    paths: dict[int, str]  # of imports that are paths to be followed name by name
    declared: list[int]  # functions without their bodies
    hidden: list[int]  # what no other file can name: C's static functions
    static: list[int]  # members of a type itself; a type whose methods all are members of it too
    extended: dict[int, list[str]]  # of types, what the type itself has the members of: Ruby's `extend`
    prepended: dict[int, list[str]]  # of types, what comes before their own members: Ruby's `prepend`
    conditional: list[int]  # macros and types of C that are there under a condition: a library may have them, else


def no_links() -> Links:
    """Nothing refers to anything."""
    return Links([""], [], [], {}, {}, {}, [], [], {}, "", {}, {}, [], [], [], {}, {}, [])


def pack_links(links: Links) -> bytes:
    """Links as bytes."""
    if not links.of_use and not any(links[3:]):
        return b""
    wide = "H" if len(links.refs) <= 0xFFFF else "I"
    arrays = [array(wide, links.of_use), array("H", links.callers)]
    if sys.byteorder == "big":
        for values in arrays:
            values.byteswap()
    rest = [links.refs, *links[3:], wide]
    text = json.dumps(rest, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    packed = len(links.of_use).to_bytes(4, "little") + b"".join(values.tobytes() for values in arrays) + text
    return pack(packed)


def unpack_links(packed: bytes) -> Links:
    """The inverse of `pack_links`."""
    if not packed:
        return no_links()
    raw = unpack(packed)
    count = int.from_bytes(raw[:4], "little")
    wide = "H" if raw.endswith(b'"H"]') else "I"
    of_use, callers = array(wide), array("H")
    middle = 4 + count * of_use.itemsize
    of_use.frombytes(raw[4:middle])
    callers.frombytes(raw[middle : middle + 2 * count])
    if sys.byteorder == "big":
        of_use.byteswap()
        callers.byteswap()
    fields: list[Any] = json.loads(raw[middle + 2 * count :])[:-1]
    fields += no_links()[2 + len(fields) :]  # earlier ones have less
    refs, bases, types, returns, attributes, properties, exports, package, owners, paths, *rest = fields
    declared, hidden, static, extended, prepended, conditional = rest
    return Links(
        refs, of_use, callers, _numbered(bases), _numbered(types), _numbered(returns),
        [*map(Attribute._make, attributes)], properties, exports, package, _numbered(owners), _numbered(paths),
        declared, hidden, static, _numbered(extended), _numbered(prepended), conditional,
    )  # fmt: skip


def _numbered(found: dict[str, Any]) -> dict[int, Any]:
    return {int(number): value for number, value in found.items()} if found else {}
