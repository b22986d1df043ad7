"""What an expression can be, and how that is known."""

from __future__ import annotations

from collections.abc import Set
from typing import Literal, NamedTuple

from clew.graph.modules import Module

Tier = Literal["proven", "typed", "unique", "name"]
TIERS: tuple[Tier, ...] = ("proven", "typed", "unique", "name")


Key = str | int


class Value(NamedTuple):
    """What an expression is: a module, a directory, a package or namespace, a definition, an object of a class, several
    of them, a promise of one, a library's."""

    kind: Literal[
        "module", "directory", "package", "space", "definition", "object", "several", "promise", "above", "external"
    ]
    module: Module | None = None
    ordinal: int = -1
    name: str = ""  # of a directory, a package, a namespace or of what is external
    receiver: Value | None = None  # of a member, the object it was taken of


class Meaning(NamedTuple):
    """Where a reference leads, and how that is known."""

    value: Value
    tier: Tier
    evidence: str  # what it rests on


# What a reference leads to, and the keys of what that rests on.
#
# `f:` a file; where its names are told apart, what belongs to none of them, and a number (`Module.key_of`) for each
# name; `m:` a part of a module's name, `p:` the first part of one where packages decide what may begin there,
# `d:` the files of a directory, `t:` all files below one, `n:` the files that define a name; `i:` what a file
# includes, which `Resolver.spelled_out` gives in other keys.
Known = tuple[Meaning | None, Set[Key]]
