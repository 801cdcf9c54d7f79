"""What a page holds of a table: columns that set nodes apart, and means of columns for a heat map by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.entropy import node_entropies
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import subtree_sums
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


DESCRIBED = 5_000
"""Nodes whose columns are told, the largest first: they are what a page of bounded size can hold."""
TOLD = 4
"""Columns told of a node."""
NAMING = 2
"""Columns that may name a node."""
WORDS = ("low ", "high ", "no ", "few ", "less ", "more ", "often ", "")
"""What may stand before a column in the name of a node."""
MOSTLY, HARDLY = 0.9, 0.02
"""Shares of ones from which on a column names a node by itself, and up to which it names it by *no*."""


class NodeColumns(NamedTuple):
    """The columns that set nodes apart; row k is about `nodes[k]`, the farthest column first.

    column : (m, t) which columns.
    shift  : (m, t) mean under the node minus mean of the leaves that it is compared with, in standard deviations.
    mean   : (m, t) mean under the node.
    """

    nodes: NDArray[np.int64]
    column: NDArray[np.int64]
    shift: NDArray[np.float64]
    mean: NDArray[np.float64]


def entropy_shares(tree: Tree, graph: Graph) -> NDArray[np.float64]:
    """Share of each node in the structural entropy, Eq. (1): its own term over the sum; zeros where that is 0."""
    terms = node_entropies(tree, graph)
    total = terms.sum()
    return terms / total if total > 0 else terms


def node_columns(tree: Tree, features: NDArray[np.floating], n_nodes: int = DESCRIBED) -> NodeColumns:
    """The columns whose mean under a node differs most from the mean of the other leaves, for the largest nodes.

    A column that does not vary sets nothing apart. One column at a time: O(n d) time, O(n) memory beside the result.
    """
    return _farthest(tree, features, largest_nodes(tree, n_nodes), TOLD, from_siblings=False)


def sibling_columns(tree: Tree, features: NDArray[np.floating], n_nodes: int = DESCRIBED) -> NodeColumns:
    """The columns that set a node apart from its siblings, by which it can be named; as `node_columns` otherwise."""
    return _farthest(tree, features, largest_nodes(tree, n_nodes), NAMING, from_siblings=True)


def naming_words(found: NodeColumns, marks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The place in `WORDS` of what stands before each column; `marks` are the columns of nothing but 0 and 1.

    Of these a name says what is true of the node: "less X" if it has X more often than not, but its siblings have more.

    >>> one = np.zeros((1, 1), np.int64)
    >>> found = NodeColumns(one[0], one, np.array([[-1.0]]), np.array([[0.16]]))
    >>> WORDS[naming_words(found, np.array([True])).item()]
    'few '
    """
    above, share = found.shift > 0, found.mean
    of_marks = np.where(
        above,
        np.select([share >= MOSTLY, share >= 0.5], [WORDS.index(""), WORDS.index("often ")], WORDS.index("more ")),
        np.select([share <= HARDLY, share < 0.5], [WORDS.index("no "), WORDS.index("few ")], WORDS.index("less ")),
    )
    return np.where(marks[found.column], of_marks, above).astype(np.uint8)


def largest_nodes(tree: Tree, n_nodes: int) -> NDArray[np.int64]:
    """The nodes with the most leaves, largest first, without the root."""
    order = np.argsort(-tree.sizes, kind="stable")
    return order[order != tree.root][:n_nodes]


def column_sums(tree: Tree, values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Sum of one column over the leaves of every node."""
    leaves = values.astype(np.float64)
    return subtree_sums(tree.parent, np.concatenate([leaves, np.zeros(tree.n_nodes - tree.n_leaves)]))


def column_spread(values: NDArray[np.floating]) -> float:
    """Standard deviation of one column; 0 where it varies only by rounding."""
    wide = values.astype(np.float64)
    spread = float(wide.std())
    return spread if spread > 1e-12 * np.abs(wide).max() else 0.0


def _farthest(
    tree: Tree, features: NDArray[np.floating], nodes: NDArray[np.int64], told: int, *, from_siblings: bool
) -> NodeColumns:
    shape = (nodes.size, min(told, features.shape[1]))
    best = NodeColumns(nodes, np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape))
    around = tree.parent[nodes] if from_siblings else np.full(nodes.size, tree.root)
    for column in range(features.shape[1]):
        best = _with_column(best, column, *_shifts(tree, nodes, around, features[:, column]))
    return best


def _shifts(
    tree: Tree, nodes: NDArray[np.int64], around: NDArray[np.int64], values: NDArray[np.floating]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standardised shift and mean of one column at some nodes, against the other leaves under the nodes around them."""
    sums, size, spread = column_sums(tree, values), tree.sizes, column_spread(values)
    mean = sums[nodes] / size[nodes]
    if spread == 0:
        return np.zeros(nodes.size), mean
    return (mean - (sums[around] - sums[nodes]) / (size[around] - size[nodes])) / spread, mean


def _with_column(best: NodeColumns, column: int, shift: NDArray[np.float64], mean: NDArray[np.float64]) -> NodeColumns:
    """The farthest columns found so far, with one more to choose from; earlier columns win ties."""
    columns = np.column_stack([best.column, np.full(shift.size, column)])
    shifts, means = np.column_stack([best.shift, shift]), np.column_stack([best.mean, mean])
    kept = np.argsort(-np.abs(shifts), axis=1, kind="stable")[:, : best.column.shape[1]]
    return NodeColumns(best.nodes, *(np.take_along_axis(array, kept, axis=1) for array in (columns, shifts, means)))
