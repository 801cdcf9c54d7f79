"""Symmetric graphs in compressed rows, every edge in two of them."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, ShortIds
from hypcse.kernels.compile import reading_kernel
from hypcse.kernels.union_find import find


@reading_kernel
def component_labels(indptr: Ids, indices: ShortIds) -> Ids:
    """Label of the component of each vertex of a symmetric graph in compressed rows, by smallest vertex. O(n + m)."""
    n = indptr.size - 1
    root = np.arange(n)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] < i:
                a, b = find(root, i), find(root, indices[k])
                root[max(a, b)] = min(a, b)
    labels, n_labels = np.empty(n, np.int64), 0
    for i in range(n):
        # The root of a set is its smallest vertex.
        if root[i] == i:
            labels[i], n_labels = n_labels, n_labels + 1
        else:
            labels[i] = labels[find(root, i)]
    return labels


@reading_kernel
def both_ways(indptr: Ids, indices: ShortIds, chosen: Flags) -> Flags:
    """Whether the edge of each entry is chosen, from one flag per edge i < j by (i, j); columns ascend. O(n + m)."""
    flags, following, edge = np.empty(indices.size, np.bool_), indptr[:-1].copy(), 0
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j > i:
                # The entries of row j left of the diagonal come in this order, too.
                flags[k] = flags[following[j]] = chosen[edge]
                following[j] += 1
                edge += 1
    return flags
