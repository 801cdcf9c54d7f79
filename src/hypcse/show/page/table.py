"""What a page holds of a table: typical values of nodes, names of clusters, and rows for a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.partitions.description import Description, Groups, names_of
from hypcse.partitions.words import Column, Contrast, columns_of, written
from hypcse.points.points import Points
from hypcse.show.page.bundle import pack, pack_codes, pack_single
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
    """Standardized values of some columns, (c,), as leaves stand in the tree, (b, c): means of about n / b leaves."""

    columns: NDArray[np.int64]
    values: NDArray[np.float64]


def table_contents(
    tree: Tree, features: NDArray[np.floating], points: Points, partitions: Sequence[NDArray[np.int64]]
) -> dict[str, Any]:
    """What a page holds of the features, one row per leaf; `partitions` are levels, and last the automatic cut."""
    names = points.feature_names
    titles = [f"column {k}" for k in range(1, features.shape[1] + 1)] if names is None else list(names)
    columns = columns_of(points)
    nodes = described_nodes(tree)
    description = Description(columns, Groups.of_nodes(tree, nodes))
    rows = leaf_rows(tree, features, partitions)
    most = float(np.abs(rows.values).max(initial=0)) or 1.0
    return {
        "names": titles,
        "mean": pack_single(features.mean(axis=0, dtype=np.float64)),
        "deviation": pack_single(features.std(axis=0, dtype=np.float64)),
        "nodes": pack(nodes.astype(np.int32)),
        "typical": _typical_values(description),
        "said": None if names is None else description.names(),
        "clusters": None if names is None else _cluster_names(columns, partitions),
        # Values in steps of `most` / 32767 around 32767.
        "heat": {
            "columns": pack(rows.columns.astype(np.uint32)),
            "rows": len(rows.values),
            "most": most,
            "values": pack((np.round(rows.values / most * 32767) + 32767).astype(np.uint16).ravel()),
        },
    }


def described_nodes(tree: Tree) -> NDArray[np.int64]:
    """The nodes with the most leaves, largest first, without the root: as many as can be described in little time."""
    order = np.argsort(-tree.sizes, kind="stable")
    nodes = order[order != tree.root][:MAX_NODES]
    return nodes[: np.searchsorted(np.cumsum(tree.sizes[nodes]), MAX_SIZES, side="right")]


def _typical_values(description: Description) -> dict[str, Any]:
    """The columns that tell most about each set, with typical values there and of all others, as numbers of texts."""
    n_sets = description.groups.size.size
    texts: dict[str, int] = {"": 0}
    held = np.zeros((3, n_sets, DESCRIBING), np.int64)
    for group, telling in enumerate(description.telling):
        order = np.argsort(-telling.round(9), kind="stable")[: 2 * DESCRIBING].tolist()
        contrasts = [description.contrast(group, k) for k in order if telling[k] > 0]
        differing = [contrast for contrast in contrasts if contrast.differs][:DESCRIBING]
        for place, contrast in enumerate(differing):
            words = (contrast.column.name, *typical_words(contrast))
            held[:, group, place] = [texts.setdefault(word, len(texts)) for word in words]
    column, here, others = held
    return {"texts": list(texts), "column": pack_codes(column), "here": pack_codes(here), "others": pack_codes(others)}


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


def leaf_rows(
    tree: Tree,
    features: NDArray[np.floating],
    partitions: Sequence[NDArray[np.int64]],
    n_columns: int = MAX_COLUMNS,
    n_cells: int = MAX_CELLS,
) -> LeafRows:
    """The columns that differ most between the clusters of any partition; constant ones are left out. O(n d)."""
    share, spread = np.zeros((2, features.shape[1]))
    for k, column in enumerate(features.T):
        wide = column.astype(np.float64)
        share[k], spread[k] = _explained_share(wide, partitions), wide.std()
        # What varies only by rounding is constant.
        spread[k] *= spread[k] > 1e-12 * np.abs(wide).max()
    best = np.argsort(-np.where(spread > 0, share, -1), kind="stable")[: min(n_columns, np.count_nonzero(spread))]
    columns = np.sort(best)
    n, order = tree.n_leaves, tree.leaf_order()
    n_rows = min(n, n_cells // max(columns.size, 1))
    ends = np.arange(n_rows + 1) * n // n_rows
    values = np.empty((n_rows, columns.size))
    for place, k in enumerate(columns.tolist()):
        wide = features[:, k].astype(np.float64)
        sums = np.add.reduceat(wide[order], ends[:-1])
        values[:, place] = (sums / np.diff(ends) - wide.mean()) / spread[k]
    return LeafRows(columns, values)


def _explained_share(values: NDArray[np.float64], partitions: Sequence[NDArray[np.int64]]) -> float:
    """The largest share of a column's variance that lies between the clusters of a partition into several."""
    centered = values - values.mean()
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
