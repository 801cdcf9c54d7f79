"""What a page holds of a table: columns that set nodes apart, and means of columns for a heat map by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.partitions.description import Description, Groups, columns_of
from hypcse.points.points import Points
from hypcse.show.page.packing import pack, pack_single
from hypcse.tree import Tree

MAX_COLUMNS = 48
"""Columns that a page holds for its heat map: those that differ most between clusters."""
MAX_VALUES = 150_000
"""Means that a page holds, so that its size stays bounded."""
MAX_NODES = 5_000
"""Nodes that a page describes by columns, the largest first."""
DESCRIBING = 4
"""Columns that describe a node, against all other leaves."""
NAMED = 20_000_000
"""Nodes that columns name, times leaves; the largest nodes are named first."""


class NodeColumns(NamedTuple):
    """The columns that set nodes apart; row k is about `nodes[k]`, the farthest column first.

    column : (m, t) which columns.
    shift  : (m, t) mean under the node minus mean of all other leaves, in standard deviations.
    mean   : (m, t) mean under the node.
    """

    nodes: NDArray[np.int64]
    column: NDArray[np.int64]
    shift: NDArray[np.float64]
    mean: NDArray[np.float64]


class ColumnMeans(NamedTuple):
    """Standardized means of some columns at the largest nodes.

    columns : (c,) which columns, in the order of the table.
    nodes   : (m,) which nodes, largest first.
    values  : (m, c) mean under a node minus mean of all leaves, in standard deviations of the column.
    """

    columns: NDArray[np.int64]
    nodes: NDArray[np.int64]
    values: NDArray[np.float64]


def table_contents(
    tree: Tree,
    features: NDArray[np.floating],
    points: Points,
    partitions: Sequence[NDArray[np.int64]],
) -> dict[str, Any]:
    """What a page holds of the features of points, one row per leaf; `partitions` say which columns a heat map shows.

    Columns without names name no node.
    """
    names = points.feature_names
    n_columns = features.shape[1]
    titles = [f"column {k}" for k in range(1, n_columns + 1)] if names is None else list(map(str, names))
    if len(titles) != n_columns:
        raise ValueError(f"there are {len(titles)} feature_names for {n_columns} columns. Pass one per column.")
    described = distinct_columns(tree, features)
    return {
        "names": titles,
        "mean": pack_single(features.mean(axis=0, dtype=np.float64)),
        "deviation": pack_single(features.std(axis=0, dtype=np.float64)),
        "told": described.column.shape[1],
        "nodes": pack(described.nodes.astype(np.int32)),
        "column": pack(described.column.astype(np.uint32).ravel()),
        "shift": pack_single(described.shift),
        "nodeMean": pack_single(described.mean),
        "said": None if names is None else _said(tree, points, described.nodes),
        "heat": _heat_map(column_means(tree, features, partitions)),
    }


def _said(tree: Tree, points: Points, nodes: NDArray[np.int64]) -> list[str]:
    """What the columns say of the largest of these nodes; "" where they say nothing."""
    groups = Groups.of_nodes(tree, nodes[: max(NAMED // tree.n_leaves, 1)])
    return Description(columns_of(points), groups).names()


def _heat_map(means: ColumnMeans) -> dict[str, Any]:
    """Means of columns at the first of the nodes that are described, in steps of `most` / 32767 around 32767."""
    most = float(np.abs(means.values).max(initial=0)) or 1.0
    return {
        "columns": pack(means.columns.astype(np.uint32)),
        "rows": int(means.nodes.size),
        "most": most,
        "values": pack((np.round(means.values / most * 32767) + 32767).astype(np.uint16).ravel()),
    }


def column_means(
    tree: Tree, features: NDArray[np.floating], partitions: Sequence[NDArray[np.int64]], n_columns: int = MAX_COLUMNS
) -> ColumnMeans:
    """Means of the columns that differ most between the clusters of any partition; constant ones are left out. O(n d).

    >>> tree = Tree.from_newick("((0,1),(2,3));")
    >>> means = column_means(tree, np.array([[0.0, 5], [0, 5], [2, 5], [2, 5]]), [np.array([0, 0, 1, 1])])
    >>> means.columns.tolist(), dict(zip(means.nodes.tolist(), means.values[:, 0].tolist(), strict=True))[4]
    ([0], -1.0)
    """
    share = np.array([_explained_share(column, partitions) for column in features.T])
    spread = np.array([_spread(column) for column in features.T])
    best = np.argsort(-np.where(spread > 0, share, -1), kind="stable")[: min(n_columns, np.count_nonzero(spread))]
    columns = np.sort(best)
    nodes = _largest_nodes(tree, min(MAX_NODES, MAX_VALUES // max(columns.size, 1)))
    values = np.empty((nodes.size, columns.size))
    for place, k in enumerate(columns.tolist()):
        sums = _column_sums(tree, features[:, k])
        values[:, place] = (sums[nodes] / tree.sizes[nodes] - sums[tree.root] / tree.n_leaves) / spread[k]
    return ColumnMeans(columns, nodes, values)


def _explained_share(values: NDArray[np.floating], partitions: Sequence[NDArray[np.int64]]) -> float:
    """The largest share of a column's variance that lies between the clusters of a partition into several."""
    centered = values.astype(np.float64) - values.mean(dtype=np.float64)
    total = float(centered @ centered)
    if total == 0:
        return 0.0
    shares = [0.0]
    for labels in partitions:
        size = np.bincount(labels)
        sums = np.bincount(labels, weights=centered)
        # Every leaf alone explains all of every column.
        if 1 < np.count_nonzero(size) <= values.size // 2:
            shares.append(float((sums[size > 0] ** 2 / size[size > 0]).sum() / total))
    return max(shares)


def distinct_columns(tree: Tree, features: NDArray[np.floating], n_columns: int = DESCRIBING) -> NodeColumns:
    """The columns whose mean under a node differs most from the mean of the other leaves.

    For the largest nodes. A column that does not vary sets nothing apart; earlier columns win ties. One column at a
    time: O(n d) time, O(n) memory beside the result.
    """
    nodes = _largest_nodes(tree, MAX_NODES)
    shape = (nodes.size, min(n_columns, features.shape[1]))
    best: tuple[NDArray[Any], ...] = (np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape))
    size = tree.sizes
    for column in range(features.shape[1]):
        sums, spread = _column_sums(tree, features[:, column]), _spread(features[:, column])
        mean = sums[nodes] / size[nodes]
        others = (sums[tree.root] - sums[nodes]) / (tree.n_leaves - size[nodes])
        shift = (mean - others) / spread if spread > 0 else np.zeros(nodes.size)
        candidates = [
            np.column_stack([chosen, values])
            for chosen, values in zip(best, (np.full(nodes.size, column), shift, mean), strict=True)
        ]
        order = np.argsort(-np.abs(candidates[1]), axis=1, kind="stable")[:, : shape[1]]
        best = tuple(np.take_along_axis(values, order, axis=1) for values in candidates)
    return NodeColumns(nodes, *best)


def _largest_nodes(tree: Tree, n_nodes: int) -> NDArray[np.int64]:
    """The nodes with the most leaves, largest first, without the root."""
    order = np.argsort(-tree.sizes, kind="stable")
    return order[order != tree.root][:n_nodes]


def _column_sums(tree: Tree, values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Sum of one column over the leaves of every node."""
    leaves = values.astype(np.float64)
    return subtree_sums(tree.parent, np.concatenate([leaves, np.zeros(tree.n_nodes - tree.n_leaves)]))


def _spread(values: NDArray[np.floating]) -> float:
    """Standard deviation of one column; 0 if it varies only by rounding."""
    wide = values.astype(np.float64)
    spread = float(wide.std())
    return spread if spread > 1e-12 * np.abs(wide).max() else 0.0
