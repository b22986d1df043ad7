"""Makes root obey permissions like anybody else, so that lost rights can be tested whoever runs the tests."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator

import pytest

_VERSION = 0x20080522
_OVERRIDES = 0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextlib.contextmanager
def mortal() -> Iterator[None]:
    """No right to pass over permissions, in this thread and in those that it starts."""
    if sys.platform == "win32":
        pytest.skip("permissions work in another way here")
    if os.geteuid():
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root cannot give up its rights here for a while")
    library, header, sets = ctypes.CDLL(None, use_errno=True), _Header(_VERSION, 0), (_Sets * 2)()
    if library.capget(ctypes.byref(header), sets):
        pytest.skip(f"capabilities cannot be read: {os.strerror(ctypes.get_errno())}")
    before = sets[0].effective
    sets[0].effective = before & ~_OVERRIDES
    if library.capset(ctypes.byref(header), sets):
        pytest.skip(f"capabilities cannot be given up: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        sets[0].effective = before
        assert library.capset(ctypes.byref(header), sets) == 0


@contextlib.contextmanager
def without_rights(path: os.PathLike[str] | str, mode: int = 0) -> Iterator[None]:
    """A file or directory that may only be used like this."""
    before = os.stat(path).st_mode
    os.chmod(path, mode)
    try:
        with mortal():
            yield
    finally:
        os.chmod(path, before)
