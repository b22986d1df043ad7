"""The shell's names: functions and variables live apart. A function is known everywhere once it is defined, but for
what a shell within the shell defines. What is defined or set twice is anyone's."""

from __future__ import annotations

import re

from clew.parse.names import Names
from clew.parse.scopes import Scope
from clew.parse.symbols import FUNCTION_KINDS

_TEST = re.compile(rb"^@test ", re.MULTILINE)
_OF_THE_SHELL = frozenset("HOME IFS LANG LC_ALL OPTIND PATH PS1 PWD SHELL TERM TMPDIR USER".split())


class ShellNames(Names):
    """What a name means in a shell script."""

    def _define(self) -> None:
        super()._define()
        self._functions: dict[str, list[int]] = {}
        self._shells = [(node.start_byte, node.end_byte) for node in self._captures.get("inner.shell", ())]
        self._variables: dict[str, int] = {}
        given: list[str] = [symbol.name for symbol in self._symbols if symbol.kind not in FUNCTION_KINDS]
        is_test = _TEST.search(self._content) is not None  # each test of Bats has variables of its own
        for ordinal, symbol in enumerate(self._symbols):
            if symbol.kind in FUNCTION_KINDS:
                self._functions.setdefault(symbol.name, []).append(ordinal)
            elif not is_test and given.count(symbol.name) == 1 and symbol.name not in _OF_THE_SHELL:
                self._variables[symbol.name] = ordinal

    def own_path(self, scope: Scope, start: int, end: int, role: str, /) -> tuple[str, bool] | None:
        """A command is a function of this file or of one that it sources; a variable, one of this file."""
        name = self._text(start, end)
        if role == "call":
            known = [ordinal for ordinal in self._functions.get(name, ()) if self._is_seen_from(ordinal, start)]
            if len(known) > 1:
                return f"?.{name}", False  # which of them depends on what has been run
            return (f"D{known[0]}" if known else f"G{name}" if "." not in name else "?"), False
        found: Scope | None = scope
        while found is not None:
            if found.parent is not None and found.names.get(name) == "":
                return "", True
            found = found.parent
        ordinal = self._variables.get(name)
        return (f"D{ordinal}" if ordinal is not None else "?"), False

    def _is_seen_from(self, ordinal: int, place: int) -> bool:
        """Whether a function is known at a place: what a shell within this one defines ends with it."""
        start = self._symbols[ordinal].start_byte
        return all(first <= place < last for first, last in self._shells if first <= start < last)
