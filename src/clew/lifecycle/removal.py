"""Removes the index of a codebase; the tree is not touched, and codebases that share the store keep theirs."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from pathlib import Path

from clew.errors import StoreCorrupt, StoreGone
from clew.lifecycle import gate, lock, proof, states
from clew.lifecycle.catalog import Catalog, Codebase
from clew.lifecycle.log import log
from clew.store import codebases
from clew.store.store import Store
from clew.store.sweep import sweep

_WAIT_S = 5.0  # for a sync that is under way
_REMOVED = ".removed"  # how the name of a store ends that is being deleted


def clear(catalog: Catalog, codebase: Codebase) -> None:
    """Forget a codebase wholly; refused while a run is at work on it."""
    root, store, directory = codebase.root, codebase.store, codebase.store.directory
    with contextlib.ExitStack() as held:
        if directory.exists():
            with contextlib.suppress(StoreCorrupt):  # then there is no state to ask
                standing = gate.settle(store, root)
                if standing.verdict == "not_ready":
                    raise gate.refusal(standing)
            held.enter_context(lock.codebase_lock(store, root, wait_s=_WAIT_S))
        others = [r for r, d in catalog.registry.all().items() if d == directory and r != root]
        if others:
            try:
                with contextlib.suppress(StoreGone):  # nothing of it is left to be forgotten
                    _forget(store, root)
            except StoreCorrupt:
                others = []  # nothing in it can be saved for them either
        catalog.registry.remove(root)
        if not others:
            catalog.drop_store(directory)
            _remove(directory)
    log(root).info("cleared")


def _forget(store: Store, root: str) -> None:
    """Take one codebase out of a store that others share."""
    with store.write() as connection:
        if codebases.find_codebase(connection, root) is not None:
            states.move(
                connection,
                root,
                "not_found",
                run=str(uuid.uuid4()),
                cause="clear",
                fingerprint=proof.fingerprint(store.model),
            )
    sweep(store)


def _remove(directory: Path) -> None:
    """Take a store away at once, then delete it: what others open meanwhile is the whole store or none. What a killed
    clear has left goes too."""
    try:
        os.replace(directory, directory.with_name(f"{directory.name}.{uuid.uuid4().hex[:8]}{_REMOVED}"))
    except OSError:  # Windows keeps a directory in its place while anybody has a file of it open
        shutil.rmtree(directory, ignore_errors=True)
    for left in directory.parent.glob(f"*{_REMOVED}"):
        shutil.rmtree(left, ignore_errors=True)
