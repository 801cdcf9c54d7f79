"""Clusters through changes of the data: which are still the same, and what became of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.tree.flat import Labels, cluster_sizes

if TYPE_CHECKING:
    import pandas

NEW_ROW = -2
"""The former cluster of a row that has just come; -1 is that of an outlier."""


class Overlaps(NamedTuple):
    """How many rows each former and each present cluster share: pairs of clusters, and counts."""

    before: Labels
    after: Labels
    counts: Labels

    @classmethod
    def of(cls, before: Labels, after: Labels) -> Overlaps:
        """The overlaps of clusters; rows without a cluster, then or now, do not count."""
        both = (before >= 0) & (after >= 0)
        width = int(after.max(initial=0)) + 1
        keys, count = np.unique(before[both] * width + after[both], return_counts=True)
        return cls(keys // width, keys % width, count)

    def agreement(self) -> float:
        """Adjusted Rand index of the two clusterings; 1 if they are the same."""
        rows, columns = (np.bincount(side, self.counts) for side in (self.before, self.after))
        pairs, first, second, total = (
            float((sizes * (sizes - 1.0)).sum())
            for sizes in (self.counts, rows, columns, self.counts.sum(keepdims=True))
        )
        expected = first * second / total if total > 0 else 0.0
        most = (first + second) / 2
        return (pairs - expected) / (most - expected) if most > expected else 1.0


def keep_numbers(before: Labels, after: Labels, n_used: int) -> Labels:
    """The present clusters with the numbers of the former ones that they are; others get numbers from `n_used` on.

    A cluster is still the same one if of all present clusters it has the most of the former one's rows, of all former
    ones these are most of its rows, and they are over half of the rows that either of the two has of those held before.

    >>> keep_numbers(np.array([4, 4, 4, 2, 2, -2]), np.array([0, 0, 0, 1, 1, 2]), 5).tolist()
    [4, 4, 4, 2, 2, 5]
    """
    overlaps = Overlaps.of(before, after)
    former, present, count = overlaps
    best_of_former, best_of_present = (_best(side, count) for side in (former, present))
    sizes = [np.bincount(side, count)[side] for side in (former, present)]
    same = best_of_former & best_of_present & (2 * count > np.minimum(*sizes))
    number = np.full(int(after.max(initial=-1)) + 2, -1)
    number[present[same]] = former[same]
    fresh = np.flatnonzero((cluster_sizes(after) > 0) & (number[:-1] < 0))
    number[fresh] = n_used + np.arange(fresh.size)
    return number[after]


def _best(clusters: Labels, count: Labels) -> NDArray[np.bool_]:
    """Which pair has the highest count of each cluster; ties go to the first."""
    order = np.lexsort((np.arange(count.size), -count, clusters))
    first = np.ones(count.size, np.bool_)
    first[1:] = clusters[order][1:] != clusters[order][:-1]
    best = np.zeros(count.size, np.bool_)
    best[order[first]] = True
    return best


@dataclass(frozen=True, eq=False)
class Changes:
    """What an update did to the clusters.

    before    : (n,) the former cluster of each row that is held now; `NEW_ROW` for one that has come.
    forgotten : (c,) how many rows of each former cluster were forgotten.
    """

    before: Labels
    forgotten: Labels

    def moved(self, labels: Labels) -> Labels:
        """The rows that have left a former cluster for another one, or become or ceased to be outliers."""
        return np.flatnonzero((self.before != NEW_ROW) & (self.before != labels))

    def to_frame(self, labels: Labels) -> pandas.DataFrame:
        """One row per cluster, former or present; see `EntropyClustering.changes_`."""
        import pandas as pd

        overlaps = Overlaps.of(self.before, labels)
        size = max(int(labels.max(initial=0)), int(self.before.max(initial=0)), self.forgotten.size - 1) + 1
        stayed, came, now = (
            np.bincount(rows[rows >= 0], minlength=size)
            for rows in (np.where(self.before == labels, labels, -1), labels[self.before == NEW_ROW], labels)
        )
        forgotten = np.pad(self.forgotten, (0, size - self.forgotten.size))
        held = np.bincount(self.before[self.before >= 0], minlength=size)
        before = held + forgotten
        frame = pd.DataFrame(
            {
                "change": "",
                "before": before,
                "now": now,
                "came": came,
                "forgotten": forgotten,
                "moved in": now - came - stayed,
                "moved out": held - stayed,
            },
            index=pd.RangeIndex(size, name="cluster"),
        )
        origins: list[list[int]] = [[] for _ in range(size)]
        for former, present in zip(overlaps.before.tolist(), overlaps.after.tolist(), strict=True):
            if former != present:
                origins[present].append(former)
        frame["from"] = origins
        words = zip(before.tolist(), now.tolist(), held.tolist(), (now - came).tolist(), frame["moved in"], strict=True)
        frame["change"] = [_word(*facts) for facts in words]
        return frame[(before > 0) | (now > 0)]


def _word(before: int, now: int, held: int, old: int, moved_in: int) -> str:
    """What happened to a cluster, from its sizes, how many former rows are held, and how many present ones are old."""
    if before == 0:
        return "split" if 2 * old > now else "new"
    if now == 0:
        return "merged" if held else "gone"
    if now == before:
        return "same" if moved_in == 0 else "changed"
    return "grown" if now > before else "shrunk"
