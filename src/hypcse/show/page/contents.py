"""What a page holds: a tree, and what is known about its leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_count, check_features
from hypcse._choices import Heights, Scale
from hypcse.entropy import node_entropies
from hypcse.graph import Graph
from hypcse.graph.convert import as_graph
from hypcse.graph.scaling import fit_scaling
from hypcse.points import Points
from hypcse.points.convert import is_cells
from hypcse.show.layout import HeightAxis, check_heights, height_title, joined_distances, model_layout
from hypcse.show.page.bundle import pack, pack_codes, pack_single
from hypcse.show.page.levels import Partitions, partition_contents
from hypcse.show.page.table import table_contents
from hypcse.show.source import LeafClasses, graph_of, leaf_classes, tree_of
from hypcse.tree import Tree
from hypcse.tree.checks import check_names, match_names

MAX_SCATTER = 200_000
"""Leaves up to which a page has a scatter."""
STEPS = 65_535
"""Each axis is held in so many steps: more than any screen has pixels."""
UMAP = "X_umap"

Plane = tuple[NDArray[np.floating], tuple[str, ...]]


def page_contents(
    source: Any,
    points: Points,
    given: Partitions,
    *,
    scale: Scale = "minmax",
    heights: Heights = "auto",
    n_clusters: int | None = None,
    title: str | None = None,
    node_names: Mapping[int, str] | None = None,
    compare: ArrayLike | Mapping[str, ArrayLike] | None = None,
    embedding: ArrayLike | None = None,
) -> dict[str, Any]:
    """What the program of a page reads; see `view` for the arguments. What is None is not known."""
    tree = tree_of(source)
    n, features = tree.n_leaves, None if points.features is None else points.table
    scale, _ = points.suited(scale, 1.0)
    by_distance = check_heights(heights, source, features)
    graph = graph_of(source, points.graph, tree)
    rows = None if features is None else _rows_of_leaves(features, tree)
    partitions, labels = partition_contents(source, tree, graph, features, scale, given)
    distances = joined_distances(tree, source, features, scale, points.kinds)
    layout, names = model_layout(source, tree), tree.names if points.names is None else check_names(points.names, n)
    most = float(layout.radius.max())
    return {
        "title": f"Tree of {n:,} leaves" if title is None else str(title),
        "parent": pack(tree.parent.astype(np.int32)),
        "height": pack(tree.height[n:]),
        "heightTitle": height_title(tree),
        "unit": tree.unit,
        "joinedFrom": tree.joined_from if math.isfinite(tree.joined_from) else None,
        "distance": None if distances is None else _distance_contents(distances, n),
        "byDistance": by_distance,
        "angle": pack_single(layout.angle),
        "radius": pack(np.round(layout.radius / (most or 1.0) * 65535).astype(np.uint16)),
        "radiusMax": most,
        "names": None if names is None else list(names),
        "clusters": None if n_clusters is None else check_count("n_clusters", n_clusters, 1, n),
        **partitions,
        "classes": None if points.labels is None else _class_contents(leaf_classes(points.labels, n)),
        "entropy": None if graph is None else pack_single(entropy_shares(tree, graph)),
        "degrees": None if graph is None else pack_single(graph.degrees),
        "table": None if rows is None else table_contents(tree, rows, points, labels),
        "nodeNames": _named_nodes(node_names, tree),
        "compared": _compared_labels(compare, n),
        "scatter": _scatter_contents(tree, source, points, embedding, scale),
    }


def known_points(
    source: Any,
    points: Any,
    *,
    graph: Any = None,
    labels: ArrayLike | None = None,
    features: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
) -> Points:
    """What is known of the leaves: `points`, and instead of their parts those that come by themselves."""
    tree = tree_of(source)
    points = Points() if points is None else Points.of(points)
    if tree.names is not None and points.names is not None and set(points.names) == set(tree.names):
        points = points.rows(match_names(tree.names, points.names, "the tree", "the points"))
    if feature_names is not None and features is None and points.features is None:
        raise ValueError("feature_names were given without features. Pass features too: one row per leaf.")
    points = Points.of(points, names=names, labels=labels)
    given: dict[str, Any] = {} if graph is None else {"graph": as_graph(graph, tree.names)}
    if features is not None:
        # What was known of other columns says nothing about these.
        given |= {"features": _rows_of_leaves(features, tree), "feature_names": None, "kinds": None}
    if feature_names is not None:
        given["feature_names"] = tuple(map(str, feature_names))
    return replace(points, **given)


def _rows_of_leaves(features: ArrayLike, tree: Tree) -> NDArray[Any]:
    X = check_features(features)
    if X.shape[0] != tree.n_leaves:
        raise ValueError(f"features has {X.shape[0]} rows for {tree.n_leaves} leaves; pass one row per leaf.")
    return X


def _distance_contents(axis: HeightAxis, n_leaves: int) -> dict[str, Any]:
    """The distances at internal nodes; those at leaves are 0. Only features near float32's limit need float64."""
    inner = axis.height[n_leaves:]
    small = inner.max(initial=0) <= np.finfo(np.float32).max
    return {"inner": pack_single(inner) if small else pack(inner), "title": axis.title, "note": axis.note}


def entropy_shares(tree: Tree, graph: Graph) -> NDArray[np.float64]:
    """Share of each node in the structural entropy, Eq. (1): its own term over the sum; zeros if that is 0."""
    terms = node_entropies(tree, graph)
    total = terms.sum()
    return terms / total if total > 0 else terms


def _class_contents(classes: LeafClasses) -> dict[str, Any]:
    """Codes and names of the classes; a code beyond the names is an unknown class."""
    codes = np.where(classes.codes < 0, len(classes.names), classes.codes)
    return {"codes": pack_codes(codes), "names": list(classes.names)}


def _named_nodes(names: Mapping[int, str] | None, tree: Tree) -> list[list[Any]]:
    """Numbers and names of inner nodes; nodes that are leaves, or that the tree lacks, are an error."""
    if not isinstance(names, Mapping | None):
        raise TypeError(f"node_names is a {type(names).__name__}. Pass a mapping of node numbers to names.")
    inner = range(tree.n_leaves, tree.n_nodes)
    wrong = next((node for node in names or () if node not in inner), None)
    if wrong is not None:
        raise ValueError(
            f"node_names names node {wrong!r}, but the inner nodes of this tree are the numbers {inner.start} .. "
            f"{inner.stop - 1}. Name leaves by names=."
        )
    return [[int(node), str(name)] for node, name in (names or {}).items()]


def _compared_labels(labels: ArrayLike | Mapping[str, ArrayLike] | None, n_leaves: int) -> list[dict[str, Any]]:
    """Labels to compare with: those of a mapping by name, or one set of labels without a name."""
    if labels is None:
        return []
    named: Mapping[Any, ArrayLike] = labels if isinstance(labels, Mapping) else {"compared": labels}
    compared = []
    for name, values in named.items():
        try:
            compared.append({"title": str(name), **_class_contents(leaf_classes(values, n_leaves))})
        except ValueError as error:
            raise ValueError(f"compare, {str(name)!r}: {error}") from error
    return compared


def _scatter_contents(
    tree: Tree, source: Any, points: Points, embedding: ArrayLike | None, scale: Scale
) -> dict[str, Any] | None:
    """Places of the leaves and titles of both axes; None without an embedding and features, or with too many leaves."""
    n = tree.n_leaves
    plane: Plane | None = None
    if embedding is not None:
        given = check_features(embedding).astype(np.float64)
        if given.shape != (n, 2):
            raise ValueError(f"embedding has shape {given.shape}; pass one row per leaf, {n}, and two columns.")
        plane = given, tuple(map(str, getattr(embedding, "columns", ("embedding 1", "embedding 2"))))
    elif 1 < n <= MAX_SCATTER:
        plane = _plane(source, points, scale)
    if plane is None or n > MAX_SCATTER:
        return None
    places, titles = plane
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    steps = np.round((places - low) / np.where(span > 0, span, 1) * STEPS).astype(np.uint16)
    return {"x": pack(steps[:, 0]), "y": pack(steps[:, 1]), "titles": list(titles)}


def _plane(source: Any, points: Points, scale: Scale) -> Plane | None:
    """A table of two columns as it is; of others two principal components, on the scale of the distances."""
    from sklearn.decomposition import PCA

    if points.features is not None and points.features.shape[1] == 2:
        return points.table.astype(np.float64), points.feature_names or ("column 1", "column 2")
    own = getattr(source, "_scaled", None)
    scaled = own if points.features is None else fit_scaling(points.table, scale, points.kinds)[1]
    if scaled is None or scaled.shape[1] < 2 or not np.ptp(scaled, axis=0).any():
        return None
    pca = PCA(2, random_state=0).fit(scaled)
    shares = enumerate(pca.explained_variance_ratio_, 1)
    return pca.transform(scaled), tuple(f"component {k}: {share:.0%} of the variance" for k, share in shares)


def umap_of(cells: Any, tree: Tree) -> Any:
    """The UMAP of an AnnData in the order of the leaves; None of anything else."""
    if not is_cells(cells) or UMAP not in cells.obsm or np.shape(cells.obsm[UMAP])[1] != 2:
        return None
    import pandas as pd

    names = tuple(map(str, cells.obs_names))
    umap = pd.DataFrame(np.asarray(cells.obsm[UMAP]), columns=["UMAP 1", "UMAP 2"])
    if tree.names is None or set(names) != set(tree.names):
        return umap
    return umap.iloc[match_names(tree.names, names, "the tree", "the points")]
