"""What pictures of trees draw along the axis of heights: the tree's own, or how far apart the joined parts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice
from hypcse._choices import Heights, Scale
from hypcse.discrete.heights import volume_heights
from hypcse.graph import Graph
from hypcse.graph.scaling import fit_scaling
from hypcse.tree import Tree
from hypcse.tree.distances import merge_distances

DISTANCE_TITLE = "distance between joined parts"


class Distances(NamedTuple):
    """How far apart the parts are that each node joins.

    values : (n_nodes,) root mean squared distance, never falling upwards; see `merge_distances`.
    note   : what a reader of the axis should know about them.
    """

    values: NDArray[np.float64]
    note: str


def check_heights(heights: Heights, source: Any, features: ArrayLike | None) -> bool:
    """Whether distances are what to draw: where they are asked for, and by "auto" where there are features."""
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
    """Distances between the given features on that scale, else between a fitted model's own; None without any. O(n d).

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
    # Copies whose distances are rounding errors have none.
    values[values <= 1e-12 * np.abs(points).max()] = 0.0
    return Distances(values, "root mean square" if used == "none" else "root mean square, scaled features")


def height_title(tree: Tree, graph: Graph | None) -> str:
    """What the tree's own heights are called: more than "height" where the graph shows that they are volumes."""
    if graph is None or graph.n_vertices != tree.n_leaves or tree.n_leaves == 1:
        return "height"
    return "height (log2 of volume)" if np.allclose(volume_heights(tree.parent, graph), tree.height) else "height"
