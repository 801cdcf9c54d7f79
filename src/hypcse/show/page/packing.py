"""Arrays as text that a page reads, in as few bytes as hold them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pack(values: NDArray[Any]) -> dict[str, str]:
    """An array as its kind ("f4", "i4", "u2", ...) and its bytes, little end first, in base64.

    >>> pack(np.array([1, 2], np.uint8))
    {'kind': 'u1', 'data': 'AQI='}
    """
    plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return {
        "kind": f"{values.dtype.kind}{values.dtype.itemsize}",
        "data": base64.b64encode(plain.tobytes()).decode("ascii"),
    }


def pack_single(values: NDArray[Any]) -> dict[str, str]:
    """Numbers in single precision, row by row."""
    return pack(values.astype(np.float32).ravel())


def pack_codes(codes: NDArray[np.int64]) -> dict[str, str]:
    """Numbers from 0 in one, two or four bytes, whichever holds them all, row by row."""
    return pack(codes.astype(np.min_scalar_type(int(codes.max(initial=0)))).ravel())
