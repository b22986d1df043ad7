"""File locks: one holder, and only on the file that others would lock too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.store import locks
from clew.store.locks import FileLock


def test_one_holder(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert not first.is_held(), "a look makes no file"
    assert not (tmp_path / "lock").exists()
    with first:
        assert first.acquire(timeout_s=0)
        assert second.is_held() and not second.acquire(timeout_s=0.01)
    assert not second.is_held()
    with second:
        assert second.acquire(timeout_s=0)


@pytest.mark.parametrize("removals", [1, 3])
def test_a_file_that_is_removed_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removals: int
) -> None:
    """As a clear does to one who waits: a lock on a file that is gone would keep nobody out."""
    left = removals
    try_lock = locks._try_lock

    def remove_and_lock(descriptor: int) -> bool:
        nonlocal left
        if left:
            left -= 1
            os.unlink(tmp_path / "lock")
        return try_lock(descriptor)

    monkeypatch.setattr(locks, "_try_lock", remove_and_lock)
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    with first:
        assert first.acquire(timeout_s=0) and first.is_in_place()
        assert not left
        assert not second.acquire(timeout_s=0)
