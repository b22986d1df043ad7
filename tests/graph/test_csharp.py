"""C#: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_namespaces_parts_and_members() -> None:
    project = Project({
        "Core/Item.cs": """\
            namespace App.Core
            {
                public partial class Item : Base
                {
                    private readonly Store _store = new Store();
                    public Store Shop { get; set; }
                    public int Size() { return Count + Extra; }
                    public void Save() { this._store.Put(this); Shop.Put(null); base.Check(); Check(); }
                }
                public class Base { public int Count; protected Base Check() { return this; } }
            }
            """,
        "Core/Item.Part.cs": """\
            namespace App.Core
            {
                public partial class Item { int Extra; void More() { Size(); Missing(); } }
            }
            """,
        "Core/Store.cs": """\
            namespace App.Core;
            public class Store { public void Put(Item item) { item.Save(); } public static Store Open() => null; }
            """,
        "Other/Store.cs": "namespace App.Other;\npublic class Store { public void Put(int x) {} }\n",
        "Web/Main.cs": """\
            using System;
            using App.Core;
            using static App.Core.Store;
            using Thing = App.Core.Item;
            namespace App.Web;
            class Main<T> where T : Store
            {
                async Task<Item> Go(Item item, Thing thing, T any, dynamic other)
                {
                    var store = new Store();
                    store.Put(item);
                    Open().Put(item: null);
                    thing.Shop.Put(new Item { Shop = null });
                    any.Put(null);
                    other.Put(null);
                    if (other is Item found) { found?.Save(); }
                    ((Item)other).Save();
                    Console.Save();
                    foreach (var x in all) { x.Save(); }
                    var again = await Go(item, thing, any, other);
                    again.Save();
                    return item;
                }
                void Put() {}
            }
            """,
    })  # fmt: skip
    item, store = "Core/Item.cs:Item", "Core/Store.cs:Store"
    found = {edge.replace("App.Core.", "").replace("App.Web.", "") for edge in project.edges()}
    found = {edge for edge in found if not edge.startswith("Other")}
    assert found == {
        "Core/Item.cs:3 Base -> Core/Item.cs:Base proven",
        f"Core/Item.cs:5 Store -> {store} proven",
        f"Core/Item.cs:6 Store -> {store} proven",
        "Core/Item.cs:7 Count -> Core/Item.cs:Base.Count proven",
        "Core/Item.cs:7 Extra -> Core/Item.Part.cs:Item.Extra proven",
        f"Core/Item.cs:8 _store -> {item}._store proven",
        f"Core/Item.cs:8 Put -> {store}.Put typed",
        f"Core/Item.cs:8 Shop -> {item}.Shop proven",
        "Core/Item.cs:8 Check -> Core/Item.cs:Base.Check proven",
        "Core/Item.cs:10 Base -> Core/Item.cs:Base proven",
        f"Core/Item.Part.cs:3 Size -> {item}.Size proven",
        f"Core/Store.cs:2 Item -> {item} proven",
        f"Core/Store.cs:2 Save -> {item}.Save typed",
        f"Core/Store.cs:2 Store -> {store} proven",
        f"Web/Main.cs:8 Item -> {item} proven",
        f"Web/Main.cs:8 Thing -> {item} proven",
        f"Web/Main.cs:6 Store -> {store} proven",
        f"Web/Main.cs:10 Store -> {store} proven",
        f"Web/Main.cs:11 Put -> {store}.Put typed",
        f"Web/Main.cs:12 Open -> {store}.Open proven",
        f"Web/Main.cs:12 Put -> {store}.Put typed",
        f"Web/Main.cs:13 Shop -> {item}.Shop typed",
        f"Web/Main.cs:13 Put -> {store}.Put typed",
        f"Web/Main.cs:13 Item -> {item} proven",
        f"Web/Main.cs:14 Put -> {store}.Put typed",
        f"Web/Main.cs:16 Item -> {item} proven",
        f"Web/Main.cs:16 Save -> {item}.Save typed",
        f"Web/Main.cs:17 Item -> {item} proven",
        f"Web/Main.cs:17 Save -> {item}.Save typed",
        "Web/Main.cs:20 Go -> Web/Main.cs:Main.Go proven",
        f"Web/Main.cs:21 Save -> {item}.Save typed",
    }


def test_a_type_is_no_property_of_its_name() -> None:
    project = Project({
        "a.cs": """\
            namespace App;
            public class Color { public static Color Red() { return new Color(); } public void Mix() {} }
            public class Pen {
                public Color Color { get; set; }
                public List<Color> All(Color c, object o) {
                    c.Mix();
                    var x = new Color();
                    x.Mix();
                    Color.Red();
                    return (o as Color).Color;
                }
                void Use() { Color = null; }
            }
            public class Fine : Pen {
                void Use(Color c) {
                    new Color();
                }
            }
            """,
    })  # fmt: skip
    color = "-> a.cs:Color"
    assert {edge for edge in project.edges() if int(edge[5:].split()[0]) > 3} == {
        f"a.cs:4 Color {color} proven",
        f"a.cs:5 Color {color} proven",
        f"a.cs:6 Mix {color}.Mix typed",
        f"a.cs:7 Color {color} proven",
        f"a.cs:8 Mix {color}.Mix typed",
        f"a.cs:9 Red {color}.Red typed",
        f"a.cs:10 Color {color} proven",
        "a.cs:12 Color -> a.cs:Pen.Color proven",
        "a.cs:14 Pen -> a.cs:Pen proven",
        f"a.cs:15 Color {color} proven",
        f"a.cs:16 Color {color} proven",
    }


def test_a_call_of_overloads_gives_nothing_known() -> None:
    project = Project({
        "a.cs": """\
            class Bar { public void Close() {} }
            class Foo {
                Foo Over(int x) { return this; }
                Bar Over(string s) { return null; }
                void Close() {}
                void Use(Foo f) {
                    f.Over("x").Close();
                }
            }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if ":7 " in edge} == {"a.cs:7 Over -> a.cs:Foo.Over typed"}


def test_tasks_are_not_what_they_give() -> None:
    project = Project({
        "a.cs": """\
            class Item { public void Go() {} public void Wait() {} public Item Result; }
            class Shop {
                public async Task<Item> Load() { return new Item(); }
                Task<Item> Pass() { return Load(); }
                async void Use() {
                    var task = Load();
                    task.Wait();
                    var item = await Pass();
                    item.Wait();
                    var other = Load().Result;
                    other.Go();
                    item.Result.Go();
                }
            }
            """,
    })  # fmt: skip
    wanted = (" Go ", " Wait ", " Result ")
    assert {edge for edge in project.edges() if any(name in edge for name in wanted)} == {
        "a.cs:7 Wait -> external:?.Wait typed",
        "a.cs:9 Wait -> a.cs:Item.Wait typed",
        "a.cs:11 Go -> a.cs:Item.Go typed",
        "a.cs:12 Result -> a.cs:Item.Result typed",
        "a.cs:12 Go -> a.cs:Item.Go typed",
    }
