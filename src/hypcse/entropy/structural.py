"""Structural entropy: by cuts, Eq. (1), and by lowest common ancestors, Eq. (4), of a graph or of all similarities."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hypcse._checks import check_choice
from hypcse._choices import ExactLoops, SelfLoops
from hypcse.entropy.volumes import bits_of, cuts_from_weights, graph_over, meeting_weights, node_volumes
from hypcse.graph import Graph, GraphLike
from hypcse.graph.convert import in_range, unit_exponent
from hypcse.kernels.arrays import Reals
from hypcse.kernels.losses.all_pairs import complete_degrees, complete_row_sums
from hypcse.tree import Tree


def structural_entropy(tree: Tree, graph: GraphLike, self_loops: SelfLoops = "paper") -> float:
    """Structural entropy of a graph on a tree, in bits.

    Paper: Eq. (4),  H = [2 sum_{i<j} W_ij log2 vol(i v j) - sum_i d_i log2 d_i] / V.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix. Vertex k is leaf k; the nodes of a networkx graph are
        matched by name if the leaves have the same names.
    self_loops
        How `graph.self_weights` count. "paper": in the degrees d and the volume V, as in the paper's tables. "exact":
        Eq. (1) with loops; they count in the degrees, and (1/V) sum_i W_ii log2 d_i is added, which is the same for
        every tree. "drop": not at all.

    Returns
    -------
    float
        In bits; 0 for a graph without edges.

    Notes
    -----
    O((n + m) log n) at worst, O(n + m) memory.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> round(structural_entropy(pairs, path), 4)
    1.2516
    """
    graph = graph_over(tree, graph)
    return entropy_from_weights(tree, graph, meeting_weights(tree, graph), self_loops)


def entropy_from_weights(tree: Tree, graph: Graph, weights: Reals, self_loops: SelfLoops = "paper") -> float:
    """`structural_entropy` from known `lca_weights`."""
    check_choice("self_loops", self_loops, SelfLoops)
    exponent, degrees = unit_exponent(graph), graph.edge_degrees if self_loops == "drop" else graph.degrees
    weights, degrees = np.ldexp(weights, exponent), np.ldexp(degrees, exponent)
    total = degrees.sum()
    if total == 0:
        return 0.0
    volumes = node_volumes(tree, degrees)
    bits = 2 * np.dot(weights, bits_of(volumes)) - np.dot(degrees, bits_of(degrees))
    loops = np.ldexp(graph.self_weights, exponent)
    if self_loops == "exact":
        bits += np.dot(loops, bits_of(degrees))
    if self_loops == "paper":
        # The one way to count loops that depends on the unit of the weights.
        bits += exponent * loops.sum()
    return float(bits / total)


def node_entropies(tree: Tree, graph: GraphLike, self_loops: ExactLoops = "exact") -> Reals:
    """The terms of Eq. (1), -(g/V) log2(vol/vol of parent) at each node, 0 at the root.

    They sum to the structural entropy with "exact" or "drop". There are no such terms for "paper", the default of
    `structural_entropy`: on a graph with loops it is not a sum over nodes.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    self_loops
        "exact" or "drop", as for `structural_entropy`.

    Returns
    -------
    ndarray of shape (n_nodes,)
        In bits.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> node_entropies(pairs, path).round(3).tolist()
    [0.264, 0.195, 0.195, 0.264, 0.167, 0.167, 0.0]
    """
    check_choice("self_loops", self_loops, ExactLoops)
    graph = in_range(graph_over(tree, graph))
    degrees = graph.edge_degrees if self_loops == "drop" else graph.degrees
    terms = np.zeros(tree.n_nodes)
    total = degrees.sum()
    if total == 0:
        return terms
    bits = bits_of(node_volumes(tree, degrees))
    # A node of zero volume has zero cut, and log2 of its volume is set to 0 here, so its term is 0.
    cuts = cuts_from_weights(tree, graph, meeting_weights(tree, graph))
    terms[:-1] = cuts[:-1] / total * (bits[tree.parent[:-1]] - bits[:-1])
    return terms


def entropy_by_cuts(tree: Tree, graph: GraphLike, self_loops: SelfLoops = "paper") -> float:
    """Structural entropy by its definition, Eq. (1): the sum of `node_entropies`, with "paper" less what loops add.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    self_loops
        As for `structural_entropy`.

    Returns
    -------
    float
        In bits.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> round(entropy_by_cuts(pairs, path), 4)
    1.2516
    """
    check_choice("self_loops", self_loops, SelfLoops)
    graph = graph_over(tree, graph)
    if self_loops != "paper":
        return float(node_entropies(tree, graph, self_loops).sum())
    # The bits by which "exact" exceeds "paper", the same for every tree: (1/V) sum_i W_ii log2 d_i.
    exponent = unit_exponent(graph)
    loops, degrees = np.ldexp(graph.self_weights, exponent), np.ldexp(graph.degrees, exponent)
    total = degrees.sum()
    added = (np.dot(loops, bits_of(degrees)) - exponent * loops.sum()) / total if total > 0 else 0.0
    return float(node_entropies(tree, graph).sum() - added)


class CompleteGraph:
    """The graph of all similarities exp(-d^2) of scaled points, with the diagonal: O(n d) memory, O(n^2 d) time."""

    def __init__(self, scaled: ArrayLike) -> None:
        self.points = np.asarray(scaled, dtype=np.float32)

    @cached_property
    def degrees(self) -> Reals:
        """Row sums of the similarities."""
        return complete_degrees(np.ascontiguousarray(self.points.T))

    def entropy(self, tree: Tree) -> float:
        """Structural entropy of a tree over the points, loops counted as in the paper's tables."""
        n = len(self.points)
        if tree.n_leaves != n:
            raise ValueError(f"the tree has {tree.n_leaves} leaves, but there are {n} points.")
        bits = np.log2(node_volumes(tree, self.degrees))
        if n == 1:
            return float(-bits[0])
        order = tree.leaf_order()
        joins = bits[tree.lca(order[:-1], order[1:])]
        sums = complete_row_sums(np.ascontiguousarray(self.points[order].T), joins)
        return float((2 * sums.sum() - np.dot(self.degrees, bits[:n])) / self.degrees.sum())
