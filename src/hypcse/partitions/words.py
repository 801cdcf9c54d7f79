"""Columns of a table in the words of its data, and what each says about a set of rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hypcse.kernels.arrays import Reals
from hypcse.points.columns import Columns
from hypcse.points.points import Points
from hypcse.points.reading import read_points

PLAIN = 0.9
"""A column that tells so much names a cluster alone; a value of such a share of its rows needs no "mostly"."""
SELDOM = 0.02
"""Up to this share of its rows, a cluster lacks a value that most others have."""
YEARS = (1500, 2200)
"""Columns of whole numbers in this range are written without a separator."""
UNITS = (
    *("lb", "lbs", "oz", "kg", "g", "mg", "km", "m", "cm", "mm", "mi", "ft", "in", "s", "ms", "min", "h", "days"),
    *("usd", "eur", "gbp", "pct", "hp", "kw", "kwh", "mpg", "mph", "kmh", "c", "f", "ml", "l"),
)
_WITH_UNIT = re.compile(rf"(.+?)(?:\s*[(\[]([^\d)\]].*)[)\]]|[_ ]({'|'.join(UNITS)}))", re.IGNORECASE)
_DAY = np.timedelta64(1, "D")
_OWN = "\0row"


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table in the words of its data.

    kind    : "number", "date", "truth" or "category".
    numbers : (n,) values: 0 or 1 for truth values, days since 1970 for dates, places in `texts` for categories; NaN
        where nothing is known.
    unit    : how numbers are written, with # for the digits.
    """

    name: str
    kind: str
    numbers: Reals
    texts: tuple[str, ...] = ()
    unit: str = "#"

    @property
    def is_measured(self) -> bool:
        """Whether it holds numbers or dates, so that sets of rows have medians."""
        return self.kind in ("number", "date")

    @cached_property
    def is_years(self) -> bool:
        """Whether all values look like years."""
        known = self.numbers[~np.isnan(self.numbers)]
        return bool(
            known.size and (known == np.round(known)).all() and YEARS[0] <= known.min() <= known.max() <= YEARS[1]
        )


def columns_of(X: Any) -> list[Column]:
    """The columns of `Points` or an array, text columns put together again; a data frame is read as `read` does."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        # With a column of ours, no row is empty and left out.
        X = read_points(X.assign(**{_OWN: 1}), Columns(drop=(_OWN,), in_python=True))
    points = X if isinstance(X, Points) else Points.of(X)
    if points.features is None:
        return []
    table, gaps = points.features, points.gaps
    titles = points.feature_names or tuple(f"column {k}" for k in range(1, table.shape[1] + 1))
    split: dict[tuple[str | None, int], list[int]] = {}
    for k, kind in enumerate(points.kinds or (None,) * len(titles)):
        split.setdefault((kind, k if kind is None else 0), []).append(k)
    columns = []
    for (kind, _), places in split.items():
        block, title = _dense(table[:, places]), titles[places[0]]
        if kind not in (None, title):
            texts = tuple(titles[k].removeprefix(f"{kind}=") for k in places)
            codes = np.where(block.any(axis=1), block.argmax(axis=1), np.nan)
            columns.append(Column(str(kind), "category", codes, texts))
            continue
        numbers = block[:, 0]
        if gaps is not None and gaps.shape == table.shape:
            numbers = np.where(gaps[:, places[0]], np.nan, numbers)
        unit = points.units.get(title, "#")
        is_truth = bool((np.isin(numbers, (0.0, 1.0)) | np.isnan(numbers)).all())
        columns.append(
            Column(title, "date" if unit == "date" else "truth" if is_truth else "number", numbers, (), unit)
        )
    return columns


def _dense(block: Any) -> Reals:
    return np.asarray(block.toarray() if hasattr(block, "toarray") else block, np.float64)


@dataclass(frozen=True)
class Contrast:
    """A column in one set of points against all others.

    telling         : from 0 (distributed alike) to 1 (no value in common). For numbers, by how much more often a value
        of the set is the larger of two than the smaller (Cliff's delta, without sign); for texts and truth values, the
        difference of the shares of the value that differs most.
    typical, others : the median; for texts the place of that value; for truth values their share.
    share, other_share : of that value; 1 for numbers.
    """

    column: Column
    telling: float
    typical: float
    others: float
    share: float = 1.0
    other_share: float = 1.0

    @property
    def differs(self) -> bool:
        """Whether the typical value is another one, so that it can be said."""
        return not np.isnan(self.typical) and (self.typical != self.others or self.share != self.other_share)


def phrase(contrast: Contrast, bare: set[str]) -> str:
    """What a column says about a set in a few words: "8 cylinders", "mostly female"; `bare` texts need no column."""
    column, name = contrast.column, contrast.column.name.replace("_", " ")
    if column.is_measured:
        value = written(column, contrast.typical, contrast.typical - contrast.others)
        unit = _WITH_UNIT.fullmatch(column.name)
        if unit is not None and column.unit == "#":
            return f"{unit[1].replace('_', ' ')} {value} {unit[2] or unit[3]}"
        is_count = contrast.typical.is_integer() and re.fullmatch(r"[A-Za-z][a-z ]*[a-rt-z]s", name)
        return f"{value} {name}" if is_count and column.unit == "#" else f"{name} {value}"
    what = name if column.kind == "truth" else column.texts[int(contrast.typical)]
    what = what if column.kind == "truth" or what in bare else f"{name}={what}"
    if contrast.share > contrast.other_share:
        often = "" if contrast.share >= PLAIN else "mostly " if contrast.share >= 0.5 else "more often "
    else:
        often = "not " if contrast.share <= SELDOM else "seldom " if contrast.share < 0.5 else "less often "
    return often + what


def compared(contrast: Contrast) -> str:
    """What a column says about a set and about all others: "price $450 (others $210)", "red 97% (others 4%)"."""
    column = contrast.column
    if column.is_measured:
        here, there = (
            written(column, value, contrast.typical - contrast.others) for value in (contrast.typical, contrast.others)
        )
        return f"{column.name} {here} (others {there})"
    what = column.name if column.kind == "truth" else f"{column.name}={column.texts[int(contrast.typical)]}"
    return f"{what} {contrast.share:.0%} (others {contrast.other_share:.0%})"


def written(column: Column, value: float, difference: float) -> str:
    """A median as exactly as it takes to tell it from another one at this difference, with a digit or two to spare.

    >>> weight, year = Column("weight", "number", np.array([9.5])), Column("year", "number", np.array([2008.0]))
    >>> written(weight, 4123.0, 1500.0), written(weight, 0.01234, 0.02), written(weight, -0.1, 40.0)
    ('4,100', '0.012', '0')
    >>> written(year, 2008.0, 3.0), written(Column("tax", "number", np.array([0.2]), (), "#%"), 0.196, 0.1)
    ('2008', '20%')
    >>> day = Column("day", "date", np.array([0.0]))
    >>> [written(day, 14_000.0, difference) for difference in (2000.0, 100.0, 5.0)]
    ['2008', '2008-05', '2008-05-01']
    """
    if not np.isfinite(value):
        return "unknown"
    if column.kind == "date":
        day = str(np.datetime64(0, "D") + int(np.floor(value)) * _DAY)
        return day[: -6 if abs(difference) > 2 * 365 else -3 if abs(difference) > 2 * 31 else len(day)]
    if column.is_years:
        return f"{value:.0f}"
    if column.unit == "#%":
        value, difference = 100 * value, 100 * difference
    if not np.isfinite(difference) or not 1e-4 <= abs(difference) < 1e9:
        text = f"{value:.4g}"
    else:
        places = _digits(difference)
        # A value that is small beside the difference, but not nothing, has a digit of its own.
        places = max(places, min(_digits(value), places + 1)) if abs(value) > abs(difference) / 50 else places
        rounded = round(value, places) + 0.0
        text = f"{rounded:,.{max(places, 0)}f}" if rounded != round(rounded) else f"{rounded:,.0f}"
    return column.unit.replace("#", text)


def _digits(value: float) -> int:
    """Decimals of a number that is written with two digits; below 0, its last digits are zeros."""
    return 1 - int(np.floor(np.log10(abs(value))))


def median(values: Reals) -> float:
    """The median; of an even number of whole values the lower one of the two in the middle, which occurs."""
    if not values.size:
        return float("nan")
    middle = np.partition(values, [(values.size - 1) // 2, values.size // 2])
    low, high = middle[(values.size - 1) // 2], middle[values.size // 2]
    return float(low if low == round(low) and high == round(high) else (low + high) / 2)
