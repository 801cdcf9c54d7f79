"""Sums of a graph at the nodes of a tree: volumes, cuts, and the weight that meets at each node."""

from __future__ import annotations

import numpy as np
from numba import get_num_threads

from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.kernels.arrays import Reals
from hypcse.kernels.trees.ancestors import SERIAL_ENTRIES, weights_by_ancestor
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.tree import Tree


def graph_over(tree: Tree, graph: GraphLike) -> Graph:
    """Convert the graph to a `Graph` whose vertex k is leaf k, see `as_graph`; raise unless both have the same size."""
    graph = as_graph(graph, tree.names if isinstance(tree, Tree) else None, "leaves of the tree")
    check_leaves(tree, graph.n_vertices)
    return graph


def check_leaves(tree: Tree, n_vertices: int) -> None:
    """Raise unless leaf k can be vertex k."""
    if not isinstance(tree, Tree):
        raise TypeError(f"the tree is a {type(tree).__name__}. Pass Tree.from_linkage(Z) for a linkage matrix.")
    if tree.n_leaves != n_vertices:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the graph has {n_vertices} vertices. "
            "Leaf k must be vertex k: prune the tree or take a subgraph."
        )


def lca_weights(tree: Tree, graph: GraphLike) -> Reals:
    """Total weight of the edges that have each node as their lowest common ancestor, (n_nodes,). Loops are left out.

    Structural entropy, Dasgupta's cost and all cuts are sums over this vector. O(n + m) time and memory.
    """
    return meeting_weights(tree, graph_over(tree, graph))


def meeting_weights(tree: Tree, graph: Graph) -> Reals:
    """`lca_weights` of a graph that is known to fit the tree."""
    if tree.n_leaves == 1:
        return np.zeros(1)
    order = tree.leaf_order().astype(np.int32)
    n_tasks = get_num_threads() if graph.weights.size > SERIAL_ENTRIES else 1
    index, rows = tree.ancestor_index, (graph.indptr, graph.indices, graph.weights)
    return weights_by_ancestor(index, tree.n_nodes, n_tasks, order, *rows)


def node_volumes(tree: Tree, degrees: Reals) -> Reals:
    """Volume of each node, (n_nodes,): the sum of the degrees of the vertices under it."""
    return subtree_sums(tree.parent, degrees)


def node_cuts(tree: Tree, graph: GraphLike, weights: Reals | None = None) -> Reals:
    """Cut g of each node, (n_nodes,): the weight of the edges with exactly one end under it, by the `lca_weights`."""
    graph = graph_over(tree, graph)
    return cuts_from_weights(tree, graph, meeting_weights(tree, graph) if weights is None else weights)


def cuts_from_weights(tree: Tree, graph: Graph, weights: Reals) -> Reals:
    """`node_cuts` from known `lca_weights` of a graph that is known to fit the tree."""
    volumes = node_volumes(tree, graph.edge_degrees)
    return np.maximum(volumes - 2 * subtree_sums(tree.parent, weights), 0.0)


def bits_of(values: Reals) -> Reals:
    """log2, with 0 for 0: every use multiplies it by a weight that is 0 there."""
    return np.log2(values, where=values > 0, out=np.zeros_like(values))
