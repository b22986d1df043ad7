"""C++: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_classes_namespaces_and_methods_outside_of_classes() -> None:
    project = Project({
        "geo/shape.hpp": """\
            namespace geo {

            class Shape {
             public:
              virtual int area() const;
              int scale(int by);
              int factor_;
            };

            class Circle : public Shape {
             public:
              Circle(int r) : radius_(r) {}
              int area() const override { return this->radius_ * factor_; }
             private:
              int radius_;
            };

            int total(const Shape& shape);

            }
            """,
        "geo/shape.cpp": """\
            #include "shape.hpp"

            namespace geo {

            int Shape::area() const { return 0; }

            int Shape::scale(int by) {
              factor_ = by;
              return this->area();
            }

            int total(const Shape& shape) { return shape.area(); }

            }
            """,
        "main.cpp": """\
            #include <string>
            #include "geo/shape.hpp"

            template <typename Shape>
            int twice(Shape shape) { return shape.area(); }

            int main() {
              geo::Circle circle(1);
              auto other = new geo::Circle(2);
              std::string area = "x";
              circle.scale(2);
              other->area();
              return geo::total(circle) + std::total(circle);
            }
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges() if " -> external:" not in edge}
    assert found == {
        "geo/shape.hpp:10 Shape -> geo/shape.hpp:geo.Shape proven",
        "geo/shape.hpp:12 radius_ -> geo/shape.hpp:geo.Circle.radius_ proven",
        "geo/shape.hpp:13 radius_ -> geo/shape.hpp:geo.Circle.radius_ proven",
        "geo/shape.hpp:13 factor_ -> geo/shape.hpp:geo.Shape.factor_ proven",
        "geo/shape.hpp:18 Shape -> geo/shape.hpp:geo.Shape proven",
        "geo/shape.cpp:5 Shape -> geo/shape.hpp:geo.Shape proven",
        "geo/shape.cpp:7 Shape -> geo/shape.hpp:geo.Shape proven",
        "geo/shape.cpp:8 factor_ -> geo/shape.hpp:geo.Shape.factor_ proven",
        "geo/shape.cpp:9 area -> geo/shape.cpp:geo.Shape.area proven",
        "geo/shape.cpp:12 Shape -> geo/shape.hpp:geo.Shape proven",
        "geo/shape.cpp:12 area -> geo/shape.cpp:geo.Shape.area typed",
        "main.cpp:8 geo -> geo/shape.hpp:geo proven",
        "main.cpp:8 Circle -> geo/shape.hpp:geo.Circle proven",
        "main.cpp:9 geo -> geo/shape.hpp:geo proven",
        "main.cpp:9 Circle -> geo/shape.hpp:geo.Circle proven",
        "main.cpp:11 scale -> geo/shape.cpp:geo.Shape.scale typed",
        "main.cpp:12 area -> geo/shape.hpp:geo.Circle.area typed",
        "main.cpp:13 geo -> geo/shape.hpp:geo proven",
        "main.cpp:13 total -> geo/shape.cpp:geo.total proven",
    }
    assert "main.cpp:13 total -> external:std.total proven" in project.edges("main.cpp")


def test_no_phantoms() -> None:
    """Methods of unrelated classes, overloads, a namespace that a macro opens."""
    project = Project({
        "lib.hpp": """\
            #define LIB_BEGIN namespace lib {
            #define LIB_END }

            LIB_BEGIN

            struct Cache {
              int get();
              int get(int key);
            };

            int parse(int x);

            LIB_END
            """,
        "use.cpp": """\
            #include "lib.hpp"

            struct Other {
              int get() { return 1; }
            };

            template <typename T>
            int run(T any, lib::Cache& cache, Other* other) {
              any.get();
              cache.get();
              other->get();
              lib::parse(1);
              json::parse(1);
            }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges("use.cpp") if " get " in edge or " parse " in edge} == {
        "use.cpp:10 get -> lib.hpp:Cache.get typed",
        "use.cpp:11 get -> use.cpp:Other.get typed",
        "use.cpp:12 parse -> lib.hpp:parse proven",
    }


def test_a_call_of_overloads_gives_nothing_known() -> None:
    project = Project({
        "a.cpp": """\
            struct Bar { void close(int); };
            class Foo {
             public:
              void close(int);
              Foo over(int);
              Bar over(const char*);
              Bar one(int);
            };
            void f(Foo& f) {
              f.over("x").close(1);
              f.one(1).close(1);
            }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if edge.startswith(("a.cpp:10", "a.cpp:11"))} == {
        "a.cpp:10 over -> a.cpp:Foo.over typed",
        "a.cpp:11 one -> a.cpp:Foo.one typed",
        "a.cpp:11 close -> a.cpp:Bar.close typed",
    }


def test_members_come_before_functions_of_the_file() -> None:
    project = Project({
        "a.cpp": """\
            class Base { public: void stop(); };
            class Foo : public Base {
             public:
              void close(int);
              void v();
              void w() { stop(); help(); }
            };
            static void close(int) {}
            static void stop() {}
            static void help() {}
            void Foo::v() {
              close(1);
              stop();
              help();
              Foo x;
            }
            void free() { close(1); }
            namespace n {
            static void inner() {}
            class Bar { void b(); };
            void Bar::b() { inner(); help(); }
            }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if int(edge[6:].split()[0]) > 4} == {
        "a.cpp:6 stop -> a.cpp:Base.stop proven",
        "a.cpp:6 help -> a.cpp:help proven",
        "a.cpp:11 Foo -> a.cpp:Foo proven",
        "a.cpp:12 close -> a.cpp:Foo.close proven",
        "a.cpp:13 stop -> a.cpp:Base.stop proven",
        "a.cpp:14 help -> a.cpp:help proven",
        "a.cpp:15 Foo -> a.cpp:Foo proven",
        "a.cpp:17 close -> a.cpp:close proven",
        "a.cpp:21 Bar -> a.cpp:n.Bar proven",
        "a.cpp:21 inner -> a.cpp:n.inner proven",
        "a.cpp:21 help -> a.cpp:help proven",
    }


def test_names_of_classes_constants_of_their_own_and_types_without_a_name() -> None:
    project = Project({
        "a.cpp": """\
            enum class align { none, left };
            enum class state { start, align };
            enum plain { one, two };
            class Box {
             public:
              Box() {}
              Box(const Box&) = delete;
              Box& self() { return *this; }
            };
            align f() {
              return align::none;
            }
            int g() { return one + left; }
            void parse(int specs) {
              struct { int specs; } field;
              specs = 1;
              field.specs = 1;
            }
            """,
    })  # fmt: skip
    assert project.lines("a.cpp", "Box") == {7: 4, 8: 4}
    assert {edge for edge in project.edges() if " Box " not in edge} == {
        "a.cpp:10 align -> a.cpp:align proven",
        "a.cpp:11 align -> a.cpp:align proven",
        "a.cpp:11 none -> a.cpp:align.none proven",
        "a.cpp:13 one -> a.cpp:plain.one proven",
    }
