"""What names mean in languages with rules of their own for them: each a kind of `Names`. Main table: `NAMES`."""

from __future__ import annotations

from clew.parse.dialects.elixir import ElixirNames
from clew.parse.dialects.haskell import HaskellNames
from clew.parse.dialects.lua import LuaNames
from clew.parse.dialects.php import PhpNames
from clew.parse.dialects.ruby import RubyNames
from clew.parse.dialects.shell import ShellNames
from clew.parse.dialects.zig import ZigNames
from clew.parse.names import Names

NAMES: dict[str, type[Names]] = {
    "ruby": RubyNames,
    "php": PhpNames,
    "elixir": ElixirNames,
    "haskell": HaskellNames,
    "bash": ShellNames,
    "lua": LuaNames,
    "zig": ZigNames,
}
