"""What a page holds: a tree, and what is known about its leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_count, check_features, label_array
from hypcse._choices import Heights, Scale
from hypcse.graph.convert import as_graph
from hypcse.partitions.evidence import Structure
from hypcse.points import Points
from hypcse.show.layout import DiskLayout, Distances, check_heights, height_title, joined_distances, model_layout
from hypcse.show.page.levels import Partitions, check_stability, partitions_of, stability_of, structure_of
from hypcse.show.page.table import Table, entropy_shares, table_of
from hypcse.show.source import LeafClasses, flat_of, given_or_own, graph_of, leaf_classes, tree_of
from hypcse.tree import Tree
from hypcse.tree.checks import check_names, match_names


@dataclass(frozen=True)
class Shown:
    """All that a page holds. What is None is not known, and the page leaves it out.

    partitions   : the automatic cut and the levels.
    height_title : what the axis of the tree's own heights is called.
    distances    : between the parts that nodes join, to draw instead of the heights.
    by_distance  : whether they are what the page draws at first.
    node_names   : names of inner nodes that were given.
    compared     : labels of the leaves to compare with, by name.
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
    classes: LeafClasses | None = None
    entropy: NDArray[np.float64] | None = None
    degrees: NDArray[np.float64] | None = None
    table: Table | None = None
    node_names: dict[int, str] = field(default_factory=dict)
    compared: dict[str, LeafClasses] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Look:
    """How a page shows a tree; see `view` for the meaning of each."""

    scale: Scale = "minmax"
    heights: Heights = "auto"
    n_clusters: int | None = None
    automatic: ArrayLike | None = None
    levels: Sequence[ArrayLike] | None = None
    stability: Sequence[float] | None = None
    structure: Structure | None = None
    title: str | None = None
    node_names: Mapping[int, str] | None = None
    compare: ArrayLike | Mapping[str, ArrayLike] | None = None


def gather(source: Any, points: Points, look: Look = Look()) -> Shown:  # noqa: B008
    """Put together what is known of a tree, or a fitted model with `tree_`, and of the points that are its leaves."""
    tree = tree_of(source)
    features = None if points.features is None else points.table
    scale, _ = points.suited(look.scale, 1.0)
    by_distance = check_heights(look.heights, source, features)
    graph = graph_of(source, points.graph, tree)
    if look.n_clusters is not None:
        check_count("n_clusters", look.n_clusters, 1, tree.n_leaves)
    rows = None if features is None else _rows_of_leaves(features, tree)
    structure = structure_of(source, look.structure)
    partitions = partitions_of(
        tree,
        graph,
        automatic=flat_of(source) if look.automatic is None else look.automatic,
        levels=given_or_own(look.levels, source, "levels_"),
        structure=structure,
    )
    stability = look.stability
    if stability is None and look.levels is None:
        stability = stability_of(source, partitions, graph, features, scale)
    seen = [*partitions.levels, partitions.automatic]
    return Shown(
        tree=tree,
        layout=model_layout(source, tree),
        title=f"Tree of {tree.n_leaves:,} leaves" if look.title is None else str(look.title),
        partitions=replace(partitions, stability=check_stability(stability, len(partitions.levels))),
        structure=structure,
        height_title=height_title(tree, graph),
        distances=joined_distances(tree, source, features, scale, points.kinds),
        by_distance=by_distance,
        n_clusters=look.n_clusters,
        names=tree.names if points.names is None else check_names(points.names, tree.n_leaves),
        classes=None if points.labels is None else leaf_classes(points.labels, tree.n_leaves),
        entropy=None if graph is None else entropy_shares(tree, graph),
        degrees=None if graph is None else graph.degrees,
        table=None if rows is None else table_of(tree, rows, points.feature_names, seen),
        node_names=check_node_names(look.node_names, tree),
        compared=compared_labels(look.compare, tree.n_leaves),
    )


def known_points(source: Any, points: Any, given: dict[str, Any]) -> Points:
    """What is known of the leaves: `points`, with what is given by itself instead of theirs."""
    tree = tree_of(source)
    known = Points() if points is None else Points.of(points)
    if tree.names is not None and known.names is not None and set(known.names) == set(tree.names):
        known = known.rows(match_names(tree.names, known.names, "the tree", "the points"))
    if given["feature_names"] is not None and given["features"] is None and known.features is None:
        raise ValueError("feature_names were given without features. Pass features too: one row per leaf.")
    changes = {name: value for name, value in given.items() if value is not None}
    if "features" in changes:
        changes["features"] = _rows_of_leaves(changes["features"], tree)
        # What was known of other columns says nothing about these.
        changes = {"feature_names": None, "kinds": None, **changes}
    for name in ("names", "feature_names"):
        if changes.get(name) is not None:
            changes[name] = tuple(map(str, changes[name]))
    if "graph" in changes:
        changes["graph"] = as_graph(changes["graph"], tree.names)
    if "labels" in changes:
        changes["labels"] = label_array(changes["labels"])
    return replace(known, **changes)


def _rows_of_leaves(features: ArrayLike, tree: Tree) -> NDArray[Any]:
    X = check_features(features)
    if X.shape[0] != tree.n_leaves:
        raise ValueError(f"features has {X.shape[0]} rows for {tree.n_leaves} leaves; pass one row per leaf.")
    return X


COMPARED = "compared"
"""What labels to compare with are called when they come without a name."""


def check_node_names(given: Mapping[int, str] | None, tree: Tree) -> dict[int, str]:
    """Names by node number; nodes that are leaves, or that the tree lacks, are an error.

    >>> check_node_names({5: "pets"}, Tree.from_newick("((0,1),(2,3));"))
    {5: 'pets'}
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"node_names is a {type(given).__name__}. Pass a mapping of node numbers to names.")
    found = {}
    for node, name in given.items():
        if isinstance(node, bool) or not isinstance(node, int | np.integer):
            raise TypeError(f"node_names has the key {node!r}. Its keys are node numbers of the tree, whole numbers.")
        if not tree.n_leaves <= node < tree.n_nodes:
            raise ValueError(
                f"node_names names node {node}, but the inner nodes of this tree are {tree.n_leaves} .. "
                f"{tree.n_nodes - 1}. Name leaves by names=."
            )
        found[int(node)] = str(name)
    return found


def compared_labels(given: ArrayLike | Mapping[str, ArrayLike] | None, n_leaves: int) -> dict[str, LeafClasses]:
    """Labels to compare with, by name: those of a mapping, or one set of labels without a name.

    >>> list(compared_labels({"by hand": ["a", "b"]}, 2))
    ['by hand']
    """
    if given is None:
        return {}
    labels: Mapping[Any, ArrayLike] = given if isinstance(given, Mapping) else {COMPARED: given}
    return {str(name): _labels_of(str(name), values, n_leaves) for name, values in labels.items()}


def _labels_of(name: str, values: ArrayLike, n_leaves: int) -> LeafClasses:
    try:
        return leaf_classes(values, n_leaves)
    except ValueError as error:
        raise ValueError(f"compare, {name!r}: {error}") from error
