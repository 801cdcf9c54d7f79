"""DPClusterHSBM: blocks by spectral projection, joined by their densities (Imola and others, ICML 2023); no noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import BlockOrder
from hypcse._random import generator
from hypcse.graph import Graph
from hypcse.methods.bisecting import halved_parents, join_parts
from hypcse.methods.options import Clock, Inputs
from hypcse.paper.spectral.spectrum import cluster_rows, clusters_by_gap, leading_eigenpairs, n_leading
from hypcse.paper.spectral.wrsc import cuts_between
from hypcse.search import graph_linkage
from hypcse.search.binary import searched_tree
from hypcse.tree import Tree

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]


def dp_cluster_hsbm(
    inputs: Inputs,
    *,
    n_blocks: int | None = None,
    inner: BlockOrder = "random",
    n_init: int = 10,
    max_seconds: float | None = None,
) -> Tree:
    """Blocks of a hierarchical block model, joined densest pair first. Our reading: the text leaves much open.

    1. The rows of the best rank-k part of the adjacency matrix, without loops, are grouped into k blocks by k-means,
       the best of `n_init` runs. k is `n_blocks`; by default where the largest gap of the eigenvalues lies, 2 to
       15.
    2. The two blocks with the largest w(A, B) / (|A| |B|) are joined, again and again.
    3. Inside a block is a tree that ignores the data, halving a random order; or with `inner="average"` average linkage
       on the graph, which is not in the publication.

    The publication adds noise to each step, so that the tree is private for one edge; here there is none.

    O(m k) per round of Lanczos' iteration, dense up to 2,000 vertices; memory O(n k + m).
    Pen-digits, 10,992 points: below 1 s on one core. After `max_seconds`, checked between the
    steps, it raises TimeoutError.
    """
    check_choice("inner", inner, BlockOrder)
    check_count("n_init", n_init, 1)
    clock = Clock("dp-cluster-hsbm", inputs.callback, max_seconds)
    graph = inputs.graph.without_loops()
    n = graph.n_vertices
    if n_blocks is not None:
        check_count("n_blocks", n_blocks, 1, max(n - 1, 1))
    labels = _find_blocks(graph, n_blocks, n_init, inputs.random_state)
    n_found = int(labels.max()) + 1
    clock.check("blocks", 0, n_found)
    merges = join_blocks(cuts_between(graph, labels), np.bincount(labels))
    parts = []
    for block in range(n_found):
        parts.append(_inner_tree(graph, np.flatnonzero(labels == block), inner, inputs.random_state))
        clock.check("blocks", block + 1, n_found)
    return searched_tree(join_parts(parts, merges), inputs.graph)


def _find_blocks(graph: Graph, k: int | None, n_init: int, random_state: int) -> Ids:
    n = graph.n_vertices
    if n <= 2 or k == 1:
        return np.zeros(n, np.int64)
    values, vectors = leading_eigenpairs(graph.to_scipy(), n_leading(k, n), random_state)
    k = k or clusters_by_gap(values)
    # These rows lie as far from each other as those of the rank-k part, of which they are the coordinates.
    return cluster_rows(vectors[:, :k] * values[:k], k, n_init, random_state)


def join_blocks(weights: Reals, sizes: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Merges of the pair of largest weights[a, b] / (sizes[a] sizes[b]), weights adding up, ties by number. O(k^3).

    >>> join_blocks(np.array([[0.0, 1.0, 6.0], [1.0, 0.0, 2.0], [6.0, 2.0, 0.0]]), np.array([3, 1, 3]))
    [(0, 2), (0, 1)]
    """
    total, size = weights.copy(), sizes.astype(np.float64)
    alive, merges = list(range(size.size)), []
    while len(alive) > 1:
        pairs = [(a, b) for k, a in enumerate(alive) for b in alive[k + 1 :]]
        first, second = max(pairs, key=lambda pair: total[pair] / (size[pair[0]] * size[pair[1]]))
        total[first] += total[second]
        total[:, first] += total[:, second]
        size[first] += size[second]
        alive.remove(second)
        merges.append((first, second))
    return merges


def _inner_tree(graph: Graph, vertices: Ids, inner: BlockOrder, random_state: int) -> tuple[Ids, Ids]:
    """The vertices of a block in some order, and the parents of a tree over them."""
    if inner == "average":
        return vertices, graph_linkage(graph.subgraph(vertices)[0]).parent
    order = generator(random_state, f"inside the block of vertex {vertices[0]}").permutation(vertices)
    return order, halved_parents(vertices.size)
