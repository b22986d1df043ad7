"""Swift: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_targets_extensions_and_members() -> None:
    """Targets and their imports, members in extensions, types of what is made and bound."""
    project = Project({
        "Package.swift": """\
            // swift-tools-version:5.9
            let package = Package(name: "App", targets: [
                .target(name: "Core"),
                .target(name: "Net", dependencies: ["Core"], path: "Network"),
                .testTarget(name: "CoreTests", dependencies: ["Core"]),
            ])
            """,
        "Sources/Core/Item.swift": """\
            import Foundation

            public class Base {
                let store: Store
                init(store: Store) { self.store = store }
                func check() -> Store { return store }
            }

            public final class Item: Base, Named {
                static let shared = Item(store: Store())
                var name: String = ""
                weak var parent: Item?
                func size() -> Int { return count }
                func go(_ other: Item, with size: Int) {
                    check().put(other)
                    self.size()
                    super.check()
                    other.store.put(self)
                    helper(item: other)
                    let made = Item.make()
                    made.size()
                    if let parent = parent { parent.size() }
                    guard let first = made.parent else { return }
                    first.describe()
                    missing()
                    other.missing()
                    run { [weak self] in self?.size(); made.count }
                    size
                    do { try other.fail() } catch { error.size() }
                    hidden()
                    let text: String = name
                    text.size()
                }
            }

            private func hidden() {}
            """,
        "Sources/Core/Item+More.swift": """\
            extension Item {
                var count: Int { return store.total }
                static func make() -> Item { return Item.shared }
                enum Level { case low, high(Int) }
                func level() -> Level { return Level.low }
            }
            protocol Named { var name: String { get } }
            extension Named { func describe() { print(name) } }
            extension String { func size() -> Int { return shout() }
              func shout() { Self.loud(); Self() }
              static func loud() {} }
            func helper(item: Item) { item.describe(); hidden() }
            """,
        "Sources/Core/Store.swift": """\
            struct Store {
                var total = 0
                var error: Item?
                func put(_ item: Item) { item.level() }
                func fail() { do { } catch { print(error) } }
            }
            """,
        "Network/Client.swift": """\
            import Core
            import Alamofire
            class Client {
                let item: Core.Item
                func put() { item.size(); Item.shared.describe(); Session.default.put() }
            }
            class Session {}
            """,
        "Tests/CoreTests/ItemTests.swift": """\
            @testable import Core
            class ItemTests: XCTestCase { func test() { Item.make().size(); Client().put(); put() } }
            """,
        "Example/App.swift": """\
            func helper() {}
            class App { func go() { helper(); Item.make() } }
            """,
    })  # fmt: skip
    assert project.edges() == {
        "Example/App.swift:2 helper -> Example/App.swift:helper proven",
        "Network/Client.swift:2 Alamofire -> external:Alamofire proven",
        "Network/Client.swift:4 Item -> Sources/Core/Item.swift:Item proven",
        "Network/Client.swift:5 Item -> Sources/Core/Item.swift:Item proven",
        "Network/Client.swift:5 Session -> Network/Client.swift:Session proven",
        "Network/Client.swift:5 describe -> Sources/Core/Item+More.swift:Named.describe typed",
        "Network/Client.swift:5 item -> Network/Client.swift:Client.item proven",
        "Network/Client.swift:5 shared -> Sources/Core/Item.swift:Item.shared proven",
        "Network/Client.swift:5 size -> Sources/Core/Item.swift:Item.size typed",
        "Sources/Core/Item+More.swift:2 store -> Sources/Core/Item.swift:Base.store proven",
        "Sources/Core/Item+More.swift:2 total -> Sources/Core/Store.swift:Store.total typed",
        "Sources/Core/Item+More.swift:3 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Item+More.swift:3 shared -> Sources/Core/Item.swift:Item.shared proven",
        "Sources/Core/Item+More.swift:5 Level -> Sources/Core/Item+More.swift:Item.Level proven",
        "Sources/Core/Item+More.swift:5 low -> Sources/Core/Item+More.swift:Item.Level.low proven",
        "Sources/Core/Item+More.swift:8 name -> Sources/Core/Item+More.swift:Named.name proven",
        "Sources/Core/Item+More.swift:9 shout -> Sources/Core/Item+More.swift:String.shout proven",
        "Sources/Core/Item+More.swift:10 loud -> Sources/Core/Item+More.swift:String.loud proven",
        "Sources/Core/Item+More.swift:12 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Item+More.swift:12 describe -> Sources/Core/Item+More.swift:Named.describe typed",
        "Sources/Core/Item.swift:1 Foundation -> external:Foundation proven",
        "Sources/Core/Item.swift:4 Store -> Sources/Core/Store.swift:Store proven",
        "Sources/Core/Item.swift:5 Store -> Sources/Core/Store.swift:Store proven",
        "Sources/Core/Item.swift:5 store -> Sources/Core/Item.swift:Base.store proven",
        "Sources/Core/Item.swift:6 Store -> Sources/Core/Store.swift:Store proven",
        "Sources/Core/Item.swift:6 store -> Sources/Core/Item.swift:Base.store proven",
        "Sources/Core/Item.swift:9 Base -> Sources/Core/Item.swift:Base proven",
        "Sources/Core/Item.swift:9 Named -> Sources/Core/Item+More.swift:Named proven",
        "Sources/Core/Item.swift:10 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Item.swift:10 Store -> Sources/Core/Store.swift:Store proven",
        "Sources/Core/Item.swift:12 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Item.swift:13 count -> Sources/Core/Item+More.swift:Item.count proven",
        "Sources/Core/Item.swift:14 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Item.swift:15 check -> Sources/Core/Item.swift:Base.check proven",
        "Sources/Core/Item.swift:15 put -> Sources/Core/Store.swift:Store.put typed",
        "Sources/Core/Item.swift:16 size -> Sources/Core/Item.swift:Item.size proven",
        "Sources/Core/Item.swift:17 check -> Sources/Core/Item.swift:Base.check proven",
        "Sources/Core/Item.swift:18 put -> Sources/Core/Store.swift:Store.put typed",
        "Sources/Core/Item.swift:18 store -> Sources/Core/Item.swift:Base.store typed",
        "Sources/Core/Item.swift:19 helper -> Sources/Core/Item+More.swift:helper proven",
        "Sources/Core/Item.swift:20 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Item.swift:20 make -> Sources/Core/Item+More.swift:Item.make proven",
        "Sources/Core/Item.swift:21 size -> Sources/Core/Item.swift:Item.size typed",
        "Sources/Core/Item.swift:22 parent -> Sources/Core/Item.swift:Item.parent proven",
        "Sources/Core/Item.swift:22 size -> Sources/Core/Item.swift:Item.size typed",
        "Sources/Core/Item.swift:23 parent -> Sources/Core/Item.swift:Item.parent typed",
        "Sources/Core/Item.swift:24 describe -> Sources/Core/Item+More.swift:Named.describe typed",
        "Sources/Core/Item.swift:27 count -> Sources/Core/Item+More.swift:Item.count typed",
        "Sources/Core/Item.swift:27 size -> Sources/Core/Item.swift:Item.size proven",
        "Sources/Core/Item.swift:30 hidden -> Sources/Core/Item.swift:hidden proven",
        "Sources/Core/Item.swift:31 name -> Sources/Core/Item.swift:Item.name proven",
        "Sources/Core/Store.swift:3 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Store.swift:4 Item -> Sources/Core/Item.swift:Item proven",
        "Sources/Core/Store.swift:4 level -> Sources/Core/Item+More.swift:Item.level typed",
        "Tests/CoreTests/ItemTests.swift:2 Client -> external:?.Client proven",
        "Tests/CoreTests/ItemTests.swift:2 Item -> Sources/Core/Item.swift:Item proven",
        "Tests/CoreTests/ItemTests.swift:2 make -> Sources/Core/Item+More.swift:Item.make proven",
        "Tests/CoreTests/ItemTests.swift:2 put -> external:?.Client().put proven",
        "Tests/CoreTests/ItemTests.swift:2 put -> external:?.put proven",
        "Tests/CoreTests/ItemTests.swift:2 size -> Sources/Core/Item.swift:Item.size typed",
    }


def test_without_a_package() -> None:
    """A tree without `Package.swift` is one module."""
    project = Project({
        "App/Main.swift": """\
            class Main {
                let store = Store()
                func go() { store.put(); helper() }
            }
            """,
        "App/Store.swift": """\
            struct Store {
                func put() {}
            }
            func helper() {}
            func helper(x: Int) {}
            """,
        "Kit/Other.swift": """\
            import App
            func put() {}
            func use(main: Main) { main.go(); App.put() }
            """,
    })  # fmt: skip
    assert project.edges() == {
        "App/Main.swift:2 Store -> App/Store.swift:Store proven",
        "App/Main.swift:3 helper -> App/Store.swift:helper proven",
        "App/Main.swift:3 put -> App/Store.swift:Store.put typed",
        "App/Main.swift:3 store -> App/Main.swift:Main.store proven",
        "Kit/Other.swift:1 App -> external:App proven",
        "Kit/Other.swift:3 App -> external:App proven",
        "Kit/Other.swift:3 Main -> App/Main.swift:Main proven",
        "Kit/Other.swift:3 go -> App/Main.swift:Main.go typed",
        "Kit/Other.swift:3 put -> external:App.put proven",
    }


def test_static_members_are_those_of_the_type() -> None:
    project = Project({
        "a.swift": """\
            class Sq {
                func area() -> Int { return 1 }
                static func area() -> Int { return 3 }
                static func two() -> Int { return self.area() }
                func three() -> Int { return self.area() }
                func four() -> Int { return area() }
            }
            func t(s: Sq) {
                Sq.area()
                s.area()
                s.two()
            }
            """,
    })  # fmt: skip
    assert project.lines("a.swift", "area") == {4: 3, 5: 2, 9: 3, 10: 2}
    assert not any(" two " in edge for edge in project.edges())
