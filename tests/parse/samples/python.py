# ruff: noqa
# mypy: ignore-errors
"""Accounts and how they are kept."""

from __future__ import annotations

import os.path as osp
from collections import OrderedDict, deque as queue
from .models import *

GREETING = "héllo → wörld"
LIMIT: int = 10


# What can go wrong with an account.
class AccountError(Exception):
    pass


class Account:
    """One customer's money.

    Never negative.
    """

    currency = "EUR"

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.log: queue[int] = queue()

    @property
    def balance(self) -> int:
        """What is left."""
        total = sum(self.log)
        return max(total, 0)

    @staticmethod
    async def fetch(name: str) -> Account:
        def shorten(text: str) -> str:
            return text[:LIMIT]

        return Account(shorten(name))


# Opens the vault.
# Twice, if need be.
@osp.cache
def open_vault(path: str) -> OrderedDict[str, Account]:
    vault = OrderedDict()
    vault["ünï"] = Account(osp.basename(path))
    return vault
