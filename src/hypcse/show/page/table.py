"""What a page holds of a table: columns that set nodes apart, and means of columns for a heat map by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.show.page.describe import (
    DESCRIBED,
    NodeColumns,
    column_spread,
    column_sums,
    largest_nodes,
    node_columns,
    sibling_columns,
)
from hypcse.tree import Tree

MAX_COLUMNS = 48
"""Columns that a page holds for its heat map: those that differ most between clusters."""
MAX_VALUES = 150_000
"""Means that a page holds, so that its size stays bounded."""


class ColumnMeans(NamedTuple):
    """Standardised means of some columns at the largest nodes.

    columns : (c,) which columns, in the order of the table.
    nodes   : (m,) which nodes, largest first.
    values  : (m, c) mean under a node minus mean of all leaves, in standard deviations of the column.
    """

    columns: NDArray[np.int64]
    nodes: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """The columns of a table and what they say about nodes.

    told     : the columns that set nodes apart from all other leaves.
    siblings : those that set nodes apart from their siblings, to name them by; None where columns have no names.
    heat     : means for a heat map.
    names, mean, deviation : of all columns.
    marks    : whether a column holds nothing but 0 and 1.
    """

    told: NodeColumns
    siblings: NodeColumns | None
    heat: ColumnMeans
    names: tuple[str, ...]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    marks: NDArray[np.bool_]


def table_of(
    tree: Tree,
    features: NDArray[np.floating],
    names: Sequence[str] | None,
    partitions: Sequence[NDArray[np.int64]],
) -> Table:
    """What a page holds of features, one row per leaf; `partitions` say which columns a heat map shows."""
    titles = [f"column {k}" for k in range(1, features.shape[1] + 1)] if names is None else list(map(str, names))
    if len(titles) != features.shape[1]:
        raise ValueError(f"there are {len(titles)} feature_names for {features.shape[1]} columns. Pass one per column.")
    return Table(
        told=node_columns(tree, features),
        siblings=None if names is None else sibling_columns(tree, features),
        heat=column_means(tree, features, partitions),
        names=tuple(titles),
        mean=features.mean(axis=0, dtype=np.float64),
        deviation=features.std(axis=0, dtype=np.float64),
        marks=np.array([_is_mark(features[:, k]) for k in range(features.shape[1])], np.bool_),
    )


def _is_mark(values: NDArray[np.floating]) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def column_means(
    tree: Tree, features: NDArray[np.floating], partitions: Sequence[NDArray[np.int64]], n_columns: int = MAX_COLUMNS
) -> ColumnMeans:
    """Means of the columns that differ most between the clusters of any partition; constant ones are left out. O(n d).

    >>> tree = Tree.from_newick("((0,1),(2,3));")
    >>> found = column_means(tree, np.array([[0.0, 5], [0, 5], [2, 5], [2, 5]]), [np.array([0, 0, 1, 1])])
    >>> found.columns.tolist(), dict(zip(found.nodes.tolist(), found.values[:, 0].tolist(), strict=True))[4]
    ([0], -1.0)
    """
    share = np.array([explained_share(features[:, k], partitions) for k in range(features.shape[1])])
    varied = np.array([column_spread(features[:, k]) > 0 for k in range(features.shape[1])])
    best = np.argsort(-np.where(varied, share, -1), kind="stable")[: min(n_columns, int(varied.sum()))]
    columns = np.sort(best)
    nodes = largest_nodes(tree, min(DESCRIBED, MAX_VALUES // max(columns.size, 1)))
    values = np.empty((nodes.size, columns.size))
    for place, k in enumerate(columns.tolist()):
        sums = column_sums(tree, features[:, k])
        mean = sums[tree.root] / tree.n_leaves
        values[:, place] = (sums[nodes] / tree.sizes[nodes] - mean) / column_spread(features[:, k])
    return ColumnMeans(columns, nodes, values)


def explained_share(values: NDArray[np.floating], partitions: Sequence[NDArray[np.int64]]) -> float:
    """The largest share of a column's variance that lies between the clusters of a partition into several."""
    centred = values.astype(np.float64) - values.mean(dtype=np.float64)
    total = float(centred @ centred)
    if total == 0:
        return 0.0
    found = [0.0]
    for labels in partitions:
        size = np.bincount(labels)
        sums = np.bincount(labels, weights=centred)
        # Every leaf alone explains all of every column.
        if 1 < np.count_nonzero(size) <= values.size // 2:
            found.append(float((sums[size > 0] ** 2 / size[size > 0]).sum() / total))
    return max(found)
