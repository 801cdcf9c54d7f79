"""Numbers of flat clusters, in which -1 stands for outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def cluster_sizes(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of points of each cluster, by its number; 0 for a number that is not used. Outliers are in none.

    >>> cluster_sizes(np.array([0, 2, 2, -1])).tolist()
    [1, 0, 2]
    """
    return np.bincount(labels[labels >= 0])


def count_clusters(labels: NDArray[np.int64]) -> int:
    """How many clusters there are.

    >>> count_clusters(np.array([0, 2, 2, -1]))
    2
    """
    return int(np.count_nonzero(cluster_sizes(labels)))


def by_size(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The clusters numbered by falling size, ties by smallest leaf; numbers that are not used are left out.

    >>> by_size(np.array([0, 1, 1, 4, -1])).tolist()
    [1, 0, 0, 2, -1]
    """
    sizes = cluster_sizes(labels)
    clustered = np.flatnonzero(labels >= 0)[::-1]
    first = np.zeros(sizes.size, np.int64)
    first[labels[clustered]] = clustered
    # The last place is for outliers.
    number = np.full(sizes.size + 1, -1)
    number[np.lexsort([first, -sizes])] = np.arange(sizes.size)
    return number[labels]
