"""What there is to show: a tree, and what is known about its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_count, check_features, check_labels
from hypcse._heights import Distances, check_heights, height_title, joined_distances
from hypcse.discrete.levels import main_labels
from hypcse.graph import Graph
from hypcse.tree import Tree
from hypcse.tree.checks import check_names
from hypcse.tree.disk import DiskLayout, embedded_layout, tree_layout
from hypcse.tree.source import tree_of
from hypcse.viewer.describe import NodeColumns, entropy_shares, node_columns

GAP_CLUSTERS = 20
"""Most clusters of the automatic cut of a tree that comes without a graph."""


@dataclass(frozen=True)
class Classes:
    """A class for each leaf: codes from 0, and the name of each code."""

    codes: NDArray[np.int64]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The columns that set nodes apart, with the names, means and deviations of all columns."""

    told: NodeColumns
    names: tuple[str, ...]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]


@dataclass(frozen=True)
class Shown:
    """All that a page holds. What is None is not known, and the page leaves it out.

    height_title : what the axis of the tree's own heights is called.
    distances    : between the parts that nodes join, to draw instead of the heights.
    by_distance  : whether they are what the page draws at first.
    """

    tree: Tree
    layout: DiskLayout
    title: str
    automatic: NDArray[np.int64]
    automatic_rule: str
    height_title: str = "height"
    distances: Distances | None = None
    by_distance: bool = False
    n_clusters: int | None = None
    names: tuple[str, ...] | None = None
    classes: Classes | None = None
    entropy: NDArray[np.float64] | None = None
    degrees: NDArray[np.float64] | None = None
    table: Table | None = None


def gather(
    source: Any,
    *,
    graph: Graph | None = None,
    labels: ArrayLike | None = None,
    features: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    scale: str = "minmax",
    heights: str = "auto",
    names: Sequence[str] | None = None,
    n_clusters: int | None = None,
    automatic: ArrayLike | None = None,
    title: str | None = None,
) -> Shown:
    """Put together what `view` was given; `source` is a tree, or a fitted model with `tree_`."""
    by_distance = check_heights(heights, source, features)
    tree = tree_of(source)
    graph = _graph_of(source, graph, tree)
    found, rule = _automatic_cut(tree, graph, getattr(source, "labels_", None) if automatic is None else automatic)
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
    if feature_names is not None and features is None:
        raise ValueError("feature_names were given without features. Pass features too: one row a leaf.")
    table = None if features is None else _table_of(tree, features, feature_names)
    return Shown(
        tree=tree,
        layout=_layout_of(source, tree),
        title=f"Tree of {tree.n_leaves:,} leaves" if title is None else str(title),
        automatic=found,
        automatic_rule=rule,
        height_title=height_title(tree, graph),
        distances=joined_distances(tree, source, features, scale),
        by_distance=by_distance,
        n_clusters=n_clusters,
        names=tree.names if names is None else check_names(names, tree.n_leaves),
        classes=None if labels is None else classes_of(labels, tree.n_leaves),
        entropy=None if graph is None else entropy_shares(tree, graph),
        degrees=None if graph is None else graph.degrees,
        table=table,
    )


def _graph_of(source: Any, graph: Graph | None, tree: Tree) -> Graph | None:
    found = getattr(source, "graph_", None) if graph is None else graph
    if found is None:
        return None
    if not isinstance(found, Graph):
        raise TypeError(f"graph is a {type(found).__name__}. Pass Graph.from_scipy(W) for a matrix.")
    if found.n_vertices != tree.n_leaves:
        raise ValueError(
            f"the graph has {found.n_vertices} vertices for {tree.n_leaves} leaves; leaf k must be vertex k."
        )
    return found


def _layout_of(source: Any, tree: Tree) -> DiskLayout:
    """By the embedding of a model when it is one of the disk, by the tree alone otherwise."""
    points = getattr(source, "embedding_", None)
    if points is None or np.ndim(points) != 2 or np.shape(points)[1] != 2:
        return tree_layout(tree)
    return embedded_layout(tree, points)


def _automatic_cut(tree: Tree, graph: Graph | None, given: ArrayLike | None) -> tuple[NDArray[np.int64], str]:
    """Labels that nobody has to ask for, and the rule they come from."""
    if given is not None:
        labels = np.asarray(given)
        if labels.shape != (tree.n_leaves,) or labels.dtype.kind not in "iu" or labels.min() < 0:
            raise ValueError(
                f"flat labels of shape {labels.shape} and type {labels.dtype} do not fit: pass one whole number from 0 "
                f"for each of the {tree.n_leaves} leaves."
            )
        return labels.astype(np.int64), "given with the tree"
    if graph is not None:
        return main_labels(tree, graph), "main level"
    return tree.cut(n_clusters=widest_gap(tree)), "widest gap in height"


def widest_gap(tree: Tree) -> int:
    """The number of clusters, 2 to 20, that the widest range of heights gives; 1 where no split is left over.

    >>> widest_gap(Tree.from_newick("((0:1,1:1):8,(2:2,3:2):7);"))
    2
    """
    heights = np.unique(tree.height[tree.n_leaves :])[::-1]
    best, widest = 1, 0.0
    for top, below in pairwise([*heights, 0.0]):
        n_clusters = int(tree.cut(height=below).max()) + 1
        if n_clusters > GAP_CLUSTERS:
            break
        if top - below > widest and n_clusters < tree.n_leaves:
            best, widest = n_clusters, top - below
    return best


def classes_of(labels: ArrayLike, n_leaves: int) -> Classes:
    """Codes and names of the classes; sorted where their values can be, in order of appearance otherwise."""
    codes = check_labels(labels, n_leaves)
    first = np.unique(codes, return_index=True)[1]
    values = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    return Classes(codes, tuple(str(values[k]) for k in first.tolist()))


def _table_of(tree: Tree, features: ArrayLike, names: Sequence[str] | None) -> Table:
    X = check_features(features)
    if X.shape[0] != tree.n_leaves:
        raise ValueError(f"features has {X.shape[0]} rows for {tree.n_leaves} leaves; pass one row a leaf.")
    given = [f"column {k}" for k in range(1, X.shape[1] + 1)] if names is None else [str(name) for name in names]
    if len(given) != X.shape[1]:
        raise ValueError(f"there are {len(given)} feature_names for {X.shape[1]} columns. Pass one a column.")
    deviation = X.std(axis=0, dtype=np.float64)
    return Table(node_columns(tree, X), tuple(given), X.mean(axis=0, dtype=np.float64), deviation)
