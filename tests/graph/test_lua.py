"""Lua: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


def test_modules_are_tables() -> None:
    project = Project({
        "lua/app/util.lua": """\
            local M = {}
            local Hidden = {}

            local function step(n)
                return n
            end

            function Hidden.secret() end

            function M.run(step)
                return step(1)
            end

            function M:go()
                self:stop()
                return step(2)
            end

            function M:stop() end

            function M.stray() return self.stop end

            return M
            """,
        "lua/app/odd.lua": "local T = {}\nfunction T.run() end\nreturn { T }\n",
        "main.lua": """\
            local util = require("app.util")
            local json = require("json")
            local odd = require("app.odd")

            util.run(json.run)
            util.secret()
            odd.run()
            """,
    })  # fmt: skip
    util = "lua/app/util.lua"
    assert inside(project) == {
        f"{util}:8 Hidden -> {util}:Hidden proven",
        f"{util}:10 M -> {util}:M proven",
        f"{util}:14 M -> {util}:M proven",
        f"{util}:15 stop -> {util}:M.stop proven",
        f"{util}:16 step -> {util}:step proven",
        f"{util}:19 M -> {util}:M proven",
        f"{util}:21 M -> {util}:M proven",
        f"{util}:23 M -> {util}:M proven",
        "lua/app/odd.lua:2 T -> lua/app/odd.lua:T proven",
        "lua/app/odd.lua:3 T -> lua/app/odd.lua:T proven",
        f"main.lua:1 app.util -> {util}: proven",
        "main.lua:3 app.odd -> lua/app/odd.lua: proven",
        f"main.lua:5 util -> {util}:M proven",
        f"main.lua:5 run -> {util}:M.run proven",
        f"main.lua:6 util -> {util}:M proven",
        "main.lua:7 odd -> lua/app/odd.lua: proven",
    }


def test_objects_of_tables() -> None:
    project = Project({
        "stack.lua": """\
            local Stack = {}
            Stack.__index = Stack

            function Stack.new()
                local self = setmetatable({}, Stack)
                self:push(1)
                return self
            end

            function Stack:push(x) end

            return Stack
            """,
        "use.lua": """\
            local Stack = require "stack"
            local one = Stack.new()
            one:push(1)
            local function f(one)
                one:push(2)
            end
            """,
    })  # fmt: skip
    assert inside(project, "use.lua") == {
        "use.lua:1 stack -> stack.lua: proven",
        "use.lua:2 Stack -> stack.lua:Stack proven",
        "use.lua:2 new -> stack.lua:Stack.new proven",
        "use.lua:3 one -> use.lua:one proven",
        "use.lua:3 push -> stack.lua:Stack.push typed",
    }
    assert "stack.lua:6 push -> stack.lua:Stack.push proven" in inside(project, "stack.lua")
