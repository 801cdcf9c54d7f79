"""What the text in a cell of a table means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MISSING_TEXTS = frozenset(("", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "?"))
"""Texts, in upper or lower case, that mean an unknown category or class."""
MISSING_NUMBERS = MISSING_TEXTS | {"-", "none"}
"""Texts, in upper or lower case, that mean an unknown number."""
_YES, _NO = ("true", "yes", "ja", "oui", "y", "t"), ("false", "no", "nein", "non", "n", "f")
TRUTH = {**dict.fromkeys(_YES, 1.0), **dict.fromkeys(_NO, 0.0)}
_NOTHING = ("NAType", "NaTType")
_BLANKS = " \u00a0\u2009\u202f"
_SIGN_AND_DIGITS = r"(?=[+-]?[.,]?[0-9])[+-]?(?:[0-9]*|[1-9][0-9]{{0,2}}(?:([{marks}])[0-9]{{3}}(?:\1[0-9]{{3}})*))"
_NUMBER = {
    decimal: re.compile(
        _SIGN_AND_DIGITS.format(marks=other + _BLANKS + "'\u2019") + rf"(?:\{decimal}[0-9]*)?(?:[eE][+-]?[0-9]+)?"
    )
    for decimal, other in ((".", r","), (",", r"\."))
}
_GROUPING = re.compile(f"[{_BLANKS}'\u2019]")
_QUANTITY = re.compile(r"([$€£¥]?)\s*(.*?[0-9][.,]?)(\s*)(|[%$€£¥]|[a-zA-Zµ°²³/]{1,9})")
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}
_PLAIN = frozenset(("#", "#%", *(form.format(sign) for sign in "$€£¥" for form in ("{}#", "# {}"))))
"""Units that a single cell shows to be numbers; words do so only if all cells of a column have the same."""
_KINDS_OF_NUMBER = (int, float, Decimal, np.number, np.bool_)


def is_missing(cell: Any, words: frozenset[str] = MISSING_NUMBERS) -> bool:
    """Whether a cell means an unknown value."""
    if isinstance(cell, str):
        return cell.strip().lower() in words
    if isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(cell != cell)
    return cell is None or type(cell).__name__ in _NOTHING


def quantity(cell: Any, decimal: str = ".") -> tuple[float, str] | None:
    """The number in a cell that is not missing, and its unit, with # for the number; None if it is not a number.

    >>> quantity("1,234.5"), quantity("1.234,5 €", ","), quantity("12 %"), quantity("118 mins"), quantity("$2.5M")
    ((1234.5, '#'), (1234.5, '# €'), (0.12, '#%'), (118.0, '# mins'), (2500000.0, '$#'))
    >>> quantity("red"), quantity("12a")
    (None, None)
    """
    if isinstance(cell, _KINDS_OF_NUMBER):
        return float(cell), "#"
    match = _QUANTITY.fullmatch(str(cell).strip().replace("\u2212", "-"))
    if match is None or not _NUMBER[decimal].fullmatch(match[2]):
        return None
    before, digits, blank, after = match.groups()
    times = 1.0
    if after in _TIMES and not blank:
        times, after = _TIMES[after], ""
    elif (len(after) == 1 and after.isalpha() and not blank) or (before and after):
        return None
    value = float(_GROUPING.sub("", digits).replace("," if decimal == "." else ".", "").replace(",", "."))
    if after == "%":
        return value / 100, "#%"
    return value * times, f"{before}# {after}".rstrip()


def number(cell: Any, decimal: str = ".") -> float | None:
    """The number in a cell that is not missing, plain or with a currency sign or %; None if it is not a number."""
    found = quantity(cell, decimal)
    return None if found is None or found[1] not in _PLAIN or str(cell).strip()[-1:] in _TIMES else found[0]


def quantities(cells: Sequence[Any], decimal: str) -> tuple[list[float], str] | None:
    """The numbers of cells that all are numbers, in one unit or in none, and this unit."""
    values, units = [], set[str]()
    for cell in cells:
        found = quantity(cell, decimal)
        if found is None:
            return None
        values.append(found[0])
        units.add(found[1])
    units -= {"#"}
    # One minute is 1 min, and two are 2 mins.
    one = len({unit.removesuffix("s") for unit in units}) == 1
    return (values, max(units, key=len) if one else "#") if one or units <= _PLAIN else None


def names_columns(cells: Sequence[Any]) -> bool:
    """Whether these cells of row 1 name columns: none of them is a number."""
    return not any(map(_is_number, cells)) and not all(map(is_missing, cells))


def text_of(cell: Any) -> str:
    """A cell as a text table would hold it: 1.0 is "1"."""
    if isinstance(cell, float | np.floating):
        return str(int(cell)) if float(cell).is_integer() else f"{cell:.12g}"
    return str(cell)


def written_texts(cells: Iterable[Any]) -> list[str]:
    """Names as written, "" where there is none."""
    return ["" if is_missing(cell, frozenset()) else text_of(cell) for cell in cells]


def _is_number(cell: Any) -> bool:
    return not is_missing(cell) and (number(cell) is not None or number(cell, ",") is not None)


_DAYS = (
    *("%d.%m.%Y", "%d.%m.%y", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y"),
)
_TIMES_OF_DAY = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
DATE_FORMATS = ("ISO8601", *(day + time for day in _DAYS for time in _TIMES_OF_DAY))
"""Date formats, the unambiguous ones first."""
_LOOKS = re.compile(r"\s*\w+[-./ ]\s?\w+,?[-./ ]\s?\w+.*")
_N_LOOKED_AT = 20


def days_of_texts(texts: Sequence[str]) -> list[NDArray[np.float64]]:
    """Days since 1970-01-01 of texts that are all dates, for each way to read day and month; else empty."""
    first = list(texts[:_N_LOOKED_AT])
    if not first or not all(_LOOKS.fullmatch(text) and re.search("[0-9]", text) for text in first):
        return []
    few, every = pd.Series(first, dtype=object), pd.Series(list(texts), dtype=object)
    ways: list[NDArray[np.float64]] = []
    for form in DATE_FORMATS:
        if np.isnan(_days(few, form)).any():
            continue
        days = _days(every, form)
        if not np.isnan(days).any() and not any(np.array_equal(days, other) for other in ways):
            ways.append(days)
    return ways


def days_of_stamps(stamps: Any) -> NDArray[np.float64]:
    """Days since 1970-01-01 in UTC of a series of dates, NaN where there is none."""
    days: NDArray[np.float64] = (stamps.to_numpy("M8[us]") - np.datetime64(0, "us")) / np.timedelta64(1, "D")
    return days


def _days(texts: Any, form: str) -> NDArray[np.float64]:
    return days_of_stamps(pd.to_datetime(texts.str.strip(), format=form, errors="coerce", utc=True))
