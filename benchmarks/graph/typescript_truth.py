"""Facts about a TypeScript project, from scip-typescript, which is TypeScript's own compiler underneath.

It runs on a copy that has the project's dependencies beside it. Main call: `typescript_truth`.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path

from benchmarks.graph import scip_run
from benchmarks.graph.facts import CACHE, Definition, Elsewhere, Truth, fact_of
from benchmarks.graph.projects import Project
from benchmarks.graph.scip import DEFINITION, Document, Occurrence, read_index
from benchmarks.graph.typescript_source import SYMBOLS, TypeScriptFile

CHECKER = "scip-typescript"


def typescript_truth(project: Project) -> Truth:
    """All facts about a TypeScript project."""
    documents = read_index(scip_run.index_typescript(project, _prepared(project)))
    files = {
        document.path: TypeScriptFile(document.path, (project.root / document.path).read_bytes())
        for document in documents
        if document.path.startswith(project.folders)
    }
    documents = [document for document in documents if document.path in files]
    truth = Truth(project.name, project.language, {CHECKER: scip_run.TYPESCRIPT_VERSION}, sorted(files))
    meanings = _definitions(documents, files)
    truth.definitions = sorted({found for found in meanings.values() if found.kind})
    for document in documents:
        for occurrence in document.occurrences:
            if not occurrence.roles & DEFINITION:
                _add(truth, files[document.path], occurrence, meanings.get(_key(document, occurrence)))
    truth.facts = sorted(set(truth.facts))
    truth.elsewhere = sorted(set(truth.elsewhere))
    return truth


def _definitions(documents: list[Document], files: dict[str, TypeScriptFile]) -> dict[tuple[str, str], Definition]:
    """What each symbol stands for; a local one that an edge could not go to has no kind."""
    places: dict[tuple[str, str], list[Definition]] = defaultdict(list)
    for document in documents:
        source = files[document.path]
        for occurrence in document.occurrences:
            if not occurrence.roles & DEFINITION:
                continue
            key = _key(document, occurrence)
            if occurrence.symbol.endswith("`/"):
                places[key].append(Definition(document.path, 1, 1, source.length, "", "module"))
                continue
            found = source.definition(occurrence.line, occurrence.column)
            if found is not None:
                is_symbol = not key[0] or found.kind in SYMBOLS
                places[key].append(found if is_symbol else found._replace(kind=""))
    return {
        key: found[0]._replace(also=tuple(sorted({other.line for other in found[1:]} - {found[0].line})))
        for key, found in places.items()
    }


def _add(truth: Truth, source: TypeScriptFile, occurrence: Occurrence, meaning: Definition | None) -> None:
    site = source.site(occurrence.line, occurrence.column)
    if site is None:
        return
    place = source.place(occurrence.line, occurrence.column)
    if meaning is not None and meaning.kind:
        truth.facts.append(fact_of(source.path, place, site, meaning, by=(CHECKER,)))
        return
    if meaning is None and occurrence.symbol.startswith("local "):
        return  # of another file, where the checker has no name for it: a renamed export, a member of a literal
    where = "local" if meaning is not None else "library"
    truth.elsewhere.append(Elsewhere(source.path, *place, site.name, where, site.role, site.is_call, (CHECKER,)))


def _key(document: Document, occurrence: Occurrence) -> tuple[str, str]:
    """A symbol's name; local ones are counted in each file."""
    return (document.path if occurrence.symbol.startswith("local ") else "", occurrence.symbol)


def _prepared(project: Project) -> Path:
    """A copy with the project's settings, but for what is read, and the packages that it imports."""
    copy = CACHE / "work" / f"copy-{project.name}"
    if not (copy / "tsconfig.index.json").exists():
        for path in (*project.settings, *project.packages):
            target = copy / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if (project.root / path).is_dir():
                shutil.copytree(project.root / path, target, dirs_exist_ok=True)
            else:
                shutil.copy(project.root / path, target)
        libraries = CACHE / "node" / f"libraries-{project.name}"
        scip_run.npm_install(libraries, *project.libraries)
        shutil.rmtree(copy / "node_modules", ignore_errors=True)
        (libraries / "node_modules").rename(copy / "node_modules")
        options = {"types": ["node"], "noEmit": True}
        settings = {"extends": "./tsconfig.json", "include": project.folders, "exclude": [], "compilerOptions": options}
        (copy / "tsconfig.index.json").write_text(json.dumps(settings), encoding="utf-8")
    return copy
