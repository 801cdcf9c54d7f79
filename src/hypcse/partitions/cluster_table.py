"""`describe`: one row per cluster, in the words of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_count, label_array
from hypcse.graph import Graph
from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.partitions.description import Description, Groups, names_of
from hypcse.partitions.resampling import quick_overlaps, quick_trees
from hypcse.partitions.words import Column, columns_of, median
from hypcse.points.points import Points
from hypcse.tree import Tree

if TYPE_CHECKING:
    import pandas


def describe(
    model: Any,
    X: Any,
    *,
    level: int | None = None,
    node: int | None = None,
    classes: ArrayLike | None = None,
    n_columns: int = 4,
) -> pandas.DataFrame:
    """Describe clusters: how large and stable they are, which columns tell them from all other points, and a name.

    Parameters
    ----------
    model
        A fitted estimator, or an array of labels (-1 for outliers).
    X
        The rows that were clustered, in any form: a data frame (numbers, texts, truth values, dates), an array, or
        `Points` as `hypcse.read` makes them.
    level
        Describe this level of `levels_` instead of `labels_`.
    node
        Describe this node of `tree_` and its siblings instead.
    classes
        Known classes of the rows; by default those of `Points`. None or NaN where a class is unknown.
    n_columns
        How many columns of X are shown: those that tell most about any cluster.

    Returns
    -------
    pandas.DataFrame
        One row per cluster, the outliers last, with the columns

        - `name`: unique; made of values that are typical of the cluster and not of all others,
        - `size`, `share` of all rows, and `stability`: how well the cluster is found again when a fifth of the edges
          are left out (0 to 1; not for an array of labels),
        - `class`, `class share`: the most frequent class, if classes are known,
        - for each shown column its typical value (median, most frequent text, share of true), that of all others as
          `... (others)`, and as `... (telling)` how well it tells the cluster from them: 0 if it is distributed alike,
          1 if no value occurs in both.

    Examples
    --------
    >>> import pandas as pd
    >>> from hypcse import EntropyClustering
    >>> cars = pd.DataFrame({"cylinders": [4, 4, 4, 8, 8, 8], "weight (lb)": [2100, 2210, 1990, 4100, 4050, 4210]})
    >>> model = EntropyClustering(n_clusters=2, n_neighbors=2).fit(cars)
    >>> describe(model, cars)["name"].tolist()
    ['4 cylinders', '8 cylinders']
    """
    import pandas as pd

    check_count("n_columns", n_columns, 0)
    fitted = hasattr(model, "tree_")
    if not fitted and hasattr(model, "fit"):
        raise ValueError(f"this {type(model).__name__} is not fitted. Call fit first.")
    if not fitted and (level is not None or node is not None):
        raise ValueError("level and node need a fitted model. Pass the model instead of an array of labels.")
    labels = np.asarray(model.labels_ if fitted else model, np.int64)
    if level is not None:
        labels = model.levels_[level]
    if node is None:
        ids = np.unique(labels)
        # Outliers come last.
        ids = np.append(ids[ids >= 0], ids[ids < 0])
        groups = Groups.of_labels(labels, ids)
    else:
        ids = _siblings(model.tree_, node)
        groups = Groups.of_nodes(model.tree_, ids)
    columns = columns_of(X)
    if columns and columns[0].numbers.size != labels.size:
        raise ValueError(
            f"X has {columns[0].numbers.size} rows for {labels.size} labels. Pass the rows that were clustered."
        )
    described = Description(columns, groups)
    has_names = hasattr(X, "columns") or (isinstance(X, Points) and X.feature_names is not None)
    frame = pd.DataFrame(index=pd.Index(ids, name="cluster" if node is None else "node"))
    frame["name"] = names_of(described, ids, has_names)
    frame["size"], frame["share"] = groups.size, groups.size / labels.size
    if fitted:
        frame["stability"] = np.where(ids >= 0, _stability(model.graph_, groups), np.nan)
    known = X.labels if classes is None and isinstance(X, Points) else classes
    if known is not None:
        _add_classes(frame, label_array(known), groups)
    best = np.argsort(-described.telling[ids >= 0].max(axis=0, initial=0.0).round(9), kind="stable")[:n_columns]
    for place in best.tolist():
        column, inside = columns[place], np.zeros(labels.size, np.bool_)
        pairs = []
        for k in range(ids.size):
            inside[:] = False
            inside[groups.members(k)] = True
            pairs.append((_typical(column, inside), _typical(column, ~inside)))
        frame[column.name], frame[f"{column.name} (others)"] = zip(*pairs, strict=True)
        frame[f"{column.name} (telling)"] = described.telling[:, place].round(3)
    return frame


def _siblings(tree: Tree, node: int) -> Ids:
    """A node and its siblings; the root alone."""
    check_count("node", node, 0, tree.root)
    return np.array([node]) if node == tree.root else np.flatnonzero(tree.parent[:-1] == tree.parent[node])


def _stability(graph: Graph, groups: Groups) -> Reals:
    """Jaccard index of each cluster with the node that fits it best in trees of parts of the edges, on average."""
    k = groups.size.size
    place = np.full(graph.n_vertices, k)
    for group in range(k):
        place[groups.members(group)] = group
    return np.mean([overlaps[:k] for overlaps in quick_overlaps(quick_trees(graph), place)], axis=0)


def _typical(column: Column, rows: Flags) -> Any:
    """The median, the most frequent text, or the share of true."""
    values = column.numbers[rows & ~np.isnan(column.numbers)]
    if not values.size:
        return None
    if column.kind == "truth":
        return float(values.mean())
    if column.kind == "category":
        return column.texts[int(np.bincount(values.astype(np.int64)).argmax())]
    middle = median(values)
    return np.datetime64(0, "D") + np.timedelta64(int(np.floor(middle)), "D") if column.kind == "date" else middle


def _add_classes(frame: pandas.DataFrame, classes: NDArray[Any], groups: Groups) -> None:
    """The most frequent class of each cluster, and its share of the members whose class is known."""
    import pandas as pd

    best = []
    for k in range(groups.size.size):
        counts = pd.Series(classes[groups.members(k)], dtype=object).value_counts(sort=True)
        best.append((counts.index[0], counts.iloc[0] / counts.sum()) if len(counts) else (None, np.nan))
    frame["class"], frame["class share"] = zip(*best, strict=True)
