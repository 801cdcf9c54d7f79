"""What a graph leaves at the nodes of a tree: volumes, cuts, and the weight that meets at each node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph
from hypcse.kernels.trees.ancestors import edge_ancestors
from hypcse.kernels.trees.sweep import scatter_weights, subtree_sums
from hypcse.tree import Tree


def check_same_size(tree: Tree, graph: Graph) -> None:
    """Raise unless these are a Tree and a Graph with as many leaves as vertices."""
    if not isinstance(tree, Tree):
        raise TypeError(f"the tree is a {type(tree).__name__}. Pass Tree.from_linkage(Z) for a linkage matrix.")
    if not isinstance(graph, Graph):
        raise TypeError(f"the graph is a {type(graph).__name__}. Pass Graph.from_scipy(W) for a matrix.")
    if tree.n_leaves != graph.n_vertices:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the graph has {graph.n_vertices} vertices. "
            "Leaf k must be vertex k: prune the tree or take a subgraph."
        )


def lca_weights(tree: Tree, graph: Graph) -> NDArray[np.float64]:
    """Total weight of the edges whose ends meet at each node, (n_nodes,). Loops are left out.

    Structural entropy, Dasgupta's cost and all cuts are sums over this vector. O(n + m) time and memory.
    """
    check_same_size(tree, graph)
    if tree.n_leaves == 1:
        return np.zeros(1)
    order = tree.leaf_order().astype(np.int32)
    ancestors = edge_ancestors(tree.ancestor_index, order, graph.indptr, graph.indices)
    return scatter_weights(ancestors, graph.weights, tree.n_nodes)


def node_volumes(tree: Tree, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Volume of each node: the sum of the degrees of the vertices under it."""
    values = np.zeros(tree.n_nodes)
    values[: tree.n_leaves] = degrees
    return subtree_sums(tree.parent, values)


def node_cuts(tree: Tree, graph: Graph, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Cut g of each node: the weight of the edges with exactly one end under it. Never negative.

    `weights` are the `lca_weights`, when they are known already.
    """
    meeting = lca_weights(tree, graph) if weights is None else weights
    inside = subtree_sums(tree.parent, meeting)
    volumes = node_volumes(tree, graph.edge_degrees)
    return np.maximum(volumes - 2 * inside, 0.0)
