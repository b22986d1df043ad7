"""What scip-python says of a project: its symbols as definitions, or as names of libraries.

It is pyright underneath, so it is a second opinion by another type checker. Main call: `opinions_of`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.graph.facts import Definition, Place
from benchmarks.graph.python_code import Code
from benchmarks.graph.scip import DEFINITION, Document

_MODULE = re.compile(r"`?([\w.]+)`?/__init__:\Z")


def opinions_of(code: Code, documents: list[Document], package: str) -> Iterator[tuple[str, Place, Definition | str]]:
    """Path, place and meaning of each reference; symbols of unknown meaning are left out."""
    known = [document for document in documents if document.path in code.sources]
    meanings: dict[str, Definition | str] = {}
    ambiguous: set[str] = set()
    for document in known:
        names = {
            (name.line, name.column): name for name in code.sources[document.path].definitions.values() if name.name
        }
        for occurrence in document.occurrences:
            if occurrence.roles & DEFINITION and not occurrence.symbol.startswith("local "):
                place = code.place(document.path, occurrence.line, occurrence.column)
                if place in names and meanings.setdefault(occurrence.symbol, names[place]) != names[place]:
                    ambiguous.add(occurrence.symbol)  # functions of the same name in two functions have one symbol
    for document in known:
        for occurrence in document.occurrences:
            if not occurrence.roles & DEFINITION and occurrence.symbol not in ambiguous:
                meaning = meanings.get(occurrence.symbol) or _other(code, occurrence.symbol, package)
                place = code.place(document.path, occurrence.line, occurrence.column)
                if meaning and not _misread(code, document.path, place, meaning):
                    yield document.path, place, meaning


def _misread(code: Code, path: str, place: Place, meaning: Definition | str) -> bool:
    """Whether a name is said to mean something of another name, without an import that gives it that name.

    What `import *` hands on is given out as the first name that it brings, and a library's module that a file of the
    project hands on as that file."""
    source = code.sources[path]
    site = source.sites.get(place)
    if isinstance(meaning, str) or site is None or site.role == "import":
        return False
    names = {(binding.name or binding.module).rpartition(".")[2] for binding in source.imports.get(site.name, ())}
    return (meaning.name or code.names[meaning.path]).rpartition(".")[2] not in {site.name, *names}


def _other(code: Code, symbol: str, package: str) -> Definition | str:
    """A symbol without a definition in the index: a module, a library's, or nothing that we know."""
    if symbol.startswith("local "):
        return ""  # may be a builtin, too
    _, _, owner, _, descriptors = symbol.split(" ", 4)
    module = _MODULE.search(descriptors)
    if module is not None:
        # Its modules are named from the root, whatever folder imports start in.
        path = code.modules.get(module[1]) or code.modules.get(module[1].removeprefix("src."))
        if path is not None:
            return code.sources[path].definitions[""]
        return "" if owner == package else "library"
    return "" if owner == package else "library"
