"""DPClusterHSBM: private blocks by spectral projection, joined by their densities (Imola and others, ICML 2023)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import BlockOrder
from hypcse._random import generator
from hypcse.discrete import graph_linkage
from hypcse.discrete.heights import searched_tree
from hypcse.graph import Graph
from hypcse.methods.assembly import halved_parents, join_parts
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Clock
from hypcse.methods.spectral.privacy import (
    Budget,
    gaussian_scale,
    laplace_bound,
    laplace_scale,
    low_rank_sensitivity,
    projection_width,
)
from hypcse.methods.spectral.sparse_cuts import cuts_between
from hypcse.methods.spectral.spectrum import cluster_rows, clusters_by_gap, leading_eigenpairs, n_leading
from hypcse.tree import Tree

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

# Shares of epsilon for: the gap of the spectrum, its k-th value, the projected rows, and the densities of the blocks.
GAP, VALUE, ROWS, DENSITIES = 0.125, 0.125, 0.5, 0.25


def dp_cluster_hsbm(
    inputs: Inputs,
    *,
    n_blocks: int | None = None,
    inner: BlockOrder = "random",
    epsilon: float = float("inf"),
    delta: float = 1e-6,
    n_init: int = 10,
    max_seconds: float | None = None,
) -> Tree:
    """Blocks of a hierarchical block model, joined densest pair first. Our reading: the text leaves much open.

    1. The rows of the best rank-k part of the adjacency matrix, without loops, are grouped into k blocks by k-means,
       the best of `n_init` runs. k is `n_blocks`; without privacy by default where the largest gap of the
       eigenvalues lies, 2 to 15.
    2. The two blocks with the largest w(A, B) / (|A| |B|) are joined, again and again.
    3. Inside a block is a tree that ignores the data, halving a random order; or with `inner="average"` average linkage
       on the graph, which is not in the publication and is not private.

    With a finite `epsilon` the tree is (epsilon, delta)-private for one edge of weight at most 1: see `private_rows`
    for the noise of step 1 (three quarters of epsilon); in step 2 each w(A, B) gets Laplace noise of scale 4 /
    epsilon. Then `n_blocks` must be given, chosen without a look at the graph, and heights are log2 of the number of
    leaves. This holds only while `random_state` is secret. It speaks of the edges of the graph, not of features that it
    was made from; and noise in floating point is not hardened against an attack on its last bits.

    O(m k) per round of Lanczos' iteration, dense up to 2,000 vertices; memory O(n k + m), with privacy about 100
    numbers per vertex. Pen-digits, 10,992 points: below 1 s on one core. After `max_seconds`, checked between the
    steps, it raises TimeoutError.
    """
    check_choice("inner", inner, BlockOrder)
    check_count("n_init", n_init, 1)
    clock = Clock("dp-cluster-hsbm", inputs.callback, max_seconds)
    graph, budget = inputs.graph.without_loops(), Budget(epsilon, delta)
    n = graph.n_vertices
    if n_blocks is not None:
        check_count("n_blocks", n_blocks, 1, max(n - 1, 1))
    if budget.private:
        check_private(graph, n_blocks, inner)
    labels = _find_blocks(graph, n_blocks, budget, n_init, inputs.random_state)
    n_found = int(labels.max()) + 1
    clock.tell("blocks", 0, n_found)
    merges = join_blocks(_block_weights(graph, labels, budget, inputs.random_state), np.bincount(labels))
    parts = []
    for block in range(n_found):
        parts.append(_inner_tree(graph, np.flatnonzero(labels == block), inner, inputs.random_state))
        clock.tell("blocks", block + 1, n_found)
    seen = Graph.from_edges([], [], [], n) if budget.private else inputs.graph
    return searched_tree(join_parts(parts, merges), seen)


def check_private(graph: Graph, n_blocks: int | None, inner: BlockOrder) -> None:
    """Raise if something would be used that no noise covers."""
    if n_blocks is None:
        raise ValueError("n_blocks is not given, and choosing it by the graph would not be private. Pass a number.")
    if inner != "random":
        raise ValueError(f"inner={inner!r} looks at edges inside blocks. With a finite epsilon pass inner='random'.")
    if graph.weights.size and graph.weights.max() > 1:
        raise ValueError(
            f"an edge has weight {graph.weights.max():.6g}; privacy is calibrated for weights of at most 1. "
            "Divide them by a bound that you know without looking at the graph."
        )


def _find_blocks(graph: Graph, k: int | None, budget: Budget, n_init: int, random_state: int) -> Ids:
    n = graph.n_vertices
    if n <= 2 or k == 1:
        return np.zeros(n, np.int64)
    values, vectors = leading_eigenpairs(graph.to_scipy(), n_leading(k, n), random_state)
    k = k or clusters_by_gap(values)
    if budget.private:
        rows = private_rows(values[: k + 1], vectors[:, :k], budget, generator(random_state, "private rows"))
    else:
        # Its rows lie as far from each other as those of the rank-k part, of which they are the coordinates.
        rows = vectors[:, :k] * values[:k]
    return cluster_rows(rows, k, n_init, random_state)


def private_rows(values: Reals, vectors: Reals, budget: Budget, draw: np.random.Generator) -> Reals:
    """Rows of the rank-k part F = U diag(values) U^T of an adjacency matrix, projected and made private.

    values (k + 1,) are the leading eigenvalues, vectors (n, k) the leading eigenvectors. With e, d = epsilon, delta:

    gap    : values[k-1] - values[k] moves by at most 2: Laplace noise of scale 2 / (e / 8). Less what this noise
             exceeds with probability d / 4, it is a lower bound. Where that is not above 2, nothing can be said.
    value  : values[k-1] moves by at most 1: Laplace noise of scale 1 / (e / 8), and an upper bound in the same way.
    rows   : F R with a Gaussian projection R, which more than doubles a squared length with probability d / 4 at most;
             so F R moves by sqrt(2) `low_rank_sensitivity`. Gaussian noise for (e / 2, d / 4) on each entry.

    What follows looks at this alone and costs nothing: the k directions in which the rows differ most are kept.
    """
    k = vectors.shape[1]
    tail = budget.delta / 4
    scale = laplace_scale(2.0, GAP * budget.epsilon)
    gap = values[k - 1] - values[k] + draw.laplace(scale=scale) - laplace_bound(scale, tail)
    scale = laplace_scale(1.0, VALUE * budget.epsilon)
    value = abs(values[k - 1]) + draw.laplace(scale=scale) + laplace_bound(scale, tail)
    if gap <= 2:
        raise ValueError(
            f"with epsilon={budget.epsilon} the gap after {k} eigenvalues of the graph is known to be {gap:.3g} at "
            "least, and must be above 2. Raise epsilon, change n_blocks, or pass a denser graph."
        )
    width = projection_width(tail)
    projection = draw.standard_normal((vectors.shape[0], width)) / np.sqrt(width)
    rows = (vectors * values[:k]) @ (vectors.T @ projection)
    moves = np.sqrt(2) * low_rank_sensitivity(max(value, 0.0), gap)
    rows += draw.normal(scale=gaussian_scale(moves, ROWS * budget.epsilon, tail), size=rows.shape)
    directions = np.linalg.eigh(rows.T @ rows)[1][:, -k:]
    return rows @ directions


def _block_weights(graph: Graph, labels: Ids, budget: Budget, random_state: int) -> Reals:
    """Weight between blocks, with noise if private: an edge lies between one pair of blocks, or in none."""
    weights = cuts_between(graph, labels)
    if budget.private:
        scale = laplace_scale(1.0, DENSITIES * budget.epsilon)
        noise = generator(random_state, "private densities").laplace(scale=scale, size=weights.shape)
        weights += np.triu(noise, 1) + np.triu(noise, 1).T
    return weights


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
