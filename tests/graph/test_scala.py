"""Scala: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_packages_objects_and_members() -> None:
    """Packages and their objects, companions, imports of both versions of the language."""
    project = Project({
        "core/Item.scala": """\
            package com.x
            package core

            import java.util.{UUID, List => JList}

            trait Named {
              def name: String
              def describe: String = name
            }

            abstract class Base(val store: Store) {
              protected def check(): Store = store
            }

            class Item(store: Store, count: Int) extends Base(store) with Named {
              def name = "x"
              def size: Int = count + store.total
              def go(other: Item): Unit = {
                check().put(other)
                this.size
                super.check()
                other.store.put(this)
                val made = Item(1)
                made.size
                val again = new Item(store, 2)
                again.describe
                UUID.randomUUID()
                other match {
                  case item: Item => item.size
                  case x => x.size
                }
                List(1).map(size => size + 1)
                other.first.size
                helper(other)
                other should be(3)
                val anonymous = new Named { def name = describe }
                missing()
              }
              def first: Item = this
            }

            object Item {
              val MAX = 3
              def apply(count: Int): Item = new Item(Store.main, MAX)
              def describe = 1
            }
            case class Store(total: Int) {
              def put(item: Item): Unit = item.go(item)
            }
            object Store { val main: Store = Store(0) }
            """,
        "core/package.scala": """\
            package com.x

            package object core {
              def helper(item: Item): Int = item.size
              type Shop = Store
            }
            """,
        "root/Top.scala": """\
            package com.x
            class Top { def run() = 1 }
            """,
        "other/Item.scala": """\
            package com.y
            class Item { def size = 0 }
            """,
        "app/Main.scala": """\
            package com.x.app

            import com.x.core._
            import com.x.core.Item.MAX
            import com.x.core.{Item => Thing, Store}
            import com.x.Top

            object Main {
              def main(args: Array[String]): Unit = {
                val thing: Thing = Thing(MAX)
                thing.go(thing)
                Store.main.put(thing)
                helper(thing)
                new Top().run()
                val shop: Shop = Store(1)
                shop.put(thing)
                unknown.size
                Item.apply(1).describe
                for (each <- args) each.size
                put(size = 1)
              }
              def put(size: Int): Unit = ()
            }
            """,
        "app/Uses.scala": """\
            package com.x.core

            class Uses {
              val top: Top = null
              val item = Item(1)
              def f = item.store.total
            }
            """,
        "three/Three.scala": """\
            package com.z

            import com.x.core.*
            import com.x.core.{Store as Shop, given}

            enum Color:
              case Red, Green

            extension (item: Item)
              def twice: Int = item.size

            def top(shop: Shop)(using item: Item): Int =
              val color = Color.Red
              item.describe
              shop.total
            """,
        "blocks/Blocks.scala": """\
            package one {
              class First { def f = new Second }
            }
            package two {
              class Second { def f = new First }
            }
            """,
    })  # fmt: skip
    assert project.edges() == {
        "app/Main.scala:4 MAX -> core/Item.scala:Item.MAX proven",
        "app/Main.scala:5 Item -> core/Item.scala:Item proven",
        "app/Main.scala:5 Store -> core/Item.scala:Store proven",
        "app/Main.scala:6 Top -> root/Top.scala:Top proven",
        "app/Main.scala:10 MAX -> core/Item.scala:Item.MAX proven",
        "app/Main.scala:10 Thing -> core/Item.scala:Item proven",
        "app/Main.scala:11 go -> core/Item.scala:Item.go typed",
        "app/Main.scala:12 Store -> core/Item.scala:Store proven",
        "app/Main.scala:12 main -> core/Item.scala:Store.main proven",
        "app/Main.scala:12 put -> core/Item.scala:Store.put typed",
        "app/Main.scala:13 helper -> core/package.scala:core.helper proven",
        "app/Main.scala:14 Top -> root/Top.scala:Top proven",
        "app/Main.scala:14 run -> root/Top.scala:Top.run typed",
        "app/Main.scala:15 Shop -> core/package.scala:core.Shop proven",
        "app/Main.scala:15 Store -> core/Item.scala:Store proven",
        "app/Main.scala:16 put -> core/Item.scala:Store.put typed",
        "app/Main.scala:18 Item -> core/Item.scala:Item proven",
        "app/Main.scala:18 apply -> core/Item.scala:Item.apply proven",
        "app/Main.scala:20 put -> app/Main.scala:Main.put proven",
        "app/Uses.scala:5 Item -> core/Item.scala:Item proven",
        "app/Uses.scala:6 item -> app/Uses.scala:Uses.item proven",
        "app/Uses.scala:6 store -> core/Item.scala:Base.store typed",
        "app/Uses.scala:6 total -> core/Item.scala:Store.total typed",
        "core/Item.scala:4 List -> external:java.util.List proven",
        "core/Item.scala:4 UUID -> external:java.util.UUID proven",
        "core/Item.scala:8 name -> core/Item.scala:Named.name proven",
        "core/Item.scala:11 Store -> core/Item.scala:Store proven",
        "core/Item.scala:12 Store -> core/Item.scala:Store proven",
        "core/Item.scala:12 store -> core/Item.scala:Base.store proven",
        "core/Item.scala:15 Base -> core/Item.scala:Base proven",
        "core/Item.scala:15 Named -> core/Item.scala:Named proven",
        "core/Item.scala:15 Store -> core/Item.scala:Store proven",
        "core/Item.scala:17 total -> core/Item.scala:Store.total typed",
        "core/Item.scala:18 Item -> core/Item.scala:Item proven",
        "core/Item.scala:19 check -> core/Item.scala:Base.check proven",
        "core/Item.scala:19 put -> core/Item.scala:Store.put typed",
        "core/Item.scala:20 size -> core/Item.scala:Item.size proven",
        "core/Item.scala:21 check -> core/Item.scala:Base.check proven",
        "core/Item.scala:22 put -> core/Item.scala:Store.put typed",
        "core/Item.scala:22 store -> core/Item.scala:Base.store typed",
        "core/Item.scala:23 Item -> core/Item.scala:Item proven",
        "core/Item.scala:24 size -> core/Item.scala:Item.size typed",
        "core/Item.scala:25 Item -> core/Item.scala:Item proven",
        "core/Item.scala:26 describe -> core/Item.scala:Named.describe typed",
        "core/Item.scala:27 UUID -> external:java.util.UUID proven",
        "core/Item.scala:27 randomUUID -> external:java.util.UUID.randomUUID proven",
        "core/Item.scala:29 Item -> core/Item.scala:Item proven",
        "core/Item.scala:29 size -> core/Item.scala:Item.size typed",
        "core/Item.scala:33 first -> core/Item.scala:Item.first typed",
        "core/Item.scala:33 size -> core/Item.scala:Item.size typed",
        "core/Item.scala:34 helper -> core/package.scala:core.helper proven",
        "core/Item.scala:36 Named -> core/Item.scala:Named proven",
        "core/Item.scala:36 describe -> core/Item.scala:Named.describe proven",
        "core/Item.scala:39 Item -> core/Item.scala:Item proven",
        "core/Item.scala:44 Item -> core/Item.scala:Item proven",
        "core/Item.scala:44 MAX -> core/Item.scala:Item.MAX proven",
        "core/Item.scala:44 Store -> core/Item.scala:Store proven",
        "core/Item.scala:44 main -> core/Item.scala:Store.main proven",
        "core/Item.scala:48 Item -> core/Item.scala:Item proven",
        "core/Item.scala:48 go -> core/Item.scala:Item.go typed",
        "core/Item.scala:50 Store -> core/Item.scala:Store proven",
        "core/package.scala:4 Item -> core/Item.scala:Item proven",
        "core/package.scala:4 size -> core/Item.scala:Item.size typed",
        "core/package.scala:5 Store -> core/Item.scala:Store proven",
        "three/Three.scala:4 Store -> core/Item.scala:Store proven",
        "three/Three.scala:12 Item -> core/Item.scala:Item proven",
        "three/Three.scala:12 Shop -> core/Item.scala:Store proven",
        "three/Three.scala:13 Color -> three/Three.scala:Color proven",
        "three/Three.scala:13 Red -> three/Three.scala:Color.Red proven",
        "three/Three.scala:14 describe -> core/Item.scala:Named.describe typed",
        "three/Three.scala:15 total -> core/Item.scala:Store.total typed",
    }


def test_what_a_companion_applies_and_which_trait_is_meant() -> None:
    project = Project({
        "a.scala": """\
            class Point(val x: Int) { def move(): Point = this }
            object Point { def apply(x: Int): Shape = new Shape() }
            class Shape { def move(): Shape = this }
            case class Plain(x: Int) { def go(): Unit = () }
            object Plain { def zero = 0 }
            trait A { def hi() = 1; def one() = 1 }
            trait B { def hi() = 2 }
            class C extends A with B {
              def f() = {
                val shape = Point(1)
                shape.move()
                val point = new Point(1)
                point.move()
                val plain = Plain(1)
                plain.go()
                hi()
                one()
              }
            }
            """,
    })  # fmt: skip
    wanted = (" move ", " go ", " hi ", " one ")
    assert {edge for edge in project.edges() if any(name in edge for name in wanted)} == {
        "a.scala:11 move -> a.scala:Shape.move typed",
        "a.scala:13 move -> a.scala:Point.move typed",
        "a.scala:15 go -> a.scala:Plain.go typed",
        "a.scala:17 one -> a.scala:A.one proven",
    }
