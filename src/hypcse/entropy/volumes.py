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

    Parameters
    ----------
    tree
        The tree.
    graph
        A `Graph`, a networkx graph or a symmetric matrix.

    Returns
    -------
    Graph
        A graph with as many vertices as the tree has leaves.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> graph_over(pairs, path).n_vertices
    4
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
    """Total weight of the edges that have each node as their lowest common ancestor, (n_nodes,). Loops are left out.

    Structural entropy, Dasgupta's cost and all cuts are sums over this vector. O(n + m) time and memory.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Weight of each node.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> lca_weights(pairs, path).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    """
    graph = graph_over(tree, graph)
    if tree.n_leaves == 1:
        return np.zeros(1)
    order = tree.leaf_order().astype(np.int32)
    ancestors = edge_ancestors(tree.ancestor_index, order, graph.indptr, graph.indices)
    return scatter_weights(ancestors, graph.weights, tree.n_nodes)


def node_volumes(tree: Tree, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Volume of each node: the sum of the degrees of the vertices under it.

    Parameters
    ----------
    tree
        The tree.
    degrees
        Degree of each leaf's vertex, such as `Graph.degrees`.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Volume of each node.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> node_volumes(pairs, path.degrees).tolist()
    [1.0, 2.0, 2.0, 1.0, 3.0, 3.0, 6.0]
    """
    values = np.zeros(tree.n_nodes)
    values[: tree.n_leaves] = degrees
    return subtree_sums(tree.parent, values)


def node_cuts(tree: Tree, graph: GraphLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Cut g of each node: the weight of the edges with exactly one end under it. Never negative.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    weights
        The `lca_weights`, if already known.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Cut of each node.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> node_cuts(pairs, path).tolist()
    [1.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0]
    """
    graph = graph_over(tree, graph)
    meeting = lca_weights(tree, graph) if weights is None else weights
    inside = subtree_sums(tree.parent, meeting)
    volumes = node_volumes(tree, graph.edge_degrees)
    return np.maximum(volumes - 2 * inside, 0.0)
