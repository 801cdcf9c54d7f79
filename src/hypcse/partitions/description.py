"""What clusters are: the columns that tell them from all other points, typical values, and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import rankdata

from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.partitions.words import PLAIN, Column, Contrast, median, phrase
from hypcse.tree import Tree

LEAST_TELLING = 0.3
"""A column that tells less about a cluster is not named."""
LEAST_APART = 0.25
"""Medians nearer to each other than this part of the way to that of all others are alike."""
MOST_NAMED = 4
"""Largest number of columns in a name."""
OUTLIERS = "outliers"


@dataclass(frozen=True, eq=False)
class Groups:
    """Sets of points that are told from all others: the clusters of a partition, or nodes of a tree.

    size    : (g,) of each set; sets may overlap.
    sums    : from one value per point to their sum in each set.
    members : the points of a set.
    rivals  : (g,) names must differ among sets of the same number.
    """

    size: Ids
    sums: Callable[[Reals], Reals]
    members: Callable[[int], Ids]
    rivals: Ids

    @classmethod
    def of_labels(cls, labels: Ids, clusters: Ids) -> Groups:
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
    def of_nodes(cls, tree: Tree, nodes: Ids) -> Groups:
        """The leaves under nodes of a tree; siblings are rivals."""
        inner = np.zeros(tree.n_nodes - tree.n_leaves)
        return cls(
            tree.sizes[nodes],
            lambda values: subtree_sums(tree.parent, np.concatenate([values, inner]))[nodes],
            lambda group: tree.leaves(int(nodes[group])),
            tree.parent[nodes],
        )


class Description:
    """How each column sets each of some sets of points apart.

    telling  : (g, c) how well each column tells each set from all others; see `Contrast`.
    contrast : from a set and the place of a column to the `Contrast`; O(s log s) for a set of s points.
    """

    def __init__(self, columns: Sequence[Column], groups: Groups) -> None:
        self.columns, self.groups = columns, groups
        self.contrast, self._ordered = cache(self._contrast), cache(self._sorted)
        self.telling = np.zeros((groups.size.size, len(columns)))
        self._shares: dict[int, tuple[Ids, Reals, Reals]] = {}
        for k, column in enumerate(columns):
            if column.is_measured:
                self.telling[:, k] = self._dominance(column)
            else:
                self._shares[k] = _, here, there = self._difference(column)
                self.telling[:, k] = np.abs(here - there)
        self._bare = _unique_texts(columns)

    def _dominance(self, column: Column) -> Reals:
        """Cliff's delta of each set against all others, without sign."""
        known = ~np.isnan(column.numbers)
        inside = self.groups.sums(known.astype(np.float64))
        pairs = inside * (known.sum() - inside)
        ranks = np.zeros(known.size)
        ranks[known] = rankdata(column.numbers[known])
        above = self.groups.sums(ranks) - inside * (inside + 1) / 2
        return np.abs(2 * np.divide(above, pairs, where=pairs > 0, out=np.full(inside.size, 0.5)) - 1)

    def _difference(self, column: Column) -> tuple[Ids, Reals, Reals]:
        """The value whose share differs most: which one, and its shares inside and outside."""
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
        return texts, here[rows, texts], there[rows, texts]

    def _contrast(self, group: int, place: int) -> Contrast:
        column, telling = self.columns[place], float(self.telling[group, place])
        if not column.is_measured:
            text, share, other = (float(values[group]) for values in self._shares[place])
            typical = (share, other) if column.kind == "truth" else (text, text)
            return Contrast(column, telling, *typical, share, other)
        values, rank = self._ordered(place)
        own = np.sort(rank[self.groups.members(group)])
        own = own[own >= 0]
        before = own - np.arange(own.size)
        middle = (values.size - own.size + np.array([-1, 0])) // 2
        outside = middle + np.searchsorted(before, middle, side="right")
        others = values[outside] if values.size > own.size else values[:0]
        return Contrast(column, telling, median(values[own]), median(others))

    def _sorted(self, place: int) -> tuple[Reals, Ids]:
        """The known numbers of a column, ascending, and the rank of each row among them, -1 for none."""
        numbers = self.columns[place].numbers
        order = np.argsort(numbers, kind="stable")[: np.count_nonzero(~np.isnan(numbers))]
        rank = np.full(numbers.size, -1)
        rank[order] = np.arange(order.size)
        return numbers[order], rank

    def names(self) -> list[str]:
        """A short name per set, true, and different among rivals as far as columns tell them apart; "" if none does."""
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
        if one.column.is_measured:
            return abs(one.typical - other.typical) < LEAST_APART * abs(one.typical - one.others)
        return self._says(group, place) == self._says(rival, place)

    def _says(self, group: int, place: int) -> str:
        return phrase(self.contrast(group, place), self._bare)


def names_of(described: Description, ids: Ids, has_names: bool = True) -> list[str]:
    """A unique name for each set: its number where the data say nothing, and with its size where two are alike.

    ids       : the numbers of the sets; outliers have -1.
    has_names : whether the columns have names of their own.
    """
    said = described.names() if has_names else [""] * ids.size
    sizes = described.groups.size
    names = [
        OUTLIERS if k < 0 else name or f"cluster {k} ({size:,})"
        for k, name, size in zip(ids.tolist(), said, sizes.tolist(), strict=True)
    ]
    for endings in (sizes, ids):
        times = Counter(names)
        names = [
            f"{name} ({n:,})" if times[name] > 1 else name for name, n in zip(names, endings.tolist(), strict=True)
        ]
    return names


def _unique_texts(columns: Sequence[Column]) -> set[str]:
    """Texts of one column alone that are words."""
    times = Counter(text for column in columns for text in set(column.texts))
    words = {text for text, n in times.items() if n == 1 and re.search(r"[^\W\d_]{2}", text)}
    return words - {"yes", "no", "other", "none", "unknown", "high", "low", "medium", "small", "large"}
