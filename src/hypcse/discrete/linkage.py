"""Agglomerative linkage on a graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._choices import Linkage
from hypcse.discrete.heights import searched_tree
from hypcse.discrete.multilevel import multilevel_tree
from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.graph.convert import node_names
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.heap_merges import entropy_merges, start_stretching
from hypcse.kernels.linkage.merges import join_components, merge_parents
from hypcse.kernels.linkage.spanning import heaviest_forest
from hypcse.tree import Tree

# Merges between two reports of progress.
_PART = 10_000


def graph_linkage(graph: GraphLike, method: Linkage = "average") -> Tree:
    """The binary tree that joins, again and again, the two adjacent clusters A and B with the largest

      "average"  cut(A, B) / (|A| |B|)
      "paris"    cut(A, B) / (vol A vol B)
      "entropy"  cut(A, B) log(V / (vol A + vol B)), the stretching operator of HCSE: what lowers entropy most
      "single"   heaviest edge between A and B;

    or, with "multilevel", average linkage inside and between groups of high modularity, into which vertices move by
    themselves: a better start than the others where a graph is noisy.

    Parameters
    ----------
    graph
        A `Graph`, a networkx graph, whose nodes name the leaves, or a symmetric matrix, sparse or dense.
    method
        Which linkage.

    Returns
    -------
    Tree
        A binary tree whose heights are log2 of the volume of a node over that of its smallest leaf.

    Notes
    -----
    Volumes include `self_weights`. Components, which nothing joins, are joined last, the two of smallest volume first.
    Memory is O(n + m). Time is about O(m log n) on graphs of bounded degree; but for "single", a vertex of degree d
    alone can cost O(d^2).

    Examples
    --------
    >>> from hypcse import Graph
    >>> graph_linkage(Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    check_choice("method", method, Linkage)
    names = node_names(graph)
    tree = _linked(as_graph(graph), method)
    return tree.with_names(names)


def _linked(graph: Graph, method: Linkage) -> Tree:
    if method == "entropy":
        return stretched(graph)
    if method == "multilevel":
        return multilevel_tree(graph)
    return _joined(graph, *_merges(graph, method))


def stretched(graph: Graph, tell: Callable[[float], object] | None = None) -> Tree:
    """The tree of "entropy" linkage; `tell` is called now and then with the share of the merges that are done."""
    n, at = graph.n_vertices, start_stretching(graph.indptr, graph.indices, graph.weights, graph.degrees)
    whole = graph.degrees.sum()
    while at.heap.used[0] > 0:
        entropy_merges(at, whole, _PART)
        if tell is not None:
            tell(int(at.status[0]) / (n - 1) if at.heap.used[0] > 0 else 1.0)
    done = int(at.status[0])
    return _joined(graph, at.first[:done], at.second[:done])


def _joined(graph: Graph, first: NDArray[np.int64], second: NDArray[np.int64]) -> Tree:
    """The tree of the merges, and of those between components."""
    return searched_tree(join_components(merge_parents(first, second, graph.n_vertices), graph.degrees), graph)


def _merges(graph: Graph, method: Linkage) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges, each cluster named by one of its vertices, without those between components."""
    rows = graph.indptr, graph.indices, graph.weights
    if method == "average":
        return chain_merges(*rows, np.ones(graph.n_vertices))
    if method == "paris":
        return chain_merges(*rows, graph.degrees)
    i, j, w = graph.edges()
    # Heaviest first; equal weights in the order of (i, j), which `edges` keeps.
    order = np.argsort(-w, kind="stable")
    return heaviest_forest(i[order], j[order], graph.n_vertices)
