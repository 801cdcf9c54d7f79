"""DPClusterHSBM: blocks by spectral projection, joined by their densities (Imola and others, ICML 2023); no noise."""

from __future__ import annotations

import numpy as np

from hypcse._checks import check_choice, check_count
from hypcse._choices import BlockOrder
from hypcse._random import generator
from hypcse.methods.linkages import halved
from hypcse.methods.options import Clock, Inputs
from hypcse.paper.methods.spectrum import Ids, Merges, Reals, spectral_clusters, tree_of_clusters
from hypcse.search import graph_linkage
from hypcse.tree import Tree


def dp_cluster_hsbm(
    inputs: Inputs,
    *,
    n_blocks: int | None = None,
    inner: BlockOrder = "random",
    n_init: int = 10,
    max_seconds: float | None = None,
) -> Tree:
    """Blocks of a hierarchical block model by k-means, joined densest pair first: docs/methods-comparison.md.

    The publication leaves much open, and adds noise for privacy; here there is none. O(m k) per round of Lanczos.
    """
    check_choice("inner", inner, BlockOrder)
    check_count("n_init", n_init, 1)
    clock = Clock("dp-cluster-hsbm", inputs.callback, max_seconds)
    graph, seed = inputs.graph.without_loops(), inputs.random_state
    if n_blocks is not None:
        check_count("n_blocks", n_blocks, 1, max(graph.n_vertices - 1, 1))

    def inner_merges(vertices: Ids) -> Merges:
        if inner == "random" or vertices.size == 1:
            return halved(generator(seed, f"inside the block of vertex {vertices[0]}").permutation(vertices))
        tree = graph_linkage(graph.subgraph(vertices)[0])
        leaf = vertices[tree.leaf_order()[tree.first_positions]]
        return [(int(leaf[a]), int(leaf[b])) for a, b in tree.to_linkage()[:, :2].astype(np.int64)]

    # Rows of eigenvectors times eigenvalues lie as far from each other as those of the rank-k part.
    labels = spectral_clusters(graph.to_scipy(), n_blocks, lambda values, vectors: vectors * values, n_init, seed)
    return tree_of_clusters(inputs.graph, labels, inner_merges, join_blocks, clock)


def join_blocks(weights: Reals, sizes: Reals) -> Merges:
    """Merges of the pair of largest weights[a, b] / (sizes[a] sizes[b]), weights adding up, ties by number. O(k^3)."""
    total, size = weights.copy(), sizes.copy()
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
