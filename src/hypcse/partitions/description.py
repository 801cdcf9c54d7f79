"""What clusters are: the columns that tell them from all other points, typical values, and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.points.points import Points
from hypcse.tree import Tree

LEAST_TELLING = 0.3
"""A column that tells less about a cluster is not named."""
PLAIN = 0.9
"""A column that tells so much names a cluster alone; a value of such a share of its rows needs no "mostly"."""
SELDOM = 0.02
"""Up to this share of its rows, a cluster lacks a value that most others have."""
MOST_NAMED = 4
"""Largest number of columns in a name."""
YEARS = (1500, 2200)
"""Columns of whole numbers in this range are written without a separator."""
UNITS: tuple[str, ...] = (
    "lb",
    "lbs",
    "oz",
    "kg",
    "g",
    "mg",
    "km",
    "m",
    "cm",
    "mm",
    "mi",
    "ft",
    "in",
    "s",
    "ms",
    "min",
    "h",
    "days",
)
UNITS += ("usd", "eur", "gbp", "pct", "hp", "kw", "kwh", "mpg", "mph", "kmh", "c", "f", "ml", "l")
_WITH_UNIT = re.compile(rf"(.+?)(?:\s*[(\[](.+)[)\]]|[_ ]({'|'.join(UNITS)}))", re.IGNORECASE)
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table in the words of its data.

    kind    : "number", "date", "truth" or "category".
    numbers : (n,) values: 0 or 1 for truth values, days since 1970 for dates, places in `texts` for categories; NaN
        where nothing is known.
    """

    name: str
    kind: str
    numbers: NDArray[np.float64]
    texts: tuple[str, ...] = ()

    @cached_property
    def is_years(self) -> bool:
        """Whether all values look like years."""
        known = self.numbers[~np.isnan(self.numbers)]
        return bool(
            known.size and (known == np.round(known)).all() and YEARS[0] <= known.min() <= known.max() <= YEARS[1]
        )


def columns_of(X: Any) -> list[Column]:
    """The columns of a data frame as they are; of `Points`, with text columns put together again; of an array."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return [_of_series(str(name), X.iloc[:, k]) for k, name in enumerate(X.columns)]
    points = X if isinstance(X, Points) else Points.of(X)
    if points.features is None:
        return []
    table = points.features
    titles = points.feature_names or tuple(f"column {k}" for k in range(1, table.shape[1] + 1))
    kinds = points.kinds or (None,) * len(titles)
    split: dict[str, list[int]] = {}
    for k, (title, kind) in enumerate(zip(titles, kinds, strict=True)):
        if kind is not None and title != kind:
            split.setdefault(kind, []).append(k)
    found: dict[str | int, Column] = {}
    for k, (title, kind) in enumerate(zip(titles, kinds, strict=True)):
        if kind is None or title == kind:
            found[k] = _of_numbers(title, _dense(table[:, [k]])[:, 0], title in points.dates)
        elif kind not in found:
            marks = _dense(table[:, split[kind]])
            texts = tuple(titles[j].removeprefix(f"{kind}=") for j in split[kind])
            found[kind] = Column(kind, "category", np.where(marks.any(axis=1), marks.argmax(axis=1), np.nan), texts)
    return list(found.values())


def _dense(block: Any) -> NDArray[np.float64]:
    return np.asarray(block.toarray() if hasattr(block, "toarray") else block, np.float64)


def _of_numbers(name: str, numbers: NDArray[np.float64], is_date: bool = False) -> Column:
    is_truth = np.isin(numbers, (0.0, 1.0)) | np.isnan(numbers)
    return Column(name, "date" if is_date else "truth" if is_truth.all() else "number", numbers)


def _of_series(name: str, series: Any) -> Column:
    import pandas as pd

    kinds = pd.api.types
    if kinds.is_datetime64_any_dtype(series.dtype):
        days = (series - pd.Timestamp(0, tz=series.dt.tz)) / pd.Timedelta(days=1)
        return Column(name, "date", days.to_numpy(np.float64))
    if kinds.is_numeric_dtype(series.dtype):
        return _of_numbers(name, series.astype("Float64").to_numpy(np.float64, na_value=np.nan))
    codes, texts = pd.factorize(series.astype(object), sort=False)
    return Column(name, "category", np.where(codes < 0, np.nan, codes), tuple(map(str, texts)))


@dataclass(frozen=True, eq=False)
class Groups:
    """Sets of points that are told from all others: the clusters of a partition, or nodes of a tree.

    size    : (g,) of each set; sets may overlap.
    sums    : from one value per point to their sum in each set.
    members : the points of a set.
    rivals  : (g,) names must differ among sets of the same number.
    """

    size: NDArray[np.int64]
    sums: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    members: Callable[[int], NDArray[np.int64]]
    rivals: NDArray[np.int64]

    @classmethod
    def of_labels(cls, labels: NDArray[np.int64], clusters: NDArray[np.int64]) -> Groups:
        """The clusters of these labels."""
        order = np.argsort(clusters)
        place = order[np.searchsorted(clusters, labels, sorter=order).clip(max=clusters.size - 1)]
        place = np.where(clusters[place] == labels, place, clusters.size)
        size = np.bincount(place, minlength=clusters.size + 1)
        ends = np.split(np.argsort(place, kind="stable"), np.cumsum(size)[:-1])
        return cls(
            size[:-1],
            lambda values: np.bincount(place, values, minlength=clusters.size + 1)[:-1].astype(np.float64),
            lambda group: ends[group],
            np.zeros(clusters.size, np.int64),
        )

    @classmethod
    def of_nodes(cls, tree: Tree, nodes: NDArray[np.int64]) -> Groups:
        """The leaves under nodes of a tree; siblings are rivals."""
        inner = np.zeros(tree.n_nodes - tree.n_leaves)
        return cls(
            tree.sizes[nodes],
            lambda values: subtree_sums(tree.parent, np.concatenate([values, inner]))[nodes],
            lambda group: tree.leaves(int(nodes[group])),
            tree.parent[nodes],
        )


@dataclass(frozen=True)
class Contrast:
    """A column in one set of points against all others.

    telling         : from 0 (distributed alike) to 1 (no value in common). For numbers, by how much more often a value
        of the set is the larger of two than the smaller (Cliff's delta, without sign); for texts and truth values, the
        difference of the shares of the value that differs most.
    typical, others : the median; for texts the place of that value; for truth values their share.
    share, other_share : of that value; 1 and 0 for numbers.
    """

    column: Column
    telling: float
    typical: float
    others: float
    share: float = 1.0
    other_share: float = 0.0

    @property
    def differs(self) -> bool:
        """Whether the typical value is another one, so that it can be said."""
        return self.typical != self.others or self.share != self.other_share


class Description:
    """How each column sets each of some sets of points apart."""

    def __init__(self, columns: Sequence[Column], groups: Groups) -> None:
        self.columns, self.groups = columns, groups
        found = [self._telling(column) for column in columns]
        shape = (groups.size.size, 0)
        self.telling = np.column_stack([telling for telling, _ in found]) if found else np.zeros(shape)
        self._texts = np.column_stack([texts for _, texts in found]) if found else np.zeros(shape, np.int64)

    def _telling(self, column: Column) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """How much a column tells about each set, and by which of its texts."""
        known = ~np.isnan(column.numbers)
        inside = self.groups.sums(known.astype(np.float64))
        outside = known.sum() - inside
        both = (inside > 0) & (outside > 0)
        if column.kind in ("number", "date"):
            ranks = np.zeros(known.size)
            ranks[known] = rankdata(column.numbers[known])
            above = self.groups.sums(ranks) - inside * (inside + 1) / 2
            delta = 2 * np.divide(above, inside * outside, where=both, out=np.full(inside.size, 0.5)) - 1
            return np.abs(delta), np.zeros(inside.size, np.int64)
        differences = np.zeros((inside.size, max(len(column.texts), 2)))
        for text in range(differences.shape[1]):
            counts = self.groups.sums((column.numbers == text).astype(np.float64))
            total = np.count_nonzero(column.numbers == text)
            here = np.divide(counts, inside, where=both, out=np.zeros(inside.size))
            there = np.divide(total - counts, outside, where=both, out=np.zeros(inside.size))
            differences[:, text] = here - there
        texts = np.full(inside.size, 1)
        if column.kind == "category":
            # A value that a set has says more than one that it lacks.
            has, lacks = differences.argmax(axis=1), differences.argmin(axis=1)
            rows = np.arange(inside.size)
            texts = np.where(differences[rows, has] >= np.abs(differences[rows, lacks]) / 2, has, lacks)
        return np.abs(differences[np.arange(inside.size), texts]), texts

    def contrasts(self, group: int, most: int) -> list[Contrast]:
        """The columns that tell most about a set, best first."""
        order = np.argsort(-self.telling[group].round(9), kind="stable")[:most]
        return [self.contrast(group, int(column)) for column in order]

    def contrast(self, group: int, place: int) -> Contrast:
        """One column in one set against all others."""
        column, telling = self.columns[place], float(self.telling[group, place])
        inside = np.zeros(column.numbers.size, np.bool_)
        inside[self.groups.members(group)] = True
        known = ~np.isnan(column.numbers)
        here, there = column.numbers[inside & known], column.numbers[~inside & known]
        if column.kind in ("number", "date"):
            return Contrast(column, telling, median(here), median(there))
        text = int(self._texts[group, place])
        share, other = (float(np.mean(values == text)) if values.size else 0.0 for values in (here, there))
        typical = (share, other) if column.kind == "truth" else (float(text), float(text))
        return Contrast(column, telling, *typical, share, other)

    def names(self) -> list[str]:
        """A short name per set, true, and unique among rivals; "" where no column tells."""
        said = [
            [one for one in self.contrasts(group, MOST_NAMED + 1) if one.telling >= LEAST_TELLING and one.differs]
            for group in range(self.groups.size.size)
        ]
        bare = _unique_texts(self.columns)
        phrases = [[phrase(one, bare) for one in group] for group in said]
        used = [1 if group and group[0].telling >= PLAIN else 2 for group in said]
        while True:
            names = [", ".join(group[:n]) for group, n in zip(phrases, used, strict=True)]
            times = Counter(zip(self.groups.rivals.tolist(), names, strict=True))
            twice = [times[rivals, name] > 1 for rivals, name in zip(self.groups.rivals.tolist(), names, strict=True)]
            longer = [n < min(len(group), MOST_NAMED) for group, n in zip(phrases, used, strict=True)]
            if not any(np.logical_and(twice, longer)):
                return names
            used = [n + (again and more) for n, again, more in zip(used, twice, longer, strict=True)]


def phrase(contrast: Contrast, bare: set[str]) -> str:
    """What a column says about a set in a few words: "8 cylinders", "weight 4,100 lb", "mostly female", "not fragile".

    bare : texts that need no name of their column beside them.
    """
    column, name = contrast.column, contrast.column.name.replace("_", " ")
    if column.kind in ("number", "date"):
        value = written(column, contrast.typical, contrast.typical - contrast.others)
        unit = _WITH_UNIT.fullmatch(column.name)
        if unit is not None:
            return f"{unit[1].replace('_', ' ')} {value} {unit[2] or unit[3]}"
        is_count = contrast.typical == round(contrast.typical) and re.fullmatch(r"[A-Za-z][a-z ]*[a-rt-z]s", name)
        return f"{value} {name}" if is_count else f"{name} {value}"
    what = name if column.kind == "truth" else column.texts[int(contrast.typical)]
    what = what if column.kind == "truth" or what in bare else f"{name}={what}"
    if contrast.share > contrast.other_share:
        often = "" if contrast.share >= PLAIN else "mostly " if contrast.share >= 0.5 else "more often "
    else:
        often = "not " if contrast.share <= SELDOM else "seldom " if contrast.share < 0.5 else "less often "
    return often + what


def written(column: Column, value: float, difference: float) -> str:
    """A median as exactly as it takes to tell it from another one at this difference, with a digit to spare.

    >>> weight, year = Column("weight", "number", np.array([9.5])), Column("year", "number", np.array([2008.0]))
    >>> written(weight, 4123.0, 1500.0), written(weight, 0.01234, 0.02), written(weight, -0.1, 40.0)
    ('4,100', '0.012', '0')
    >>> written(year, 2008.0, 3.0)
    '2008'
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
    if not np.isfinite(difference) or not 1e-4 <= abs(difference) < 1e9:
        return f"{value:.4g}"
    places = 1 - int(np.floor(np.log10(abs(difference))))
    rounded = round(value, places) + 0.0
    return f"{rounded:,.{max(places, 0)}f}" if rounded != round(rounded) else f"{rounded:,.0f}"


def _unique_texts(columns: Sequence[Column]) -> set[str]:
    """Texts of one column alone that are words."""
    times = Counter(text for column in columns for text in set(column.texts))
    words = {text for text, n in times.items() if n == 1 and re.search(r"[^\W\d_]{2}", text)}
    return words - {"yes", "no", "other", "none", "unknown", "high", "low", "medium", "small", "large"}


def median(values: NDArray[np.float64]) -> float:
    """The median; of an even number of whole values the lower one of the two in the middle, which occurs."""
    if not values.size:
        return float("nan")
    middle = np.partition(values, [(values.size - 1) // 2, values.size // 2])
    low, high = middle[(values.size - 1) // 2], middle[values.size // 2]
    return float(low if low == round(low) and high == round(high) else (low + high) / 2)
