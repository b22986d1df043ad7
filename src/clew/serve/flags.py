"""Flags that many commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def json_flag(command: F) -> F:
    """`--json` for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print the envelope as JSON, and nothing else.")(
        command
    )


def question_flags(command: F) -> F:
    """What every question takes: scope, JSON, and whether a tree may be indexed first."""
    for option in (
        click.option("--include", multiple=True, metavar="GLOB", help="Only files that match (repeatable)."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="No files that match (repeatable)."),
        click.option("--lang", multiple=True, metavar="NAME", help="Only this language (repeatable)."),
        click.option("--no-index", is_flag=True, help="Do not index a tree that was never indexed."),
        json_flag,
    ):
        command = option(command)
    return command


class CommandWithQuery(click.Command):
    """A command whose query may begin with the operator `-path:`, which is no flag."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f" {item}" if item.startswith("-path:") else item for item in args])
