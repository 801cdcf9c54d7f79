"""SciPy's linkage matrix, both ways, and networkx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._arrays import plain
from hypcse._checks import check_finite
from hypcse.kernels.trees.sweep import lift_heights

if TYPE_CHECKING:
    import networkx


def linkage_to_parents(Z: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Parents and heights of a linkage matrix: merge k makes node n + k. Decreasing heights are lifted.

    Infinite heights become twice the largest finite one.
    """
    matrix = plain("the linkage matrix", Z, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] not in (3, 4) or matrix.shape[0] < 1:
        raise ValueError(
            f"a linkage matrix has shape (n - 1, 4) with n of at least 2, got {matrix.shape}. "
            "Pass what scipy.cluster.hierarchy.linkage returns."
        )
    infinite = matrix[:, 2] == np.inf
    if infinite.any():
        # scikit-network joins the components of a graph there.
        highest = float(matrix[np.isfinite(matrix[:, 2]), 2].max(initial=0.0))
        matrix = matrix.copy()
        matrix[infinite, 2] = min(2 * highest, np.finfo(np.float64).max) if highest > 0 else 1.0
    check_finite("the linkage matrix", matrix)
    n_leaves, children = len(matrix) + 1, matrix[:, :2].astype(np.int64)
    own = np.arange(n_leaves, 2 * n_leaves - 1)[:, None]
    broken = (children != matrix[:, :2]).any(axis=1)
    if broken.any():
        row = int(np.argmax(broken))
        raise ValueError(f"row {row} of the linkage matrix joins {matrix[row, :2].tolist()}, which are not ids.")
    unknown = ((children < 0) | (children >= own)).any(axis=1)
    if unknown.any():
        row = int(np.argmax(unknown))
        raise ValueError(
            f"row {row} of the linkage matrix joins {children[row].tolist()}, but only ids 0 .. {n_leaves + row - 1} "
            "exist by then."
        )
    joins = np.bincount(children.ravel(), minlength=2 * n_leaves - 2)
    if (joins != 1).any():
        node = int(np.argmax(joins != 1))
        raise ValueError(f"the linkage matrix joins node {node} {joins[node]} times; each is joined once.")
    if (matrix[:, 2] < 0).any():
        row = int(np.argmax(matrix[:, 2] < 0))
        raise ValueError(f"row {row} of the linkage matrix has height {matrix[row, 2]}; heights start at 0.")
    parent = np.full(2 * n_leaves - 1, -1, np.int64)
    parent[children] = own
    return parent, lift_heights(parent, np.concatenate([np.zeros(n_leaves), matrix[:, 2]]))


def parents_to_linkage(
    parent: NDArray[np.int64], height: NDArray[np.float64], size: NDArray[np.int64], n_leaves: int
) -> NDArray[np.float64]:
    """The (n - 1, 4) linkage matrix, rows in the order of height.

    A node with more than two children becomes a chain of joins at equal height, smallest ids first.
    """
    internal = np.arange(n_leaves, parent.size)
    rank = np.empty(parent.size, np.int64)
    rank[internal[np.argsort(height[internal], kind="stable")]] = np.arange(internal.size)
    child = np.argsort(rank[parent[:-1]], kind="stable")
    above = parent[child]
    first = np.concatenate([[True], above[1:] != above[:-1]])
    rows = np.cumsum(~first) - 1
    n_joins = np.bincount(rank[above], minlength=internal.size) - 1
    name = np.arange(parent.size)
    order = internal[np.argsort(rank[internal])]
    name[order] = n_leaves - 1 + np.cumsum(n_joins)
    joined = ~first
    Z = np.empty((n_leaves - 1, 4))
    left = np.where(first[:-1][joined[1:]], name[child[:-1]][joined[1:]], n_leaves + rows[joined] - 1)
    right = name[child[joined]]
    Z[:, 0] = np.minimum(left, right)
    Z[:, 1] = np.maximum(left, right)
    Z[:, 2] = height[above[joined]]
    starts = np.flatnonzero(first)
    running = np.cumsum(size[child])
    before = np.repeat(running[starts] - size[child[starts]], np.diff(np.append(starts, child.size)))
    Z[:, 3] = (running - before)[joined]
    return Z


def make_networkx(
    parent: NDArray[np.int64], height: NDArray[np.float64], names: Sequence[str] | None
) -> networkx.DiGraph[int]:
    """Arcs from parent to child; nodes have `height`, and leaves `name` if there are names."""
    try:
        import networkx
    except ImportError:
        raise ImportError(
            'to_networkx needs the package networkx, which is not installed. pip install "hypcse[networkx]"'
        ) from None
    graph: Any = networkx.DiGraph()
    graph.add_nodes_from((node, {"height": value}) for node, value in enumerate(height.tolist()))
    graph.add_edges_from(zip(parent[:-1].tolist(), range(parent.size - 1), strict=True))
    if names is not None:
        networkx.set_node_attributes(graph, dict(enumerate(names)), "name")
    return graph
