"""Dates as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_DAYS = (
    "%d.%m.%Y",
    "%d.%m.%y",
    "%Y/%m/%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
)
FORMATS = ("ISO8601", *(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S")))
"""Ways to write a date, the unambiguous ones first."""
_LOOKS = re.compile(r"\s*\w+[-./ ]\s?\w+,?[-./ ]\s?\w+.*")
_N_LOOKED_AT = 20


def days_of_texts(texts: Sequence[str]) -> list[NDArray[np.float64]]:
    """Days since 1970-01-01 of texts that are all dates, for each way to read them; none where they are not dates.

    More than one where day and month cannot be told apart.
    """
    few = pd.Series(list(texts[:_N_LOOKED_AT]), dtype=object)
    if not len(few) or not all(_LOOKS.fullmatch(text) and re.search("[0-9]", text) for text in few):
        return []
    found: list[NDArray[np.float64]] = []
    every = pd.Series(list(texts), dtype=object)
    for way in FORMATS:
        if np.isnan(_days(few, way)).any():
            continue
        days = _days(every, way)
        if not np.isnan(days).any() and not any(np.array_equal(days, other) for other in found):
            found.append(days)
    return found


def days_of_stamps(stamps: Any) -> NDArray[np.float64]:
    """Days since 1970-01-01 of a series of dates, NaN where there is none."""
    return ((stamps - pd.Timestamp(0, tz=stamps.dt.tz)) / pd.Timedelta(days=1)).to_numpy(np.float64)


def _days(texts: Any, way: str) -> NDArray[np.float64]:
    return days_of_stamps(pd.to_datetime(texts.str.strip(), format=way, errors="coerce", utc=True))
