"""Small projects and every edge in them: what a name at a line leads to, by which tier."""

from __future__ import annotations

from textwrap import dedent

from clew.graph.layout import Layout
from clew.graph.modules import Module
from clew.graph.resolve import Resolver
from clew.graph.values import Value
from clew.parse.extract import extract
from clew.parse.languages import language_of
from clew.parse.links import unpack_links
from clew.parse.uses import unpack_uses
from clew.types import Facts


class Project:
    """The files of a project, resolved. An edge reads `main.py:3 get -> api.py:get proven`."""

    def __init__(self, files: dict[str, str]) -> None:
        self._contents = {path: dedent(text).encode() for path, text in files.items()}
        self._facts: dict[str, Facts] = {}
        self._modules: dict[str, Module] = {}
        for number, (path, content) in enumerate(self._contents.items()):
            language = language_of(path, content)
            facts = self._facts[path] = extract(content, language)
            symbols = [(symbol.kind, symbol.name, symbol.parent) for symbol in facts.symbols]
            self._modules[path] = Module(
                path, number, number, language, symbols, facts.imports, unpack_links(facts.links[0])
            )
        layout = Layout(self._contents, self._contents.get)
        self._resolver = Resolver(layout, self._modules.get, self._defining)

    def _defining(self, name: str) -> list[str]:
        """The files that define a name."""
        return [path for path, facts in self._facts.items() if any(name == symbol.name for symbol in facts.symbols)]

    def edges(self, path: str | None = None) -> set[str]:
        """Every edge of a file, or of all; names that lead nowhere have none."""
        return {edge for module in self._modules.values() if path in (None, module.path) for edge in self._of(module)}

    def lines(self, path: str, name: str) -> dict[int, int]:
        """Of the lines where a file uses a name, which line of the file that leads to, where definitions share it."""
        module, content, found = self._modules[path], self._contents[path], {}
        for use, number in zip(unpack_uses(self._facts[path].uses), module.links.of_use, strict=True):
            meaning = self._resolver.resolve(module, module.links.refs[number], set()) if number else None
            value = meaning.value if meaning is not None else None
            if value is None or value.module is not module or content[use.start_byte : use.end_byte] != name.encode():
                continue
            if value.ordinal < module.count:
                byte = self._facts[path].symbols[value.ordinal].name_byte
                found[content.count(b"\n", 0, use.start_byte) + 1] = content.count(b"\n", 0, byte) + 1
        return found

    def _of(self, module: Module) -> set[str]:
        content, found = self._contents[module.path], set()
        uses = unpack_uses(self._facts[module.path].uses) if module.links.of_use else []
        for use, number in zip(uses, module.links.of_use, strict=True):
            meaning = self._resolver.resolve(module, module.links.refs[number], set()) if number else None
            if meaning is None:
                continue
            name = content[use.start_byte : use.end_byte].decode()
            line = content.count(b"\n", 0, use.start_byte) + 1
            target = self._target(meaning.value)
            if target and not self._is_its_own(module, use.start_byte, meaning.value):
                found.add(f"{module.path}:{line} {name} -> {target} {meaning.tier}")
        return found

    def _is_its_own(self, module: Module, byte: int, value: Value) -> bool:
        is_attribute = value.kind == "definition" and value.ordinal >= module.count and value.module is module
        return is_attribute and module.attribute(value.ordinal).byte == byte

    def _target(self, value: Value) -> str:
        if value.kind == "external":
            return f"external:{value.name}"
        if value.module is None:
            return ""
        if value.kind == "module":
            return f"{value.module.path}:"
        if value.kind != "definition":
            return ""
        path = value.module.path
        if value.ordinal < value.module.count:
            return f"{path}:{self._facts[path].symbols[value.ordinal].qualified}"
        attribute = value.module.attribute(value.ordinal)
        return f"{path}:{self._facts[path].symbols[attribute.owner].qualified}.{attribute.name}"
