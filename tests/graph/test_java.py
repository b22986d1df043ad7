"""Java: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_packages_classes_and_members() -> None:
    project = Project({
        "core/src/main/java/com/x/Base.java": """\
            package com.x;
            public abstract class Base<T extends Item> {
              protected Item item;
              Base<T> self() { return this; }
              void check(T one) { one.run(); }
            }
            """,
        "core/src/main/java/com/x/Item.java": """\
            package com.x;
            public class Item implements Runnable {
              private int size;
              public int size() { return size; }
              public void run() { run(1); }
              public void run(int n) { size(); }
              public static Item of() { return new Item(); }
              static class Inner { Item outer; }
            }
            """,
        "core/src/test/java/com/x/ItemTest.java": """\
            package com.x;
            class ItemTest extends Base<Item> {
              void test() { item.size(); check(item); super.check(null); self().check(null); }
            }
            """,
        "app/src/main/java/org/y/Main.java": """\
            package org.y;
            import com.x.Item;
            import com.x.Item.Inner;
            import static com.x.Item.of;
            import java.util.*;
            class Main {
              void go(List<Item> all, Inner inner) {
                var one = new Item();
                one.size();
                of().run();
                inner.outer.run();
                for (Item each : all) { each.run(); }
                all.forEach(Item::run);
                ((Item) all.get(0)).size();
                Object o = String.valueOf(1);
                Runnable r = new Runnable() { public void run() {} };
                run();
                size();
              }
            }
            """,
    })  # fmt: skip
    assert project.edges("core/src/main/java/com/x/Item.java") == {
        "core/src/main/java/com/x/Item.java:2 Runnable -> external:Runnable proven",
        "core/src/main/java/com/x/Item.java:4 size -> core/src/main/java/com/x/Item.java:Item.size proven",
        "core/src/main/java/com/x/Item.java:5 run -> core/src/main/java/com/x/Item.java:Item.run proven",
        "core/src/main/java/com/x/Item.java:6 size -> core/src/main/java/com/x/Item.java:Item.size proven",
        "core/src/main/java/com/x/Item.java:7 Item -> core/src/main/java/com/x/Item.java:Item proven",
        "core/src/main/java/com/x/Item.java:8 Item -> core/src/main/java/com/x/Item.java:Item proven",
    }
    item, base = "core/src/main/java/com/x/Item.java:Item", "core/src/main/java/com/x/Base.java:Base"
    assert project.edges("core/src/main/java/com/x/Base.java") == {
        f"core/src/main/java/com/x/Base.java:2 Item -> {item} proven",
        f"core/src/main/java/com/x/Base.java:3 Item -> {item} proven",
        f"core/src/main/java/com/x/Base.java:4 Base -> {base} proven",
        f"core/src/main/java/com/x/Base.java:5 run -> {item}.run typed",
    }
    test = "core/src/test/java/com/x/ItemTest.java"
    assert project.edges(test) == {
        f"{test}:2 Base -> {base} proven",
        f"{test}:2 Item -> {item} proven",
        f"{test}:3 item -> {base}.item proven",
        f"{test}:3 size -> {item}.size typed",
        f"{test}:3 check -> {base}.check proven",
        f"{test}:3 self -> {base}.self proven",
        f"{test}:3 check -> {base}.check typed",
    }
    main = "app/src/main/java/org/y/Main.java"
    assert project.edges(main) == {
        f"{main}:2 Item -> {item} proven",
        f"{main}:3 Inner -> {item}.Inner proven",
        f"{main}:4 of -> {item}.of proven",
        f"{main}:7 Item -> {item} proven",
        f"{main}:7 Inner -> {item}.Inner proven",
        f"{main}:8 Item -> {item} proven",
        f"{main}:9 size -> {item}.size typed",
        f"{main}:10 of -> {item}.of proven",
        f"{main}:10 run -> {item}.run typed",
        f"{main}:11 outer -> {item}.Inner.outer typed",
        f"{main}:11 run -> {item}.run typed",
        f"{main}:12 Item -> {item} proven",
        f"{main}:12 run -> {item}.run typed",
        f"{main}:13 Item -> {item} proven",
        f"{main}:13 run -> {item}.run proven",
        f"{main}:14 Item -> {item} proven",
        f"{main}:14 size -> {item}.size typed",
        f"{main}:15 Object -> external:Object proven",
        f"{main}:15 String -> external:String proven",
        f"{main}:15 valueOf -> external:String.valueOf proven",
        f"{main}:16 Runnable -> external:Runnable proven",
    }


def test_the_nearest_of_equal_names() -> None:
    """Two services with the same package and class; a library's class with a project's name."""
    service = "package com.x; public class Api { public void call() {} }\n"
    user = (
        "package com.x.web; import com.x.*; import lib.Other; class Web { void f(Api a) { a.call(); Other.call(); } }\n"
    )
    project = Project({
        "one/src/com/x/Api.java": service,
        "one/src/com/x/web/Web.java": user,
        "two/src/com/x/Api.java": service,
        "two/src/com/x/web/Web.java": user,
        "two/src/com/z/Other.java": "package com.z; class Other { static void call() {} }\n",
    })  # fmt: skip
    for name in ("one", "two"):
        path = f"{name}/src/com/x/web/Web.java"
        assert project.edges(path) == {
            f"{path}:1 Api -> {name}/src/com/x/Api.java:Api proven",
            f"{path}:1 call -> {name}/src/com/x/Api.java:Api.call typed",
            f"{path}:1 Other -> external:lib.Other proven",
            f"{path}:1 call -> external:lib.Other.call proven",
        }


def test_a_call_of_overloads_gives_nothing_known() -> None:
    project = Project({
        "p/P.java": """\
            package p;
            class P {
                static P of(Object o) { return null; }
                static Q of(String s) { return null; }
                P same(int a) { return this; }
                P same(String a) { return this; }
                void close() {}
                void use() {
                    P.of("x").close();
                    same(1).close();
                }
            }
            class Q { void close() {} }
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges() if edge.startswith(("p/P.java:9", "p/P.java:10"))}
    assert found == {
        "p/P.java:9 P -> p/P.java:P proven",
        "p/P.java:9 of -> p/P.java:P.of proven",
        "p/P.java:10 same -> p/P.java:P.same proven",
        "p/P.java:10 close -> p/P.java:P.close typed",
    }


def test_objects_around_and_classes_without_names() -> None:
    project = Project({
        "p/P.java": """\
            package p;
            class P {
                int size;
                void name() {}
                class Builder {
                    void name() {}
                    void go() {
                        P.this.name();
                        name();
                        call(P.this.size);
                    }
                }
                interface I { default void d() {} }
                interface J { default void d() {} }
                static class IJ implements I, J {
                    public void d() { J.super.d(); }
                }
                void use() {
                    Runnable r = new Runnable() {
                        public void run() {
                            call();
                            name();
                            new Builder();
                            this.call();
                        }
                        public void call() {}
                    };
                    name();
                }
                void call() {}
                class Inner extends Base {
                    void go() {
                        name();
                        call();
                    }
                }
            }
            class Base { void name() {} }
            """,
    })  # fmt: skip
    assert project.lines("p/P.java", "name") == {8: 4, 9: 6, 28: 4, 33: 38}
    assert project.lines("p/P.java", "size") == {10: 3}
    assert project.lines("p/P.java", "call") == {10: 30, 21: 26, 34: 30}
    assert project.lines("p/P.java", "Builder") == {23: 5}
    assert project.lines("p/P.java", "d") == {16: 14}


def test_fields_and_methods_are_apart() -> None:
    project = Project({
        "p/A.java": """\
            package p;
            class A {
                int size;
                int g() { return 1; }
                class E {
                    public int size() {
                        return size;
                    }
                    int twice() { return size(); }
                }
                class F {
                    int g;
                    int h() { return g(); }
                }
                Runnable run() { return this::go; }
                void go() {}
            }
            """,
        "p/P.java": """\
            package p;
            record P(int x, int y) {
                int sum() { return x + y(); }
            }
            """,
    })  # fmt: skip
    assert project.lines("p/A.java", "size") == {7: 3, 9: 6}
    assert project.lines("p/A.java", "g") == {13: 4}
    assert project.lines("p/A.java", "go") == {15: 16}
    assert {edge for edge in project.edges("p/P.java") if " x " in edge or " y " in edge} == {
        "p/P.java:3 x -> p/P.java:P.x proven",
        "p/P.java:3 y -> p/P.java:P.y proven",
    }


def test_what_a_class_inherits_is_not_looked_for_in_it_and_type_arguments_are_skipped() -> None:
    project = Project({
        "p/Builder.java": "package p;\ninterface Builder { }\n",
        "p/X.java": """\
            package p;
            class X implements Builder {
                static class Builder { static <T> X of() { return null; } }
                static X of() { return null; }
                X make() {
                    return Builder.<java.util.List<String>>of().make();
                }
            }
            """,
    })  # fmt: skip
    wanted = (" Builder ", " of ", " make ")
    assert {edge for edge in project.edges("p/X.java") if any(name in edge for name in wanted)} == {
        "p/X.java:2 Builder -> p/Builder.java:Builder proven",
        "p/X.java:6 Builder -> p/X.java:X.Builder proven",
        "p/X.java:6 of -> p/X.java:X.Builder.of proven",
        "p/X.java:6 make -> p/X.java:X.make typed",
    }
