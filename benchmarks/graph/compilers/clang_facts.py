"""Prints what clang takes each name of a C or C++ project for: tab-separated lines, as `compiler_truth` reads them.

Runs where libclang is installed: `python clang_facts.py ROOT LANGUAGE FOLDER… -- FLAG…`. Each source is read with the
headers that it includes; what another source defines is known by clang's name for it (USR).
"""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path

from clang import cindex
from clang.cindex import CursorKind as K

LOCAL = {K.PARM_DECL, K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.TEMPLATE_TEMPLATE_PARAMETER}
KINDS = {
    **dict.fromkeys((K.STRUCT_DECL, K.UNION_DECL, K.ENUM_DECL, K.CLASS_DECL, K.TYPEDEF_DECL), "class"),
    **dict.fromkeys((K.TYPE_ALIAS_DECL, K.CLASS_TEMPLATE, K.TYPE_ALIAS_TEMPLATE_DECL), "class"),
    K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: "class",
    **dict.fromkeys((K.FUNCTION_DECL, K.FUNCTION_TEMPLATE), "function"),
    **dict.fromkeys((K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION), "method"),
    **dict.fromkeys((K.FIELD_DECL, K.ENUM_CONSTANT_DECL), "field"),
    K.VAR_DECL: "variable",
    K.MACRO_DEFINITION: "macro",
}
REFERENCES = {K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.TYPE_REF, K.TEMPLATE_REF, K.MEMBER_REF, K.MACRO_INSTANTIATION}
FUNCTIONS = {K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION}


class Reader:
    """All sources of a project."""

    def __init__(self, root: str, folders: list[str]) -> None:
        self.root = root
        self.folders = tuple(os.path.join(root, folder) + os.sep for folder in folders)
        self.definitions: dict[str, set[tuple[bool, str, int, int, int, str, str]]] = {}  # by USR; whole or announced
        self.uses: set[tuple[str, int, int, str, str, str, str]] = set()
        self.lines: dict[str, list[bytes]] = {}
        self.read_before: set[str] = set()  # headers: as the first source that includes them sees them

    def read(self, unit: cindex.TranslationUnit) -> None:
        files = set()
        for cursor in unit.cursor.get_children():
            file = cursor.location.file
            if file is not None and file.name not in self.read_before:
                files.add(file.name)
                if os.path.realpath(file.name).startswith(self.folders):
                    self._walk(cursor, None, 0)
        self.read_before |= files

    def _walk(self, cursor: cindex.Cursor, parent: cindex.Cursor | None, place: int) -> None:
        if cursor.kind in KINDS:
            self._define(cursor)
        if cursor.kind in REFERENCES:
            self._use(cursor, is_called=_is_called(cursor, parent, place))
        for number, child in enumerate(cursor.get_children()):
            self._walk(child, cursor, number)

    def _define(self, cursor: cindex.Cursor) -> None:
        found = self._place(cursor)
        if found is not None and not _is_local(cursor):
            is_whole = cursor.is_definition() or KINDS[cursor.kind] != "class"
            row = (is_whole, *found, cursor.extent.end.line, _qualified(cursor), KINDS[cursor.kind])
            self.definitions.setdefault(_usr(cursor), set()).add(row)

    def _use(self, cursor: cindex.Cursor, *, is_called: bool) -> None:
        meant = cursor.referenced
        found = self._place(cursor, meant.spelling if meant is not None else "")
        if found is None or meant is None or meant.kind == K.NAMESPACE:
            return
        role = "key" if cursor.kind == K.MEMBER_REF else "call" if is_called else "ref"
        where = "local" if _is_local(meant) else "ours" if self._is_ours(meant) else "library"
        if meant.kind in KINDS or where == "local":
            self.uses.add((*found, _name(meant), role, where, _usr(meant)))

    def _is_ours(self, cursor: cindex.Cursor) -> bool:
        file = cursor.location.file
        return file is not None and os.path.realpath(file.name).startswith(self.folders)

    def _place(self, cursor: cindex.Cursor, name: str = "") -> tuple[str, int, int] | None:
        """Where the name stands that a cursor is about, if it is written there and in a file of the project."""
        location, name = cursor.location, _name(cursor, name)
        if location.file is None or not name:
            return None
        path = os.path.realpath(location.file.name)
        if not path.startswith(self.folders):
            return None
        if path not in self.lines:
            self.lines[path] = Path(path).read_bytes().split(b"\n")
        line = self.lines[path][location.line - 1]
        if not line[location.column - 1 :].startswith(name.encode()):
            return None  # within a macro
        return os.path.relpath(path, self.root), location.line, location.column

    def print(self) -> None:
        for usr, rows in self.definitions.items():
            whole = {row for row in rows if row[0]}
            self.definitions[usr] = whole or rows
            for _, path, line, column, end, name, kind in sorted(whole or rows):
                print("definition", path, line, column, end, name, kind, sep="\t")
        for path, line, column, name, role, where, usr in sorted(self.uses):
            if where != "ours":
                print(where, path, line, column, name, role, sep="\t")
                continue
            for target in sorted(self.definitions.get(usr, ())):
                print("fact", path, line, column, name, role, target[1], target[5], sep="\t")


def _usr(cursor: cindex.Cursor) -> str:
    if cursor.kind == K.MACRO_DEFINITION:
        return f"macro {cursor.spelling} {cursor.location.file} {cursor.location.line}"
    return cursor.get_usr() or f"{cursor.location.file} {cursor.location.offset}"


def _name(cursor: cindex.Cursor, name: str = "") -> str:
    name = name or cursor.spelling
    for word in ("struct ", "union ", "enum ", "class "):
        name = name.removeprefix(word)
    return name.rpartition("::")[2].partition("<")[0]


def _qualified(cursor: cindex.Cursor) -> str:
    """The name with those of the types and namespaces around it."""
    names = [_name(cursor)]
    around = cursor.semantic_parent
    while around is not None and (around.kind == K.NAMESPACE or KINDS.get(around.kind) == "class"):
        names.insert(0, _name(around) if not around.is_anonymous() else "")
        around = around.semantic_parent
    return ".".join(filter(None, names))


def _is_local(cursor: cindex.Cursor) -> bool:
    around = cursor.semantic_parent
    return cursor.kind in LOCAL or (cursor.kind == K.VAR_DECL and around is not None and around.kind in FUNCTIONS)


def _is_called(cursor: cindex.Cursor, parent: cindex.Cursor | None, place: int) -> bool:
    """Whether a name is what is called: the first thing in a call, as it is or behind a conversion."""
    if parent is None or place or cursor.kind == K.MACRO_INSTANTIATION:
        return False
    return parent.kind in (K.CALL_EXPR, K.UNEXPOSED_EXPR) and _callee(parent, cursor)


def _callee(call: cindex.Cursor, cursor: cindex.Cursor) -> bool:
    if call.kind == K.CALL_EXPR:
        return call.referenced is not None and call.referenced == cursor.referenced
    return cursor.referenced is not None and cursor.referenced.kind in FUNCTIONS


def main() -> None:
    root, language, *rest = sys.argv[1:]
    cut = rest.index("--")
    folders, flags = rest[:cut], rest[cut + 1 :]
    headers = sorted(glob.glob("/usr/lib/gcc/*/*/include"))[-1:]  # those that belong to a compiler, libclang has none
    flags += [f"-isystem{folder}" for folder in headers] + ["-x", "c++" if language == "cpp" else "c"]
    index, reader = cindex.Index.create(), Reader(os.path.realpath(root), folders)
    suffixes = (".cc", ".cpp", ".cxx") if language == "cpp" else (".c",)
    for folder in folders:
        for path in sorted(Path(root, folder).rglob("*")):
            if path.suffix in suffixes:
                options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
                reader.read(index.parse(str(path), args=flags, options=options))
    reader.print()


if __name__ == "__main__":
    main()
