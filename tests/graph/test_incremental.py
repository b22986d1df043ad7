"""Incremental ≡ rebuild, for the graph: whatever happens to modules that import each other."""

from __future__ import annotations

import gc
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clew import Engine
from clew.graph import build
from clew.graph.modules import Module
from clew.relations import Wanted
from tests import dump
from tests.conftest import make_engine, note_resolved, write_tree

NAMES = (
    "a.py", "b.py", "pkg/__init__.py", "pkg/a.py", "pkg/b.py", "src/pkg/__init__.py", "src/pkg/a.py", "src/pkg/b.py",
    "c/a.py",
)  # fmt: skip
LINES = (
    "from a import Thing\n",
    "from b import *\n",
    "import pkg.a\n",
    "from pkg import a, b\n",
    "from . import b\n",
    "from .a import Thing as Other\n",
    "from .. import a\n",
    "import os, json\n",
    "class Thing(Base):\n    size: int = 0\n    def run(self):\n        self.state = Other()\n        self.go()\n",
    "class Base:\n    def go(self):\n        return self.state\n    def run(self): ...\n",
    "class Other(a.Thing):\n    def go(self):\n        return super().run()\n",
    "def make() -> Thing:\n    thing = Thing()\n    thing.run()\n    return thing\n",
    "make().go().state.run()\n",
    "value = make()\n",
    "value.run()\npkg.a.make()\na.Thing.run\n",
    "def use(x):\n    x.run()\n    return json.loads(x)\n",
)
# Of several languages: each file, and what its lines may be.
GO = (
    'import "example.com/app"\n',
    'import "example.com/app/store"\n',
    'import kept "example.com/app/store"\n',
    'import "example.com/other/store"\n',
    "type Thing struct {\n\tBase\n\tsize int\n}\n",
    "type Base struct{ next *Thing }\n",
    "func (t *Thing) Run() *Thing {\n\tt.Go()\n\treturn t.next\n}\n",
    "func (b *Base) Go() { b.next.Run().size = 1 }\n",
    "func Make() *Thing {\n\tt := &Thing{}\n\tt.Run().Go()\n\treturn t\n}\n",
    "func use() {\n\tstore.Make().Run()\n\tkept.Make().Go()\n\tapp.Make()\n\tMake().Run()\n}\n",
    "var value = store.Thing{}\n",
)
C = (
    '#include "a.h"\n',
    '#include "inc/b.h"\n',
    "#include <stdio.h>\n",
    "struct thing { struct other *next; int size; };\n",
    "struct other { struct thing held; };\n",
    "struct thing *make(int size);\n",
    "struct thing *make(int size) {\n    helper(size);\n    return 0;\n}\n",
    "static int helper(int x) { return LIMIT + x; }\n",
    "int helper(int x);\n",
    "#define LIMIT 3\n",
    "#ifdef VMS\n#define LIMIT 4\nstruct other { int size; };\n#endif\n",
    "int use(struct thing *t) {\n    return make(1)->next->held.size + t->size + helper(2);\n}\n",
)
TYPESCRIPT = (
    'import { Thing } from "./a";\n',
    'import { make } from "@/lib/b";\n',
    'import * as all from "../a";\n',
    'export * from "./lib/b";\n',
    'export { Thing as Other } from "@/a";\n',
    "export class Thing extends Base {\n  size = 0;\n  run(): Thing { return this.go(); }\n}\n",
    "export class Base {\n  next: Thing;\n  go() { return this.next; }\n}\n",
    "export function make(): Thing { return new Thing(); }\n",
    "make().run().go();\nall.make().run();\nnew all.Other().go();\n",
)
KOTLIN = (
    "import a.Thing\n",
    "import a.*\n",
    "import b.make as build\n",
    "open class Thing : Base() {\n    val next: Thing = make()\n    fun run(): Thing = go()\n}\n",
    "open class Base {\n    fun go(): Thing = Thing()\n}\n",
    "fun make(): Thing = Thing()\n",
    "private fun make() = 1\n",
    "fun Base.clear() {\n    go()\n}\n",
    "fun use(thing: Thing) {\n    thing.run().go()\n    thing.clear()\n    build().next\n    make().run()\n}\n",
)
SCALA = (
    "import a.Thing\n",
    "import a._\n",
    "import a.Thing.make\n",
    "class Thing extends Base { def run(): Thing = go() }\n",
    "class Base { def go(): Thing = new Thing }\n",
    "object Thing { def make(): Thing = new Thing }\n",
    "object Thing { def apply(): Base = new Base }\n",
    "class Use { def use(thing: Thing) = { thing.run().go(); Thing.make().run(); make().go(); Thing().go() } }\n",
)
SWIFT = (
    "import Core\n",
    "class Thing: Base {\n    let next = make()\n    func run() -> Thing { return go() }\n}\n",
    "class Base {\n    func go() -> Thing { return Thing() }\n}\n",
    "extension Thing {\n    func more() -> Base { return next.run() }\n}\n",
    "func make() -> Thing { return Thing() }\n",
    "func use(thing: Thing) {\n    thing.run().more().go()\n    make().go()\n}\n",
)
RUST = (
    "mod a;\nmod b;\n",
    "use crate::a::{Thing, make};\n",
    "use crate::b::*;\n",
    "#[macro_export]\nmacro_rules! make { () => {} }\n",
    "pub struct Thing { pub next: Option<Base> }\n",
    "impl Thing { pub fn run(&self) -> Base { self.go(); Self::new() } }\n",
    "impl crate::a::Thing { pub fn new() -> Base { Base } pub fn go(&self) { make!(); crate::make!(); } }\n",
    "pub struct Base;\nimpl Run for Base { type Out = Thing; fn run(&self) -> Self::Out { make() } }\n",
    "pub trait Run { type Out; fn run(&self) -> Self::Out; }\n",
    "pub fn make() -> Thing { Thing::new(); let one = Thing { next: None }; one.run().run(); one }\n",
)
JAVA = (
    "import a.Thing;\n",
    "import static a.Thing.make;\n",
    "import a.*;\n",
    "class Thing extends Base {\n  int size;\n  Base next;\n  static Thing make() { return new Thing(); }\n"
    "  class In { int size() { return size + next.go().size; } }\n}\n",
    "class Base implements Run {\n  Thing go() { return make().size(); }\n  int size() { return 1; }\n}\n",
    "interface Run { Thing go(); }\n",
    "record Pair(Thing one, Base two) {\n  void use() { one().size = 1; two.go().next.go(); Thing.make(); }\n}\n",
)
CSHARP = (
    "using A;\n",
    "using static A.Thing;\n",
    "class Thing : Base {\n  public Base Next;\n  public static async Task<Thing> Make() { return new Thing(); }\n}\n",
    "partial class Base {\n  public Thing Go() { return Next.Go(); }\n}\n",
    "partial class Base {\n  public Base Next;\n  async void Use() { var one = await Thing.Make(); one.Next.Go();"
    " var two = Thing.Make().Result; two.Go(); Make(); }\n}\n",
)
CPP = (
    '#include "a.hpp"\n',
    "namespace one {\nclass Thing : public Base {\n public:\n  Thing();\n  Thing& run();\n  Base* next;\n};\n}\n",
    "namespace one {\nclass Base {\n public:\n  enum class Kind { run, go };\n"
    "  Thing* go() { return make().next; }\n};\n}\n",
    "one::Thing& one::Thing::run() { next->go()->run(); return *this; }\none::Thing::Thing() {}\n",
    "namespace one {\nThing make() { return Thing().run(); }\n}\n",
    "using namespace one;\nint use() { make().run().next->go(); Base::Kind kind = Base::Kind::run; return LIMIT; }\n",
    "#ifdef VMS\n#define LIMIT 4\n#endif\n",
)
COMPILED = {
    "Cargo.toml": ('[package]\nname = "app"\n', '[package]\nname = "other"\n'),
    "src/main.rs": RUST,
    "src/a.rs": RUST,
    "src/b.rs": RUST,
    "src/a/b.rs": RUST,
    "one/Thing.java": ("package a;\n", *JAVA),
    "one/Base.java": ("package a;\n", *JAVA),
    "two/Use.java": ("package b;\n", *JAVA),
    "Thing.cs": ("namespace A;\n", *CSHARP),
    "Base.cs": ("namespace A;\n", *CSHARP),
    "sub/Use.cs": ("namespace B;\n", *CSHARP),
    "a.hpp": CPP,
    "a.cpp": CPP,
    "sub/a.hpp": CPP,
    "sub/use.cpp": CPP,
}
PACKAGES = {
    "one/A.kt": ("package a\n", *KOTLIN),
    "one/B.kt": ("package a\n", *KOTLIN),
    "two/B.kt": ("package b\n", *KOTLIN),
    "A.scala": ("package a\n", *SCALA),
    "B.scala": ("package a\n", *SCALA),
    "b/C.scala": ("package a.b\n", *SCALA),
    "Package.swift": ('.target(name: "Core")\n.target(name: "Net")\n', '.target(name: "Core", path: "Sources")\n'),
    "Sources/Core/A.swift": SWIFT,
    "Sources/Core/B.swift": SWIFT,
    "Sources/Net/C.swift": SWIFT,
}
KINDS = {
    "go.mod": ("module example.com/app\n", "module example.com/other\n"),
    "main.go": ("package app\n", *GO),
    "more.go": ("package app\n", *GO),
    "store/store.go": ("package store\n", *GO),
    "store/more.go": ("package kept\n", *GO),
    "other/store/a.go": ("package store\n", *GO),
    "other/go.mod": ("module example.com/other\n",),
    "a.h": C,
    "a.c": C,
    "inc/b.h": C,
    "inc/a.h": C,
    "sub/inc/b.h": C,
    "sub/use.c": C,
    "tsconfig.json": ('{"compilerOptions": {"paths": {"@/*": ["./web/*"]}}}\n', "{}\n"),
    "web/a.ts": TYPESCRIPT,
    "web/lib/b.ts": TYPESCRIPT,
    "web/lib/a.ts": TYPESCRIPT,
    "web/lib/b/index.ts": TYPESCRIPT,
}

RUBY = (
    "require_relative 'lib/app/b'\n",
    "module App\n  class Thing < Base\n    include Help\n    def run; go; help; @next = Other.new; end\n  end\nend\n",
    "module App\n  class Base\n    def go; @next.run; end\n  end\nend\n",
    "module App\n  module Help\n    def help; end\n  end\n  def self.make; Thing.new; end\nend\n",
    "class App::Other\n  def run; Help; end\nend\n",
    "class Base\n  def go; end\nend\n",
    "module App\n  class Base\n    prepend Help\n    def help; go; end\n  end\nend\n",
    "App::Thing.new.run\nApp.make\nthing = App::Other.new\nthing.run\nBase.new.go\n",
)
PHP = (
    "<?php\nnamespace App;\n",
    "use App\\Thing;\nuse Lib\\Base as Other;\n",
    "class Thing extends Base {\n  private Base $next;\n  function run(): Thing {\n"
    "    $this->next->go(); return $this; }\n}\n",
    "class Base {\n  use Help;\n  function go() { self::help(); }\n}\n",
    "trait Help {\n  function help() {}\n}\n",
    "function make() { $one = new Thing(); $one->run()->go(); make(); $one->help(); }\n",
)
ELIXIR = (
    "defmodule App.Thing do\n  alias App.Base\n  def run(x), do: Base.go(x)\nend\n",
    "defmodule App.Base do\n  import App.Help\n  def go(x), do: help(x)\nend\n",
    "defmodule App.Help do\n  def help(x), do: %App.Thing{}\nend\n",
    "defmodule Base do\n  def go(x), do: App.Thing.run(x)\nend\n",
)
SHELL = (
    'source "$(dirname "$0")/b.sh"\n', "source lib/b.sh\n", "run() { help; }\n", "help() { run; }\n", "run\nhelp\n",
)  # fmt: skip
HASKELL = (
    "import A\n",
    "import qualified A as Q\nimport B hiding (run)\n",
    "import B (Thing(..), make)\n",
    "data Thing = Thing { next :: Thing, size :: Int }\n",
    "make x = run (Thing x 1) { size = 2 }\n",
    "run Thing{..} = next `seq` Q.make size\n",
    "class Runs a where\n  run :: a -> Thing\n",
    "use thing = make (run thing) . Q.next\n",
)
LUA = (
    'local b = require("app.b")\n',
    'local b = require("b")\n',
    "local M = {}\nM.__index = M\nfunction M.new() return setmetatable({}, M) end\n",
    "function M:run() self:go() return M.new() end\nfunction M:go() end\n",
    "b.new():run()\nb.run()\nlocal thing = b.new()\nthing:go()\n",
    "return M\n",
)
ZIG = (
    'const b = @import("b.zig");\n',
    'const Thing = @import("app/b.zig").Thing;\n',
    "pub const Thing = struct {\n    next: ?*Base,\n"
    "    pub fn run(self: *Thing) Base { return self.next.?.go(); }\n};\n",
    "pub const Base = struct {\n    pub fn go(self: *Base) Base { return self.*; }\n};\n",
    "pub fn make() Thing { return Thing{ .next = null }; }\n",
    "test { var one = b.make(); _ = one.run().go(); _ = make(); const two: Thing = b.make(); _ = two.run(); }\n",
)
SCRIPTS = {
    "src/A.hs": ("module A where\n", *HASKELL), "src/B.hs": ("module B (module A, Thing(..), make) where\n", *HASKELL),
    "test/A.hs": ("module A (module B) where\n", *HASKELL), "Main.hs": ("module Main where\n", *HASKELL),
    "main.rb": RUBY, "lib/app.rb": RUBY, "lib/app/b.rb": RUBY, "test/app.rb": RUBY, "lib/core_ext/base.rb": RUBY,
    "a.php": PHP, "src/Thing.php": PHP, "src/Base.php": PHP, "lib/thing.ex": ELIXIR, "lib/base.ex": ELIXIR,
    "test/base.exs": ELIXIR, "a.sh": SHELL, "b.sh": SHELL, "lib/b.sh": SHELL,
    "main.lua": LUA, "b.lua": LUA, "lua/app/b.lua": LUA, "app/b.lua": LUA, "main.zig": ZIG, "b.zig": ZIG,
    "app/b.zig": ZIG,
}  # fmt: skip


def steps(names: tuple[str, ...], most: int) -> st.SearchStrategy[Any]:
    numbers = st.lists(st.integers(0, most - 1), max_size=6)
    place = st.lists(st.integers(0, len(names) - 1), min_size=1, max_size=1)
    return st.one_of(
        st.tuples(st.just("write"), st.sampled_from(names), numbers),
        st.tuples(st.just("delete"), st.sampled_from(names), st.just([])),
        st.tuples(st.just("rename"), st.sampled_from(names), place),
    )


def play(root: Path, kinds: dict[str, tuple[str, ...]], action: str, name: str, numbers: list[int]) -> None:
    path, lines = root / name, kinds[name]
    if action == "write":
        first = lines[:1] if name.endswith((".go", ".kt", ".scala", ".php", ".hs", ".java", ".cs")) else ()
        write_tree(root, {name: "".join([*first, *(lines[number % len(lines)] for number in numbers)])})
    elif action == "delete" and path.exists():
        path.unlink()
    elif action == "rename" and path.exists():
        target = root / tuple(kinds)[numbers[0]]
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def check(kinds: dict[str, tuple[str, ...]], before: list[Any], changes: list[list[Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "tree"
        root.mkdir()
        for one in before:
            play(root, kinds, *one)
        engines = [make_engine(root.parent / "home") for _ in range(2)]  # after the other's turn, what one kept is old
        engines[0].index(str(root))
        for turn, several in enumerate(changes):
            for one in several:
                play(root, kinds, *one)
            engine = engines[turn // 2 % 2]
            engine.sync(str(root))
            found = dump.graph(engine.resolve(str(root)).store)
            fresh = make_engine(root.parent / "fresh")
            fresh.index(str(root))
            expected = dump.graph(fresh.resolve(str(root)).store)
            fresh.close()
            shutil.rmtree(root.parent / "fresh")
            assert found == expected
        for engine in engines:
            engine.close()


def of(kinds: dict[str, tuple[str, ...]], most: int) -> tuple[st.SearchStrategy[Any], st.SearchStrategy[Any]]:
    """At most so many steps before, and the changes after; every line of every file can come."""
    step = steps(tuple(kinds), max(map(len, kinds.values())))
    return st.lists(step, max_size=most), st.lists(st.lists(step, min_size=1, max_size=3), min_size=1, max_size=4)


PYTHON: dict[str, tuple[str, ...]] = dict.fromkeys(NAMES, LINES)
python_before, python_changes = of(PYTHON, 8)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=python_before, changes=python_changes)
@example(  # a directory becomes a package: what lies in it is no module of its own any more
    before=[("write", "src/pkg/a.py", [0, 8]), ("write", "src/pkg/b.py", [0, 11])],
    changes=[[("write", "src/pkg/__init__.py", [])], [("delete", "src/pkg/__init__.py", [])]],
)
def test_a_changed_graph_is_the_graph_made_anew(before: list[Any], changes: list[list[Any]]) -> None:
    check(PYTHON, before, changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds", [KINDS, PACKAGES, COMPILED, SCRIPTS],
    ids=["go, c, typescript", "kotlin, scala, swift", "rust, java, c#, c++", "scripts, haskell"],
)  # fmt: skip
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_changed_graph_of_other_languages_is_the_graph_made_anew(
    kinds: dict[str, tuple[str, ...]], data: st.DataObject
) -> None:
    before, changes = of(kinds, 16)
    check(kinds, data.draw(before), data.draw(changes))


def test_a_directory_that_an_import_may_name_comes_later() -> None:
    before = [("write", "Sources/Core/A.swift", [0]), ("rename", "Sources/Core/A.swift", [0])]
    check(PACKAGES, before, [[("write", "Sources/Core/A.swift", [])]])


def test_another_part_of_a_class_comes_later() -> None:
    check(COMPILED, [("write", "Thing.cs", [5, 9])], [[("write", "Base.cs", [4])]])


def test_edges_are_the_same_when_files_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"pkg/__init__.py": "from pkg.base import Base\n", "pkg/base.py": "class Base:\n    def go(self): ...\n"}
    files |= {
        f"pkg/m{i}.py": f"from pkg import Base\n\n\nclass C{i}(Base):\n    def run(self):\n        self.go()\n"
        for i in range(9)
    }
    root = write_tree(tmp_path / "tree", files)
    found = []
    for most in (6_000, 1):
        monkeypatch.setattr("clew.graph.build.MAX_MODULES", most)
        engine = make_engine(tmp_path / f"home{most}")
        engine.index(str(root))
        found.append(dump.graph(engine.resolve(str(root)).store))
        engine.close()
    assert found[0] == found[1] and found[0]["edges"]


def test_files_that_are_let_go_are_freed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for circles while edges are made: of a large tree they would fill the memory."""
    monkeypatch.setattr(build, "MAX_MODULES", 4)
    monkeypatch.setattr(build, "MAX_LOADED", 0)
    names = [f"m{number:02}" for number in range(40)]
    text = "import {0}\n\n\nclass A({0}.A):\n    def go(self):\n        return self.go({0}.A())\n"
    others = [*names[1:], names[0]]
    files = {f"{name}.py": text.format(other) for name, other in zip(names, others, strict=True)}
    held: list[int] = []
    forget = build._Graph.forget

    def counts(graph: build._Graph) -> Any:
        found = forget(graph)
        held.append(sum(isinstance(item, Module) for item in gc.get_objects()) - len(found))
        return found

    monkeypatch.setattr(build._Graph, "forget", counts)
    engine = make_engine(tmp_path / "home")
    gc.collect()
    engine.index(str(write_tree(tmp_path / "tree", files)))
    engine.close()
    assert len(held) > 5 and max(held) == min(held)


USED = "import os\n\n\nclass Thing:\n    def run(self):\n        self.size = 1\n\n\ndef make():\n    return Thing()\n"
USERS = {
    "calls.py": "from used import make\n\nmake()\n",
    "members.py": "import used\n\n\ndef use():\n    thing = used.Thing()\n    thing.run()\n    return thing.size\n",
    "misses.py": "import used\n\nused.extra()\n",
    "below.py": "import used\n\n\nclass Below(used.Thing):\n    def go(self):\n        return self.extra()\n",
}
SCRIPT_USED = (
    "export class Thing {\n  run() { return 1; }\n}\n\nexport function make(): Thing { return new Thing(); }\n"
)
SCRIPT_USERS = {
    "calls.ts": 'import { make } from "./used";\n\nmake().run();\n',
    "misses.ts": 'import { extra } from "./used";\n\nextra();\n',
    "whole.ts": 'import * as all from "./used";\n\nall.make();\n',
}
C_USED = "struct thing { int size; };\nstruct thing *make(void);\n"
C_USERS = {
    "calls.c": '#include "used.h"\nint calls(void) { return make()->size; }\n',
    "misses.c": '#include "used.h"\nint misses(void) { return extra(); }\n',
    "far.h": '#include "used.h"\n',
    "far.c": '#include "far.h"\nint far(struct thing *one) { return one->size; }\n',
}
GO_USED = "package app\n\ntype Thing struct{ size int }\n\nfunc Make() *Thing { return &Thing{} }\n"
GO_USERS = {
    "go.mod": "module example.com/app\n",
    "calls.go": "package app\n\nfunc calls() int { return Make().size }\n",
    "misses.go": "package app\n\nfunc misses(t *Thing) { t.extra() }\n",
}
RUBY_USED = "class Thing\n  def run\n    1\n  end\nend\n"
RUBY_USERS = {
    "calls.rb": "def calls\n  Thing.new.run\nend\n",
    "misses.rb": "def misses\n  Thing.new.extra\nend\n",
    "part.rb": "class Thing\n  def go\n    run\n  end\nend\n",
}
KOTLIN_USED = "package a\n\nclass Thing { fun run() = 1 }\n\nfun make() = Thing()\n"
KOTLIN_USERS = {
    "calls.kt": "package a\n\nfun calls() = make().run()\n",
    "misses.kt": "package b\n\nimport a.*\n\nfun misses(thing: Thing) = thing.extra()\n",
}


@pytest.mark.parametrize(
    ("name", "before", "after", "others", "touched"),
    [
        ("used.py", USED, USED.replace("size = 1", "size = 2"), USERS, set()),
        ("used.py", USED, "def other(): ...\n\n\n" + USED, USERS, set()),
        ("used.py", USED, USED + "\n\ndef extra(): ...\n", USERS, {"misses.py", "below.py"}),
        ("used.py", USED, USED.replace("    def run", "    def extra(self): ...\n\n    def run"), USERS,
         {"misses.py", "below.py"}),
        ("used.py", USED, USED.replace("def make", "def made"), USERS, {"calls.py"}),
        ("used.py", USED, USED.replace("self.size", "self.width"), USERS, {"members.py"}),
        ("used.py", USED, USED.replace("class Thing:", "class Thing(os.PathLike):"), USERS,
         {"members.py", "below.py"}),
        ("used.py", USED, "from calls import *\n" + USED, USERS, set(USERS)),
        ("used.ts", SCRIPT_USED, "export const other = 1;\n" + SCRIPT_USED, SCRIPT_USERS, set()),
        ("used.ts", SCRIPT_USED, SCRIPT_USED + "export function extra() {}\n", SCRIPT_USERS, {"misses.ts"}),
        ("used.ts", SCRIPT_USED, SCRIPT_USED.replace("  run()", "  extra() {}\n  run()"), SCRIPT_USERS, {"misses.ts"}),
        ("used.ts", SCRIPT_USED, SCRIPT_USED.replace("make(): Thing", "make()"), SCRIPT_USERS,
         {"calls.ts", "whole.ts"}),
        ("used.h", C_USED, "int other(void);\n" + C_USED, C_USERS, set()),
        ("used.h", C_USED, C_USED + "int extra(void);\n", C_USERS, {"misses.c"}),
        ("used.h", C_USED, C_USED.replace("size", "width"), C_USERS, {"calls.c", "far.c"}),
        ("used.h", C_USED, '#include "more.h"\n' + C_USED, C_USERS, {"calls.c", "misses.c", "far.c"}),
        ("used.go", GO_USED, GO_USED + "\nfunc other() {}\n", GO_USERS, set()),
        ("used.go", GO_USED, GO_USED + "\nfunc (t *Thing) extra() {}\n", GO_USERS, {"misses.go"}),
        ("used.rb", RUBY_USED, "class Other\nend\n" + RUBY_USED, RUBY_USERS, set()),
        ("used.rb", RUBY_USED, RUBY_USED.replace("  def run", "  def extra\n  end\n\n  def run"), RUBY_USERS,
         {"misses.rb"}),
        ("used.kt", KOTLIN_USED, KOTLIN_USED + "\nfun other() = 1\n", KOTLIN_USERS, set()),
        ("used.kt", KOTLIN_USED, KOTLIN_USED + "\nfun Thing.extra() = 1\n", KOTLIN_USERS, {"misses.kt"}),
    ],
    ids=["body", "inserted", "function", "method", "renamed", "attribute", "base", "star",
         "script: inserted", "script: function", "script: method", "script: type",
         "c: inserted", "c: function", "c: field", "c: include", "go: function", "go: method",
         "ruby: inserted", "ruby: method", "kotlin: function", "kotlin: extension"],
)  # fmt: skip
def test_a_change_touches_only_who_looked_for_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, before: str, after: str, others: dict[str, str],
    touched: set[str],
) -> None:  # fmt: skip
    """And edges to what only moved are right all the same."""
    root = write_tree(tmp_path / "tree", {name: before, **others})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    resolved = note_resolved(monkeypatch)
    write_tree(root, {name: after})
    engine.sync(str(root))
    assert set(resolved) == {name, *touched}
    _is_as_rebuilt(engine, root, tmp_path)


def _is_as_rebuilt(engine: Engine, root: Path, folder: Path) -> None:
    """Compare the graph with that of an index made from nothing; both engines are closed."""
    fresh = make_engine(folder / "fresh")
    fresh.index(str(root))
    found, expected = (dump.graph(each.resolve(str(root)).store) for each in (engine, fresh))
    assert found == expected
    for each in (engine, fresh):
        each.close()


def test_what_a_failed_run_found_is_not_taken_for_what_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its flip did not happen: the next one begins with what the store says."""
    root = write_tree(tmp_path / "tree", {"used.py": USED, **USERS})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    apply = build.Update.apply

    def fails(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(build.Update, "apply", fails)
    write_tree(root, {"used.py": "def other(): ...\n" + USED, "new.py": "import used\nused.make()\n"})
    with pytest.raises(OSError, match="no"):
        engine.sync(str(root))
    monkeypatch.setattr(build.Update, "apply", apply)
    write_tree(root, {"used.py": USED.replace("make", "made")})
    (root / "new.py").unlink()
    engine.sync(str(root))
    _is_as_rebuilt(engine, root, tmp_path)


def test_nodes_that_are_used_up_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.graph.changes.MAX_NODES", 12)
    root = write_tree(tmp_path / "tree", {"used.py": USED, **USERS})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    for turn in range(20):
        write_tree(root, {"used.py": f"def other_{turn}(): ...\n" + USED})
        engine.sync(str(root))
        nodes = engine.references(Wanted("make"), str(root)).references
        assert [(node.path, node.start_line) for node in nodes] == [("calls.py", 1), ("calls.py", 3)], turn
    engine.close()


def test_a_save_writes_only_the_edges_that_changed(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"used.py": USED, **USERS})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    connection = engine.resolve(str(root)).store.connection()
    noted: list[str] = []
    connection.create_scalar_function("note", lambda *how: noted.extend(map(str, how)))
    for table in ("packed_edge", "used_by", "loose_name", "file_edge"):
        for how in ("INSERT", "UPDATE", "DELETE"):
            what = f"{how} {table}"
            connection.execute(
                f"CREATE TEMP TRIGGER noted_{how}_{table} AFTER {how} ON {table} BEGIN SELECT note('{what}'); END"
            )
    write_tree(root, {"calls.py": (root / "calls.py").read_text() + "# what a comment says is no edge\n"})
    engine.sync(str(root))
    assert noted == []
    write_tree(root, {"calls.py": (root / "calls.py").read_text() + "make()\n"})
    engine.sync(str(root))
    assert noted == ["INSERT packed_edge"]  # the edge of the file to `make` has one place more
    write_tree(root, {"calls.py": "import used\n"})
    engine.sync(str(root))
    assert {*noted[1:]} == {"INSERT packed_edge", "DELETE used_by"}  # the file itself was used before, too
    engine.close()


def test_the_files_that_most_others_need_are_kept_for_the_next_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MAX_LOADED", 2)
    users = {f"user{number}.py": "from a_needed import make\nmake()\n" for number in range(9)}
    root = write_tree(tmp_path / "tree", {"a_needed.py": "def make(): ...\n", **users})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    (standing,) = engine.resolve(str(root)).store.graphs.values()
    assert len(standing.modules) == 2
    assert "a_needed.py" in standing.modules
    engine.close()


def test_what_was_resolved_before_a_run_failed_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are kept from save to save, but not what their names meant in a state that never was."""
    users = {"user.py": "import used\nused.two()\n", "zz.py": "import used\nused.two()\n"}
    root = write_tree(tmp_path / "tree", {"used.py": "def one(): ...\n", **users})
    engine = make_engine(tmp_path / "home")
    engine.index(str(root))
    for name, text in (("used.py", "def one(): ...\n# x\n"), ("user.py", users["user.py"] + "# y\n")):
        write_tree(root, {name: text})
        engine.sync(str(root))
    add_edges = build._Graph.add_edges

    def fails(graph: build._Graph, path: str, found: build.Edges) -> None:
        add_edges(graph, path, found)
        if path == "zz.py":
            raise OSError("no")

    write_tree(root, {"used.py": "def one(): ...\ndef two(): ...\n"})
    monkeypatch.setattr(build._Graph, "add_edges", fails)
    with pytest.raises(OSError, match="no"):
        engine.sync(str(root))
    monkeypatch.setattr(build._Graph, "add_edges", add_edges)
    write_tree(root, {"used.py": "def one(): ...\nclass X:\n    pass\ndef zero(): ...\ndef two(): ...\n"})
    engine.sync(str(root))
    _is_as_rebuilt(engine, root, tmp_path)
