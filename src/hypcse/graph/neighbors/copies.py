"""Equal rows of a table: neighbours are searched among the different rows, and each stands for all its copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.spanning.equal_rows import first_copies

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Copies:
    """The different rows of a table, and where their copies are.

    first   : (m,) ids of the different rows, ascending; of equal rows the first.
    place   : (n,) position in `first` of the row that each row is equal to.
    members : (n,) ids of all rows, copies together, in the order of `first`; among copies ascending.
    start   : (m + 1,) where in `members` the copies of each begin.
    """

    first: Ids
    place: Ids
    members: Ids
    start: Ids

    def expand(self, near: Ids, squared: NDArray[np.float64]) -> Ids:
        """Rows that hold the K nearest of each query, (queries, at least K), padded with -1.

        near    : (queries, K) positions of the nearest different rows by (distance, position), padded with -1.
        squared : (queries, K) their squared distances, padded with infinity.

        The K nearest rows by (distance, id) are copies of these: a row is preceded by the first of its copies, so fewer
        than K different rows come before it. Of each, the first K copies are enough.
        """
        K = near.shape[1]
        counts = np.where(near < 0, 0, np.minimum(np.diff(self.start)[near], K))
        # Farther rows than the one that makes K complete are not among the nearest; those as far may be.
        complete = np.argmax(np.cumsum(counts, axis=1) >= K, axis=1)
        counts[squared > squared[np.arange(len(near)), complete][:, None]] = 0
        begin = np.repeat(self.start[near].ravel(), counts.ravel())
        ids = self.members[begin + _within_runs(counts.ravel())]
        totals = counts.sum(axis=1)
        found = np.full((len(near), int(totals.max(initial=K))), -1)
        found[np.repeat(np.arange(len(near)), totals), _within_runs(totals)] = ids
        return found


def find_copies(X: NDArray[np.floating]) -> Copies | None:
    """The copies in a finite table, or None if all rows are different. O(n (d + log n))."""
    # -0.0 is equal to 0.0, but not in its bits.
    original = first_copies(np.add(X, 0.0, dtype=np.float64))
    first, place, counts = np.unique(original, return_inverse=True, return_counts=True)
    if first.size == len(X):
        return None
    start = np.concatenate([[0], np.cumsum(counts)])
    return Copies(first, place, np.argsort(original, kind="stable"), start)


def _within_runs(lengths: Ids) -> Ids:
    """0, 1, ... in each of some runs.

    >>> _within_runs(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
