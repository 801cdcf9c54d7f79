"""The starting tree of a probabilistic hierarchy, and the trees read from it."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete import graph_linkage
from hypcse.discrete.cutting.compress import keep_nodes
from hypcse.discrete.heights import searched_tree
from hypcse.entropy import lca_weights
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.tree import Tree
from hypcse.tree.numbering import keep_leaves


def start_tree(graph: Graph, n_internal: int, unit_weights: bool) -> Tree:
    """Average linkage on the graph (with all weights 1, if asked for), contracted to this many internal nodes."""
    linked = graph
    if unit_weights and graph.n_edges:
        i, j, _ = graph.edges()
        linked = Graph.from_edges(i, j, n=graph.n_vertices)
    return contract(graph_linkage(linked, "average"), graph, n_internal)


def contract(tree: Tree, graph: Graph, n_internal: int) -> Tree:
    """The tree with internal nodes contracted into their parents, smallest rise of Dasgupta's cost first.

    Contracting x into its parent p raises the cost by (weight that meets at x) (|p| - |x|). Neither factor ever
    decreases later, so a heap whose entries are checked when popped is exact. O(n log n) except for deep chains.
    """
    weight, size = lca_weights(tree, graph), tree.sizes
    above = tree.parent.copy()
    kept = np.ones(tree.n_nodes, np.bool_)

    def rise(node: int) -> float:
        while not kept[above[node]]:
            above[node] = above[above[node]]
        return float(weight[node] * (size[above[node]] - size[node]))

    heap = [(rise(node), node) for node in range(tree.n_leaves, tree.root)]
    heapq.heapify(heap)
    excess = tree.n_nodes - tree.n_leaves - n_internal
    while excess > 0:
        cost, node = heapq.heappop(heap)
        now = rise(node)
        if now > cost:
            heapq.heappush(heap, (now, node))
            continue
        kept[node] = False
        weight[above[node]] += weight[node]
        excess -= 1
    return keep_nodes(tree, kept)


def likeliest_tree(leaf_parent: NDArray[np.int64], node_parent: NDArray[np.int64], graph: Graph) -> Tree:
    """The tree in which leaf u hangs on internal node leaf_parent[u], and that on node_parent; the last is the root.

    Nodes without leaves, and with one child only, are left out.
    """
    n = leaf_parent.size
    parent = np.concatenate([leaf_parent, node_parent]) + n
    parent[-1] = -1
    pruned, _ = keep_leaves(parent, np.zeros(parent.size), np.ones(n, np.bool_))
    return searched_tree(pruned, graph)


def tree_sampling_divergence(tree: Tree, graph: Graph) -> float:
    """The divergence of `soft_divergence` for one tree, in nats. O(n + m).

    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> round(tree_sampling_divergence(Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]]), path), 4)
    0.0566
    """
    meeting = lca_weights(tree, graph)
    total = meeting.sum()
    if total == 0:
        return 0.0
    share = np.zeros(tree.n_nodes)
    share[: tree.n_leaves] = graph.edge_degrees / graph.edge_degrees.sum()
    share = subtree_sums(tree.parent, share)
    apart = np.square(share)
    inner = np.arange(tree.n_leaves, tree.root)
    np.subtract.at(apart, tree.parent[inner], np.square(share[inner]))
    p = meeting[tree.n_leaves :] / total
    met = p > 0
    return float(np.dot(p[met], np.log(p[met] / apart[tree.n_leaves :][met])))
