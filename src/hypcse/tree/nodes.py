"""Chosen nodes of a tree: the top down to clusters, the distances of parts, and layers of large nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._checks import check_count, check_features
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.sweep import kept_parents, lift_heights, subtree_minima, subtree_sums
from hypcse.tree.tree import Tree


class Outline(NamedTuple):
    """The top of a tree; its leaf k is cluster k.

    tree : the top itself, leaves at height 0.
    node : (n_nodes,) the node of the whole tree that each of its nodes is.
    """

    tree: Tree
    node: Ids


def outline(tree: Tree, clusters: Ids) -> Outline:
    """The tree down to clusters (labels from 0, -1 for outliers). O(n).

    A cluster is the largest node that has leaves of no other cluster. Leaves of the cluster elsewhere, its strays, are
    left out.

    >>> whole = Tree.from_newick("(((0,1),(2,3)),4);")
    >>> outline(whole, whole.cut(n_clusters=3)).tree.to_newick()
    '(2:3.0,(0:2.0,1:2.0):1.0);'
    >>> outline(whole, np.array([0, 0, 1, -1, 0])).tree.to_newick()
    '(0:2.0,1:2.0);'
    """
    tops = _largest_nodes(tree, clusters)
    above = np.zeros(tree.n_nodes)
    above[tops] = 1
    branches = np.flatnonzero(subtree_sums(tree.parent, above)[:-1] > 0)
    joins = np.bincount(tree.parent[branches], minlength=tree.n_nodes) > 1
    node = np.concatenate([tops, np.flatnonzero(joins)])
    number = np.full(tree.n_nodes, -1)
    number[node] = np.arange(node.size)
    marks = number >= 0
    marks[-1] = True
    parent = kept_parents(tree.parent, marks)[node]
    height = np.where(np.arange(node.size) < tops.size, 0.0, tree.height[node])
    return Outline(Tree(np.where(parent >= 0, number[parent], -1), height), node)


def _largest_nodes(tree: Tree, clusters: Ids) -> Ids:
    """For each cluster, the largest node that has leaves of no other."""
    clustered = clusters >= 0
    above = int(clusters.max()) + 1
    first = subtree_minima(tree.parent, np.where(clustered, clusters, above))
    pure = first == -subtree_minima(tree.parent, np.where(clustered, -clusters, 1))
    tops = pure.copy()
    tops[:-1] &= ~pure[tree.parent[:-1]]
    nodes = np.flatnonzero(tops)
    nodes = nodes[np.lexsort([-tree.sizes[nodes], first[nodes]])]
    largest = np.append(True, first[nodes[1:]] != first[nodes[:-1]])
    second = np.append(False, largest[:-1]) & ~largest
    if not clustered.any() or (tree.sizes[nodes[second]] == tree.sizes[nodes[np.flatnonzero(second) - 1]]).any():
        raise ValueError("these clusters are not nodes of the tree. Pass labels of a cut of the tree.")
    return nodes[largest]


def merge_distances(tree: Tree, X: NDArray[np.floating]) -> Reals:
    """Root mean squared distance, over pairs of leaves, between the parts that each node joins, (n_nodes,). O(n d).

    >>> merge_distances(Tree.from_newick("((0,1),2);"), np.array([[0.0], [2.0], [5.0]])).round(3).tolist()
    [0.0, 0.0, 0.0, 2.0, 4.123]
    """
    features = check_features(X)
    if features.shape[0] != tree.n_leaves:
        raise ValueError(f"X has {features.shape[0]} rows, but the tree has {tree.n_leaves} leaves: one row per leaf.")
    return part_distances(tree, features, np.ones(tree.n_leaves), np.zeros(tree.n_leaves))


def part_distances(tree: Tree, means: NDArray[np.floating], sizes: Reals, squares: Reals) -> Reals:
    """`merge_distances` if each leaf is a group: its number of points, their mean, and their squared distances from it.

    means : (n_leaves, d); sizes and squares, summed over the points of a leaf : (n_leaves,).
    """
    n, above = tree.n_leaves, tree.parent[:-1]
    counts = subtree_sums(tree.parent, sizes)
    # At each node sum_c |c| (m_c - m)^2 over its children c, m being means.
    between = np.zeros(tree.n_nodes)
    for column in range(means.shape[1]):
        values = means[:, column].astype(np.float64)
        mean = subtree_sums(tree.parent, sizes * (values - values.mean())) / counts
        gap = mean[:-1] - mean[above]
        np.add.at(between, above, counts[:-1] * gap * gap)
    # With S the squares of a node around its mean, all pairs under it have |u| S_u. Those between children are
    # sum_c (|u| - |c|) S_c + |u| sum_c |c| |m_c - m_u|^2, of which no term is negative: nothing cancels.
    inside = subtree_sums(tree.parent, np.append(squares, between[n:]))
    rest = counts[above] - counts[:-1]
    across = np.bincount(above, rest * inside[:-1], tree.n_nodes) + counts * between
    # Both orders of a pair are counted.
    pairs = np.bincount(above, rest * counts[:-1], tree.n_nodes)
    return lift_heights(tree.parent, np.sqrt(np.append(np.zeros(n), 2 * across[n:] / pairs[n:])))


def leaves_by_label(tree: Tree, labels: Ids) -> Ids:
    """The leaves by label, from 0, and then from left to right. O(n) for up to 65,536 labels."""
    order = tree.leaf_order()
    return order[np.argsort(labels[order].astype(np.min_scalar_type(labels.max())), kind="stable")]


class Layer(NamedTuple):
    """Chosen nodes that have the same number of chosen nodes above them, so that no two share a leaf.

    node    : (k,) their ids.
    above   : (k,) position, in the layer before, of the nearest chosen node above each.
    members : (k, n_leaves) sparse, 1 where a leaf lies under a node.
    """

    node: Ids
    above: Ids
    members: sparse.csr_array


def node_layers(tree: Tree, levels: Sequence[ArrayLike] | None = None, min_size: int = 1) -> Iterator[Layer]:
    """The nodes of `min_size` leaves that the clusters of `levels` are, or all, layer by layer, the root first."""
    chosen = np.full(tree.n_nodes, not levels)
    for level in levels or ():
        labels = np.asarray(level, np.int64)
        if labels.shape != (tree.n_leaves,):
            raise ValueError(f"a level has shape {labels.shape} for {tree.n_leaves} leaves. Pass one label per leaf.")
        top = outline(tree, labels)
        chosen[top.node[: top.tree.n_leaves]] = True
    chosen &= tree.sizes >= check_count("min_size", min_size, 1)
    chosen[tree.root] = True
    above, depth = kept_parents(tree.parent, chosen), np.zeros(tree.n_nodes, np.int64)
    nodes = np.flatnonzero(chosen)
    for node in nodes[-2::-1].tolist():
        depth[node] = depth[above[node]] + 1
    place = np.zeros(tree.n_nodes, np.int64)
    for k in range(int(depth.max()) + 1):
        layer = nodes[depth[nodes] == k]
        layer = layer[np.argsort(tree.first_positions[layer])]
        place[layer] = np.arange(layer.size)
        yield Layer(layer, place[above[layer]] if k else np.zeros(1, np.int64), _members(tree, layer))


def _members(tree: Tree, nodes: Ids) -> sparse.csr_array:
    size = tree.sizes[nodes]
    ends = np.concatenate([[0], np.cumsum(size)])
    position = np.arange(ends[-1]) + np.repeat(tree.first_positions[nodes] - ends[:-1], size)
    leaves = tree.leaf_order()[position]
    # Small indices: those of a table that it is multiplied with are not copied then.
    parts = np.ones(leaves.size), leaves.astype(np.int32), ends.astype(np.int32)
    return sparse.csr_array(parts, shape=(nodes.size, tree.n_leaves))
