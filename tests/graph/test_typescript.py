"""TypeScript: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_classes_types_and_members() -> None:
    project = Project({
        "models.ts": """\
            export interface Named { name: string; rename(to: string): this }
            export abstract class Base implements Named {
              name = "";
              rename(to: string): this { this.name = to; return this; }
              protected check(): void {}
            }
            export class User extends Base {
              constructor(private readonly store: Store, public age: number) { super(); }
              save() { super.check(); this.store.put(this); return this.age; }
              get first(): Store { return this.store; }
            }
            export class Store { put(user: User): void {} }
            export enum Color { Red, Green = 2 }
            export type Pair = { left: User };
            export namespace Tools { export function make(): Store { return new Store(); } }
            """,
        "main.ts": """\
            import { User, Store as Shop, Color, Tools } from "./models";
            import type { Pair } from "./models.js";
            import * as m from "./models";

            const user = new User(new Shop(), 1);
            user.rename("a").save();
            user.first.put(user);
            export function work(pair: Pair, { left }: Pair): Promise<Shop> | null {
              pair.left.save();
              left.check();
              const shop: m.Store = Tools.make();
              return shop.put(Color.Red);
            }
            function generic<T extends User>(one: T, many: (user: string) => void) {
              (one as Shop).put(one.age);
              one?.store!.put();
            }
            """,
    })  # fmt: skip
    assert project.edges("models.ts") == {
        "models.ts:2 Named -> models.ts:Named proven",
        "models.ts:4 name -> models.ts:Base.name proven",
        "models.ts:7 Base -> models.ts:Base proven",
        "models.ts:8 Store -> models.ts:Store proven",
        "models.ts:9 check -> models.ts:Base.check proven",
        "models.ts:9 store -> models.ts:User.store proven",
        "models.ts:9 put -> models.ts:Store.put typed",
        "models.ts:9 age -> models.ts:User.age proven",
        "models.ts:10 Store -> models.ts:Store proven",
        "models.ts:10 store -> models.ts:User.store proven",
        "models.ts:12 User -> models.ts:User proven",
        "models.ts:14 User -> models.ts:User proven",
        "models.ts:15 Store -> models.ts:Store proven",
    }
    assert project.edges("main.ts") == {
        "main.ts:1 User -> models.ts:User proven",
        "main.ts:1 Store -> models.ts:Store proven",
        "main.ts:1 Shop -> models.ts:Store proven",
        "main.ts:1 Color -> models.ts:Color proven",
        "main.ts:1 Tools -> models.ts:Tools proven",
        "main.ts:2 Pair -> models.ts:Pair proven",
        "main.ts:5 User -> models.ts:User proven",
        "main.ts:5 Shop -> models.ts:Store proven",
        "main.ts:6 user -> main.ts:user proven",
        "main.ts:6 rename -> models.ts:Base.rename typed",
        "main.ts:6 save -> models.ts:User.save typed",
        "main.ts:7 user -> main.ts:user proven",
        "main.ts:7 first -> models.ts:User.first typed",
        "main.ts:7 put -> models.ts:Store.put typed",
        "main.ts:8 Pair -> models.ts:Pair proven",
        "main.ts:8 Promise -> external:Promise proven",
        "main.ts:8 Shop -> models.ts:Store proven",
        "main.ts:9 left -> models.ts:Pair.left typed",
        "main.ts:9 save -> models.ts:User.save typed",
        "main.ts:10 check -> models.ts:Base.check typed",
        "main.ts:11 m -> models.ts: proven",
        "main.ts:11 Store -> models.ts:Store proven",
        "main.ts:11 Tools -> models.ts:Tools proven",
        "main.ts:11 make -> models.ts:Tools.make proven",
        "main.ts:12 put -> models.ts:Store.put typed",
        "main.ts:12 Color -> models.ts:Color proven",
        "main.ts:12 Red -> models.ts:Color.Red proven",
        "main.ts:14 User -> models.ts:User proven",
        "main.ts:15 Shop -> models.ts:Store proven",
        "main.ts:15 put -> models.ts:Store.put typed",
        "main.ts:15 age -> models.ts:User.age typed",
        "main.ts:16 store -> models.ts:User.store typed",
        "main.ts:16 put -> models.ts:Store.put typed",
    }


def test_exports_of_all_forms() -> None:
    """What a file does not export is not found through it, and of two stars the one that exports it counts."""
    project = Project({
        "a.ts": 'import { lib } from "lib";\nfunction helper() {}\nexport const one = helper();\n',
        "b.ts": """\
            export function helper() {}
            export function lib() {}
            function two() {}
            export { two as second, two as default };
            """,
        "c.ts": "export default class Thing { run() {} }\n",
        "deep/index.tsx": """\
            export * from "../a";
            export * from "../b";
            export * as c from "../c";
            export { default as Thing } from "../c";
            """,
        "main.ts": """\
            import { helper, lib, one, second, c, Thing, two } from "./deep";
            import other from "./b";
            import T, { missing } from "./c";
            helper(); lib(); one; second(); two(); other(); missing();
            new c.default().run();
            new Thing().run();
            new T().run();
            """,
    })  # fmt: skip
    assert project.edges("main.ts") == {
        "main.ts:1 helper -> b.ts:helper proven",
        "main.ts:1 lib -> b.ts:lib proven",
        "main.ts:1 one -> a.ts:one proven",
        "main.ts:1 second -> b.ts:two proven",
        "main.ts:1 c -> c.ts: proven",
        "main.ts:1 Thing -> c.ts:Thing proven",
        "main.ts:2 other -> b.ts:two proven",
        "main.ts:3 T -> c.ts:Thing proven",
        "main.ts:4 helper -> b.ts:helper proven",
        "main.ts:4 lib -> b.ts:lib proven",
        "main.ts:4 one -> a.ts:one proven",
        "main.ts:4 second -> b.ts:two proven",
        "main.ts:4 other -> b.ts:two proven",
        "main.ts:5 c -> c.ts: proven",
        "main.ts:5 default -> c.ts:Thing proven",
        "main.ts:5 run -> c.ts:Thing.run typed",
        "main.ts:6 Thing -> c.ts:Thing proven",
        "main.ts:6 run -> c.ts:Thing.run typed",
        "main.ts:7 T -> c.ts:Thing proven",
        "main.ts:7 run -> c.ts:Thing.run typed",
    }


def test_modules_by_configuration() -> None:
    """Paths and base of the nearest tsconfig, packages by name, output that is not in the tree."""
    project = Project({
        "tsconfig.base.json": """\
            { // shared
              "compilerOptions": {"paths": {"@/*": ["./shared/*"], "exact": ["./shared/util.ts",]}}
            }
            """,
        "tsconfig.json": '{"extends": "./tsconfig.base"}',
        "shared/util.ts": "export function util() {}\n",
        "packages/core/package.json": """\
            {"name": "@x/core", "exports": {".": {"types": "./dist/index.d.ts"}, "./*": "./dist/*.js"}}
            """,
        "packages/core/src/index.ts": "export function core() {}\n",
        "packages/core/src/extra.ts": "export function extra() {}\n",
        "packages/plain/package.json": '{"name": "plain", "main": "lib/main.js"}',
        "packages/plain/src/main.ts": "export function plain() {}\n",
        "one/tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}',
        "one/config.ts": "export const name = 1;\n",
        "one/app.ts": 'import { name } from "config";\n',
        "two/tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}',
        "two/config.ts": "export const name = 2;\n",
        "two/app.ts": 'import { name } from "config";\n',
        "generated.d.ts": "export declare function gen(): void;\n",
        "both.ts": "export function both() {}\n",
        "both.d.ts": "export declare function both(): void;\n",
        "main.ts": """\
            import { util } from "@/util";
            import { util as again } from "exact";
            import { core } from "@x/core";
            import { extra } from "@x/core/extra";
            import { plain } from "plain";
            import { name } from "config";
            import { gen } from "./generated";
            import { both } from "./both";
            import { readFile } from "node:fs";
            """,
    })  # fmt: skip
    assert project.edges() == {
        "one/app.ts:1 name -> one/config.ts:name proven",
        "two/app.ts:1 name -> two/config.ts:name proven",
        "main.ts:1 util -> shared/util.ts:util proven",
        "main.ts:2 util -> shared/util.ts:util proven",
        "main.ts:2 again -> shared/util.ts:util proven",
        "main.ts:3 core -> packages/core/src/index.ts:core proven",
        "main.ts:4 extra -> packages/core/src/extra.ts:extra proven",
        "main.ts:5 plain -> packages/plain/src/main.ts:plain proven",
        "main.ts:6 name -> external:config.name proven",
        "main.ts:7 gen -> generated.d.ts:gen proven",
        "main.ts:8 both -> both.ts:both proven",
        "main.ts:9 readFile -> external:node:fs.readFile proven",
    }


def test_members_of_one_of_several_types() -> None:
    """What can never be there in one is the other's."""
    project = Project({
        "a.ts": """\
            type Good = { data: string; error?: never };
            type Bad = { error: Error; data?: never };
            type Result = Good | Bad;
            function use(result: Result) {
              result.data;
              result.error;
            }
            class Conn { close() {} open() {} }
            class Pool { close() {} }
            type Either = Conn | Pool;
            function end(either: Either) { either.close(); }
            """,
    })  # fmt: skip
    assert {edge for edge in project.edges() if " typed" in edge} == {
        "a.ts:5 data -> a.ts:Good.data typed",
        "a.ts:6 error -> a.ts:Bad.error typed",
    }


def test_conditions_of_exports() -> None:
    """A condition that names a source counts more than output; `customConditions` decide, `outDir` leads back."""
    project = Project({
        "tsconfig.json": '{"compilerOptions": {"customConditions": ["@x/source"]}}',
        "core/package.json": """\
            {"name": "core", "exports": {
              ".": {"browser": "./src/browser.ts", "@x/source": "./src/index.ts", "types": "./index.d.ts"},
              "./late": {"types": "./dist/late.d.ts", "@x/source": "./src/own.ts"},
              "./built": {"types": "./made/built.d.ts", "default": "./made/built.js"},
              "./gone": {"types": "./elsewhere/gone.d.ts"}
            }}
            """,
        "core/tsconfig.build.json": '{"compilerOptions": {"rootDir": "./code", "outDir": "./made"}}',
        "core/src/browser.ts": "export function run() {}\n",
        "core/src/index.ts": "export function run() {}\n",
        "core/src/late.ts": "export function late() {}\n",
        "core/src/own.ts": "export function late() {}\n",
        "core/code/built.ts": "export function built() {}\n",
        "core/code/gone.ts": "export function gone() {}\n",
        "core/src/tests/own.test.ts": 'import { run } from "core";\n',
        "main.ts": """\
            import { run } from "core";
            import { late } from "core/late";
            import { built } from "core/built";
            import { gone } from "core/gone";
            """,
        "plain/tsconfig.json": "{}",
        "plain/main.ts": 'import { run } from "core";\n',
    })  # fmt: skip
    assert project.edges() == {
        "core/src/tests/own.test.ts:1 run -> core/src/index.ts:run proven",
        "main.ts:1 run -> core/src/index.ts:run proven",
        "main.ts:2 late -> core/src/own.ts:late proven",
        "main.ts:3 built -> core/code/built.ts:built proven",
        "main.ts:4 gone -> external:core/gone.gone proven",
        "plain/main.ts:1 run -> core/src/browser.ts:run proven",
    }


def test_no_phantoms() -> None:
    """Equal names in other classes, libraries, keys of objects, inner scopes, type parameters."""
    project = Project({
        "a.ts": """\
            export class Cache { get(): number { return 1; } }
            export function parse(x: string) {}
            export type T = 1;
            """,
        "b.ts": """\
            import { Cache, parse, T } from "./a";
            import axios, { get } from "axios";
            class Other { get() {} size = get(); }
            function use(cache: any, list: Map<string, Cache>, f: (parse: T) => void) {
              cache.get();
              list.get("a");
              axios.get("/");
              JSON.parse("1");
              const options = { parse: 1, get: 2, parse() {} };
              for (const parse of []) { parse(); }
              if (cache) { const parse = 1; parse; } else { parse("a"); }
              return function <T>(x: T) { return this.get(x); };
            }
            const inst: any = {};
            inst.parse = () => parse("b");
            declare function over(a: string): Other;
            declare function over(a: number): Cache;
            over("a").get();
            class Twice { @log get(): Cache { return new Cache(); } }
            new Twice().get().get();
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges("b.ts") if ":1 " not in edge}
    assert found == {
        "b.ts:3 get -> external:axios.get proven",
        "b.ts:4 Map -> external:Map proven",
        "b.ts:4 Cache -> a.ts:Cache proven",
        "b.ts:4 T -> a.ts:T proven",
        "b.ts:6 get -> external:Map().get proven",
        "b.ts:7 axios -> external:axios.default proven",
        "b.ts:7 get -> external:axios.default.get proven",
        "b.ts:8 JSON -> external:JSON proven",
        "b.ts:8 parse -> external:JSON.parse proven",
        "b.ts:11 parse -> a.ts:parse proven",
        "b.ts:15 parse -> a.ts:parse proven",
        "b.ts:15 inst -> b.ts:inst proven",
        "b.ts:16 Other -> b.ts:Other proven",
        "b.ts:17 Cache -> a.ts:Cache proven",
        "b.ts:18 over -> b.ts:over proven",
        "b.ts:19 Cache -> a.ts:Cache proven",
        "b.ts:20 Twice -> b.ts:Twice proven",
        "b.ts:20 get -> b.ts:Twice.get typed",
        "b.ts:20 get -> a.ts:Cache.get typed",
    } | {edge for edge in found if edge.startswith("b.ts:2 ")}


def test_what_is_exported_by_default_is_not_exported_by_its_name() -> None:
    project = Project(
        {
            "a.ts": "export default class Thing {}\nexport function other() {}\n",
            "b.ts": """\
                import Right, { Thing, other } from "./a";
                new Thing();
                new Right();
                other();
                """,
        }
    )
    found = project.edges("b.ts")
    assert {"b.ts:3 Right -> a.ts:Thing proven", "b.ts:4 other -> a.ts:other proven"} <= found
    assert not [edge for edge in found if edge.startswith("b.ts:2 ")]


def test_static_members_are_those_of_the_class() -> None:
    project = Project({
        "a.ts": """\
            class Conn {
              close() {}
              static close() {}
              static open() {
                this.close();
              }
              use() { this.close(); }
            }
            function f(u: Conn) {
              u.close();
              Conn.close();
              u.open();
              Conn.use();
            }
            """,
    })  # fmt: skip
    assert project.lines("a.ts", "close") == {5: 3, 7: 2, 10: 2, 11: 3}
    assert not project.lines("a.ts", "open")


def test_a_promise_is_not_what_it_is_of() -> None:
    project = Project({
        "a.ts": """\
            class Foo { close() {} }
            async function made() { return new Foo(); }
            function told(): Promise<Foo> { return made(); }
            const held = async () => new Foo();
            async function use(x: Promise<Foo>) {
              x.close();
              made().close();
              told().close();
              held().close();
              const a = told();
              a.close();
              (await told()).close();
              (await held()).close();
              const b = await made();
              b.close();
              const c = await x;
              c.close();
              const d = await a;
              d.close();
            }
            """,
    })  # fmt: skip
    assert set(project.lines("a.ts", "close")) == {12, 13, 15, 17, 19}
