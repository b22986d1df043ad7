//! The shop, “naïve” 漢字.

const std = @import("std");
const mem = std.mem;
const util = @import("lib/util.zig").util;
pub usingnamespace @import("c.zig");

/// The limit.
pub const LIMIT: usize = 10;
var counter: u32 = 0;
const Handler = *const fn (p: *Point) void;

/// A point.
pub const Point = struct {
    x: i32,
    y: i32 = 0,

    pub const origin = Point{ .x = 0, .y = 0 };

    /// Adds.
    pub fn add(self: Point, other: Point) Point {
        const dx = self.x + other.x;
        return .{ .x = dx, .y = helper(self.y) };
    }

    const Inner = struct {
        name: []const u8 = "é",
    };
};

const Color = enum(u8) {
    red,
    green = 2,

    fn isRed(self: Color) bool {
        return self == .red;
    }
};

const Shape = union(enum) {
    circle: f32,
    square: Point,
};

const Err = error{ NotFound, Bad };

fn helper(v: i32) i32 {
    return @max(v, 0);
}

pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        fn len(self: @This()) usize {
            return self.items.len;
        }
    };
}

extern "c" fn puts(s: [*:0]const u8) c_int;

test "add points" {
    const p = Point.origin.add(Point.origin);
    try std.testing.expectEqual(p.x, helper(0));
}

test helper {
    mem.copy(u8, a, b);
}
