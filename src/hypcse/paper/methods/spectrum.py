"""Clusters by leading eigenvectors of graphs, and trees made of clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from hypcse._checks import filtered
from hypcse._random import generator
from hypcse._threads import openmp_threads
from hypcse.graph import Graph
from hypcse.kernels.linkage.merges import merge_parents
from hypcse.methods.options import Clock
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


def leading_eigenpairs(matrix: sparse.csr_array, k: int, random_state: int) -> tuple[Reals, Reals]:
    """The k largest eigenvalues of a symmetric matrix, falling, and their unit eigenvectors (n, k).

    Component by component: Lanczos' iteration misses copies of an eigenvalue that several share. Of equal ones that of
    the larger component comes first. The entry of largest size of an eigenvector is positive.
    """
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
        try:
            values, vectors = eigsh(matrix, k, which="LA", v0=start, ncv=max(4 * k, 40), maxiter=10_000, tol=1e-8)
        except ArpackNoConvergence as error:
            raise RuntimeError(
                f"only {error.eigenvalues.size} of {k} eigenvectors of the graph were found. "
                "Pass a graph with more edges, or fewer clusters."
            ) from None
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
    with filtered("ignore", ConvergenceWarning), openmp_threads():
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
    return searched_tree(parent, graph)


def cuts_between(graph: Graph, labels: Ids) -> Reals:
    """Weight between each two clusters, (k, k), 0 on the diagonal."""
    k = int(labels.max()) + 1
    i, j, w = graph.edges()
    once = np.bincount(labels[i] * k + labels[j], w, minlength=k * k).reshape(k, k)
    between = (once + once.T).astype(np.float64)
    np.fill_diagonal(between, 0.0)
    return between
