"""Sums of a graph at the nodes of a tree: volumes, cuts, and the weight that meets at each node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.kernels.trees.ancestors import edge_ancestors
from hypcse.kernels.trees.sweep import scatter_weights, subtree_sums
from hypcse.tree import Tree


def graph_over(tree: Tree, graph: GraphLike) -> Graph:
    """Convert the graph to a `Graph` whose vertex k is leaf k; raise unless tree and graph have the same size.

    The nodes of a networkx graph are put in the order of the tree's names; see `as_graph`.
    """
    if not isinstance(tree, Tree):
        raise TypeError(f"the tree is a {type(tree).__name__}. Pass Tree.from_linkage(Z) for a linkage matrix.")
    graph = as_graph(graph, tree.names, "leaves of the tree")
    if tree.n_leaves != graph.n_vertices:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the graph has {graph.n_vertices} vertices. "
            "Leaf k must be vertex k: prune the tree or take a subgraph."
        )
    return graph


def lca_weights(tree: Tree, graph: GraphLike) -> NDArray[np.float64]:
    """Total weight of the edges that have each node as their lowest common ancestor, (n_nodes,). Loops are left out.

    Structural entropy, Dasgupta's cost and all cuts are sums over this vector. O(n + m) time and memory.

    >>> from hypcse import Graph
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> lca_weights(Tree.from_newick("((0,1),(2,3));"), path).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    """
    return meeting_weights(tree, graph_over(tree, graph))


def meeting_weights(tree: Tree, graph: Graph) -> NDArray[np.float64]:
    """`lca_weights` of a graph that is known to fit the tree."""
    if tree.n_leaves == 1:
        return np.zeros(1)
    order = tree.leaf_order().astype(np.int32)
    ancestors = edge_ancestors(tree.ancestor_index, order, graph.indptr, graph.indices)
    return scatter_weights(ancestors, graph.weights, tree.n_nodes)


def node_volumes(tree: Tree, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Volume of each node, (n_nodes,): the sum of the degrees of the vertices under it."""
    values = np.zeros(tree.n_nodes)
    values[: tree.n_leaves] = degrees
    return subtree_sums(tree.parent, values)


def node_cuts(tree: Tree, graph: GraphLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Cut g of each node, (n_nodes,): the weight of the edges with exactly one end under it. Never negative.

    weights : the `lca_weights`, if already known.

    >>> from hypcse import Graph
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> node_cuts(Tree.from_newick("((0,1),(2,3));"), path).tolist()
    [1.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0]
    """
    graph = graph_over(tree, graph)
    return cuts_from_weights(tree, graph, meeting_weights(tree, graph) if weights is None else weights)


def cuts_from_weights(tree: Tree, graph: Graph, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """`node_cuts` from known `lca_weights` of a graph that is known to fit the tree."""
    volumes = node_volumes(tree, graph.edge_degrees)
    return np.maximum(volumes - 2 * subtree_sums(tree.parent, weights), 0.0)
