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
from hypcse.points.columns import Columns
from hypcse.points.points import Points
from hypcse.points.reading import read_points
from hypcse.tree import Tree

LEAST_TELLING = 0.3
"""A column that tells less about a cluster is not named."""
PLAIN = 0.9
"""A column that tells so much names a cluster alone; a value of such a share of its rows needs no "mostly"."""
SELDOM = 0.02
"""Up to this share of its rows, a cluster lacks a value that most others have."""
LEAST_APART = 0.25
"""Medians nearer to each other than this part of the way to that of all others are alike."""
MOST_NAMED = 4
"""Largest number of columns in a name."""
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
    numbers: NDArray[np.float64]
    texts: tuple[str, ...] = ()
    unit: str = "#"

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


def _dense(block: Any) -> NDArray[np.float64]:
    return np.asarray(block.toarray() if hasattr(block, "toarray") else block, np.float64)


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


class Description:
    """How each column sets each of some sets of points apart."""

    def __init__(self, columns: Sequence[Column], groups: Groups) -> None:
        self.columns, self.groups = columns, groups
        shape = (groups.size.size, len(columns))
        self.telling, self._texts, self._shares = np.zeros(shape), np.zeros(shape, np.int64), np.zeros((2, *shape))
        for k, column in enumerate(columns):
            if column.kind in ("number", "date"):
                self.telling[:, k] = self._dominance(column)
            else:
                self.telling[:, k], self._texts[:, k], self._shares[:, :, k] = self._difference(column)
        self._bare = _unique_texts(columns)
        self._contrasts: dict[tuple[int, int], Contrast] = {}
        self._ordered: dict[int, tuple[NDArray[np.float64], NDArray[np.int64]]] = {}

    def _dominance(self, column: Column) -> NDArray[np.float64]:
        """Cliff's delta of each set against all others, without sign."""
        known = ~np.isnan(column.numbers)
        inside = self.groups.sums(known.astype(np.float64))
        pairs = inside * (known.sum() - inside)
        ranks = np.zeros(known.size)
        ranks[known] = rankdata(column.numbers[known])
        above = self.groups.sums(ranks) - inside * (inside + 1) / 2
        return np.abs(2 * np.divide(above, pairs, where=pairs > 0, out=np.full(inside.size, 0.5)) - 1)

    def _difference(
        self, column: Column
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The value whose share differs most: by how much, which one, and its shares inside and outside."""
        known = ~np.isnan(column.numbers)
        inside = self.groups.sums(known.astype(np.float64))
        outside = known.sum() - inside
        both = (inside > 0) & (outside > 0)
        here, there = np.zeros((2, inside.size, max(len(column.texts), 2)))
        for text in range(here.shape[1]):
            equal = column.numbers == text
            counts = self.groups.sums(equal.astype(np.float64))
            np.divide(counts, inside, where=both, out=here[:, text])
            np.divide(equal.sum() - counts, outside, where=both, out=there[:, text])
        texts, rows = np.full(inside.size, 1), np.arange(inside.size)
        if column.kind == "category":
            # A value that a set has says more than one that it lacks.
            has, lacks = (here - there).argmax(axis=1), (there - here).argmax(axis=1)
            says_more = (here - there)[rows, has] >= (there - here)[rows, lacks] / 2
            texts = np.where(says_more, has, lacks)
        shares = here[rows, texts], there[rows, texts]
        return np.abs(shares[0] - shares[1]), texts, shares

    def contrast(self, group: int, place: int) -> Contrast:
        """One column in one set against all others. O(s log s) for a set of s points."""
        if (group, place) not in self._contrasts:
            self._contrasts[group, place] = self._contrast(group, place)
        return self._contrasts[group, place]

    def _contrast(self, group: int, place: int) -> Contrast:
        column, telling = self.columns[place], float(self.telling[group, place])
        if column.kind not in ("number", "date"):
            text = float(self._texts[group, place])
            share, other = self._shares[:, group, place].tolist()
            is_truth = column.kind == "truth"
            return Contrast(column, telling, share if is_truth else text, other if is_truth else text, share, other)
        if place not in self._ordered:
            order = np.argsort(column.numbers, kind="stable")[: np.count_nonzero(~np.isnan(column.numbers))]
            rank = np.full(column.numbers.size, -1)
            rank[order] = np.arange(order.size)
            self._ordered[place] = column.numbers[order], rank
        values, rank = self._ordered[place]
        own = np.sort(rank[self.groups.members(group)])
        own = own[own >= 0]
        before = own - np.arange(own.size)
        middle = (values.size - own.size + np.array([-1, 0])) // 2
        others = (
            values[middle + np.searchsorted(before, middle, side="right")] if values.size > own.size else values[:0]
        )
        return Contrast(column, telling, median(values[own]), median(others))

    def names(self) -> list[str]:
        """A short name per set, true, and different among rivals as far as columns tell them apart; "" if none does.

        See `names_of` for those that stay alike.
        """
        sets = range(self.groups.size.size)
        return [", ".join(self._says(group, place) for place in self.naming(group)) for group in sets]

    def telling_most(self, group: int, most: int) -> list[int]:
        """The columns that tell most about a set, so much that they are worth saying."""
        order = np.argsort(-self.telling[group].round(9), kind="stable")[:most].tolist()
        return [k for k in order if self.telling[group, k] >= LEAST_TELLING and self.contrast(group, k).differs]

    def naming(self, group: int) -> list[int]:
        """The columns that name a set: the one that tells most, then those that tell it from rivals still alike."""
        left = self.telling_most(group, 2 * MOST_NAMED)
        alike = np.flatnonzero(self.groups.rivals == self.groups.rivals[group]).tolist()
        alike.remove(group)
        columns: list[int] = []
        while left and len(columns) < MOST_NAMED:
            enough = len(columns) > 1 or (bool(columns) and self.telling[group, columns[0]] >= PLAIN)
            if enough and not alike:
                break
            tried = left if columns else left[:1]
            still = [[rival for rival in alike if self._are_alike(group, rival, k)] for k in tried]
            best = min(range(len(tried)), key=lambda k: len(still[k]))
            if enough and len(still[best]) == len(alike):
                break
            columns.append(left.pop(best))
            alike = still[best]
        return columns

    def _are_alike(self, group: int, rival: int, place: int) -> bool:
        """Whether a column hardly tells two sets from each other, beside what tells the first from all others."""
        one, other = self.contrast(group, place), self.contrast(rival, place)
        if one.column.kind in ("number", "date"):
            return abs(one.typical - other.typical) < LEAST_APART * abs(one.typical - one.others)
        return self._says(group, place) == self._says(rival, place)

    def _says(self, group: int, place: int) -> str:
        return phrase(self.contrast(group, place), self._bare)


def phrase(contrast: Contrast, bare: set[str]) -> str:
    """What a column says about a set in a few words: "8 cylinders", "weight 4,100 lb", "mostly female", "not fragile".

    bare : texts that need no name of their column beside them.
    """
    column, name = contrast.column, contrast.column.name.replace("_", " ")
    if column.kind in ("number", "date"):
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
    if column.kind in ("number", "date"):
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
