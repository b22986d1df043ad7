"""From what Python's checkers say to facts: names become definitions, re-exports are followed to the end.

Main call: `python_truth`.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.graph import pyrefly, scip_run
from benchmarks.graph.facts import Definition, Elsewhere, Place, Site, Truth, fact_of
from benchmarks.graph.projects import Project
from benchmarks.graph.python_code import Code, places_of
from benchmarks.graph.python_scip import opinions_of
from benchmarks.graph.python_source import Source
from benchmarks.graph.scip import read_index

_CONSTANTS = frozenset({"None", "True", "False", "..."})


class Opinions:
    """What the checkers say, by place; filled by one after the other."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.sites: dict[tuple[str, Place], Site] = {}
        self.targets: dict[tuple[str, Place], dict[Definition | str, list[str]]] = {}

    def add(self, path: str, place: Place, *, meaning: Iterable[Definition | str], by: str) -> None:
        """Take note of definitions, or of "library" or "local", at a place where a name stands."""
        site = _site(self.code.sources[path], place)
        if site is None:
            return
        if site.local:
            meaning = ["local"]
        for target in meaning:
            if isinstance(target, Definition) and _is_no_fact(target, path, place, site):
                continue
            found = self.targets.setdefault((path, place), {})
            others = [who for other, who in found.items() if isinstance(other, Definition) and by not in who]
            if target == "library" and others:
                continue  # scip-python takes attributes that are called like a builtin for it
            checkers = found.setdefault(target, [])
            if by not in checkers:
                checkers.append(by)
            self.sites[path, place] = site

    def into(self, truth: Truth) -> None:
        """All of it as facts, and as names that mean nothing of the project's."""
        for (path, place), meaning in self.targets.items():
            site = self.sites[path, place]
            for target, by in meaning.items():
                if isinstance(target, Definition):
                    truth.facts.append(fact_of(path, place, site, target, by=tuple(by)))
                else:
                    name = site.name
                    truth.elsewhere.append(Elsewhere(path, *place, name, target, site.role, site.is_call, tuple(by)))


def python_truth(project: Project, *, quick: bool = False) -> Truth:
    """All facts about a Python project; `quick` asks pyrefly alone."""
    report = pyrefly.run(project)
    code = Code(project, report.modules)
    truth = Truth(project.name, project.language, {"pyrefly": pyrefly.VERSION})
    truth.files = [path for path in code.sources if path in report.references]
    opinions = Opinions(code)
    for path in truth.files:
        source = code.sources[path]
        truth.definitions += source.definitions.values()
        for place, site in source.sites.items():
            if site.local:
                opinions.add(path, place, meaning=["local"], by="scopes")
        place_of = places_of(code.texts[path])
        raw = code.texts[path].encode("utf-8", "surrogateescape")
        for (start, _), targets in report.references[path].items():
            if raw[start : start + 1] == b".":  # of a relative import: it stands for the package
                continue
            opinions.add(path, place_of(start), meaning=_meaning(code, targets), by="pyrefly")
    if not quick and scip_run.has_node():
        truth.checkers["scip-python"] = scip_run.PYTHON_VERSION
        seen = set(truth.files)
        for path, place, meaning in opinions_of(code, read_index(scip_run.index_python(project)), project.name):
            if path in seen:
                opinions.add(path, place, meaning=[meaning], by="scip-python")
    opinions.into(truth)
    return truth


def _meaning(code: Code, targets: Iterable[pyrefly.Target]) -> list[Definition | str]:
    """What pyrefly's names for one span stand for; nothing when it only knows their text."""
    found: list[Definition | str] = []
    library = contested = False
    for path, name in targets:
        if name in _CONSTANTS:
            continue
        if path in code.sources:
            module = code.names[path]
            if name == "__unknown__" or name.startswith("__unknown__."):
                inner = name[len("__unknown__.") :]
            elif name == module or name.startswith(module + "."):
                inner = name[len(module) + 1 :]
            else:
                continue
            inner = inner.replace("<locals>.", "")
            definitions = code.resolve(path, inner)
            if definitions is None:
                definitions = code.inherited_here(path, inner)
            found += [definition for definition in definitions or () if definition not in found]
            library = library or definitions == []
            contested = contested or any(code.is_contested(found.path, found.name) for found in definitions or ())
        elif path:
            library = True
        else:  # an import that pyrefly could not find: no module of this project
            library = library or name.partition(".")[0] not in code.modules
    return [*found, "library"] if contested or (library and not found) else found


def _site(source: Source, place: Place) -> Site | None:
    site = source.sites.get(place)
    if site is not None:
        return site
    if any(start <= place < end for start, end in source.import_spans):
        return Site("", "import", False)
    if any(start <= place < end for start, end in source.strings):
        return Site("", "string", False)
    return None  # the name of a function or class that is being defined


def _is_no_fact(target: Definition, path: str, place: Place, site: Site) -> bool:
    """Whether the name stands there because it is being defined, or is what every module has, as `__name__`."""
    if target.kind == "module":
        return site.name.startswith("__")
    return site.role == "write" and target.path == path and place[0] in (target.line, *target.also)
