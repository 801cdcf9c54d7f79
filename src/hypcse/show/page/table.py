"""What a page holds of a table: typical values of nodes, names of clusters, and rows for a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.partitions.cluster_table import names_of
from hypcse.partitions.description import Column, Contrast, Description, Groups, columns_of, written
from hypcse.points.points import Points
from hypcse.show.page.packing import pack, pack_codes, pack_single
from hypcse.tree import Tree

MAX_COLUMNS = 48
"""Columns that a page holds for its heat map: those that differ most between clusters."""
MAX_CELLS = 200_000
"""Cells of the heat map that a page holds; rows that would be more are averaged with their neighbors."""
MAX_NODES = 5_000
"""Nodes that a page describes by columns, the largest first ..."""
MAX_SIZES = 2_000_000
"""... and the leaves that all of them have together."""
DESCRIBING = 4
"""Columns that describe a node, against all other leaves."""
MAX_NAMED_CLUSTERS = 100
"""Clusters up to which those of a partition are named against each other, as `describe` names them."""
MAX_NAMED_VALUES = 20_000_000
"""Values of the table, times partitions, that are read for that."""


class LeafRows(NamedTuple):
    """Standardized values of some columns, row by row as leaves stand in the tree.

    columns : (c,) which columns, in the order of the table.
    values  : (b, c) minus the mean of all leaves, in standard deviations. Row k is the mean of the leaves from place
        k n // b up to (k + 1) n // b.
    """

    columns: NDArray[np.int64]
    values: NDArray[np.float64]


def table_contents(
    tree: Tree,
    features: NDArray[np.floating],
    points: Points,
    partitions: Sequence[NDArray[np.int64]],
) -> dict[str, Any]:
    """What a page holds of the features of points, one row per leaf.

    partitions : levels, and last the automatic cut; they say which columns a heat map shows. Columns without names name
        nothing.
    """
    names = points.feature_names
    n_columns = features.shape[1]
    titles = [f"column {k}" for k in range(1, n_columns + 1)] if names is None else list(map(str, names))
    if len(titles) != n_columns:
        raise ValueError(f"there are {len(titles)} feature_names for {n_columns} columns. Pass one per column.")
    columns = columns_of(points)
    nodes = described_nodes(tree)
    description = Description(columns, Groups.of_nodes(tree, nodes))
    return {
        "names": titles,
        "mean": pack_single(features.mean(axis=0, dtype=np.float64)),
        "deviation": pack_single(features.std(axis=0, dtype=np.float64)),
        "nodes": pack(nodes.astype(np.int32)),
        "typical": _typical_values(description),
        "said": None if names is None else description.names(),
        "clusters": None if names is None else _cluster_names(columns, partitions),
        "heat": _heat_map(leaf_rows(tree, features, partitions)),
    }


def described_nodes(tree: Tree) -> NDArray[np.int64]:
    """The nodes with the most leaves, largest first, without the root: as many as can be described in little time."""
    order = np.argsort(-tree.sizes, kind="stable")
    nodes = order[order != tree.root][:MAX_NODES]
    return nodes[: np.searchsorted(np.cumsum(tree.sizes[nodes]), MAX_SIZES, side="right")]


def _typical_values(description: Description) -> dict[str, Any]:
    """The columns that tell most about each set, with typical values there and of all others, as texts by number.

    Column 0 stands for none.
    """
    n_sets = description.groups.size.size
    texts: dict[str, int] = {"": 0}
    held = np.zeros((3, n_sets, DESCRIBING), np.int64)
    for group in range(n_sets):
        for place, contrast in enumerate(telling_contrasts(description, group)):
            words = (contrast.column.name, *typical_words(contrast))
            held[:, group, place] = [texts.setdefault(word, len(texts)) for word in words]
    column, here, others = held
    return {"texts": list(texts), "column": pack_codes(column), "here": pack_codes(here), "others": pack_codes(others)}


def telling_contrasts(description: Description, group: int) -> list[Contrast]:
    """The columns of a set that tell most, of those whose typical value is another one than that of all others."""
    order = np.argsort(-description.telling[group].round(9), kind="stable")[: 2 * DESCRIBING]
    contrasts = [description.contrast(group, k) for k in order.tolist() if description.telling[group, k] > 0]
    return [contrast for contrast in contrasts if contrast.differs][:DESCRIBING]


def typical_words(contrast: Contrast) -> tuple[str, str]:
    """The typical value of a set and that of all others, in the unit of the column; shares of a text or of true.

    >>> typical_words(Contrast(Column("weight (lb)", "number", np.array([2.5])), 1.0, 4123.0, 2210.0))
    ('4,100', '2,200')
    >>> kind = Column("kind", "category", np.array([0.0]), ("cat",))
    >>> typical_words(Contrast(kind, 0.8, 0.0, 0.0, 0.9, 0.1))
    ('cat 90%', 'cat 10%')
    """
    column = contrast.column
    if column.kind in ("number", "date"):
        difference = contrast.typical - contrast.others
        return written(column, contrast.typical, difference), written(column, contrast.others, difference)
    text = f"{column.texts[int(contrast.typical)]} " if column.kind == "category" else ""
    return f"{text}{contrast.share:.0%}", f"{text}{contrast.other_share:.0%}"


def _cluster_names(columns: Sequence[Column], partitions: Sequence[NDArray[np.int64]]) -> list[list[str] | None]:
    """Names of the clusters of each partition, by label, as `describe` gives them; None where that takes too long."""
    named: list[list[str] | None] = [None] * len(partitions)
    most = MAX_NAMED_VALUES // max(len(columns) * partitions[-1].size, 1)
    # The automatic cut comes first.
    for place in reversed(range(len(partitions))):
        labels = partitions[place]
        clusters = np.unique(labels)
        if clusters.size <= MAX_NAMED_CLUSTERS and most > 0:
            most -= 1
            groups = Groups.of_labels(labels, clusters)
            names = dict(zip(clusters.tolist(), names_of(Description(columns, groups), clusters), strict=True))
            named[place] = [names.get(label, "") for label in range(int(clusters[-1]) + 1)]
    return named


def _heat_map(rows: LeafRows) -> dict[str, Any]:
    """Rows of values in steps of `most` / 32767 around 32767."""
    most = float(np.abs(rows.values).max(initial=0)) or 1.0
    return {
        "columns": pack(rows.columns.astype(np.uint32)),
        "rows": len(rows.values),
        "most": most,
        "values": pack((np.round(rows.values / most * 32767) + 32767).astype(np.uint16).ravel()),
    }


def leaf_rows(
    tree: Tree,
    features: NDArray[np.floating],
    partitions: Sequence[NDArray[np.int64]],
    n_columns: int = MAX_COLUMNS,
    n_cells: int = MAX_CELLS,
) -> LeafRows:
    """Values of the columns that differ most between the clusters of any partition; constant ones are left out. O(n d).

    >>> tree = Tree.from_newick("((0,1),(2,3));")
    >>> rows = leaf_rows(tree, np.array([[0.0, 5], [0, 5], [2, 5], [2, 5]]), [np.array([0, 0, 1, 1])])
    >>> rows.columns.tolist(), rows.values[:, 0].tolist()
    ([0], [-1.0, -1.0, 1.0, 1.0])
    """
    share = np.array([_explained_share(column, partitions) for column in features.T])
    spread = np.array([_spread(column) for column in features.T])
    best = np.argsort(-np.where(spread > 0, share, -1), kind="stable")[: min(n_columns, np.count_nonzero(spread))]
    columns = np.sort(best)
    n, order = tree.n_leaves, tree.leaf_order()
    n_rows = min(n, n_cells // max(columns.size, 1))
    ends = np.arange(n_rows + 1) * n // n_rows
    values = np.empty((n_rows, columns.size))
    for place, k in enumerate(columns.tolist()):
        column = features[:, k].astype(np.float64)
        sums = np.add.reduceat(column[order], ends[:-1])
        values[:, place] = (sums / np.diff(ends) - column.mean()) / spread[k]
    return LeafRows(columns, values)


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


def _spread(values: NDArray[np.floating]) -> float:
    """Standard deviation of one column; 0 if it varies only by rounding."""
    wide = values.astype(np.float64)
    spread = float(wide.std())
    return spread if spread > 1e-12 * np.abs(wide).max() else 0.0
