"""What Python's own parser says of a file: definitions, imports, and what each name in it may be.

Checkers tell what a name means; this tells where the name stands (a call, an import, a store), whether it
is a local variable, and where the project's symbols are defined. Main call: `read_source`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.graph.facts import Definition, Place, Site

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Binding(NamedTuple):
    """A name that an import gives to something else. `name` is empty when it is a whole module."""

    module: str
    name: str


@dataclass(slots=True)
class Source:
    """One file as Python's parser sees it."""

    path: str
    sites: dict[Place, Site] = field(default_factory=dict)
    strings: list[tuple[Place, Place]] = field(default_factory=list)  # where annotations may hide in
    import_spans: list[tuple[Place, Place]] = field(default_factory=list)
    definitions: dict[str, Definition] = field(default_factory=dict)  # by qualified name
    imports: dict[str, list[Binding]] = field(default_factory=dict)  # by the name they bind in the module
    stars: list[str] = field(default_factory=list)
    bases: dict[str, list[str]] = field(default_factory=dict)  # class -> its bases as they are written


def read_source(path: str, text: str) -> Source | None:
    """All of the above, or None when the file is no Python of this version."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    source = Source(path)
    lines = text.splitlines(keepends=True)
    reader = _Reader(source, [line.encode("utf-8", "surrogatepass") for line in _physical(text)] or [b""])
    source.definitions[""] = Definition(path, 1, 1, max(1, len(lines)), "", "module")
    reader.read(tree)
    return source


def _physical(text: str) -> list[str]:
    """Lines as the parser counts them: form feeds and the like end none."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class _Scope:
    """A function, lambda or comprehension: which names it binds to values, and which to definitions."""

    __slots__ = ("named", "values")

    def __init__(self) -> None:
        self.values: set[str] = set()
        self.named: set[str] = set()  # by def, class or import


class _Reader:
    """One walk over a tree; scopes and qualified names are kept on stacks."""

    def __init__(self, source: Source, lines: list[bytes]) -> None:
        self.source, self.lines = source, lines
        self.scopes: list[_Scope | None] = []  # None is a class
        self.owners: list[tuple[str, str]] = []  # (kind, name), outermost first
        self.callees: set[int] = set()
        self.selfs: list[str] = []

    def read(self, tree: ast.Module) -> None:
        for statement in tree.body:
            self.visit(statement)

    # -- where things are --------------------------------------------------------------------------

    def place(self, line: int, byte: int) -> Place:
        return line, len(self.lines[line - 1][:byte].decode("utf-8", "replace")) + 1

    def end_of(self, node: ast.AST, name: str) -> Place:
        """Where the last name of an attribute begins: its end is known, and it is the last thing in it."""
        line, byte = getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0)
        return self.place(line, byte - len(name.encode()))

    def after(self, node: ast.stmt, word: str, name: str) -> Place:
        """The place of the name of a def or class: decorators and `async` go before it."""
        line = node.lineno
        raw = self.lines[line - 1]
        byte = raw.find(name.encode(), raw.find(word.encode(), node.col_offset) + len(word))
        return self.place(line, max(byte, node.col_offset))

    # -- definitions -------------------------------------------------------------------------------

    def qualified(self, name: str) -> str:
        return ".".join([owner for _, owner in self.owners] + [name])

    def define(self, name: str, kind: str, place: Place, end_line: int) -> None:
        known = self.source.definitions.get(name)
        path = self.source.path
        if known is None or (known.kind == "attribute" and kind != "attribute"):
            also = (known.line, *known.also) if known else ()
            self.source.definitions[name] = Definition(path, *place, end_line, name, kind, also)
        elif place[0] != known.line and place[0] not in known.also:
            # The latest definition with a body is what a name means after a branch or an overload, but the
            # first is where readers look: one stands for all.
            self.source.definitions[name] = known._replace(also=(*known.also, place[0]))

    def bind_value(self, target: ast.expr) -> None:
        """An assignment at module or class level defines; in a method, one to `self.x` does."""
        if isinstance(target, ast.Name):
            if not self.owners or self.owners[-1][0] == "class":
                kind = "field" if self.owners else "variable"
                place = self.place(target.lineno, target.col_offset)
                self.define(self.qualified(target.id), kind, place, target.end_lineno or target.lineno)
        elif isinstance(target, ast.Attribute):
            if self.selfs and isinstance(target.value, ast.Name) and target.value.id == self.selfs[-1] != "":
                owner = ".".join(name for _, name in self.owners[:-1])
                place = self.end_of(target, target.attr)
                self.define(f"{owner}.{target.attr}", "attribute", place, place[0])
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self.bind_value(element)
        elif isinstance(target, ast.Starred):
            self.bind_value(target.value)

    # -- the walk ----------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.function(node)
        elif isinstance(node, ast.ClassDef):
            self.class_(node)
        elif isinstance(node, ast.Lambda):
            self.inner(node)
        elif isinstance(node, _COMPREHENSIONS):
            self.comprehension(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self.import_(node)
        else:
            self.plain(node)

    def plain(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            self.callees.add(id(node.func))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.bind_value(target)
        elif isinstance(node, ast.AnnAssign | ast.For | ast.AsyncFor | ast.NamedExpr):
            self.bind_value(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self.bind_value(node.optional_vars)
        elif isinstance(node, ast.keyword) and node.arg:
            self.source.sites[self.place(node.lineno, node.col_offset)] = Site(node.arg, "key", False, True)
        elif isinstance(node, ast.Name):
            self.name(node)
        elif isinstance(node, ast.Attribute):
            self.site(self.end_of(node, node.attr), node.attr, node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            start = self.place(node.lineno, node.col_offset)
            end = self.place(node.end_lineno or node.lineno, node.end_col_offset or 0)
            self.source.strings.append((start, end))
        for child in ast.iter_child_nodes(node):
            self.visit(child)

    def site(self, place: Place, name: str, node: ast.expr, *, local: bool = False) -> None:
        is_call = id(node) in self.callees
        context = getattr(node, "ctx", None)
        role = "call" if is_call else "write" if isinstance(context, ast.Store | ast.Del) else "ref"
        self.source.sites[place] = Site(name, role, is_call, local)

    def name(self, node: ast.Name) -> None:
        place = self.place(node.lineno, node.col_offset)
        self.site(place, node.id, node, local=self.is_local(node.id))

    def is_local(self, name: str) -> bool:
        """Whether the innermost function that binds the name binds it to a value."""
        for depth, scope in enumerate(reversed(self.scopes)):
            if scope is None:  # a class's names are seen in its body alone
                if depth == 0 and self.qualified(name) in self.source.definitions:
                    return False
            elif name in scope.values:
                return True
            elif name in scope.named:
                return False
        return False

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outside in (*node.decorator_list, *_defaults(node.args), *_annotations(node)):
            self.visit(outside)
        in_class = bool(self.owners) and self.owners[-1][0] == "class"
        kind = "method" if in_class else "function"
        self.define(self.qualified(node.name), kind, self.after(node, "def", node.name), node.end_lineno or node.lineno)
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
        first = [*node.args.posonlyargs, *node.args.args][:1]
        self.parameters(node)
        self.selfs.append(first[0].arg if in_class and first and not static else "")
        self.owners.append((kind, node.name))
        self.scopes.append(_scope_of(node))
        for statement in node.body:
            self.visit(statement)
        self.scopes.pop()
        self.owners.pop()
        self.selfs.pop()

    def parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        for argument in _arguments(node.args):
            self.source.sites[self.place(argument.lineno, argument.col_offset)] = Site(argument.arg, "ref", False, True)

    def class_(self, node: ast.ClassDef) -> None:
        for outside in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.visit(outside)
        name = self.qualified(node.name)
        self.define(name, "class", self.after(node, "class", node.name), node.end_lineno or node.lineno)
        self.source.bases.setdefault(name, [ast.unparse(base) for base in node.bases])
        self.selfs.append("")
        self.owners.append(("class", node.name))
        self.scopes.append(None)
        for statement in node.body:
            self.visit(statement)
        self.scopes.pop()
        self.owners.pop()
        self.selfs.pop()

    def inner(self, node: ast.Lambda) -> None:
        for outside in _defaults(node.args):
            self.visit(outside)
        self.parameters(node)
        self.scopes.append(_scope_of(node))
        self.visit(node.body)
        self.scopes.pop()

    def comprehension(self, node: ast.AST) -> None:
        scope = _Scope()
        generators: list[ast.comprehension] = getattr(node, "generators", [])
        for generator in generators:
            scope.values.update(found.id for found in ast.walk(generator.target) if isinstance(found, ast.Name))
        self.visit(generators[0].iter)  # evaluated outside
        self.scopes.append(scope)
        for child in ast.iter_child_nodes(node):
            for part in ast.iter_child_nodes(child) if isinstance(child, ast.comprehension) else (child,):
                if part is not generators[0].iter:
                    self.visit(part)
        self.scopes.pop()

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        top = not self.scopes
        end = self.place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        self.source.import_spans.append((self.place(node.lineno, node.col_offset), end))
        module = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                if top:
                    self.source.stars.append(module)
                continue
            place = self.place(alias.lineno, alias.col_offset)
            self.source.sites[place] = Site(alias.name, "import", False)
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.partition(".")[0]
                binding = Binding(alias.name if alias.asname else bound, "")
            else:
                bound, binding = alias.asname or alias.name, Binding(module, alias.name)
            if top:
                self.source.imports.setdefault(bound, []).append(binding)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument for argument in every if argument is not None]


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def _annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    yield from (argument.annotation for argument in _arguments(node.args) if argument.annotation is not None)
    if node.returns is not None:
        yield node.returns


def _scope_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> _Scope:
    scope = _Scope()
    scope.values.update(argument.arg for argument in _arguments(node.args))
    outer: set[str] = set()
    stack: list[ast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    while stack:
        found = stack.pop()
        if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.named.add(found.name)
            continue
        if isinstance(found, ast.Lambda):
            continue
        if isinstance(found, ast.Import | ast.ImportFrom):
            scope.named.update((alias.asname or alias.name).partition(".")[0] for alias in found.names)
        elif isinstance(found, ast.Global | ast.Nonlocal):
            outer.update(found.names)
        elif isinstance(found, ast.ExceptHandler) and found.name:
            scope.values.add(found.name)
        elif isinstance(found, ast.Name) and isinstance(found.ctx, ast.Store):
            scope.values.add(found.id)
        elif isinstance(found, _COMPREHENSIONS):
            # Its targets are its own, but what `:=` binds in it is the function's.
            scope.values.update(n.target.id for n in ast.walk(found) if isinstance(n, ast.NamedExpr))
            continue
        elif isinstance(found, ast.MatchAs | ast.MatchStar) and found.name:
            scope.values.add(found.name)
        stack.extend(ast.iter_child_nodes(found))
    scope.values -= outer
    scope.named -= outer
    scope.values -= scope.named
    return scope
