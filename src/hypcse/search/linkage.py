"""Agglomerative linkage on a graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hypcse._checks import check_choice
from hypcse._choices import Linkage
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.graph.convert import in_range, node_names
from hypcse.kernels.arrays import Reals
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import order_merges, shorten
from hypcse.kernels.linkage.single import heaviest_forest
from hypcse.kernels.linkage.stretching import entropy_merges
from hypcse.search.binary import tree_of_merges
from hypcse.search.multilevel import multilevel_tree
from hypcse.tree import Tree


def graph_linkage(graph: GraphLike, method: Linkage = "average", *, callback: Callback | None = None) -> Tree:
    """Build a binary tree by joining, again and again, the two adjacent clusters of the largest score.

    The score of clusters A and B is by `method`

      "average"  cut(A, B) / (|A| |B|)
      "paris"    cut(A, B) / (vol A vol B)
      "entropy"  cut(A, B) log(V / (vol A + vol B)), the stretching operator of HCSE: lowers entropy the most
      "single"   heaviest edge between A and B;

    or, with "multilevel", by average linkage inside and between groups of high modularity, found by moving vertices: a
    better start than the others if a graph is noisy.

    Parameters
    ----------
    graph
        A `Graph`, a networkx graph (its nodes name the leaves), or a symmetric matrix, sparse or dense.
    method
        Which linkage.
    callback
        Called with a `Progress` in merges: with "entropy" regularly, with the others at the end. Return True to stop:
        this raises `Stopped`, a TimeoutError, because part of a linkage is not a tree.

    Returns
    -------
    Tree
        A binary tree whose heights are log2 of the volume of a node over that of its smallest leaf.

    Notes
    -----
    Volumes include `self_weights`. Separate components are joined last, the two of smallest volume first. Memory is
    O(n + m). Time is about O(m log n), and O(m log^2 n) with hubs (vertices with very many neighbors), where heaps
    replace adjacency lists. The merges are then the same, except for ties of "entropy": sums of weights may
    differ in their last bit, and the pair with the oldest cluster joins among equal gains.

    "average" and "paris" round weights to 24 bits, as float32 does, so that float64 holds their sums exactly. Among
    equally near clusters they join the one of lower rank, a number well mixed from those of its vertices. So the tree
    does not depend on the order of the merges, and `hypcse.dask.graph_linkage` finds the same one. This holds while
    all weights, and their sums between two clusters, are within a factor of 2^29 (5e8) of each other. Beyond it sums
    are rounded, and clusters that are almost equally near may be joined in another order.

    Examples
    --------
    >>> from hypcse import Graph
    >>> graph_linkage(Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    check_choice("method", method, Linkage)
    return link_graph(as_graph(graph), method, callback).with_names(node_names(graph))


def link_graph(graph: Graph, method: Linkage, callback: Callback | None = None) -> Tree:
    """`graph_linkage`, its arguments not checked."""
    reporter = Reporter(callback)

    def tell(done: int, total: int) -> None:
        if reporter.tell("merges", done, total) and done < total:
            raise Stopped(f"the linkage was stopped by its callback with {done:,} of {total:,} merges done.")

    tree = LINKAGES[method](in_range(graph), tell)
    tell(graph.n_vertices - 1, graph.n_vertices - 1)
    return tree


Tell = Callable[[int, int], object]
"""Called regularly with the number of merges done, and of all merges."""


def link_by_entropy(graph: Graph, tell: Tell) -> Tree:
    """The tree of "entropy" linkage."""
    merges = entropy_merges(graph.indptr, graph.indices, graph.weights, graph.degrees, tell=tell)
    # A graph of several components needs fewer merges.
    tell(merges[0].size, merges[0].size)
    return tree_of_merges(graph.degrees, *merges)


def link_by_chains(graph: Graph, measure: Reals) -> Tree:
    """The tree of a linkage cut(A, B) / (measure A measure B); its nearest-neighbor chains never break."""
    merges = chain_merges(graph.indptr, graph.indices, shorten(graph.weights), shorten(measure))
    return tree_of_merges(graph.degrees, *order_merges(*merges, graph.n_vertices))


def link_by_heaviest(graph: Graph) -> Tree:
    """The tree of "single" linkage."""
    i, j, w = graph.edges()
    # Heaviest first; equal weights in the order of (i, j), which `edges` keeps.
    order = np.argsort(-w, kind="stable")
    return tree_of_merges(graph.degrees, *heaviest_forest(i[order], j[order], graph.n_vertices))


LINKAGES: dict[Linkage, Callable[[Graph, Tell], Tree]] = {
    "average": lambda graph, tell: link_by_chains(graph, np.ones(graph.n_vertices)),
    "paris": lambda graph, tell: link_by_chains(graph, graph.degrees),
    "entropy": link_by_entropy,
    "single": lambda graph, tell: link_by_heaviest(graph),
    "multilevel": lambda graph, tell: multilevel_tree(graph),
}
"""All linkages. To add one, add an entry here and a word to `Linkage`."""
