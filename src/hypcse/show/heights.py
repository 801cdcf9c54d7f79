"""What the height axis of a picture shows: the tree's own heights, or the distance between joined parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice
from hypcse._choices import Heights, Scale
from hypcse.discrete.heights import volume_heights
from hypcse.graph import Graph
from hypcse.graph.features import fit_scaling
from hypcse.kernels.trees.sweep import kept_parents, subtree_minima
from hypcse.tree import Tree
from hypcse.tree.distances import merge_distances

DISTANCE_TITLE = "distance between joined parts"


class Distances(NamedTuple):
    """Distance between the parts that each node joins.

    values : (n_nodes,) root mean squared distance, never decreasing upwards; see `merge_distances`.
    note   : a note for readers of the axis.
    """

    values: NDArray[np.float64]
    note: str


def check_heights(heights: Heights, source: Any, features: ArrayLike | None) -> bool:
    """Whether to draw distances: if asked for, or with "auto" if there are features."""
    check_choice("heights", heights, Heights)
    known = features is not None or getattr(source, "_scaled", None) is not None
    if heights == "distance" and not known:
        raise ValueError('heights="distance" needs the features of the leaves. Pass features=, one row per leaf.')
    return known and heights != "tree"


def joined_distances(
    tree: Tree,
    source: Any,
    features: ArrayLike | None,
    scale: Scale,
    kinds: Sequence[str | None] | None = None,
) -> Distances | None:
    """Distances of the given features on that scale, else of a fitted model's features; None without any. O(n d).

    kinds : of the columns, see `fit_scaling`.

    >>> tree = Tree.from_newick("((0,1),2);")
    >>> joined_distances(tree, tree, [[0.0], [2.0], [8.0]], "minmax").values.round(3).tolist()
    [0.0, 0.0, 0.0, 0.25, 0.884]
    """
    points = getattr(source, "_scaled", None) if features is None else fit_scaling(features, scale, kinds)[1]
    if points is None:
        return None
    used = getattr(source, "scale", scale) if features is None else scale
    values = merge_distances(tree, points)
    # Distances between copies are rounding errors; make them 0.
    values[values <= 1e-12 * np.abs(points).max()] = 0.0
    return Distances(values, "root mean square" if used == "none" else "root mean square, scaled features")


def height_title(tree: Tree, graph: Graph | None) -> str:
    """The title for the tree's own heights: more than "height" if the graph shows that they are volumes."""
    if graph is None or graph.n_vertices != tree.n_leaves or tree.n_leaves == 1:
        return "height"
    return "height (log2 of volume)" if np.allclose(volume_heights(tree.parent, graph), tree.height) else "height"


class HeightAxis(NamedTuple):
    """Heights to draw, one per node of the tree, and the title and note of their axis.

    from_zero : whether the axis must start at 0, because readers compare lengths along it.
    """

    height: NDArray[np.float64]
    title: str
    note: str
    from_zero: bool


def height_axis(
    tree: Tree, graph: Graph | None, source: Any, features: ArrayLike | None, *, scale: Scale, heights: Heights
) -> HeightAxis:
    """The axis of distances if these are to be drawn (see `check_heights`), else of the tree's own heights."""
    measured = check_heights(heights, source, features)
    distances = joined_distances(tree, source, features, scale) if measured else None
    if distances is None:
        return HeightAxis(tree.height, height_title(tree, graph), "", from_zero=False)
    return HeightAxis(distances.values, DISTANCE_TITLE, distances.note, from_zero=True)


def on_binary_form(tree: Tree, binary: Tree, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of a tree's nodes, carried over to its `binary_form`: the parts of a split node have its value.

    Smallest leaf and size identify a node, in the tree and in its binary form.
    """
    key, sought = _keys(tree), _keys(binary)
    order = np.argsort(key)
    place = order[np.minimum(np.searchsorted(key, sought, sorter=order), key.size - 1)]
    kept = key[place] == sought
    node = np.where(kept, np.arange(binary.n_nodes), kept_parents(binary.parent, kept))
    return values[place[node]]


def _keys(tree: Tree) -> NDArray[np.int64]:
    return subtree_minima(tree.parent, np.arange(tree.n_leaves)) * (tree.n_leaves + 1) + tree.sizes
