"""Spanning trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel
from hypcse.kernels.linkage.merges import find


@kernel
def heaviest_forest(
    first: NDArray[np.int32], second: NDArray[np.int32], n_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges, of those given from best to worst, that join two parts (Kruskal): a spanning forest. O(m)."""
    root = np.arange(n_vertices)
    size = np.ones(n_vertices, np.int64)
    taken_first, taken_second = np.empty(n_vertices, np.int64), np.empty(n_vertices, np.int64)
    done = 0
    for k in range(first.size):
        a, b = find(root, first[k]), find(root, second[k])
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            root[b] = a
            size[a] += size[b]
            taken_first[done], taken_second[done] = first[k], second[k]
            done += 1
    return taken_first[:done], taken_second[:done]


@kernel
def partition_tree(
    first: NDArray[np.int64], second: NDArray[np.int64], order: NDArray[np.int64], n_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Kruskal's merges, edges taken in `order`: merge k makes node n + k. Parents, -1 at roots, and the edges. O(m)."""
    root = np.arange(2 * n_vertices)
    parent = np.full(2 * n_vertices, -1, np.int64)
    edge = np.empty(n_vertices, np.int64)
    done = 0
    for k in order:
        a, b = find(root, first[k]), find(root, second[k])
        if a != b:
            made = n_vertices + done
            root[a] = root[b] = parent[a] = parent[b] = made
            edge[done] = k
            done += 1
            if done == n_vertices - 1:
                break
    return parent[: n_vertices + done], edge[:done]
