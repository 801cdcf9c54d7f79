"""SpecWRSC and DPClusterHSBM (ICML 2023): clusters by leading eigenvectors of a graph, and trees made of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from hypcse._checks import check_choice, check_count
from hypcse._choices import BlockOrder
from hypcse._random import generator
from hypcse._threads import openmp_threads
from hypcse.graph import Graph
from hypcse.kernels.linkage.merges import merge_parents
from hypcse.methods.linkages import halved
from hypcse.methods.options import Clock, Inputs
from hypcse.search import graph_linkage
from hypcse.search.binary import searched_tree
from hypcse.tree import Tree

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
Eigenpairs = Callable[[sparse.csr_array, int, int], tuple[Reals, Reals]]
Merges = list[tuple[int, int]]

# Up to this many vertices, all eigenvectors in dense form are faster and safer than Lanczos' iteration.
MAX_DENSE = 2000
# The most clusters that are chosen by the spectrum.
MAX_CHOSEN = 15
# Up to this many vertices all cuts are compared, 2^14 of them.
MAX_ENUMERATED = 15


def spec_wrsc(
    inputs: Inputs,
    *,
    n_clusters: int | None = None,
    released: bool = False,
    n_init: int = 10,
    max_seconds: float | None = None,
) -> Tree:
    """Clusters of the spectral embedding, joined by sparsest cuts and halved inside: docs/methods-comparison.md.

    `released` does what the published code does: never keeps the best cut, divides rows by roots of unweighted degrees,
    loops counted twice, and leaves eigenvectors of several components mixed.
    O(m k) per round of Lanczos' iteration, dense up to 2,000 vertices; O(2^k) cuts; memory O(n k + m).
    """
    graph, seed = inputs.graph, inputs.random_state
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, graph.n_vertices)
    check_count("n_init", n_init, 1)
    clock = Clock("spec-wrsc", inputs.callback, max_seconds)
    roots, eigenpairs = _inverse_roots(graph, released)[:, None], mixed_eigenpairs if released else leading_eigenpairs
    matrix = normalized_adjacency(graph)
    labels = spectral_clusters(matrix, n_clusters, lambda _, vectors: vectors * roots, n_init, seed, eigenpairs)
    return tree_of_clusters(
        graph,
        labels,
        lambda vertices: halved(_fiedler_order(graph, vertices, released, seed)),
        lambda weights, sizes: recursive_cuts(weights, sizes, released),
        clock,
    )


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


def leading_eigenpairs(matrix: sparse.csr_array, k: int, random_state: int) -> tuple[Reals, Reals]:
    """The k largest eigenvalues of a symmetric matrix, falling, and their unit eigenvectors (n, k), by component.

    Of equal ones that of the larger component comes first. The entry of largest size of an eigenvector is positive.
    """
    # Lanczos' iteration misses copies of an eigenvalue that several components share.
    n_components, component = connected_components(matrix, directed=False)
    members = [np.flatnonzero(component == label) for label in range(n_components)]
    members.sort(key=len, reverse=True)
    pairs = [mixed_eigenpairs(matrix[own][:, own], min(k, own.size), random_state) for own in members]
    values = np.concatenate([some for some, _ in pairs])
    owner = np.repeat(np.arange(n_components), [some.size for some, _ in pairs])
    column = np.concatenate([np.arange(some.size) for some, _ in pairs])
    chosen = np.lexsort([column, owner, -np.round(values, 10)])[:k]
    vectors = np.zeros((matrix.shape[0], k))
    for place, which in enumerate(chosen):
        vectors[members[owner[which]], place] = pairs[owner[which]][1][:, column[which]]
    return values[chosen], vectors


def mixed_eigenpairs(matrix: sparse.csr_array, k: int, random_state: int) -> tuple[Reals, Reals]:
    """The same of the whole matrix at once: eigenvectors of equal eigenvalues are mixed, and copies may be missed."""
    n = matrix.shape[0]
    if n <= MAX_DENSE or k >= n // 4:
        values, vectors = eigh(matrix.toarray(), subset_by_index=(n - k, n - 1))
    else:
        start = generator(random_state, "Lanczos iteration").standard_normal(n)
        values, vectors = eigsh(matrix, k, which="LA", v0=start, ncv=max(4 * k, 40), maxiter=10_000, tol=1e-8)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    peaks = vectors[np.abs(vectors).argmax(axis=0), np.arange(k)]
    return values, vectors * np.where(peaks < 0, -1.0, 1.0)


def normalized_adjacency(graph: Graph) -> sparse.csr_array:
    """D^-1/2 W D^-1/2, loops included: the identity less the normalized Laplacian. 1 at a vertex of degree 0."""
    lonely = graph.degrees == 0
    root = 1 / np.sqrt(np.where(lonely, 1.0, graph.degrees))
    scale = sparse.diags_array(root, format="csr")
    return sparse.csr_array(scale @ graph.to_scipy() @ scale + sparse.diags_array(lonely.astype(np.float64)))


def spectral_clusters(
    matrix: sparse.csr_array,
    k: int | None,
    rows: Callable[[Reals, Reals], Reals],
    n_init: int,
    random_state: int,
    eigenpairs: Eigenpairs = leading_eigenpairs,
) -> Ids:
    """k-means labels from 0 of rows made of the k leading eigenpairs; without k, as many as `clusters_by_gap` says."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    n = matrix.shape[0]
    if n <= 2 or k == 1:
        return np.zeros(n, np.int64)
    values, vectors = eigenpairs(matrix, min((k or MAX_CHOSEN) + 1, n), random_state)
    k = k or clusters_by_gap(values)
    seed = int(generator(random_state, "clusters of rows").integers(2**31))
    # It warns if there are fewer different rows than clusters, which is fine here.
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning), openmp_threads():
        labels = KMeans(k, n_init=n_init, random_state=seed).fit(rows(values[:k], vectors[:, :k])).labels_
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def clusters_by_gap(values: Reals) -> int:
    """The position of the largest gap in the decreasing eigenvalues: at least 2, if there are that many."""
    return values.size if values.size <= 2 else 2 + int(np.argmax(values[1:-1] - values[2:]))


def tree_of_clusters(
    graph: Graph, labels: Ids, inner: Callable[[Ids], Merges], merge: Callable[[Reals, Reals], Merges], clock: Clock
) -> Tree:
    """One tree from the merges inside each cluster (`inner`) and those of clusters (`merge`), from the bottom up.

    A merge is named by a vertex, or cluster, of either side; the first stands for both.
    """
    clusters, merges = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)], []
    clock.check("clusters", 0, len(clusters))
    for done, vertices in enumerate(clusters, 1):
        merges += inner(vertices)
        clock.check("clusters", done, len(clusters))
    pairs = merge(cuts_between(graph, labels), np.bincount(labels).astype(np.float64))
    merges += [(int(clusters[a][0]), int(clusters[b][0])) for a, b in pairs]
    first, second = np.array(merges, np.int64).reshape(-1, 2).T
    parent = merge_parents(np.ascontiguousarray(first), np.ascontiguousarray(second), labels.size)
    return searched_tree(parent, graph.degrees)


def cuts_between(graph: Graph, labels: Ids) -> Reals:
    """Weight between each two clusters, (k, k), 0 on the diagonal."""
    k = int(labels.max()) + 1
    i, j, w = graph.edges()
    once = np.bincount(labels[i] * k + labels[j], w, minlength=k * k).reshape(k, k)
    between = (once + once.T).astype(np.float64)
    np.fill_diagonal(between, 0.0)
    return between


def _inverse_roots(graph: Graph, released: bool) -> Reals:
    """One over the root of the degree; 0 at a vertex that has none."""
    degrees = np.diff(graph.indptr) + 2.0 * (graph.self_weights > 0) if released else graph.degrees
    return np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)


def _fiedler_order(graph: Graph, vertices: Ids, released: bool, random_state: int) -> Ids:
    """The vertices by the Fiedler vector of the graph among them, ties at random: row order could leak classes."""
    shuffled = generator(random_state, f"ties from vertex {vertices[0]}").permutation(vertices)
    inside, _ = graph.subgraph(shuffled)
    if released:
        return shuffled[_by_fiedler_vector(inside, True, random_state)]
    component = inside.components()
    order = []
    for label in np.argsort(-np.bincount(component), kind="stable"):
        own = np.flatnonzero(component == label)
        order.append(own[_by_fiedler_vector(inside.subgraph(own)[0], False, random_state)])
    return shuffled[np.concatenate(order)]


def _by_fiedler_vector(graph: Graph, released: bool, random_state: int) -> Ids:
    if graph.n_vertices <= 2:
        return np.arange(graph.n_vertices)
    _, vectors = mixed_eigenpairs(normalized_adjacency(graph), 2, random_state)
    return np.argsort(vectors[:, 1] * _inverse_roots(graph, released), kind="stable")


def recursive_cuts(weights: Reals, sizes: Reals, peel: bool = False) -> list[tuple[int, int]]:
    """Merges, from the bottom up, of the tree of sparsest cuts, or of one that peels off vertex after vertex."""
    merges, stack = [], [np.arange(sizes.size)]
    while stack:
        own = stack.pop()
        if own.size < 2:
            continue
        side = own == own[0] if peel else sparsest_cut(weights[np.ix_(own, own)], sizes[own])
        left, right = own[side], own[~side]
        merges.append((int(left[0]), int(right[0])))
        stack += [right, left]
    return merges[::-1]


def sparsest_cut(weights: Reals, sizes: Reals) -> NDArray[np.bool_]:
    """One side of the cut (A, B), the one with vertex 0, that has the least cut(A, B) / (size A size B)."""
    k = sizes.size
    sides = _all_sides(k) if k <= MAX_ENUMERATED else _sweep_sides(weights)
    inside = sides.astype(np.float64)
    cut = ((inside @ weights) * (1 - inside)).sum(axis=1)
    size = inside @ sizes
    best = sides[int(np.argmin(cut / (size * (sizes.sum() - size))))]
    return best if best[0] else ~best


def _all_sides(k: int) -> NDArray[np.bool_]:
    """Marks of the side with vertex 0 of every cut, (2^(k - 1) - 1, k)."""
    codes = np.arange(2 ** (k - 1) - 1)
    return np.column_stack([np.ones(codes.size, np.bool_), (codes[:, None] >> np.arange(k - 1)) & 1 == 1])


def _sweep_sides(weights: Reals) -> NDArray[np.bool_]:
    """Marks of the first 1, 2, ... vertices along the second eigenvector of the normalized Laplacian."""
    degrees = weights.sum(axis=1)
    root = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    laplacian = np.diag((degrees > 0).astype(np.float64)) - root[:, None] * weights * root
    order = np.argsort(np.linalg.eigh(laplacian)[1][:, 1] * root, kind="stable")
    place = np.argsort(order)
    return place[None] < np.arange(1, order.size)[:, None]


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
