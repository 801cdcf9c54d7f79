"""What a graph leaves at the nodes of a tree: volumes, cuts, and the weight that meets at each node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.kernels.trees.ancestors import edge_ancestors
from hypcse.kernels.trees.sweep import scatter_weights, subtree_sums
from hypcse.tree import Tree


def graph_over(tree: Tree, graph: GraphLike) -> Graph:
    """The graph as a `Graph` whose vertex k is leaf k; raise unless these are a tree and a graph of one size.

    The nodes of a networkx graph are brought to the order of the tree's names, see `as_graph`.
    """
    if not isinstance(tree, Tree):
        raise TypeError(f"the tree is a {type(tree).__name__}. Pass Tree.from_linkage(Z) for a linkage matrix.")
    found = as_graph(graph, tree.names, "leaves of the tree")
    if tree.n_leaves != found.n_vertices:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the graph has {found.n_vertices} vertices. "
            "Leaf k must be vertex k: prune the tree or take a subgraph."
        )
    return found


def lca_weights(tree: Tree, graph: GraphLike) -> NDArray[np.float64]:
    """Total weight of the edges whose ends meet at each node, (n_nodes,). Loops are left out.

    Structural entropy, Dasgupta's cost and all cuts are sums over this vector. O(n + m) time and memory.
    """
    graph = graph_over(tree, graph)
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


def node_cuts(tree: Tree, graph: GraphLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Cut g of each node: the weight of the edges with exactly one end under it. Never negative.

    `weights` are the `lca_weights`, when they are known already.
    """
    graph = graph_over(tree, graph)
    meeting = lca_weights(tree, graph) if weights is None else weights
    inside = subtree_sums(tree.parent, meeting)
    volumes = node_volumes(tree, graph.edge_degrees)
    return np.maximum(volumes - 2 * inside, 0.0)
