"""What there is to show: a tree, and what is known about its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_count, check_features, check_labels
from hypcse._heights import Distances, check_heights, height_title, joined_distances
from hypcse.chance import Structure
from hypcse.graph import Graph
from hypcse.tree import Tree
from hypcse.tree.checks import check_names
from hypcse.tree.disk import DiskLayout, embedded_layout, tree_layout
from hypcse.tree.source import tree_of
from hypcse.viewer.describe import NodeColumns, entropy_shares, node_columns
from hypcse.viewer.levels import Partitions, checked_stability, partitions_of, stability_of, structure_of


@dataclass(frozen=True)
class Classes:
    """A class for each leaf: codes from 0, and the name of each code. A code beyond the names is an unknown class."""

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

    partitions   : the automatic cut and the levels.
    height_title : what the axis of the tree's own heights is called.
    distances    : between the parts that nodes join, to draw instead of the heights.
    by_distance  : whether they are what the page draws at first.
    """

    tree: Tree
    layout: DiskLayout
    title: str
    partitions: Partitions
    structure: Structure | None = None
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
    levels: Sequence[ArrayLike] | None = None,
    stability: Sequence[float] | None = None,
    structure: Structure | None = None,
    title: str | None = None,
) -> Shown:
    """Put together what `view` was given; `source` is a tree, or a fitted model with `tree_`."""
    by_distance = check_heights(heights, source, features)
    tree = tree_of(source)
    graph = _graph_of(source, graph, tree)
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
    if feature_names is not None and features is None:
        raise ValueError("feature_names were given without features. Pass features too: one row a leaf.")
    table = None if features is None else _table_of(tree, features, feature_names)
    structure = structure_of(source, structure)
    partitions = partitions_of(
        tree,
        graph,
        automatic=_or_own(automatic, source, "labels_"),
        levels=_or_own(levels, source, "levels_"),
        structure=structure,
    )
    if stability is None and levels is None:
        stability = stability_of(source, partitions, graph, features, scale)
    return Shown(
        tree=tree,
        layout=_layout_of(source, tree),
        title=f"Tree of {tree.n_leaves:,} leaves" if title is None else str(title),
        partitions=replace(partitions, stability=checked_stability(stability, len(partitions.levels))),
        structure=structure,
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
    found = _or_own(graph, source, "graph_")
    if found is None:
        return None
    if not isinstance(found, Graph):
        raise TypeError(f"graph is a {type(found).__name__}. Pass Graph.from_scipy(W) for a matrix.")
    if found.n_vertices != tree.n_leaves:
        raise ValueError(
            f"the graph has {found.n_vertices} vertices for {tree.n_leaves} leaves; leaf k must be vertex k."
        )
    return found


def _or_own(given: Any, source: Any, name: str) -> Any:
    """What is given, else what a model has under that name; None without either."""
    return getattr(source, name, None) if given is None else given


def _layout_of(source: Any, tree: Tree) -> DiskLayout:
    """By the embedding of a model when it is one of the disk, by the tree alone otherwise."""
    points = getattr(source, "embedding_", None)
    if points is None or np.ndim(points) != 2 or np.shape(points)[1] != 2:
        return tree_layout(tree)
    return embedded_layout(tree, points)


def classes_of(labels: ArrayLike, n_leaves: int) -> Classes:
    """Codes and names of the classes; sorted where their values can be, in order of appearance otherwise.

    None and NaN are unknown.
    """
    codes = check_labels(labels, n_leaves, allow_unknown=True)
    known, first = np.unique(codes, return_index=True)
    values = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    names = tuple(str(values[k]) for k in first[known >= 0].tolist())
    return Classes(np.where(codes < 0, len(names), codes), names)


def _table_of(tree: Tree, features: ArrayLike, names: Sequence[str] | None) -> Table:
    X = check_features(features)
    if X.shape[0] != tree.n_leaves:
        raise ValueError(f"features has {X.shape[0]} rows for {tree.n_leaves} leaves; pass one row a leaf.")
    given = [f"column {k}" for k in range(1, X.shape[1] + 1)] if names is None else [str(name) for name in names]
    if len(given) != X.shape[1]:
        raise ValueError(f"there are {len(given)} feature_names for {X.shape[1]} columns. Pass one a column.")
    deviation = X.std(axis=0, dtype=np.float64)
    return Table(node_columns(tree, X), tuple(given), X.mean(axis=0, dtype=np.float64), deviation)
