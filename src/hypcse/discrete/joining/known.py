"""The tree over groups of points with known distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.discrete.joining.parts import MAX_EXACT, link_by_average
from hypcse.graph.neighbors.precomputed import distance_blocks, known_distances
from hypcse.tree import Tree


def tree_of_distances(distances: Any, components: NDArray[np.int64]) -> Tree | None:
    """The tree over components by the known distances; None if none between components is known."""
    sizes = np.bincount(components).astype(np.float64)
    if sparse.issparse(distances):
        mean_squares = _known_between(known_distances(distances), components)
    else:
        mean_squares = _all_between(distances, components, sizes)
    return None if mean_squares is None else link_by_average(mean_squares, sizes)


def _all_between(distances: Any, components: NDArray[np.int64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean squared distance between each two components, relative to the largest distance of all, (c, c)."""
    n, blocks = distance_blocks(distances)
    # Only ratios of heights matter; squares of the distances themselves could overflow.
    largest = float(np.max(distances)) or 1.0
    member = sparse.csr_array((np.ones(n), components, np.arange(n + 1)), shape=(n, sizes.size))
    sums = np.zeros((sizes.size, sizes.size))
    for start, rows in blocks:
        sums += member[start : start + len(rows)].T @ (member.T @ np.square(rows / largest).T).T
    return sums / np.outer(sizes, sizes)


def _known_between(known: sparse.csr_array, components: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The same for sparse distances; components without a known distance are twice as far apart as any others."""
    n_parts = int(components.max()) + 1
    rows = np.repeat(components, np.diff(known.indptr))
    columns = components[known.indices]
    between = rows != columns
    if not between.any() or n_parts > MAX_EXACT:
        return None
    pairs = rows[between] * n_parts + columns[between]
    squares = np.square(known.data[between] / (known.data[between].max() or 1.0))
    counts = np.bincount(pairs, minlength=n_parts * n_parts)
    sums = np.bincount(pairs, squares, minlength=n_parts * n_parts)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), 4 * squares.max())
    return means.reshape(n_parts, n_parts)
