"""JavaScript: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def test_common_js() -> None:
    project = Project({
        "lib/app.js": """\
            var app = exports = module.exports = {};
            app.use = function use(fn) { this.handle(fn); };
            app.handle = function handle(fn) {};
            """,
        "lib/queue.js": """\
            function Queue() { this.items = []; this.push(1); }
            Queue.prototype.push = function push(x) { this.items; return this; };
            module.exports = Queue;
            """,
        "lib/tools.js": """\
            function one() {}
            function two() {}
            module.exports = { one, second: two };
            """,
        "lib/named.js": "exports.three = function () {};\nconst four = () => 4;\nexports.fourth = four;\n",
        "main.js": """\
            const app = require("./lib/app");
            const Queue = require("./lib/queue.js");
            const { one, second: other } = require("./lib/tools");
            const named = require("./lib/named");
            const fs = require("fs");
            app.use(one);
            new Queue().push(1).push(2);
            other(named.three(), named.fourth());
            fs.one();
            var late = 1;
            function hoist() { if (late) { var late = 2; } return late; }
            """,
    })  # fmt: skip
    assert project.edges("lib/app.js") == {
        "lib/app.js:2 app -> lib/app.js:app proven",
        "lib/app.js:2 handle -> lib/app.js:app.handle proven",
        "lib/app.js:3 app -> lib/app.js:app proven",
        "lib/app.js:1 exports -> external:exports proven",
        "lib/app.js:1 module -> external:module proven",
        "lib/app.js:1 exports -> external:module.exports proven",
    }
    assert project.edges("lib/queue.js") == {
        "lib/queue.js:1 push -> lib/queue.js:Queue.push proven",
        "lib/queue.js:2 Queue -> lib/queue.js:Queue proven",
        "lib/queue.js:2 items -> lib/queue.js:Queue.items proven",
        "lib/queue.js:3 Queue -> lib/queue.js:Queue proven",
        "lib/queue.js:3 module -> external:module proven",
        "lib/queue.js:3 exports -> external:module.exports proven",
    }
    assert project.edges("main.js") == {
        "main.js:3 one -> lib/tools.js:one proven",
        "main.js:3 second -> lib/tools.js:two proven",
        "main.js:3 other -> lib/tools.js:two proven",
        "main.js:6 app -> lib/app.js:app proven",
        "main.js:6 use -> lib/app.js:app.use proven",
        "main.js:6 one -> lib/tools.js:one proven",
        "main.js:7 Queue -> lib/queue.js:Queue proven",
        "main.js:7 push -> lib/queue.js:Queue.push typed",
        "main.js:8 other -> lib/tools.js:two proven",
        "main.js:8 named -> lib/named.js: proven",
        "main.js:8 three -> lib/named.js:three proven",
        "main.js:8 fourth -> lib/named.js:four proven",
        "main.js:9 fs -> external:fs proven",
        "main.js:9 one -> external:fs.one proven",
    }


def test_modules_and_elements() -> None:
    """Elements in lower case are the browser's; an attribute is no name of the file."""
    project = Project({
        "view.jsx": """\
            import React, { useState } from "react";
            export function Button({ label }) { return <button title={label}>x</button>; }
            export const p = 1, title = 2;
            export default function App() {
              const [open, setOpen] = useState(false);
              return <p title="a"><Button label={p} /><Missing.Button /></p>;
            }
            """,
        "main.mjs": """\
            import App, { Button as B } from "./view";
            import { p } from "./view.jsx";
            import data from "./data.json";
            class Page extends App { render() { return B(this.state); } }
            async function load() { const m = await import("./view"); return m.p + data.p + p; }
            """,
        "data.json": '{"p": 1}',
    })  # fmt: skip
    assert project.edges("view.jsx") == {
        "view.jsx:1 React -> external:react.default proven",
        "view.jsx:1 useState -> external:react.useState proven",
        "view.jsx:5 useState -> external:react.useState proven",
        "view.jsx:6 Button -> view.jsx:Button proven",
        "view.jsx:6 p -> view.jsx:p proven",
    }
    assert project.edges("main.mjs") == {
        "main.mjs:1 App -> view.jsx:App proven",
        "main.mjs:1 Button -> view.jsx:Button proven",
        "main.mjs:1 B -> view.jsx:Button proven",
        "main.mjs:2 p -> view.jsx:p proven",
        "main.mjs:3 data -> external:./data.json.default proven",
        "main.mjs:4 App -> view.jsx:App proven",
        "main.mjs:4 B -> view.jsx:Button proven",
        "main.mjs:5 m -> view.jsx: proven",
        "main.mjs:5 data -> external:./data.json.default proven",
        "main.mjs:5 p -> external:./data.json.default.p proven",
        "main.mjs:5 p -> view.jsx:p proven",
    }


def test_conditional_and_late_imports() -> None:
    """An import counts where it stands, and of two the first."""
    project = Project({
        "a.js": "exports.run = function () {};\n",
        "b.js": "exports.run = function () {};\nexports.other = () => {};\n",
        "main.js": """\
            function one() {
              const { run } = require("./a");
              return run();
            }
            async function two(run) {
              run();
              const { run: late, other } = await import("./b");
              late(other);
            }
            run();
            if (process.env.X) { var run = require("./b").run; }
            """,
    })  # fmt: skip
    found = {edge for edge in project.edges("main.js") if "external" not in edge}
    assert found == {
        "main.js:2 run -> a.js:run proven",
        "main.js:3 run -> a.js:run proven",
        "main.js:7 run -> b.js:run proven",
        "main.js:7 late -> b.js:run proven",
        "main.js:7 other -> b.js:other proven",
        "main.js:8 late -> b.js:run proven",
        "main.js:8 other -> b.js:other proven",
        "main.js:10 run -> b.js:run proven",
        "main.js:11 run -> b.js:run proven",
    }
