"""The one-dimensional entropy, and bounds by it."""

from __future__ import annotations

import numpy as np

from hypcse._checks import check_choice
from hypcse._choices import SelfLoops
from hypcse.entropy.structural import entropy_by_cuts
from hypcse.entropy.volumes import graph_over, node_cuts, node_volumes
from hypcse.graph import GraphLike, as_graph
from hypcse.graph.convert import in_range
from hypcse.tree import Tree


def one_dimensional_entropy(graph: GraphLike) -> float:
    """Entropy of the degrees, H1 = -sum_i (d_i/V) log2(d_i/V), in bits.

    Self-loops count in the degrees. Without loops, H1 is the structural entropy of the tree with all leaves under the
    root, the highest of all trees. With loops that tree has less, by Eq. (1): the sum is over (d_i - W_ii)/V.

    Parameters
    ----------
    graph
        A `Graph`, a networkx graph or a symmetric matrix.

    Returns
    -------
    float
        In bits.

    Examples
    --------
    >>> from hypcse import Graph
    >>> one_dimensional_entropy(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]))
    2.0
    """
    graph = in_range(as_graph(graph))
    shares = graph.degrees[graph.degrees > 0]
    if shares.size == 0:
        return 0.0
    shares = shares / graph.volume
    return float(-np.dot(shares, np.log2(shares))) + 0.0


def normalized_entropy(tree: Tree, graph: GraphLike, self_loops: SelfLoops = "paper") -> float:
    """Structural entropy divided by the one-dimensional entropy, the left side of Eq. (3).

    The paper's claim that it is at least the conductance of the graph is false (the unit triangle has 0.877 against 1);
    `entropy_lower_bound` is the bound that holds.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    self_loops
        As for `structural_entropy`; "drop" leaves loops out of both entropies. With "paper" a graph with loops may have
        a negative ratio, or one above 1; with "exact" and "drop" it is between 0 and 1.

    Returns
    -------
    float
        The ratio; 0 for a graph without edges.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> round(normalized_entropy(pairs, path), 4)
    0.6525
    """
    check_choice("self_loops", self_loops, SelfLoops)
    graph = graph_over(tree, graph)
    plain = graph.without_loops() if self_loops == "drop" else graph
    whole = one_dimensional_entropy(plain)
    return entropy_by_cuts(tree, plain, self_loops) / whole if whole > 0 else 0.0


def entropy_lower_bound(tree: Tree, graph: GraphLike) -> float:
    """H1 times the smallest g/vol over all nodes except the root: a lower bound for Eq. (1).

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.

    Returns
    -------
    float
        In bits.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> round(entropy_lower_bound(pairs, path), 4)
    0.6394
    """
    graph = in_range(graph_over(tree, graph))
    volumes = node_volumes(tree, graph.degrees)[:-1]
    cuts = node_cuts(tree, graph)[:-1]
    weighty = volumes > 0
    if not weighty.any():
        return 0.0
    return one_dimensional_entropy(graph) * float(np.min(cuts[weighty] / volumes[weighty]))
