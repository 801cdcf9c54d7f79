"""Arrays without masks, and arrays that are read-only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_unmasked(name: str, values: Any) -> None:
    """Raise if an array, or one in a list of arrays, has masked values or NaT: NumPy would take both for numbers."""
    parts = values if isinstance(values, list | tuple) else [values]
    n_masked = sum(int(np.ma.count_masked(part)) for part in parts if isinstance(part, np.ma.MaskedArray))
    if n_masked:
        raise ValueError(
            f"values of {name} are masked ({n_masked} in all). Remove or fill them first: `.filled(value)` makes a "
            "plain array."
        )
    dates = [part for part in parts if isinstance(part, np.ndarray | np.generic) and part.dtype.kind in "mM"]
    n_missing = sum(int(np.isnat(part).sum()) for part in dates)
    if n_missing:
        raise ValueError(f"values of {name} are NaT ({n_missing} in all). Remove or fill them first.")


def plain(name: str, values: ArrayLike, dtype: type[Any] | None = None) -> NDArray[Any]:
    """The values as an array, none of them masked."""
    check_unmasked(name, values)
    return np.asarray(values, dtype)


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """The array, made read-only. Nothing else may hold a reference to it."""
    array.flags.writeable = False
    return array


def hold(values: ArrayLike, dtype: type[Any], *, views: bool = False) -> NDArray[Any]:
    """The values as a read-only array of that type that nothing else changes: a copy, unless they already are one."""
    array = plain("an array", values)
    flags = array.flags
    safe = array.dtype == dtype and flags.c_contiguous and not flags.writeable and (views or flags.owndata)
    return array if safe else freeze(np.array(array, dtype=dtype, order="C"))
