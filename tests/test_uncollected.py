"""Looks for circles are off while anybody is at such work, and on again when the last has gone."""

from __future__ import annotations

import gc
import threading

import pytest

from clew.uncollected import uncollected


def test_whoever_goes_last_turns_it_on_again() -> None:
    assert gc.isenabled()
    first, second = uncollected(), uncollected()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()
    with pytest.raises(ValueError), uncollected():
        raise ValueError
    assert gc.isenabled()


def test_threads_leave_it_on() -> None:
    def work() -> None:
        for _ in range(2_000):
            with uncollected():
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.isenabled()


def test_what_was_off_stays_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
