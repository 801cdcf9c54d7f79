"""Groups of cells beside their siblings: means, effect sizes and Welch's t of every gene, a few groups at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.tree import Tree
from hypcse.tree.chosen import choose_nodes

BLOCK = 4_000_000
"""Numbers in one table of groups by genes; more groups are taken in parts."""
ROUNDING = 1e-12
"""Differences of sums that are smaller than this share of the sums are taken for rounding."""


class Contrast(NamedTuple):
    """Groups beside their siblings, row by row. All but `node` and the numbers of cells are (k, genes)."""

    node: NDArray[np.int64]
    n_cells: NDArray[np.int64]
    n_siblings: NDArray[np.int64]
    difference: NDArray[np.float64]
    effect: NDArray[np.float64]
    t: NDArray[np.float64]
    freedom: NDArray[np.float64]
    share: NDArray[np.float64]
    share_siblings: NDArray[np.float64]


def contrasts(whole: Tree, labels: list[NDArray[np.int64]], X: Any, min_cells: int) -> Iterator[Contrast]:
    """All groups beside their siblings, a few at a time, so that no table of all groups by all genes is made."""
    # In double precision, because a variance is a small difference of large sums; and once, not in every product.
    X = X.astype(np.float64)
    squares, positive = X**2, (X > 0).astype(np.float64)
    layers = choose_nodes(whole, labels, min_cells).layers()
    before = next(layers).members
    for layer in layers:
        step = max(1, BLOCK // X.shape[1])
        n_cells, n_before = np.diff(layer.members.indptr), np.diff(before.indptr)
        for above in np.unique(layer.above):
            parent = [_summed(before[[above]], part) for part in (X, squares, positive)]
            here = np.flatnonzero(layer.above == above)
            for some in (here[k : k + step] for k in range(0, here.size, step)):
                sums = [_summed(layer.members[some], part) for part in (X, squares, positive)]
                yield _contrast(layer.node[some], n_cells[some], sums, int(n_before[above]), parent)
        before = layer.members


def _summed(members: sparse.csr_array, part: Any) -> NDArray[np.float64]:
    found = members @ part
    return found.toarray() if sparse.issparse(found) else np.asarray(found, np.float64)


def _contrast(
    node: NDArray[np.int64],
    n_cells: NDArray[np.int64],
    sums: list[NDArray[np.float64]],
    n_parent: int,
    parent: list[NDArray[np.float64]],
) -> Contrast:
    """Welch's t and effect sizes, of sums of values, of their squares and of cells above 0."""
    n, m = n_cells[:, None], n_parent - n_cells[:, None]
    total, squared, above = sums
    other, other_squared, other_above = (whole - part for whole, part in zip(parent, sums, strict=True))
    difference = total / n - other / np.maximum(m, 1)
    # What is left of equal means by rounding is none.
    size = np.abs(total) / n + np.abs(parent[0]) / np.maximum(m, 1)
    difference = np.where(np.abs(difference) > ROUNDING * size, difference, 0.0)
    variance, other_variance = _variance(total, squared, n, squared), _variance(other, other_squared, m, parent[1])
    error = variance / n + other_variance / np.maximum(m, 1)
    pooled = ((n - 1) * variance + np.maximum(m - 1, 0) * other_variance) / np.maximum(n + m - 2, 1)
    freedom = _ratio(
        error**2,
        (variance / n) ** 2 / np.maximum(n - 1, 1) + (other_variance / np.maximum(m, 1)) ** 2 / np.maximum(m - 1, 1),
    )
    # A single sibling has no variance, and none has no mean: such a group has no markers.
    t = np.where(m >= 2, _ratio(difference, np.sqrt(error)), 0.0)
    effect = _ratio(difference, np.sqrt(pooled))
    shares = above / n, other_above / np.maximum(m, 1)
    return Contrast(node, n_cells, n_parent - n_cells, difference, effect, t, freedom, *shares)


def _variance(
    total: NDArray[np.float64], squared: NDArray[np.float64], n: NDArray[np.int64], size: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Unbiased; what is left of a constant by rounding, beside sums of this size, is none."""
    n = np.maximum(n, 1)
    spread = squared - total**2 / n
    return np.where(spread > ROUNDING * size, spread, 0.0) / np.maximum(n - 1, 1)


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Infinite, with the sign of what is above, where there is nothing below; 0 where there is nothing at all."""
    limit = np.where(above == 0, 0.0, np.copysign(np.inf, above))
    return np.divide(above, below, out=limit, where=below > 0)
