"""Ruby: every edge of small projects, and those that must not be there."""

from __future__ import annotations

from tests.graph.project import Project


def inside(project: Project, path: str | None = None) -> set[str]:
    return {edge for edge in project.edges(path) if " -> external:" not in edge}


def test_bare_words_are_variables_or_messages_to_self() -> None:
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
                class_eval { check }
              end

              class Inner
                def go
                  stop
                end
              end
            end

            def stop; end
            """,
    })  # fmt: skip
    assert inside(project) == {
        "lib/app.rb:5 Base -> lib/app.rb:Base proven",
        "lib/app.rb:8 stop -> lib/app.rb:App.stop proven",
        "lib/app.rb:9 check -> lib/app.rb:Base.check proven",
        "lib/app.rb:14 check -> lib/app.rb:Base.check proven",
        "lib/app.rb:20 stop -> lib/app.rb:stop proven",
    }


def test_constants_belong_to_the_tree() -> None:
    project = Project({
        "lib/app/store.rb": """\
            module App
              class Store < Base
                include Naming
                attr_reader :log

                def initialize(path)
                  super
                  @log = Log.new
                end

                def self.open(path)
                  new(path)
                end

                def open
                  log.write(name)
                  @log.write(String.new)
                  self.class
                end
              end
            end
            """,
        "lib/app/base.rb": "module App\n  class Base\n    def initialize(path); end\n    def close; end\n  end\nend\n",
        "lib/app/log.rb": "class App::Log\n  def write(text); end\nend\n",
        "lib/app/naming.rb": "module App\n  module Naming\n    def name; end\n  end\nend\n",
        "lib/log.rb": "class Log\n  def write; end\nend\nclass String\n  def title; end\nend\n",
        "bin/main.rb": """\
            require_relative "../lib/app/store"
            store = App::Store.open("x")
            other = App::Store.new("y")
            other.open
            other.close
            other.name
            other.log.write(1)
            App::Store.new("z").close
            App.open
            App::Missing.open
            Log.new.write
            Rack::Store.new.open
            other = unknown
            other.open
            """,
    })  # fmt: skip
    assert inside(project, "lib/app/store.rb") == {
        "lib/app/store.rb:2 Base -> lib/app/base.rb:App.Base proven",
        "lib/app/store.rb:3 Naming -> lib/app/naming.rb:App.Naming proven",
        "lib/app/store.rb:7 super -> lib/app/base.rb:App.Base.initialize proven",
        "lib/app/store.rb:8 Log -> lib/app/log.rb:App.Log proven",
        "lib/app/store.rb:8 new -> lib/app/log.rb:App.Log proven",
        "lib/app/store.rb:12 new -> lib/app/store.rb:App.Store.initialize proven",
        "lib/app/store.rb:16 log -> lib/app/store.rb:App.Store.log proven",
        "lib/app/store.rb:16 write -> lib/app/log.rb:App.Log.write typed",
        "lib/app/store.rb:16 name -> lib/app/naming.rb:App.Naming.name proven",
        "lib/app/store.rb:17 @log -> lib/app/store.rb:App.Store.@log proven",
        "lib/app/store.rb:17 write -> lib/app/log.rb:App.Log.write typed",
    }
    store = "lib/app/store.rb:App.Store"
    assert inside(project, "bin/main.rb") == {
        "bin/main.rb:1 ../lib/app/store -> lib/app/store.rb: proven",
        f"bin/main.rb:2 Store -> {store} proven",
        f"bin/main.rb:2 open -> {store}.open proven",
        f"bin/main.rb:3 Store -> {store} proven",
        f"bin/main.rb:3 new -> {store}.initialize proven",
        f"bin/main.rb:4 open -> {store}.open typed",
        "bin/main.rb:5 close -> lib/app/base.rb:App.Base.close typed",
        "bin/main.rb:6 name -> lib/app/naming.rb:App.Naming.name typed",
        f"bin/main.rb:7 log -> {store}.log typed",
        "bin/main.rb:7 write -> lib/app/log.rb:App.Log.write typed",
        f"bin/main.rb:8 Store -> {store} proven",
        f"bin/main.rb:8 new -> {store}.initialize proven",
        "bin/main.rb:8 close -> lib/app/base.rb:App.Base.close typed",
        "bin/main.rb:11 Log -> lib/log.rb:Log proven",
        "bin/main.rb:11 new -> lib/log.rb:Log proven",
        "bin/main.rb:11 write -> lib/log.rb:Log.write typed",
    }


def test_writers_are_methods_of_their_own() -> None:
    project = Project({
        "a.rb": """\
            class A
              attr_writer :size
              def size; end
              def name; end
              def name=(x); end
              def last; end
              def set
                self.size = 1
                self.name = size
                self.last = 2
              end
            end
            """,
    })  # fmt: skip
    edges = inside(project)
    assert edges == {
        "a.rb:8 size -> a.rb:A.size proven",
        "a.rb:9 name -> a.rb:A.name= proven",
        "a.rb:9 size -> a.rb:A.size proven",
    }


def test_classes_in_parts_and_modules_that_classes_have() -> None:
    project = Project({
        "lib/tool.rb": """\
            module Tool
              extend Helpers
              class << self
                attr_accessor :level
                def start
                  stop
                  level
                  help
                end
              end
            end
            """,
        "lib/tool/stop.rb": "module Tool\n  def self.stop; end\n  def stop; end\nend\n",
        "lib/helpers.rb": "module Helpers\n  def help; end\n  def stop; end\nend\n",
        "lib/quiet.rb": """\
            module Quiet
              module_function
              def hush; end
              def calm; hush; end
            end
            class User
              include Loud
              shout
              def run
                Quiet.hush
                Tool.start
                hush
              end
            end
            """,
        "lib/loud.rb": "module Loud\n  module ClassMethods\n    def shout; end\n  end\n  def hush; end\nend\n",
        "test/tool_test.rb": "module Tool\n  def self.stop; end\n  def self.only_here; end\nend\nTool.only_here\n",
        "lib/last.rb": "Tool.only_here\n",
    })  # fmt: skip
    edges = inside(project)
    assert {edge for edge in edges if not edge.startswith("test/")} == {
        "lib/tool.rb:2 Helpers -> lib/helpers.rb:Helpers proven",
        "lib/tool.rb:6 stop -> lib/tool/stop.rb:Tool.stop proven",
        "lib/tool.rb:7 level -> lib/tool.rb:Tool.level proven",
        "lib/tool.rb:8 help -> lib/helpers.rb:Helpers.help proven",
        "lib/quiet.rb:4 hush -> lib/quiet.rb:Quiet.hush proven",
        "lib/quiet.rb:7 Loud -> lib/loud.rb:Loud proven",
        "lib/quiet.rb:8 shout -> lib/loud.rb:Loud.ClassMethods.shout proven",
        "lib/quiet.rb:10 Quiet -> lib/quiet.rb:Quiet proven",
        "lib/quiet.rb:10 hush -> lib/quiet.rb:Quiet.hush proven",
        "lib/quiet.rb:11 Tool -> lib/tool.rb:Tool proven",
        "lib/quiet.rb:11 start -> lib/tool.rb:Tool.start proven",
        "lib/quiet.rb:12 hush -> lib/loud.rb:Loud.hush proven",
        "lib/last.rb:1 Tool -> lib/tool.rb:Tool proven",
    }
    assert "test/tool_test.rb:5 only_here -> test/tool_test.rb:Tool.only_here proven" in edges


def test_of_calls_that_end_together_the_outermost_is_the_value() -> None:
    project = Project({
        "lib/app.rb": """\
            class Options
              def go; end
            end

            class Request
              def initialize(options); end
              def go; end
            end

            request = Request.new Options.new
            request.go
            """,
    })  # fmt: skip
    assert {edge for edge in inside(project) if ":11 " in edge} == {"lib/app.rb:11 go -> lib/app.rb:Request.go typed"}


def test_what_is_prepended_comes_first() -> None:
    project = Project({
        "lib/app.rb": """\
            module Loud
              def say; end
            end

            module Quiet
              def say; end
              def hush; end
            end

            class Cat
              include Quiet
              prepend Loud
              def say; end
              def go; say; end
            end

            Cat.new.say
            Cat.new.hush
            """,
    })  # fmt: skip
    assert {edge for edge in inside(project) if " say " in edge or " hush " in edge} == {
        "lib/app.rb:14 say -> lib/app.rb:Loud.say proven",
        "lib/app.rb:17 say -> lib/app.rb:Loud.say typed",
        "lib/app.rb:18 hush -> lib/app.rb:Quiet.hush typed",
    }
