"""Lua: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project) -> set[str]:
    return {edge for edge in project.edges() if " -> external:" not in edge}


def test_lua_modules_are_tables() -> None:
    project = Project({
        "lua/app/util.lua": """\
            local M = {}

            local function step(n)
                return n
            end

            function M.run(step)
                return step(1)
            end

            function M:go()
                self:stop()
                return step(2)
            end

            function M:stop() end

            return M
            """,
        "main.lua": """\
            local util = require("app.util")
            local json = require("json")

            util.run(json.run)
            """,
    })  # fmt: skip
    assert inside(project) == {
        "lua/app/util.lua:7 M -> lua/app/util.lua:M proven",
        "lua/app/util.lua:11 M -> lua/app/util.lua:M proven",
        "lua/app/util.lua:13 step -> lua/app/util.lua:step proven",
        "lua/app/util.lua:16 M -> lua/app/util.lua:M proven",
        "lua/app/util.lua:18 M -> lua/app/util.lua:M proven",
        "main.lua:4 util -> lua/app/util.lua: proven",
        "main.lua:4 run -> lua/app/util.lua:M.run proven",
    }
