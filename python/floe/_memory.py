"""Memory for what is decoded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_LARGE_PAGE = 2 << 20
_LARGE = 4 << 20  # from here on NumPy asks the system for large pages


def new_array(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """As np.empty, for types without objects.

    The system clears memory when it is touched for the first time, large pages ten times as fast as small ones. A large
    array begins with one, as memory before its first and behind its last large page is of small ones.
    """
    kind: np.dtype[Any] = np.dtype(dtype)
    size = math.prod((shape,) if isinstance(shape, int) else shape) * kind.itemsize
    if size < _LARGE:
        return np.empty(shape, kind)
    room = np.empty(size + _LARGE_PAGE, np.uint8)
    begin = -room.__array_interface__["data"][0] % _LARGE_PAGE
    return room[begin : begin + size].view(kind).reshape(shape)
