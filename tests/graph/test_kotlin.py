"""Kotlin: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_packages_classes_and_members() -> None:
    """Packages and imports, classes and companions, a Java class of the same package."""
    project = Project({
        "core/Item.kt": """\
            package com.x.core

            import java.util.UUID

            interface Named {
                val name: String
                fun rename(to: String): Named
            }

            private fun hidden() = 1
            fun helper(item: Item) = item.size()

            open class Base(val store: Store) {
                protected fun check() = hidden()
                fun get(): Store = store
            }

            class Item(store: Store, private val count: Int) : Base(store), Named {
                override val name = "x"
                override fun rename(to: String): Item = this
                fun size() = count + store.total
                fun id() = UUID.randomUUID()
                fun go() {
                    check()
                    this.size()
                    super.check()
                    store.put(this)
                    helper(this)
                    val other = Item(store, 1)
                    other.rename("y").name
                    missing()
                    other.missing()
                }
                companion object {
                    const val MAX = 3
                    fun of(store: Store) = Item(store, MAX)
                }
            }
            """,
        "core/Store.kt": """\
            package com.x.core

            class Store {
                var total = 0
                fun put(item: Item?) {
                    item?.go()
                    item!!.size()
                }
            }
            object Stores {
                val main: Store = Store()
                fun find(): Store = main
            }
            fun hidden() = 2
            enum class Level {
                LOW, HIGH;
                fun up() = HIGH
            }
            """,
        "core/Java.java": """\
            package com.x.core;
            public class Java { public void run() {} }
            """,
        "other/Item.kt": """\
            package com.y
            class Item {
                fun size() = 0
                fun put() {}
            }
            """,
        "app/Main.kt": """\
            package com.x.app

            import com.x.core.*
            import com.x.core.Item as Thing
            import com.x.core.Item.Companion.of
            import com.x.core.Stores.find
            import lib.put

            fun main(args: Array<String>) {
                val thing: Thing = Thing.of(Stores.main)
                thing.go()
                find().put(thing)
                thing.store.total
                helper(thing)
                hidden()
                Java().run()
                Level.HIGH.up()
                unknown.go()
                put(1)
                (args as Thing).size()
            }

            class Local {
                fun put() = 1
                fun size(helper: Thing) {
                    helper.size()
                    put()
                    helper(1)
                }
            }
            """,
    })  # fmt: skip
    assert project.edges() == {
        "app/Main.kt:4 Item -> core/Item.kt:Item proven",
        "app/Main.kt:5 of -> core/Item.kt:Item.of proven",
        "app/Main.kt:6 find -> core/Store.kt:Stores.find proven",
        "app/Main.kt:7 put -> external:lib.put proven",
        "app/Main.kt:10 Stores -> core/Store.kt:Stores proven",
        "app/Main.kt:10 Thing -> core/Item.kt:Item proven",
        "app/Main.kt:10 main -> core/Store.kt:Stores.main proven",
        "app/Main.kt:10 of -> core/Item.kt:Item.of proven",
        "app/Main.kt:11 go -> core/Item.kt:Item.go typed",
        "app/Main.kt:12 find -> core/Store.kt:Stores.find proven",
        "app/Main.kt:12 put -> core/Store.kt:Store.put typed",
        "app/Main.kt:13 store -> core/Item.kt:Base.store typed",
        "app/Main.kt:13 total -> core/Store.kt:Store.total typed",
        "app/Main.kt:14 helper -> core/Item.kt:helper proven",
        "app/Main.kt:15 hidden -> core/Store.kt:hidden proven",
        "app/Main.kt:16 Java -> core/Java.java:Java proven",
        "app/Main.kt:16 run -> core/Java.java:Java.run typed",
        "app/Main.kt:17 HIGH -> core/Store.kt:Level.HIGH proven",
        "app/Main.kt:17 Level -> core/Store.kt:Level proven",
        "app/Main.kt:17 up -> core/Store.kt:Level.up typed",
        "app/Main.kt:19 put -> external:lib.put proven",
        "app/Main.kt:20 Thing -> core/Item.kt:Item proven",
        "app/Main.kt:20 size -> core/Item.kt:Item.size typed",
        "app/Main.kt:25 Thing -> core/Item.kt:Item proven",
        "app/Main.kt:26 size -> core/Item.kt:Item.size typed",
        "app/Main.kt:27 put -> app/Main.kt:Local.put proven",
        "core/Item.kt:3 UUID -> external:java.util.UUID proven",
        "core/Item.kt:7 Named -> core/Item.kt:Named proven",
        "core/Item.kt:11 Item -> core/Item.kt:Item proven",
        "core/Item.kt:11 size -> core/Item.kt:Item.size typed",
        "core/Item.kt:13 Store -> core/Store.kt:Store proven",
        "core/Item.kt:14 hidden -> core/Item.kt:hidden proven",
        "core/Item.kt:15 Store -> core/Store.kt:Store proven",
        "core/Item.kt:15 store -> core/Item.kt:Base.store proven",
        "core/Item.kt:18 Base -> core/Item.kt:Base proven",
        "core/Item.kt:18 Named -> core/Item.kt:Named proven",
        "core/Item.kt:18 Store -> core/Store.kt:Store proven",
        "core/Item.kt:20 Item -> core/Item.kt:Item proven",
        "core/Item.kt:21 count -> core/Item.kt:Item.count proven",
        "core/Item.kt:21 total -> core/Store.kt:Store.total typed",
        "core/Item.kt:22 UUID -> external:java.util.UUID proven",
        "core/Item.kt:22 randomUUID -> external:java.util.UUID.randomUUID proven",
        "core/Item.kt:24 check -> core/Item.kt:Base.check proven",
        "core/Item.kt:25 size -> core/Item.kt:Item.size proven",
        "core/Item.kt:26 check -> core/Item.kt:Base.check proven",
        "core/Item.kt:27 put -> core/Store.kt:Store.put typed",
        "core/Item.kt:28 helper -> core/Item.kt:helper proven",
        "core/Item.kt:29 Item -> core/Item.kt:Item proven",
        "core/Item.kt:30 name -> core/Item.kt:Item.name typed",
        "core/Item.kt:30 rename -> core/Item.kt:Item.rename typed",
        "core/Item.kt:36 Item -> core/Item.kt:Item proven",
        "core/Item.kt:36 MAX -> core/Item.kt:Item.MAX proven",
        "core/Item.kt:36 Store -> core/Store.kt:Store proven",
        "core/Store.kt:5 Item -> core/Item.kt:Item proven",
        "core/Store.kt:6 go -> core/Item.kt:Item.go typed",
        "core/Store.kt:7 size -> core/Item.kt:Item.size typed",
        "core/Store.kt:11 Store -> core/Store.kt:Store proven",
        "core/Store.kt:12 Store -> core/Store.kt:Store proven",
        "core/Store.kt:12 main -> core/Store.kt:Stores.main proven",
        "core/Store.kt:17 HIGH -> core/Store.kt:Level.HIGH proven",
    }


def test_extensions_lambdas_and_shadows() -> None:
    """Extensions by the type of what they are called on; in a lambda `this` may be another."""
    project = Project({
        "a/Store.kt": """\
            package a

            open class Store {
                var total = 0
                fun put(x: Int) {}
                fun each(block: Store.() -> Unit) = block(this)
            }
            class Large : Store()
            class Other {
                fun put(x: Int) {}
            }
            fun Store.clear() {
                total = 0
                put(1)
                this.put(2)
            }
            fun Other.clear() {}
            fun String.clear() = 1
            fun Store.put(text: String) {}
            fun Store(total: Int): Store = Large()
            """,
        "b/Use.kt": """\
            package b

            import a.Store
            import a.Large
            import a.Other
            import a.clear

            class Use(val store: Store, val other: Other) {
                val total = 1
                fun put(x: Int) {}
                fun go(large: Large) {
                    store.clear()
                    large.clear()
                    other.clear()
                    large.put(1)
                    other.put(1)
                    "text".clear()
                    listOf(1).forEach { put(it) }
                    store.apply { put(1) }
                    store.each { total }
                    store.each { this.put(1) }
                    val named = object : Runnable {
                        override fun run() {
                            put(3)
                            this.put(4)
                        }
                    }
                    val total = other
                    total.put(5)
                    Store(1).total
                    run { clear() }
                }
                fun type(store: Store): Store = store
            }
            """,
        "c/Away.kt": """\
            package c

            import a.Store

            fun away(store: Store) {
                store.clear()
                store.total
            }
            """,
        "build.gradle.kts": """\
            fun helper() = 1
            """,
        "app/build.gradle.kts": """\
            helper()
            """,
    })  # fmt: skip
    assert project.edges() == {
        "a/Store.kt:6 Store -> a/Store.kt:Store proven",
        "a/Store.kt:8 Store -> a/Store.kt:Store proven",
        "a/Store.kt:12 Store -> a/Store.kt:Store proven",
        "a/Store.kt:13 total -> a/Store.kt:Store.total proven",
        "a/Store.kt:14 put -> a/Store.kt:Store.put proven",
        "a/Store.kt:17 Other -> a/Store.kt:Other proven",
        "a/Store.kt:19 Store -> a/Store.kt:Store proven",
        "a/Store.kt:20 Large -> a/Store.kt:Large proven",
        "a/Store.kt:20 Store -> a/Store.kt:Store proven",
        "b/Use.kt:3 Store -> a/Store.kt:Store proven",
        "b/Use.kt:4 Large -> a/Store.kt:Large proven",
        "b/Use.kt:5 Other -> a/Store.kt:Other proven",
        "b/Use.kt:6 clear -> a/Store.kt:Store.clear proven",
        "b/Use.kt:8 Other -> a/Store.kt:Other proven",
        "b/Use.kt:8 Store -> a/Store.kt:Store proven",
        "b/Use.kt:11 Large -> a/Store.kt:Large proven",
        "b/Use.kt:12 clear -> a/Store.kt:Store.clear typed",
        "b/Use.kt:12 store -> b/Use.kt:Use.store proven",
        "b/Use.kt:13 clear -> a/Store.kt:Store.clear typed",
        "b/Use.kt:14 clear -> a/Store.kt:Other.clear typed",
        "b/Use.kt:14 other -> b/Use.kt:Use.other proven",
        "b/Use.kt:15 put -> a/Store.kt:Store.put typed",
        "b/Use.kt:16 other -> b/Use.kt:Use.other proven",
        "b/Use.kt:16 put -> a/Store.kt:Other.put typed",
        "b/Use.kt:18 put -> b/Use.kt:Use.put proven",
        "b/Use.kt:19 store -> b/Use.kt:Use.store proven",
        "b/Use.kt:20 each -> a/Store.kt:Store.each typed",
        "b/Use.kt:20 store -> b/Use.kt:Use.store proven",
        "b/Use.kt:21 each -> a/Store.kt:Store.each typed",
        "b/Use.kt:21 store -> b/Use.kt:Use.store proven",
        "b/Use.kt:24 put -> b/Use.kt:Use.put proven",
        "b/Use.kt:28 other -> b/Use.kt:Use.other proven",
        "b/Use.kt:29 put -> a/Store.kt:Other.put typed",
        "b/Use.kt:30 Store -> a/Store.kt:Store proven",
        "b/Use.kt:30 total -> a/Store.kt:Store.total typed",
        "b/Use.kt:33 Store -> a/Store.kt:Store proven",
        "c/Away.kt:3 Store -> a/Store.kt:Store proven",
        "c/Away.kt:5 Store -> a/Store.kt:Store proven",
        "c/Away.kt:7 total -> a/Store.kt:Store.total typed",
    }


def test_one_definition_for_each_platform() -> None:
    """What is for another platform is not seen; of functions that are equally near none is meant."""
    project = Project({
        "net/common/src/Queue.kt": """\
            package net

            expect fun now(): Long
            """,
        "net/jvm/src/Queue.kt": """\
            package net

            actual fun now(): Long = 1
            class Queue {
                fun add() {}
            }
            """,
        "net/posix/src/Now.kt": """\
            package net

            actual fun now(): Long = 2
            """,
        "net/posix/src/Use.kt": """\
            package net

            import util.*

            fun use() {
                Queue().add()
                now()
            }
            """,
        "util/posix/src/Queue.kt": """\
            package util

            class Queue {
                fun add() {}
            }
            fun twice(x: Int) = 1
            """,
        "util/posix/src/More.kt": """\
            package util

            fun twice(x: String) = 1
            """,
        "app/Main.kt": """\
            package app

            import net.now
            import util.*

            fun main() {
                now()
                twice(1)
            }
            """,
    })  # fmt: skip
    assert project.edges() == {
        "app/Main.kt:3 now -> net/common/src/Queue.kt:now proven",
        "app/Main.kt:7 now -> net/common/src/Queue.kt:now proven",
        "net/posix/src/Use.kt:6 Queue -> util/posix/src/Queue.kt:Queue proven",
        "net/posix/src/Use.kt:6 add -> util/posix/src/Queue.kt:Queue.add typed",
        "net/posix/src/Use.kt:7 now -> net/posix/src/Now.kt:now proven",
    }
