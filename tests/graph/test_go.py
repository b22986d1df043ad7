"""Go: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_packages_methods_fields_and_embedding() -> None:
    project = Project({
        "go.mod": "module example.com/app\n",
        "main.go": """\
            package main

            import (
                "fmt"

                st "example.com/app/store"
                _ "example.com/app/side"
            )

            func main() {
                s, err := st.Open("x")
                fmt.Println(s.Get("a"), err)
                s.pool.Close()
                local := st.Config{Name: "a"}
                use(&local)
            }
            """,
        "use.go": """\
            package main

            import . "example.com/app/store"

            func use(c *Config) string {
                Reset()
                return c.Name
            }
            """,
        "side/side.go": "package side\n",
        "store/store.go": """\
            package store

            type Config struct{ Name string }

            type Store struct {
                *Base
                pool Pool
            }

            func Open(name string) (*Store, error) {
                return &Store{pool: newPool()}, nil
            }
            """,
        "store/pool.go": """\
            package store

            type Pool interface {
                Close()
            }

            type Base struct{ size int }

            func (b *Base) Size() int { return b.size }

            func (s *Store) Get(key string) int {
                s.pool.Close()
                return s.Size() + s.Base.size
            }

            func newPool() Pool { return nil }

            func Reset() {}
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges() if " -> external:" not in edge}
    assert found == {
        "main.go:11 Open -> store/store.go:Open proven",
        "main.go:12 Get -> store/pool.go:Store.Get typed",
        "main.go:13 pool -> store/store.go:Store.pool typed",
        "main.go:13 Close -> store/pool.go:Pool.Close typed",
        "main.go:14 Config -> store/store.go:Config proven",
        "main.go:14 Name -> store/store.go:Config.Name typed",
        "main.go:15 use -> use.go:use proven",
        "use.go:5 Config -> store/store.go:Config proven",
        "use.go:6 Reset -> store/pool.go:Reset proven",
        "use.go:7 Name -> store/store.go:Config.Name typed",
        "store/store.go:6 Base -> store/pool.go:Base proven",
        "store/store.go:7 Pool -> store/pool.go:Pool proven",
        "store/store.go:10 Store -> store/store.go:Store proven",
        "store/store.go:11 Store -> store/store.go:Store proven",
        "store/store.go:11 pool -> store/store.go:Store.pool typed",
        "store/store.go:11 newPool -> store/pool.go:newPool proven",
        "store/pool.go:9 Base -> store/pool.go:Base proven",
        "store/pool.go:9 size -> store/pool.go:Base.size typed",
        "store/pool.go:11 Store -> store/store.go:Store proven",
        "store/pool.go:12 pool -> store/store.go:Store.pool typed",
        "store/pool.go:12 Close -> store/pool.go:Pool.Close typed",
        "store/pool.go:13 Size -> store/pool.go:Base.Size typed",
        "store/pool.go:13 Base -> store/store.go:Store.Base typed",
        "store/pool.go:13 size -> store/pool.go:Base.size typed",
        "store/pool.go:16 Pool -> store/pool.go:Pool proven",
    }
    outside = {edge for edge in project.edges("main.go") if " -> external:" in edge}
    assert outside == {
        "main.go:12 fmt -> external:fmt proven",
        "main.go:12 Println -> external:fmt.Println proven",
    }


def test_no_phantoms() -> None:
    """Methods of unrelated types, a library's call, shadowed names, fields of nameless structs: no edge."""
    project = Project({
        "go.mod": "module example.com/app\n",
        "a.go": """\
            package app

            type Cache struct{}

            func (c *Cache) Get() {}

            type Other struct{}

            func (o Other) Get() {}

            type T struct{}

            func Parse() {}

            var name = 1
            """,
        "b.go": """\
            package app

            import "github.com/lib/json"

            func run(c *Cache, any interface{}, Parse func()) {
                c.Get()
                any.Get()
                Other{}.Get()
                (&Cache{}).Get()
                json.Parse()
                Parse()
                Get()
                row := struct{ name string }{name: "x"}
                row.name = ""
                for name := range c.items {
                    _ = name
                }
            }

            type List[T comparable] struct{ head T }

            func (l *List[T]) Push(x T) T { return l.head }
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges("b.go") if not edge.endswith("external:github.com/lib/json proven")}
    assert {edge for edge in found if "comparable" not in edge and "string" not in edge} == {
        "b.go:5 Cache -> a.go:Cache proven",
        "b.go:6 Get -> a.go:Cache.Get typed",
        "b.go:8 Other -> a.go:Other proven",
        "b.go:8 Get -> a.go:Other.Get typed",
        "b.go:9 Cache -> a.go:Cache proven",
        "b.go:9 Get -> a.go:Cache.Get typed",
        "b.go:10 Parse -> external:github.com/lib/json.Parse proven",
        "b.go:22 List -> b.go:List proven",
        "b.go:22 head -> b.go:List.head typed",
    }


def test_monorepo_with_two_services_and_a_replaced_module() -> None:
    project = Project({
        "a/go.mod": "module corp/a\n\nrequire corp/lib v1.0.0\n\nreplace corp/lib => ../lib\n",
        "a/main.go": 'package main\n\nimport "corp/lib"\n\nfunc start() { lib.Do() }\n\nfunc main() { start() }\n',
        "b/go.mod": "module corp/b\n\nrequire corp/other/lib v1.0.0\n",
        "b/main.go": (
            'package main\n\nimport lib "corp/other/lib"\n\nfunc start() { lib.Do() }\n\nfunc main() { start() }\n'
        ),
        "lib/go.mod": "module corp/lib\n",
        "lib/lib.go": "package lib\n\nfunc Do() {}\n",
    })  # fmt: skip
    assert {edge for edge in project.edges() if " lib ->" not in edge} == {
        "a/main.go:5 Do -> lib/lib.go:Do proven",
        "a/main.go:7 start -> a/main.go:start proven",
        "b/main.go:5 Do -> external:corp/other/lib.Do proven",
        "b/main.go:7 start -> b/main.go:start proven",
    }


def test_build_tags_generated_code_outer_tests_and_a_package_of_another_name() -> None:
    """Of two definitions for two systems the first is meant; a test package outside sees what it imports."""
    project = Project({
        "go.mod": "module example.com/go-conf\n",
        "open_linux.go": "//go:build linux\n\npackage config\n\nfunc open() {}\n",
        "open_windows.go": "//go:build windows\n\npackage config\n\nfunc open() {}\n",
        "gen.pb.go": "// Code generated. DO NOT EDIT.\n\npackage config\n\ntype Message struct{ Size int }\n",
        "conf.go": (
            "package config\n\nfunc Load() *Message {\n\topen()\n\topen := 1\n\t_ = open\n"
            "\treturn &Message{Size: 1}\n}\n"
        ),
        "conf_test.go": (
            'package config_test\n\nimport "example.com/go-conf"\n\nfunc open() {}\n\n'
            "func check() { open(); config.Load().Size = 2 }\n"
        ),
    })  # fmt: skip
    assert {edge for edge in project.edges() if "external" not in edge} == {
        "conf.go:3 Message -> gen.pb.go:Message proven",
        "conf.go:4 open -> open_linux.go:open proven",
        "conf.go:7 Message -> gen.pb.go:Message proven",
        "conf.go:7 Size -> gen.pb.go:Message.Size typed",
        "conf_test.go:7 open -> conf_test.go:open proven",
        "conf_test.go:7 Load -> conf.go:Load proven",
        "conf_test.go:7 Size -> gen.pb.go:Message.Size typed",
    }


def test_imports_without_a_name() -> None:
    """What another package exports is known bare; what it keeps to itself is not."""
    project = Project({
        "go.mod": "module ex.com/app\n",
        "lib/lib.go": """\
            package lib

            func Open() *Door { return nil }

            type Door struct{}

            func (d *Door) Shut() {}

            func own() {}
            """,
        "main.go": """\
            package main

            import . "ex.com/app/lib"
            import . "github.com/onsi/gomega"

            func main() {
                door := Open()
                door.Shut()
                Expect(door)
                own()
            }
            """,
        "own.go": "package main\n\nfunc own() {}\n",
    })  # fmt: skip
    assert project.edges("main.go") == {
        "main.go:7 Open -> lib/lib.go:Open proven",
        "main.go:8 Shut -> lib/lib.go:Door.Shut typed",
        "main.go:10 own -> own.go:own proven",
    }
