"""Arrays that nobody changes any more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """The array, just made and held by nobody else, from now on read-only.

    >>> freeze(np.zeros(2)).flags.writeable
    False
    """
    array.flags.writeable = False
    return array


def hold(values: ArrayLike, dtype: type[Any], *, views: bool = False) -> NDArray[Any]:
    """The values as a read-only array of that type that nobody else changes: a copy, unless they are one already.

    views : whether a read-only view counts as one too, although its owner could still change it.

    >>> frozen = freeze(np.zeros(2))
    >>> hold(frozen, np.float64) is frozen
    True
    """
    given = np.asarray(values)
    flags = given.flags
    safe = given.dtype == dtype and flags.c_contiguous and not flags.writeable and (views or flags.owndata)
    return given if safe else freeze(np.array(given, dtype=dtype, order="C"))
