"""Places the nodes of a tree in the hyperbolic disk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_finite, real_numbers
from hypcse.kernels.drawing.positions import covering_arcs
from hypcse.kernels.trees.sweep import subtree_minima
from hypcse.tree import Tree

LEAST_RADIUS, MOST_RADIUS = 2.5, 9.0
"""Hyperbolic radius of the leaves in the smallest trees, and the largest radius that a page shows."""


class DiskLayout(NamedTuple):
    """Polar coordinates of every node: `angle` in radians and `radius`, the hyperbolic distance from the centre.

    In the Poincare disk a node lies at tanh(radius / 2) e^(i angle).
    """

    angle: NDArray[np.float64]
    radius: NDArray[np.float64]


def tree_layout(tree: Tree) -> DiskLayout:
    """A layout of any tree: leaves evenly around the rim, every subtree in its own sector. O(n).

    A node with s of n leaves has the sector 2 pi s / n and lies in its middle at

        radius = R (1 - log s / log n),    R = min(log n, 4 + 0.35 log n), at least 2.5.

    A circle of hyperbolic radius r is about pi e^r long, so with R = log n all sectors are equally wide where their
    nodes lie: a subtree brought to the centre looks like the whole tree. Large trees get a smaller R, which shows more
    of their levels at once. Radii grow strictly from the root to the leaves.

    >>> tree_layout(Tree.from_newick("((0,1),2);")).radius.round(2).tolist()
    [2.5, 2.5, 2.5, 0.92, 0.0]
    """
    n = tree.n_leaves
    angle = 2 * np.pi * (tree.first_positions + tree.sizes / 2) / n
    if n == 1:
        return DiskLayout(angle, np.zeros(1))
    rim = max(LEAST_RADIUS, min(np.log(n), 4 + 0.35 * np.log(n)))
    return DiskLayout(angle, rim * (1 - np.log(tree.sizes) / np.log(n)))


def model_layout(source: Any, tree: Tree) -> DiskLayout:
    """The layout of a model's tree: by its embedding if it lies in the disk, otherwise by the tree alone."""
    points = getattr(source, "embedding_", None)
    if points is None or np.ndim(points) != 2 or np.shape(points)[1] != 2:
        return tree_layout(tree)
    return ancestor_layout(tree, points)


def ancestor_layout(tree: Tree, points: ArrayLike) -> DiskLayout:
    """A layout by an embedding: leaves as points[k] in the unit disk, a node at the LCA of its outermost leaves. O(n).

    Paper: Eq. (6). The LCA of two leaves of one radius R is the midpoint of the geodesic between them, at the depth

        tanh d_o = tanh(R) cos(angle / 2).

    A node takes the LCA of the two leaves that bound the smallest arc over all leaves under it, with the smaller of
    their radii if these differ. If no half circle holds them, it lies at the origin, so depths never decrease
    downwards. Then an isometry moves the root to the centre. If leaves lie farther out than a page can show, all radii
    shrink by one factor.
    """
    leaves = check_disk(points, tree.n_leaves)
    place = _complex(leaves)
    middle, half = covering_arcs(tree.parent, np.angle(place))
    radius = 2 * np.arctanh(np.abs(place))
    shallow = np.tanh(subtree_minima(tree.parent, radius))
    # Leaves whose radius rounds to infinity lie on the rim.
    depth = np.arctanh(np.minimum(shallow * np.cos(np.minimum(half, np.pi / 2)), np.nextafter(1.0, 0.0)))
    places = np.tanh(depth / 2) * np.exp(1j * middle)
    places[: tree.n_leaves] = place
    return _centre(places)


def check_disk(points: ArrayLike, n_leaves: int) -> NDArray[np.float64]:
    """Raise unless there is one point per leaf, inside the unit disk."""
    leaves = real_numbers("the embedding", points)
    if leaves.shape != (n_leaves, 2):
        raise ValueError(
            f"the embedding has shape {leaves.shape}, but a disk needs ({n_leaves}, 2): one point per leaf."
        )
    check_finite("the embedding", leaves)
    farthest = int(np.argmax((leaves**2).sum(axis=1)))
    if (leaves[farthest] ** 2).sum() >= 1:
        raise ValueError(
            f"point {farthest} of the embedding has norm {np.hypot(*leaves[farthest]):.6g}; points of the disk have "
            "norms below 1. Pass Poincare coordinates."
        )
    return leaves


def _complex(points: NDArray[np.float64]) -> NDArray[np.complex128]:
    return np.ascontiguousarray(points).view(np.complex128)[:, 0]


def _centre(places: NDArray[np.complex128]) -> DiskLayout:
    """Move points of the disk by an isometry that brings the last one to the centre; returns polar coordinates."""
    moved = (places - places[-1]) / (1 - places[-1].conj() * places)
    radius = 2 * np.arctanh(np.minimum(np.abs(moved), 1 - np.finfo(np.float64).epsneg))
    return DiskLayout(np.angle(moved) % (2 * np.pi), radius * min(1.0, MOST_RADIUS / max(radius.max(), 1.0)))
