"""Cosines of one vector with many rows of bytes: native code where it is installed, numpy otherwise."""

from __future__ import annotations

from typing import Any

_BLOCK = 16_384  # rows that numpy widens at once


def cosines_with(rows: Any, vector: Any) -> Any:
    """The cosine of each int8 row with a float vector, as float32; a zero row has none with anything."""
    import numpy as np

    largest = float(np.abs(vector).max()) if len(vector) else 0.0
    if not largest or not len(rows):
        return np.zeros(len(rows), np.float32)
    wanted = np.rint(vector * (127.0 / largest)).astype(np.int8)
    try:
        import simsimd
    except ImportError:
        return _with_numpy(rows, wanted)
    distances = np.asarray(simsimd.cdist(wanted.reshape(1, -1), np.ascontiguousarray(rows), metric="cosine"))
    found = (1.0 - distances.reshape(-1)).astype(np.float32)
    found[np.isnan(found)] = 0.0
    return found


def _with_numpy(rows: Any, wanted: Any) -> Any:
    import numpy as np

    query = wanted.astype(np.float32)
    query /= np.linalg.norm(query)
    found = np.zeros(len(rows), np.float32)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK].astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", block, block))
        found[first : first + _BLOCK] = block @ query / np.maximum(norms, 1e-9)
    return found
