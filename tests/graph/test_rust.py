"""Rust: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


def test_modules_uses_impls_and_traits() -> None:
    project = Project({
        "Cargo.toml": '[package]\nname = "my-app"\n',
        "src/lib.rs": """\
            mod shapes;
            pub mod util;

            pub use shapes::{Circle, kinds::Kind};

            pub fn run() {
                let circle = Circle::new(1);
                circle.grow().area();
                util::log(circle.radius);
                match Kind::Round {
                    Kind::Round => {}
                }
            }
            """,
        "src/shapes/mod.rs": """\
            pub mod kinds;

            use crate::util::{self, log};
            use super::run;

            pub trait Shape {
                fn area(&self) -> i32;

                fn twice(&self) -> i32 {
                    self.area()
                }
            }

            pub struct Circle {
                pub radius: i32,
            }

            impl Circle {
                pub fn new(radius: i32) -> Self {
                    log(radius);
                    util::log(radius);
                    run();
                    Self { radius }
                }

                pub fn grow(self) -> Circle {
                    Circle { radius: self.radius }
                }
            }
            """,
        "src/shapes/kinds.rs": """\
            use super::{Circle, Shape};

            pub enum Kind {
                Round,
            }

            impl Shape for Circle {
                fn area(&self) -> i32 {
                    self.radius
                }
            }

            fn both(circle: &Circle, any: &dyn Shape) {
                circle.twice();
                any.area();
            }
            """,
        "src/util.rs": "pub fn log(value: i32) {}\n",
        "src/main.rs": "use my_app::run;\n\nfn main() {\n    run();\n    my_app::util::log(1);\n}\n",
    })  # fmt: skip
    assert inside(project, "src/lib.rs") == {
        "src/lib.rs:1 shapes -> src/shapes/mod.rs: proven",
        "src/lib.rs:2 util -> src/util.rs: proven",
        "src/lib.rs:4 shapes -> src/shapes/mod.rs: proven",
        "src/lib.rs:4 Circle -> src/shapes/mod.rs:Circle proven",
        "src/lib.rs:4 kinds -> src/shapes/kinds.rs: proven",
        "src/lib.rs:4 Kind -> src/shapes/kinds.rs:Kind proven",
        "src/lib.rs:7 Circle -> src/shapes/mod.rs:Circle proven",
        "src/lib.rs:7 new -> src/shapes/mod.rs:Circle.new proven",
        "src/lib.rs:8 grow -> src/shapes/mod.rs:Circle.grow typed",
        "src/lib.rs:8 area -> src/shapes/kinds.rs:Circle.area typed",
        "src/lib.rs:9 util -> src/util.rs: proven",
        "src/lib.rs:9 log -> src/util.rs:log proven",
        "src/lib.rs:9 radius -> src/shapes/mod.rs:Circle.radius typed",
        "src/lib.rs:10 Kind -> src/shapes/kinds.rs:Kind proven",
        "src/lib.rs:10 Round -> src/shapes/kinds.rs:Kind.Round proven",
        "src/lib.rs:11 Kind -> src/shapes/kinds.rs:Kind proven",
        "src/lib.rs:11 Round -> src/shapes/kinds.rs:Kind.Round proven",
    }
    assert inside(project, "src/shapes/mod.rs") == {
        "src/shapes/mod.rs:1 kinds -> src/shapes/kinds.rs: proven",
        "src/shapes/mod.rs:3 util -> src/util.rs: proven",
        "src/shapes/mod.rs:3 log -> src/util.rs:log proven",
        "src/shapes/mod.rs:4 run -> src/lib.rs:run proven",
        "src/shapes/mod.rs:10 area -> src/shapes/mod.rs:Shape.area proven",
        "src/shapes/mod.rs:19 Self -> src/shapes/mod.rs:Circle proven",
        "src/shapes/mod.rs:20 log -> src/util.rs:log proven",
        "src/shapes/mod.rs:21 util -> src/util.rs: proven",
        "src/shapes/mod.rs:21 log -> src/util.rs:log proven",
        "src/shapes/mod.rs:22 run -> src/lib.rs:run proven",
        "src/shapes/mod.rs:23 Self -> src/shapes/mod.rs:Circle proven",
        "src/shapes/mod.rs:26 Circle -> src/shapes/mod.rs:Circle proven",
        "src/shapes/mod.rs:27 Circle -> src/shapes/mod.rs:Circle proven",
        "src/shapes/mod.rs:27 radius -> src/shapes/mod.rs:Circle.radius typed",
        "src/shapes/mod.rs:27 radius -> src/shapes/mod.rs:Circle.radius proven",
    }
    assert inside(project, "src/shapes/kinds.rs") == {
        "src/shapes/kinds.rs:1 Circle -> src/shapes/mod.rs:Circle proven",
        "src/shapes/kinds.rs:1 Shape -> src/shapes/mod.rs:Shape proven",
        "src/shapes/kinds.rs:7 Shape -> src/shapes/mod.rs:Shape proven",
        "src/shapes/kinds.rs:9 radius -> src/shapes/mod.rs:Circle.radius proven",
        "src/shapes/kinds.rs:13 Circle -> src/shapes/mod.rs:Circle proven",
        "src/shapes/kinds.rs:13 Shape -> src/shapes/mod.rs:Shape proven",
        "src/shapes/kinds.rs:14 twice -> src/shapes/mod.rs:Shape.twice typed",
        "src/shapes/kinds.rs:15 area -> src/shapes/mod.rs:Shape.area typed",
    }
    assert inside(project, "src/main.rs") == {
        "src/main.rs:1 my_app -> src/lib.rs: proven",
        "src/main.rs:1 run -> src/lib.rs:run proven",
        "src/main.rs:4 run -> src/lib.rs:run proven",
        "src/main.rs:5 my_app -> src/lib.rs: proven",
        "src/main.rs:5 util -> src/util.rs: proven",
        "src/main.rs:5 log -> src/util.rs:log proven",
    }


def test_no_phantoms() -> None:
    """Methods of unrelated types, libraries, shadowed names, type parameters, fields beside methods: no wrong edge."""
    project = Project({
        "Cargo.toml": '[package]\nname = "app"\n',
        "src/lib.rs": """\
            use std::collections::HashMap;

            pub struct Cache { name: String }

            impl Cache {
                fn get(&self) {}
                fn name(&self) {}
            }

            struct Other;

            impl Other {
                fn get(&self) {}
            }

            struct T;

            fn parse() {}

            impl Trait for (T, Other) {
                fn loose() {}
            }

            fn run<T>(cache: &Cache, unknown: impl Fn(), parse: fn(), item: T) {
                cache.get();
                cache.name();
                cache.name;
                unknown.get();
                Other.get();
                parse();
                serde_json::parse();
                loose();
                HashMap::new().get();
                let item: T = item;
            }

            mod closed {
                fn inner() {
                    parse();
                }
            }

            #[cfg(test)]
            mod tests {
                use super::*;

                #[test]
                fn parse_works() {
                    parse();
                    vec![Other { parse: 1 }];
                }
            }
            """,
    })  # fmt: skip
    found = {edge for edge in inside(project) if not edge.split()[0].endswith((":3", ":20"))}
    assert found == {
        "src/lib.rs:24 Cache -> src/lib.rs:Cache proven",
        "src/lib.rs:25 get -> src/lib.rs:Cache.get typed",
        "src/lib.rs:26 name -> src/lib.rs:Cache.name typed",
        "src/lib.rs:27 name -> src/lib.rs:Cache.name typed",
        "src/lib.rs:29 Other -> src/lib.rs:Other proven",
        "src/lib.rs:29 get -> src/lib.rs:Other.get proven",
        "src/lib.rs:49 parse -> src/lib.rs:parse proven",
        "src/lib.rs:50 Other -> src/lib.rs:Other proven",
    }


def test_workspace_globs_macros_and_generic_bounds() -> None:
    project = Project({
        "core/Cargo.toml": '[package]\nname = "app-core"\n\n[lib]\nname = "app_core"\n',
        "core/src/lib.rs": """\
            pub mod prelude {
                pub use crate::Handler;
            }

            pub trait Handler {
                fn call(&self);
            }

            pub fn start() {}
            """,
        "one/Cargo.toml": '[package]\nname = "one"\n',
        "one/src/main.rs": """\
            use app_core::prelude::*;

            #[macro_use]
            mod macros;
            mod work;

            fn start() {}

            fn serve<H>(handler: H, other: impl Handler)
            where
                H: Handler,
            {
                handler.call();
                other.call();
                start();
                app_core::start();
            }
            """,
        "one/src/macros.rs": "macro_rules! tri { ($e:expr) => { $e } }\n",
        "one/src/work.rs": "fn go() {\n    tri!(1);\n    crate::start();\n    tokio::start();\n}\n",
        "two/Cargo.toml": '[package]\nname = "two"\n',
        "two/src/main.rs": "fn start() {}\n\nfn main() {\n    start();\n}\n",
    })  # fmt: skip
    assert inside(project) == {
        "core/src/lib.rs:2 Handler -> core/src/lib.rs:Handler proven",
        "one/src/main.rs:1 app_core -> core/src/lib.rs: proven",
        "one/src/main.rs:1 prelude -> core/src/lib.rs:prelude proven",
        "one/src/main.rs:4 macros -> one/src/macros.rs: proven",
        "one/src/main.rs:5 work -> one/src/work.rs: proven",
        "one/src/main.rs:9 Handler -> core/src/lib.rs:Handler proven",
        "one/src/main.rs:11 Handler -> core/src/lib.rs:Handler proven",
        "one/src/main.rs:13 call -> core/src/lib.rs:Handler.call typed",
        "one/src/main.rs:14 call -> core/src/lib.rs:Handler.call typed",
        "one/src/main.rs:15 start -> one/src/main.rs:start proven",
        "one/src/main.rs:16 app_core -> core/src/lib.rs: proven",
        "one/src/main.rs:16 start -> core/src/lib.rs:start proven",
        "one/src/work.rs:2 tri -> one/src/macros.rs:tri proven",
        "one/src/work.rs:3 start -> one/src/main.rs:start proven",
        "two/src/main.rs:4 start -> two/src/main.rs:start proven",
    }


def test_crates_that_begin_where_the_manifest_says() -> None:
    project = Project({
        "Cargo.toml": """\
            [package]
            name = "tool"

            [lib]
            path = "source/entry.rs"

            [[bin]]
            name = "cli"
            path = "cmd/start.rs"
            """,
        "source/entry.rs": "mod inner;\npub mod shown;\npub fn top() { inner::deep(); crate::shown::seen(); }\n",
        "source/inner.rs": "pub fn deep() { crate::top(); super::top(); }\n",
        "source/shown.rs": "pub fn seen() {}\n",
        "cmd/start.rs": "mod args;\nuse tool::shown::seen;\nfn main() { args::read(); seen(); }\nfn help() {}\n",
        "cmd/args.rs": "pub fn read() { crate::help(); }\n",
        "src/lib.rs": "pub fn seen() {}\npub fn help() {}\n",
    })  # fmt: skip
    assert {edge for edge in project.edges() if not edge.endswith(": proven")} == {
        "source/entry.rs:3 deep -> source/inner.rs:deep proven",
        "source/entry.rs:3 seen -> source/shown.rs:seen proven",
        "source/inner.rs:1 top -> source/entry.rs:top proven",
        "cmd/start.rs:2 seen -> source/shown.rs:seen proven",
        "cmd/start.rs:3 read -> cmd/args.rs:read proven",
        "cmd/start.rs:3 seen -> source/shown.rs:seen proven",
        "cmd/args.rs:1 help -> cmd/start.rs:help proven",
    }


def test_macros_and_functions_of_one_name_are_apart() -> None:
    project = Project({
        "Cargo.toml": "[package]\nname = 'x'\n",
        "src/main.rs": """\
            mod log;
            use crate::log::shout;
            macro_rules! twice { () => {} }
            fn twice() {}
            fn format() {}
            fn main() {
                format!("x");
                format();
                log::info!("x");
                log::info();
                twice!();
                twice();
                shout!();
                crate::quiet!();
            }
            """,
        "src/log.rs": """\
            pub fn info() {}
            macro_rules! shout { () => {} }
            #[macro_export]
            macro_rules! quiet { () => {} }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges("src/main.rs") if " log " not in edge} == {
        "src/main.rs:2 shout -> src/log.rs:shout proven",
        "src/main.rs:7 format -> external:format proven",
        "src/main.rs:8 format -> src/main.rs:format proven",
        "src/main.rs:10 info -> src/log.rs:info proven",
        "src/main.rs:11 twice -> src/main.rs:twice proven",
        "src/main.rs:12 twice -> src/main.rs:twice proven",
        "src/main.rs:13 shout -> src/log.rs:shout proven",
        "src/main.rs:14 quiet -> src/log.rs:quiet proven",
    }
    assert project.lines("src/main.rs", "twice") == {11: 3, 12: 4}


def test_what_a_type_has_for_some_arguments_only() -> None:
    project = Project({
        "Cargo.toml": "[package]\nname = 'x'\n",
        "src/main.rs": """\
            struct Of<T>(T);
            impl Of<u8> { fn get(&self) {} }
            impl Of<String> { fn get(&self) {} }
            impl<T> Of<T> { fn size(&self) {} }
            trait Go { fn size(&self); fn run(&self); }
            impl<T> Go for Of<T> { fn size(&self) {} fn run(&self) {} }
            fn main() {
                let of = Of(1);
                of.get();
                of.size();
                of.run();
            }
            """,
    })  # fmt: skip
    assert project.lines("src/main.rs", "get") == {}
    assert project.lines("src/main.rs", "size") == {10: 4}  # its own before a trait's
    assert project.lines("src/main.rs", "run") == {11: 6}
