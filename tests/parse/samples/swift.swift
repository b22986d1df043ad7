import Foundation
import struct Accelerate.vDSP
@testable import Core.Network

/// Things that speak.
protocol Speaker: AnyObject {
    associatedtype Word
    var voice: String { get }
    func speak(_ words: [Word]) -> Bool
    init(voice: String)
}

// A dog, naïve “quotes” 漢字.
@objc public final class Dog: NSObject, Speaker {
    typealias Word = String
    static let limit = 3
    private var name: String = "é"
    var voice: String {
        get { return name.uppercased() }
        set { name = newValue }
    }

    required init(voice: String) {
        let local = voice
        self.name = local
        super.init()
    }

    deinit { log("gone") }

    /** Says all words. */
    func speak(_ words: [String]) -> Bool {
        func inner() -> Int { words.count }
        return Kennel(size: inner()).isOpen
    }

    subscript(index: Int) -> Character { name[index] }

    struct Collar { var tag: Int }
}

enum Direction: String, CaseIterable {
    case north, south
    case custom(angle: Double)
    indirect case nested(Direction)

    var opposite: Direction { .south }
}

struct Kennel {
    let size: Int
    var isOpen = true
    mutating func close() { isOpen = false }
}

extension Dog: Comparable {
    static func < (a: Dog, b: Dog) -> Bool { a.name < b.name }
    func bark() { print(voice) }
}

actor Counter { var value = 0 }

let globalLimit: Int = max(1, 2)
typealias Handler = (Dog) -> Void
infix operator <>

/// Free function.
func makeDog<T: Speaker>(from speaker: T) throws -> Dog {
    Dog(voice: speaker.voice)
}
