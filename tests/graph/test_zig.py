"""Zig: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


def test_files_containers_and_members() -> None:
    project = Project({
        "src/main.zig": """\
            const std = @import("std");
            const Store = @import("Store.zig");
            const Item = @import("item.zig").Item;
            const item = @import("item.zig");

            pub const Box = struct {
                const Self = @This();
                store: *Store,
                count: usize,

                pub fn init(store: *Store) Self {
                    helper();
                    return Self{ .store = store, .count = 0 };
                }

                fn helper() void {}

                pub fn run(self: *Self, one: ?Item) !void {
                    self.store.open();
                    self.helper();
                    const other = Item.make(1);
                    other.show();
                    const made: item.Item = .{};
                    made.show();
                    if (one) |count| count.show();
                    std.run();
                    const x = try Box.init(self.store);
                    x.run(null);
                }
            };

            fn main(helper: anytype) void {
                helper();
                run();
            }
            """,
        "src/Store.zig": """\
            const Store = @This();
            path: []const u8,

            pub fn open(self: *Store) void {
                self.close();
                _ = self.path;
            }

            fn close(_: *Store) void {}
            """,
        "src/item.zig": """\
            pub const Item = struct {
                pub fn make(n: u8) Item {
                    _ = n;
                    return .{};
                }
                pub fn show(self: Item) void {
                    _ = self;
                }
            };
            fn run() void {}
            """,
    })  # fmt: skip
    box, store, held = "src/main.zig:Box", "src/Store.zig", "src/item.zig:Item"
    assert inside(project, "src/main.zig") == {
        f"src/main.zig:2 Store.zig -> {store}: proven",
        "src/main.zig:3 item.zig -> src/item.zig: proven",
        f"src/main.zig:3 Item -> {held} proven",
        "src/main.zig:4 item.zig -> src/item.zig: proven",
        f"src/main.zig:8 Store -> {store}: proven",
        f"src/main.zig:11 Store -> {store}: proven",
        f"src/main.zig:11 Self -> {box}.Self proven",
        f"src/main.zig:12 helper -> {box}.helper proven",
        f"src/main.zig:13 Self -> {box}.Self proven",
        f"src/main.zig:18 Self -> {box}.Self proven",
        f"src/main.zig:18 Item -> {held} proven",
        f"src/main.zig:19 store -> {box}.store typed",
        f"src/main.zig:19 open -> {store}:open typed",
        f"src/main.zig:20 helper -> {box}.helper typed",
        f"src/main.zig:21 Item -> {held} proven",
        f"src/main.zig:21 make -> {held}.make proven",
        f"src/main.zig:22 show -> {held}.show typed",
        "src/main.zig:23 item -> src/item.zig: proven",
        f"src/main.zig:23 Item -> {held} proven",
        f"src/main.zig:24 show -> {held}.show typed",
        f"src/main.zig:27 Box -> {box} proven",
        f"src/main.zig:27 init -> {box}.init proven",
        f"src/main.zig:27 store -> {box}.store typed",
        f"src/main.zig:28 run -> {box}.run typed",
    }
    assert inside(project, store) == {
        f"{store}:4 Store -> {store}:Store proven",
        f"{store}:5 close -> {store}:close typed",
        f"{store}:6 path -> {store}:path typed",
        f"{store}:9 Store -> {store}:Store proven",
    }
