"""Ruby, PHP and Lua: scopes and imports, every edge of small projects."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project) -> set[str]:
    return {edge for edge in project.edges() if " -> external:" not in edge}


def test_php_classes_of_other_namespaces() -> None:
    project = Project({
        "src/Log/Handler.php": """\
            <?php
            namespace App\\Log;

            class Handler extends Base {
                private Base $next;

                public function handle(Handler $other, $next): Handler {
                    $this->next->close();
                    $other->handle($other)->close();
                    $next->close();
                    return $this;
                }
            }
            """,
        "src/Log/Base.php": "<?php\nnamespace App\\Log;\n\nclass Base {\n    public function close() {}\n}\n",
        "src/Main.php": """\
            <?php
            namespace App;

            use App\\Log\\Handler;
            use Psr\\Log\\Handler as Foreign;

            function run() {
                $handler = new Handler();
                $handler->close();
                $foreign = new Foreign();
                $foreign->handle();
            }
            """,
    })  # fmt: skip
    assert {edge for edge in inside(project) if "src/Main.php:4" not in edge and "src/Main.php:5" not in edge} == {
        "src/Log/Handler.php:4 Base -> src/Log/Base.php:Base proven",
        "src/Log/Handler.php:5 Base -> src/Log/Base.php:Base proven",
        "src/Log/Handler.php:7 Handler -> src/Log/Handler.php:Handler proven",
        "src/Log/Handler.php:8 next -> src/Log/Handler.php:Handler.next proven",
        "src/Log/Handler.php:8 close -> src/Log/Base.php:Base.close typed",
        "src/Log/Handler.php:9 handle -> src/Log/Handler.php:Handler.handle typed",
        "src/Log/Handler.php:9 close -> src/Log/Base.php:Base.close typed",
        "src/Main.php:8 Handler -> src/Log/Handler.php:Handler proven",
        "src/Main.php:9 close -> src/Log/Base.php:Base.close typed",
    }


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


def test_ruby_scopes() -> None:
    project = Project({
        "lib/app.rb": """\
            class Base
              def check; end
            end

            class App < Base
              def run(check)
                check
                stop
                self.check
              end

              def stop
                items.each { |run| run }
                check
              end
            end
            """,
    })  # fmt: skip
    assert inside(project) == {
        "lib/app.rb:5 Base -> lib/app.rb:Base proven",
        "lib/app.rb:8 stop -> lib/app.rb:App.stop proven",
        "lib/app.rb:9 check -> lib/app.rb:Base.check proven",
        "lib/app.rb:14 check -> lib/app.rb:Base.check proven",
    }
