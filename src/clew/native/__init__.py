"""Clew's own C: the few inner loops that Python and numpy take several times as long for, or hold Python's lock in.

`kernels` is None where no compiler was there when Clew was installed. Each function has a twin in Python beside its
only caller, which then does the work: the same answers, later (numbers
of the model may differ in the last bit). `clew doctor` says so.
"""

from __future__ import annotations

import sys
from types import ModuleType

VERSION = 6  # of what the sources in C offer; a module that was built of others is not used

kernels: ModuleType | None
try:
    from clew.native import _kernels as kernels
except ImportError:
    kernels = None
if kernels is not None and (
    getattr(kernels, "VERSION", 0) != VERSION or sys.maxsize < 2**32
):  # places in arrays are int64
    kernels = None
