"""Places the nodes of a tree in the hyperbolic disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice
from hypcse._choices import Heights, Scale
from hypcse.graph.scaling import fit_scaling
from hypcse.kernels.trees.drawing import covering_arcs
from hypcse.kernels.trees.sweep import subtree_minima
from hypcse.tree import Tree
from hypcse.tree.nodes import merge_distances

LEAST_RADIUS, MOST_RADIUS = 2.5, 9.0
"""Hyperbolic radius of the leaves in the smallest trees, and the largest radius that a page shows."""


class DiskLayout(NamedTuple):
    """Polar coordinates of every node, which lies at tanh(radius / 2) e^(i angle) in the Poincare disk."""

    angle: NDArray[np.float64]
    radius: NDArray[np.float64]


def tree_layout(tree: Tree) -> DiskLayout:
    """A layout of any tree: leaves evenly around the rim, every subtree in its own sector. O(n).

    A node with s of n leaves has the sector 2 pi s / n and lies in its middle at

        radius = R (1 - log s / log n),    R = min(log n, 4 + 0.35 log n), at least 2.5.

    With R = log n all sectors are equally wide where their nodes lie; a smaller R shows more levels of a large tree.
    """
    n = tree.n_leaves
    angle = 2 * np.pi * (tree.first_positions + tree.sizes / 2) / n
    if n == 1:
        return DiskLayout(angle, np.zeros(1))
    rim = max(LEAST_RADIUS, min(np.log(n), 4 + 0.35 * np.log(n)))
    return DiskLayout(angle, rim * (1 - np.log(tree.sizes) / np.log(n)))


def model_layout(source: Any, tree: Tree) -> DiskLayout:
    """The layout of a model's tree: by its embedding if that lies in the unit disk, otherwise by the tree alone."""
    points: Any = getattr(source, "embedding_", None)
    if np.shape(points) == (tree.n_leaves, 2):
        points = np.array(points, dtype=np.float64)
        if (np.square(points).sum(axis=1) < 1).all():
            return ancestor_layout(tree, points)
    return tree_layout(tree)


def ancestor_layout(tree: Tree, points: NDArray[np.float64]) -> DiskLayout:
    """A layout by an embedding: leaves as points[k] in the unit disk, a node at the LCA of its outermost leaves. O(n).

    Paper: Eq. (6). The LCA of two leaves of one radius R is the midpoint of the geodesic between them, at the depth

        tanh d_o = tanh(R) cos(angle / 2).

    A node takes the LCA of the two leaves that bound the smallest arc over all leaves under it, with the smaller of
    their radii if these differ. If no half circle holds them, it lies at the origin, so depths never decrease
    downwards. Then an isometry moves the root to the center, and radii shrink to what a page can show.
    """
    place = points[:, 0] + 1j * points[:, 1]
    middle, half = covering_arcs(tree.parent, np.angle(place))
    radius = 2 * np.arctanh(np.abs(place))
    shallow = np.tanh(subtree_minima(tree.parent, radius))
    # Leaves whose radius rounds to infinity lie on the rim.
    depth = np.arctanh(np.minimum(shallow * np.cos(np.minimum(half, np.pi / 2)), np.nextafter(1.0, 0.0)))
    places = np.tanh(depth / 2) * np.exp(1j * middle)
    places[: tree.n_leaves] = place
    # The isometry that brings the root to the center.
    moved = (places - places[-1]) / (1 - places[-1].conj() * places)
    radius = 2 * np.arctanh(np.minimum(np.abs(moved), 1 - np.finfo(np.float64).epsneg))
    return DiskLayout(np.angle(moved) % (2 * np.pi), radius * min(1.0, MOST_RADIUS / max(radius.max(), 1.0)))


class HeightAxis(NamedTuple):
    """Heights to draw, one per node, and the title and note of their axis; `from_zero` if it must start at 0."""

    height: NDArray[np.float64]
    title: str
    note: str = ""
    from_zero: bool = False


def check_heights(heights: Heights, source: Any, features: ArrayLike | None) -> bool:
    """Whether to draw distances: if asked for, or with "auto" if there are features."""
    check_choice("heights", heights, Heights)
    known = features is not None or getattr(source, "_scaled", None) is not None
    if heights == "distance" and not known:
        raise ValueError('heights="distance" needs the features of the leaves. Pass features=, one row per leaf.')
    return known and heights != "tree"


def joined_distances(
    tree: Tree, source: Any, features: ArrayLike | None, scale: Scale, kinds: Sequence[str | None] | None = None
) -> HeightAxis | None:
    """Distances of the given features on that scale, else of a fitted model's features; None without any. O(n d)."""
    points = getattr(source, "_scaled", None) if features is None else fit_scaling(features, scale, kinds)[1]
    if points is None:
        return None
    used = getattr(source, "scale", scale) if features is None else scale
    values = merge_distances(tree, points)
    # Distances between copies are rounding errors; make them 0.
    values[values <= 1e-12 * np.abs(points).max()] = 0.0
    note = "root mean square" if used == "none" else "root mean square, scaled features"
    return HeightAxis(values, "distance between joined parts", note, from_zero=True)


def height_title(tree: Tree) -> str:
    """The title for the tree's own heights: more than "height" if all have one known unit."""
    if tree.joined_by_distance.any():
        return "height"
    return {"volume": "height (log2 of volume)", "distance": "height (distance)"}.get(tree.unit or "", "height")


def height_axis(tree: Tree, source: Any, features: ArrayLike | None, *, scale: Scale, heights: Heights) -> HeightAxis:
    """The axis of distances if these are to be drawn (see `check_heights`), else of the tree's own heights."""
    measured = check_heights(heights, source, features)
    distances = joined_distances(tree, source, features, scale) if measured else None
    return distances or HeightAxis(tree.height, height_title(tree))
